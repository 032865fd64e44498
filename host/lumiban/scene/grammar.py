"""From meaning to pattern: the feedback grammar, one row a meaning.

A pattern is a role (each theme gives it a colour), a strength and an effect. Whatever can be seen
at the same time on the same kind of place differs in strength or effect, not only in colour;
nothing flashes more than three times a second.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from lumiban.games import meanings
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
    meanings.MAY_PLACE: _rule(
        "empty field", "play free lit", Pattern("legal", Strength.DIM, Effect.STEADY)
    ),
    meanings.MAY_PLACE_NEUTRAL: _rule(
        "empty", "play", Pattern("legal", Strength.DIM, Effect.PULSE)
    ),
    meanings.LIFT_TARGET: _rule(
        "empty", "in-hand asked", Pattern("legal", Strength.BRIGHT, Effect.STEADY)
    ),
    meanings.OWNED: _rule(
        "empty piece",
        "play in-hand machine mend free end",
        Pattern("white", Strength.MID, Effect.STEADY),
        Pattern("black", Strength.DIM, Effect.BREATHE),
    ),
    meanings.REMOVABLE: _rule("piece", "play", Pattern("legal", Strength.MID, Effect.BREATHE)),
    meanings.BARRED: _rule(
        "empty", "play in-hand", Pattern("error", Strength.FAINT, Effect.BREATHE)
    ),
    meanings.WALL: _rule(
        "empty", "play in-hand end", Pattern("warn", Strength.FAINT, Effect.STEADY)
    ),
    meanings.SHORT: _rule(
        "empty piece", "play in-hand", Pattern("warn", Strength.MID, Effect.PULSE)
    ),
    meanings.MACHINE_TO: _rule(
        "empty piece",
        "machine",
        Pattern("white", Strength.BRIGHT, Effect.PULSE),
        Pattern("black", Strength.BRIGHT, Effect.PULSE),
    ),
    meanings.MACHINE_FROM: _rule(
        "empty piece",
        "machine",
        Pattern("white", Strength.BRIGHT, Effect.PULSE_B),
        Pattern("black", Strength.BRIGHT, Effect.PULSE_B),
    ),
    meanings.MEND: _rule(
        "empty piece", "mend asked", Pattern("error", Strength.BRIGHT, Effect.FAST_BLINK)
    ),
    meanings.PROOF: _rule(
        "empty piece field ghost",
        "mend free lit",
        Pattern("warn", Strength.BRIGHT, Effect.PROOF),
    ),
    meanings.PENDING: _rule(
        "empty piece centre",
        "play free lit asked",
        Pattern("warn", Strength.BRIGHT, Effect.BREATHE),
    ),
    meanings.TALLY: _rule("empty piece", "asked", Pattern("warn", Strength.MID, Effect.STEADY)),
    meanings.WAITING: _rule(
        "empty edge rim",
        "play free lit",
        Pattern("white", Strength.MID, Effect.BREATHE),
        Pattern("black", Strength.MID, Effect.BREATHE),
    ),
    meanings.THINKING: _rule(
        "empty edge rim",
        "play free lit",
        Pattern("white", Strength.MID, Effect.CHASE),
        Pattern("black", Strength.MID, Effect.CHASE),
    ),
    meanings.LOST: _rule("empty piece edge", "lost", Pattern("lost", Strength.DIM, Effect.BREATHE)),
    meanings.LAST: _rule(
        "empty piece",
        "play machine end free",
        Pattern("white", Strength.BRIGHT, Effect.STEADY),
        Pattern("black", Strength.BRIGHT, Effect.STEADY),
    ),
    meanings.LIGHT_STONE: _rule(
        "empty",
        "free mend end",
        Pattern("white", Strength.BRIGHT, Effect.PULSE),
        Pattern("black", Strength.DIM, Effect.PULSE_B),
    ),
    meanings.ASTRAY: _rule(
        "empty piece", "free lit", Pattern("error", Strength.BRIGHT, Effect.FAST_BLINK)
    ),
    meanings.ADVICE: _rule(
        "empty piece field ghost rim",
        "play in-hand free lit",
        Pattern("legal", Strength.MID, Effect.BLINK),
    ),
    meanings.ADVICE_ALSO: _rule(
        "empty piece field ghost rim",
        "play in-hand free lit",
        Pattern("legal", Strength.DIM, Effect.BLINK),
    ),
    meanings.BEAT: _rule("empty piece", "count", Pattern("legal", Strength.MID, Effect.STEADY)),
    meanings.WON: _rule(
        "empty piece edge",
        "end",
        Pattern("white", Strength.MID, Effect.PULSE),
        Pattern("black", Strength.MID, Effect.PULSE),
    ),
    meanings.BLOCK_R: _light("red", Strength.BRIGHT, Effect.STEADY, "field centre"),
    meanings.BLOCK_B: _light("blue", Strength.MID, Effect.BREATHE, "field centre"),
    meanings.BLOCK_Y: _light("yellow", Strength.MID, Effect.PULSE, "field centre"),
    meanings.BLOCK_G: _light("green", Strength.DIM, Effect.PULSE_B, "field centre"),
    meanings.OJAMA: _light("ojama", Strength.FAINT, Effect.STEADY, "field"),
    meanings.GHOST_R: _light("red", Strength.MID, Effect.STEADY, "ghost rim"),
    meanings.GHOST_B: _light("blue", Strength.DIM, Effect.BREATHE, "ghost rim"),
    meanings.GHOST_Y: _light("yellow", Strength.DIM, Effect.PULSE, "ghost rim"),
    meanings.GHOST_G: _light("green", Strength.FAINT, Effect.PULSE_B, "ghost rim"),
    meanings.GHOST_OJAMA: _light("ojama", Strength.FAINT, Effect.STEADY, "ghost rim"),
    meanings.LANDING_R: _light("red", Strength.BRIGHT, Effect.BLINK, "field ghost rim"),
    meanings.LANDING_B: _light("blue", Strength.BRIGHT, Effect.BREATHE, "field ghost rim"),
    meanings.LANDING_Y: _light("yellow", Strength.BRIGHT, Effect.PULSE, "field ghost rim"),
    meanings.LANDING_G: _light("green", Strength.MID, Effect.PULSE_B, "field ghost rim"),
    meanings.ERASED: _light("warn", Strength.BRIGHT, Effect.FAST_BLINK, "field ghost"),
    meanings.COMING: _light("ojama", Strength.DIM, Effect.STEADY, "rim"),
    meanings.TOUCH: _light("legal", Strength.MID, Effect.STEADY, "centre"),
    meanings.FEW: _light("ojama", Strength.DIM, Effect.STEADY, "centre"),
    meanings.SOME: _light("ojama", Strength.DIM, Effect.BREATHE, "centre"),
    meanings.MANY: _light("ojama", Strength.MID, Effect.BLINK, "centre"),
}
"""The whole grammar, by meaning."""

PRIORITY: tuple[str, ...] = (
    meanings.BEAT,
    meanings.MEND,
    meanings.ASTRAY,
    meanings.PROOF,
    meanings.MACHINE_TO,
    meanings.MACHINE_FROM,
    meanings.PENDING,
    meanings.LIFT_TARGET,
    meanings.TALLY,
    meanings.ERASED,
    meanings.LANDING_R,
    meanings.LANDING_B,
    meanings.LANDING_Y,
    meanings.LANDING_G,
    meanings.ADVICE,
    meanings.ADVICE_ALSO,
    meanings.REMOVABLE,
    meanings.SHORT,
    meanings.LAST,
    meanings.WON,
    meanings.LIGHT_STONE,
    meanings.BLOCK_R,
    meanings.BLOCK_B,
    meanings.BLOCK_Y,
    meanings.BLOCK_G,
    meanings.OJAMA,
    meanings.GHOST_R,
    meanings.GHOST_B,
    meanings.GHOST_Y,
    meanings.GHOST_G,
    meanings.GHOST_OJAMA,
    meanings.COMING,
    meanings.TOUCH,
    meanings.FEW,
    meanings.SOME,
    meanings.MANY,
    meanings.MAY_PLACE,
    meanings.MAY_PLACE_NEUTRAL,
    meanings.BARRED,
    meanings.OWNED,
    meanings.WALL,
    meanings.THINKING,
    meanings.WAITING,
    meanings.LOST,
)
"""Order of meanings for a cell that has several: the first of these is shown."""

RANK: dict[str, int] = {meaning: rank for rank, meaning in enumerate(PRIORITY)}

GUIDING = frozenset({meanings.MEND, meanings.PROOF, meanings.TALLY})
"""While something is to be mended all but these is faint."""
BESIDE_TALLY = frozenset({meanings.TALLY, meanings.MEND, meanings.PENDING, meanings.LIFT_TARGET})
"""While a number is counted nothing but these is lit: other lights would be counted too."""
QUIET_IN_MACHINE = frozenset(
    {
        meanings.MAY_PLACE,
        meanings.MAY_PLACE_NEUTRAL,
        meanings.REMOVABLE,
        meanings.BARRED,
        meanings.SHORT,
        meanings.ADVICE,
        meanings.ADVICE_ALSO,
        meanings.WAITING,
        meanings.THINKING,
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
