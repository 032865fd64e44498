"""The board's own description, `/board.bin`: what is wired where, thresholds and limits.

The host makes it from a profile (`pack`), the board reads it at start (`Layout`). docs/wire.md
gives the bytes. All numbers are integers.
"""

import struct
from array import array

from lumiban_fw.wire import crc16

MAGIC = b"LMBN"
VERSION = 2
_HEAD = "<4sB8sBBBBHHHHHHHHIHHI"
_CELL = "<BBBh"


class Layout:
    """A board as the firmware knows it; ValueError says what is wrong with the bytes.

    Fields in µT, µs, mA, µm as their names say; `gain_q16` is µT a count times 65536.
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

    def __init__(self, data: bytes) -> None:
        size = struct.calcsize(_HEAD)
        if len(data) < size + 2 or bytes(data[:4]) != MAGIC:
            raise ValueError("board.bin: not a board description")
        if crc16(bytes(data[:-2])) != data[-2] | (data[-1] << 8):
            raise ValueError("board.bin: wrong checksum")
        (
            _,
            version,
            self.model,
            self.revision,
            self.cells,
            self.lights,
            self.rows,
            self.scan_hz,
            self.limit_ma,
            self.strip_limit_ma,
            self.off_ut,
            self.on_ut,
            self.strong_ut,
            self.foreign_ut,
            self.still_ut,
            self.settle_us,
            self.strong_um,
            self.weak_um,
            self.gain_q16,
        ) = struct.unpack(_HEAD, data[:size])
        if not 1 <= version <= VERSION:
            raise ValueError("board.bin: version " + str(version))
        step = struct.calcsize(_CELL)
        end = size + self.cells * step + self.lights
        if len(data) < end + 2 or (version == 1 and len(data) != end + 2):
            raise ValueError("board.bin: wrong length")
        self.row = bytearray(self.cells)
        self.channel = bytearray(self.cells)
        self.light = bytearray(self.cells)
        self.baseline = array("h", bytes(2 * self.cells))
        for i in range(self.cells):
            row, channel, light, baseline = struct.unpack(
                _CELL, data[size + i * step : size + (i + 1) * step]
            )
            if row >= self.rows or light >= self.lights:
                raise ValueError("board.bin: wrong row or light")
            self.row[i] = row
            self.channel[i] = channel
            self.light[i] = light
            self.baseline[i] = baseline
        at = size + self.cells * step
        self.strip = bytearray(data[at : at + self.lights])
        # What a piece adds to the cells around it: shares in 1/65536, and ways around a cell.
        self.shares: "list[int]" = []
        self.near = bytes(1)
        """How many neighbours, and (how much further, modulo 256; which share) of each. Most
        cells of a board have the same: each is there once."""
        self.near_at = array("H", bytes(2 * self.cells))
        """Where a cell's stand in `near`."""
        if version > 1:
            kinds = data[end] if end < len(data) - 2 else 0
            at = end + 1 + 2 * kinds
            if at > len(data) - 2:
                raise ValueError("board.bin: wrong length")
            self.shares = list(struct.unpack("<" + str(kinds) + "h", data[end + 1 : at]))
            self._read_near(memoryview(data)[at:-2])

    def _read_near(self, told: "memoryview[int]") -> None:
        """`near` and `near_at` from the neighbours of each cell, as the bytes have them."""
        places: "dict[bytes, int]" = {}
        near = bytearray()
        at = 0
        for i in range(self.cells):
            if at >= len(told):
                raise ValueError("board.bin: wrong length")
            around = bytearray(told[at : at + 1 + 2 * told[at]])
            at += 1 + 2 * told[at]
            if at > len(told):
                raise ValueError("board.bin: wrong length")
            for k in range(1, len(around), 2):
                if around[k] >= self.cells or around[k + 1] >= len(self.shares):
                    raise ValueError("board.bin: wrong neighbour")
                around[k] = (around[k] - i) & 0xFF
            key = bytes(around)
            if key not in places:
                places[key] = len(near)
                near.extend(key)
            self.near_at[i] = places[key]
        if at != len(told):
            raise ValueError("board.bin: wrong length")
        self.near = bytes(near)

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
        _HEAD,
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
        out += struct.pack(_CELL, row, channel, light, baseline)
    out += bytes(strips)
    told = shares or []
    out += struct.pack("<B" + str(len(told)) + "h", len(told), *told)
    for i in range(len(cells)):
        around = near[i] if near else []
        out += bytes((len(around),))
        for pair in around:
            out += bytes(pair)
    return out + struct.pack("<H", crc16(out))
