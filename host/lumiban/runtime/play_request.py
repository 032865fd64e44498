"""What somebody wants to play, and how its table is run: what a command line comes to.

It stands apart from `setup`, which carries it out: a copy of the host's process reads the words,
and needs little else for that (`cli/table_words.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lumiban.table.types import Settings

if TYPE_CHECKING:
    from lumiban.web.page_process import Network

SIMULATOR = "sim"
"""The name of a board that means a simulated one."""


@dataclass(frozen=True)
class PlayRequest:
    """What somebody wants to play, on what. A seat of None: as it was, else `at_first`."""

    game: str = "control"
    options: Mapping[str, int | str] = field(default_factory=dict)
    seats: tuple[str | None, ...] = (None, None)
    at_first: tuple[str, ...] = ("human", "bot:medium")
    board: str = SIMULATOR
    pins: str = ""
    """Of a board on the Pi's header."""
    profile: str = ""
    """Its name or file; "" is one that holds the game."""
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


@dataclass(frozen=True)
class TableOrder:
    """A table that is to run until somebody ends it: the words of `play` and `demo`, understood."""

    wish: PlayRequest
    port: int
    opens_browser: bool
    greeting_id: str
    network: Network | None = None
    ponders_where_cores_allow: bool = False
    """Whether bots think on a person's time if this machine has a core to spare for it."""
