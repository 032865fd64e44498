"""The line between a soak's table and its board: what it is asked, and one without a port."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from lumiban.boards.link import Link, ObservedLink
from lumiban.boards.types import LightFrame, LinkEvent, Lost

if TYPE_CHECKING:
    from lumiban.flight.recorder import Notes
    from lumiban_sim.rig import Rig

FOREVER = 1 << 62
REOPEN_US = 500_000


class Around(Protocol):
    """The soak's table, as its line knows it; times are µs of the world."""

    rig: Rig
    universe: Any
    """What befalls it (`soak_table.Universe`)."""
    seed: int
    folder: Path
    lives: int
    behind_us: int
    restart_us: int

    @property
    def now_us(self) -> int:
        """The world's time."""

    def host_us(self) -> int:
        """The host's."""

    def until(self, holds: Callable[[], bool], limit_us: int) -> bool:
        """Let time go by until something holds; False when it did not within `limit_us`."""


class Line(Protocol):
    """A host's end of the line through all lives of the host; times are µs of the world."""

    @property
    def lasting(self) -> list[str]:
        """What has befallen the machine's ports for good."""
        return []

    def begin(self, session: int, resume: tuple[int, int] | None, witness: Notes | None) -> None:
        """Another host greets the board."""

    def run(self, until_us: int) -> list[LinkEvent]:
        """Let time go on to `until_us`, or until the board has said something; what was heard."""

    def stand(self, until_us: int) -> None:
        """Let time go on while the host does nothing."""

    def die(self, until_us: int) -> None:
        """Let time go on without a host."""

    def show(self, frame: LightFrame) -> None:
        """Let the board show this."""

    def acknowledge(self, next_event: int) -> None:
        """Let the board forget the events before this one."""

    def strike(self, trouble: str) -> None:
        """A trouble of the ports begins."""
        return

    def mend(self, trouble: str) -> None:
        """It is over."""
        return

    def calm(self) -> None:
        """All troubles are over, and people do what the host asks for."""
        return

    def judge(self) -> None:
        """At rest all around the table is as it should be; CheckFailed."""
        return

    def close(self) -> None:
        """All is put away."""
        return


class BareLine(Line):
    """The link alone: what it says is at the board at once, and a lost line is open again soon."""

    def __init__(self, table: Around) -> None:
        self._table = table

    def begin(self, session: int, resume: tuple[int, int] | None, witness: Notes | None) -> None:
        """Another host greets the board."""
        profile = self._table.rig.profile
        self._link = (
            Link(profile, session, resume=resume)
            if witness is None
            else ObservedLink(profile, session, witness, resume=resume)
        )
        self._opened_us, self._reopen_us = self._table.now_us, FOREVER
        self._link.opened(self._table.host_us())

    def run(self, until_us: int) -> list[LinkEvent]:
        """Let time go on to `until_us`, or until the board has said something; what was heard."""
        table, rig, universe = self._table, self._table.rig, self._table.universe
        if out := self._link.take_output():
            (universe.guest or rig).from_host(out)
        deadline = self._link.next_deadline()
        due = [until_us, self._reopen_us]
        due += [] if deadline is None else [deadline + table.behind_us]
        if universe.guest is None:
            rig.run(max(min(due), rig.now_us))
        else:
            rig.advance(max(min(due), rig.now_us))
            rig.to_host()  # nobody reads what the board says meanwhile
            universe.guest.advance(rig.now_us)
        universe.advance(rig.now_us)
        line, now = universe.guest or rig, table.host_us()
        events = self._link.receive(line.to_host(), now) + self._link.poll(now)
        if any(isinstance(event, Lost) for event in events):
            # A port that was lost at once is not opened again at once.
            soon = rig.now_us - self._opened_us < REOPEN_US
            self._reopen_us = rig.now_us + (REOPEN_US if soon else 0)
        if rig.now_us >= self._reopen_us:
            self._opened_us, self._reopen_us = rig.now_us, FOREVER
            self._link.opened(now)
        return events

    def stand(self, until_us: int) -> None:
        """Let time go on while the host does nothing."""
        self._table.rig.advance(until_us)

    def die(self, until_us: int) -> None:
        """Let time go on without a host."""
        self._table.rig.advance(until_us)
        self._table.rig.to_host()

    def show(self, frame: LightFrame) -> None:
        """Let the board show this."""
        self._link.show(frame)

    def acknowledge(self, next_event: int) -> None:
        """Let the board forget the events before this one."""
        self._link.acknowledge(next_event)
