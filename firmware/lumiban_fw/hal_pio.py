"""The sensors' frames without the CPU: PIO puts out mux addresses, the ADC converts, DMA stores.

A slot is 4 µs, or longer on a small board. At its start the address machine puts out the next
byte of `_addresses`; the ADC, started `SETTLE_TURNS` later and running freely, converts once in
each slot, well after the muxes have settled and done before the next address. Both clocks come
from one crystal, 125 and 48 MHz: a slot is a whole number of µs and so of both clocks' cycles for
ever, and the phase that the start has set stays. What could shift it is a reading or an address
that is lost. The chip notes either for good (FIFO overflow, stalled machine); `scan` looks at both
notes for every frame, and starts again.

Four DMA channels: one moves readings, paced by the ADC, and at the end of a frame wakes a second
which gives it the next of FRAMES buffers; one moves addresses, paced by the machine, and wakes a
fourth which sets it back to the first. The second channel's place in its table is the frame
counter.
"""

import time
from array import array

import machine
import micropython
import rp2
import uctypes
from machine import Pin

from lumiban_fw.hal_rp2040 import (
    ADC_CS,
    ADC_DIV,
    ADC_FCS,
    ADC_FIFO,
    ADC_PAGE,
    ADC_REQUEST,
    DMA_ABORT,
    DMA_CHANNEL,
    DMA_CTRL,
    DMA_PAGE,
    DMA_SET_READ,
    DMA_SET_WRITE,
    PIO0_PAGE,
    PIO0_REQUEST,
    PIO1_REQUEST,
    PIO_CTRL,
    PIO_FDEBUG,
    SET_PAGES,
)
from lumiban_fw.kernels import burst, gather, scatter
from lumiban_fw.layout import REFERENCE
from lumiban_fw.pio_programs import LIGHT_HZ, SLOT_HZ, addresses, ws2812

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lumiban_fw.buffers import Senses
    from lumiban_fw.layout import Layout


SLOT_US = 4
"""The shortest slot: a conversion takes 2 µs and begins 1.6 µs after its address."""
FRAMES = 32
"""Frames kept for a firmware that is busy, collecting garbage above all; a power of two."""
_RING_BITS = 7
"""The size of the table of frames, 4 * FRAMES bytes, as a power of two."""
WRAP = (1 << 30) - 1
FIRST_PIN = 2
"""GP2 to GP5 choose the channel, GP6 to GP9 the row."""
ADC_PIN = 26
RAIL = 255
"""The row multiplexer's channel 15, where half of the 5 V rail lies."""
ABORT_LOOKS = 100
"""Looks, 0.5 ms and more in all: an abort takes some transfers, microseconds each."""
SUPPLY_FRAMES = 8
FULL_RAIL_MV = 6_600
"""Voltage in mV of a full reading of that."""
_ALL_LOW = 0xA003
"""`mov(pins, null)` of the address machine."""
SETTLE_TURNS = 6
"""Empty turns between the first address and the first conversion: 1.6 µs."""

_READY = 1 << 8
_FIFO_ON = 1 << 24 | 1 << 3 | 1 << 2 | 1
"""A request for each reading, a mark on a faulty one."""
_FIFO_LOST = 1 << 11 | 1 << 10
_AT_ONCE = 63
_HALF_WORD, _WORD = 1, 2


@micropython.viper
def _start(turns: int):
    machines = ptr32((int(PIO0_PAGE) + int(SET_PAGES) << 12) + int(PIO_CTRL))
    converter = ptr32((int(ADC_PAGE) + int(SET_PAGES) << 12) + int(ADC_CS))
    machines[0] = 1
    for _ in range(turns):
        pass
    converter[0] = 8


@micropython.viper
def _frames(at: int, table: int) -> int:
    """Frames done, modulo FRAMES; −1 when a reading or an address was lost."""
    if ptr32((int(ADC_PAGE) << 12) + int(ADC_FCS))[0] & 0x0C00:
        return -1
    if ptr32((int(PIO0_PAGE) << 12) + int(PIO_FDEBUG))[0] & 0x01000000:
        return -1
    return (ptr32(at)[0] - table) >> 2


def _number(dma: rp2.DMA) -> int:
    return int(dma.channel)


class Capture:
    """Frames of all rows' cells and references, at most as many a second as the layout wants.

    `period_us` is the time of a frame, `restarts` how often readings were lost, `missed` how many
    frames the firmware did not fetch in time, `taken` how many it did, `waiting` how many it may
    fetch, `worst_gap_us` the longest time between two fetched. Times are modulo 2³⁰ µs.
    """

    def __init__(self, layout: "Layout") -> None:
        from lumiban_fw.layout_file import in_order

        row, channel, rows = layout.row, layout.channel, layout.rows
        order = in_order(row, channel, rows)
        place = {address: n for n, address in enumerate(order)}
        # No faster than the profile says: slots are longer, as each is kept 32 times; what is left
        # at the end of a frame is the supply's, one slot at the least.
        order.append(RAIL)
        wanted_us = 1_000_000 // layout.scan_hz
        slot_us = SLOT_US
        for longer_us in range(SLOT_US, wanted_us // len(order) + 1):
            if wanted_us % longer_us == 0 and SLOT_HZ % longer_us == 0:
                slot_us = longer_us
        order.extend(bytes([RAIL]) * (wanted_us // slot_us - len(order)))
        self.slots = len(order)
        self.slot_us = slot_us
        self.period_us = self.slots * slot_us
        self.restarts = 0
        self.stopped = True
        """No frames are taken, and the address lines are low."""
        self.missed = self.taken = 0
        self.worst_gap_us = self.period_us
        self.waiting = 0
        self._addresses = order
        self._cells = bytearray([place[row[i] << 4 | channel[i]] for i in range(len(row))])
        self._references = bytearray([place[r << 4 | REFERENCE] for r in range(rows)])
        self._raw = array("H", bytes(2 * self.slots * FRAMES))
        self._mine = (self._raw, self._cells, self._references)
        # The table lies on a multiple of its size, for the channel that goes round in it.
        whole = array("I", [0] * (2 * FRAMES))
        size = 4 * FRAMES
        skip = -uctypes.addressof(whole) % size // 4
        first = uctypes.addressof(self._raw)
        for k in range(FRAMES):
            whole[skip + k] = first + 2 * self.slots * ((k + 1) % FRAMES)
        self._whole = whole
        self._table = uctypes.addressof(whole) + 4 * skip
        self._home = array("I", [uctypes.addressof(order)])
        machine.ADC(ADC_PIN)
        clock_hz = SLOT_HZ // slot_us
        self._machine = rp2.StateMachine(0, addresses, freq=clock_hz, out_base=Pin(FIRST_PIN))
        self._data, self._next, self._out, self._again = [rp2.DMA() for _ in range(4)]
        self._at = (DMA_PAGE << 12) + DMA_CHANNEL * _number(self._next)
        self._done = self._seen = self._slot = self._lost = 0
        self._due_us = self._looked_us = 0
        self._done_us = 0
        """Time in µs at which the last finished frame ended."""

    def start(self, now_us: int) -> None:
        """Begin with a new first frame."""
        again = not self.stopped
        if again:
            self.restarts += 1
        self._halt()
        self.stopped = False
        mem = machine.mem32
        self._machine.restart()
        while not mem[(ADC_PAGE << 12) + ADC_CS] & _READY:
            pass
        mem[(ADC_PAGE << 12) + ADC_FCS] = _FIFO_LOST
        while mem[(ADC_PAGE << 12) + ADC_FCS] >> 16 & 15:
            mem[(ADC_PAGE << 12) + ADC_FIFO]
        mem[(ADC_PAGE << 12) + ADC_FCS] = _FIFO_ON | _FIFO_LOST
        mem[(ADC_PAGE << 12) + ADC_DIV] = 48 * self.slot_us - 1 << 8
        self._wire()
        mem[(PIO0_PAGE << 12) + PIO_FDEBUG] = (
            0x01000001  # what was noted of machine 0 before counts no more
        )
        state = machine.disable_irq()
        # Not `now_us`: all of the above takes more than two milliseconds.
        begins_us: int = time.ticks_us()
        _start(SETTLE_TURNS)
        machine.enable_irq(state)
        first_us = (begins_us + self.period_us // 2) & WRAP
        if again:
            gap_us = (first_us - self._due_us) & WRAP
            self.missed += gap_us // self.period_us
            if gap_us + self.period_us > self.worst_gap_us:
                self.worst_gap_us = gap_us + self.period_us
        self._due_us = first_us
        self._done_us = begins_us & WRAP
        self._seen = self._slot = self.waiting = 0
        self._looked_us = now_us

    def _halt(self) -> None:
        mem = machine.mem32
        channels = (self._again, self._out, self._next, self._data)
        mem[(ADC_PAGE << 12) + ADC_CS] = 1
        for dma in channels:
            # Off, so that none wakes another, then stopped.
            mem[(DMA_PAGE << 12) + DMA_CHANNEL * _number(dma) + DMA_CTRL] = _number(dma) << 11
        abort = (DMA_PAGE << 12) + DMA_ABORT
        mem[abort] = sum([1 << _number(dma) for dma in channels])
        for _ in range(ABORT_LOOKS):  # until it reads 0 a channel may still write (2.5.5.3)
            if not mem[abort]:
                break
        self._machine.active(0)

    def stop(self) -> None:
        """Take no more frames, and park the address lines low: muxes without power would be fed
        through them."""
        if not self.stopped:
            self._halt()
            self._machine.exec(_ALL_LOW)
            self.stopped = True
            self.waiting = 0

    def rail_mv(self) -> int:
        """The supply in the last frames, in mV; 0 when there are too few."""
        if self.stopped or self.taken < SUPPLY_FRAMES:
            return 0
        total = 0
        at = self._slot - 1
        for k in range(at, at - SUPPLY_FRAMES, -1):
            total += self._raw[(k & (FRAMES - 1)) * self.slots + self.slots - 1]
        return total * FULL_RAIL_MV // (4096 * SUPPLY_FRAMES)

    def _wire(self) -> None:
        data, following, out, again = self._data, self._next, self._out, self._again
        following.config(
            read=self._table,
            write=(DMA_PAGE << 12) + DMA_CHANNEL * _number(data) + DMA_SET_WRITE,
            count=1,
            ctrl=following.pack_ctrl(
                size=_WORD,
                inc_write=False,
                ring_size=_RING_BITS,
                ring_sel=False,
                treq_sel=_AT_ONCE,
                irq_quiet=True,
            ),
        )
        again.config(
            read=self._home,
            write=(DMA_PAGE << 12) + DMA_CHANNEL * _number(out) + DMA_SET_READ,
            count=1,
            ctrl=again.pack_ctrl(
                size=_WORD, inc_read=False, inc_write=False, treq_sel=_AT_ONCE, irq_quiet=True
            ),
        )
        data.config(
            read=(ADC_PAGE << 12) + ADC_FIFO,
            write=self._raw,
            count=self.slots,
            ctrl=data.pack_ctrl(
                size=_HALF_WORD,
                inc_read=False,
                treq_sel=ADC_REQUEST,
                chain_to=_number(following),
                irq_quiet=True,
                high_pri=True,
            ),
            trigger=True,
        )
        out.config(
            read=self._addresses,
            write=self._machine,
            count=self.slots,
            ctrl=out.pack_ctrl(
                size=0,
                inc_write=False,
                treq_sel=PIO0_REQUEST,
                chain_to=_number(again),
                irq_quiet=True,
                high_pri=True,
            ),
            trigger=True,
        )

    def frames(self) -> int:
        """Frames that were done at the last look, modulo 2³⁰."""
        return self._done

    def look(self, now_us: int) -> int:
        """Count the frames that are done; how many wait to be fetched. The first look starts."""
        if self.stopped:
            self.start(now_us)
        at = _frames(self._at, self._table)
        if at < 0:
            self.start(now_us)
            return 0
        n = (at - self._seen) & (FRAMES - 1)
        self._seen = at
        self._looked_us = now_us
        # Against all frames that are done, not those since the last look: `now_us` is of the
        # turn's beginning, and garbage may have been collected between that and a look.
        went_us = (now_us - self._done_us) & WRAP
        if FRAMES // 2 * self.period_us < went_us <= WRAP // 2:
            # Whole rounds of the table may have gone by unseen.
            behind = went_us // self.period_us - n + FRAMES // 2
            if behind >= FRAMES:
                n += behind // FRAMES * FRAMES
        self._done = (self._done + n) & WRAP
        self._done_us = (self._done_us + n * self.period_us) & WRAP
        n += self.waiting
        if n >= FRAMES:
            over = n - FRAMES + 1
            n -= over
            self.missed += over
            self._slot = (self._slot + over) & (FRAMES - 1)
            self._due_us = (self._due_us + over * self.period_us) & WRAP
            self._lost += over
        self.waiting = n
        return n

    def scan(self, now_us: int, counts: "array[int]", references: "array[int]") -> int:
        """Fetch the next frame; its time (its middle), or −1 when there is none.

        Frames are looked for once for each `now_us`.
        """
        if now_us != self._looked_us:
            self.look(now_us)
        if self.waiting <= 0:
            return -1
        self.waiting -= 1
        self.taken += 1
        slot = self._slot
        self._slot = (slot + 1) & (FRAMES - 1)
        first = slot * self.slots
        gather(self._raw, first, self._cells, counts)
        gather(self._raw, first, self._references, references)
        if self._lost:
            self._tell_gap()
        t_us = self._due_us
        self._due_us = (t_us + self.period_us) & WRAP
        return t_us

    def next_us(self, now_us: int, epoch_us: int) -> int:
        """As `Hal.next_us`."""
        if now_us != self._looked_us:
            self.look(now_us)
        return (self._due_us - epoch_us) & WRAP if self.waiting > 0 else -1

    def put(self, counts: "array[int]", references: "array[int]", for_us: int) -> int:
        """As `Hal.put`."""
        n = min((for_us - 1) // self.period_us + 1, self.waiting)
        for k in range(self._slot, self._slot + n):
            first = (k & (FRAMES - 1)) * self.slots
            scatter(self._raw, first, self._cells, counts)
            scatter(self._raw, first, self._references, references)
        return n

    def _tell_gap(self) -> None:
        gap_us = (self._lost + 1) * self.period_us
        self._lost = 0
        if gap_us > self.worst_gap_us:
            self.worst_gap_us = gap_us

    def burst(self, now_us: int, senses: "Senses", no: int, epoch_us: int, most: int) -> int:
        """As `Hal.burst`."""
        if now_us != self._looked_us:
            self.look(now_us)
        n = self.waiting
        if n <= 0:
            return 0
        if n > most:
            n = most
        t_us = (self._due_us - epoch_us) & WRAP
        slot = self._slot
        got: int = burst(self._mine, senses, slot, self.slots, FRAMES, n, no, t_us, self.period_us)
        done = got & 255
        if done:
            if self._lost:
                self._tell_gap()
            self.waiting -= done
            self.taken += done
            self._slot = (slot + done) & (FRAMES - 1)
            self._due_us = (self._due_us + done * self.period_us) & WRAP
        return got


# The LEDs: one chain over all strips, put out by a PIO machine that DMA feeds.
#
# A frame of 182 lights takes 5.5 ms on the wire and 0.1 ms of the CPU; interrupts stay on.


DATA_PIN, OFF_PIN, POWER_PIN = 14, 15, 18
"""The chain, its driver's output enable (low is on), and the switch of the LED rail."""
_MACHINE = 4


class Lamps:
    """The chain of lights and the strips' power; dark until the first picture."""

    def __init__(self) -> None:
        self._machine = rp2.StateMachine(
            _MACHINE, ws2812, freq=LIGHT_HZ, sideset_base=Pin(DATA_PIN)
        )
        self._machine.active(1)
        self._dma = rp2.DMA()
        self._ctrl = self._dma.pack_ctrl(
            size=0, inc_write=False, treq_sel=PIO1_REQUEST, irq_quiet=True
        )
        self._off = Pin(OFF_PIN, Pin.OUT, value=1)
        self._power = Pin(POWER_PIN, Pin.OUT, value=0)

    def power(self) -> None:
        """Give the strips their power; the lights still hear nothing."""
        self._off.value(1)
        self._power.value(1)

    def busy(self) -> bool:
        """True if a picture is still on its way."""
        return bool(self._dma.active())

    def show(self, grb: bytearray) -> None:
        """Put out a picture, green first, straight from where it stands; when not `busy`."""
        self._dma.config(
            read=grb,
            write=self._machine,
            count=len(grb),
            ctrl=self._ctrl,
            trigger=True,
        )
        self._off.value(0)

    def dark(self) -> None:
        """Cut the strips' power."""
        self._off.value(1)
        self._power.value(0)
