"""Light as meaning: what the scene says about cells and edges, before any board is known."""

from __future__ import annotations

from dataclasses import dataclass, field

MAY_PLACE = "may-place"
"""You may place here: dim steady."""
MAY_PLACE_NEUTRAL = "may-place-neutral"
"""You may place a piece of nobody's here: dim, pulsing where no own piece may go."""
LIFT_TARGET = "lift-target"
"""The lifted piece may go here: bright steady."""
OWNED = "owned"
"""A cell that a side controls; level and rhythm tell whose, beside colour."""
REMOVABLE = "removable"
"""An enemy stone that the mover may take."""
BARRED = "barred"
"""Only a ban keeps you from going here."""
WALL = "wall"
"""Nobody gets past here."""
SHORT = "short"
"""A boss with at most one free side, or that side itself."""
MACHINE_TO = "machine-to"
MACHINE_FROM = "machine-from"
"""The machine plays here; from and to are out of step."""
MEND = "mend"
"""Put it back, or take it off: fast blink."""
PROOF = "proof"
"""Shows why the move was refused: two short blinks, pause."""
PENDING = "pending"
"""A lift that waits to be confirmed: breathe."""
WAITING = "waiting"
"""Waiting for you: breathe on your edge."""
THINKING = "thinking"
"""The machine thinks: chase along the far edge."""
LOST = "lost"
"""Board or host lost: amber breathe, dim."""
LAST = "last"
"""The last move."""
LIGHT_STONE = "light-stone"
"""A stone played in light, with no piece on its cell; whose, level and rhythm tell too."""
ASTRAY = "astray"
"""A piece that does not count here, or one that is gone, while play goes on: fast blink."""
ADVICE, ADVICE_ALSO = "advice", "advice-also"
"""The coach's best move acts here; so do the next best."""
BEAT = "beat"
"""All cells at once: a beat before play goes on."""
WON = "won"
"""Cells of the winner at the end."""

BLOCK_R, BLOCK_B, BLOCK_Y, BLOCK_G = "block-r", "block-b", "block-y", "block-g"
"""A falling block that lies there in light; each colour burns in a rhythm of its own."""
OJAMA = "ojama"
"""An ojama that lies there in light."""
GHOST_R, GHOST_B, GHOST_Y, GHOST_G = "ghost-r", "ghost-b", "ghost-y", "ghost-g"
GHOST_OJAMA = "ghost-ojama"
"""The same in the ghost row and above it, where blocks do not count: a step dimmer."""
LANDING_R, LANDING_B = "landing-r", "landing-b"
LANDING_Y, LANDING_G = "landing-y", "landing-g"
"""Here a block would come to rest: brighter than those that lie."""
ERASED = "erased"
"""This step of the chain erases it."""
COMING = "coming"
"""Ojama are going to fall into this column."""
TOUCH = "touch"
"""Touch this cell with a marker to say what stands for it."""
FEW, SOME, MANY = "few", "some", "many"
"""A number that a cell stands for, by its size."""


@dataclass(frozen=True, slots=True)
class Glow:
    """How one light burns: an index into the palette and an effect of the wire."""

    palette: int = 0
    effect: int = 0


DARK = Glow()
"""Palette index 0 is black in every theme."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Light for each cell of the game's grid and for lights without a cell, by name."""

    cells: tuple[Glow, ...]
    edges: tuple[tuple[str, Glow], ...] = ()
    palette: tuple[tuple[int, int, int], ...] = field(default=((0, 0, 0),))
