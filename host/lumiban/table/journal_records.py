"""Records of a journal, declared: what a table writes down, one line each, `t` saying which it is.

Times are board µs, the clocks' `spent` is ms; cells, kinds and sides are numbers. A journal that is
read may be of an older lumiban, or changed by anybody: it is `Stored`, and checked as it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypedDict

Stored = Mapping[str, Any]
"""A record as it was read."""


class HeadRecord(TypedDict):
    """The first line: what is played, by whom, on what."""

    t: Literal["head"]
    version: int
    game: str
    options: dict[str, int | str]
    digest: NotRequired[str]
    seats: list[str]
    seed: int
    profile: str
    board: str
    laid: NotRequired[list[int]]
    clock: NotRequired[str]
    lesson: NotRequired[str]
    left: NotRequired[LeftGame]


class LeftGame(TypedDict):
    """A game that was left for a lesson: its `head` and what was played since, to come back to."""

    head: HeadRecord
    records: list[Record]


class MoveRecord(TypedDict):
    """A move was played; `by` says who told it."""

    t: Literal["move"]
    side: int
    text: str
    at: int
    by: str
    spent: NotRequired[int]
    unsure: NotRequired[int]


class BackRecord(TypedDict):
    """So many moves were taken back; hands are asked to mend the cells `owed`."""

    t: Literal["back"]
    moves: int
    by: str
    owed: NotRequired[list[int]]


class OwedRecord(TypedDict):
    """Hands are asked to mend these cells."""

    t: Literal["owed"]
    cells: list[int]


class ClockRecord(TypedDict):
    """Time that the running turn has taken by now."""

    t: Literal["clock"]
    spent: int


class FlagRecord(TypedDict):
    """The time of this clock is used up."""

    t: Literal["flag"]
    clock: int
    spent: int
    at: int


class SlidingRecord(TypedDict):
    """The pieces are on their way to the middle (`to`), or back from it (`back`)."""

    t: Literal["sliding"]
    how: str


class SlideRecord(TypedDict):
    """All pieces lie so many columns and rows further on."""

    t: Literal["slide"]
    way: list[int]


class Setup(TypedDict):
    """A position that was set up: the game's own `stones`, and the cells that are in light."""

    stones: dict[str, Any]
    to_move: int
    light: NotRequired[list[int]]


class SetRecord(Setup):
    """Play goes on from a position that was set up."""

    t: Literal["set"]


class LessonRecord(TypedDict):
    """The lesson goes on with its step of this number; cells in light as in `Setup`, cells owed
    as in `BackRecord`."""

    t: Literal["lesson"]
    step: int
    light: NotRequired[list[int]]
    owed: NotRequired[list[int]]


class SeatRecord(TypedDict):
    """Somebody takes a seat."""

    t: Literal["seat"]
    side: int
    who: str


class ChosenRecord(TypedDict):
    """A bot chose a move, which the board does not show yet."""

    t: Literal["chosen"]
    side: int
    text: str
    value: float
    visits: int


class MarkersRecord(TypedDict):
    """Choice of the markers so far; `stones` are [cell, kind]."""

    t: Literal["markers"]
    stones: list[list[int]]
    dead: list[int]
    said: list[int]


class CoinRecord(TypedDict):
    """A coin put tied events in order."""

    t: Literal["coin"]
    numbers: list[int]
    fell: list[int]
    order: list[int]


class RaceRecord(TypedDict):
    """Two hands raced; see `photo_finish.Race`."""

    t: Literal["race"]
    cell: int
    winner: int
    by_us: int
    uncertainty_us: int
    is_tie: bool
    came_early: bool


class StopRecord(TypedDict):
    """Play stands still for both sides."""

    t: Literal["stop"]
    why: str
    at: int


class GoRecord(TypedDict):
    """Play goes on after a time out."""

    t: Literal["go"]
    at: int


class DroppedRecord(TypedDict):
    """A bot's chosen move is void."""

    t: Literal["dropped"]


class EventsRecord(TypedDict):
    """Board events below `next`: [number, cell, kind, time, uncertainty]; `late` came after a
    later one."""

    t: Literal["events"]
    next: int
    events: list[list[int]]
    late: NotRequired[list[int]]


class BoardRecord(TypedDict):
    """Which board is there, in which boot."""

    t: Literal["board"]
    uid: str
    boot: int | None


class BeliefRecord(TypedDict):
    """The whole picture, a digit a cell, at event `next`."""

    t: Literal["belief"]
    next: int | None
    at: int
    kinds: str
    owed: NotRequired[list[int]]


class EndRecord(TypedDict):
    """End of the game."""

    t: Literal["end"]
    winner: int | None
    reason: str


Record = (
    HeadRecord
    | MoveRecord
    | BackRecord
    | OwedRecord
    | ClockRecord
    | FlagRecord
    | SlidingRecord
    | SlideRecord
    | SetRecord
    | LessonRecord
    | SeatRecord
    | ChosenRecord
    | MarkersRecord
    | CoinRecord
    | RaceRecord
    | StopRecord
    | GoRecord
    | DroppedRecord
    | EventsRecord
    | BoardRecord
    | BeliefRecord
    | EndRecord
)
"""Whatever a table writes."""
