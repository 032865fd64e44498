"""Fields of the `hello` that a page is sent when it opens (docs/page.md), without type and role."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from lumiban.table.requests import ErrorText

Value = int | str
Options = dict[str, Value]


class CellHello(TypedDict):
    """Cell of the board: axial coordinates, mm from the board's middle, number of its light."""

    name: str
    q: int
    r: int
    x: float
    y: float
    light: int


class ProfileHello(TypedDict):
    """Board; `edges` are lights along its rim, by name; games are turned on it by `turn` degrees,
    clockwise."""

    name: str
    geometry: str
    pitch_mm: float
    cells: list[CellHello]
    lights: int
    edges: dict[str, list[int]]
    turn: int


class UnfitValue(TypedDict):
    """Option value that this table cannot play."""

    value: Value
    text: ErrorText


class OptionHello(TypedDict):
    """Option of a game, with the values to choose from; `free`: any other text may be tried."""

    name: str
    default: Value
    values: list[Value]
    unfit: list[UnfitValue]
    free: bool


class PresetHello(TypedDict):
    """Named set of options; `text` says why they do not fit, None if they do."""

    name: str
    options: Options
    text: ErrorText | None


class GameHello(TypedDict):
    """Game that fits this table."""

    slug: str
    options: list[OptionHello]
    presets: list[PresetHello]


class UnfitGame(TypedDict):
    """Game that does not fit this table, with the reason."""

    slug: str
    text: ErrorText | None


class ClockHello(TypedDict):
    """Time control to choose: its notation, its description, and its description in a game without
    turns (None: not available)."""

    value: str
    text: ErrorText
    turnless: ErrorText | None


class Hello(TypedDict):
    """Whole greeting; `assisted`: simulated hands set the bot's pieces; `switches_board`: a game in
    `unfit` is played on another simulated board; `service`: a service keeps this table, and has a
    page of its own; `home`: no game has been chosen yet; `language` was chosen at the board;
    `puzzles`: number of them, by game."""

    languages: list[str]
    simulated: bool
    assisted: bool
    profile: ProfileHello
    games: list[GameHello]
    unfit: list[UnfitGame]
    levels: list[str]
    hints: list[str]
    themes: list[str]
    switches_board: bool
    clocks: list[ClockHello]
    puzzles: dict[str, int]
    service: NotRequired[bool]
    home: NotRequired[bool]
    language: NotRequired[str]
