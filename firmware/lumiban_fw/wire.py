"""The wire between host and board ("BLP" 1): its numbers, and the layout of every message.

This file and `framing` run on the board (MicroPython) and in the host (CPython); docs/wire.md is
their authority. All numbers are little-endian, times are microseconds, nothing here is a float.
"""

import struct

from lumiban_fw.buffers import HALF_SCALE as HALF_SCALE
from lumiban_fw.framing import HEADER as HEADER
from lumiban_fw.framing import MAJOR as MAJOR
from lumiban_fw.framing import MAJOR_SHIFT as MAJOR_SHIFT
from lumiban_fw.framing import MAX_DECODED as MAX_DECODED
from lumiban_fw.framing import MAX_FRAME as MAX_FRAME
from lumiban_fw.framing import MAX_PAYLOAD as MAX_PAYLOAD
from lumiban_fw.framing import MINOR as MINOR
from lumiban_fw.framing import Decoder as Decoder
from lumiban_fw.framing import cobs as cobs
from lumiban_fw.framing import crc16 as crc16
from lumiban_fw.framing import frame as frame
from lumiban_fw.framing import take as take
from lumiban_fw.framing import uncobs as uncobs

# The names of framing belong to the wire: `as` says so.

WINDOW = 8
"""Reliable frames that may be under way from host to board."""
RTO_MIN_US = 25_000
RTO_MAX_US = 1_000_000
"""An unacknowledged reliable frame is sent again after this, doubling from the least."""
BEAT_US = 500_000
SILENCE_US = 1_500_000
"""Without a frame from the other side for so long, it is lost."""
STATE_US = 500_000
STATS_US = 5_000_000
RING_EVENTS = 256
"""Events that the board keeps until they are acknowledged."""
RESEND_MIN_US = 50_000
RESEND_MAX_US = 500_000

# Flags of the header; bits 7 to 4 carry the major version.
RELIABLE = 1
RESENT = 2
MORE = 4
AGED = 8
"""EVENTS: `base_us` counts units of AGED_US, because an event is older than AGED_AFTER_US."""
AGED_US = 4096
AGED_AFTER_US = 1 << 30
EVENT_STEP_US = 10
"""Unit in µs of an event's time after the first of its frame."""
UNSURE_STEP_US = 50
UNSURE_MOST = 255
UNSURE_MOST_US = UNSURE_MOST * UNSURE_STEP_US
"""The largest uncertainty that an event tells: it is that, or more."""

# Host to board.
H_HELLO = 0x01
H_CLOCK = 0x02
H_BEAT = 0x03
H_ACK = 0x04
H_LAYER = 0x10
H_PALETTE = 0x11
H_COMMIT = 0x13
H_CFG = 0x20
H_GET_STATE = 0x21
H_GET_FIELD = 0x22
H_INJECT = 0x23
H_IDENTIFY = 0x24
H_FILE_BEGIN = 0x30
H_FILE_DATA = 0x31
H_FILE_END = 0x32
H_FILE_READ = 0x33
H_BOOT = 0x3F

# Board to host: bit 7 is set.
FROM_BOARD = 0x80
B_HELLO = 0x81
B_CLOCK = 0x82
B_BEAT = 0x83
B_ACK = 0x84
B_NAK = 0x85
B_EVENTS = 0x90
B_STATE = 0x91
B_FIELD = 0x92
B_STATS = 0x93
B_FAULT = 0x94
B_IDENTITY = 0x95
B_CELLS = 0x96
B_FILE = 0xA0
B_FILE_PART = 0xA1

# What a cell holds.
EMPTY, WHITE, BLACK, NEUTRAL, UNKNOWN, STACKED, FOREIGN, MASKED = 0, 1, 2, 3, 4, 5, 6, 7
DOWN, UP = 8, 9
"""Kinds of a button event; buttons are the cells from FIRST_BUTTON on."""
FIRST_BUTTON = 240
KIND = 0x0F
LATE = 0x80
"""Set in an event's kind: its time lies before that of an event already sent."""

# Flags of STATE.
OVERFLOWED = 1
MOVING = 2
INJECTED = 4
UPDATING = 8

# Capabilities of HELLO.
CAN_ORDER = 1
CAN_INJECT = 2
IS_SIMULATED = 4
INJECTING = 8
CAN_UPDATE = 16
IN_RESCUE = 32
CALIBRATED = 64
CAN_FIELD = 256
CAN_IDENTIFY = 512
PRESENCE_ONLY = 1024

ORDER_HZ = 500
"""A board that scans more slowly cannot tell the order of two hands and lacks CAN_ORDER."""

# Effects of a light. The envelopes stand in lights.py.
STEADY, BLINK, FAST_BLINK, BREATHE, PULSE, PULSE_B, PROOF, CHASE = 0, 1, 2, 3, 4, 5, 6, 7
EFFECTS = 8

BRIGHTNESS = 64
"""Of 255 at power-on: a quarter, bright in a room and easy on the eyes."""
FULL_MA, IDLE_MA = 20, 1
"""Currents in mA of a light for each of its three colours at 255, and of a dark light."""

PALETTE_SIZE = 64
EVENTS_A_FRAME = 8
CELLS_A_STATE = 80
LIGHTS_A_FRAME = 26
COLOURS_A_FRAME = 18
PLACES_A_FRAME = 4
"""Cells in a CELLS."""
CELL_BYTES = 11
"""A cell in CELLS and in `/identity.bin`."""
CHIP_LETTERS = 30
WHOLE_BOARD = 255
"""IDENTIFY asks for the board itself, not for its cells."""
HEXAGONS, SQUARES = 1, 2
"""Kinds of grid; 0: the board has not been told."""
PLACE_STEP_UM = 20
"""Unit in µm of the places of cells."""

_HELLO_H = "<BBI"
_HELLO_B = "<BB8sBBBI8sIIQHHB"
_CLOCK_B = "<IQH"
_EVENTS = "<III"
_EVENT = "<BBHB"
_STATE = "<IIIBBB"


# Every pack_ gives a payload; every unpack_ takes one, ignores trailing bytes (later minor
# versions may add some) and raises ValueError when it is too short.


def pack_host_hello(session: int) -> bytes:
    """HELLO of the host: versions and a number that the board echoes."""
    return struct.pack(_HELLO_H, MAJOR, MINOR, session & 0xFFFFFFFF)


def unpack_host_hello(payload: bytes) -> "tuple[int, int, int]":
    """(major, minor, session)."""
    major, minor, session = take(_HELLO_H, payload)
    return major, minor, session


def pack_board_hello(
    model: bytes,
    revision: int,
    cells: int,
    lights: int,
    firmware: int,
    uid: bytes,
    boot_id: int,
    session: int,
    now_us: int,
    scan_hz: int,
    capabilities: int,
    reset_cause: int,
) -> bytes:
    """HELLO of the board: who it is and what it can do."""
    return struct.pack(
        _HELLO_B,
        MAJOR,
        MINOR,
        model,
        revision,
        cells,
        lights,
        firmware,
        uid,
        boot_id,
        session,
        now_us,
        scan_hz,
        capabilities,
        reset_cause,
    )


def unpack_board_hello(
    payload: bytes,
) -> "tuple[int, int, bytes, int, int, int, int, bytes, int, int, int, int, int, int]":
    """(major, minor, model, revision, cells, lights, firmware, uid, boot_id, session, now_us,
    scan_hz, capabilities, reset_cause); model and uid are bytes."""
    if len(payload) < struct.calcsize(_HELLO_B):
        raise ValueError("short")
    return struct.unpack(_HELLO_B, payload[: struct.calcsize(_HELLO_B)])


def pack_u32(value: int) -> bytes:
    """One number: CLOCK token, ACK next event."""
    return struct.pack("<I", value & 0xFFFFFFFF)


def unpack_u32(payload: bytes) -> int:
    """The number packed by `pack_u32`."""
    return take("<I", payload)[0]


def pack_board_clock(token: int, rx_us: int, turnaround_us: int) -> bytes:
    """CLOCK answered: token, board time of receipt, time until the answer left."""
    return struct.pack(_CLOCK_B, token, rx_us, min(turnaround_us, 0xFFFF))


def unpack_board_clock(payload: bytes) -> "tuple[int, int, int]":
    """(token, rx_us, turnaround_us)."""
    token, rx_us, turnaround = take(_CLOCK_B, payload)
    return token, rx_us, turnaround


def pack_board_beat(now_us: int, watermark_us: int) -> bytes:
    """BEAT of the board: its time and watermark, low 32 bits each."""
    return struct.pack("<II", now_us & 0xFFFFFFFF, watermark_us & 0xFFFFFFFF)


def unpack_board_beat(payload: bytes) -> "tuple[int, int]":
    """(now_us, watermark_us), low 32 bits each."""
    now_us, watermark = take("<II", payload)
    return now_us, watermark


def pack_identity(
    grid: int,
    pitch_um: int,
    cells: int,
    lights: int,
    capabilities: int,
    model: bytes,
    chip: bytes,
) -> bytes:
    """IDENTITY: who the board is; the model in full (16 bytes), and its chip in words."""
    head = struct.pack("<BHBBI16s", grid, pitch_um, cells, lights, capabilities, model)
    return head + chip[:CHIP_LETTERS]


def unsure(us: int) -> int:
    """An uncertainty as EVENTS tell it, never less than it is; 255 is that, or more."""
    return min((us + UNSURE_STEP_US - 1) // UNSURE_STEP_US, UNSURE_MOST)


def pack_events(
    first: int,
    watermark_us: int,
    events: "list[tuple[int, int, int, int]]",
    aged: bool = False,
) -> bytes:
    """EVENTS: up to 8 of (cell, kind, t_us, uncertainty_us), in order of time from the first.

    With `aged` the frame must carry the flag AGED.
    """
    base = events[0][2]
    low = base
    if aged:
        low = base // AGED_US
        base = low * AGED_US
    out = struct.pack(_EVENTS, first, low & 0xFFFFFFFF, watermark_us & 0xFFFFFFFF)
    for cell, kind, t_us, uncertainty in events:
        steps = (t_us - base + EVENT_STEP_US // 2) // EVENT_STEP_US
        out += struct.pack(_EVENT, cell, kind, steps, unsure(uncertainty))
    return out


def events_base(low: int, flags: int, near_us: int) -> int:
    """The full time of an EVENTS frame's `base_us`, by the frame's flags.

    >>> events_base(7, AGED, 2**41)
    28672
    """
    if flags & AGED:
        return widen(low, near_us // AGED_US) * AGED_US
    return widen(low, near_us)


def fits_events(base_us: int, t_us: int) -> bool:
    """True if an event at `t_us` can share a frame whose first event is at `base_us`."""
    return 0 <= t_us - base_us <= 65000 * EVENT_STEP_US


def unpack_events(payload: bytes) -> "tuple[int, int, int, list[tuple[int, int, int, int]]]":
    """(first number, base_us, watermark_us, [(cell, kind, dt_us, uncertainty_us)])."""
    first, base, watermark = take(_EVENTS, payload)
    out: "list[tuple[int, int, int, int]]" = []
    at = struct.calcsize(_EVENTS)
    step = struct.calcsize(_EVENT)
    while at + step <= len(payload) and len(out) < EVENTS_A_FRAME:
        cell, kind, dt, uncertainty = struct.unpack(_EVENT, payload[at : at + step])
        out.append((cell, kind, dt * EVENT_STEP_US, uncertainty * UNSURE_STEP_US))
        at += step
    if not out:
        raise ValueError("empty")
    return first, base, watermark, out


def pack_state(
    t_us: int,
    event: int,
    watermark_us: int,
    flags: int,
    part: int,
    parts: int,
    kinds: "bytes | bytearray",
) -> bytes:
    """STATE: one part of the board's belief, up to 80 cells (one byte each in `kinds`).

    `event` is the number of the next event: the belief holds all events below it.
    """
    out = bytearray(
        struct.pack(_STATE, t_us & 0xFFFFFFFF, event, watermark_us & 0xFFFFFFFF, flags, part, parts)
    )
    for i in range(0, len(kinds), 2):
        high = kinds[i + 1] if i + 1 < len(kinds) else 0
        out.append((kinds[i] & 15) | ((high & 15) << 4))
    return bytes(out)


def unpack_state(payload: bytes) -> "tuple[int, int, int, int, int, int, bytes]":
    """(t_us, event, watermark_us, flags, part, parts, kinds); kinds may hold one spare cell."""
    t_us, event, watermark, flags, part, parts = take(_STATE, payload)
    out = bytearray()
    for byte in payload[struct.calcsize(_STATE) :]:
        out.append(byte & 15)
        out.append(byte >> 4)
    return t_us, event, watermark, flags, part, parts, bytes(out)


# Keys of CFG.
CFG_BRIGHTNESS = 1
CFG_INJECT = 2
CFG_MASK = 3
CFG_UNMASK = 4

# What a FAULT is about.
FAULT_REFERENCE = 1
FAULT_BROWN_OUT = 2
FAULT_VERSION = 3
FAULT_CALIBRATION = 4
FAULT_DRIFT = 5
FAULT_STUCK = 6
FAULT_MIRROR = 7
FAULT_RAIL = 8
FAULT_ROLLED_BACK = 9
FAULT_LIGHTS = 10
FAULT_GONE = 0x80
"""Set in a code: the fault is over."""

# Why a NAK.
NAK_SHORT, NAK_UNKNOWN, NAK_BUSY, NAK_FULL, NAK_VALUE, NAK_FILE, NAK_STORE = 1, 2, 3, 4, 5, 6, 7

# What a file is, how it stands, how to start again.
FILE_PROGRAM, FILE_BOARD, FILE_CALIBRATION, FILE_MANIFEST, FILE_IDENTITY = 0, 1, 2, 3, 4
FILE_COMING, FILE_KEPT, FILE_WRONG_SUM, FILE_REFUSED, FILE_NO_ROOM = 0, 1, 2, 3, 4
BOOT_AGAIN, BOOT_OTHER, BOOT_LOADER, BOOT_RESCUE, BOOT_PROMPT = 0, 1, 2, 3, 4


def widen(low: int, near: int) -> int:
    """The full time whose low 32 bits are `low` and that lies nearest to `near`.

    >>> widen(5, 2**32 + 100) == 2**32 + 5
    True
    """
    delta = (low - near) & 0xFFFFFFFF
    if delta >= 0x80000000:
        delta -= 0x100000000
    return near + delta


# Messages about light: LAYER, PALETTE.


def pack_layer(first: int, lights: "list[tuple[int, int]]") -> bytes:
    """LAYER: (palette index, effect) of up to 26 lights from `first` on."""
    out = bytearray((0, first))
    for palette, effect in lights:
        out.append(palette)
        out.append(effect)
    return bytes(out)


def unpack_layer(payload: bytes) -> "tuple[int, int, list[tuple[int, int]]]":
    """(layer, first, [(palette index, effect)])."""
    layer, first = take("<BB", payload)
    return layer, first, [(payload[i], payload[i + 1]) for i in range(2, len(payload) - 1, 2)]


def pack_palette(first: int, colours: "list[tuple[int, int, int]]") -> bytes:
    """PALETTE: up to 18 colours (r, g, b) from index `first` on."""
    out = bytearray((first,))
    for colour in colours:
        out.extend(bytes(colour))
    return bytes(out)


def unpack_palette(payload: bytes) -> "tuple[int, list[tuple[int, int, int]]]":
    """(first, [(r, g, b)])."""
    first = take("<B", payload)[0]
    return first, [
        (payload[i], payload[i + 1], payload[i + 2]) for i in range(1, len(payload) - 2, 3)
    ]


def unpack_u8(payload: bytes) -> int:
    """The first byte: the cell of IDENTIFY."""
    return take("<B", payload)[0]


# Messages about the board itself: settings, figures, faults, raw fields, files.

READINGS_A_FRAME = 22
"""Readings in a FIELD or an INJECT."""
FULL_SCALE = 2 * HALF_SCALE - 1
"""The most that the ADC gives."""
FILE_BYTES = 48
"""Bytes of a file in a FILE_DATA or FILE_PART."""
FILE_NAME = 18
"""Letters in the name of a file."""

_STATS_0 = "<IHHIHH"
_STATS_1 = "<IHHIHHIHHHHB"
_STATS = "<IHHIHHIHHHHBHI"
_INJECT = "<IHB"
_FIELD = "<IB"
_FILE_BEGIN = "<BI32s"
_FILE = "<BBI"


def pack_cfg(key: int, value: int) -> bytes:
    """CFG: one setting (docs/wire.md lists the keys)."""
    return struct.pack("<Bi", key, value)


def unpack_cfg(payload: bytes) -> "tuple[int, int]":
    """(key, value)."""
    key, value = take("<Bi", payload)
    return key, value


def pack_stats(
    worst_gap_us: int,
    crc_errors: int,
    drops: int,
    heap: int,
    rail_mv: int,
    limited: int,
    worst_tick_us: int = 0,
    resent: int = 0,
    late: int = 0,
    unsure: int = 0,
    waiting: int = 0,
    strip: int = 255,
    scan_hz: int = 0,
    missed: int = 0,
) -> bytes:
    """STATS: what the board has measured about itself; counters stop at 65535."""
    return struct.pack(
        _STATS,
        worst_gap_us,
        min(crc_errors, 0xFFFF),
        min(drops, 0xFFFF),
        heap,
        rail_mv,
        limited,
        worst_tick_us,
        min(resent, 0xFFFF),
        min(late, 0xFFFF),
        min(unsure, 0xFFFF),
        min(waiting, 0xFFFF),
        strip,
        scan_hz,
        missed,
    )


def unpack_stats(payload: bytes) -> "tuple[int, ...]":
    """(worst_gap_us, crc_errors, drops, heap, rail_mv, limited_percent, worst_tick_us, resent,
    late, unsure, waiting, strip, scan_hz, missed); a board of minor version 0 tells the first six,
    one of 1 the first twelve."""
    if len(payload) >= struct.calcsize(_STATS):
        return take(_STATS, payload)
    if len(payload) >= struct.calcsize(_STATS_1):
        return take(_STATS_1, payload) + (0, 0)  # noqa: RUF005  # MicroPython has no *
    return take(_STATS_0, payload) + (0, 0, 0, 0, 0, 255, 0, 0)  # noqa: RUF005  # as above


def pack_fault(what: int, where: int) -> bytes:
    """FAULT: a code and the cell or row that it is about."""
    return struct.pack("<BB", what, where)


def unpack_fault(payload: bytes) -> "tuple[int, int]":
    """(what, where)."""
    what, where = take("<BB", payload)
    return what, where


def pack_nak(kind: int, seq: int, why: int) -> bytes:
    """NAK: the type and number of a frame that came in order but cannot be followed, and why."""
    return struct.pack("<BBB", kind, seq, why)


def unpack_nak(payload: bytes) -> "tuple[int, int, int]":
    """(type, seq, why)."""
    kind, seq, why = take("<BBB", payload)
    return kind, seq, why


def pack_get_field(first: int, count: int, period_ms: int) -> bytes:
    """GET_FIELD: raw readings of `count` cells from `first` on, once or every `period_ms`."""
    return struct.pack("<BBH", first, count, period_ms)


def unpack_get_field(payload: bytes) -> "tuple[int, int, int]":
    """(first cell, how many, period_ms)."""
    first, count, period_ms = take("<BBH", payload)
    return first, count, period_ms


def pack_field(t_us: int, first: int, readings: "list[int]") -> bytes:
    """FIELD: up to 22 ADC counts of one frame, from cell `first` (from row `first` - 240) on."""
    head = struct.pack(_FIELD, t_us & 0xFFFFFFFF, first)
    return head + struct.pack("<" + str(len(readings)) + "H", *readings)


def unpack_field(payload: bytes) -> "tuple[int, int, list[int]]":
    """(t_us, first, readings)."""
    t_us, first = take(_FIELD, payload)
    return t_us, first, _readings(payload, struct.calcsize(_FIELD))


def pack_inject(at_us: int, step_us: int, first: int, readings: "list[int]") -> bytes:
    """INJECT: up to 22 ADC counts in place of the sensors', from board time `at_us` on (0: now).

    With `step_us` 0 they are those of cells `first`, `first` + 1 …; else all are of cell `first`,
    one after another, each for `step_us`. From 240 on `first` means references of rows.
    """
    head = struct.pack(_INJECT, at_us & 0xFFFFFFFF, step_us, first)
    return head + struct.pack("<" + str(len(readings)) + "H", *readings)


def unpack_inject(payload: bytes) -> "tuple[int, int, int, list[int]]":
    """(at_us, step_us, first, readings)."""
    at_us, step_us, first = take(_INJECT, payload)
    return at_us, step_us, first, _readings(payload, struct.calcsize(_INJECT))


def _readings(payload: bytes, at: int) -> "list[int]":
    n = min((len(payload) - at) // 2, READINGS_A_FRAME)
    return list(struct.unpack("<" + str(n) + "H", payload[at : at + 2 * n]))


def pack_file_begin(what: int, size: int, sha256: bytes, name: bytes = b"") -> bytes:
    """FILE_BEGIN: a file follows; its size in bytes, its sha256 (32 bytes), its name."""
    return struct.pack(_FILE_BEGIN, what, size, sha256) + name


def unpack_file_begin(payload: bytes) -> "tuple[int, int, bytes, bytes]":
    """(what, size, sha256, name)."""
    head = struct.calcsize(_FILE_BEGIN)
    if len(payload) < head:
        raise ValueError("short")
    what, size, sha256 = struct.unpack(_FILE_BEGIN, payload[:head])
    return what, size, sha256, bytes(payload[head:])


def pack_file_data(offset: int, data: bytes) -> bytes:
    """FILE_DATA: up to 48 bytes of the file, from `offset` on."""
    return struct.pack("<I", offset) + data


def unpack_file_data(payload: bytes) -> "tuple[int, bytes]":
    """(offset, data)."""
    return take("<I", payload)[0], bytes(payload[4:])


def pack_file_read(what: int, offset: int) -> bytes:
    """FILE_READ: asks for a part of a file that the board keeps."""
    return struct.pack("<BI", what, offset)


def unpack_file_read(payload: bytes) -> "tuple[int, int]":
    """(what, offset)."""
    what, offset = take("<BI", payload)
    return what, offset


def pack_file(what: int, status: int, received: int) -> bytes:
    """FILE: how the file that is being sent stands, and how many bytes of it are there."""
    return struct.pack(_FILE, what, status, received)


def unpack_file(payload: bytes) -> "tuple[int, int, int]":
    """(what, status, received)."""
    what, status, received = take(_FILE, payload)
    return what, status, received


def pack_file_part(what: int, offset: int, size: int, data: bytes) -> bytes:
    """FILE_PART: up to 48 bytes of a file of `size` bytes, from `offset` on."""
    return struct.pack("<BHH", what, offset, size) + data


def unpack_file_part(payload: bytes) -> "tuple[int, int, int, bytes]":
    """(what, offset, size, data)."""
    what, offset, size = take("<BHH", payload)
    return what, offset, size, bytes(payload[5:])


def pack_boot(how: int) -> bytes:
    """BOOT: a magic number, so that no damaged frame restarts a board, and how to start."""
    return struct.pack("<IB", BOOT_MAGIC, how)


def unpack_boot(payload: bytes) -> int:
    """Way to start; ValueError when the magic number is another."""
    magic, how = take("<IB", payload)
    if magic != BOOT_MAGIC:
        raise ValueError("magic")
    return how


BOOT_MAGIC = 0x544F4F42


class Nak(Exception):
    """A frame that cannot be followed; `why` is a code of NAK."""

    def __init__(self, why: int) -> None:
        super().__init__(why)
        self.why = why
