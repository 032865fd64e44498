"""Stones that may be no stones: images that a broken select line makes, where each stone counts at
once.

One image cannot be told from a stone by itself, and what was played in free play stays played. So
a stone that *may* be an image does not count: it is refused as long as it lies, and set again it
counts, if it comes alone. Of a stone and its image nobody knows which is which: neither counts.

A stone may be an image when its like comes at once on a cell that one select line would make alike
(`at_once`), or stands there while this one was there from one scan to the next (`sudden`), and no
other two cells of that line differ. Opponents never look so: their stones are of different kinds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from lumiban.boards.complaints import MIRROR
from lumiban.boards.mirrors import APART_US, LINES, Mirrors, at_once, sudden
from lumiban.boards.profile import Profile
from lumiban.boards.types import BoardEvent
from lumiban.games.api import Kind

LATELY_US = 2 * APART_US
"""What came so long before a batch may still be half of a pair."""


class Images:
    """Hears all events of a board as they are judged, in order of board time."""

    def __init__(self, profile: Profile) -> None:
        self._mirrors = Mirrors(profile)
        self._kinds = [int(Kind.EMPTY)] * len(profile.cells)
        self._lately: list[BoardEvent] = []

    def see(self, kinds: Sequence[int], aside: Collection[int] = ()) -> None:
        """The whole picture was seen; of board cells `aside` an event is still to be judged."""
        for cell, kind in enumerate(kinds):
            if cell not in aside:
                self._kinds[cell] = int(kind)

    def among(self, batch: Sequence[BoardEvent], later: Iterable[BoardEvent]) -> dict[int, int]:
        """The events of a batch that may be images: the cell of the other by their numbers.

        `later` are those that have come and are not judged yet: at least all that happened within
        `APART_US` after the batch.
        """
        strips = self._mirrors.strips
        pieces = self._in_order(batch)
        lately = [e for e in self._lately if pieces and pieces[0].t_us - e.t_us <= LATELY_US]
        near = [*lately, *pieces, *later]
        moved = {event.cell for event in near}
        after = self._kinds[:]
        for event in pieces:
            after[event.cell] = event.kind
        found = {}
        for event in pieces:
            if event.kind == Kind.EMPTY:
                continue
            for pair, other in strips.partners(event.cell):
                came = [e for e in near if (e.cell, e.kind) == (other, event.kind)]
                together = any(at_once(event, one, strips.scan_us) for one in came)
                stands = after[other] == event.kind and sudden(event, strips.scan_us)
                if (together or stands) and strips.alike(pair, self._kinds, moved):
                    found[event.number] = other
        return found

    def judged(self, batch: Sequence[BoardEvent]) -> list[int]:
        """These events were judged: the board cells of strips found broken by them."""
        pieces = self._in_order(batch)
        for event in pieces:
            self._lately = [
                e for e in self._lately if event.t_us - e.t_us <= LATELY_US and e.cell != event.cell
            ]
            self._lately.append(event)
        broken: list[int] = []
        for event in pieces:
            self._kinds[event.cell] = event.kind
            for what, where in self._mirrors.hear(event, self._kinds):
                if what == MIRROR:
                    broken += self._mirrors.strips.cells(where // LINES)
        return broken

    def _in_order(self, events: Iterable[BoardEvent]) -> list[BoardEvent]:
        """Those of pieces, buttons left out."""
        pieces = [event for event in events if event.cell < len(self._kinds)]
        return sorted(pieces, key=lambda event: (event.t_us, event.number))
