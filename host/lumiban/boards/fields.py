"""Raw readings of a board's sensors, asked for by GET_FIELD, and what they say at rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from lumiban_fw import wire

from lumiban.boards.driver import Driver
from lumiban.errors import LinkLost

SILENT_US = wire.SILENCE_US
"""A board that was asked for fields and says none for so long does not tell them."""
ASK_AGAIN_US = 400_000


@dataclass(frozen=True, slots=True)
class Moment:
    """One frame of the sensors: counts of the cells from `first` on, references by strip."""

    t_us: int
    first: int
    counts: tuple[int, ...]
    references: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """A cell over some moments, in counts above its strip's reference."""

    mean: float
    sigma: float
    count: float
    """The mean count itself: near 0 or 4095 the sensor is dead or unsoldered."""
    moves: bool
    """Whether the count ever changed; a stuck sensor's does not."""


class Fields:
    """Has a board tell raw readings; `take` is called while time goes on.

    `trims`: throw the driver's frames away once they are read, for waits without end.
    """

    def __init__(
        self,
        driver: Driver,
        first: int = 0,
        count: int = 0,
        period_ms: int = 10,
        *,
        trims: bool = False,
    ) -> None:
        self.driver = driver
        self._trims = trims
        self.first = first
        self.count = count or len(driver.link.profile.cells) - first
        self._period_ms = period_ms
        self._seen = len(driver.frames)
        self._parts: dict[int, dict[int, tuple[int, ...]]] = {}
        self._asked_us = 0
        self._heard_us = driver.line.now_us
        self._ask()

    def _ask(self) -> None:
        self._asked_us = self.driver.line.now_us
        told = wire.pack_get_field(self.first, self.count, self._period_ms)
        self.driver.send(wire.H_GET_FIELD, told, reliable=False)

    def take(self, moments: int) -> list[Moment]:
        """The next so many moments; LinkLost when the board tells none."""
        got: list[Moment] = []
        while len(got) < moments:
            got += self.look()
            now = self.driver.line.now_us
            if now - self._heard_us > SILENT_US:
                raise LinkLost("the board tells no raw readings (FIELD)")
            if now - max(self._heard_us, self._asked_us) > ASK_AGAIN_US:
                self._ask()  # the question may have been lost: it is not a reliable frame
            if len(got) < moments:
                self.driver.run(5_000)
        return got[:moments]

    def look(self) -> list[Moment]:
        """The whole moments that have come since the last look."""
        got: list[Moment] = []
        strips = self.driver.link.profile.rows
        for frame in self.driver.frames[self._seen :]:
            if frame.kind != wire.B_FIELD:
                continue
            self._heard_us = frame.at_us
            t_us, first, readings = wire.unpack_field(frame.payload)
            parts = self._parts.setdefault(t_us, {})
            parts[first] = tuple(readings)
            if first != wire.FIRST_BUTTON:
                continue
            cells = tuple(r for k in sorted(parts) if k < wire.FIRST_BUTTON for r in parts[k])
            if len(cells) == self.count and len(readings) == strips:
                got.append(Moment(t_us, self.first, cells, tuple(readings)))
            self._parts.clear()
        if self._trims:
            self.driver.frames.clear()
        self._seen = len(self.driver.frames)
        return got

    def close(self) -> None:
        """Ask for no more."""
        self.driver.send(wire.H_GET_FIELD, wire.pack_get_field(0, 0, 0), reliable=False)
        self.driver.run(30_000)


def survey(moments: Sequence[Moment], rows: Sequence[int]) -> list[Reading]:
    """Each cell over these moments (at least one); `rows` are the strips of the same cells.

    >>> survey([Moment(0, 0, (2060,), (2048,)), Moment(1, 0, (2064,), (2048,))], [0])
    [Reading(mean=14.0, sigma=2.0, count=2062.0, moves=True)]
    """
    out = []
    for k, row in enumerate(rows):
        counts = [moment.counts[k] for moment in moments]
        above = [moment.counts[k] - moment.references[row] for moment in moments]
        out.append(Reading(fmean(above), pstdev(above), fmean(counts), len(set(counts)) > 1))
    return out


def references(moments: Sequence[Moment]) -> list[float]:
    """The mean count of each strip's reference."""
    return [fmean(strip) for strip in zip(*(moment.references for moment in moments), strict=True)]
