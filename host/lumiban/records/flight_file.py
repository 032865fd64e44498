"""Flight recordings as files: lines of JSON, packed in blocks that a crash leaves readable.

A file is a line `lumiban flight 1` and blocks: length u32, crc32 u32, data (little-endian). The
data of all blocks are one raw deflate stream, flushed at the end of each block. What comes after
the last whole block is a torn tail and not read. docs/link.md tells what the lines say.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from lumiban.errors import UsageError

SUFFIX = ".flight"
VERSION = 1
_NAME = b"lumiban flight "
_BLOCK = struct.Struct("<II")
MOST_BYTES = 256_000_000
"""No recording of ours comes near it once unpacked; something else was named by mistake."""


class FlightFile:
    """One recording open for writing; it is flushed to the system, never forced to the disk."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._pack = zlib.compressobj(6, zlib.DEFLATED, -15)
        self._file = path.open("xb", buffering=0)
        self.size = self._file.write(_NAME + b"%d\n" % VERSION)

    def write(self, lines: Iterable[Any]) -> None:
        """Write these JSON-ready lines as one block; OSError."""
        text = "".join(line(one) + "\n" for one in lines).encode()
        data = self._pack.compress(text) + self._pack.flush(zlib.Z_SYNC_FLUSH)
        self.size += self._file.write(_BLOCK.pack(len(data), zlib.crc32(data)) + data)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def line(value: Any) -> str:
    """One line of a recording, always the same for the same value.

    >>> line(["s", 12, {"b": 1, "a": "…"}])
    '["s",12,{"a":"…","b":1}]'
    """
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def is_flight(path: Path) -> bool:
    """Whether a file begins like a recording; False where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(len(_NAME)) == _NAME
    except OSError:
        return False


class Flight:
    """A recording that is read: its `head`, then `lines` (once); `torn` after those were read."""

    def __init__(self, path: Path) -> None:
        """UsageError when it cannot be read, is none, or is of a later version."""
        try:
            data = path.read_bytes()
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from None
        first, _, self._blocks = data.partition(b"\n")
        version = first.removeprefix(_NAME)
        if first == version or not version.isdigit():
            raise UsageError(f"{path} is no flight recording of lumiban's")
        if int(version) > VERSION:
            raise UsageError(
                f"{path} is of version {int(version)}, this lumiban reads up to {VERSION}: "
                "update it"
            )
        self.path = path
        self.torn = 0
        """Bytes at the end that are no whole block."""
        self._lines = self._read()
        head = next(self._lines, None)
        if not isinstance(head, dict):
            raise UsageError(f"{path} holds no whole block: the recording ended at its beginning")
        self.head: dict[str, Any] = head

    def lines(self) -> Iterator[list[Any]]:
        """What happened, in order; UsageError for a line that is none of ours."""
        for one in self._lines:
            if not isinstance(one, list) or not one or not isinstance(one[0], str):
                raise UsageError(f"{self.path} holds a line that is none of a recording's: {one!r}")
            yield one

    def _read(self) -> Iterator[Any]:
        unpack = zlib.decompressobj(-15)
        at, total, rest = 0, 0, b""
        while at < len(self._blocks):
            data, after = self._block(at)
            if data is None:
                self.torn = len(self._blocks) - at
                return
            try:
                text = rest + unpack.decompress(data, MOST_BYTES)
            except zlib.error:
                self.torn = len(self._blocks) - at
                return
            total += len(text)
            if total > MOST_BYTES:
                raise UsageError(f"{self.path} is too large for a recording")
            *whole, rest = text.split(b"\n")
            for one in whole:
                try:
                    yield json.loads(one)
                except (ValueError, RecursionError):
                    raise UsageError(f"{self.path} holds a line that is no JSON") from None
            at = after

    def _block(self, at: int) -> tuple[bytes | None, int]:
        if at + _BLOCK.size > len(self._blocks):
            return None, at
        length, check = _BLOCK.unpack_from(self._blocks, at)
        start = at + _BLOCK.size
        data = self._blocks[start : start + length]
        whole = len(data) == length and zlib.crc32(data) == check
        return (data if whole else None), start + length


def flights(folder: Path) -> list[Path]:
    """The recordings in a folder, oldest first."""
    if not folder.is_dir():
        return []
    found = [path for path in folder.glob("*" + SUFFIX) if path.is_file()]
    return sorted(found, key=lambda path: (path.stat().st_mtime_ns, path.name))


def make_room(folder: Path, room: int) -> None:
    """Remove the oldest recordings until those that stay take no more than `room` bytes."""
    left = 0
    for path in reversed(flights(folder)):
        left += path.stat().st_size
        if left > room:
            path.unlink(missing_ok=True)
