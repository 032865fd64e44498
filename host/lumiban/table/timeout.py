"""A time out in turnless play: both stop, the board is mended, both confirm, three beats, go."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lumiban.table.turnless_match import TurnlessMatch
    from lumiban.table.types import Step

BEATS = 3
BEAT_US = 1_000_000  # own: of the count
"""From confirming to the first beat, and from beat to beat; with the last one play goes on."""
SHINES_US = 300_000
"""How long the board lights up at each beat."""
SWEPT, UNREAD = "swept", "unread"
"""Why: accepted stones are gone, or a row of the board cannot be read."""


class TimeOut:
    """Play stands still; `go_us` is the board time at which it goes on, None before both are ready.

    >>> pause = TimeOut(SWEPT)
    >>> pause.confirm(0, 5_000_000, sides=(0, 1)), pause.confirm(1, 6_000_000, sides=(0, 1))
    (False, True)
    >>> pause.go_us, pause.beats(7_500_000)
    (9000000, (8000000, 9000000))
    """

    def __init__(self, why: str) -> None:
        self.why = why
        self.confirmed: set[int] = set()
        self.go_us: int | None = None

    def confirm(self, side: int, at_us: int, *, sides: Iterable[int]) -> bool:
        """This side is ready; whether all are, so that the beats begin."""
        if self.go_us is not None:
            return False
        self.confirmed.add(side)
        if not self.confirmed.issuperset(sides):
            return False
        self.go_us = at_us + BEATS * BEAT_US
        return True

    def recall(self) -> None:
        """Something is amiss again: nobody is ready any more."""
        self.confirmed.clear()
        self.go_us = None

    def beats(self, now_us: int) -> tuple[int, ...]:
        """The beats to come, board µs; () before both are ready."""
        if self.go_us is None:
            return ()
        times = (self.go_us - k * BEAT_US for k in reversed(range(BEATS)))
        return tuple(at for at in times if at > now_us)

    def shines(self, now_us: int) -> bool:
        """Whether the board is lit by a beat now."""
        if self.go_us is None:
            return False
        since = [now_us - (self.go_us - k * BEAT_US) for k in range(BEATS)]
        return any(0 <= past < SHINES_US for past in since)

    def due_us(self, now_us: int) -> int | None:
        """When its light changes next, board µs; None when it waits for people."""
        if self.go_us is None:
            return None
        times = [self.go_us - k * BEAT_US + late for k in range(BEATS) for late in (0, SHINES_US)]
        return min((at for at in times if now_us < at <= self.go_us), default=self.go_us)


def asked(match: TurnlessMatch) -> tuple[Step, ...]:
    """What people can be asked to mend: nothing while the board shows pieces where none lie."""
    return () if match.paused else match.astray


def unread(match: TurnlessMatch) -> bool:
    """Whether the board cannot read a row of the game at all."""
    return bool(match.on_game(*match.sight.complaints.unread(match.profile)))
