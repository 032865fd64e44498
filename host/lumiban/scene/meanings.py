"""Light as meaning: what the scene says about cells and edges, before any board is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

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
class LightState:
    """How one light burns: an index into the palette and an effect of the wire."""

    palette: int = 0
    effect: int = 0


DARK = LightState()
"""Palette index 0 is black in every theme."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Light for each cell of the game's grid and for lights without a cell, by name."""

    cells: tuple[LightState, ...]
    edges: tuple[tuple[str, LightState], ...] = ()
    palette: tuple[tuple[int, int, int], ...] = field(default=((0, 0, 0),))


# --- From meaning to pattern: the feedback grammar, one row a meaning ---
#
# A pattern is a role (each theme gives it a colour), a strength and an effect. Whatever can be seen
# at the same time on the same kind of place differs in strength or effect, not only in colour;
# nothing flashes more than three times a second.


class Effect(IntEnum):
    """How a light burns; the numbers are those of the wire."""

    STEADY = 0
    BLINK = 1
    FAST_BLINK = 2
    BREATHE = 3
    PULSE = 4
    PULSE_B = 5
    PROOF = 6
    CHASE = 7


class Strength(IntEnum):
    """How bright a light burns, in steps that the eye keeps apart."""

    FAINT = 0
    DIM = 1
    MID = 2
    BRIGHT = 3


@dataclass(frozen=True, slots=True)
class Pattern:
    """How one meaning looks; `role` is its colour in a theme."""

    role: str
    strength: Strength
    effect: Effect


EMPTY_CELL, PIECE, EDGE = "empty", "piece", "edge"
"""Where a meaning can be seen: on an empty cell, under a piece, on an edge without cells."""
IN_PLAY, IN_HAND, MACHINE_MOVES, MENDING, AT_END, NO_BOARD = (
    "play",
    "in-hand",
    "machine",
    "mend",
    "end",
    "lost",
)
FREE, COUNT, LIT = "free", "count", "lit"
"""When: in ordinary play, with a piece in hand, while a machine's move is to be placed, while
something is mended, at the end, without a board; in play without turns, while beats count it
in; in a game whose pieces are light."""
FIELD, GHOST, RIM, CENTRE = "field", "ghost", "rim", "centre"
"""Where, in such a game: on rows that count, in the ghost row, above it, between the fields."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the grammar: the pattern for each side (the same twice where nobody's)."""

    sides: tuple[Pattern, Pattern]
    where: frozenset[str]
    when: frozenset[str]


def _rule(where: str, when: str, white: Pattern, black: Pattern | None = None) -> Rule:
    return Rule(
        (white, white if black is None else black),
        frozenset(where.split()),
        frozenset(when.split()),
    )


def _light(role: str, strength: Strength, effect: Effect, where: str) -> Rule:
    """A rule for what is light itself, nobody's, and never under a piece."""
    return _rule(where, LIT, Pattern(role, strength, effect))


GRAMMAR: dict[str, Rule] = {
    MAY_PLACE: _rule("empty field", "play free lit", Pattern("legal", Strength.DIM, Effect.STEADY)),
    MAY_PLACE_NEUTRAL: _rule("empty", "play", Pattern("legal", Strength.DIM, Effect.PULSE)),
    LIFT_TARGET: _rule("empty", "in-hand", Pattern("legal", Strength.BRIGHT, Effect.STEADY)),
    OWNED: _rule(
        "empty piece",
        "play in-hand machine mend free",
        Pattern("white", Strength.MID, Effect.STEADY),
        Pattern("black", Strength.DIM, Effect.BREATHE),
    ),
    REMOVABLE: _rule("piece", "play", Pattern("legal", Strength.MID, Effect.BREATHE)),
    BARRED: _rule("empty", "play in-hand", Pattern("error", Strength.FAINT, Effect.BREATHE)),
    WALL: _rule("empty", "play in-hand", Pattern("warn", Strength.FAINT, Effect.STEADY)),
    SHORT: _rule("empty piece", "play in-hand", Pattern("warn", Strength.MID, Effect.PULSE)),
    MACHINE_TO: _rule(
        "empty piece",
        "machine",
        Pattern("white", Strength.BRIGHT, Effect.PULSE),
        Pattern("black", Strength.BRIGHT, Effect.PULSE),
    ),
    MACHINE_FROM: _rule(
        "empty piece",
        "machine",
        Pattern("white", Strength.BRIGHT, Effect.PULSE_B),
        Pattern("black", Strength.BRIGHT, Effect.PULSE_B),
    ),
    MEND: _rule("empty piece", "mend", Pattern("error", Strength.BRIGHT, Effect.FAST_BLINK)),
    PROOF: _rule(
        "empty piece field ghost",
        "mend free lit",
        Pattern("warn", Strength.BRIGHT, Effect.PROOF),
    ),
    PENDING: _rule(
        "empty piece centre", "play free lit", Pattern("warn", Strength.BRIGHT, Effect.BREATHE)
    ),
    WAITING: _rule(
        "empty edge rim",
        "play free lit",
        Pattern("white", Strength.MID, Effect.BREATHE),
        Pattern("black", Strength.MID, Effect.BREATHE),
    ),
    THINKING: _rule(
        "empty edge rim",
        "play free lit",
        Pattern("white", Strength.MID, Effect.CHASE),
        Pattern("black", Strength.MID, Effect.CHASE),
    ),
    LOST: _rule("empty piece edge", "lost", Pattern("lost", Strength.DIM, Effect.BREATHE)),
    LAST: _rule(
        "empty piece",
        "play machine end free",
        Pattern("white", Strength.BRIGHT, Effect.STEADY),
        Pattern("black", Strength.BRIGHT, Effect.STEADY),
    ),
    LIGHT_STONE: _rule(
        "empty",
        "free mend end",
        Pattern("white", Strength.BRIGHT, Effect.PULSE),
        Pattern("black", Strength.DIM, Effect.PULSE_B),
    ),
    ASTRAY: _rule("empty piece", "free lit", Pattern("error", Strength.BRIGHT, Effect.FAST_BLINK)),
    ADVICE: _rule(
        "empty piece field ghost rim",
        "play in-hand free lit",
        Pattern("legal", Strength.MID, Effect.BLINK),
    ),
    ADVICE_ALSO: _rule(
        "empty piece field ghost rim",
        "play in-hand free lit",
        Pattern("legal", Strength.DIM, Effect.BLINK),
    ),
    BEAT: _rule("empty piece", "count", Pattern("legal", Strength.MID, Effect.STEADY)),
    WON: _rule(
        "empty piece edge",
        "end",
        Pattern("white", Strength.MID, Effect.PULSE),
        Pattern("black", Strength.MID, Effect.PULSE),
    ),
    BLOCK_R: _light("red", Strength.BRIGHT, Effect.STEADY, "field centre"),
    BLOCK_B: _light("blue", Strength.MID, Effect.BREATHE, "field centre"),
    BLOCK_Y: _light("yellow", Strength.MID, Effect.PULSE, "field centre"),
    BLOCK_G: _light("green", Strength.DIM, Effect.PULSE_B, "field centre"),
    OJAMA: _light("ojama", Strength.FAINT, Effect.STEADY, "field"),
    GHOST_R: _light("red", Strength.MID, Effect.STEADY, "ghost rim"),
    GHOST_B: _light("blue", Strength.DIM, Effect.BREATHE, "ghost rim"),
    GHOST_Y: _light("yellow", Strength.DIM, Effect.PULSE, "ghost rim"),
    GHOST_G: _light("green", Strength.FAINT, Effect.PULSE_B, "ghost rim"),
    GHOST_OJAMA: _light("ojama", Strength.FAINT, Effect.STEADY, "ghost rim"),
    LANDING_R: _light("red", Strength.BRIGHT, Effect.BLINK, "field ghost rim"),
    LANDING_B: _light("blue", Strength.BRIGHT, Effect.BREATHE, "field ghost rim"),
    LANDING_Y: _light("yellow", Strength.BRIGHT, Effect.PULSE, "field ghost rim"),
    LANDING_G: _light("green", Strength.MID, Effect.PULSE_B, "field ghost rim"),
    ERASED: _light("warn", Strength.BRIGHT, Effect.FAST_BLINK, "field ghost"),
    COMING: _light("ojama", Strength.DIM, Effect.STEADY, "rim"),
    TOUCH: _light("legal", Strength.MID, Effect.STEADY, "centre"),
    FEW: _light("ojama", Strength.DIM, Effect.STEADY, "centre"),
    SOME: _light("ojama", Strength.DIM, Effect.BREATHE, "centre"),
    MANY: _light("ojama", Strength.MID, Effect.BLINK, "centre"),
}
"""The whole grammar, by meaning."""

PRIORITY: tuple[str, ...] = (
    BEAT,
    MEND,
    ASTRAY,
    PROOF,
    MACHINE_TO,
    MACHINE_FROM,
    PENDING,
    LIFT_TARGET,
    ERASED,
    LANDING_R,
    LANDING_B,
    LANDING_Y,
    LANDING_G,
    ADVICE,
    ADVICE_ALSO,
    REMOVABLE,
    SHORT,
    LAST,
    WON,
    LIGHT_STONE,
    BLOCK_R,
    BLOCK_B,
    BLOCK_Y,
    BLOCK_G,
    OJAMA,
    GHOST_R,
    GHOST_B,
    GHOST_Y,
    GHOST_G,
    GHOST_OJAMA,
    COMING,
    TOUCH,
    FEW,
    SOME,
    MANY,
    MAY_PLACE,
    MAY_PLACE_NEUTRAL,
    BARRED,
    OWNED,
    WALL,
    THINKING,
    WAITING,
    LOST,
)
"""Which meaning a cell shows when it has several: the first of these."""

RANK: dict[str, int] = {meaning: rank for rank, meaning in enumerate(PRIORITY)}

GUIDING = frozenset({MEND, PROOF})
"""While something is to be mended all but these is faint."""
QUIET_IN_MACHINE = frozenset(
    {
        MAY_PLACE,
        MAY_PLACE_NEUTRAL,
        REMOVABLE,
        BARRED,
        SHORT,
        ADVICE,
        ADVICE_ALSO,
        WAITING,
        THINKING,
    }
)
"""What is not shown while a machine's move is to be placed: only its cells pulse."""
EDGE_MEANINGS = frozenset({WAITING, THINKING})
"""What belongs on a side's edge."""

FLASHES_LIMIT = 3.0
"""No light may flash more often than this a second."""


def pattern(meaning: str, side: int | None) -> Pattern:
    """How `meaning` looks for `side` (None: nobody's); KeyError for an unknown meaning.

    >>> pattern("owned", 1).effect.name, pattern("owned", 0).strength.name
    ('BREATHE', 'MID')
    """
    return GRAMMAR[meaning].sides[1 if side == 1 else 0]
