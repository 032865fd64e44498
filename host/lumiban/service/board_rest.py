"""Board between games, a state machine without I/O: it breathes until a hand comes, and is dark at
night."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from lumiban.boards.profile import Profile
from lumiban.boards.types import LightFrame
from lumiban.scene.light import Effect
from lumiban.table.limits import CLEARED_S
from lumiban.table.requests import NewGameRequest, TableRequest
from lumiban.table.view_fields import TableView

BREATH = ((0, 0, 0), (28, 34, 48))
"""Palette of a resting board: dark, and a faint cold white."""
NIGHT_LOOK_S = 60.0
"""Between two looks at the clock, for the night."""


class Rest:
    """Breathing light between games. `after_s` is how long the board stays lit without a hand (0:
    for ever), `night` is "22:30-07:00" or "", `wall` the time of day in minutes.

    A game is on from its first move to its end, and while two machines play. A board that is
    cleared after a game asks for the next one.
    """

    def __init__(
        self,
        profile: Profile,
        *,
        after_s: float,
        night: str = "",
        wall: Callable[[], int] = lambda: minutes_now(),
    ) -> None:
        self._after_s = after_s
        self._night = night
        self._wall = wall
        lights = profile.lights
        breathing = [(0, 0)] * lights
        for cell in profile.cells:
            breathing[cell.light] = (1, int(Effect.BREATHE))
        self._breathing = LightFrame(tuple(breathing), BREATH)
        self._dark = LightFrame(((0, 0),) * lights, BREATH)
        self._sensed: list[int] | None = None
        self._about: object = None
        self._is_on = True
        self._is_over = False
        self._cleared_s: float | None = None
        self._used = False
        """True if somebody has been at the board since it was plugged in."""
        self._touched_s = 0.0

    def heard(self, view: TableView, now_s: float) -> None:
        """Follow a view: whether a game is on, and whether a hand was at the board."""
        if view.link != "up":
            return
        about = (len(view.moves), [seat.who for seat in view.seats], view.game.slug, view.hint)
        if self._sensed is not None and (view.sensed != self._sensed or about != self._about):
            self.touched(now_s)
        self._sensed, self._about = list(view.sensed), about
        self._is_over = view.outcome is not None
        machines = all(seat.who != "human" for seat in view.seats)
        self._is_on = not self._is_over and (bool(view.moves) or machines)
        is_clear = self._is_over and not any(view.sensed)
        self._cleared_s = (self._cleared_s or now_s) if is_clear else None

    def touched(self, now_s: float) -> None:
        """Take note of a hand at the board."""
        self._used, self._touched_s = True, now_s

    def frame(self, now_s: float) -> LightFrame | None:
        """Picture of the resting board: breathing, dark at night, or the game's own."""
        if self._after_s <= 0 or self._is_on or self._sensed is None:
            return None
        if self._used and now_s < self._touched_s + self._after_s:
            return None
        return self._dark if is_night(self._night, self._wall()) else self._breathing

    def request(self, now_s: float) -> TableRequest | None:
        """Request for the same game again, once its board has been cleared."""
        if self._cleared_s is None or now_s < self._cleared_s + CLEARED_S:
            return None
        self._cleared_s = None
        self._is_over = False  # asked once; the next view tells how it went
        return NewGameRequest()

    def next_due_s(self, now_s: float) -> float:
        """Time in seconds at which the light or the game changes, or the time of day is read
        again."""
        due = [now_s + NIGHT_LOOK_S]
        if self._cleared_s is not None:
            due.append(self._cleared_s + CLEARED_S)
        if self._after_s > 0 and not self._is_on and self._used:
            due.append(self._touched_s + self._after_s)
        return min(one for one in due if one > now_s)


def minutes_now() -> int:
    """Minutes since midnight by the machine's clock."""
    now = datetime.now().astimezone()
    return 60 * now.hour + now.minute


def is_night(night: str, now: int) -> bool:
    """True if a minute of the day lies within "22:30-07:00".

    >>> [is_night("22:30-07:00", at) for at in (22 * 60, 23 * 60, 60, 7 * 60)]
    [False, True, True, False]
    >>> is_night("", 60)
    False
    """
    if not night:
        return False
    start, end = (60 * int(at[:2]) + int(at[3:]) for at in night.split("-"))
    return start <= now < end if start <= end else now >= start or now < end
