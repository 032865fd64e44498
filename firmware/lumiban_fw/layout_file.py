"""Reading `/board.bin`: needed once, at the start."""

import struct
from array import array

from lumiban_fw.layout import CELL, HEAD, MAGIC, VERSION
from lumiban_fw.wire import crc16

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lumiban_fw.layout import Layout


def read(layout: "Layout", data: bytes) -> None:
    """Fill a layout from its bytes; ValueError says what is wrong with them."""
    size = struct.calcsize(HEAD)
    if len(data) < size + 2 or bytes(data[:4]) != MAGIC:
        raise ValueError("board.bin: not a board description")
    if crc16(bytes(data[:-2])) != data[-2] | (data[-1] << 8):
        raise ValueError("board.bin: wrong checksum")
    (
        _,
        version,
        layout.model,
        layout.revision,
        layout.cells,
        layout.lights,
        layout.rows,
        layout.scan_hz,
        layout.limit_ma,
        layout.strip_limit_ma,
        layout.off_ut,
        layout.on_ut,
        layout.strong_ut,
        layout.foreign_ut,
        layout.still_ut,
        layout.settle_us,
        layout.strong_um,
        layout.weak_um,
        layout.gain_q16,
    ) = struct.unpack(HEAD, data[:size])
    if not 1 <= version <= VERSION:
        raise ValueError("board.bin: version " + str(version))
    step = struct.calcsize(CELL)
    end = size + layout.cells * step + layout.lights
    if len(data) < end + 2 or (version == 1 and len(data) != end + 2):
        raise ValueError("board.bin: wrong length")
    layout.row = bytearray(layout.cells)
    layout.channel = bytearray(layout.cells)
    layout.light = bytearray(layout.cells)
    layout.baseline = array("h", bytes(2 * layout.cells))
    for i in range(layout.cells):
        row, channel, light, baseline = struct.unpack(
            CELL, data[size + i * step : size + (i + 1) * step]
        )
        if row >= layout.rows or light >= layout.lights:
            raise ValueError("board.bin: wrong row or light")
        layout.row[i] = row
        layout.channel[i] = channel
        layout.light[i] = light
        layout.baseline[i] = baseline
    at = size + layout.cells * step
    layout.strip = bytearray(data[at : at + layout.lights])
    # What a piece adds to the cells around it: shares in 1/65536, and ways around a cell.
    layout.shares = []
    layout.near = bytes(1)
    layout.near_at = array("H", bytes(2 * layout.cells))
    if version > 1:
        kinds = data[end] if end < len(data) - 2 else 0
        at = end + 1 + 2 * kinds
        if at > len(data) - 2:
            raise ValueError("board.bin: wrong length")
        layout.shares = list(struct.unpack("<" + str(kinds) + "h", data[end + 1 : at]))
        _read_near(layout, memoryview(data)[at:-2])


def _read_near(layout: "Layout", told: "memoryview[int]") -> None:
    """`near` and `near_at` from the neighbours of each cell, as the bytes have them."""
    places: "dict[bytes, int]" = {}
    near = bytearray()
    at = 0
    for i in range(layout.cells):
        if at >= len(told):
            raise ValueError("board.bin: wrong length")
        around = bytearray(told[at : at + 1 + 2 * told[at]])
        at += 1 + 2 * told[at]
        if at > len(told):
            raise ValueError("board.bin: wrong length")
        for k in range(1, len(around), 2):
            if around[k] >= layout.cells or around[k + 1] >= len(layout.shares):
                raise ValueError("board.bin: wrong neighbour")
            around[k] = (around[k] - i) & 0xFF
        key = bytes(around)
        if key not in places:
            places[key] = len(near)
            near.extend(key)
        layout.near_at[i] = places[key]
    if at != len(told):
        raise ValueError("board.bin: wrong length")
    layout.near = bytes(near)
