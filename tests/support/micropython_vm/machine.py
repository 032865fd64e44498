"""The VM's process under Node, and the firmware in it as a body for `chip.Chip`."""

from __future__ import annotations

import shutil
import struct
import subprocess
from array import array
from collections.abc import Callable
from pathlib import Path

import lumiban_fw
from lumiban_fw.hal import Hal
from lumiban_fw.identity import IDENTITY

HEAP = 192 * 1024
"""Bytes of heap, as on an RP2040 with what MicroPython leaves of its 264 KB."""
HERE = Path(__file__).parent
FIRMWARE = Path(lumiban_fw.__file__).parent
NODE_MODULES = Path("host/lumiban/web/node_modules")
MODULE = NODE_MODULES / "@micropython/micropython-webassembly-pyscript/micropython.mjs"
BOOT, TICK, HEAP_OP = 0, 1, 2
SHOWN, RESET, BOOTLOADER, POWERED, UNPOWERED = 1, 2, 4, 8, 16
OF_PINS = 1 << 31
"""In the length of what comes from the VM: it is no answer, but asks for one of its own."""
MAX_FRAMES = 8
"""Frames of the senses in one turn."""


class VmError(RuntimeError):
    """The VM could not be started, or the firmware in it broke."""


def lacking(root: Path) -> str:
    """Part that a VM in the project at `root` lacks; "" when it lacks nothing."""
    if shutil.which("node") is None:
        return "Node is not installed"
    if not (root / MODULE).is_file():
        return "the MicroPython VM is not installed: npm ci --prefix host/lumiban/web"
    return ""


class Vm:
    """One MicroPython VM. `ask` hands a request to the firmware's side and returns the answer.

    `port` runs in it as the board's hardware; what that asks of its pins, `pins` answers.
    """

    def __init__(
        self,
        root: Path,
        *,
        firmware: Path = FIRMWARE,
        port: Path = HERE / "port.py",
        heap: int = HEAP,
    ) -> None:
        why = lacking(root)
        if why:
            raise VmError(why)
        self.pins: Callable[[bytes], bytes] = lambda _: b""
        words = ["node", HERE / "host.mjs", firmware, port, root / MODULE, heap]
        self._process = subprocess.Popen(
            [str(word) for word in words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._answer()

    def ask(self, request: bytes) -> bytes:
        """The answer to a request; VmError with the firmware's traceback when it broke."""
        self._say(request)
        return self._answer()

    def _say(self, body: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(struct.pack("<I", len(body)) + body)
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._broken() from None

    def _answer(self) -> bytes:
        assert self._process.stdout is not None
        while True:
            head = self._process.stdout.read(4)
            if len(head) < 4:
                raise self._broken()
            (length,) = struct.unpack("<I", head)
            body = self._process.stdout.read(length & ~OF_PINS)
            if len(body) < length & ~OF_PINS:
                raise self._broken()
            if not length & OF_PINS:
                return body
            self._say(self.pins(body))

    def _broken(self) -> VmError:
        assert self._process.stderr is not None
        self._process.wait()
        return VmError(self._process.stderr.read().decode(errors="replace").strip())

    def heap(self) -> tuple[int, int]:
        """Bytes of heap that are free and used, after a collection."""
        free, used = struct.unpack("<II", self.ask(bytes((HEAP_OP,))))
        return free, used

    def close(self) -> None:
        """End it."""
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        self._process.kill()
        self._process.wait()


class VmBoard:
    """The firmware in a VM, on the hardware `hal`, which is the world's; see `chip.Body`."""

    def __init__(self, vm: Vm, hal: Hal, *, cells: int, rows: int) -> None:
        self._vm = vm
        self._hal = hal
        self._counts = array("H", [0] * cells)
        self._references = array("H", [0] * rows)
        uid = hal.uid
        head = struct.pack(
            "<B8sIBHHH",
            BOOT,
            uid,
            hal.boot_id,
            hal.reset_cause,
            hal.capabilities,
            hal.scan_hz,
            len(hal.board_bin()),
        )
        vm.ask(head + hal.board_bin() + hal.load(IDENTITY))

    def _frames(self) -> bytes:
        """Readings of the senses since the last turn."""
        hal, frames = self._hal, b""
        for _ in range(MAX_FRAMES):
            t_us = hal.scan(self._counts, self._references)
            if t_us < 0:
                break
            frames += struct.pack("<Q", t_us) + self._counts.tobytes() + self._references.tobytes()
            if hal.pending() <= 0:
                break
        return frames

    def tick(self, now_us: int) -> int:
        """Run the firmware once; returns when it wants to be run next."""
        hal = self._hal
        frames = self._frames()
        data = hal.read()
        request = struct.pack(
            "<BQHBBHIH",
            TICK,
            now_us,
            min(hal.room(), 0xFFFF),
            hal.buttons(),
            hal.supply_good(),
            hal.rail_mv(),
            hal.missed,
            len(data),
        )
        request += data + frames
        answer = self._vm.ask(request)
        due, flags, size = struct.unpack_from("<QBH", answer)
        out, rgb = answer[11 : 11 + size], answer[11 + size :]
        if out:
            hal.write(out)
        if flags & (POWERED | UNPOWERED):
            hal.power(bool(flags & POWERED))
        if flags & SHOWN:
            hal.show(bytearray(rgb))
        hal.feed()
        if flags & RESET:
            hal.reset()
        if flags & BOOTLOADER:
            hal.bootloader()
        return int(due)
