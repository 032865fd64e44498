"""Readings that were taken one after the other, as if all at one moment.

A frame on the header takes milliseconds. Undone, that would favour cells that are read late: their
stones would seem to come sooner. So each reading is taken back to the beginning of its frame, on
the straight line from the reading of the frame before.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

Place = tuple[int, int]
"""(0: counts, 1: references; where in them)."""


class Instant:
    """Evens out frames; `turns` are the places of each turn's readings, in their order.

    >>> instant = Instant([[(0, 0)], [(0, 1)]])
    >>> rising, none = array("H", [100, 110]), array("H")
    >>> instant.even(0, [0, 10], [20, 30], rising, none)
    >>> rising = array("H", [140, 150])
    >>> instant.even(40, [40, 50], [60, 70], rising, none); list(rising)
    [130, 130]
    """

    def __init__(self, turns: Sequence[Sequence[Place]]) -> None:
        self._turns = turns
        self._raw: tuple[array[int], array[int]] | None = None
        self._times = [0] * sum(len(turn) for turn in turns)

    def even(
        self,
        begin_us: int,
        starts_us: Sequence[int],
        ends_us: Sequence[int],
        counts: array[int],
        references: array[int],
    ) -> None:
        """Take a frame that began at `begin_us` back there, in place; the first one stays.

        The times are those between which each turn was read; its readings took equal parts.
        """
        before, into = self._raw, (counts, references)
        self._raw = counts[:], references[:]
        times = self._times
        k = 0
        for turn, start, end in zip(self._turns, starts_us, ends_us, strict=True):
            took, parts = end - start, 2 * len(turn)
            for n, (which, at) in enumerate(turn):
                t_us = start + took * (2 * n + 1) // parts
                then_us, times[k] = times[k], t_us
                k += 1
                if before is None or t_us <= begin_us:
                    continue
                old, new = before[which][at], into[which][at]
                if old != new:
                    gap = t_us - then_us
                    into[which][at] = old + ((new - old) * (begin_us - then_us) + gap // 2) // gap
