"""How a weak level spares its opponent: moves that it overlooks, games that it gives away."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from zlib import crc32

from lumiban.games.base import Position
from lumiban.search.searching import Choice
from lumiban.search.tree import UNKNOWN

AIM = 0.05
"""The share of won games that it aims at in a game that it gives away: it falls behind."""
_FEW = 4
"""Visits that tell enough of a move to aim by."""
_SETTLED = 4
"""Moves of a game after which it is settled whether it is given away."""


def seen(codes: Sequence[int], overlooks: float, seed: int) -> list[int]:
    """The moves that come to mind, in random order: one always, each other unless overlooked.

    >>> len(seen(range(40), 0.0, 1)), len(seen(range(40), 1.0, 1))
    (40, 1)
    """
    chance = random.Random(seed)
    order = list(codes)
    chance.shuffle(order)
    return [code for at, code in enumerate(order) if at == 0 or chance.random() >= overlooks]


def gives_away(position: Position, share: float) -> bool:
    """Whether a level that gives away this share of its games gives away this one.

    It depends on how the game began, so that it is the same at all later moves; the first few moves
    are as in a game given away.
    """
    if len(position.history) < _SETTLED:
        return share > 0.0
    begun = " ".join(move.text for move in position.history[:_SETTLED])
    return crc32(begun.encode()) % 1000 < 1000 * share


def nearest(choices: Iterable[Choice], aim: float) -> Choice:
    """Of these moves, one at least, the one whose value is nearest to `aim`.

    >>> nearest([Choice(1, 0, 9, 18), Choice(2, 0, 9, 6), Choice(3, 0, 9, 0)], 0.3).code
    2
    """
    known = list(choices)
    most = max(choice.visits for choice in known)
    told = [c for c in known if c.visits >= min(_FEW, most) or c.proof != UNKNOWN]
    return min(told, key=lambda choice: (abs(choice.value - aim), -choice.visits))
