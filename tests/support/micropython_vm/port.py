"""The hardware of a board in the MicroPython VM: whoever steps the VM gives frames and bytes.

Runs in MicroPython (and imports under CPython); `Steps.step` is called for each request that lies
in /dev/host and puts its answer there. Numbers are little-endian. Requests: op u8, then

    BOOT  uid 8 | boot_id u32 | cause u8 | capabilities u16 | scan_hz u16 | n u16 | n bytes of
          board.bin | identity.bin
    TICK  now u64 | room u16 | buttons u8 | good u8 | rail_mv u16 | missed u32 | n u16 | n bytes
          from the host | then for each new frame of the senses: its time u64 | counts and
          references, u16
    HEAP

Answers: BOOT 0; TICK due u64 | flags u8 | n u16 | n bytes for the host | r, g, b (when shown);
HEAP free u32 | used u32 after a collection.
"""

import gc
import struct
from array import array

from lumiban_fw.board import Board
from lumiban_fw.hal import Hal

BOOT, TICK, HEAP = 0, 1, 2
SHOWN, RESET, BOOTLOADER, POWERED, UNPOWERED = 1, 2, 4, 8, 16
_BOOT = "<8sIBHHH"
_TICK = "<QHBBHIH"
_BOOT_SIZE = struct.calcsize(_BOOT)
_TICK_SIZE = struct.calcsize(_TICK)


class Restart(Exception):
    """The firmware wants to begin anew, or to show up as a drive."""


class Port(Hal):
    """View of the firmware on the world."""

    stores = True
    chip = b"MicroPython in a VM"

    def __init__(self, settings: "tuple[bytes, int, int, int, int, int]", files: bytes) -> None:
        self.uid, self.boot_id, self.reset_cause, self.capabilities, self.scan_hz, size = settings
        self.description = files[:size]
        self.described = {"board.bin": files[:size], "identity.bin": files[size:]}
        self.files: dict[str, bytes] = {}
        self.incoming = b""
        self.outgoing = b""
        self.free = 0
        self.down = 0
        self.rail = 0
        self.good = True
        self.rgb = b""
        self.frames: list[tuple[int, array[int]]] = []
        self.wish = 0

    def board_bin(self) -> bytes:
        return self.description

    def pending(self) -> int:
        return len(self.frames)

    def scan(self, counts: "array[int]", references: "array[int]") -> int:
        if not self.frames:
            return -1
        t_us, frame = self.frames.pop(0)
        n = len(counts)
        for i in range(n):
            counts[i] = frame[i]
        for i in range(len(references)):
            references[i] = frame[n + i]
        return t_us

    def read(self) -> bytes:
        data = self.incoming
        self.incoming = b""
        return data

    def room(self) -> int:
        return self.free

    def write(self, data: bytes) -> None:
        self.outgoing += data
        self.free -= len(data)

    def show(self, rgb: bytearray) -> None:
        self.rgb = bytes(rgb)

    def buttons(self) -> int:
        return self.down

    def feed(self) -> None:
        pass

    def worst_gap_us(self) -> int:
        return 1_000_000 // self.scan_hz

    def rail_mv(self) -> int:
        return self.rail

    def supply_good(self) -> bool:
        return self.good

    def power(self, on: bool) -> None:
        self.wish = self.wish & ~(POWERED | UNPOWERED) | (POWERED if on else UNPOWERED)

    @property
    def free_heap(self) -> int:  # type: ignore[override]  # here it is counted when asked for
        free: int = gc.mem_free()  # type: ignore[attr-defined]
        return free

    def load(self, name: str) -> bytes:
        return self.files.get(name) or self.described.get(name, b"")

    def store(self, name: str, data: bytes) -> bool:
        self.files[name] = bytes(data)
        return True

    def append(self, name: str, data: bytes) -> bool:
        self.files[name] = self.files.get(name, b"") + bytes(data)
        return True

    def discard(self, name: str) -> None:
        self.files.pop(name, None)

    def reset(self) -> None:
        self.wish |= RESET
        raise Restart

    def bootloader(self) -> None:
        self.wish |= BOOTLOADER
        raise Restart


class Steps:
    """The board in this VM, stepped through /dev/host."""

    def __init__(self) -> None:
        self._line = open("/dev/host", "r+b")  # noqa: SIM115, PTH123
        self._buffer = bytearray(12_288)
        self._port = Port((b"", 0, 0, 0, 0, 0), b"")
        self._board: Board | None = None

    def step(self) -> None:
        """Answer the request that lies there."""
        n = self._line.readinto(self._buffer)
        op = self._buffer[0]
        if op == TICK:
            self._line.write(self._tick(n))
        elif op == BOOT:
            self._line.write(self._boot(n))
        else:
            gc.collect()
            self._line.write(struct.pack("<II", gc.mem_free(), gc.mem_alloc()))  # type: ignore[attr-defined]

    def _boot(self, n: int) -> bytes:
        settings = struct.unpack_from(_BOOT, self._buffer, 1)
        kept = self._port.files
        self._board = None
        self._port = Port(settings, bytes(self._buffer[1 + _BOOT_SIZE : n]))
        self._port.files = kept
        gc.collect()
        self._board = Board(self._port)
        return b"\0"

    def _tick(self, n: int) -> bytes:
        port, board = self._port, self._board
        fields = struct.unpack_from(_TICK, self._buffer, 1)
        now, port.free, port.down, good, port.rail, port.missed, size = fields
        port.good = bool(good)
        at = 1 + _TICK_SIZE
        port.incoming += bytes(self._buffer[at : at + size])
        at += size
        port.frames.clear()
        if board is not None:
            each = 8 + 2 * (board.layout.cells + board.layout.rows)
            while at < n:
                (t_us,) = struct.unpack_from("<Q", self._buffer, at)
                port.frames.append((t_us, array("H", bytes(self._buffer[at + 8 : at + each]))))
                at += each
        due = now + 1
        if board is not None:
            try:
                due = board.tick(now)
            except Restart:
                self._board = None  # until the next BOOT
        flags = port.wish
        if port.rgb:
            flags |= SHOWN
        out = struct.pack("<QBH", due, flags, len(port.outgoing)) + port.outgoing + port.rgb
        port.outgoing = b""
        port.rgb = b""
        port.wish = 0
        return out
