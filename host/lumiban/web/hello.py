"""Fields of the `hello` that a page is sent when it opens (docs/page.md), without type and role."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from lumiban.table.requests import ErrorText

Value = int | str
Options = dict[str, Value]


class CellHello(TypedDict):
    """A cell of the board: axial coordinates, mm from the board's middle, its light's number."""

    name: str
    q: int
    r: int
    x: float
    y: float
    light: int


class ProfileHello(TypedDict):
    """The board; `edges` are lights along its rim, by name; games are turned on it by `turn`
    degrees, clockwise."""

    name: str
    geometry: str
    pitch_mm: float
    cells: list[CellHello]
    lights: int
    edges: dict[str, list[int]]
    turn: int


class UnfitValue(TypedDict):
    """A value of an option that this table cannot play."""

    value: Value
    text: ErrorText


class OptionHello(TypedDict):
    """An option of a game, with the values to choose from; `free`: any other text may be tried."""

    name: str
    default: Value
    values: list[Value]
    unfit: list[UnfitValue]
    free: bool


class PresetHello(TypedDict):
    """Options under one name; `text` says why they do not fit, None if they do."""

    name: str
    options: Options
    text: ErrorText | None


class GameHello(TypedDict):
    """A game that fits this table."""

    slug: str
    options: list[OptionHello]
    presets: list[PresetHello]


class UnfitGame(TypedDict):
    """A game that does not, and why."""

    slug: str
    text: ErrorText | None


class ClockHello(TypedDict):
    """A clock to choose: its notation, what it is, and what it is in a game without turns (None:
    nothing)."""

    value: str
    text: ErrorText
    turnless: ErrorText | None


class Hello(TypedDict):
    """All of it; `assisted`: simulated hands set the machine's pieces; `switches_board`: a game in
    `unfit` is played on another simulated board; `service`: a service keeps this table, and has a
    page of its own; `home`: nobody has said yet what to play; `language` was chosen at the
    board; `puzzles`: number of them, by game."""

    languages: list[str]
    simulated: bool
    assisted: bool
    profile: ProfileHello
    games: list[GameHello]
    unfit: list[UnfitGame]
    levels: list[str]
    switches_board: bool
    clocks: list[ClockHello]
    puzzles: dict[str, int]
    service: NotRequired[bool]
    home: NotRequired[bool]
    language: NotRequired[str]
    hints: NotRequired[list[str]]
    themes: NotRequired[list[str]]
