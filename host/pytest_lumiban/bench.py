"""A board on its line, with what can be done to it, as a backend of `--lumiban-board` gives it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from lumiban.boards.profile import Profile
from lumiban.boards.transport import ByteLine

HANDS = "hands"
"""Pieces with real fields can be moved: by simulated hands, or by a person who is asked."""
LIGHT = "light"
"""The light that shines can be seen."""
POWER = "power"
"""Its power can be cut."""
KINDS = "kinds"
"""Its sensors tell kinds of pieces, and by a field that comes and goes when each was seated."""
INJECT = "inject"
"""It takes readings from the host in place of its sensors'."""
NEEDS = (HANDS, LIGHT, POWER, KINDS, INJECT)
"""Capabilities that a test may name in its mark `needs`."""


class Bench(Protocol):
    """A board on its line. Times are µs since some moment before the first call."""

    name: str
    profile: Profile
    can: frozenset[str]

    @property
    def now_us(self) -> int:
        """The present."""

    def run(self, until_us: int) -> None:
        """Let time go on, at most until the board has sent something."""

    def send(self, data: bytes) -> None:
        """Bytes for the board."""

    def take(self) -> bytes:
        """Return the bytes that the board has sent since the last call."""


class BenchLine(ByteLine):
    """A bench's line, as a probe and a client want it."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self.is_real = bool(getattr(bench, "is_real", False))
        """True if its time is the world's."""

    @property
    def now_us(self) -> int:
        """The bench's present, µs."""
        return self._bench.now_us

    def write(self, data: bytes) -> None:
        """Send to the board."""
        self._bench.send(data)

    def read(self, until_us: int) -> bytes:
        """Let time go on to `until_us`, or until bytes came; those."""
        came = self._bench.take()
        if not came and until_us > self._bench.now_us:
            self._bench.run(until_us)
            came = self._bench.take()
        return came


@dataclass(frozen=True, slots=True)
class Backend:
    """A way to a board: `begin(profile, seed)` gives it in a `with` block.

    `can` is of `NEEDS`. On a backend `is_real` time is the world's, its board stays the same from
    test to test, and a test that failed is run once more. `lacking` says why it cannot be had here.
    """

    name: str
    can: frozenset[str]
    begin: Callable[[str, int], AbstractContextManager[Bench]]
    is_real: bool = False
    lacking: str = ""
