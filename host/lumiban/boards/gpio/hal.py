"""A board on the Pi's own header, as the firmware sees its hardware.

The very firmware of the Pico runs on it, in a process of its own (gpio/process.py): rules of
sensing, order and light are the same, only frames come slower and with Linux's jitter.

Sensors are read by muxes with four pins and two MCP3208 on SPI. All strips share the select lines:
for each channel every strip that has a sensor there is converted, one after the other. Strip r is
input r of the first ADC, from 8 on of the second. A frame takes milliseconds, as long as its
conversions. Undone, that would favour cells that are read late: their stones would seem to come
sooner. So each reading is taken back to the beginning of its frame, on the straight line from the
reading of the frame before.

All of it goes through the kernel's own devices (gpio/kernel.py); the lights are in gpio/lights.py.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from lumiban_fw.hal import Hal
from lumiban_fw.layout import REFERENCE
from lumiban_fw.update import BOARD_BIN, CALIBRATION, IDENTITY
from lumiban_fw.wire import IS_SIMULATED, PRESENCE_ONLY

from lumiban.boards.gpio.kernel import Kernel, Lines, open_chip
from lumiban.boards.gpio.pins import NONE, Pins
from lumiban.boards.gpio.spi import Message, SpiDevice, open_device
from lumiban.boards.gpio.switches import SwitchScanner, Wiring, open_wiring
from lumiban.boards.identity import identity_bin
from lumiban.boards.profile import Profile

RESERVE = 1.25
"""A frame may take so many times its measured time before the next is late."""
TRIAL = 20
"""Frames that are timed at the start."""
LOW_MV, GOOD_MV = 4_400, 5_000
"""Voltages in mV to report for a supply of which one pin says only whether it is good."""


class Restart(Exception):  # as in the chip: no error
    """The firmware wants to begin anew."""


class HostLine(Protocol):
    """The board's end of the line to its host."""

    def read(self) -> bytes:
        """Bytes that came; b"" when none did."""

    def room(self) -> int:
        """Number of bytes that can be written now."""

    def write(self, data: bytes) -> None:
        """Send bytes, at most `room()`."""


class Lights(Protocol):
    """Interface of whatever shows pictures."""

    def show(self, rgb: bytes) -> None:
        """Light all lights: r, g, b of each."""


class Header:
    """The pins of a board, set up; BoardError when the system does not give them."""

    scanner: Scanner | SwitchScanner

    def __init__(self, profile: Profile, pins: Pins, kernel: Kernel) -> None:
        self.profile = profile
        self.pins = pins
        self._chip = open_chip(kernel)
        self._buses: list[SpiDevice | Wiring] = []
        try:
            self._dark = self._output(pins.dark, 1)
            self._power = self._output(pins.power, 0)
            self._good = self._inputs([pins.good] if pins.good != NONE else [])
            self._buttons = self._inputs(pins.buttons)
            if profile.is_of_switches:
                wiring = open_wiring(profile, pins, self._chip)
                self._buses = [wiring]
                self.scanner = SwitchScanner(profile, wiring)
            else:
                adcs = open_adcs(pins, kernel, profile.rows)
                self._buses = [*adcs]
                self.scanner = Scanner(profile, self._chip.output(pins.columns, 0), adcs)
        except BaseException:  # whatever it was: the pins go back as they were
            self._chip.close()
            raise

    def _output(self, pin: int, level: int) -> Lines | None:
        return None if pin == NONE else self._chip.output([pin], level)

    def _inputs(self, pins: Sequence[int]) -> Lines | None:
        """Inputs that are pulled up; None where there are none."""
        return self._chip.inputs(pins) if pins else None

    def light_up(self) -> None:
        """Give the lights their supply and their signal; call it when they have been put out."""
        if self._power is not None:
            self._power.put(1)
        if self._dark is not None:
            self._dark.put(0)

    def buttons(self) -> int:
        """Buttons that are down, one bit each."""
        if self._buttons is None:
            return 0
        return self._buttons.bits() ^ (1 << len(self.pins.buttons)) - 1

    def is_good(self) -> bool:
        """True if the 5 V supply is reported to be good."""
        return self._good is None or bool(self._good.bits())

    def close(self) -> None:
        """Cut the lights' supply and give all pins back."""
        if self._dark is not None:
            self._dark.put(1)
        if self._power is not None:
            self._power.put(0)
        for bus in self._buses:
            bus.close()
        self._chip.close()

    def frame_us(self, clock: Callable[[], int]) -> int:
        """Duration of a frame in µs that most frames do not exceed; at least 1."""
        counts = array("H", bytes(2 * len(self.profile.cells)))
        references = array("H", bytes(2 * self.profile.rows))
        took = []
        for _ in range(TRIAL):
            begin, end = self.scanner.read(counts, references, clock)
            took.append(end - begin)
        return max(sorted(took)[TRIAL * 3 // 4], 1)


def rate_hz(frame_us: int, most_hz: int) -> int:
    """The rate at which frames of this length are taken: with a reserve, no faster than `most_hz`.

    >>> rate_hz(3_000, 1_000), rate_hz(10, 1_000)
    (266, 1000)
    """
    return max(min(most_hz, int(1_000_000 / (RESERVE * frame_us))), 1)


class PiPort(Hal):
    """The header as the firmware's hardware; frames are due `scan_hz` times a second.

    `clock` gives µs since power-on. `scan_hz` may be set to what was measured since.
    """

    chip = b"a Raspberry Pi's header"

    def __init__(
        self,
        header: Header,
        lights: Lights,
        line: HostLine,
        store: Hal,
        *,
        clock: Callable[[], int],
        scan_hz: int,
        uid: bytes,
        boot_id: int,
        reset_cause: int = 1,
        simulated: bool = False,
        baselines: tuple[int, ...] = (),
    ) -> None:
        self.uid = uid
        self.boot_id = boot_id
        self.reset_cause = reset_cause
        self.capabilities = (IS_SIMULATED if simulated else 0) | (
            PRESENCE_ONLY if header.profile.is_of_switches else 0
        )
        self.scan_hz = scan_hz
        self.frames = 0
        self.due_us = 0
        """Time in µs at which the next frame is to be taken."""
        self._header = header
        self._lights = lights
        self._line = line
        self._store = store
        self._clock = clock
        self._baselines = baselines
        self._period_us = 1_000_000 // scan_hz
        self._last_us = -1
        self._worst_us = 0

    def board_bin(self) -> bytes:
        profile = replace(self._header.profile, scan_hz=1_000_000 // self._period_us)
        return profile.board_bin(self._baselines)

    def scan(self, counts: array[int], references: array[int]) -> int:
        if self._clock() < self.due_us:
            return -1
        t_us, end = self._header.scanner.read(counts, references, self._clock)
        self.due_us += self._period_us
        if self.due_us <= end:  # late: what is missed is not caught up
            self.due_us = end - (end - self.due_us) % self._period_us + self._period_us
        if self._last_us >= 0:
            self._worst_us = max(self._worst_us, t_us - self._last_us)
        self._last_us = t_us
        self.frames += 1
        return t_us

    def read(self) -> bytes:
        return self._line.read()

    def room(self) -> int:
        return self._line.room()

    def write(self, data: bytes) -> None:
        self._line.write(data)

    def show(self, rgb: bytearray) -> None:
        self._lights.show(bytes(rgb))

    def buttons(self) -> int:
        return self._header.buttons()

    def feed(self) -> None:
        """There is no watchdog: a process that hangs is noticed by the host's silence."""

    def worst_gap_us(self) -> int:
        worst, self._worst_us = self._worst_us, 0
        return worst

    def rail_mv(self) -> int:
        return GOOD_MV if self._header.is_good() else LOW_MV

    def load(self, name: str) -> bytes:
        if name == BOARD_BIN:
            return self.board_bin()
        return identity_bin(self._header.profile) if name == IDENTITY else self._store.load(name)

    def store(self, name: str, data: bytes) -> bool:
        # The program is updated with lumiban itself, the description is the profile's.
        return name == CALIBRATION and self._store.store(name, data)

    def restart(self, how: int) -> None:
        raise Restart


class Folder(Hal):
    """Files that are kept, each whole or not at all, in a folder that is made when needed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, name: str) -> bytes:
        try:
            return (self._folder / name).read_bytes()
        except OSError:
            return b""

    def store(self, name: str, data: bytes) -> bool:
        new = self._folder / f"{name}.new"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            new.write_bytes(data)
            new.replace(self._folder / name)
        except OSError:
            return False
        return True


INPUTS = 8
"""Of one MCP3208."""
_FIRST = 0b110
"""Start bit, single-ended."""


class Scanner:
    """Reads frames; `columns` are the select lines, `adcs` the devices of the ADCs.

    All conversions of a channel on one ADC are one call of the kernel, and so is its choice.
    """

    def __init__(self, profile: Profile, columns: Lines, adcs: Sequence[SpiDevice]) -> None:
        turns = _turns(profile)
        self._choose = columns.put
        self._turns = [(channel, _messages(at, adcs)) for channel, at in turns]
        self._instant = Instant([[(which, place) for _, which, place in at] for _, at in turns])
        self._starts = [0] * len(turns)
        self._ends = [0] * len(turns)

    def read(
        self, counts: array[int], references: array[int], clock: Callable[[], int]
    ) -> tuple[int, int]:
        """Fill in the counts (12 bits) of all cells, and of the rows' references.

        They are those of the first of the two times (µs of `clock`); at the other it was done.
        """
        into = (counts, references)
        begin = end = clock()
        for turn, (channel, readings) in enumerate(self._turns):
            self._choose(channel)
            self._starts[turn] = clock()
            for message, places in readings:
                for (_, high, low), (which, at) in zip(message.send(), places, strict=True):
                    into[which][at] = (high & 0x0F) << 8 | low
            end = self._ends[turn] = clock()
        self._instant.even(begin, self._starts, self._ends, counts, references)
        return begin, end


def _messages(
    readings: Sequence[tuple[int, int, int]], adcs: Sequence[SpiDevice]
) -> list[tuple[Message, list[Place]]]:
    """A turn's readings (row, which, place) as messages to its ADCs, with where each belongs."""
    out = []
    for number, adc in enumerate(adcs):
        mine = [one for one in readings if one[0] // INPUTS == number]
        if mine:
            words = [question(row % INPUTS) for row, *_ in mine]
            out.append((adc.message(words), [(which, at) for _, which, at in mine]))
    return out


def question(channel: int) -> tuple[int, int, int]:
    """The three bytes that make an MCP3208 convert one input; 12 bits come back in the last two.

    >>> [f"{byte:08b}" for byte in question(5)]
    ['00000111', '01000000', '00000000']
    """
    return _FIRST | channel >> 2, (channel & 3) << 6, 0


def _turns(profile: Profile) -> list[tuple[int, list[tuple[int, int, int]]]]:
    """For each mux channel in use: the channel, then (row, 0 or 1, place in counts or references)
    of each conversion."""
    by_channel: dict[int, list[tuple[int, int, int]]] = {}
    for number, cell in enumerate(profile.cells):
        by_channel.setdefault(cell.channel, []).append((cell.row, 0, number))
    by_channel[REFERENCE] = [(row, 1, row) for row in range(profile.rows)]
    return [(channel, sorted(by_channel[channel])) for channel in sorted(by_channel)]


def open_adcs(pins: Pins, kernel: Kernel, rows: int) -> list[SpiDevice]:
    """The ADCs that so many rows need; BoardError when the bus is not there or not ours."""
    selects = range(1 + (rows - 1) // INPUTS)
    return [open_device(kernel, pins.spi, select) for select in selects]


Place = tuple[int, int]
"""(0: counts, 1: references; where in them)."""


class Instant:
    """Evens out frames; `turns` are the places of each turn's readings, in their order.

    >>> instant = Instant([[(0, 0)], [(0, 1)]])
    >>> rising, none = array("H", [100, 110]), array("H")
    >>> instant.even(0, [0, 10], [20, 30], rising, none)
    >>> rising = array("H", [140, 150])
    >>> instant.even(40, [40, 50], [60, 70], rising, none); list(rising)
    [130, 130]
    """

    def __init__(self, turns: Sequence[Sequence[Place]]) -> None:
        self._turns = turns
        self._raw: tuple[array[int], array[int]] | None = None
        self._times = [0] * sum(len(turn) for turn in turns)

    def even(
        self,
        begin_us: int,
        starts_us: Sequence[int],
        ends_us: Sequence[int],
        counts: array[int],
        references: array[int],
    ) -> None:
        """Take a frame that began at `begin_us` back there, in place; the first one stays.

        The times are those between which each turn was read; its readings took equal parts.
        """
        before, into = self._raw, (counts, references)
        self._raw = counts[:], references[:]
        times = self._times
        k = 0
        for turn, start, end in zip(self._turns, starts_us, ends_us, strict=True):
            took, parts = end - start, 2 * len(turn)
            for n, (which, at) in enumerate(turn):
                t_us = start + took * (2 * n + 1) // parts
                then_us, times[k] = times[k], t_us
                k += 1
                if before is None or t_us <= begin_us:
                    continue
                old, new = before[which][at], into[which][at]
                if old != new:
                    gap = t_us - then_us
                    into[which][at] = old + ((new - old) * (begin_us - then_us) + gap // 2) // gap
