"""From meaning to pattern: the feedback grammar, one row a meaning.

A pattern is a role (each theme gives it a colour), a strength and an effect. Whatever can be seen
at the same time on the same kind of place differs in strength or effect, not only in colour;
nothing flashes more than three times a second.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from lumiban.games import marks as means
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
    means.MAY_PLACE: _rule(
        "empty field", "play free lit", Pattern("legal", Strength.DIM, Effect.STEADY)
    ),
    means.MAY_PLACE_NEUTRAL: _rule("empty", "play", Pattern("legal", Strength.DIM, Effect.PULSE)),
    means.LIFT_TARGET: _rule("empty", "in-hand", Pattern("legal", Strength.BRIGHT, Effect.STEADY)),
    means.OWNED: _rule(
        "empty piece",
        "play in-hand machine mend free",
        Pattern("white", Strength.MID, Effect.STEADY),
        Pattern("black", Strength.DIM, Effect.BREATHE),
    ),
    means.REMOVABLE: _rule("piece", "play", Pattern("legal", Strength.MID, Effect.BREATHE)),
    means.BARRED: _rule("empty", "play in-hand", Pattern("error", Strength.FAINT, Effect.BREATHE)),
    means.WALL: _rule("empty", "play in-hand", Pattern("warn", Strength.FAINT, Effect.STEADY)),
    means.SHORT: _rule("empty piece", "play in-hand", Pattern("warn", Strength.MID, Effect.PULSE)),
    means.MACHINE_TO: _rule(
        "empty piece",
        "machine",
        Pattern("white", Strength.BRIGHT, Effect.PULSE),
        Pattern("black", Strength.BRIGHT, Effect.PULSE),
    ),
    means.MACHINE_FROM: _rule(
        "empty piece",
        "machine",
        Pattern("white", Strength.BRIGHT, Effect.PULSE_B),
        Pattern("black", Strength.BRIGHT, Effect.PULSE_B),
    ),
    means.MEND: _rule("empty piece", "mend", Pattern("error", Strength.BRIGHT, Effect.FAST_BLINK)),
    means.PROOF: _rule(
        "empty piece field ghost",
        "mend free lit",
        Pattern("warn", Strength.BRIGHT, Effect.PROOF),
    ),
    means.PENDING: _rule(
        "empty piece centre", "play free lit", Pattern("warn", Strength.BRIGHT, Effect.BREATHE)
    ),
    means.WAITING: _rule(
        "empty edge rim",
        "play free lit",
        Pattern("white", Strength.MID, Effect.BREATHE),
        Pattern("black", Strength.MID, Effect.BREATHE),
    ),
    means.THINKING: _rule(
        "empty edge rim",
        "play free lit",
        Pattern("white", Strength.MID, Effect.CHASE),
        Pattern("black", Strength.MID, Effect.CHASE),
    ),
    means.LOST: _rule("empty piece edge", "lost", Pattern("lost", Strength.DIM, Effect.BREATHE)),
    means.LAST: _rule(
        "empty piece",
        "play machine end free",
        Pattern("white", Strength.BRIGHT, Effect.STEADY),
        Pattern("black", Strength.BRIGHT, Effect.STEADY),
    ),
    means.LIGHT_STONE: _rule(
        "empty",
        "free mend end",
        Pattern("white", Strength.BRIGHT, Effect.PULSE),
        Pattern("black", Strength.DIM, Effect.PULSE_B),
    ),
    means.ASTRAY: _rule(
        "empty piece", "free lit", Pattern("error", Strength.BRIGHT, Effect.FAST_BLINK)
    ),
    means.ADVICE: _rule(
        "empty piece field ghost rim",
        "play in-hand free lit",
        Pattern("legal", Strength.MID, Effect.BLINK),
    ),
    means.ADVICE_ALSO: _rule(
        "empty piece field ghost rim",
        "play in-hand free lit",
        Pattern("legal", Strength.DIM, Effect.BLINK),
    ),
    means.BEAT: _rule("empty piece", "count", Pattern("legal", Strength.MID, Effect.STEADY)),
    means.WON: _rule(
        "empty piece edge",
        "end",
        Pattern("white", Strength.MID, Effect.PULSE),
        Pattern("black", Strength.MID, Effect.PULSE),
    ),
    means.BLOCK_R: _light("red", Strength.BRIGHT, Effect.STEADY, "field centre"),
    means.BLOCK_B: _light("blue", Strength.MID, Effect.BREATHE, "field centre"),
    means.BLOCK_Y: _light("yellow", Strength.MID, Effect.PULSE, "field centre"),
    means.BLOCK_G: _light("green", Strength.DIM, Effect.PULSE_B, "field centre"),
    means.OJAMA: _light("ojama", Strength.FAINT, Effect.STEADY, "field"),
    means.GHOST_R: _light("red", Strength.MID, Effect.STEADY, "ghost rim"),
    means.GHOST_B: _light("blue", Strength.DIM, Effect.BREATHE, "ghost rim"),
    means.GHOST_Y: _light("yellow", Strength.DIM, Effect.PULSE, "ghost rim"),
    means.GHOST_G: _light("green", Strength.FAINT, Effect.PULSE_B, "ghost rim"),
    means.GHOST_OJAMA: _light("ojama", Strength.FAINT, Effect.STEADY, "ghost rim"),
    means.LANDING_R: _light("red", Strength.BRIGHT, Effect.BLINK, "field ghost rim"),
    means.LANDING_B: _light("blue", Strength.BRIGHT, Effect.BREATHE, "field ghost rim"),
    means.LANDING_Y: _light("yellow", Strength.BRIGHT, Effect.PULSE, "field ghost rim"),
    means.LANDING_G: _light("green", Strength.MID, Effect.PULSE_B, "field ghost rim"),
    means.ERASED: _light("warn", Strength.BRIGHT, Effect.FAST_BLINK, "field ghost"),
    means.COMING: _light("ojama", Strength.DIM, Effect.STEADY, "rim"),
    means.TOUCH: _light("legal", Strength.MID, Effect.STEADY, "centre"),
    means.FEW: _light("ojama", Strength.DIM, Effect.STEADY, "centre"),
    means.SOME: _light("ojama", Strength.DIM, Effect.BREATHE, "centre"),
    means.MANY: _light("ojama", Strength.MID, Effect.BLINK, "centre"),
}
"""The whole grammar, by meaning."""

PRIORITY: tuple[str, ...] = (
    means.BEAT,
    means.MEND,
    means.ASTRAY,
    means.PROOF,
    means.MACHINE_TO,
    means.MACHINE_FROM,
    means.PENDING,
    means.LIFT_TARGET,
    means.ERASED,
    means.LANDING_R,
    means.LANDING_B,
    means.LANDING_Y,
    means.LANDING_G,
    means.ADVICE,
    means.ADVICE_ALSO,
    means.REMOVABLE,
    means.SHORT,
    means.LAST,
    means.WON,
    means.LIGHT_STONE,
    means.BLOCK_R,
    means.BLOCK_B,
    means.BLOCK_Y,
    means.BLOCK_G,
    means.OJAMA,
    means.GHOST_R,
    means.GHOST_B,
    means.GHOST_Y,
    means.GHOST_G,
    means.GHOST_OJAMA,
    means.COMING,
    means.TOUCH,
    means.FEW,
    means.SOME,
    means.MANY,
    means.MAY_PLACE,
    means.MAY_PLACE_NEUTRAL,
    means.BARRED,
    means.OWNED,
    means.WALL,
    means.THINKING,
    means.WAITING,
    means.LOST,
)
"""Which meaning a cell shows when it has several: the first of these."""

RANK: dict[str, int] = {meaning: rank for rank, meaning in enumerate(PRIORITY)}

GUIDING = frozenset({means.MEND, means.PROOF})
"""While something is to be mended all but these is faint."""
QUIET_IN_MACHINE = frozenset(
    {
        means.MAY_PLACE,
        means.MAY_PLACE_NEUTRAL,
        means.REMOVABLE,
        means.BARRED,
        means.SHORT,
        means.ADVICE,
        means.ADVICE_ALSO,
        means.WAITING,
        means.THINKING,
    }
)
"""Meanings hidden while a machine's move is to be placed: only its cells pulse."""
EDGE_MEANINGS = frozenset({means.WAITING, means.THINKING})
"""Meanings that belong on a side's edge."""

FLASHES_LIMIT = 3.0
"""No light may flash more often than this a second."""


def pattern(meaning: str, side: int | None) -> Pattern:
    """Look of `meaning` for `side` (None: nobody's); KeyError for an unknown meaning.

    >>> pattern("owned", 1).effect.name, pattern("owned", 0).strength.name
    ('BREATHE', 'MID')
    """
    return GRAMMAR[meaning].sides[1 if side == 1 else 0]
