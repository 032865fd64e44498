"""Frames: byte stuffing, checksum and header, for host and board alike (docs/wire.md).

Import these names from `wire`.
"""

import struct

from lumiban_fw import kernels

MAJOR = 1
MINOR = 4
MAJOR_SHIFT = 4
"""Bit at which the major version begins in a frame's flags."""

HEADER = 4
MAX_PAYLOAD = 55
MAX_DECODED = HEADER + MAX_PAYLOAD + 2
MAX_FRAME = MAX_DECODED + 2


try:
    from binascii import crc_hqx  # CPython's C version of the same polynomial

    def _crc(data: bytes) -> int:
        return crc_hqx(data, 0xFFFF)

except ImportError:

    def _crc(data: bytes) -> int:
        n: int = kernels.crc16(data, len(data))
        return n


def take(layout: str, payload: bytes) -> "tuple[int, ...]":
    """The fields at the start of a payload; ValueError when it is too short."""
    size = struct.calcsize(layout)
    if len(payload) < size:
        raise ValueError("short")
    return struct.unpack(layout, payload[:size])


def crc16(data: bytes) -> int:
    """CRC-16/CCITT-FALSE of `data`.

    >>> hex(crc16(b"123456789"))
    '0x29b1'
    """
    return _crc(data)


def cobs(data: bytes) -> bytes:
    """Consistent-overhead byte stuffing of up to 254 bytes, without the closing zero.

    >>> cobs(bytes([1, 0, 2])).hex()
    '02010202'
    """
    out = bytearray(len(data) + 2)
    return bytes(out[: kernels.stuff(data, len(data), out)])


def uncobs(data: bytes) -> bytes:
    """Undo `cobs`; ValueError when a run points past the end.

    >>> uncobs(bytes.fromhex("02010202")).hex()
    '010002'
    """
    out = bytearray(len(data) + 1)
    n = kernels.unstuff(data, len(data), out)
    if n < 0:
        raise ValueError("cobs")
    return bytes(out[:n])


def frame(kind: int, payload: bytes = b"", flags: int = 0, seq: int = 0, ack: int = 0) -> bytes:
    """One frame ready for the line: COBS(header, payload, CRC) and the closing zero.

    ValueError when the payload is longer than MAX_PAYLOAD.

    >>> frame(0x21).hex()
    '0321100103598600'
    """
    if len(payload) > MAX_PAYLOAD:
        raise ValueError("payload")
    body = bytes((kind, flags | (MAJOR << MAJOR_SHIFT), seq & 0xFF, ack & 0xFF)) + payload
    return cobs(body + struct.pack("<H", crc16(body))) + b"\0"


class Decoder:
    r"""Cuts a stream of bytes into frames and counts what is broken.

    >>> d = Decoder()
    >>> [f[0] for f in d.feed(b"garbage\0" + frame(0x21))], d.errors
    ([33], 1)
    """

    def __init__(self) -> None:
        self.errors = 0
        self._held = bytearray()
        self._overlong = False

    def feed(self, data: bytes) -> "list[tuple[int, int, int, int, bytes]]":
        """Frames completed by `data`, each (type, flags, seq, ack, payload)."""
        out = []
        start = 0
        n = len(data)
        while start < n:
            end = data.find(b"\0", start)
            if end < 0:
                self._hold(data[start:])
                break
            self._hold(data[start:end])
            start = end + 1
            whole = bytes(self._held)
            broken = self._overlong
            self._held = bytearray()
            self._overlong = False
            if broken:
                self.errors += 1
            elif whole:
                got = self._open(whole)
                if got is None:
                    self.errors += 1
                else:
                    out.append(got)
        return out

    def _hold(self, part: bytes) -> None:
        if len(self._held) + len(part) > MAX_FRAME:
            self._overlong = True
            self._held = bytearray()
        elif not self._overlong:
            self._held.extend(part)

    def _open(self, whole: bytes) -> "tuple[int, int, int, int, bytes] | None":
        try:
            body = uncobs(whole)
        except ValueError:
            return None
        n = len(body) - 2
        if n < HEADER or n > HEADER + MAX_PAYLOAD:
            return None
        if crc16(body[:n]) != body[n] | (body[n + 1] << 8):
            return None
        return body[0], body[1], body[2], body[3], body[HEADER:n]
