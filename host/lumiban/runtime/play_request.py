"""A wish to play, as the command line, the service's settings and a page come to it.

`open_table` carries it out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lumiban.table.types import Settings

SIMULATOR = "sim"
"""The name of a board that means a simulated one."""


@dataclass(frozen=True)
class PlayRequest:
    """Request for a game: the game, its players and the board. A seat of None: as it was, else
    `at_first`."""

    game: str = "control"
    options: Mapping[str, int | str] = field(default_factory=dict)
    seats: tuple[str | None, ...] = (None, None)
    at_first: tuple[str, ...] = ("human", "bot:medium")
    board: str = SIMULATOR
    pins: str = ""
    """Of a board on the Pi's header."""
    profile: str = ""
    """Its name or file; "" is one that holds the game."""
    turn: int = 0
    """Degrees, clockwise, by which games are turned on the board."""
    assists: bool = True
    new: bool = False
    resumes_any_game: bool = False
    """Resume whatever game of the board is unfinished."""
    lesson: bool = False
    """Begin with the game's lesson."""
    clock: str = ""
    """How time is counted (`table/clocks.py`); "" as the game's options say."""
    seed: int = 0
    hint: str = "legal"
    eager: bool = False
    """Hands act at once: for runs that nobody watches."""
    settings: Settings = field(default_factory=Settings)
