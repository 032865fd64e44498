"""A board on its line, with what can be done to it, as a backend of `--lumiban-board` gives it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

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


class Bench(ByteLine, Protocol):
    """A board on its line. Times are µs since some moment before the first call."""

    name: str
    profile: Profile
    can: frozenset[str]
    is_real: bool = False
    """True if its time is the world's."""


class Over(Bench):
    """A bench over a line, or over another bench, of which all else is its own."""

    def __init__(
        self,
        line: ByteLine,
        name: str,
        profile: Profile,
        can: frozenset[str],
        *,
        is_real: bool = False,
    ) -> None:
        self.name, self.profile, self.can, self.is_real = name, profile, can, is_real
        self._line = line

    def __getattr__(self, name: str) -> Any:
        return getattr(self._line, name)

    @property
    def now_us(self) -> int:
        """The present of the board behind it."""
        return self._line.now_us

    def write(self, data: bytes) -> None:
        """Send to the board."""
        self._line.write(data)

    def read(self, until_us: int) -> bytes:
        """Let time go on to `until_us`, or until bytes came; those."""
        return self._line.read(until_us)


@dataclass(frozen=True, slots=True)
class Backend:
    """A way to a board: `begin(profile, seed)` gives it in a `with` block.

    `can` is what a test may name in its mark `lumiban_needs`: `HANDS`, `LIGHT` … On a backend
    `is_real` time is the world's, its board stays the same from test to test, and a test that
    failed is run once more. `lacking` says why it cannot be had here.
    """

    name: str
    can: frozenset[str]
    begin: Callable[[str, int], AbstractContextManager[Bench]]
    is_real: bool = False
    lacking: str = ""
