"""Messages about the board itself: settings, figures, faults, raw fields, files (docs/wire.md).

Import these from `wire`.
"""

import struct

from lumiban_fw.framing import take
from lumiban_fw.ways import HALF_SCALE as HALF_SCALE

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
    """How to start; ValueError when the magic number is another."""
    magic, how = take("<IB", payload)
    if magic != BOOT_MAGIC:
        raise ValueError("magic")
    return how


BOOT_MAGIC = 0x544F4F42
