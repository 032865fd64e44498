"""From meaning to pattern: the feedback grammar, one row a meaning.

A pattern is a role (each theme gives it a colour), a strength and an effect. Whatever can be seen
at the same time on the same kind of place differs in strength or effect, not only in colour;
nothing flashes more than three times a second.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from lumiban.games import mark_kinds
from lumiban.scene.light import Effect


class Strength(IntEnum):
    """Brightness of a light, in steps that the eye keeps apart."""

    FAINT = 0
    DIM = 1
    MID = 2
    BRIGHT = 3


@dataclass(frozen=True, slots=True)
class Pattern:
    """Look of one meaning; `role` is its colour in a theme."""

    role: str
    strength: Strength
    effect: Effect


EMPTY_CELL, PIECE, EDGE = "empty", "piece", "edge"
"""Places where a meaning can be seen: on an empty cell, under a piece, on an edge without cells."""
IN_PLAY, IN_HAND, MACHINE_MOVES, MENDING, AT_END, NO_BOARD = (
    "play",
    "in-hand",
    "machine",
    "mend",
    "end",
    "lost",
)
FREE, COUNT, LIT, ASKED = "free", "count", "lit", "asked"
"""Situations: ordinary play, a piece in hand, a machine's move to be placed, something being
mended, the end, no board; play without turns, the beats that count it in; a game whose pieces are
light; a piece in the air whose number is counted."""
FIELD, GHOST, RIM, CENTRE = "field", "ghost", "rim", "centre"
"""Places in such a game: on rows that count, in the ghost row, above it, between the fields."""


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
    mark_kinds.MAY_PLACE: _rule(
        "empty field", "play free lit", Pattern("legal", Strength.DIM, Effect.STEADY)
    ),
    mark_kinds.MAY_PLACE_NEUTRAL: _rule(
        "empty", "play", Pattern("legal", Strength.DIM, Effect.PULSE)
    ),
    mark_kinds.LIFT_TARGET: _rule(
        "empty", "in-hand asked", Pattern("legal", Strength.BRIGHT, Effect.STEADY)
    ),
    mark_kinds.OWNED: _rule(
        "empty piece",
        "play in-hand machine mend free end",
        Pattern("white", Strength.MID, Effect.STEADY),
        Pattern("black", Strength.DIM, Effect.BREATHE),
    ),
    mark_kinds.REMOVABLE: _rule("piece", "play", Pattern("legal", Strength.MID, Effect.BREATHE)),
    mark_kinds.BARRED: _rule(
        "empty", "play in-hand", Pattern("error", Strength.FAINT, Effect.BREATHE)
    ),
    mark_kinds.WALL: _rule(
        "empty", "play in-hand end", Pattern("warn", Strength.FAINT, Effect.STEADY)
    ),
    mark_kinds.SHORT: _rule(
        "empty piece", "play in-hand", Pattern("warn", Strength.MID, Effect.PULSE)
    ),
    mark_kinds.MACHINE_TO: _rule(
        "empty piece",
        "machine",
        Pattern("white", Strength.BRIGHT, Effect.PULSE),
        Pattern("black", Strength.BRIGHT, Effect.PULSE),
    ),
    mark_kinds.MACHINE_FROM: _rule(
        "empty piece",
        "machine",
        Pattern("white", Strength.BRIGHT, Effect.PULSE_B),
        Pattern("black", Strength.BRIGHT, Effect.PULSE_B),
    ),
    mark_kinds.MEND: _rule(
        "empty piece", "mend asked", Pattern("error", Strength.BRIGHT, Effect.FAST_BLINK)
    ),
    mark_kinds.PROOF: _rule(
        "empty piece field ghost",
        "mend free lit",
        Pattern("warn", Strength.BRIGHT, Effect.PROOF),
    ),
    mark_kinds.PENDING: _rule(
        "empty piece centre",
        "play free lit asked",
        Pattern("warn", Strength.BRIGHT, Effect.BREATHE),
    ),
    mark_kinds.TALLY: _rule("empty piece", "asked", Pattern("warn", Strength.MID, Effect.STEADY)),
    mark_kinds.WAITING: _rule(
        "empty edge rim",
        "play free lit",
        Pattern("white", Strength.MID, Effect.BREATHE),
        Pattern("black", Strength.MID, Effect.BREATHE),
    ),
    mark_kinds.THINKING: _rule(
        "empty edge rim",
        "play free lit",
        Pattern("white", Strength.MID, Effect.CHASE),
        Pattern("black", Strength.MID, Effect.CHASE),
    ),
    mark_kinds.LOST: _rule(
        "empty piece edge", "lost", Pattern("lost", Strength.DIM, Effect.BREATHE)
    ),
    mark_kinds.LAST: _rule(
        "empty piece",
        "play machine end free",
        Pattern("white", Strength.BRIGHT, Effect.STEADY),
        Pattern("black", Strength.BRIGHT, Effect.STEADY),
    ),
    mark_kinds.LIGHT_STONE: _rule(
        "empty",
        "free mend end",
        Pattern("white", Strength.BRIGHT, Effect.PULSE),
        Pattern("black", Strength.DIM, Effect.PULSE_B),
    ),
    mark_kinds.ASTRAY: _rule(
        "empty piece", "free lit", Pattern("error", Strength.BRIGHT, Effect.FAST_BLINK)
    ),
    mark_kinds.ADVICE: _rule(
        "empty piece field ghost rim",
        "play in-hand free lit",
        Pattern("legal", Strength.MID, Effect.BLINK),
    ),
    mark_kinds.ADVICE_ALSO: _rule(
        "empty piece field ghost rim",
        "play in-hand free lit",
        Pattern("legal", Strength.DIM, Effect.BLINK),
    ),
    mark_kinds.BEAT: _rule("empty piece", "count", Pattern("legal", Strength.MID, Effect.STEADY)),
    mark_kinds.WON: _rule(
        "empty piece edge",
        "end",
        Pattern("white", Strength.MID, Effect.PULSE),
        Pattern("black", Strength.MID, Effect.PULSE),
    ),
    mark_kinds.BLOCK_R: _light("red", Strength.BRIGHT, Effect.STEADY, "field centre"),
    mark_kinds.BLOCK_B: _light("blue", Strength.MID, Effect.BREATHE, "field centre"),
    mark_kinds.BLOCK_Y: _light("yellow", Strength.MID, Effect.PULSE, "field centre"),
    mark_kinds.BLOCK_G: _light("green", Strength.DIM, Effect.PULSE_B, "field centre"),
    mark_kinds.OJAMA: _light("ojama", Strength.FAINT, Effect.STEADY, "field"),
    mark_kinds.GHOST_R: _light("red", Strength.MID, Effect.STEADY, "ghost rim"),
    mark_kinds.GHOST_B: _light("blue", Strength.DIM, Effect.BREATHE, "ghost rim"),
    mark_kinds.GHOST_Y: _light("yellow", Strength.DIM, Effect.PULSE, "ghost rim"),
    mark_kinds.GHOST_G: _light("green", Strength.FAINT, Effect.PULSE_B, "ghost rim"),
    mark_kinds.GHOST_OJAMA: _light("ojama", Strength.FAINT, Effect.STEADY, "ghost rim"),
    mark_kinds.LANDING_R: _light("red", Strength.BRIGHT, Effect.BLINK, "field ghost rim"),
    mark_kinds.LANDING_B: _light("blue", Strength.BRIGHT, Effect.BREATHE, "field ghost rim"),
    mark_kinds.LANDING_Y: _light("yellow", Strength.BRIGHT, Effect.PULSE, "field ghost rim"),
    mark_kinds.LANDING_G: _light("green", Strength.MID, Effect.PULSE_B, "field ghost rim"),
    mark_kinds.ERASED: _light("warn", Strength.BRIGHT, Effect.FAST_BLINK, "field ghost"),
    mark_kinds.COMING: _light("ojama", Strength.DIM, Effect.STEADY, "rim"),
    mark_kinds.TOUCH: _light("legal", Strength.MID, Effect.STEADY, "centre"),
    mark_kinds.FEW: _light("ojama", Strength.DIM, Effect.STEADY, "centre"),
    mark_kinds.SOME: _light("ojama", Strength.DIM, Effect.BREATHE, "centre"),
    mark_kinds.MANY: _light("ojama", Strength.MID, Effect.BLINK, "centre"),
}
"""The whole grammar, by meaning."""

PRIORITY: tuple[str, ...] = (
    mark_kinds.BEAT,
    mark_kinds.MEND,
    mark_kinds.ASTRAY,
    mark_kinds.PROOF,
    mark_kinds.MACHINE_TO,
    mark_kinds.MACHINE_FROM,
    mark_kinds.PENDING,
    mark_kinds.LIFT_TARGET,
    mark_kinds.TALLY,
    mark_kinds.ERASED,
    mark_kinds.LANDING_R,
    mark_kinds.LANDING_B,
    mark_kinds.LANDING_Y,
    mark_kinds.LANDING_G,
    mark_kinds.ADVICE,
    mark_kinds.ADVICE_ALSO,
    mark_kinds.REMOVABLE,
    mark_kinds.SHORT,
    mark_kinds.LAST,
    mark_kinds.WON,
    mark_kinds.LIGHT_STONE,
    mark_kinds.BLOCK_R,
    mark_kinds.BLOCK_B,
    mark_kinds.BLOCK_Y,
    mark_kinds.BLOCK_G,
    mark_kinds.OJAMA,
    mark_kinds.GHOST_R,
    mark_kinds.GHOST_B,
    mark_kinds.GHOST_Y,
    mark_kinds.GHOST_G,
    mark_kinds.GHOST_OJAMA,
    mark_kinds.COMING,
    mark_kinds.TOUCH,
    mark_kinds.FEW,
    mark_kinds.SOME,
    mark_kinds.MANY,
    mark_kinds.MAY_PLACE,
    mark_kinds.MAY_PLACE_NEUTRAL,
    mark_kinds.BARRED,
    mark_kinds.OWNED,
    mark_kinds.WALL,
    mark_kinds.THINKING,
    mark_kinds.WAITING,
    mark_kinds.LOST,
)
"""Order of meanings for a cell that has several: the first of these is shown."""

RANK: dict[str, int] = {meaning: rank for rank, meaning in enumerate(PRIORITY)}

GUIDING = frozenset({mark_kinds.MEND, mark_kinds.PROOF, mark_kinds.TALLY})
"""While something is to be mended all but these is faint."""
BESIDE_TALLY = frozenset(
    {mark_kinds.TALLY, mark_kinds.MEND, mark_kinds.PENDING, mark_kinds.LIFT_TARGET}
)
"""While a number is counted nothing but these is lit: other lights would be counted too."""
QUIET_IN_MACHINE = frozenset(
    {
        mark_kinds.MAY_PLACE,
        mark_kinds.MAY_PLACE_NEUTRAL,
        mark_kinds.REMOVABLE,
        mark_kinds.BARRED,
        mark_kinds.SHORT,
        mark_kinds.ADVICE,
        mark_kinds.ADVICE_ALSO,
        mark_kinds.WAITING,
        mark_kinds.THINKING,
    }
)
"""Meanings hidden while a machine's move is to be placed: only its cells pulse."""

FLASHES_LIMIT = 3.0
"""No light may flash more often than this a second."""


def pattern(meaning: str, side: int | None) -> Pattern:
    """Look of `meaning` for `side` (None: nobody's); KeyError for an unknown meaning.

    >>> pattern("owned", 1).effect.name, pattern("owned", 0).strength.name
    ('BREATHE', 'MID')
    """
    return GRAMMAR[meaning].sides[1 if side == 1 else 0]
