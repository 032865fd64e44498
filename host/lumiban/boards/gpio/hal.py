"""A board on the Pi's own header, as the firmware sees its hardware.

The very firmware of the Pico runs on it, in a process of its own (gpio/process.py): rules of
sensing, order and light are the same, only frames come slower and with Linux's jitter.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from lumiban_fw.hal import Hal
from lumiban_fw.update import BOARD_BIN, CALIBRATION, IDENTITY
from lumiban_fw.wire import IS_SIMULATED, PRESENCE_ONLY

from lumiban.boards.gpio.interface import Buses, Outputs, PinAccess
from lumiban.boards.gpio.pins import NONE, Pins
from lumiban.boards.gpio.switches import SwitchScanner, open_wiring
from lumiban.boards.identity import identity_bin
from lumiban.boards.profile import Profile
from lumiban.system.disk import DISK

RESERVE = 1.25
"""Multiple of its measured time that a frame may take before the next is late."""
TRIAL = 20
"""Frames that are timed at the start."""
LOW_MV, GOOD_MV = 4_400, 5_000
"""Voltages in mV to report for a supply of which one pin says only whether it is good."""


class Restart(Exception):  # as in the chip: no error
    """The firmware wants to restart."""


class HostLine(Protocol):
    """The board's end of the line to its host."""

    def read(self) -> bytes:
        """Bytes that came; b"" when none did."""

    def room(self) -> int:
        """Number of bytes that can be written now."""

    def write(self, data: bytes) -> None:
        """Send bytes, at most `room()`."""


class Painting(Protocol):
    """Lights that show pictures without making anybody wait."""

    def show(self, rgb: bytes) -> None:
        """Let this picture be shown: r, g, b of each light."""


class Header:
    """The pins of a board, set up; BoardError when the system does not give them.

    It closes `access` and `buses`, also when it cannot be made.
    """

    def __init__(self, profile: Profile, pins: Pins, access: PinAccess, buses: Buses) -> None:
        self.profile = profile
        self.pins = pins
        self._access = access
        self._buses = buses
        try:
            self._dark = self._output(pins.dark, 1)
            self._power = self._output(pins.power, 0)
            self._good = access.inputs([pins.good]) if pins.good != NONE else None
            self._buttons = access.inputs(pins.buttons) if pins.buttons else None
            self.scanner = SwitchScanner(profile, open_wiring(profile, pins, access, buses))
        except BaseException:  # whatever it was: all goes back as it was
            self._give_back()
            raise

    def _output(self, pin: int, level: int) -> Outputs | None:
        return None if pin == NONE else self._access.outputs([pin], level)

    def _give_back(self) -> None:
        self._buses.close()
        self._access.close()

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
        self._give_back()

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
        lights: Painting,
        line: HostLine,
        store: Hal,
        *,
        clock: Callable[[], int],
        scan_hz: int,
        uid: bytes,
        boot_id: int,
        reset_cause: int = 1,
        simulated: bool = False,
    ) -> None:
        self.uid = uid
        self.boot_id = boot_id
        self.reset_cause = reset_cause
        self.capabilities = PRESENCE_ONLY | (IS_SIMULATED if simulated else 0)
        self.scan_hz = scan_hz
        self.frames = 0
        self.due_us = 0
        """Time in µs at which the next frame is to be taken."""
        self._header = header
        self._lights = lights
        self._line = line
        self._store = store
        self._clock = clock
        self._period_us = 1_000_000 // scan_hz
        self._last_us = -1
        self._worst_us = 0

    def board_bin(self) -> bytes:
        profile = replace(self._header.profile, scan_hz=1_000_000 // self._period_us)
        return profile.board_bin()

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
        try:
            DISK.put_whole(self._folder / name, data)
        except OSError:
            return False
        return True
