"""The plain values that rules, table and search exchange: kinds, moves, refusals, positions, and
what a picture of the board means.

All are immutable; `games/api.py` shows them beside `Game`, which makes and takes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Protocol

from lumiban.errors import GameError

WHITE, BLACK, NEUTRAL = 0, 1, 2


class Kind(IntEnum):
    """What a cell holds, as the board senses it; the numbers are those of the wire."""

    EMPTY = 0
    WHITE = 1
    BLACK = 2
    NEUTRAL = 3
    UNKNOWN = 4
    STACKED = 5
    FOREIGN = 6
    MASKED = 7


class State(Protocol):
    """The kernel of a game: a NamedTuple of int arrays with exactly these methods.

    Python runs them on lists of ints; the search compiles the same methods with numba. Moves are
    ints from 0 on; `moves` writes them into `out` and returns how many. `outcome` is −1 while the
    game runs, 0 for a draw, 1 when White (the first side) has won, 2 when Black has, −2 when a
    field of fixed capacity (positions faced, say) has no room left: never take that for a result.
    `playout` plays on at random from `rng` (one int, advanced in place), appends the moves to
    `trace` (trace[0] is their number) and returns the outcome's code. What the State holds after
    a playout is not defined: `assign` it anew. Compiled calls pay for each field of a State, so a
    fast kernel keeps a few long arrays rather than many short ones.
    """

    def assign(self, other: Any) -> None: ...
    def mover(self) -> int: ...
    def moves(self, out: Any) -> int: ...
    def play(self, move: int) -> None: ...
    def outcome(self) -> int: ...
    def playout(self, rng: Any, trace: Any) -> int: ...
    def key(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Move:
    """What one side does: a placement, lift or slide, or a word (`code` is −1).

    `str(move)` is its notation.
    """

    side: int
    text: str
    code: int = -1

    def __str__(self) -> str:
        return self.text

    @property
    def is_word(self) -> bool:
        """Whether this is `resign`, `stop` and the like, not something done with pieces."""
        return self.code < 0


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why something is not allowed: the rule's slug, the cells that prove it, a text's figures.

    The sentence stands in the catalogue under `refusal.<rule>`.
    """

    rule: str
    cells: tuple[int, ...] = ()
    params: tuple[tuple[str, str | int], ...] = ()

    @property
    def text_id(self) -> str:
        """Id of the sentence in the catalogue."""
        return "refusal." + self.rule


class IllegalMove(GameError):
    """A move that cannot be played; `refusal` says why (None when it could not be read)."""

    def __init__(self, text: str, refusal: Refusal | None = None) -> None:
        super().__init__(text)
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended; `winner` is a side or None for a draw, `reason` a slug."""

    winner: int | None
    reason: str

    @property
    def text_id(self) -> str:
        """Id of the sentence in the catalogue."""
        return "outcome." + self.reason


@dataclass(frozen=True, slots=True)
class Mark:
    """What a cell means now: `meaning` is one of scene's meanings, `side` whose it is."""

    cell: int
    meaning: str
    side: int | None = None


@dataclass(frozen=True, slots=True)
class Idle:
    """The board shows the position."""


@dataclass(frozen=True, slots=True)
class Partial:
    """The picture is on the way to a legal move; `marks` say what may come next."""

    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Complete:
    """The picture is what the board shows after `move`.

    `confirm`: touching is not playing; the move waits for a button, the opponent's next move or
    a countdown, and `marks` say where the piece lifted may go instead.
    """

    move: Move
    confirm: bool = False
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Several legal moves make this picture."""

    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Wrong:
    """No legal move makes or passes this picture; `whole`: all changes are one move, forbidden."""

    refusal: Refusal
    whole: bool = False


Reading = Idle | Partial | Complete | Ambiguous | Wrong


@dataclass(frozen=True, slots=True)
class Texts:
    """A game's own sentences by language: `name`, `rule` (one line), `rules` (all of it),
    `option.<name>`, `refusal.<rule>`, `outcome.<reason>`, `word.<word>`, `side.<name>`,
    `said.<what>` (what a move does).

    What one language lacks, the other says.
    """

    en: Mapping[str, str] = field(default_factory=dict)
    ja: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Position:
    """A position of some game: comparable, hashable, picklable, never changed.

    `state` is the kernel's content flattened to ints; `history` the moves and words that led
    here; `over` is set when a word ended the game (resign, stop).
    """

    state: tuple[int, ...]
    history: tuple[Move, ...] = field(default=(), compare=False)
    seed: int = 0
    phase: str = "play"
    over: Outcome | None = None
    extra: tuple[int, ...] = ()


Effect = tuple[int, int, int]
"""What a move does to one cell: (cell, kind before, kind after)."""
