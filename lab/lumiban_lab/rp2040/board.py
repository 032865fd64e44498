"""Boards whose firmware runs on an emulated chip: in a rig, or alone in a world.

    chips = Booted(image, profile)
    rig = Rig(profile, seed, body=chips.body, skipping=False)

The chip is booted once; each board is a copy of that process (fork), which takes no time. A board
whose power is cut boots again, with its flash as it was. The world is looked at once a frame.
`Cosim` is the plainer way: a chip in a world without line, hands and copies, looked at once a
millisecond, with the capture emulated to the cycle.
"""

from __future__ import annotations

import os
import signal
import socket
import struct
import weakref
from array import array
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from lumiban.boards.identity import identity_bin
from lumiban.boards.profile import Profile
from lumiban_fw import wire
from lumiban_fw.hal import Hal
from lumiban_fw.layout import REFERENCE
from lumiban_sim.flash_disk import FlashTimes
from lumiban_sim.rails import GOOD_AFTER_US, PHANTOM, SUPPLY_US, Rails
from lumiban_sim.world import World

from lumiban_lab.rp2040.emulator import (
    Chain,
    Machine,
    MuxTree,
    SlowFlash,
    SwitchPins,
    WholeFrames,
    WholePictures,
    firmware_files,
    in_names_of_the_sources,
    random_bits,
)

BOOT_US = 8_000_000
AT_ONCE = 400
"""Bytes of the host that the emulator's line takes at once."""
BUTTONS = (0, 1, 19, 22)
UID = b"\xff" * 8
"""The emulator's flash has no number of its own: so chips say who they are."""
WORDS_US = 20_000
"""A chip that failed has said why after so long."""
READS_US = 50_000
"""A chip reads its switches by so long after it gave the lights their power."""
EARLY_US = 20
"""A frame begins so long before the world is looked at, which makes sure which look it gets."""
_ASK, _TELL = "<BQBBHHH", "<IIBI"
_RUN, _RESET = 0, 1


class ChipError(RuntimeError):
    """The firmware broke, or the emulator."""


class Booted:
    """A chip that has just begun to look at its sensors; `body` makes boards of it.

    With `exact` the capture and the lights are emulated to the cycle, see `emulator`. `files` are
    all of its flash, by path; the firmware and the board's description, unless given. `times` are
    what its flash takes to be written; none, unless given. `progress` is told the chip's time, µs,
    while it starts. ChipError when the firmware does not start.
    """

    def __init__(
        self,
        image: Path,
        profile: Profile,
        *,
        exact: bool = False,
        files: Mapping[str, bytes] | None = None,
        times: FlashTimes | None = None,
        progress: Callable[[float], None] = lambda now_us: None,
    ) -> None:
        self.profile = profile
        self.exact = exact
        self._counts = array("H", [wire.HALF_SCALE] * len(profile.cells))
        self._references = array("H", [wire.HALF_SCALE] * profile.rows)
        self._cells = {(cell.row, cell.channel): i for i, cell in enumerate(profile.cells)}
        if files is None:
            files = firmware_files()
            files["board.bin"] = profile.board_bin()
            files["identity.bin"] = identity_bin(profile)
        self.chain = Chain()
        self.rails = Rails(strips=profile.rows)
        """Those of the start, in the chip's time; afterwards the world's hold."""
        self.rails.power_up(0)
        self.starts = True
        self.tree = MuxTree(self._read)
        if profile.is_of_switches:
            self.tree = SwitchPins(profile, self._closed)
        self.tree.switched = self._switched
        self.frames = WholeFrames(self.tree.input)
        around: list[Any] = [self.tree, self.chain]
        if not exact:
            around = [self.tree, WholePictures(self.chain)]
            if not profile.is_of_switches:
                around.insert(1, self.frames)
        if times is not None:
            around.append(SlowFlash(times))
        self.machine = machine = Machine(image, files, *around, progress=progress)
        random_bits(machine.chip)
        self.tree.supply(False)
        machine.at(SUPPLY_US + GOOD_AFTER_US, lambda: self.tree.supply(True))
        machine.start()
        if isinstance(self.tree, SwitchPins) and not exact:
            self.tree.silence()
        machine.run_until(self._looks, BOOT_US, 500)
        # Switches are read when the firmware finds time: no frame to begin with.
        first_us = 0 if profile.is_of_switches else self.frames.first_us + EARLY_US
        late = round(first_us) % 1000
        self.ahead_us = late - 1000 if late > 500 else late
        """The chip's clock before the world's: a frame begins when the world is looked at."""
        self.up_us = -(-round(machine.now_us - self.ahead_us) // 1000) * 1000
        """From power-on, in the world's time."""

    @property
    def on_us(self) -> int:
        """Time in µs at which the firmware switched the strips on, in the world's time; −1 if it
        did not."""
        return round(self.tree.on_us - self.ahead_us) if self.tree.on else -1

    def _switched(self, on: bool, now_us: float) -> None:
        if self.starts:
            self.rails.switch(on, round(now_us))

    def _looks(self) -> bool:
        if b"Traceback" in self.machine.heard:
            self.machine.run(WORDS_US)  # all of it
            raise ChipError(in_names_of_the_sources(self.machine.heard))
        if isinstance(self.tree, SwitchPins):
            return self.tree.on and self.machine.now_us > self.tree.on_us + READS_US
        return self.tree.conversions > 8 if self.exact else self.frames.done > 1

    def _closed(self) -> list[int]:
        """The switches, 1 for closed."""
        return [int(count != wire.HALF_SCALE) for count in self._counts]

    def _read(self, row: int, channel: int, now_us: float) -> int:
        if channel == REFERENCE:
            count = self._references[row] if row < len(self._references) else 0
        else:
            cell = self._cells.get((row, channel))
            count = 0 if cell is None else self._counts[cell]
        if self.starts:
            share = self.rails.share(round(now_us))
            return int(count * share) if share else count // PHANTOM
        return count

    def body(self, hal: Hal) -> ChipBoard:
        """The firmware on a copy of this chip; or its power given back, when `hal` is of a chip
        that had one."""
        chip = hal._chip  # type: ignore[attr-defined]
        known = getattr(chip, "body", None)
        if isinstance(known, ChipBoard):
            known.restart(hal)
            return known
        return ChipBoard(self, hal)

    def fork(self) -> tuple[int, socket.socket]:
        """A copy of this process that runs the chip; (its id, the line to it)."""
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid:
            theirs.close()
            return pid, ours
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            keep = theirs.fileno()
            os.closerange(3, keep)
            os.closerange(keep + 1, 1024)
            _Copy(self, theirs).serve()
        except (OSError, EOFError):
            pass
        finally:
            os._exit(0)


class ChipBoard:
    """A board of a booted chip, on the hardware `hal`, which is the world's; see `chip.Body`."""

    def __init__(self, booted: Booted, hal: Hal) -> None:
        self._hal = hal
        self._counts = array("H", [wire.HALF_SCALE] * len(booted.profile.cells))
        self._references = array("H", [wire.HALF_SCALE] * booted.profile.rows)
        self._up_us = booted.up_us
        self._on_us = booted.on_us
        self._held = b""
        self._pid, self._line = booted.fork()
        self._end = weakref.finalize(self, _end, self._pid, self._line)

    def restart(self, hal: Hal) -> None:
        """Cut its power and give it back."""
        self._hal = hal
        self._up_us = 0
        self._on_us = -1
        self._held = b""
        self._send(struct.pack(_ASK, _RESET, 0, 0, 0, 0, 0, 0))

    def close(self) -> None:
        """End it."""
        self._end()

    def tick(self, now_us: int) -> int:
        """Let the chip run up to now; when it wants to be looked at again."""
        hal = self._hal
        if now_us < self._up_us:
            hal.read()  # nobody is on the line yet
            return self._up_us
        if self._on_us >= 0:
            self._switch(True, self._on_us)
            self._on_us = -1
        looked = hal.scan(self._counts, self._references) >= 0
        data = hal.read()
        frame = self._counts.tobytes() + self._references.tobytes() if looked else b""
        good, rail_mv = hal.supply_good(), hal.rail_mv()
        ask = struct.pack(_ASK, _RUN, now_us, hal.buttons(), good, rail_mv, len(data), len(frame))
        self._send(ask + data + frame)
        sent, shown, on, ago_us = struct.unpack(_TELL, self._take(struct.calcsize(_TELL)))
        self._switch(bool(on), now_us - ago_us)
        self._held += self._take(sent)
        if shown:
            hal.show(bytearray(self._take(shown)))
        out, self._held = self._held[: hal.room()], self._held[hal.room() :]
        if out:
            hal.write(out)
        hal.feed()
        return now_us

    def _switch(self, on: bool, at_us: int) -> None:
        """The strips' 5 V, since a time after power-on."""
        hal: Any = self._hal
        hal.switched(on, at_us + hal._chip.epoch_us)

    def _send(self, data: bytes) -> None:
        try:
            self._line.sendall(data)
        except OSError as error:
            raise ChipError(f"the emulated chip is gone: {error}") from None

    def _take(self, count: int) -> bytes:
        data = _exactly(self._line, count)
        if len(data) < count:
            raise ChipError("the emulated chip is gone")
        return data


class _Copy:
    """Loop of the copied process: it runs the chip as far as it is told."""

    def __init__(self, booted: Booted, line: socket.socket) -> None:
        self._booted = booted
        self._line = line
        self._machine = booted.machine
        self._zero_us = float(booted.ahead_us)
        self._waiting = bytearray()
        self._buttons = 0
        booted.starts = False

    def serve(self) -> None:
        """Until the line ends."""
        size = struct.calcsize(_ASK)
        while True:
            head = _exactly(self._line, size)
            if len(head) < size:
                return
            op, until_us, buttons, good, rail_mv, count, frame = struct.unpack(_ASK, head)
            data = _exactly(self._line, count)
            field = _exactly(self._line, frame)
            if op == _RESET:
                self._reset()
                continue
            self._run(until_us)
            self._waiting += data
            if field:
                cells = 2 * len(self._booted._counts)
                self._booted._counts[:] = array("H", field[:cells])
                self._booted._references[:] = array("H", field[cells:])
                if isinstance(self._booted.tree, SwitchPins):
                    self._booted.tree.refresh()
            self._press(buttons)
            self._booted.tree.supply(bool(good))
            self._booted.tree.rail_mv = rail_mv
            self._tell()

    def _reset(self) -> None:
        machine, booted = self._machine, self._booted
        machine.heard.clear()
        self._waiting.clear()
        booted.chain.frames.clear()
        machine.reset()
        self._zero_us = machine.now_us

    def _run(self, until_us: int) -> None:
        machine = self._machine
        end = until_us + self._zero_us
        while self._waiting:
            machine.send(bytes(self._waiting[:AT_ONCE]))
            del self._waiting[:AT_ONCE]
            self._booted.frames.stir()
            left = end - machine.now_us
            machine.run(min(1000, left) if left > 0 else 1)
        if end > machine.now_us:
            machine.run(end - machine.now_us)

    def _press(self, buttons: int) -> None:
        if buttons != self._buttons:
            for k, pin in enumerate(BUTTONS):
                self._machine.chip.gpio[pin].set_input_value(not buttons >> k & 1)
            self._buttons = buttons

    def _tell(self) -> None:
        machine, chain = self._machine, self._booted.chain
        light = chain.frames[-1][1] if chain.frames else b""
        chain.frames.clear()
        out = bytes(machine.heard)
        machine.heard.clear()
        tree = self._booted.tree
        ago_us = max(round(machine.now_us - tree.on_us), 0)
        head = struct.pack(_TELL, len(out), len(light), tree.on, min(ago_us, 0xFFFFFFFF))
        self._line.sendall(head + out + light)


def _exactly(line: socket.socket, count: int) -> bytes:
    """Bytes up to a number; fewer when the line ends."""
    data = b""
    while len(data) < count:
        part = line.recv(count - len(data))
        if not part:
            break
        data += part
    return data


def _end(pid: int, line: Any) -> None:
    line.close()
    with suppress(ProcessLookupError, ChildProcessError):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


# Alone in a world.

FRAME_US = 1000
Frame = tuple[int, int, int, int, bytes]
"""(type, flags, seq, ack, payload)"""


class Cosim:
    """A board of a world on an emulated chip; `frames` are those it sent so far.

    `run` goes on for a time in µs of the chip's time, `send` writes to it.
    `disk` are all files of its flash, by path; the firmware, unless given.
    """

    def __init__(
        self,
        image: Path,
        world: World,
        program: bytes | None = None,
        *,
        disk: Mapping[str, bytes] | None = None,
    ) -> None:
        profile = world.profile
        self.world = world
        self.frames: list[Frame] = []
        self._decoder = wire.Decoder()
        self._cells = {(cell.row, cell.channel): i for i, cell in enumerate(profile.cells)}
        self._counts = [0] * len(profile.cells)
        self._references = [0] * profile.rows
        self._frame = -1
        files = dict(disk or firmware_files())
        if program is not None:
            files["main.py"] = program
        if disk is None:
            files["board.bin"] = profile.board_bin()
        self.chain = Chain()
        self.machine = Machine(image, files, MuxTree(self._read), self.chain)
        self.machine.start()

    def _read(self, row: int, channel: int, now_us: float) -> int:
        frame = int(now_us) // FRAME_US
        if frame != self._frame:
            self._frame = frame
            self.world.sample(frame, frame * FRAME_US, self._counts, self._references)
        if channel == REFERENCE:
            return self._references[row] if row < len(self._references) else 0
        cell = self._cells.get((row, channel))
        return 0 if cell is None else self._counts[cell]

    def send(self, data: bytes) -> None:
        """Bytes from the host."""
        self.machine.send(data)

    def run(self, us: float) -> list[Frame]:
        """Go on; the frames that came meanwhile."""
        self.machine.run(us)
        got = self._decoder.feed(bytes(self.machine.heard))
        self.machine.heard.clear()
        if self.chain.frames:
            self.world.shine(self.chain.frames[-1][1])
        self.frames += got
        return got

    def hear(self, kind: int, limit_us: float) -> bytes:
        """Run until a frame of a kind comes; its payload. TimeoutError when none does."""
        end = self.machine.now_us + limit_us
        while self.machine.now_us < end:
            for frame in self.run(2_000):
                if frame[0] == kind:
                    return frame[4]
        raise TimeoutError(f"no frame of type {kind:#x} within {limit_us / 1e6:g} s")
