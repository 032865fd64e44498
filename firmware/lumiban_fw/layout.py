"""The board's own description, `/board.bin`: what is wired where, thresholds and limits.

The host makes it from a profile (`pack`), the board reads it at start (`Layout`; how, it forgets
again). docs/wire.md gives the bytes. All numbers are integers.
"""

import struct

from lumiban_fw.wire import crc16

MAGIC = b"LMBN"
VERSION = 2
REFERENCE = 15
"""The mux channel of every row's reference."""
HEAD = "<4sB8sBBBBHHHHHHHHIHHI"
CELL = "<BBBh"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array


class Layout:
    """A board as the firmware knows it; ValueError says what is wrong with the bytes.

    Fields in µT, µs, mA, µm as their names say; `gain_q16` is µT a count times 65536. `shares` are
    in 1/65536; `near_at` says for each cell where its neighbours stand in `near`: how many, and
    (how much further, modulo 256; which share) of each. Most cells have the same: each is there
    once.
    """

    model: bytes
    revision: int
    cells: int
    lights: int
    rows: int
    scan_hz: int
    limit_ma: int
    strip_limit_ma: int
    off_ut: int
    on_ut: int
    strong_ut: int
    foreign_ut: int
    still_ut: int
    settle_us: int
    strong_um: int
    weak_um: int
    gain_q16: int

    row: bytearray
    channel: bytearray
    light: bytearray
    baseline: "array[int]"
    strip: bytearray
    shares: "list[int]"
    near: bytes
    near_at: "array[int]"

    def __init__(self, data: bytes) -> None:
        from lumiban_fw.layout_file import read

        read(self, data)

    def neighbours(self, cell: int) -> "list[tuple[int, int]]":
        """(cell, 1/65536 of a piece's field that it reads) of the cells around one."""
        at = self.near_at[cell]
        near = self.near
        return [
            ((cell + near[k]) & 0xFF, self.shares[near[k + 1]])
            for k in range(at + 1, at + 1 + 2 * near[at], 2)
        ]


def pack(
    model: bytes,
    revision: int,
    rows: int,
    scan_hz: int,
    limit_ma: int,
    strip_limit_ma: int,
    off_ut: int,
    on_ut: int,
    strong_ut: int,
    foreign_ut: int,
    still_ut: int,
    settle_us: int,
    strong_um: int,
    weak_um: int,
    gain_q16: int,
    cells: "list[tuple[int, int, int, int]]",
    strips: "list[int]",
    shares: "list[int] | None" = None,
    near: "list[list[tuple[int, int]]] | None" = None,
) -> bytes:
    """The bytes of `/board.bin`.

    `cells` are (row, mux channel, light, baseline in counts); `strips` gives the strip of each
    light, for the current limit. `strong_um` and `weak_um` are the heights above the seat at
    which the field is half of the settled one. `near` are for each cell (another cell, which of
    `shares`): what part (in 1/65536) of its own field a piece adds to the other.
    """
    out = struct.pack(
        HEAD,
        MAGIC,
        VERSION,
        model,
        revision,
        len(cells),
        len(strips),
        rows,
        scan_hz,
        limit_ma,
        strip_limit_ma,
        off_ut,
        on_ut,
        strong_ut,
        foreign_ut,
        still_ut,
        settle_us,
        strong_um,
        weak_um,
        gain_q16,
    )
    for row, channel, light, baseline in cells:
        out += struct.pack(CELL, row, channel, light, baseline)
    out += bytes(strips)
    told = shares or []
    out += struct.pack("<B" + str(len(told)) + "h", len(told), *told)
    for i in range(len(cells)):
        around = near[i] if near else []
        out += bytes((len(around),))
        for pair in around:
            out += bytes(pair)
    return out + struct.pack("<H", crc16(out))
