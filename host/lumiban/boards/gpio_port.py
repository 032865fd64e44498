"""A board on the Pi's own header, as the firmware sees its hardware.

The very firmware of the Pico runs on it, in a process of its own (gpio_process.py): rules of
sensing, order and light are the same, only frames come slower and with Linux's jitter.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from lumiban_fw.hal import Hal
from lumiban_fw.update import CALIBRATION
from lumiban_fw.wire import IS_SIMULATED

from lumiban.boards import gpio_scan
from lumiban.boards.gpio_libraries import errors_of
from lumiban.boards.gpio_pins import NONE, PinError, Pins
from lumiban.boards.profile import Profile
from lumiban.errors import BoardError

RESERVE = 1.25
"""A frame may take so many times its measured time before the next is late."""
TRIAL = 20
"""Frames that are timed at the start."""
LOW_MV, GOOD_MV = 4_400, 5_000
"""What is told of a supply of which one pin says only whether it is good."""


class Restart(Exception):  # as in the chip: no error
    """The firmware wants to begin anew."""


class Line(Protocol):
    """The board's end of the line to its host."""

    def read(self) -> bytes:
        """Bytes that came; b"" when none did."""

    def room(self) -> int:
        """How many bytes can be written now."""

    def write(self, data: bytes) -> None:
        """Send bytes, at most `room()`."""


class Lights(Protocol):
    """What shows pictures."""

    def show(self, rgb: bytes) -> None:
        """Light all lights: r, g, b of each."""


class Header:
    """The pins of a board, set up; BoardError when the system does not give them."""

    def __init__(self, profile: Profile, pins: Pins, gpio: Any, spidev: Any) -> None:
        self.profile = profile
        self.pins = pins
        self._gpio = gpio
        gpio.setwarnings(False)
        gpio.setmode(gpio.BCM)
        try:
            self._set_up()
            self._adcs = gpio_scan.open_adcs(pins, spidev, profile.rows)
        except BoardError:
            gpio.cleanup()
            raise
        gpio_scan.start(pins, profile, gpio)
        self.scanner = gpio_scan.Scanner(profile, pins, gpio, self._adcs)

    def _set_up(self) -> None:
        """Claim all pins: lights off, supply off, inputs pulled up."""
        gpio, pins = self._gpio, self.pins
        outputs = dict.fromkeys(pins.columns, 0) | {pins.dark: 1, pins.power: 0}
        inputs = (*pins.buttons, pins.good)
        for pin in (*outputs, *inputs):
            if pin == NONE:
                continue
            try:
                if pin in outputs:
                    gpio.setup(pin, gpio.OUT, initial=outputs[pin])
                else:
                    gpio.setup(pin, gpio.IN, pull_up_down=gpio.PUD_UP)
            except errors_of(gpio) as error:
                raise PinError("busy", pin=pin, detail=str(error)) from None

    def light_up(self) -> None:
        """Give the lights their supply and their signal; call it when they have been put out."""
        if self.pins.power != NONE:
            self._gpio.output(self.pins.power, 1)
        if self.pins.dark != NONE:
            self._gpio.output(self.pins.dark, 0)

    def buttons(self) -> int:
        """Buttons that are down, one bit each."""
        down = 0
        for number, pin in enumerate(self.pins.buttons):
            if not self._gpio.input(pin):
                down |= 1 << number
        return down

    def is_good(self) -> bool:
        """Whether the 5 V supply is told to be good."""
        return self.pins.good == NONE or bool(self._gpio.input(self.pins.good))

    def close(self) -> None:
        """Cut the lights' supply and give all pins back."""
        if self.pins.dark != NONE:
            self._gpio.output(self.pins.dark, 1)
        if self.pins.power != NONE:
            self._gpio.output(self.pins.power, 0)
        for adc in self._adcs:
            adc.close()
        self._gpio.cleanup()

    def frame_us(self, clock: Callable[[], int]) -> int:
        """How long a frame takes here, as most of some do not exceed; at least 1 µs."""
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

    def __init__(
        self,
        header: Header,
        lights: Lights,
        line: Line,
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
        self.capabilities = IS_SIMULATED if simulated else 0
        self.scan_hz = scan_hz
        self.frames = 0
        self.due_us = 0
        """When the next frame is to be taken."""
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
        return self._store.load(name)

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
