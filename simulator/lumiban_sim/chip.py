"""The board's chip in the simulated world: a hal backend, and the firmware running on it.

The firmware is the very code that a real board runs, here under CPython. The chip wakes it when it
asked to be woken, when bytes came, when a button changed, and for each frame of the sensors while
a field changes; frames of quiet time are skipped. `CalmBoard` is the firmware for that: noise
alone keeps it at no work.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from lumiban_fw.board import Board
from lumiban_fw.buffers import BAND, LAST
from lumiban_fw.events import NEVER
from lumiban_fw.hal import Hal
from lumiban_fw.identity import IDENTITY
from lumiban_fw.lights import Lights
from lumiban_fw.wire import CAN_ORDER, IS_SIMULATED, PRESENCE_ONLY

from lumiban_sim.flash_disk import FlashDisk
from lumiban_sim.world import FOREVER, World

BOARD = "board.bin"
DESCRIBED = (BOARD, IDENTITY)
"""Files that `board flash` writes."""
POWER_ON, BY_SOFTWARE, BY_WATCHDOG = 1, 2, 3
"""Cause of a reset, as HELLO tells it."""


class Body(Protocol):
    """The firmware on some machine, given its hardware when it was made."""

    def tick(self, now_us: int, /) -> int:
        """Run it once; returns when it wants to be run next at the latest, µs since power-on."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Pace of a chip's firmware: time goes on while it works, and frames wait for it."""

    show_us: int = 0
    """For a picture that it lights."""
    frame_us: int = 0
    """For a frame of the senses."""
    keeps: int = 8
    """Frames that the capture keeps for a firmware that is busy; older ones are lost."""


class _Restart(Exception):
    """The firmware restarted in the midst of its work."""


class Transport(Protocol):
    """The board's end of the line to its host."""

    def waiting(self) -> bool:
        """True if bytes from the host are there to read."""

    def read(self) -> bytes:
        """All bytes that came; b"" when none did."""

    def room(self) -> int:
        """Number of bytes that can be written now."""

    def write(self, data: bytes) -> None:
        """Send bytes, at most `room()`."""


class _Port(Hal):
    """View of the firmware on the world; its times begin at power-on."""

    def __init__(self, chip: Chip) -> None:
        self._chip = chip
        self._frame = -1
        self.lags = False
        """True if frames wait though quiet ones are skipped: the firmware was busy meanwhile."""
        self.missed = 0
        self.rests = False
        """True if the frame of this moment is one of those that are left out: the firmware runs for
        its lights alone."""
        self._counts = [0] * len(chip.world.profile.cells)
        self._references = [0] * chip.world.profile.rows
        self.uid = chip.uid
        self.boot_id = chip.boot_id
        self.reset_cause = chip.reset_cause
        self.capabilities = IS_SIMULATED | CAN_ORDER
        if chip.world.contacts is not None:
            self.capabilities = IS_SIMULATED | PRESENCE_ONLY
        self.scan_hz = chip.world.profile.scan_hz
        self.stores = True
        self.chip = b"a simulated chip"

    def board_bin(self) -> bytes:
        return self._chip.board_bin

    def scan(self, counts: array[int], references: array[int]) -> int:
        chip = self._chip
        frame = chip.now_us // chip.period_us
        if frame == self._frame or self.rests:
            return -1
        if (self.lags or not chip.skipping) and self._frame >= 0:
            following, newest = self._frame + 1, frame
            frame = max(following, newest - chip.pace.keeps + 1)
            self.missed += frame - following
            self.lags = self.lags and frame < newest
        self._frame = frame
        chip.owes_us += chip.pace.frame_us
        t_us = frame * chip.period_us
        if t_us < chip.epoch_us:
            return -1
        chip.world.sample(frame, t_us, self._counts, self._references)
        counts[:] = array("H", self._counts)
        references[:] = array("H", self._references)
        return t_us - chip.epoch_us

    def is_calm(self) -> bool:
        """True if no field changes in the newest frame, and none waits."""
        chip = self._chip
        frame_us = chip.now_us // chip.period_us * chip.period_us
        return not self.lags and chip.world.next_interesting_us(frame_us) > chip.now_us

    def pending(self) -> int:
        chip = self._chip
        waiting = chip.now_us // chip.period_us - self._frame
        return min(waiting, chip.pace.keeps if self.lags or not chip.skipping else 1)

    def read(self) -> bytes:
        return self._chip.transport.read()

    def room(self) -> int:
        return self._chip.transport.room()

    def write(self, data: bytes) -> None:
        self._chip.transport.write(data)

    def power(self, on: bool) -> None:
        self.switched(on, self._chip.now_us)

    def switched(self, on: bool, at_us: int) -> None:
        """As `power`, at a time of the world that may have been."""
        self._chip.world.power(on, at_us)

    def supply_good(self) -> bool:
        return self._chip.world.rails.good(self._chip.now_us)

    def show(self, rgb: bytearray) -> None:
        self._chip.owes_us += self._chip.pace.show_us
        self._chip.world.shine(bytes(rgb), self._chip.now_us)

    def buttons(self) -> int:
        return self._chip.world.buttons

    def feed(self) -> None:
        self._chip.fed_us = self._chip.now_us

    def worst_gap_us(self) -> int:
        # Frames of quiet time are not looked at, but a real chip's scan would go on.
        return self._chip.period_us

    def rail_mv(self) -> int:
        return self._chip.world.rails.rail_mv(self._chip.now_us)

    def load(self, name: str) -> bytes:
        chip = self._chip
        if chip.disk is not None and (data := chip.disk.load(name)):
            return data
        kept = chip.files.get(name, b"")
        return chip.described.get(name, b"") if not kept and name in DESCRIBED else kept

    def store(self, name: str, data: bytes) -> bool:
        if self._chip.disk is not None:
            return self._written(self._chip.disk, lambda disk: disk.store(name, data))
        self._chip.files[name] = bytes(data)
        return True

    def append(self, name: str, data: bytes) -> bool:
        if self._chip.disk is not None:
            return self._written(self._chip.disk, lambda disk: disk.append(name, data))
        self._chip.files[name] = self._chip.files.get(name, b"") + bytes(data)
        return True

    def discard(self, name: str) -> None:
        if self._chip.disk is not None:
            self._written(self._chip.disk, lambda disk: disk.discard(name))
        self._chip.files.pop(name, None)

    def _written(self, disk: FlashDisk, write: Callable[[FlashDisk], bool | None]) -> bool:
        """Write to a flash, and owe the time that it takes."""
        before = disk.took_us
        done = write(disk)
        self._chip.owes_us += disk.took_us - before
        return bool(done)

    def reset(self) -> None:
        raise _Restart

    def bootloader(self) -> None:
        self._chip.in_bootloader = True
        raise _Restart


class Chip:
    """The firmware in a world, on a line.

    Times are the world's; `uid` is 8 bytes, `boot_id` is told in HELLO and grows by one with each
    reset. `skipping` False runs every frame, quiet or not: for comparing. `body` makes the
    firmware run on its hardware: under CPython, unless another machine is given. `pace` makes
    time go on while it works (not when skipping); else it takes none. `cold`: each start begins
    without power on the strips, as on a board; else they always have it.
    """

    def __init__(
        self,
        world: World,
        transport: Transport,
        *,
        uid: bytes = b"\0" * 8,
        boot_id: int = 1,
        now_us: int = 0,
        skipping: bool = True,
        body: Callable[[Hal], Body] = Board,
        pace: Pace | None = None,
        cold: bool = False,
    ) -> None:
        self.world = world
        self.cold = cold
        self.transport = transport
        self.uid = uid
        self.boot_id = boot_id
        zeros = world.zeros()
        self.board_bin = world.profile.board_bin(zeros)
        self.period_us = 1_000_000 // world.profile.scan_hz
        self.skipping = skipping
        self.pace = pace or Pace()
        self.owes_us = 0
        """Time that the firmware has worked for and that has not gone by."""
        self.now_us = now_us
        self.frames = 0
        """Times that the firmware was run."""
        self.fed_us = now_us
        self.files: dict[str, bytes] = {}
        """Files that the board keeps without power …"""
        self.disk: FlashDisk | None = None
        """… on a flash that takes its time, if it is given one."""
        self.reset_cause = POWER_ON
        self.in_bootloader = False
        """True if it shows up as a drive and runs no firmware."""
        self.hangs = False
        """True if the firmware hangs, until the next reset."""
        self._is_seen = True
        """True if anybody looks at the lights."""
        self._body = CalmBoard if skipping and body is Board else body
        self._start()

    @property
    def board(self) -> Board:
        """The firmware's insides, where it runs under CPython; TypeError where it does not."""
        if not isinstance(self.body, Board):
            raise TypeError("this firmware runs on a machine of its own: it cannot be looked into")
        return self.body

    @cached_property
    def described(self) -> dict[str, bytes]:
        """Files that `board flash` would have written to it."""
        from lumiban.boards.identity import identity_bin  # asked for by a board that is a stranger

        return {BOARD: self.board_bin, IDENTITY: identity_bin(self.world.profile)}

    def _start(self) -> None:
        self.epoch_us = self.now_us
        if self.cold and self.reset_cause == POWER_ON:
            self.world.power_up(self.now_us)
        elif self.cold:
            self.world.restart(self.now_us)
        self._port = _Port(self)
        self.body = self._body(self._port)
        self._tell_seen()
        self._due_us = self.now_us
        self._buttons = self.world.buttons
        self._left = False

    def reset(self, cause: int = POWER_ON) -> None:
        """Restart, whatever stands on the board; without a cause by power off and on again."""
        self.boot_id = (self.boot_id + 1) & 0xFFFFFFFF
        self.reset_cause = cause
        self.in_bootloader = self.hangs = False
        self.transport.read()
        self._start()

    def be_seen(self, is_seen: bool) -> None:
        """Notes if anybody looks at the lights. What nobody sees is shown twice a second, where no
        sensor notices either."""
        if is_seen and not self._is_seen:
            self._due_us = self.now_us
        self._is_seen = is_seen
        self._tell_seen()

    def _tell_seen(self) -> None:
        if isinstance(self.body, CalmBoard) and self.world.electrics is None:
            self.body.lights.is_seen = self._is_seen

    def next_deadline(self) -> int:
        """Time in µs at which the firmware will be run next."""
        now = self.now_us
        if self.world.buttons != self._buttons:
            return now
        if self.transport.waiting() and not self._left:
            return now
        next_frame = (now // self.period_us + 1) * self.period_us
        if self._port.lags or not self.skipping:
            return min(next_frame, max(self._due_us, now))
        look = self.world.next_interesting_us(next_frame)
        if look > next_frame:
            look = -(-look // self.period_us) * self.period_us
        return min(look, max(self._due_us, now))

    def run_until(self, t_us: int) -> None:
        """Run the firmware through all that is due up to and at `t_us`."""
        while True:
            due = self.next_deadline()
            if due > t_us:
                break
            self.now_us = due
            self.step()
        self.now_us = max(self.now_us, t_us)

    def step(self) -> None:
        """Run the firmware once, now."""
        self.frames += 1
        self._buttons = self.world.buttons
        now = self.now_us
        if self.in_bootloader or self.hangs:
            self._due_us = FOREVER
            self._left = True  # nobody reads what comes
            return
        try:
            due = self.epoch_us + self.body.tick(now - self.epoch_us)
        except _Restart:
            if not self.in_bootloader:
                self.reset(BY_SOFTWARE)
            return
        self._due_us = due if due > now else now + self.period_us
        if self.skipping and self.owes_us > self.period_us:
            # What changed meanwhile is over: its frames wait, and those after them count too.
            self._port.lags = True
            if isinstance(self.body, CalmBoard):
                self.body.look_closely()
        self.now_us += self.owes_us
        self.owes_us = 0
        self._left = self.transport.waiting()  # it did not want to read: no reason to run at once


# Quiet frames are left out. On a board of many cells nearly every frame has one whose noise leaves
# its band. The firmware then looks at the next frame, for it may be the first of RUN beyond the
# band; where no field changes it never is. Such frames were three of four that a soak ran.


class CalmLights(Lights):
    """Lights that stand still while nobody looks: an effect's picture depends on the time alone."""

    is_seen = True

    def due_us(self) -> int:
        """As of `Lights`; the board shows them again every half second by itself."""
        return super().due_us() if self.is_seen else NEVER


AFTER_FEEDING = 100
"""Frames, many times as many as make a change certain."""


class CalmBoard(Board):
    """A `Board` that asks for no frame only because a cell's noise left its band in the last one.

    For a chip that runs every frame while a field changes: there all is as on a `Board`. A run of
    frames beyond a band ends where frames were left out, for in them it would have ended.
    """

    def __init__(self, hal: Hal) -> None:
        super().__init__(hal)
        self.lights: CalmLights = CalmLights(self.layout, hal.green_first)
        self._no_runs = array("i", [-1] * self.layout.cells)
        self._fed = 0
        """Frames that are still to be seen after those which the host fed, or which waited: what
        lies there may differ from what was believed, and counts once it has been seen often
        enough."""

    def look_closely(self) -> None:
        """Ask for every frame for some time."""
        self._fed = AFTER_FEEDING

    def quiet(self) -> bool:
        """True if readings that differ by noise alone from now on would make no event."""
        return super().quiet() or (self._beliefs and self._only_noise())

    def _only_noise(self) -> bool:
        return self.sense._saw[1] > 0 and self._is_calm()

    def _is_calm(self) -> bool:
        """True if nothing is under way that frames are needed for."""
        sense = self.sense
        return (
            sense.ready
            and not self._fed  # what is fed changes where no field does
            and self.services.field_us() == NEVER  # raw readings are told frame by frame
            and not (sense.moving or sense._rows.held or sense.found or sense.working())
            and self._release.empty()
            and self._buttons.held_us < 0
        )

    def _is_for_light(self, now_us: int) -> bool:
        """True if only the lights have a reason to be run now: reports of what was sensed come with
        a new frame."""
        told_us = min(self._beat_us, self._state_us, self._stats_us)
        return now_us < told_us and self._beliefs and self._is_calm()

    def turn(self, at_us: int) -> int:
        """`Board.turn`, after any time of which nothing was seen."""
        if self._short(at_us) - self._last_frame_us >= 2 * self._frame_us:
            self.sense._bands[LAST::BAND] = self._no_runs
        was_fed, last_us = self.services.injects(), self._last_frame_us
        port = self.hal
        if isinstance(port, _Port):
            port.rests = self._is_for_light(self._short(at_us)) and port.is_calm()
        now_us = super().turn(at_us)
        if was_fed or self.services.injects():
            self._fed = AFTER_FEEDING
        elif self._fed and self._last_frame_us != last_us:
            self._fed -= 1
        return now_us
