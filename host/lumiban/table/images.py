"""Pieces that may be no pieces, and pieces that may not be gone: images that a broken select line
makes.

One image cannot be told from a piece by itself, and a piece that is cut off looks as if lifted. So
what *may* be an image counts for nothing as long as it lies, and set again it counts, if it comes
alone. Of a piece and its image nobody knows which is which: neither counts.

A piece may be an image when its like comes at once on a cell that one select line would make alike
(`at_once`), or stands there while this one was there from one scan to the next (`sudden`), and no
other two cells of that line differ. Opponents never look so: their stones are of different kinds. A
piece may be cut off when it went from one scan to the next (`abrupt`) and that other cell is empty.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from lumiban.boards.complaints import MIRROR
from lumiban.boards.mirrors import APART_US, LINES, Mirrors, Pair, abrupt, at_once, sudden
from lumiban.boards.profile import Profile
from lumiban.boards.types import BoardEvent
from lumiban.games.api import Kind

LATELY_US = 2 * APART_US
"""What came so long before a batch may still be half of a pair."""


@dataclass(frozen=True, slots=True)
class Image:
    """A board cell that looks as the `other` does, of this `kind`: as if a select line of their
    strip were broken."""

    cell: int
    other: int
    kind: int
    pair: Pair

    @property
    def params(self) -> tuple[tuple[str, str | int], ...]:
        """What a sentence tells of it: the line and the strip's socket."""
        row, line = self.pair
        return (("line", f"S{line}"), ("socket", row + 1))


class Images:
    """Hears all events of a board: with turns as they come, without as they are judged, in order of
    board time."""

    def __init__(self, profile: Profile) -> None:
        self.mirrors = Mirrors(profile)
        self._kinds = [int(Kind.EMPTY)] * len(profile.cells)
        self._lately: list[BoardEvent] = []

    def see(self, kinds: Sequence[int], aside: Collection[int] = ()) -> None:
        """The whole picture was seen; of board cells `aside` an event is still to be judged."""
        for cell, kind in enumerate(kinds):
            if cell not in aside:
                self._kinds[cell] = int(kind)

    def among(
        self, batch: Sequence[BoardEvent], later: Iterable[BoardEvent], *, surely: bool = False
    ) -> dict[int, Image]:
        """The events of a batch that may be images, by their numbers.

        `later` are those that have come and are not judged yet: at least all that happened within
        `APART_US` after the batch. `surely` leaves out what came at a time that could not be found,
        and pieces that changed their kind: those make no move.
        """
        strips = self.mirrors.strips
        pieces = self._in_order(batch)
        lately = [e for e in self._lately if pieces and pieces[0].t_us - e.t_us <= LATELY_US]
        near = [*lately, *pieces, *later]
        moved = {event.cell for event in near}
        after = self._kinds[:]
        for event in pieces:
            after[event.cell] = event.kind
        found = {}
        for event in pieces:
            gone = event.kind == Kind.EMPTY
            if surely and not gone and self._kinds[event.cell] != Kind.EMPTY:
                continue
            unheld = abrupt if gone or surely else sudden
            for pair, other in strips.partners(event.cell):
                came = [e for e in near if (e.cell, e.kind) == (other, event.kind)]
                together = not gone and any(at_once(event, one, strips.scan_us) for one in came)
                stands = after[other] == event.kind and unheld(event, strips.scan_us)
                if (together or stands) and strips.alike(pair, self._kinds, moved):
                    found[event.number] = Image(event.cell, other, event.kind, pair)
        return found

    def judged(self, batch: Sequence[BoardEvent]) -> list[tuple[int, int]]:
        """These events were judged: (code, where) of lines found broken by them, or whole."""
        pieces = self._in_order(batch)
        for event in pieces:
            self._lately = [
                e for e in self._lately if event.t_us - e.t_us <= LATELY_US and e.cell != event.cell
            ]
            self._lately.append(event)
        told: list[tuple[int, int]] = []
        for event in pieces:
            self._kinds[event.cell] = event.kind
            told += self.mirrors.hear(event, self._kinds)
        return told

    def passed(self, t_us: int) -> list[int]:
        """All events up to this board time were judged: the board cells of strips found broken."""
        return self.broken(self.mirrors.passed(t_us))

    def broken(self, told: Iterable[tuple[int, int]]) -> list[int]:
        """The board cells of the strips whose lines are told to be broken."""
        rows = (where // LINES for what, where in told if what == MIRROR)
        return [cell for row in rows for cell in self.mirrors.strips.cells(row)]

    def _in_order(self, events: Iterable[BoardEvent]) -> list[BoardEvent]:
        """Those of pieces, buttons left out."""
        pieces = [event for event in events if event.cell < len(self._kinds)]
        return sorted(pieces, key=lambda event: (event.t_us, event.number))
