"""Notation of hands: `RY3.0`, the colours of axis and child, the axis's column, the rotation.

Rotation 0 has the child above the axis, 1 on its right, 2 below, 3 on its left. Columns count
from 1. The words are `pass` and `resign`.
"""

from __future__ import annotations

import re
from functools import cache

from lumiban.games.rengi.arrays import PASS, PLACEMENTS, Pair
from lumiban.games.rengi.field import COLUMNS, LETTERS

PASS_WORD, RESIGN = "pass", "resign"
_HAND = re.compile(r"([RBYG])([RBYG])([1-6])\.?([0-3])")


def code_of(pair: Pair, column: int, rotation: int) -> int:
    """The kernel's number of a hand; the column counts from 0."""
    return (4 * (pair[0] - 1) + pair[1] - 1) * PLACEMENTS + 4 * column + rotation


def hand_of(code: int) -> tuple[Pair, int, int]:
    """(pair, column from 0, rotation) of a hand's number."""
    pair, placement = divmod(code, PLACEMENTS)
    return (pair // 4 + 1, pair % 4 + 1), placement // 4, placement % 4


def text_of(code: int) -> str:
    """The notation of a kernel's number.

    >>> text_of(code_of((1, 3), 2, 0)), text_of(PASS)
    ('RY3.0', 'pass')
    """
    if code == PASS:
        return PASS_WORD
    pair, column, rotation = hand_of(code)
    return f"{pair_text(pair)}{column + 1}.{rotation}"


def pair_text(pair: Pair) -> str:
    """A pair as two letters, axis first.

    >>> pair_text((1, 4))
    'RG'
    """
    return LETTERS[pair[0]] + LETTERS[pair[1]]


def read_hand(text: str) -> int | None:
    """The number of the hand that a text notes, None when it notes none.

    >>> read_hand("ry3.0") == code_of((1, 3), 2, 0), read_hand("RP3.0")
    (True, None)
    """
    code = _codes().get(text)  # as `text_of` writes it: mostly, and read twice a move
    if code is not None:
        return code
    match = _HAND.fullmatch("".join(text.upper().split()))
    if match is None:
        return None
    axis, child, column, rotation = match.groups()
    return code_of((LETTERS.index(axis), LETTERS.index(child)), int(column) - 1, int(rotation))


@cache
def _codes() -> dict[str, int]:
    """The number of each hand by its text."""
    return {text_of(code): code for code in range(16 * PLACEMENTS)}


def child_column(column: int, rotation: int) -> int:
    """The child's column, which may lie outside the field."""
    return column + (0, 1, 0, -1)[rotation]


def fits(code: int) -> bool:
    """True if a hand's child is within the six columns at all."""
    _, column, rotation = hand_of(code)
    return 0 <= child_column(column, rotation) < COLUMNS
