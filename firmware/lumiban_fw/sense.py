"""Readings of the ADC become settled piece events.

A cell is *settled*, *suspect* or *moving*. Its count above the row's reference (channel 15)
is compared with a band of ±still around its settled value; RUN frames in a row on the same side
of the band make it moving, from the first of them on. A moving cell is settled again once the
mean of its last eight readings has stayed within ±still for `settle_us`; every JUDGE frames a few
of those are classified: by sign white (positive: a south pole faces the board) or black, by
strength neutral. If that differs from what it was, an event is found, with the time at which the
piece met or left its seat (contact.py); a tick works on that for `steps` short steps at most.

Order. `watermark_us` promises that no event with an earlier time will be found: it is the least
time at which a suspect or moving cell left its band, but not older than 400 ms.

All integers, all small: times are µs since a moment that `shift` moves on.
"""

from array import array

from lumiban_fw.buffers import (
    BAND,
    CLOCK,
    HALF_SCALE,
    HIGH,
    LAST,
    LONG_AGO_US,
    LOW,
    MASK,
    MOVING,
    REFERENCE_OFF,
    TRACE_LEN,
    UNSURE,
    UNWATCHED,
)
from lumiban_fw.contact import UNSURE_US, Gaps, TimingQueue, trajectory_of
from lumiban_fw.hal import Hal
from lumiban_fw.kernels import note, sink, spread, start_motion, watch
from lumiban_fw.layout import Layout
from lumiban_fw.motion import Baselines, MovingCells
from lumiban_fw.wire import (
    BLACK,
    EMPTY,
    FAULT_BROWN_OUT,
    FAULT_DRIFT,
    FAULT_GONE,
    FAULT_REFERENCE,
    FAULT_STUCK,
    FOREIGN,
    MASKED,
    NEUTRAL,
    STACKED,
    UNKNOWN,
    WHITE,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lumiban_fw.buffers import Senses


LOOK = 8
"""Frames in which one cell's health is looked at …"""
JUDGE = 4
"""… and frames in which cells came to rest; a burst ends there."""
CELLS_PER_JUDGEMENT = 4
"""Cells at rest that are judged at once: all of a board's would take the chip 0.1 s …"""
CELLS_IN_PLAY = 2
"""… and once it has started, when ten hands are many: a turn of eight would last for 12 ms."""
HOLD_US = 400_000
"""A motion holds the watermark for so long at most."""
BOOT_US = 300_000
"""After this, cells that never came to rest since power-on are reported by events."""
WEAK_PATIENCE = 3
"""Multiple of its rest that a weak field needs: a strong piece held low looks like it."""


class Sense:
    """The senses of one board. Feed frames by `frame` or `burst`, take what happened from `found`.

    `kinds` is what each cell holds now, `found` a list of (time, cell, kind, uncertainty) not yet
    fetched, `faults` (code, where) not yet fetched, `still` the half width of the band in counts.
    `steps` 0: a frame works out all times at once; else `work` does.
    """

    def __init__(self, layout: Layout, zeros: "Baselines | None" = None) -> None:
        n = layout.cells
        self.layout = layout
        self.zeros = zeros if zeros is not None else Baselines(layout)
        self.steps = 0
        self.has_noise = True
        """False of switches: their readings stay the same, and none moves with the supply."""
        self.ready = False
        self.now_us = 0
        self.watermark_us = 0
        self.kinds = bytearray(bytes((UNKNOWN,)) * n)
        self.found: "list[tuple[int, int, int, int]]" = []
        self.faults: "list[tuple[int, int]]" = []
        still = (layout.still_ut << 16) // layout.gain_q16
        self.still = still if still > 0 else 1
        self._settled = array("i", [0] * n)
        self._settled_us = array("i", [0] * n)
        self._alone = array("h", self.zeros.zero)
        self._bands = array("i", bytes(4 * n * BAND))
        for cell in range(n):
            self.hold(cell)
            self._bands[cell * BAND + LAST] = -1
        self._out = bytearray(n)
        self._saw = array("i", [0, 0, 0])
        self._turn = 0
        self.settles = CELLS_PER_JUDGEMENT
        """Number of cells at rest that are judged at once."""
        self.touched = bytearray(n)
        """Marks of cells at rest that a neighbour's piece has shifted: one may be another now."""
        self._counts = array("H", [0] * n)
        self._references = array("H", [0] * layout.rows)
        self._times = array("i", bytes(4 * (CLOCK + 1)))
        self._no = 0
        self._boot_us = -1
        self._busy = True
        self._rows = Rows(layout, self)
        self._monitor = SensorMonitor(self)
        self._motions = MovingCells(layout, self.still)
        self.gaps = Gaps()
        grounds = self._rows.grounds
        self._pending = TimingQueue(layout, self._motions, self._times, grounds, self.gaps)
        self._rest = (self._bands, self._settled, self._settled_us, self.touched)
        self._buffers: "Senses | None" = None

    def _senses(self) -> "Senses":
        if self._buffers is not None and self._buffers[0] is self._counts:
            return self._buffers
        motions = self._motions
        grounds = self._rows.grounds
        of_frame = (self._counts, self._references, self.layout.row, grounds, self._bands)
        of_watch = (motions.early, self._times, self._out, self._saw)
        of_ways = (motions.state, motions.traces, motions.cells, motions.moves, motions.free)
        of_cells = (self.kinds, self._settled, self._settled_us, self._alone)
        self._buffers = of_frame + of_watch + of_ways + (motions.tally,) + of_cells
        return self._buffers

    @property
    def moving(self) -> int:
        """Number of cells that are not settled."""
        return self._motions.tally[MOVING]

    @property
    def unsure(self) -> int:
        """Number of motions that found no free trace."""
        return self._motions.tally[UNSURE]

    def quiet(self) -> bool:
        """True if equal frames from now on would change nothing."""
        return not self._busy and not self.found and not self._pending.any()

    def working(self) -> bool:
        """True if times of settled events are still being worked out: call `work`."""
        return self._pending.any()

    def crowded(self) -> bool:
        """True if more than a few of them wait."""
        return self._pending.crowded()

    def field_ut(self, cell: int) -> int:
        """The field of a cell in the newest frame, in µT."""
        return self.zeros.ut(cell, self.reading(cell))

    def reading(self, cell: int) -> int:
        """The count of a cell above its row's reference in the newest frame."""
        return self._counts[cell] - self._references[self.layout.row[cell]]

    def spread(self, cells: bytearray, n: int, ends: "array[int]") -> int:
        """`kernels.spread` of the first `n` of `cells` in the newest frame."""
        row, settled = self.layout.row, self._settled
        total: int = spread(self._counts, self._references, row, cells, n, settled, ends)
        return total

    def newest(self) -> "tuple[array[int], array[int]]":
        """Counts and references of the newest frame."""
        return self._counts, self._references

    def raw(self, cell: int) -> int:
        """The ADC's count of a cell in the newest frame."""
        return self._counts[cell]

    def frozen(self, row: int) -> bool:
        """True if a row is held because its reference is off."""
        return self._rows.frozen(row)

    def rests(self, cell: int, for_us: int) -> bool:
        """True if a cell is settled and readable and has been for so long (up to 4.5 minutes)."""
        return (
            self._bands[cell * BAND + HIGH] != UNWATCHED
            and self.now_us - self._settled_us[cell] >= for_us
        )

    def are_sound(self, references: "array[int]") -> bool:
        """True if all rows of a frame can be read."""
        return not self._rows.note(references, self._no + 1)

    def hold_all(self) -> None:
        """The strips lose their power: all cells keep what they hold until they are read again."""
        self._rows.hold_all()

    def low_rail(self, low: bool) -> None:
        """The supply is too low to believe a motion, or high enough again."""
        self._monitor.low_rail = low

    def shift(self, by_us: int) -> None:
        """Move the moment from which times count on by `by_us`; not while `working`."""
        self.now_us -= by_us
        self.watermark_us -= by_us
        if self._boot_us >= 0:
            self._boot_us = max(self._boot_us - by_us, 0)
        sink(self._settled_us, by_us, -LONG_AGO_US)
        sink(self._times, by_us, -LONG_AGO_US)
        self.gaps.shift(by_us)
        self._motions.shift(by_us)
        self._rows.shift(by_us)
        self._monitor.shift(by_us)
        if self.moving == 0 and not self._pending.any() and self._no > 1 << 24:
            self._no &= CLOCK
            for cell in range(self.layout.cells):
                self._bands[cell * BAND + LAST] = -1
            self._rows.forget_frames()

    def frame(self, now_us: int, counts: "array[int]", references: "array[int]") -> None:
        """Take in one frame of counts (arrays of "H"), taken at `now_us`.

        The arrays are kept until the next frame: give others then.
        """
        self.now_us = now_us
        busy = self._busy or self._pending.any()
        if not busy and counts == self._counts and references == self._references:
            self._counts = counts
            self._references = references
            self.watermark_us = now_us
            return
        self._counts = counts
        self._references = references
        no = self._no = self._no + 1
        times = self._times
        times[no & CLOCK] = now_us
        rows = self._rows
        bad = rows.note(references, no)
        if self._boot_us < 0:
            self._boot(now_us)
        waiting = bool(bad or rows.held) and rows.watch(bad, now_us, no)
        out = self._out
        saw = self._saw
        row = self.layout.row
        n = watch(counts, references, row, self._bands, self._motions.early, times, no, out, saw)
        self._end(n, -1, waiting)

    def burst(self, hal: Hal, epoch_us: int, at_most: int = LOOK) -> int:
        """Take in frames that the backend has, when `bursting`; how many they were."""
        no = self._no
        most = JUDGE if self._motions.tally[MOVING] or not self.ready else LOOK
        got = hal.burst(self._senses(), no, epoch_us, min(most - (no & most - 1), at_most))
        done = got & 255
        if done:
            no += done
            self._no = no
            self.now_us = self._times[no & CLOCK]
            begun = got >> 8
            self._end(begun, -1 if begun else self._saw[2], False)
        return done

    def bursting(self) -> bool:
        """True if frames can be taken in by several: one was, and no row is held."""
        return self._boot_us >= 0 and not self._rows.held

    def _end(self, begun: int, rested: int, waiting: bool) -> None:
        """Finishes a frame: `begun` cells leave their bands, `rested` came to rest.

        -1 of these: that is not yet known.
        """
        now_us = self.now_us
        no = self._no
        mark = self._saw[0]
        motions = self._motions
        tally = motions.tally
        if begun:
            start_motion(self._senses(), begun, no, now_us)
        judge = not no & JUDGE - 1
        if tally[MOVING]:
            if rested < 0:
                rested = motions.follow(self._counts, self._references, no, now_us, self._out)
            if judge:
                self._judge(rested)
        if not self.steps:
            self.work(1 << 20)
        moving = tally[MOVING]
        if not self.ready:
            mark = self._boot_us
        elif moving or self._pending.any():
            oldest = now_us - HOLD_US
            mark = self._pending.mark(motions.mark(mark, oldest), oldest)
        if mark > self.watermark_us:
            self.watermark_us = mark
        if judge:
            if self.ready:
                if not no & LOOK - 1:
                    self._monitor.visit()
            else:
                resting = moving == 0 and not self._rows.held
                self.ready = resting or now_us - self._boot_us >= BOOT_US
        self._busy = self._saw[1] > 0 or waiting or moving > 0 or not self.ready

    def work(self, steps: int) -> None:
        """Work on the times of settled events, at most `steps` short steps."""
        self._pending.work(steps, self._no, self.found)

    def mask(self, cell: int, on: bool) -> None:
        """Take a cell out of the senses, or read it again; an event tells of both."""
        if cell >= self.layout.cells or (self.kinds[cell] == MASKED) == on:
            return
        self.drop(cell)
        if on:
            self.kinds[cell] = MASKED
            self.found.append((self.now_us, cell, MASKED, UNSURE_US))
            self.hold(cell)
        else:
            self.kinds[cell] = UNKNOWN
            self.look_again(cell)

    # What rows and the monitor do to cells.

    def hold(self, cell: int) -> None:
        """Let a cell keep what it holds, whatever it reads."""
        self._bands[cell * BAND + LOW] = -UNWATCHED
        self._bands[cell * BAND + HIGH] = UNWATCHED

    def drop(self, cell: int) -> None:
        """End a cell's motion, if it moves, without a word."""
        if self._motions.moves[cell]:
            self._motions.end(cell)
            self._motions.close_ranks()

    def free(self, cell: int) -> None:
        """Let a cell that was held be read again."""
        if self.kinds[cell] == UNKNOWN:
            self.look_again(cell)
        elif self.kinds[cell] != MASKED:
            self.watch(cell)

    def watch(self, cell: int) -> None:
        """Look for a cell's next motion, around its settled value."""
        settled = self._settled[cell]
        self._bands[cell * BAND + LOW] = settled - self.still
        self._bands[cell * BAND + HIGH] = settled + self.still

    def look_again(self, cell: int) -> None:
        """Let a cell settle again, without a way that says when."""
        self._begin(cell, self.now_us, self._no, self.reading(cell))
        self._busy = True

    # Motions.

    def _boot(self, now_us: int) -> None:
        self._boot_us = now_us
        self._motions.all(self._counts, self._references, self._no, now_us)

    def _begin(self, cell: int, start_us: int, first: int, count: int) -> None:
        self._motions.begin(cell, start_us, first, self.now_us, count)
        self.hold(cell)

    def _judge(self, n: int) -> None:
        """Settle the first `n` cells of `out`, a few at a time, unless all is shaken."""
        motions = self._motions
        moving = motions.tally[MOVING]
        most = 2 * moving > self.layout.cells
        if (most or self._monitor.alert()) and self._monitor.shaken(motions.cells, moving):
            return
        # In turn: one that waits for long keeps no other back.
        at = self._turn
        ended = False
        for _ in range(min(n, self.settles)):
            if at >= n:
                at = 0
            if self._settle(self._out[at]):
                ended = True
            at += 1
        self._turn = at
        if ended:
            motions.close_ranks()

    def _settle(self, cell: int) -> bool:
        motions = self._motions
        old = self.kinds[cell]
        value = motions.value(cell)
        kind = self._classify(cell, old, value)
        if may_come_down(old, kind, value - self._settled[cell], self.still):
            rest_us = self.now_us - motions.still_us(cell)
            if rest_us < WEAK_PATIENCE * self.layout.settle_us:
                return False
        if kind != old and self.ready:
            self._find(cell, old, kind, value)
        self.kinds[cell] = kind
        self._settled[cell] = value
        self._settled_us[cell] = self.now_us
        self.watch(cell)
        motions.end(cell)
        own = self.zeros.zero[cell] if kind == EMPTY else value
        self.zeros.stand(cell, own, self.still, self.now_us - 2 * HOLD_US, self._rest)
        return True

    def _find(self, cell: int, old: int, kind: int, value: int) -> None:
        """An event is certain; work out when it happened."""
        motions = self._motions
        falling = kind == EMPTY
        ring = motions.lend(cell) if old != UNKNOWN else -1
        if ring < 0:
            t_us = motions.start_us(cell) if falling else motions.still_us(cell)
            self.found.append((t_us, cell, kind, UNSURE_US))
            return
        way = trajectory_of(motions, ring, cell, falling, self._no)
        way.freed = self._rows.freed(self.layout.row[cell])
        way.old = self._settled[cell]
        way.value = value
        way.zero = (
            self.zeros.before(cell, self._alone[cell]) if old == EMPTY else self.zeros.zero[cell]
        )
        way.still = self.still
        way.gain = self.zeros.gain[cell]
        self._pending.add(way, kind)

    def judge_again(self, cell: int) -> None:
        """Let a cell at rest settle again, if what it holds is something else by now."""
        if self.rests(cell, 0):
            kind = self.kinds[cell]
            if self._classify(cell, kind, self._settled[cell]) != kind:
                self.look_again(cell)

    def _classify(self, cell: int, old: int, count: int) -> int:
        return classify(self.layout, self.zeros.strong_ut, old, self.zeros.ut(cell, count))


# Rows whose reference is off cannot be read: their cells keep what they held until it is back.


REFERENCE_FRAMES = 3
"""Bad frames in a row that make a fault; the cells are held from the first."""


class Rows:
    """Watches the references of all rows and holds the cells of those that are off."""

    def __init__(self, layout: Layout, sense: "Sense") -> None:
        self._layout = layout
        self._sense = sense
        self.held = 0
        """One bit for each row that is held."""
        self.grounds = array("b", bytes(layout.rows * TRACE_LEN))
        """The last TRACE_LEN references of each row, above HALF_SCALE."""
        self._bad = [0] * layout.rows
        self._good_us = [-1] * layout.rows
        self._freed_no = [0] * layout.rows

    def note(self, references: "array[int]", no: int) -> int:
        """Keep the references (H) of frame `no`; the rows that are off, one bit each."""
        bad: int = note(references, self.grounds, no & MASK, TRACE_LEN, HALF_SCALE, REFERENCE_OFF)
        return bad

    def frozen(self, row: int) -> bool:
        """True if a row is held."""
        return bool(self.held >> row & 1)

    def freed(self, row: int) -> int:
        """The number of the frame from which on a row was readable."""
        return self._freed_no[row]

    def watch(self, bad: int, now_us: int, no: int) -> bool:
        """Take in whose references are off (one bit each); whether a row is about to be held
        or freed.

        One row is freed in a frame: all cells of a board would take the chip 40 ms.
        """
        waiting = False
        fresh = bad & ~self.held
        if fresh:
            self._freeze(fresh)
        freed = False
        for row in range(self._layout.rows):
            if bad >> row & 1:
                self._good_us[row] = -1
                if self._bad[row] < REFERENCE_FRAMES:
                    waiting = True
                    self._bad[row] += 1
                    if self._bad[row] == REFERENCE_FRAMES:
                        self._sense.faults.append((FAULT_REFERENCE, row))
            elif self.held >> row & 1:
                waiting = True
                if self._good_us[row] < 0:
                    self._good_us[row] = now_us
                elif not freed and now_us - self._good_us[row] >= self._layout.settle_us:
                    freed = True
                    self._thaw(row, no)
        return waiting

    def hold_all(self) -> None:
        """Hold all rows; no fault of theirs. One that was told to be off is told to be back once
        it can be read."""
        for row in range(self._layout.rows):
            if self._bad[row] < REFERENCE_FRAMES:
                self._bad[row] = 0
            self._good_us[row] = -1
        self._freeze(~self.held & (1 << self._layout.rows) - 1)

    def _freeze(self, rows: int) -> None:
        """Hold the cells of some rows, one bit each."""
        self.held |= rows
        row = self._layout.row
        for cell in range(len(row)):
            if rows >> row[cell] & 1:
                self._sense.drop(cell)
                self._sense.hold(cell)

    def _thaw(self, row: int, no: int) -> None:
        self.held &= ~(1 << row)
        self._freed_no[row] = no
        if self._bad[row] >= REFERENCE_FRAMES:
            self._sense.faults.append((FAULT_REFERENCE | FAULT_GONE, row))
        self._bad[row] = 0
        for cell in range(self._layout.cells):
            if self._layout.row[cell] == row:
                self._sense.free(cell)

    def shift(self, by_us: int) -> None:
        """Move the moment from which times count."""
        for row in range(self._layout.rows):
            if self._good_us[row] >= 0:
                self._good_us[row] = max(self._good_us[row] - by_us, 0)

    def forget_frames(self) -> None:
        """Start the numbers of frames again."""
        for row in range(self._layout.rows):
            self._freed_no[row] = 0


# What the senses notice about themselves: drift, stuck sensors, all baselines moving together. One
# cell is looked at every few frames, so the work is the same whatever the board's size.


EMPTY_US = 60_000_000
"""A zero follows its sensor only while the cell has been empty and at rest for so long."""
DRIFT_UT_A_MINUTE = 100
LOOK_US = 4_000_000
"""A zero moves once in this time at most."""
SAME = 10
"""A sensor that reads the same so often in a row is stuck; noise alone lets it change."""
MIN_CELLS = 8
"""With fewer cells than this nothing is said about all of them together."""
SHAKEN_US = 3_000_000
"""Baselines that have not come back after so long have come to stay."""


class SensorMonitor:
    """Looks after the cells of one `Sense`."""

    def __init__(self, sense: "Sense") -> None:
        n = sense.layout.cells
        self.low_rail = False
        """The supply is too low to believe a motion; told by the board."""
        self._sense = sense
        self._at = 0
        self._drift_us = 0
        """Start in µs of the round of all cells in which zeros moved last …"""
        self._drifts = False
        """… and whether it is this one."""
        self._seen = array("h", [0] * n)
        self._same = bytearray(n)
        self._stuck = 0
        self._ends = array("i", [0, 0])
        self._ranged = bytearray(n)
        self._shaken_us = -1
        self._calm_us = -1

    def shift(self, by_us: int) -> None:
        """Move the moment from which times count."""
        self._drift_us = max(self._drift_us - by_us, -LOOK_US)
        if self._shaken_us >= 0:
            self._shaken_us = max(self._shaken_us - by_us, 0)
        if self._calm_us >= 0:
            self._calm_us = max(self._calm_us - by_us, 0)

    def visit(self) -> None:
        """Look at the next cell."""
        sense = self._sense
        if self._shaken_us >= 0 and sense.moving == 0 and not self.low_rail:
            self._calm(sense.now_us)
        cell = self._at
        self._at = cell + 1 if cell + 1 < len(self._same) else 0
        if cell == 0:
            self._drifts = sense.now_us - self._drift_us >= LOOK_US
            if self._drifts:
                self._drift_us = sense.now_us
        if sense.frozen(sense.layout.row[cell]) or sense.kinds[cell] == MASKED:
            return
        if sense.touched[cell]:
            sense.touched[cell] = 0
            sense.judge_again(cell)
        if sense.has_noise:
            self._look_stuck(cell, sense.raw(cell))
        if self._drifts and self._shaken_us < 0:
            if sense.kinds[cell] == EMPTY and sense.rests(cell, EMPTY_US):
                self._track(cell, sense.reading(cell))

    def _look_stuck(self, cell: int, raw: int) -> None:
        same = self._same[cell]
        if raw != self._seen[cell]:
            self._seen[cell] = raw
            self._same[cell] = 0
            if same > SAME:
                self._stuck -= 1
                if same == SAME + 2:
                    self._sense.faults.append((FAULT_STUCK | FAULT_GONE, cell))
        elif same < SAME:
            self._same[cell] = same + 1
        elif same == SAME:
            self._same[cell] = SAME + 1
            self._stuck += 1
        elif same == SAME + 1 and 2 * self._stuck < len(self._same):
            # In a world without noise all sensors read the same; only one that is alone is stuck.
            self._same[cell] = SAME + 2
            self._sense.faults.append((FAULT_STUCK, cell))

    def _track(self, cell: int, count: int) -> None:
        sense = self._sense
        off = count - sense.zeros.zero[cell]
        if off == 0:
            return
        step = (DRIFT_UT_A_MINUTE * (LOOK_US // 1_000_000) << 24) // (60 * sense.zeros.gain[cell])
        if sense.zeros.drift(cell, step if off > 0 else -step):
            if self._ranged[cell]:
                self._ranged[cell] = 0
                sense.faults.append((FAULT_DRIFT | FAULT_GONE, cell))
        elif not self._ranged[cell]:
            self._ranged[cell] = 1
            sense.faults.append((FAULT_DRIFT, cell))

    def alert(self) -> bool:
        """True if `shaken` must be asked although few cells move."""
        return self.low_rail or self._shaken_us >= 0

    def shaken(self, cells: bytearray, moving: int) -> bool:
        """True if most cells have moved alike, as no hands do: then nothing settles.

        A field that is strong enough to be a white or black piece is believed.
        """
        sense = self._sense
        n = len(self._same)
        if n < MIN_CELLS or not sense.ready or not sense.has_noise:
            return False
        now_us = sense.now_us
        if self._alike(cells, moving) or self.low_rail:
            self._calm_us = -1
            if self._shaken_us < 0:
                self._shaken_us = now_us
                sense.faults.append((FAULT_BROWN_OUT, 0))
            return now_us - self._shaken_us < SHAKEN_US
        if self._shaken_us >= 0 and not self._calm(now_us):
            return now_us - self._shaken_us < SHAKEN_US
        return False

    def _calm(self, now_us: int) -> bool:
        """Cells do not move alike any more: whether they have not for long enough."""
        if self._calm_us < 0:
            self._calm_us = now_us
        if now_us - self._calm_us < self._sense.layout.settle_us:
            return False
        self._shaken_us = self._calm_us = -1
        self._sense.faults.append((FAULT_BROWN_OUT | FAULT_GONE, 0))
        return True

    def _alike(self, cells: bytearray, moving: int) -> bool:
        sense = self._sense
        if 2 * moving <= len(self._same):
            return False
        total: int = sense.spread(cells, moving, self._ends)
        mean = total // moving
        size = mean if mean > 0 else -mean
        ut = size * sense.layout.gain_q16 >> 16
        if ut < sense.layout.still_ut // 2 or ut > 2 * sense.layout.on_ut:
            return False
        return self._ends[1] - self._ends[0] <= size + 3 * sense.still


# What a settled field says about the piece that makes it.


STACKED_TENTHS = 11
"""Stronger than 1.1 times what a single piece was taught to show: pieces lie upon each other."""


def classify(layout: Layout, taught_ut: int, old: int, ut: int) -> int:
    """The kind of a settled field of `ut`, with hysteresis around every threshold.

    `old` is the kind before, `taught_ut` what a strong piece shows when it stands (0: not taught).
    """
    strength = ut if ut > 0 else -ut
    present = old != EMPTY and old != UNKNOWN
    if strength < (layout.off_ut if present else layout.on_ut):
        return EMPTY
    foreign = layout.foreign_ut
    strong = layout.strong_ut
    stacked = taught_ut * STACKED_TENTHS // 10
    if old == FOREIGN:
        foreign -= layout.still_ut
    elif old == STACKED:
        stacked -= layout.still_ut
    elif old == WHITE or old == BLACK:
        strong -= layout.still_ut
    if strength > foreign:
        return FOREIGN
    if 0 < stacked < strength:
        return STACKED
    if strength < strong:
        return NEUTRAL
    return WHITE if ut > 0 else BLACK


def may_come_down(old: int, kind: int, shift: int, still: int) -> bool:
    """True if a field at rest may be that of a piece that comes slowly or is held above.

    `shift` is by how many counts it moved since it last rested, `still` the width of rest.
    """
    if kind == NEUTRAL:
        return old != NEUTRAL
    return kind == EMPTY and old == EMPTY and (shift > still or shift < -still)
