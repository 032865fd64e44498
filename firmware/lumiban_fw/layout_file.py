"""The board's own description, `/board.bin`: the host packs it, the board reads it at its start.

The host makes it from a profile; how it is read, the board forgets again. docs/wire.md gives the
bytes.
"""

import struct
from array import array

from lumiban_fw.layout import REFERENCE, Layout
from lumiban_fw.wire import crc16

MAGIC = b"LMBN"
NEWEST = 3
WITHOUT_SWITCHES = 2
"""Version of a board that tells nothing of switches: older firmware reads it too."""
HEAD = "<4sB8sBBBBHHHHHHHHIHHI"
CELL = "<BBBh"
SWITCH_ROWS, SWITCH_SHIFTED_ROWS, SWITCH_CHAIN, SWITCH_EXPANDERS = 1, 2, 3, 4
"""Ways of wiring switches to the chip: rows drawn low by pins (or none, and a pin a cell), rows by
74HC595, a chain of 74HC165, MCP23017s."""
LAST_PIN = 29


def read(data: bytes) -> Layout:
    """The layout that these bytes describe; ValueError says what is wrong with them."""
    layout = Layout()
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
    if not 1 <= version <= NEWEST:
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
    layout.wiring = b""
    if version > 1:
        kinds = data[end] if end < len(data) - 2 else 0
        at = end + 1 + 2 * kinds
        if at > len(data) - 2:
            raise ValueError("board.bin: wrong length")
        layout.shares = list(struct.unpack("<" + str(kinds) + "h", data[end + 1 : at]))
        at += _read_near(layout, memoryview(data)[at:-2])
        if version > WITHOUT_SWITCHES:
            layout.wiring = bytes(data[at:-2])
            _check_wiring(layout)
        elif at != len(data) - 2:
            raise ValueError("board.bin: wrong length")
    return layout


def _check_wiring(layout: Layout) -> None:
    """ValueError for a wiring of switches that leads outside of what there is."""
    wiring = layout.wiring
    if len(wiring) < 3 or len(wiring) != 3 + wiring[2] + 2 * layout.cells:
        raise ValueError("board.bin: wrong length")
    how, slots, lines = wiring[0], wiring[1], wiring[2]
    wanted = {
        SWITCH_ROWS: slots if lines else 0,
        SWITCH_SHIFTED_ROWS: 3,
        SWITCH_CHAIN: 2,
        SWITCH_EXPANDERS: 2 + slots,
    }
    if how not in wanted or lines != wanted[how] or not slots or (not lines and slots != 1):
        raise ValueError("board.bin: wrong wiring")
    for k in range(3, len(wiring)):
        is_slot = k >= 3 + lines and not (k - 3 - lines) & 1
        if wiring[k] >= (slots if is_slot else LAST_PIN + 1):
            raise ValueError("board.bin: wrong pin")


def _read_near(layout: Layout, told: "memoryview[int]") -> int:
    """`near` and `near_at` from the neighbours of each cell, as the bytes have them; how many."""
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
    layout.near = bytes(near)
    return at


def in_order(row: bytearray, channel: bytearray, rows: int) -> bytearray:
    """The addresses (16 times the row, and the channel) of a frame's readings, one after the other.

    Each reference stands among its cells: the lights' chopping moves the ground of a strip within
    some slots, and what lies near in time is moved alike.
    """
    order = bytearray()
    for r in range(rows):
        used = [channel[i] for i in range(len(row)) if row[i] == r]
        used.sort()
        used.insert(len(used) // 2, REFERENCE)
        for c in used:
            order.append(r << 4 | c)
    return order


def pack_board(
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
    wiring: bytes = b"",
) -> bytes:
    """The bytes of `/board.bin`.

    `cells` are (row, mux channel, light, baseline in counts); `strips` gives the strip of each
    light, for the current limit. `strong_um` and `weak_um` are the heights above the seat at
    which the field is half of the settled one. `near` are for each cell (another cell, which of
    `shares`): what part (in 1/65536) of its own field a piece adds to the other. `wiring` is of
    switches on the chip's pins: how (SWITCH_…), how many words of pins a frame has, how many lines
    are driven, their pins, then for each cell its word and its pin. Of expanders the lines are SDA,
    SCL and the number of each on its address jumpers; a cell has the word and the bit of one.
    """
    out = struct.pack(
        HEAD,
        MAGIC,
        NEWEST if wiring else WITHOUT_SWITCHES,
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
    out += wiring
    return out + struct.pack("<H", crc16(out))
