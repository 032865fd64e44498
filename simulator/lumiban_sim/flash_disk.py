"""A Pico's files on its flash, with the times that erasing and writing take.

    disk = FlashDisk({"slot": b"a-0-"}, WORST)
    disk.append("b/main.py", data)
    disk.took_us

The files are kept by the same file system as on the chip (littlefs, set up as MicroPython does), on
a flash that counts: what is erased and programmed is therefore what the chip's would be, and only
how long one of these takes is a number of the data sheet. While it takes so long, the chip does
nothing else: code and interrupts are in the flash.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from lumiban_fw.hal import Hal

BLOCK, BLOCKS = 4096, 352
"""The flash that MicroPython gives to files on a Pico: 1408 KiB."""
PAGE = 256
DISK_VERSION = 0x00020000
"""Older images cannot read a newer one."""
GEOMETRY = {
    "block_size": BLOCK, "block_count": BLOCKS, "disk_version": DISK_VERSION, "prog_size": PAGE,
    "read_size": 32, "cache_size": 4 * PAGE, "lookahead_size": 32, "block_cycles": 100,
}  # fmt: skip
"""As `VfsLfs2(bdev, progsize=256)` of the Pico's MicroPython has it."""


class FlashTimes(NamedTuple):
    """µs that a sector's erasure and a page's programming take."""

    erase_us: int
    program_us: int


TYPICAL, WORST = FlashTimes(45_000, 400), FlashTimes(400_000, 3_000)
"""A Pico's W25Q16JV: tSE and tPP of its data sheet's AC characteristics."""


class PowerCut(Exception):
    """The power went while the flash was written."""


class FlashDisk(Hal):
    """The files of a board, as `Hal` keeps them. `left` is how many bytes may still be programmed
    and sectors erased (one each) before the power goes: PowerCut, and `kept` is what is left on the
    flash. With `buffer` it is a flash that holds files already.
    """

    def __init__(
        self,
        files: Mapping[str, bytes],
        times: FlashTimes = TYPICAL,
        *,
        buffer: bytearray | None = None,
    ) -> None:
        from littlefs import LittleFS, UserContext

        self.times = times
        self.erased = self.programmed = 0
        self.left = 1 << 60
        self.kept = b""
        """Contents of the flash after its power went."""
        self.buffer = buffer if buffer is not None else bytearray(b"\xff" * BLOCK * BLOCKS)
        context = UserContext(buffer=self.buffer)
        context.prog, context.erase = self._program, self._erase
        self._disk: Any = LittleFS(context=context, mount=False, **GEOMETRY)
        if buffer is None:
            self._disk.format()
        self._disk.mount()
        for name, data in files.items():
            self._folder(name)
            self._write(name, "wb", data)
        for folder in ("a", "b", "a/lumiban_fw", "b/lumiban_fw"):
            self._disk.makedirs(folder, exist_ok=True)
        self.erased = self.programmed = 0

    @property
    def took_us(self) -> int:
        """Time in µs that the flash has worked since it was made."""
        return self.erased * self.times.erase_us + self.programmed * self.times.program_us

    def _program(self, _config: Any, block: int, offset: int, data: bytes) -> int:
        at = block * BLOCK + offset
        for start in range(at, at + len(data), PAGE):
            part = data[start - at : start - at + PAGE]
            if len(part) >= self.left > 0:
                self._set(start, part[: self.left])
                self.kept = bytes(self.buffer)
            self.left -= len(part)
            self._set(start, part)
            self.programmed += 1
        return 0

    def _set(self, at: int, data: bytes) -> None:
        """Program: a bit that was not erased cannot be set again."""
        old = int.from_bytes(self.buffer[at : at + len(data)])
        new = old & int.from_bytes(data)
        self.buffer[at : at + len(data)] = new.to_bytes(len(data))

    def _erase(self, _config: Any, block: int) -> int:
        if self.left == 1:
            self.kept = bytes(self.buffer)
        self.left -= 1
        self.buffer[block * BLOCK : (block + 1) * BLOCK] = b"\xff" * BLOCK
        self.erased += 1
        return 0

    def _folder(self, name: str) -> None:
        folder = name.rpartition("/")[0]
        if folder:
            self._disk.makedirs(folder, exist_ok=True)

    def _write(self, name: str, mode: str, data: bytes) -> None:
        with self._powered(), self._disk.open(name, mode) as file:
            file.write(data)

    @contextmanager
    def _powered(self) -> Iterator[None]:
        yield
        if self.kept:
            raise PowerCut

    # As `Hal` has it; compare `hal_pico.py`.

    def load(self, name: str) -> bytes:
        """Contents of a file; b"" when there is none."""
        try:
            with self._disk.open(name, "rb") as file:
                return bytes(file.read())
        except FileNotFoundError:
            return b""

    def blocks(self, name: str) -> Iterator[bytes]:
        """Contents of a file, in blocks."""
        data = self.load(name)
        yield from (data[at : at + 1024] for at in range(0, len(data), 1024))

    def store(self, name: str, data: bytes) -> bool:
        """Replace a file in one step."""
        self._write(name + ".new", "wb", data)
        with self._powered():
            self._disk.rename(name + ".new", name)
        return True

    def append(self, name: str, data: bytes) -> bool:
        """Add to a file, made if it is not there."""
        try:
            self._write(name, "ab", data)
        except FileNotFoundError:
            self._write(name, "wb", data)
        return True

    def discard(self, name: str) -> None:
        """Remove a file, if it is there."""
        with suppress(FileNotFoundError), self._powered():
            self._disk.remove(name)
