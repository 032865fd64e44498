"""Calibration of one board: each cell's offset and gain, and the strength of its pieces.

docs/firmware.md gives the bytes. They are read at start; bytes that are damaged or belong to
another board are refused, and the profile's values hold. Baselines never come from what stands on
the board at power-on.
"""

import struct

from lumiban_fw.framing import crc16

MAGIC = b"LMBC"
VERSION = 1
_HEAD = "<4sB8s8sBHH"
_CELL = "<hI"
ANY_UID = b"\0" * 8
SIXTEENTHS = 16
"""Offsets are told in 1/16 counts."""


class CalibrationError(ValueError):
    """Bytes that are no calibration; `where` is what FAULT tells: 0 damaged, 1 of another board."""

    def __init__(self, where: int, text: str) -> None:
        super().__init__(text)
        self.where = where


class Calibration:
    """A stored calibration; CalibrationError when it is damaged or of another board.

    `offsets` in counts above the reference, `gains` in µT a count times 65536 (0: the profile's),
    `strong_ut` and `weak_ut` what the pieces of this board show when they stand (0: not taught).
    """

    def __init__(self, data: bytes, model: bytes, uid: bytes, cells: int) -> None:
        told_model, told_uid, told_cells, self.strong_ut, self.weak_ut = check(data)
        if told_model.rstrip(b"\0") != model.rstrip(b"\0") or told_cells != cells:
            raise CalibrationError(1, "calibration: of another board")
        if told_uid != ANY_UID and told_uid != uid:
            raise CalibrationError(1, "calibration: of another chip")
        self.offsets: "list[int]" = []
        self.gains: "list[int]" = []
        at = struct.calcsize(_HEAD)
        step = struct.calcsize(_CELL)
        for _ in range(cells):
            offset, gain = struct.unpack(_CELL, data[at : at + step])
            self.offsets.append((offset + SIXTEENTHS // 2) // SIXTEENTHS)
            self.gains.append(gain)
            at += step


def check(data: bytes) -> "tuple[bytes, bytes, int, int, int]":
    """(model, uid, cells, strong_ut, weak_ut) of sound bytes; CalibrationError for others."""
    size = struct.calcsize(_HEAD)
    if len(data) < size + 2 or bytes(data[:4]) != MAGIC:
        raise CalibrationError(0, "calibration: no calibration")
    if crc16(bytes(data[:-2])) != data[-2] | (data[-1] << 8):
        raise CalibrationError(0, "calibration: wrong checksum")
    _, version, model, uid, cells, strong_ut, weak_ut = struct.unpack(_HEAD, data[:size])
    if version != VERSION:
        raise CalibrationError(1, "calibration: version " + str(version))
    if len(data) != size + cells * struct.calcsize(_CELL) + 2:
        raise CalibrationError(0, "calibration: wrong length")
    return model, uid, cells, strong_ut, weak_ut


def pack(
    model: bytes, uid: bytes, strong_ut: int, weak_ut: int, cells: "list[tuple[int, int]]"
) -> bytes:
    """The bytes of a calibration; `cells` are (offset in 1/16 counts, gain times 65536).

    >>> Calibration(pack(b"hex3", ANY_UID, 32000, 0, [(-40, 3520000)]), b"hex3", b"me", 1).offsets
    [-2]
    """
    out = struct.pack(_HEAD, MAGIC, VERSION, model, uid, len(cells), strong_ut, weak_ut)
    for offset, gain in cells:
        out += struct.pack(_CELL, offset, gain)
    return out + struct.pack("<H", crc16(out))
