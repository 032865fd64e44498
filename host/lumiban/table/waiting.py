"""What happened and waits to be judged: until no other event can come that ties with it.

The board releases its events in order of time and says with its watermark how far that is sure.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from lumiban.boards.types import BoardEvent
from lumiban.games.base import Move
from lumiban.table.order import LEAST_SURE_US, batches, end_of

BEHIND_US = 400_000
"""The board's watermark is never further behind its clock than this."""
LINE_US = 20_000
"""What a frame may take on the line."""


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing at one board time (µs, half width): a piece on a game cell (−1: on none of the
    game's), a side's button, or a move told by page or bot."""

    number: int
    t_us: int
    uncertainty_us: int
    where: Hashable
    event: BoardEvent | None = None
    cell: int = -1
    kind: int = 0
    press: int | None = None
    told: Move | None = None
    by: str = ""


def heard(event: BoardEvent, cell: int, press: int | None) -> Happening:
    """A board event, as it is to be judged."""
    t_us, unsure_us = event.t_us, event.uncertainty_us
    return Happening(
        event.number, t_us, unsure_us, event.cell, event, cell, event.kind, press=press
    )


class Waiting:
    """Happenings not judged yet."""

    def __init__(self) -> None:
        self.items: list[Happening] = []

    def add(self, item: Happening) -> None:
        """One more."""
        self.items.append(item)

    @property
    def events(self) -> list[BoardEvent]:
        """The board's events among them."""
        return [item.event for item in self.items if item.event is not None]

    @property
    def board_cells(self) -> frozenset[int]:
        """The board's cells (and buttons) that these are about."""
        return frozenset(event.cell for event in self.events)

    def folded(self, kinds: Sequence[int]) -> tuple[int, ...]:
        """The kinds of all game cells once these are judged, when they are `kinds` now."""
        after = list(kinds)
        for item in sorted(self.items, key=lambda item: item.number):
            if item.cell >= 0:
                after[item.cell] = item.kind
        return tuple(after)

    def take(self, watermark_us: int, now_us: int) -> list[Happening]:
        """The next batch of overlapping spans, if nothing can come any more that ties with it.

        By the watermark that is certain; by the clock it is as certain as the board promises, so
        that nobody waits for ever.
        """
        if not self.items:
            return []
        batch = batches(self.items)[0]
        if watermark_us <= _sure(batch) and now_us < _sure(batch) + BEHIND_US + LINE_US:
            return []
        return self._leave(batch)

    def take_anyway(self) -> list[Happening]:
        """The next batch, whatever may come."""
        return self._leave(batches(self.items)[0]) if self.items else []

    def due_us(self, watermark_us: int) -> int | None:
        """Board time at which `take` has something at the latest, None when nothing waits."""
        if not self.items:
            return None
        sure = _sure(batches(self.items)[0])
        return sure if watermark_us > sure else sure + BEHIND_US + LINE_US

    def _leave(self, batch: list[Happening]) -> list[Happening]:
        gone = {id(item) for item in batch}
        self.items = [item for item in self.items if id(item) not in gone]
        return batch


def _sure(batch: list[Happening]) -> int:
    """Once the watermark has passed this, no event to come can tie with the batch.

    But for one whose time is not known, which ties with what still waits: to wait for each that
    might be would keep back every stone for 0.4 s.
    """
    return end_of(batch) + LEAST_SURE_US
