"""The wire between host and board ("BLP" 1): its numbers, and the chip's half of every
message.

This file and `framing` run on the board (MicroPython), and the host has its numbers from here;
docs/wire.md is their authority. All numbers are little-endian, times are microseconds, nothing here
is a float.
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
UNSURE_MAX = 255
UNSURE_MAX_US = UNSURE_MAX * UNSURE_STEP_US
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


# The chip's half: pack_ gives the payload of what a board sends; unpack_ takes one of what it gets,
# ignores trailing bytes (later minor versions may add some) and raises ValueError when it is too
# short. A host has all messages from one table (`lumiban.boards.messages`).


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


def unpack_u32(payload: bytes) -> int:
    """The number packed by `pack_u32`."""
    return take("<I", payload)[0]


def pack_board_clock(token: int, rx_us: int, turnaround_us: int) -> bytes:
    """CLOCK answered: token, board time of receipt, time until the answer left."""
    return struct.pack(_CLOCK_B, token, rx_us, min(turnaround_us, 0xFFFF))


def pack_board_beat(now_us: int, watermark_us: int) -> bytes:
    """BEAT of the board: its time and watermark, low 32 bits each."""
    return struct.pack("<II", now_us & 0xFFFFFFFF, watermark_us & 0xFFFFFFFF)


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
    return min((us + UNSURE_STEP_US - 1) // UNSURE_STEP_US, UNSURE_MAX)


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


def fits_events(base_us: int, t_us: int) -> bool:
    """True if an event at `t_us` can share a frame whose first event is at `base_us`."""
    return 0 <= t_us - base_us <= 65000 * EVENT_STEP_US


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


def unpack_layer(payload: bytes) -> "tuple[int, int, list[tuple[int, int]]]":
    """(layer, first, [(palette index, effect)])."""
    layer, first = take("<BB", payload)
    return layer, first, [(payload[i], payload[i + 1]) for i in range(2, len(payload) - 1, 2)]


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

_STATS = "<IHHIHHIHHHHBHI"
_INJECT = "<IHB"
_FIELD = "<IB"
_FILE_BEGIN = "<BI32s"
_FILE = "<BBI"


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


def pack_fault(what: int, where: int) -> bytes:
    """FAULT: a code and the cell or row that it is about."""
    return struct.pack("<BB", what, where)


def pack_nak(kind: int, seq: int, why: int) -> bytes:
    """NAK: the type and number of a frame that came in order but cannot be followed, and why."""
    return struct.pack("<BBB", kind, seq, why)


def unpack_get_field(payload: bytes) -> "tuple[int, int, int]":
    """(first cell, how many, period_ms)."""
    first, count, period_ms = take("<BBH", payload)
    return first, count, period_ms


def pack_field(t_us: int, first: int, readings: "list[int]") -> bytes:
    """FIELD: up to 22 ADC counts of one frame, from cell `first` (from row `first` - 240) on."""
    head = struct.pack(_FIELD, t_us & 0xFFFFFFFF, first)
    return head + struct.pack("<" + str(len(readings)) + "H", *readings)


def unpack_inject(payload: bytes) -> "tuple[int, int, int, list[int]]":
    """(at_us, step_us, first, readings)."""
    at_us, step_us, first = take(_INJECT, payload)
    return at_us, step_us, first, _readings(payload, struct.calcsize(_INJECT))


def _readings(payload: bytes, at: int) -> "list[int]":
    n = min((len(payload) - at) // 2, READINGS_A_FRAME)
    return list(struct.unpack("<" + str(n) + "H", payload[at : at + 2 * n]))


def unpack_file_begin(payload: bytes) -> "tuple[int, int, bytes, bytes]":
    """(what, size, sha256, name)."""
    head = struct.calcsize(_FILE_BEGIN)
    if len(payload) < head:
        raise ValueError("short")
    what, size, sha256 = struct.unpack(_FILE_BEGIN, payload[:head])
    return what, size, sha256, bytes(payload[head:])


def unpack_file_data(payload: bytes) -> "tuple[int, bytes]":
    """(offset, data)."""
    return take("<I", payload)[0], bytes(payload[4:])


def unpack_file_read(payload: bytes) -> "tuple[int, int]":
    """(what, offset)."""
    what, offset = take("<BI", payload)
    return what, offset


def pack_file(what: int, status: int, received: int) -> bytes:
    """FILE: how the file that is being sent stands, and how many bytes of it are there."""
    return struct.pack(_FILE, what, status, received)


def pack_file_part(what: int, offset: int, size: int, data: bytes) -> bytes:
    """FILE_PART: up to 48 bytes of a file of `size` bytes, from `offset` on."""
    return struct.pack("<BHH", what, offset, size) + data


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
