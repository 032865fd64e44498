"""Open tabs of a table: which of them leads, and how fast their messages are followed.

The first tab is the host; later ones watch until one of them claims the table. A tab is known by
a token of its own, so that a reload or a line that came back finds its role again. Over a network
a tab has the role of the person with its cookie (`web.access`).
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from lumiban.table.requests import HOST, VIEWER, seat, side_of
from lumiban.web.access import Entry
from lumiban.web.feed import ViewText

MAX_WAITING = 64
"""Answers held for a tab that does not read them; older ones go first."""
MAX_SOCKETS = 32
"""WebSockets open at once, unless a setting says otherwise: a tab on a simulated board has two."""
KEPT_FREE = 8
"""Number of these, or a quarter of them, kept for this machine and for players, never for
watchers."""
MAX_OF_ONE = 4
"""WebSockets of one phone."""


class Tab:
    """Open connection: its role and its queue.

    Views are whole, so only the newest one waits; a slow tab never holds up the table.
    """

    def __init__(
        self,
        token: str,
        *,
        only_watches: bool = False,
        entry: Entry | None = None,
        keeps_views: bool = False,
        answers: bool = False,
        owns: bool = False,
    ) -> None:
        self.token = token
        self.keeps_views = keeps_views
        """True if it keeps its view and is sent what differs."""
        self.answers = answers
        """True if it is told that its acts have arrived, and whether anybody plays."""
        self.owns = owns
        """True if it has shown the owner's token, which counts on this machine alone."""
        self.only_watches = only_watches
        self.entry = entry
        """Person behind it, over a network; None for a tab of this machine."""
        self.role = VIEWER
        self.ended = asyncio.Event()
        """Set when it is shut out."""
        self._messages: deque[str] = deque(maxlen=MAX_WAITING)
        self._view: ViewText | None = None
        self._seen = ""
        """The view that it keeps."""
        self._news = asyncio.Event()

    def say(self, message: str) -> None:
        """Queue a message, JSON text."""
        self._messages.append(message)
        self._news.set()

    def show(self, view: ViewText) -> None:
        """Queue a view in place of an unsent older one."""
        self._view = view
        self._news.set()

    async def next_messages(self) -> list[str]:
        """Wait for queued messages and take them all, the view last."""
        await self._news.wait()
        self._news.clear()
        out = list(self._messages)
        self._messages.clear()
        view, self._view = self._view, None
        if view is not None:
            out.append(view.since(self._seen))
            self._seen = view.text if self.keeps_views else ""
        return out


class Tabs:
    """All open tabs of one table; at most `most` WebSockets are open at once."""

    def __init__(self, most: int = MAX_SOCKETS) -> None:
        self.most = most
        self._sockets = 0
        self._open: list[Tab] = []
        self._handed_over: tuple[str, int] | None = None
        """The tab of this machine that led until a phone did, and the side that it plays since."""

    def why_full(self, entry: Entry | None = None) -> str | None:
        """Reason why no WebSocket may be opened now by a person admitted in this way; None where
        one may."""
        most = self.most
        if entry is not None and entry.role == VIEWER:
            most -= min(KEPT_FREE, most // 4)
        if entry is not None and sum(tab.entry is entry for tab in self._open) >= MAX_OF_ONE:
            most = min(most, MAX_OF_ONE)
        elif self._sockets < most:
            return None
        return (
            f"{most} connections to this table are open, and no more are allowed: "
            "close a page that shows it, then load this one again"
        )

    @contextmanager
    def socket(self, entry: Entry | None = None) -> Iterator[str | None]:
        """Reserve one of the WebSockets; yields why there is none, or None."""
        full = self.why_full(entry)
        if full is not None:
            yield full
            return
        self._sockets += 1
        try:
            yield None
        finally:
            self._sockets -= 1

    @property
    def host(self) -> Tab | None:
        """Tab that leads."""
        return next((tab for tab in self._open if tab.role == HOST), None)

    def enter(self, tab: Tab) -> Tab | None:
        """Add a tab: it is host when there is none, or when it was before its line broke; returns
        the tab that led by its token until now."""
        host, before = self.host, None
        may_lead = not tab.only_watches and (tab.entry is None or tab.entry.leads)
        if may_lead and (host is None or (tab.token and host.token == tab.token)):
            if host is not None:
                before, host.role = host, VIEWER
            tab.role = HOST
        else:
            tab.role = self._seated(tab)
        self._open.append(tab)
        return before

    def _seated(self, tab: Tab) -> str:
        """Role of a tab that does not lead."""
        if tab.only_watches:
            return VIEWER
        if tab.entry is not None:
            return tab.entry.seated
        if self._handed_over is not None and tab.token == self._handed_over[0]:
            return seat(self._handed_over[1])
        return VIEWER

    def hand_over(self, tab: Tab, side: int | None) -> None:
        """Give the former leader's `tab` its own seat, or this one that nobody plays."""
        if tab.entry is None:
            self._handed_over = None if side is None or not tab.token else (tab.token, side)
        tab.role = self._seated(tab)

    def playing(self, side: int) -> list[Tab]:
        """Tabs of this machine that do not lead and play this side."""
        return [tab for tab in self._open if tab.entry is None and side_of(tab.role) == side]

    def free(self, side: int) -> list[Tab]:
        """Take this side from tabs of this machine, because a phone plays it now; returns those
        tabs."""
        freed = self.playing(side)
        if self._handed_over is not None and self._handed_over[1] == side:
            self._handed_over = None
        for tab in freed:
            tab.role = VIEWER
        return freed

    def greet_all(self, greeting: Callable[[Tab], str]) -> None:
        """Greet every tab again: the table has another board."""
        for tab in self._open:
            tab.say(greeting(tab))

    @property
    def all(self) -> tuple[Tab, ...]:
        """Every open tab."""
        return tuple(self._open)

    @property
    def of_network(self) -> list[Tab]:
        """Tabs of people admitted by a cookie."""
        return [tab for tab in self._open if tab.entry is not None]

    def reassigned(self, entry: Entry) -> list[Tab]:
        """Tabs of a person who has sat down, stood up or may lead now, each with its new role."""
        tabs = [tab for tab in self._open if tab.entry is entry]
        for tab in tabs:
            if tab.role != HOST or not entry.leads:
                tab.role = self._seated(tab)
        return tabs

    def leave(self, tab: Tab) -> None:
        """Remove a closed tab; the table waits for the next one that opens or claims."""
        self._open.remove(tab)
        tab.role = VIEWER

    def claim(self, tab: Tab) -> Tab | None:
        """Make `tab` the host; returns the former host, which is to be told."""
        before = self.host
        if tab.only_watches or before is tab:
            return None
        if before is not None:
            before.role = VIEWER
        tab.role = HOST
        return before

    def may_act(self, token: str) -> bool:
        """True if the tab with this token, on this machine, leads the table or plays at it."""
        return bool(token) and any(
            tab.entry is None and tab.token == token and tab.role != VIEWER for tab in self._open
        )


class Pace:
    """Rate limit: `burst` messages at once and then `rate` a second; the others wait.

    `clock` is in seconds.

    >>> now = 0.0
    >>> pace = Pace(10.0, 2, clock=lambda: now)
    >>> [round(pace.take(), 3) for _ in range(4)]
    [0.0, 0.0, 0.1, 0.2]
    """

    def __init__(
        self, rate: float, burst: int, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._left = float(burst)
        self._at = clock()

    def take(self) -> float:
        """Count a message; returns the seconds until its turn."""
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate) - 1
        self._at = now
        return max(0.0, -self._left / self._rate)

    async def wait(self) -> None:
        """Count a message and wait for its turn."""
        wait_s = self.take()
        if wait_s > 0:
            await asyncio.sleep(wait_s)
