"""Which of two events came first, as far as the board can tell.

Each event carries its time and how uncertain that is; where the two spans touch, nobody can say,
and a recorded coin decides (see `coin`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Timed(Protocol):
    """Whatever has a number, a board time and its half width, µs."""

    @property
    def number(self) -> int: ...
    @property
    def t_us(self) -> int: ...
    @property
    def uncertainty_us(self) -> int: ...


def tied(one: Timed, other: Timed) -> bool:
    """Whether the spans of two events overlap or touch."""
    apart = abs(one.t_us - other.t_us)
    return apart <= one.uncertainty_us + other.uncertainty_us


def coin(seed: int, numbers: Sequence[int]) -> tuple[int, ...]:
    """The numbers of tied events in the order that the coin gives them: a fair shuffle which
    depends on the game's seed and these numbers only, so that a record can be checked.

    >>> sorted(coin(7, (12, 13))), coin(7, (13, 12)) == coin(7, (12, 13))
    ([12, 13], True)
    """
    state = _mix(seed & _MASK)
    left = sorted(numbers)
    for number in left:
        state = _mix(state ^ number & _MASK)
    order = []
    while left:
        state = _mix(state)
        order.append(left.pop(state % len(left)))
    return tuple(order)


_MASK = (1 << 64) - 1


def _mix(word: int) -> int:
    """SplitMix64's next word (Steele, Lea, Flood 2014)."""
    word = (word + 0x9E3779B97F4A7C15) & _MASK
    word = ((word ^ word >> 30) * 0xBF58476D1CE4E5B9) & _MASK
    word = ((word ^ word >> 27) * 0x94D049BB133111EB) & _MASK
    return word ^ word >> 31
