"""What hands are asked to do, and how: errands, manners, and a hand with its queue."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from lumiban_sim.ways import PLAIN, Manner, Tempo
from lumiban_sim.world import FOREVER, Piece

WAITING, WORKING, DONE, REFUSED = "waiting", "working", "done", "refused"
RECALLED = "recalled"


@dataclass(slots=True, eq=False)
class Errand:
    """Something that a hand was asked to do, and how it went."""

    number: int
    hand: str
    what: str
    """`place`, `lift`, `slide`, `hover` or `bump`."""
    cell: int
    kind: int
    at_us: int
    """Not to begin before."""
    touch_at_us: int = -1
    """When it should touch (or leave) the board, if that was asked for."""
    state: str = WAITING
    begin_us: int = -1
    touch_us: int = -1
    """The truth: when the piece touched its seat, or left it."""
    end_us: int = -1
    reason: str = ""
    """Why it was refused: `taken`, `empty` or `held`."""
    tempo: Tempo | None = None
    """How the hand moves this time, if not as it is used to."""
    manner: Manner = PLAIN
    to_cell: int = -1
    """Of a slide: where it ends."""
    push_mm: tuple[float, float] = (0.0, 0.0)
    """Of a bump: how far the piece is pushed."""


@dataclass(slots=True)
class Hand:
    """A hand, what it has to do and what it holds."""

    name: str
    queue: deque[Errand]
    errand: Errand | None = None
    piece: Piece | None = None
    free_us: int = 0
    dragging: bool = False
    gone: bool = False
    leaving_us: int = FOREVER
    """When the piece that it is lifting leaves its cell."""
    returning_us: int = FOREVER
    """When the piece in the air will be back in its bowl."""


@dataclass(frozen=True, slots=True)
class Held:
    """A hand as the page draws it; kind 0 when it holds nothing."""

    hand: str
    x: float
    y: float
    h: float
    kind: int
