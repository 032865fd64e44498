"""Leads a person over the board by its lights: this cell, please. No screen is needed.

    guide = Guide(driver, offsets)
    guide.clear()               # stones that stand blink until they are lifted
    guide.set(cell, WHITE)      # the cell glows until a stone stands there; its reading in counts
    guide.lift(cell)

Raw readings are looked at, not what the board makes of them: that is what may be uncalibrated.
A button of the board skips a step. Simulated hands may do what is asked: `hands`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from lumiban_fw import wire

from lumiban.boards.client import Driver, Fields, Moment
from lumiban.boards.ports import said
from lumiban.boards.profile import Profile
from lumiban.boards.types import Changed, LightFrame
from lumiban.errors import BoardError

PERIOD_MS = 20
STILL = 15
"""Moments in a row that must agree before a stone stands."""
TAKEN = 25
"""Moments that its reading is the mean of."""
PATIENCE_US = 1_800_000_000
"""How long a person is waited for: half an hour."""
SHAKY = 3.0
"""Times the noise at rest by which a stone that stands may vary."""
SET, LIFT = "set", "lift"
_DARK, _GLOW, _WRONG, _DONE, _OTHER = range(5)
PALETTE = ((0, 0, 0), (255, 255, 255), (255, 60, 0), (0, 160, 60), (255, 170, 0))


@dataclass(frozen=True, slots=True)
class Ask:
    """What is asked of the hands: `set` a kind onto a cell, or `lift` what is there."""

    do: str
    cell: int
    kind: int = 0


Tell = Callable[[str, int, int, int], None]
"""Told (step, cell, done, of)."""


class Skipped(Exception):
    """The person pressed a button: not this one."""


def nobody(_: Ask) -> None:
    """Hands of a person: they see the lights."""


class Guide:
    """Asks for stones on cells. `offsets` are what the cells read empty, in counts above their
    reference; `noise` their standard deviation.

    BoardError when nobody does what is asked for half an hour, LinkLost when the board is gone.
    """

    def __init__(
        self,
        driver: Driver,
        offsets: Sequence[float],
        noise: float = 0.0,
        hands: Callable[[Ask], None] = nobody,
        patience_us: int = PATIENCE_US,
    ) -> None:
        self.driver = driver
        self.profile = driver.link.profile
        self.offsets = list(offsets)
        self.noise = noise or 300 * 2**0.5 * 65536 / self.profile.gain_q16
        self._hands = hands
        self._patience_us = patience_us
        self._gone: frozenset[int] = frozenset()
        """Cells that were skipped: whatever they read, it is no stone."""
        counts_a_ut = 65536 / self.profile.gain_q16
        self._on = self.profile.on_ut * counts_a_ut
        self._off = self.profile.off_ut * counts_a_ut
        self._rows = [cell.row for cell in self.profile.cells]

    # What to do.

    def clear(self) -> list[int]:
        """Wait until nothing stands on the board; the cells that somebody says are empty though
        they read as if they were not."""
        asked: set[int] = set()
        self._begin()
        fields = Fields(self.driver, period_ms=PERIOD_MS, trims=True)
        try:
            quiet = 0
            while quiet < STILL:
                for moment in self._moments(fields):
                    full = self._full(moment) - self._gone
                    quiet = 0 if full else quiet + 1
                    self._show([(cell, _WRONG, wire.FAST_BLINK) for cell in full])
                    for cell in sorted(full - asked):
                        asked.add(cell)
                        self._hands(Ask(LIFT, cell))
                    if full and self._pressed():
                        self._gone |= full
        finally:
            fields.close()
        return sorted(self._gone)

    def set(self, cell: int, kind: int) -> float:
        """Wait for a stone on a cell; what it reads above empty, in counts. Skipped."""
        glow = _OTHER if kind == wire.NEUTRAL else _GLOW
        self._begin()
        fields = Fields(self.driver, period_ms=PERIOD_MS, trims=True)
        recent: deque[float] = deque(maxlen=STILL)
        taken: list[float] = []
        self._hands(Ask(SET, cell, kind))
        try:
            while len(taken) < TAKEN:
                for moment in self._moments(fields):
                    above = self._above(moment, cell)
                    recent.append(above)
                    wrong = self._full(moment) - self._gone - {cell}
                    lit = [(cell, glow, wire.PULSE), *((w, _WRONG, wire.FAST_BLINK) for w in wrong)]
                    stands = len(recent) == STILL and min(map(abs, recent)) > self._on
                    if not stands or wrong or pstdev(recent) > SHAKY * self.noise:
                        taken.clear()
                    else:
                        taken.append(above)
                        lit = [(cell, _DONE, wire.STEADY)]
                    self._show(lit)
                if self._pressed():
                    self._gone |= {cell}
                    raise Skipped
        finally:
            fields.close()
        return fmean(taken)

    def lift(self, cell: int, following: int | None = None) -> None:
        """Wait until a cell is empty; the one that comes next glows already."""
        self._begin()
        fields = Fields(self.driver, period_ms=PERIOD_MS, trims=True)
        self._hands(Ask(LIFT, cell))
        lit = [(cell, _DONE, wire.STEADY)]
        if following is not None:
            lit.append((following, _GLOW, wire.PULSE))
        quiet = 0
        try:
            while quiet < STILL // 3:
                self._show(lit)
                for moment in self._moments(fields):
                    empty = abs(self._above(moment, cell)) < self._off
                    quiet = quiet + 1 if empty else 0
        finally:
            fields.close()

    def thank(self) -> None:
        """All cells green for two seconds, then dark."""
        cells = range(len(self._rows))
        self._show([(cell, _DONE, wire.BREATHE) for cell in cells])
        self.driver.run(2_400_000)
        self.dark()

    def dark(self) -> None:
        """No light."""
        self._show([])
        self.driver.run(50_000)

    # How.

    def _begin(self) -> None:
        self.driver.log.clear()
        self._pressed_from = 0
        self._end_us = self.driver.line.now_us + self._patience_us

    def _moments(self, fields: Fields) -> list[Moment]:
        if self.driver.line.now_us > self._end_us:
            raise BoardError(said("calibrate.nobody"))
        return fields.take(1)

    def _pressed(self) -> bool:
        """Whether a button went down since the last look."""
        told = self.driver.log[self._pressed_from :]
        self._pressed_from = len(self.driver.log)
        return any(
            event.pressed is not None
            for heard in told
            if isinstance(heard, Changed)
            for event in heard.events
        )

    def _above(self, moment: Moment, cell: int) -> float:
        return moment.counts[cell] - moment.references[self._rows[cell]] - self.offsets[cell]

    def _full(self, moment: Moment) -> frozenset[int]:
        """Cells that read as if something stood there."""
        return frozenset(
            cell for cell in range(len(self._rows)) if abs(self._above(moment, cell)) > self._on
        )

    def _show(self, lit: Iterable[tuple[int, int, int]]) -> None:
        pairs = [(_DARK, wire.STEADY)] * self.profile.lights
        for cell, colour, effect in lit:
            pairs[self.profile.cells[cell].light] = (colour, effect)
        self.driver.show(LightFrame(tuple(pairs), PALETTE))


def order(profile: Profile) -> list[int]:
    """The cells strip by strip, to and fro: a hand goes to a neighbour each time."""
    strips: dict[int, list[int]] = {}
    for cell, about in enumerate(profile.cells):
        strips.setdefault(about.row, []).append(cell)
    out: list[int] = []
    for turn, row in enumerate(sorted(strips)):
        out += sorted(strips[row], key=lambda cell: profile.cells[cell].x_mm, reverse=turn % 2 == 1)
    return out


def walked(guide: Guide, cells: Sequence[int], tell: Tell) -> list[int]:
    """Have a stone set on each of these cells; those on which none was seen (skipped)."""
    silent = []
    for at, cell in enumerate(cells):
        tell("set", cell, at, len(cells))
        try:
            guide.set(cell, wire.WHITE)
        except Skipped:
            silent.append(cell)
            continue
        guide.lift(cell, cells[at + 1] if at + 1 < len(cells) else None)
    return silent
