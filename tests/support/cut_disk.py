"""A real file system on a disk that remembers each write and each flush in their order, and what a
power cut may leave of them.

    with CutDisk(folder).mounted() as place:   # ext4 as a card has it; the product runs there
        ...
        at = disk.position()                   # a promise was made: so much had reached the disk
    for at, place in disk.states(at, chance): ...   # mounted anew, each after a cut

The kernel's own ext4 stands on a loop device, that on a file which a process of ours serves through
/dev/fuse: it does one request after the other and writes down what it did. Nothing is simulated but
the card: what it was told before a flush is there, of what came after any part is, each write by
itself and torn between its blocks. Root is needed, loop devices and /dev/fuse.

    python cut_disk.py IMAGE LOG PLACE         # serves an image as the file PLACE until unmounted
"""

from __future__ import annotations

import errno
import os
import random
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

BLOCK = 4096
"""Of the file system, which trusts the disk to write one whole or not at all: a superblock in
halves is none, whatever runs on it."""
SIZE_MB = 64
ENTRY = struct.Struct("<QQ")
"""Where bytes were written and how many; none: a flush."""
PROGRAMS = ("losetup", "mount", "umount", "mke2fs", "cp", "unshare")
DEVICES = ("/dev/fuse", "/dev/loop-control")


def lacking() -> str:
    """Why there can be no such disk here; "" where there can."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        return "a disk to cut needs Linux, and root"
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    missing += [path for path in DEVICES if not Path(path).exists()]
    return f"a disk to cut needs {', '.join(missing)}" if missing else ""


def alone(words: Sequence[str]) -> list[str]:
    """A command line that keeps what is mounted there to itself: a machine that somebody starts
    meanwhile would take a copy of each mount along, and a card that was taken out would go on being
    written. With its last process all mounts end."""
    return ["unshare", "--mount", "--propagation", "private", *words]


@dataclass(frozen=True)
class Write:
    """What the disk was told: bytes at a place, or (without any) to keep all that came before."""

    end: int
    """Of its entry in the log."""
    at: int
    data: bytes

    @property
    def is_flush(self) -> bool:
        return not self.data


def _run(*words: str | Path) -> str:
    done = subprocess.run([str(one) for one in words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout.strip()


def _copy(source: Path, to: Path) -> None:
    _run("cp", "--sparse=always", source, to)


@contextmanager
def _loop(image: Path, place: Path, *more: str) -> Iterator[None]:
    """The file system of an image, mounted at a place."""
    device = _run("losetup", "-f", "--show", *more, image)
    try:
        _run("mount", "-t", "ext4", "-o", "noatime", device, place)
        try:
            yield
        finally:
            _run("umount", place)
    finally:
        _run("losetup", "-d", device)


def _put(image: Path, writes: Sequence[Write]) -> None:
    with image.open("r+b") as file:
        for one in writes:
            file.seek(one.at)
            file.write(one.data)


class CutDisk:
    """A card in a folder: its image, and the log since it was last in a machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.image = folder / "disk.img"
        """As the card is before the machine is switched on."""
        self._used = folder / "used.img"
        self._log = folder / "log"
        self._place = folder / "card"
        self._place.mkdir()
        with self.image.open("wb") as file:
            file.truncate(SIZE_MB << 20)
        # All of it at once: else the kernel goes on making it while it is used.
        lazy = "lazy_itable_init=0,lazy_journal_init=0"
        _run("mke2fs", "-q", "-t", "ext4", "-b", str(BLOCK), "-E", lazy, self.image)

    @contextmanager
    def mounted(self) -> Iterator[Path]:
        """The card in a machine that is on; the log begins anew."""
        _copy(self.image, self._used)
        served = self.folder / "served.img"
        served.write_bytes(b"")
        words = [sys.executable, __file__, self._used, self._log, served]
        with subprocess.Popen([*map(str, words)], stdout=subprocess.PIPE) as server:
            assert server.stdout is not None
            assert server.stdout.readline() == b"served\n"
            try:
                with _loop(served, self._place, "--direct-io=on"):
                    yield self._place
            finally:
                _run("umount", served)

    def position(self) -> int:
        """How far the log has come; what is in it before that had been told to the disk."""
        return self._log.stat().st_size

    def log(self, until: int) -> list[Write]:
        """What the disk was told since it was mounted, up to a position."""
        raw = self._log.read_bytes()[:until]
        found, at = [], 0
        while at + ENTRY.size <= len(raw):
            where, count = ENTRY.unpack_from(raw, at)
            at += ENTRY.size + count
            if at <= len(raw):
                found.append(Write(at, where, raw[at - count : at]))
        return found

    def states(
        self, until: int, chance: random.Random, parts: int = 2
    ) -> Iterator[tuple[int, Path]]:
        """The card after each cut until a position of the log: at every flush, with nothing and so
        many times with some part of what came after it. Each with the position just before the next
        flush, at the latest of which the power went, mounted for the caller to read."""
        kept = self.folder / "kept.img"
        cut = self.folder / "cut.img"
        _copy(self.image, kept)
        loose: list[Write] = []
        told = self.log(until)
        last = 0
        for number, one in enumerate(told):
            if not one.is_flush:
                loose.append(one)
                last = one.end
            # What follows a flush at once is the same card, with no fewer promises.
            if (one.is_flush and loose) or number + 1 == len(told):
                for part in range(1 + (parts if loose else 0)):
                    _copy(kept, cut)
                    _put(cut, some(loose, chance) if part else [])
                    with _loop(cut, self._place):
                        yield last, self._place
            if one.is_flush:
                _put(kept, loose)
                loose, last = [], one.end

    def cut(self, at: int, chance: random.Random) -> tuple[int, int]:
        """The power goes here: the card is what was flushed and some part of the rest. How many
        writes were not flushed, and of how many at least a part is there."""
        told = self.log(at)
        safe = max((n for n, one in enumerate(told) if one.is_flush), default=-1) + 1
        left = some(told[safe:], chance)
        _put(self.image, [one for one in told[:safe] if not one.is_flush])
        _put(self.image, left)
        return len(told) - safe, len(left)


def some(loose: Sequence[Write], chance: random.Random) -> list[Write]:
    """Some part of writes that were not flushed: any of them, each by itself, some torn."""
    part = chance.choice((0.2, 0.5, 0.8, 1.0))
    found = []
    for one in loose:
        if chance.random() >= part:
            continue
        blocks = len(one.data) // BLOCK
        if blocks > 1 and chance.random() < 0.25:
            start, end = (at * BLOCK for at in sorted(chance.sample(range(blocks + 1), 2)))
            one = Write(one.end, one.at + start, one.data[start:end])
        found.append(one)
    return found


# The process that serves the file: as much of the kernel's FUSE protocol as one file needs.

IN = struct.Struct("<IIQQIIII")
OUT = struct.Struct("<IiQ")
INIT_OUT = struct.Struct("<IIIIHHIIHHI28x")
ATTRIBUTES = struct.Struct("<QIIQQQQQQIIIIIIIIII")
READ_IN = struct.Struct("<QQIIQII")
GETATTR, SETATTR, OPEN, READ, WRITE, RELEASE, FSYNC, FLUSH, INIT = 3, 4, 14, 15, 16, 18, 20, 25, 26
DESTROY = 38
UNANSWERED = (2, 36, 42)
"""Forgetting and interrupting."""
BIG_WRITES, MAX_PAGES = 1 << 5, 1 << 22
MOST = 1 << 20
"""Bytes of one request."""
REGULAR = 0o100600


def serve(image: Path, log: Path, place: Path) -> None:
    """Serve an image as a file until that is unmounted; write down what it is told."""
    line = os.open("/dev/fuse", os.O_RDWR)
    disk = os.open(image, os.O_RDWR)
    told = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
    size = os.fstat(disk).st_size
    options = f"fd={line},rootmode={REGULAR:o},user_id=0,group_id=0,max_read={MOST}"
    words = ["mount", "-i", "-t", "fuse", "-o", options, "cut-disk", str(place)]
    subprocess.run(words, check=True, pass_fds=[line])
    print("served", flush=True)
    attributes = ATTRIBUTES.pack(
        1, 0, 0, 1, size, size // 512, 0, 0, 0, 0, 0, 0, REGULAR, 1, 0, 0, 0, BLOCK, 0
    )
    while True:
        try:
            asked = os.read(line, MOST + BLOCK)
        except OSError as why:
            if why.errno == errno.ENODEV:  # unmounted
                return
            raise
        _, operation, number, _, _, _, _, _ = IN.unpack_from(asked)
        error, answer = 0, b""
        if operation in UNANSWERED:
            continue
        if operation == INIT:
            flags = BIG_WRITES | MAX_PAGES
            answer = INIT_OUT.pack(7, 31, 0, flags, 16, 12, MOST, 1, MOST // BLOCK, 0, 0)
        elif operation in (GETATTR, SETATTR):
            answer = attributes
        elif operation == OPEN:
            answer = bytes(16)
        elif operation == READ:
            _, at, count, *_ = READ_IN.unpack_from(asked, IN.size)
            answer = os.pread(disk, count, at)
        elif operation == WRITE:
            _, at, count, *_ = READ_IN.unpack_from(asked, IN.size)
            data = asked[IN.size + READ_IN.size :]
            assert len(data) == count
            os.write(told, ENTRY.pack(at, count) + data)
            os.pwrite(disk, data, at)
            answer = struct.pack("<II", count, 0)
        elif operation == FSYNC:
            os.write(told, ENTRY.pack(0, 0))
        elif operation not in (FLUSH, RELEASE, DESTROY):
            error = -errno.ENOSYS
        os.write(line, OUT.pack(OUT.size + len(answer), error, number) + answer)


if __name__ == "__main__":
    serve(*map(Path, sys.argv[1:]))
