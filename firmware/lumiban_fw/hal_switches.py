"""Switches on a Pico's own pins: boards whose sensors only tell that a piece stands there.

Loaded on such boards alone. The program reads all switches itself, some hundred times a second:

- a matrix: a row is drawn low, its columns are read, the row is let go. Rows that are not read
  float, so that nothing is shorted in a matrix without diodes either; or each switch has a pin of
  its own, and there is no row to drive;
- a matrix whose rows are outputs of 74HC595s, low while they are read;
- a chain of 74HC165s, taken over at once and shifted in;
- MCP23017s, whose ports are words of pins (`hal_expanders`).

A closed switch draws its input to ground. Whatever the wiring, a frame is a few words of all pins
(`_looks`); for each cell `/board.bin` says in which word and at which pin it stands.
"""

import time
from array import array

import micropython
from machine import Pin

from lumiban_fw.hal_pico import Pico
from lumiban_fw.hal_pio import WRAP
from lumiban_fw.hal_rp2040 import (
    GPIO_IN,
    GPIO_OE_CLEAR,
    GPIO_OE_SET,
    GPIO_OUT_CLEAR,
    GPIO_OUT_SET,
    SIO_PAGE,
)
from lumiban_fw.layout_file import (
    SWITCH_CHAIN,
    SWITCH_EXPANDERS,
    SWITCH_ROWS,
    SWITCH_SHIFTED_ROWS,
)
from lumiban_fw.wire import HALF_SCALE, PRESENCE_ONLY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lumiban_fw.layout import Layout

SETTLE_US = 60
"""From the choice of a row until its columns are read: they rise again by pull-ups of 50 to 80 kΩ
against the 200 pF of a metre of wire, and a Hall switch whose power was off has to wake."""
SWITCH_UT = 12_000
"""The field for which a closed switch stands: of a neutral piece, in the middle of its range."""


@micropython.viper
def _put(register: int, mask: int):
    ptr32((int(SIO_PAGE) << 12) + register)[0] = mask


@micropython.viper
def _pins() -> int:
    return ptr32((int(SIO_PAGE) << 12) + int(GPIO_IN))[0]


@micropython.viper
def _shift(word: int, count: int, data: int, clock: int, latch: int):
    """Send `count` bits of a word to registers, the highest first, and let them take over."""
    rise = ptr32((int(SIO_PAGE) << 12) + int(GPIO_OUT_SET))
    fall = ptr32((int(SIO_PAGE) << 12) + int(GPIO_OUT_CLEAR))
    at = count
    while at > 0:
        at -= 1
        if word >> at & 1:
            rise[0] = data
        else:
            fall[0] = data
        rise[0] = clock
        rise[0] = clock  # 0.1 µs at 125 MHz: twice what they need at 3.3 V
        fall[0] = clock
    rise[0] = latch
    rise[0] = latch
    fall[0] = latch


@micropython.viper
def _take(looks: object, count: int, load: int, clock: int):
    """Let registers take over what stands at them, and shift it in."""
    words = ptr32(looks)
    rise = ptr32((int(SIO_PAGE) << 12) + int(GPIO_OUT_SET))
    fall = ptr32((int(SIO_PAGE) << 12) + int(GPIO_OUT_CLEAR))
    pins = ptr32((int(SIO_PAGE) << 12) + int(GPIO_IN))
    fall[0] = load
    fall[0] = load
    rise[0] = load
    rise[0] = load
    for k in range(count):
        words[k] = pins[0]
        rise[0] = clock
        rise[0] = clock
        fall[0] = clock
        fall[0] = clock


@micropython.viper
def _tell(looks: object, inputs: object, counts: object, cells: int, opened: int, closed: int):
    """The counts of all cells from the pins' levels."""
    words = ptr32(looks)  # one by one: what a tuple is unpacked into is no pointer
    at = ptr8(inputs)
    of = ptr16(counts)
    for cell in range(cells):
        if words[at[2 * cell]] >> at[2 * cell + 1] & 1:
            of[cell] = opened
        else:
            of[cell] = closed


class Contacts:
    """Frames of switches, in place of `hal_pio.Capture`; times are modulo 2³⁰ µs.

    A frame is read when it is asked for and due; those that were due while the firmware was busy
    are `missed`.
    """

    waiting = 0
    restarts = 0

    def __init__(self, layout: "Layout") -> None:
        wiring = layout.wiring
        self._row = layout.row
        self._how, slots, lines = wiring[0], wiring[1], wiring[2]
        self._inputs = wiring[3 + lines :]
        self._looks = array("I", [0] * slots)
        self._unread = -1
        """The word of what could not be read; none where switches stand at pins."""
        has_pins = self._how != SWITCH_EXPANDERS
        if not has_pins:
            from lumiban_fw.hal_expanders import UNREAD, reader

            self._unread = UNREAD
            self._read = reader(  # type: ignore[method-assign]  # in place of pins
                wiring[3:5], wiring[5 : 3 + lines], self._looks
            )
        for k in range(1, len(self._inputs) if has_pins else 0, 2):
            Pin(self._inputs[k], Pin.IN, Pin.PULL_UP)
        for k in range(lines if has_pins else 0):
            if self._how == SWITCH_ROWS:
                Pin(wiring[3 + k], Pin.IN)
            else:  # SH/LD is high while nothing is taken over; all else is low
                Pin(wiring[3 + k], Pin.OUT, value=k == 0 and self._how == SWITCH_CHAIN)
        self._lines = array("I", [1 << pin for pin in wiring[3 : 3 + lines]])
        if self._how == SWITCH_ROWS:
            _put(GPIO_OUT_CLEAR, sum(self._lines))
        self._words = array("I")
        """Words for the registers of a matrix: one output low, and at the end none."""
        if self._how == SWITCH_SHIFTED_ROWS:
            full = (1 << (slots + 7) // 8 * 8) - 1
            self._words = array("I", [full ^ 1 << row for row in range(slots)] + [full])
        self._bits = (slots + 7) // 8 * 8
        self._closed = HALF_SCALE + (SWITCH_UT << 16) // layout.gain_q16
        self.period_us = 1_000_000 // layout.scan_hz
        self.worst_gap_us = self.period_us
        self.stopped = True
        self.missed = self.taken = 0
        self._due_us = self._last_us = 0

    def stop(self) -> None:
        """Take no more frames."""
        self.stopped = True

    def look(self, now_us: int) -> int:
        """Number of waiting frames: none, they are read when they are asked for."""
        return 0

    def frames(self) -> int:
        """Frames that were read, modulo 2³⁰."""
        return self.taken & WRAP

    def scan(self, now_us: int, counts: "array[int]", references: "array[int]") -> int:
        """Read the next frame if it is due; when it was, or −1."""
        again = not self.stopped
        if not again:
            self.stopped = False
            self._due_us = now_us
        late_us = (now_us - self._due_us) & WRAP
        if late_us > WRAP >> 1:
            return -1
        over = late_us // self.period_us
        self._due_us = (self._due_us + (over + 1) * self.period_us) & WRAP
        t_us: int = time.ticks_us()
        if again:
            self.missed += over
            gap_us = (t_us - self._last_us) & WRAP
            if gap_us > self.worst_gap_us:
                self.worst_gap_us = gap_us
        self._last_us = t_us
        self.taken += 1
        self._read()
        _tell(self._looks, self._inputs, counts, len(counts), HALF_SCALE, self._closed)
        for row in range(len(references)):
            references[row] = HALF_SCALE
        if max(self._looks) == self._unread:  # held, as where a reference is off
            for cell in range(len(counts)):
                if self._looks[self._inputs[2 * cell]] == self._unread:
                    references[self._row[cell]] = 0
        return t_us

    def _read(self) -> None:
        looks, lines = self._looks, self._lines
        if self._how == SWITCH_CHAIN:
            _take(looks, len(looks), lines[0], lines[1])
        elif self._how == SWITCH_SHIFTED_ROWS:
            words, bits = self._words, self._bits
            for row in range(len(looks)):
                _shift(words[row], bits, lines[0], lines[1], lines[2])
                time.sleep_us(SETTLE_US)  # the columns rise
                looks[row] = _pins()
            _shift(words[len(looks)], bits, lines[0], lines[1], lines[2])
        elif len(lines) == 0:
            looks[0] = _pins()
        else:
            for row in range(len(looks)):
                _put(GPIO_OE_SET, lines[row])
                time.sleep_us(SETTLE_US)  # the columns rise
                looks[row] = _pins()
                _put(GPIO_OE_CLEAR, lines[row])


class SwitchPico(Pico):
    """A Pico with switches on its pins: nothing measures its supply, nothing supervises it."""

    capabilities = PRESENCE_ONLY
    bursts = False
    sensors = Contacts  # type: ignore[assignment]  # in place of a capture

    def rail_mv(self) -> int:
        return 0

    def supply_good(self) -> bool:
        return True
