"""Where stones stop nobody each astray one blinks, until there are too many to look at."""

from __future__ import annotations

from collections.abc import Sequence

from lumiban.games.base import Mark
from lumiban.scene import meanings as means

HANDS = 2
"""One for each side; more are a mess."""


def one_at_a_time(marks: Sequence[Mark], first: int) -> tuple[Mark, ...]:
    """The marks, without those of astray stones but on cell `first` when they are a mess.

    >>> mess = [Mark(cell, means.ASTRAY) for cell in (4, 5, 6)]
    >>> [mark.cell for mark in one_at_a_time(mess, 5)]
    [5]
    >>> len(one_at_a_time(mess[:2], 5))
    2
    """
    astray = {mark.cell for mark in marks if mark.meaning == means.ASTRAY}
    if len(astray) <= HANDS:
        return tuple(marks)
    return tuple(mark for mark in marks if mark.meaning != means.ASTRAY or mark.cell == first)
