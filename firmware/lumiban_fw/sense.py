"""Readings of the ADC become settled piece events.

A cell is *settled*, *suspect* or *moving*. Its count above the row's reference (channel 15)
is compared with a band of ±still around its settled value; RUN frames in a row on the same side
of the band make it moving, from the first of them on. A moving cell is settled again once the
mean of its last eight readings has stayed within ±still for `settle_us`; only then is it
classified: by sign white (positive: a south pole faces the board) or black, by strength neutral.
If that differs from what it was, an event is found, with the time at which the piece met or left
its seat (contact.py, seat.py).

Noise. A reading carries about 0.3 mT of noise, its difference from a reference as noisy 0.42 mT,
and the mean of 15 that is taken for the settled value 0.11 mT. One reading beyond 1 mT then has
p = 0.0096 a side, eight in a row on one side about p⁸; with the spread of settled values 61 cells
at 1000 frames a second start a motion by noise once in 42 days, 182 cells once in 14. A cell whose
value a neighbour has shifted by 0.5 mT does so after about 6 hours, and settles on the new value.
Such a motion changes no kind, so it makes no event; it holds the watermark for 40 ms, or 100 ms
where the field shifted by more than the band: a piece may still be on its way down.

Order. `watermark_us` promises that no event with an earlier time will be found: it is the least
time at which a suspect or moving cell left its band, but not older than 400 ms.

All integers. Counts inside, µT only to classify.
"""

from array import array

from lumiban_fw.contact import UNSURE_US, contact
from lumiban_fw.kernels import outside
from lumiban_fw.layout import Layout
from lumiban_fw.motion import MASK, MEAN, TRACE, Motion
from lumiban_fw.seat import seat, steady
from lumiban_fw.wire import BLACK, EMPTY, FOREIGN, NEUTRAL, UNKNOWN, WHITE

RUN = 8
"""Frames in a row beyond the band that start a motion."""
TRACES = 16
"""Moving cells whose way is kept; those beyond get a time without a fit."""
HOLD_US = 400_000
"""A motion holds the watermark for so long at most."""
ALONE_US = 300_000
"""An empty cell that rested for so long had no piece above it."""
BOOT_US = 300_000
"""After this, cells that never came to rest since power-on are reported by events."""
WEAK_PATIENCE = 3
"""A weak field must rest so many times longer: a strong piece held low looks like it."""
HALF_SCALE = 2048
REFERENCE_OFF = 128
"""A reference that differs from half scale by more (6 %) says that the row cannot be read."""
REFERENCE_FRAMES = 3
"""Bad frames in a row that make a fault; the cells are held from the first."""

_FAR = 1 << 20


class Sense:
    """The senses of one board. Feed frames with `frame`, take what happened from `found`.

    `kinds` is what each cell holds now, `found` a list of (time, cell, kind, uncertainty) not yet
    fetched, `faults` rows whose reference went off and were not yet fetched.
    """

    def __init__(self, layout: Layout) -> None:
        n = layout.cells
        self.layout = layout
        self.ready = False
        self.now_us = 0
        self.watermark_us = 0
        self.kinds = bytearray(bytes((UNKNOWN,)) * n)
        self.found: "list[tuple[int, int, int, int]]" = []
        self.faults: "list[int]" = []
        self.moving: "list[Motion]" = []
        still = (layout.still_ut << 16) // layout.gain_q16
        self._still = still if still > 0 else 1
        self._settled = [0] * n
        self._settled_us = [0] * n
        self._alone = list(layout.baseline)
        self._low = [-_FAR] * n
        self._high = [_FAR] * n
        self._out = [0] * n
        self._run = [0] * n
        self._run_no = [0] * n
        self._early = [0] * (n * RUN)
        self._counts = [-1] * n
        self._references = [-1] * layout.rows
        self._times = [0] * TRACE
        self._no = 0
        self._boot_us = -1
        self._busy = True
        self._bad = [0] * layout.rows
        self._good_us = [-1] * layout.rows
        self._frozen = [False] * layout.rows
        self._freed_no = [0] * layout.rows
        self._idle = [Motion() for _ in range(n)]
        self._grounds = [array("h", [0] * TRACE) for _ in range(layout.rows)]
        self._traces = [array("h", [0] * TRACE) for _ in range(TRACES)]

    def quiet(self) -> bool:
        """Whether equal frames from now on would change nothing."""
        return not self._busy and not self.found

    def field_ut(self, cell: int) -> int:
        """The field of a cell in the newest frame, in µT."""
        row = self.layout.row[cell]
        return self._ut(cell, self._counts[cell] - self._references[row])

    def frozen(self, row: int) -> bool:
        """Whether a row is held because its reference is off."""
        return self._frozen[row]

    def frame(self, now_us: int, counts: "list[int]", references: "list[int]") -> None:
        """Take in one frame of counts, taken at `now_us`."""
        self.now_us = now_us
        if not self._busy and counts == self._counts and references == self._references:
            self.watermark_us = now_us
            return
        self._counts[:] = counts
        self._references[:] = references
        self._no += 1
        self._times[self._no & MASK] = now_us
        for k in range(self.layout.rows):
            self._grounds[k][self._no & MASK] = references[k]
        if self._boot_us < 0:
            self._boot(now_us, counts, references)
        waiting = self._watch_references(references)
        row = self.layout.row
        n = outside(counts, references, row, self._low, self._high, self._out)
        mark = now_us
        for k in range(n):
            cell = self._out[k]
            start = self._suspect(cell, counts[cell] - references[row[cell]])
            if start < mark:
                mark = start
        if self.moving:
            self._follow(counts, references)
        oldest = now_us - HOLD_US
        for motion in self.moving:
            start = motion.start_us
            if start < mark:
                mark = start if start > oldest else oldest
        if mark > self.watermark_us:
            self.watermark_us = mark
        if not self.ready:
            resting = not self.moving and True not in self._frozen
            self.ready = resting or now_us - self._boot_us >= BOOT_US
        self._busy = n > 0 or waiting or len(self.moving) > 0 or not self.ready

    def _ut(self, cell: int, count: int) -> int:
        return ((count - self.layout.baseline[cell]) * self.layout.gain_q16) >> 16

    def _boot(self, now_us: int, counts: "list[int]", references: "list[int]") -> None:
        self._boot_us = now_us
        for cell in range(self.layout.cells):
            self._begin(cell, now_us, self._no, counts[cell] - references[self.layout.row[cell]])

    def _suspect(self, cell: int, count: int) -> int:
        """Count a reading beyond the band; return when the run of them began."""
        no = self._no
        run = self._run[cell]
        above = count > self._high[cell]
        if self._run_no[cell] != no - 1 or (run > 0) != above:
            run = 0
        self._early[cell * RUN + (run if run >= 0 else -run)] = count
        run += 1 if above else -1
        self._run[cell] = run
        self._run_no[cell] = no
        length = run if run > 0 else -run
        first = no - length + 1
        start: int = self._times[first & MASK]
        if length == RUN:
            self._run_no[cell] = 0
            if self.kinds[cell] == EMPTY and start - self._settled_us[cell] >= ALONE_US:
                self._alone[cell] = self._settled[cell]
            motion = self._begin(cell, start, first, count)
            if self._traces:
                trace = motion.trace = self._traces.pop()
                for k in range(RUN):
                    trace[(first + k) & MASK] = self._early[cell * RUN + k]
        return start

    def _begin(self, cell: int, start_us: int, first: int, count: int) -> Motion:
        motion = self._idle.pop()
        motion.begin(cell, start_us, first, self.now_us, count)
        self._low[cell] = -_FAR
        self._high[cell] = _FAR
        self.moving.append(motion)
        return motion

    def _end(self, motion: Motion) -> None:
        if motion.trace is not None:
            self._traces.append(motion.trace)
            motion.trace = None
        self._idle.append(motion)

    def _follow(self, counts: "list[int]", references: "list[int]") -> None:
        layout = self.layout
        settle_us = layout.settle_us
        still = MEAN * self._still
        ended = False
        for k in range(len(self.moving)):
            motion = self.moving[k]
            cell = motion.cell
            count = counts[cell] - references[layout.row[cell]]
            rest = motion.follow(count, self._no, self.now_us, still, settle_us)
            if rest >= settle_us and self._settle(motion, rest):
                ended = True
        if ended:
            self.moving = [m for m in self.moving if self._high[m.cell] == _FAR]

    def _settle(self, motion: Motion, rest_us: int) -> bool:
        cell = motion.cell
        old = self.kinds[cell]
        value = motion.mean()
        kind = self._classify(old, self._ut(cell, value))
        if self._may_come_down(cell, old, kind, value):
            if rest_us < WEAK_PATIENCE * self.layout.settle_us:
                return False
        if kind != old:
            if self.ready:
                t_us, uncertainty = self._time(motion, old, kind, value)
                self.found.append((t_us, cell, kind, uncertainty))
            self.kinds[cell] = kind
        self._settled[cell] = value
        self._settled_us[cell] = self.now_us
        self._watch(cell)
        self._end(motion)
        return True

    def _may_come_down(self, cell: int, old: int, kind: int, value: int) -> bool:
        """Whether a field at rest may be that of a piece that comes slowly or is held above."""
        if kind == NEUTRAL:
            return old != NEUTRAL
        shift = value - self._settled[cell]
        return kind == EMPTY and old == EMPTY and (shift > self._still or shift < -self._still)

    def _watch(self, cell: int) -> None:
        self._low[cell] = self._settled[cell] - self._still
        self._high[cell] = self._settled[cell] + self._still

    def _classify(self, old: int, ut: int) -> int:
        """The kind of a settled field, with hysteresis around every threshold."""
        layout = self.layout
        strength = ut if ut > 0 else -ut
        present = old != EMPTY and old != UNKNOWN
        if strength < (layout.off_ut if present else layout.on_ut):
            return EMPTY
        foreign = layout.foreign_ut
        strong = layout.strong_ut
        if old == FOREIGN:
            foreign -= layout.still_ut
        elif old == WHITE or old == BLACK:
            strong -= layout.still_ut
        if strength > foreign:
            return FOREIGN
        if strength < strong:
            return NEUTRAL
        return WHITE if ut > 0 else BLACK

    def _time(self, motion: Motion, old: int, kind: int, value: int) -> "tuple[int, int]":
        """When the change of a cell happened, and how far off that may be."""
        cell = motion.cell
        falling = kind == EMPTY
        fallback = motion.start_us if falling else motion.still_us
        if motion.trace is None or old == UNKNOWN:
            return fallback, UNSURE_US
        row = self.layout.row[cell]
        zero = self._zero(cell) if old == EMPTY else self.layout.baseline[cell]
        settled = (self._settled[cell] if falling else value) - zero
        strength = (abs(settled) * self.layout.gain_q16) >> 16
        half_um = self.layout.weak_um
        if strength >= self.layout.strong_ut:
            half_um = self.layout.strong_um
        first = motion.first
        if first < self._no - TRACE + 1:
            first = self._no - TRACE + 1
        if not falling:
            steady(motion.trace, self._grounds[row], first, self._no, motion.resting())
        got = contact(motion.trace, self._times, first, self._no, zero, settled, falling, half_um)
        if got is None:
            at_first = (motion.trace[first & MASK] - zero) * 2
            past = (at_first < settled if settled > 0 else at_first > settled) == falling
            # Not where it paused on the way: then the first frames of the way are not there.
            whole = 4 * abs((value if falling else self._settled[cell]) - zero) < abs(settled)
            if past and whole and first == motion.first and first > self._freed_no[row]:
                # It was there, or gone, from one frame to the next.
                return motion.start_us, 1_000_000 // self.layout.scan_hz
            return fallback, UNSURE_US
        fit_us, uncertainty, way_us = got
        if way_us and not falling:
            better = seat(motion.trace, self._times, first, self._no, zero, settled, fit_us, way_us)
            if better is not None:
                fit_us, uncertainty, way_us = better
        if falling:
            # A hand gathers speed on its way up, so the parting may lie before what the line
            # says; the field cannot leave its band before it.
            uncertainty += way_us >> 3
            latest = self._parted_us(cell, motion.trace, first, motion.start_us)
        else:
            # What is within the band counts as rest, so the band's share of the way may follow:
            # near the seat a part x of the field is 1.35 x of the half height; twice that, for
            # the mean lags behind.
            latest = motion.still_us + 3 * way_us * self._still // abs(settled)
        # No event may lie before the motion: the watermark went on until there.
        t_us = max(min(fit_us, latest), motion.start_us)
        return t_us, min(uncertainty + abs(t_us - fit_us), UNSURE_US)

    def _zero(self, cell: int) -> int:
        """The count of an empty cell before a piece came: with what its neighbours add."""
        zero = self.layout.baseline[cell]
        alone = self._alone[cell]
        # More than all neighbours can add is a piece held above.
        if (abs(alone - zero) * self.layout.gain_q16) >> 15 < self.layout.off_ut:
            return alone
        return zero

    def _parted_us(self, cell: int, trace: "array[int]", first: int, start_us: int) -> int:
        """When a cell's field left its old band for good."""
        no = self._no
        while no >= first:
            off = trace[no & MASK] - self._settled[cell]
            if -self._still <= off <= self._still:
                return self._times[(no + 1) & MASK]
            no -= 1
        return start_us

    def _watch_references(self, references: "list[int]") -> bool:
        """Hold the rows whose reference is off; return whether one is about to be freed."""
        waiting = False
        for row in range(len(references)):
            off = references[row] - HALF_SCALE
            if off > REFERENCE_OFF or off < -REFERENCE_OFF:
                self._good_us[row] = -1
                if self._bad[row] == 0:
                    self._freeze(row)
                if self._bad[row] < REFERENCE_FRAMES:
                    waiting = True
                    self._bad[row] += 1
                    if self._bad[row] == REFERENCE_FRAMES:
                        self.faults.append(row)
            elif self._frozen[row]:
                waiting = True
                if self._good_us[row] < 0:
                    self._good_us[row] = self.now_us
                elif self.now_us - self._good_us[row] >= self.layout.settle_us:
                    self._thaw(row)
        return waiting

    def _freeze(self, row: int) -> None:
        self._frozen[row] = True
        kept = []
        for motion in self.moving:
            if self.layout.row[motion.cell] == row:
                self._end(motion)
            else:
                kept.append(motion)
        self.moving = kept
        for cell in range(self.layout.cells):
            if self.layout.row[cell] == row:
                self._low[cell] = -_FAR
                self._high[cell] = _FAR

    def _thaw(self, row: int) -> None:
        self._frozen[row] = False
        self._freed_no[row] = self._no
        self._bad[row] = 0
        for cell in range(self.layout.cells):
            if self.layout.row[cell] == row:
                if self.kinds[cell] == UNKNOWN:
                    count = self._counts[cell] - self._references[row]
                    self._begin(cell, self.now_us, self._no, count)
                else:
                    self._watch(cell)
