"""A table as somebody wants it: one shape for command line, settings file, lobby and page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lumiban.table.requests import LessonRequest

SIMULATOR = "sim"
"""The name of a board that means a simulated one."""


@dataclass(frozen=True)
class TableSetup:
    """Setup of a table: what is played, by whom, on which board, and how the table is opened.

    >>> TableSetup("trivia", {"size": 5}, clock="5+3").seats
    ('human', 'bot:medium')
    """

    game: str = "control"
    options: Mapping[str, int | str] = field(default_factory=dict)
    seats: tuple[str, ...] = ("human", "bot:medium")
    """Players of a new game, one a side."""
    clock: str = ""
    """Time control (`table/clocks.py`); "" for the one of the game's options."""
    hint: str = "legal"
    brightness: int = 100
    """Percent of the usual light."""
    language: str = ""
    """Of the page; "": the browser's."""
    board: str = SIMULATOR
    pins: str = ""
    """Of a board on the Pi's header."""
    profile: str = ""
    """Its name or file; "" is one that holds the game."""
    turn: int = 0
    """Degrees, clockwise, by which games are turned on the board."""
    assists: bool = True
    new: bool = False
    """Begin a new game, whatever is unfinished."""
    reseats: tuple[int, ...] = ()
    """Sides of a resumed game whose players `seats` names."""
    resumes_any_game: bool = False
    """Resume whatever game of the board is unfinished."""
    lesson: LessonRequest | None = None
    """Begin with this lesson."""
    asks_game: bool = False
    """Nobody has said what to play: the page asks."""
    seed: int = 0
    eager: bool = False
    """Hands act at once: for runs that nobody watches."""
