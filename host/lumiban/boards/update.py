"""Sending a program to a board: which frames, in which order, and what the board said to them.

No input or output here: `next` gives a frame for the reliable sender, `take` is told the answers.
docs/wire.md, "Files and updates", has the steps.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

from lumiban_fw import wire

_REFUSALS = {
    wire.FILE_WRONG_SUM: "the file arrived with a wrong sum",
    wire.FILE_REFUSED: "the board does not accept the file",
    wire.FILE_NO_ROOM: "the board could not store the file",
}


def manifest(program: Mapping[str, bytes]) -> bytes:
    """The text that makes the files of a folder a program.

    >>> print(manifest({"main.py": b""}).decode(), end="")
    lumiban 1
    e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 main.py
    """
    lines = [f"{hashlib.sha256(program[name]).hexdigest()} {name}" for name in sorted(program)]
    return ("\n".join(["lumiban 1", *lines]) + "\n").encode()


class Updater:
    """Frames that bring a program (file name → bytes) to a board and start it on trial.

    ValueError for a name that the board would not take. `failed` says in English why it stopped,
    or is "".
    """

    def __init__(self, program: Mapping[str, bytes]) -> None:
        for name in program:
            if not 0 < len(name) <= wire.FILE_NAME:
                raise ValueError(f"a file's name may have {wire.FILE_NAME} letters: {name}")
        self.failed = ""
        self.sent = 0
        """Bytes of files handed out so far."""
        self.size = sum(len(data) for data in program.values())
        """Bytes of all files."""
        self.now = ""
        """Name of the file that is being sent."""
        self._program = dict(program)
        self._frames = self._all()

    def next(self) -> tuple[int, bytes] | None:
        """The next frame (type, payload) to send reliably; None when all are out or it failed."""
        return None if self.failed else next(self._frames, None)

    def take(self, kind: int, payload: bytes) -> None:
        """What the board sent: FILE and NAK matter, all else is passed over."""
        if kind == wire.B_NAK:
            refused, _, why = wire.unpack_nak(payload)
            if refused in (wire.H_FILE_BEGIN, wire.H_FILE_DATA, wire.H_FILE_END, wire.H_BOOT):
                self.failed = f"{self.now}: the board refused frame 0x{refused:02X}, reason {why}"
        elif kind == wire.B_FILE:
            _, status, received = wire.unpack_file(payload)
            if status in _REFUSALS:
                self.failed = f"{self.now}: {_REFUSALS[status]} ({received} bytes there)"

    def _all(self) -> Iterator[tuple[int, bytes]]:
        for name in sorted(self._program):
            yield from self._file(wire.FILE_PROGRAM, name, self._program[name])
        yield from self._file(wire.FILE_MANIFEST, "manifest", manifest(self._program))
        self.now = ""
        yield wire.H_BOOT, wire.pack_boot(wire.BOOT_OTHER)

    def _file(self, what: int, name: str, data: bytes) -> Iterator[tuple[int, bytes]]:
        self.now = name
        told = name.encode() if what == wire.FILE_PROGRAM else b""
        goal = hashlib.sha256(data).digest()
        yield wire.H_FILE_BEGIN, wire.pack_file_begin(what, len(data), goal, told)
        for at in range(0, len(data), wire.FILE_BYTES):
            part = data[at : at + wire.FILE_BYTES]
            if what == wire.FILE_PROGRAM:
                self.sent += len(part)
            yield wire.H_FILE_DATA, wire.pack_file_data(at, part)
        yield wire.H_FILE_END, b""
