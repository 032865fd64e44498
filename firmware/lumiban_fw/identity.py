"""Identity of the board, for a host that never saw its profile: `/identity.bin`, sent on IDENTIFY.

Loaded when a host asks. The file is the host's (`lumiban.boards.identity` makes it); here it is
checked and handed on in parts. docs/wire.md gives the bytes.
"""

import struct

from lumiban_fw import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lumiban_fw.layout import Layout

IDENTITY = "identity.bin"
MAGIC = b"LMBI"
VERSION = 1
HEAD = "<4sBBHBB16s"


def check(data: bytes) -> None:
    """ValueError when these are not the bytes of an identity."""
    head = struct.calcsize(HEAD)
    if len(data) < head + 2 or data[:4] != MAGIC or data[4] != VERSION:
        raise ValueError("identity.bin: not an identity")
    if len(data) != head + wire.CELL_BYTES * data[8] + 2:
        raise ValueError("identity.bin: wrong length")
    if wire.crc16(bytes(data[:-2])) != data[-2] | (data[-1] << 8):
        raise ValueError("identity.bin: wrong checksum")


def answer(
    data: bytes, chip: bytes, layout: "Layout", capabilities: int, first: int
) -> "tuple[int, bytes]":
    """Type and payload of what answers IDENTIFY: who the board is, or its cells from `first` on.

    `data` is the file, b"" of a board that has none.
    """
    try:
        check(data)
    except ValueError:
        data = b""
    if first == wire.WHOLE_BOARD:
        grid, pitch_um, model = 0, 0, layout.model
        if data:
            _, _, grid, pitch_um, _, _, model = struct.unpack(HEAD, data[: struct.calcsize(HEAD)])
        told = wire.pack_identity(
            grid, pitch_um, layout.cells, layout.lights, capabilities, model, chip
        )
        return wire.B_IDENTITY, told
    at = struct.calcsize(HEAD) + wire.CELL_BYTES * first
    end = min(at + wire.CELL_BYTES * wire.PLACES_A_FRAME, len(data) - 2)
    return wire.B_CELLS, bytes((first,)) + bytes(data[at : max(at, end)])
