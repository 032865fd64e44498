"""Seeded faults of the line: bytes that are lost, doubled or changed on their way."""

from __future__ import annotations

import random
from math import log


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
