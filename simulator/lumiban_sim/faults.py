"""Seeded faults of the line: bytes that are lost, doubled or changed on their way."""

from __future__ import annotations

import random
from math import log
from typing import Protocol

from lumiban_fw.wire import B_HELLO, H_HELLO, frame, uncobs


class Spoiler(Protocol):
    """Spoils one direction of a line."""

    def spoil(self, data: bytes) -> bytes:
        """The bytes as they arrive."""


HELLOS = (H_HELLO, B_HELLO)


class LineFaults:
    """Spoils one direction of a line; the odds are per byte, from 0 to 1.

    The same seed spoils the same bytes, however they are cut into pieces.

    >>> LineFaults(1).spoil(b"safe")
    b'safe'
    """

    def __init__(
        self, seed: int, *, drop: float = 0.0, duplicate: float = 0.0, corrupt: float = 0.0
    ) -> None:
        self._odds = drop + duplicate + corrupt
        if min(drop, duplicate, corrupt) < 0 or self._odds > 1:
            raise ValueError("odds lie between 0 and 1, and so does their sum")
        self._drop, self._duplicate = drop, duplicate
        self._dice = random.Random(f"line {seed}")
        self.spoilt = 0
        """Faults made so far."""
        self._clean = self._gap()

    def _gap(self) -> int:
        """Bytes until the next fault."""
        if self._odds <= 0:
            return 1 << 62
        if self._odds >= 1:
            return 0
        return int(log(1.0 - self._dice.random()) / log(1.0 - self._odds))

    def spoil(self, data: bytes) -> bytes:
        """The bytes as they arrive."""
        if self._clean >= len(data):
            self._clean -= len(data)
            return data
        out = bytearray()
        at = 0
        while self._clean < len(data) - at:
            bad = at + self._clean
            out += data[at:bad]
            out += self._bad(data[bad])
            at = bad + 1
            self._clean = self._gap()
        self._clean -= len(data) - at
        return bytes(out + data[at:])

    def _bad(self, byte: int) -> bytes:
        self.spoilt += 1
        which = self._dice.random() * self._odds
        if which < self._drop:
            return b""
        if which < self._drop + self._duplicate:
            return bytes((byte, byte))
        return bytes((byte ^ (1 << self._dice.randrange(8)),))


class Forger:
    """Changes frames on their way and their checksums with them; `odds` are per frame.

    One byte of the payload is another, or the payload ends early. HELLO of either side stays as it
    is: a board that calls itself another one is a trouble of its own.

    >>> forger = Forger(1, 1.0)
    >>> sent = frame(0x21, b"abc")
    >>> forger.spoil(sent[:3]) + forger.spoil(sent[3:]) == sent, forger.forged
    (False, 1)
    """

    def __init__(self, seed: int, odds: float) -> None:
        self._dice = random.Random(f"forger {seed}")
        self._odds = odds
        self._held = bytearray()
        self.forged = 0
        """Frames changed so far."""

    def spoil(self, data: bytes) -> bytes:
        """The bytes as they arrive: whole frames."""
        self._held += data
        *wholes, rest = bytes(self._held).split(b"\0")
        self._held = bytearray(rest)
        return b"".join(self._frame(whole) for whole in wholes)

    def _frame(self, whole: bytes) -> bytes:
        dice = self._dice
        try:
            body = uncobs(whole) if whole and dice.random() < self._odds else b""
        except ValueError:
            body = b""
        payload = bytearray(body[4:-2])
        if not payload or body[0] in HELLOS:
            return whole + b"\0"
        self.forged += 1
        if dice.random() < 0.2:
            del payload[dice.randrange(len(payload)) :]
        else:
            payload[dice.randrange(len(payload))] ^= dice.randrange(1, 256)
        return frame(body[0], bytes(payload), body[1] & 0x0F, body[2], body[3])
