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
from typing import Any, BinaryIO

from lumiban import bounded
from lumiban.errors import UsageError

SUFFIX = ".flight"
VERSION = 1
_NAME = b"lumiban flight "
_BLOCK = struct.Struct("<II")
MOST_BYTES = 256_000_000
"""No recording of ours comes near it once unpacked; something else was named by mistake."""
MOST_BLOCK = 16_000_000
"""Bytes of a packed block; ours have some 10 000."""
UNPACKED = 65_536
"""Bytes that are unpacked at a time: what a few packed bytes become is never held as a whole."""
PIECE = 150_000
"""Letters of a journal in one line: that of a long game goes in by several."""
MOST_PIECES = 256


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
        self.path = path
        self.torn = 0
        """Bytes at the end that are no whole block."""
        self._line = 0
        try:
            with path.open("rb") as file:
                first = file.readline(len(_NAME) + 20)
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from None
        version = first.rstrip(b"\n").removeprefix(_NAME)
        if not first.startswith(_NAME) or not version.isdigit():
            raise UsageError(f"{path} is not a lumiban flight recording")
        if int(version) > VERSION:
            raise UsageError(
                f"{path} is of version {int(version)}, this lumiban reads up to {VERSION}: "
                "update it"
            )
        self._lines = self._read(len(first))
        head = next(self._lines, None)
        if not isinstance(head, dict):
            raise UsageError(f"{path} holds no complete block: it was cut off at its start")
        self.head: dict[str, Any] = _whole(head, self.lines())

    def lines(self) -> Iterator[list[Any]]:
        """What happened, in order; UsageError for a line that is none of ours."""
        for one in self._lines:
            if not isinstance(one, list) or not one or not isinstance(one[0], str):
                raise UsageError(f"{self.path} holds a line that no recording has: {one!r:.200}")
            yield one

    def _read(self, start: int) -> Iterator[Any]:
        try:
            with self.path.open("rb") as file:
                size = file.seek(0, 2)
                file.seek(start)
                yield from self._parsed(self._texts(file, size))
        except OSError as error:
            raise UsageError(f"{self.path} cannot be read: {error.strerror}") from None

    def _texts(self, file: BinaryIO, size: int) -> Iterator[bytes]:
        """The text of all whole blocks, a little at a time."""
        unpack = zlib.decompressobj(-15)
        while (at := file.tell()) < size:
            data = self._block(file, size)
            if data is None:
                self.torn = size - at
                return
            while data:
                try:
                    yield unpack.decompress(data, UNPACKED)
                except zlib.error:
                    self.torn = size - at
                    return
                data = unpack.unconsumed_tail

    def _parsed(self, texts: Iterator[bytes]) -> Iterator[Any]:
        total, rest = 0, b""
        for text in texts:
            total += len(text)
            if total > MOST_BYTES:
                raise self._too_much(f"has more than {bounded.told(MOST_BYTES)} when unpacked")
            *whole, rest = (rest + text).split(b"\n")
            for one in whole:
                self._line += 1
                try:
                    yield bounded.from_json(one)
                except bounded.TooMuch as much:
                    raise self._too_much(f"{much} in line {self._line}") from None
                except (ValueError, RecursionError):
                    raise UsageError(
                        f"{self.path} holds a line that is not JSON, line {self._line}"
                    ) from None
            if len(rest) > bounded.MOST_LINE:
                most = bounded.told(bounded.MOST_LINE)
                raise self._too_much(f"has more than {most} in line {self._line + 1}")

    def _too_much(self, what: str) -> UsageError:
        return UsageError(
            f"{self.path} {what}: it is not a lumiban recording, or is damaged; "
            "`lumiban flight export` copies one as it was written"
        )

    def _block(self, file: BinaryIO, size: int) -> bytes | None:
        head = file.read(_BLOCK.size)
        if len(head) < _BLOCK.size:
            return None
        length, check = _BLOCK.unpack(head)
        if length > size - file.tell():
            return None
        if length > MOST_BLOCK:
            raise self._too_much(f"has a block of more than {bounded.told(MOST_BLOCK)}")
        data = file.read(length)
        return data if len(data) == length and zlib.crc32(data) == check else None


def in_lines(head: dict[str, Any]) -> list[Any]:
    """A head as the lines of a recording: a journal that is too long for one goes into several."""
    journal = head.get("journal")
    if not isinstance(journal, str) or len(journal) <= PIECE:
        return [head]
    pieces = [journal[at : at + PIECE] for at in range(0, len(journal), PIECE)]
    first = {key: value for key, value in head.items() if key != "journal"}
    return [{**first, "journal_pieces": len(pieces)}, *(["journal", one] for one in pieces)]


def _whole(head: dict[str, Any], lines: Iterator[list[Any]]) -> dict[str, Any]:
    """A head with its journal, as `in_lines` was given it."""
    pieces = head.get("journal_pieces")
    if not isinstance(pieces, int):
        return head
    if pieces > MOST_PIECES:
        raise UsageError("the recording's head is of a journal that no game of lumiban's has")
    journal = ""
    for _, one in zip(range(pieces), lines, strict=False):
        journal += str(one[1]) if one[0] == "journal" and len(one) == 2 else ""
    return {key: value for key, value in head.items() if key != "journal_pieces"} | {
        "journal": journal
    }


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
