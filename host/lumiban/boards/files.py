"""Files on their way to a board: the frames that bring one, and what the board answers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from lumiban_fw import wire

from lumiban.boards.client import BoardClient
from lumiban.boards.messages import packed, unpacked
from lumiban.boards.ports import localized
from lumiban.errors import BoardError

KEPT_US = 5_000_000
"""A board has stored a file that it received so soon, or says why not."""
_STATUS = {
    wire.FILE_WRONG_SUM: "the file arrived with a wrong sum",
    wire.FILE_REFUSED: "the board does not accept the file",
    wire.FILE_NO_ROOM: "the board could not store the file",
}


def file_frames(what: int, data: bytes, name: str = "") -> Iterator[tuple[int, bytes]]:
    """Frames (type, payload) that bring a file of kind `what` (`wire.FILE_…`), to send reliably.

    `name` is a program's file name.

    >>> [kind == wire.H_FILE_DATA for kind, _ in file_frames(wire.FILE_BOARD, b"12345")]
    [False, True, False]
    """
    goal = hashlib.sha256(data).digest()
    yield wire.H_FILE_BEGIN, packed(wire.H_FILE_BEGIN, what, len(data), goal, tail=name.encode())
    for at in range(0, len(data), wire.FILE_BYTES):
        yield wire.H_FILE_DATA, packed(wire.H_FILE_DATA, at, tail=data[at : at + wire.FILE_BYTES])
    yield wire.H_FILE_END, b""


def refusal(kind: int, payload: bytes) -> str:
    """Reason why the board keeps no file, as this frame of its own says; "" where it says none."""
    if kind == wire.B_NAK:
        refused, _, why = unpacked(wire.B_NAK, payload).fields
        if refused in (wire.H_FILE_BEGIN, wire.H_FILE_DATA, wire.H_FILE_END):
            return f"the board refused frame 0x{refused:02X}, reason {why}"
    elif kind == wire.B_FILE:
        _, status, received = unpacked(wire.B_FILE, payload).fields
        if status in _STATUS:
            return f"{_STATUS[status]} ({received} bytes there)"
    return ""


def upload(client: BoardClient, what: int, data: bytes) -> None:
    """Send a file and wait until the board keeps it; BoardError says why it does not, LinkLost."""
    begun = len(client.frames)
    for kind, payload in file_frames(what, data):
        client.deliver(kind, payload)

    def kept() -> bool:
        for frame in client.frames[begun:]:
            reason = refusal(frame.kind, frame.payload)
            if reason:
                raise BoardError(localized("flash.refused", reason=reason))
            if (
                frame.kind == wire.B_FILE
                and unpacked(wire.B_FILE, frame.payload).fields[1] == wire.FILE_KEPT
            ):
                return True
        return False

    client.until(kept, KEPT_US)
