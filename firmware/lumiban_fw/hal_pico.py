"""The Raspberry Pi Pico's hardware: sensors, LEDs, USB, buttons, watchdog, flash."""

import gc
import os
import select
import sys
import time
from array import array

import machine
import micropython
from machine import Pin

import lumiban_fw
from lumiban_fw.hal import Hal
from lumiban_fw.hal_pio import FULL_RAIL_MV, WRAP, Capture, Lamps
from lumiban_fw.hal_rp2040 import (
    EP2_IN_BUFFER,
    GPIO_IN,
    SCRATCH0,
    SIO_PAGE,
    USB_PAGE,
    WATCHDOG_PAGE,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from lumiban_fw.buffers import Senses
    from lumiban_fw.layout import Layout


LOADING_MS, WATCHDOG_MS = 8_000, 2_000
"""The watchdog bites after so long: from the first line of main.py on, and from the first frame."""
FIRST_FRAME_US = 25_000
"""From the switch of the strips' power to their first frame: gate 9 ms, ramp 7 ms, a fifth more for
their parts, and 5 ms until sensors are steady."""
SUPERVISED_LEAST_MV = 1_800
LISTEN_US = 2_000
"""Bytes of the host are looked for so often …"""
BEHIND, LISTEN_LATEST_US = 8, 20_000
"""… but not while this number of frames wait, unless they have waited for so long themselves: USB
holds them back meanwhile. A host's first picture costs 8 ms of every 60 bytes."""
FLOOD = 12
"""Number of waiting frames after a burst from which on a turn takes in all and does nothing else:
32 are kept, and a collection of garbage that a full heap forces costs 20 of them."""
TURN_US = 4_000
"""Garbage is collected after a turn no longer than this: frames wait for both."""
TIMED_US, STEP_US, MIN_STEPS = 5_600, 600, 2
"""A turn ends with work on times of events, by steps of the second, until it has lasted for the
first, but does as many as the third in any case …"""
CROWD_STEPS, ROOM_US = 2, 9_000
"""… and this many more for a crowd: with two a turn a board of three busy hands was 0.4 s behind.
When the oldest frame has waited for the second, one: else the next turns would lose frames."""
HOLES, A_TURN = 1_200, 100
"""Small holes that a collection leaves between what stays, and how many are filled in a turn."""
RATE_US = 2_000_000
"""The rate that is kept is measured over so long."""
BUTTON_PINS = (0, 1, 19, 22)
POWER_GOOD_PIN, REGULATOR_PIN = 17, 23
RAIL_PIN = 27
"""ADC1 sees half of the 5 V rail."""
_SOFT = 0x4C4D4252
"""In the watchdog's first scratch word: the reset that follows is meant."""
POWER_ON, SOFTWARE, WATCHDOG = 1, 2, 3


@micropython.viper
def _pins() -> int:
    return ptr32((int(SIO_PAGE) << 12) + int(GPIO_IN))[0]


def forget() -> None:
    """Let go of what was loaded for one use; it is loaded again when it is needed."""
    for name in ("layout_file", "calibration", "gamma", "requests", "identity"):
        sys.modules.pop("lumiban_fw." + name, None)
        setattr(lumiban_fw, name, None)  # left by an import


def fill(holes: int) -> None:
    """Let garbage fill this number of small holes of the heap.

    MicroPython looks for a larger piece behind all of them, and a call of a function with many
    variables takes one: that made every turn twice as long until other garbage had filled them.
    """
    all(zip(range(holes)))


class Pico(Hal):
    """The chip; the sensors start with the first `scan`, the watchdog with their first frame."""

    steps = 8
    bursts = True
    stores = True
    wraps = True
    green_first = True
    sensors = Capture
    """Receiver of the frames; a board of switches has another (`hal_switches`)."""

    def __init__(self, layout: "Layout") -> None:
        self.layout = layout
        self._now_us = self._heard_us = 0
        self.uid = machine.unique_id()
        # By its place: the bundle gives names like `_machine` short ones.
        self.chip = sys.implementation[2].encode()
        self.boot_id = int.from_bytes(os.urandom(4), "little")
        # A reset by software is the watchdog's too, so it leaves a word.
        self.reset_cause = POWER_ON
        if machine.reset_cause() == machine.WDT_RESET:
            self.reset_cause = (
                SOFTWARE if machine.mem32[(WATCHDOG_PAGE << 12) + SCRATCH0] == _SOFT else WATCHDOG
            )
        machine.mem32[(WATCHDOG_PAGE << 12) + SCRATCH0] = 0
        self._usb = Usb()
        self._adc = machine.ADC(RAIL_PIN)
        self._rail = 0
        """The 5 V rail in mV, as it was seen last."""
        self._wired = False
        """True if the frames contain the rail too: the first boards have nothing there."""
        if b"Pico with" in self.chip:
            # A plain Pico's regulator saves power otherwise, and its ripple is in each reading.
            self._regulator = Pin(REGULATOR_PIN, Pin.OUT, value=1)
        self._good = Pin(POWER_GOOD_PIN, Pin.IN, Pin.PULL_UP)
        self._button_pins = [Pin(pin, Pin.IN, Pin.PULL_UP) for pin in BUTTON_PINS]
        self._lamps = Lamps()
        self._capture = self.sensors(layout)
        self.scan_hz = 1_000_000 // self._capture.period_us
        self._rising_us = -1
        self._watchdog = machine.WDT(timeout=LOADING_MS)
        self._watches = False
        self._fed = self._took = self._rated_us = 0
        self._idle = IdleMoments()
        self._holes = 0
        """Holes that are still to be filled; -1 once the heap was counted since."""
        gc.collect()

    def now_us(self) -> int:
        """µs since power-on, modulo 2³⁰: the present of all that is asked until the next call."""
        now_us: int = time.ticks_us()
        self._now_us = now_us
        return now_us

    def power(self, on: bool) -> None:
        if on:
            self._lamps.power()
            self._rising_us = self._now_us
        else:
            self._capture.stop()
            self._lamps.dark()

    def scan(self, counts: "array[int]", references: "array[int]") -> int:
        if self._rising_us >= 0:
            # Addresses stay low until what they lead to has power.
            if (self._now_us - self._rising_us) & WRAP < FIRST_FRAME_US:
                return -1
            self._rising_us = -1
        return self._capture.scan(self._now_us, counts, references)

    def burst(self, senses: "Senses", no: int, epoch_us: int, most: int) -> int:
        return self._capture.burst(self._now_us, senses, no, epoch_us, most)

    def next_us(self, epoch_us: int) -> int:
        return self._capture.next_us(self._now_us, epoch_us)

    def put(self, counts: "array[int]", references: "array[int]", for_us: int) -> int:
        return self._capture.put(counts, references, for_us)

    def pending(self) -> int:
        capture = self._capture
        if capture.waiting:
            return capture.waiting
        return capture.look(self._now_us)

    def flooded(self) -> bool:
        return self._capture.waiting >= FLOOD

    def read(self) -> bytes:
        # A look takes 70 µs, and nothing on the line is in such a hurry.
        now_us = self._now_us
        since_us = (now_us - self._heard_us) & WRAP
        waits = self._capture.waiting >= BEHIND
        if since_us < (LISTEN_LATEST_US if waits else LISTEN_US):
            return b""
        self._heard_us = now_us
        return self._usb.read()

    def room(self) -> int:
        return self._usb.room()

    def write(self, data: bytes) -> None:
        self._usb.write(data)

    def showing(self) -> bool:
        return self._lamps.busy()

    def show(self, rgb: bytearray) -> None:
        self._lamps.show(rgb)

    def buttons(self) -> int:
        # A pressed button pulls its pin low.
        up = _pins()
        return ~(up & 1 | up & 2 | up >> 17 & 4 | up >> 19 & 8) & 15

    @property
    def missed(self) -> int:  # type: ignore[override]  # counted by the capture
        """As `Hal.missed`."""
        return self._capture.missed

    def _rate(self, us: int) -> None:
        """Note how many frames were taken in, and in what time in µs."""
        taken = self._capture.taken
        self.scan_hz = (taken - self._took) * 1000 // (us // 1000)
        self._took = taken
        self._rated_us = self._now_us

    def steps_left(self, crowd: bool) -> int:
        at_us: int = time.ticks_us()
        took_us = (at_us - self._now_us) & WRAP
        if self._capture.waiting * self._capture.period_us + took_us > ROOM_US:
            return 1
        return max((TIMED_US - took_us) // STEP_US, MIN_STEPS) + (CROWD_STEPS if crowd else 0)

    def tidy(self, playing: bool) -> None:
        now_us = self._now_us
        if self._holes > 0:
            self._holes -= A_TURN
            fill(A_TURN)
        if not self._idle.due(now_us, playing) or self._capture.waiting >= BEHIND:
            return
        at_us: int = time.ticks_us()
        if (at_us - now_us) & WRAP < TURN_US:
            if not self._holes:
                self._holes = -1
                self.free_heap = gc.mem_free()  # takes 8 ms: frames wait for both, so not at once
                return
            self._idle.begin(now_us)
            forget()
            gc.collect()
            self._holes = HOLES

    def feed(self) -> None:
        us = (self._now_us - self._rated_us) & WRAP
        if us >= RATE_US and self._watches:
            self._rate(us)
        done = self._capture.frames()
        if self._capture.stopped:
            self._watchdog.feed()
        elif done != self._fed:
            self._fed = done
            if not self._watches:
                self._watches = True
                self._watchdog = machine.WDT(timeout=WATCHDOG_MS)
                self._rated_us = self._now_us  # the first frame: loading is no part of the rate
                self._took = self._capture.taken
            self._watchdog.feed()

    def worst_gap_us(self) -> int:
        gap = self._capture.worst_gap_us
        self._capture.worst_gap_us = self._capture.period_us
        return gap

    def rail_mv(self) -> int:
        capture = self._capture
        if capture.stopped:
            # While frames are taken the converter is theirs.
            adc = self._adc
            self._rail = sum([adc.read_u16() for _ in range(8)]) * FULL_RAIL_MV // (8 * 65535)
            return self._rail
        mv = capture.rail_mv()
        if self._wired or (mv and abs(mv - self._rail) * 8 < self._rail):
            self._wired = True
            self._rail = mv or self._rail
        return self._rail

    def supply_good(self) -> bool:
        # A supervisor without power says nothing, and the pin is pulled up.
        return self._good.value() == 1 and self._rail > SUPERVISED_LEAST_MV

    def load(self, name: str) -> bytes:
        try:
            with open("/" + name, "rb") as file:
                return bytes(file.read())
        except OSError:
            return b""

    def blocks(self, name: str) -> "Iterator[bytes]":
        try:
            with open("/" + name, "rb") as file:
                block = file.read(1_024)
                while block:
                    yield block
                    block = file.read(1_024)
        except OSError:
            pass

    def store(self, name: str, data: bytes) -> bool:
        try:
            with open("/" + name + ".new", "wb") as file:
                file.write(data)
            os.rename("/" + name + ".new", "/" + name)
        except OSError:
            return False
        return True

    def append(self, name: str, data: bytes) -> bool:
        try:
            with open("/" + name, "ab") as file:
                file.write(data)
        except OSError:
            return False
        return True

    def discard(self, name: str) -> None:
        try:
            os.remove("/" + name)
        except OSError:
            pass

    def reset(self) -> None:
        self._lamps.dark()
        machine.mem32[(WATCHDOG_PAGE << 12) + SCRATCH0] = _SOFT
        machine.reset()

    def bootloader(self) -> None:
        self._lamps.dark()
        machine.bootloader()


# USB serial that never waits.
#
# MicroPython tells whether a byte can be written, not how many, and waits up to half a second for a
# host that does not read. But the chip's own register tells whether the host took the last packet.
# When it did, TinyUSB's buffer is empty and takes BUFFER bytes; until it does again, what was
# written since is what may still be there.


BUFFER = 256
"""Bytes that TinyUSB holds for the host."""
AT_ONCE = 63
"""Bytes read in one go, a full frame: reading costs 60 µs a byte, following it 4 ms."""


@micropython.viper
def _taken() -> int:
    """True if the host took the last packet: the IN buffer of endpoint 2 is the firmware's."""
    return 1 - ((ptr32((int(USB_PAGE) << 12) + int(EP2_IN_BUFFER))[0] >> 10) & 1)


class Usb:
    """The line to the host."""

    def __init__(self) -> None:
        micropython.kbd_intr(-1)  # 0x03 is data
        self._in = sys.stdin.buffer
        self._out = sys.stdout.buffer
        self._poll = select.poll()
        self._poll.register(sys.stdin, select.POLLIN)
        self._byte = bytearray(1)
        self._held = 0

    def read(self) -> bytes:
        """Bytes that came, at most AT_ONCE of them."""
        poll = self._poll.ipoll
        for _ in poll(0):
            break
        else:
            return b""
        got = bytearray(AT_ONCE)
        one = self._byte
        take = self._in.readinto
        n = 0
        while n < AT_ONCE:
            take(one)
            got[n] = one[0]
            n += 1
            for _ in poll(0):
                break
            else:
                break
        return bytes(got[:n])

    def room(self) -> int:
        """Number of bytes that can be written without waiting."""
        if _taken():
            self._held = 0
        return BUFFER - self._held

    def write(self, data: bytes) -> None:
        """Send at most `room()` bytes."""
        self._held += len(data)
        self._out.write(data)


# When nobody plays, so that what takes long may be done.


IDLE_AFTER_US = 400_000
"""After a motion nobody plays for so long, so that garbage may be collected …"""
TIDY_US = 10_000_000
"""… and so often while nothing moves: a heap that is full in play would be at a worse moment."""


class IdleMoments:
    """Moments to collect garbage at; times are µs modulo 2³⁰.

    >>> idle = IdleMoments()
    >>> idle.due(0, False), idle.due(300_000, False), idle.due(400_000, False)
    (False, False, True)
    >>> idle.begin(400_000)
    >>> idle.due(500_000, False), idle.due(10_400_000, False)
    (False, True)
    """

    def __init__(self) -> None:
        self._due_us = -1
        """-1 before the first turn: then all cells are about to settle."""

    def due(self, now_us: int, playing: bool) -> bool:
        """True if such a moment has come; ask once a turn, and say whether somebody plays."""
        if playing or self._due_us < 0:
            self._due_us = (now_us + IDLE_AFTER_US) & WRAP
        else:
            return (now_us - self._due_us) & WRAP <= WRAP >> 1
        return False

    def begin(self, now_us: int) -> None:
        """Garbage is collected now."""
        self._due_us = (now_us + TIDY_US) & WRAP
