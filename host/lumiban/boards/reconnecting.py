"""Board on a serial port: what happens when its cable breaks, and how it comes back.

A broken cable is an error or a hang-up of the port, or silence (`Link.silence_us`): the link says
`Lost`, the port is closed at once, and every `RETRY_S` the board is looked for (`PortLine.look`)
and greeted. The table keeps what it saw (`table/board_view.py`) and asks nobody to move
(`table/guidance.py`). When the board answers, `Link` resumes its session: events that were not
acknowledged come again, then a whole picture; a board that has restarted meanwhile gets a new
clock (`Session._meet`).

The port's file descriptor hangs on the loop itself, without a transport or a thread between: from
read() to the write() that answers it nothing waits.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from lumiban.boards.link import GREETING_US, Link, LinkObserver, ObservedLink
from lumiban.boards.port_line import RETRY_S, PortLine, error_of
from lumiban.boards.ports import choose
from lumiban.boards.profile import Profile
from lumiban.boards.types import (
    Connected,
    Hello,
    LightFrame,
    LinkEvent,
    LossFilter,
    Lost,
    Statistics,
)

WRITE = 512
"""Bytes handed to the system at a time; the rest waits in the link, where pictures coalesce."""
PATH_GREETING_US = 750_000
"""Time in µs for which whatever stands at a path is greeted, while a lost board is looked for."""
TOLD_AFTER = 4
"""Looks in a row at what keeps the board away, before that is told: a port that has just appeared
belongs to the system for a moment."""

Heard = Callable[[list[LinkEvent]], None]
Tap = Callable[[bool, bytes], None]
"""Called with (outward, bytes) right after read() or write() gave them back."""


class SerialBoard:
    """A board by its port; `open` it within a running loop.

    `heard` is called in the loop with link events as they come; without it they are gathered for
    `events`. `port` may be `auto`. `resume` and `session` are the Link's. Time is the loop's.
    `tap` listens in on the line, for measurements; `witness` on all that the link is given.
    `by_id` is a folder of links to the ports of simulated boards: one of them is looked for there
    alone.
    """

    def __init__(
        self,
        port: str,
        profile: Profile,
        heard: Heard | None = None,
        *,
        resume: tuple[int, int] | None = None,
        session: int | None = None,
        tap: Tap | None = None,
        witness: LinkObserver | None = None,
        by_id: Path | None = None,
    ) -> None:
        if session is None:
            session = int.from_bytes(os.urandom(4), "little")
        self.port = port
        self._witness = witness
        if witness is None:
            self.link = Link(profile, session, resume=resume)
        else:
            self.link = ObservedLink(profile, session, witness, resume=resume)
        self._heard = heard
        self._tap = tap
        self._queue: asyncio.Queue[LinkEvent | None] = asyncio.Queue()
        self._by_id = by_id
        self._line: PortLine | None = None
        self._fd = -1
        self._rest = b""
        self._writing = False
        self._timer: asyncio.TimerHandle | None = None
        self._retry: asyncio.TimerHandle | None = None
        self._first: asyncio.Future[Hello] | None = None
        self._news = LossFilter()
        self._refused = 0
        self._closed = False

    async def open(self) -> Hello:
        """Open the port and greet the board.

        BoardError when the port is absent, busy or forbidden or the board is not the profile's;
        NotABoard when nothing there speaks our protocol, WrongMajor when it speaks another major.
        Once this has succeeded a lost board is looked for until `close`.
        """
        self._loop = asyncio.get_running_loop()
        self.port = choose(self.port)
        self._first = self._loop.create_future()
        try:
            self._line = PortLine(self.port, by_id=self._by_id, clock=self._loop.time)
            self.link.had_chance = self._line.had_chance
            self._plug_in(GREETING_US)
            hello = await self._first
        finally:
            if not self.link.is_connected:
                await self.close()
        return hello

    def move_to(self, port: str) -> None:
        """The board is at another port from now on: a simulated one that was started again."""
        self.port = port
        if self._line is not None:
            self._line.move_to(port)

    async def close(self) -> None:
        """Let go of the port; nothing is told any more."""
        self._closed = True
        for handle in (self._timer, self._retry):
            if handle is not None:
                handle.cancel()
        self._timer = self._retry = None
        self._flush()
        self._unplug()
        if self._line is not None:
            self._line.shut(discards=bool(self._rest))
        self._queue.put_nowait(None)

    def show(self, frame: LightFrame) -> None:
        """Light the board like this; the latest picture wins, also over a broken line."""
        self.link.show(frame)
        self._go_on()

    def acknowledge(self, next_event: int) -> None:
        """All events below this number are durable."""
        self.link.acknowledge(next_event)
        self._go_on()

    async def events(self) -> AsyncIterator[LinkEvent]:
        """Link events until `close`, for a board made without `heard`."""
        while (event := await self._queue.get()) is not None:
            yield event

    @property
    def now_us(self) -> int:
        """The host time that the link counts in."""
        return int(self._loop.time() * 1e6)

    @property
    def board_now_us(self) -> int:
        """The board's time now."""
        return self.link.board_now(self.now_us)

    @property
    def statistics(self) -> Statistics:
        """The link's counters."""
        return self.link.statistics

    # The port.

    def _plug_in(self, patience_us: int) -> None:
        """Greet the device at the port that was opened."""
        assert self._line is not None
        self._fd = self._line.fd
        self._rest = b""
        self._loop.add_reader(self._fd, self._readable)
        self._turn(self.link.opened(self.now_us, patience_us))

    def _unplug(self) -> None:
        """Take the descriptor off the loop."""
        if self._fd < 0:
            return
        self._loop.remove_reader(self._fd)
        if self._writing:
            self._loop.remove_writer(self._fd)
            self._writing = False
        self._fd = -1

    def _readable(self) -> None:
        assert self._line is not None
        try:
            data = self._line.take()
        except OSError as error:
            self._turn(self.link.closed(error.strerror or ""))
            return
        if not data:
            return
        if self._tap is not None:
            self._tap(False, data)
        self._turn(self.link.receive(data, self.now_us))

    def _flush(self) -> None:
        """Write what the line takes; the rest when it takes more."""
        if self._line is None or self._fd < 0:
            return
        while data := self._rest or self.link.take_output(WRITE):
            try:
                written = self._line.put(data)
            except OSError as error:
                # Told from the loop: the caller of `show` is not to be called back meanwhile.
                self._rest = b""
                self._loop.call_soon(self._broken, self._fd, error.strerror or "")
                return
            self._rest = data[written:]
            if written and self._tap is not None:
                self._tap(True, data[:written])
            if self._rest:
                break
        if bool(self._rest) != self._writing:
            self._writing = not self._writing
            if self._writing:
                self._loop.add_writer(self._fd, self._go_on)
            else:
                self._loop.remove_writer(self._fd)

    def _go_on(self) -> None:
        """Write what the line takes, and set the clock for the next time."""
        self._flush()
        self._schedule()

    def _broken(self, fd: int, reason: str) -> None:
        if fd == self._fd and not self._closed:
            self._turn(self.link.closed(reason))

    # Time and events.

    def _turn(self, events: list[LinkEvent]) -> None:
        """Tell what happened, write what it led to, and set the clock for the next time."""
        lost = next((e for e in events if isinstance(e, Lost)), None)
        if lost is not None:
            self._unplug()
            if self._line is not None:
                self._line.lost(lost.reason)
        self._tell(events)
        if self._closed:
            return
        if lost is not None:
            if self._line is not None and self._line.hindrance is not None:
                self._tell_hindrance(*self._line.hindrance)  # another program reads the port
            self._retry = self._loop.call_later(RETRY_S, self._try_again)
        self._go_on()

    def _poll(self) -> None:
        self._timer = None
        self._turn(self.link.poll(self.now_us))

    def _schedule(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        deadline = self.link.next_deadline()
        if not self._closed and self._fd >= 0 and deadline is not None:
            self._timer = self._loop.call_at(deadline / 1e6 + 1e-6, self._poll)

    def _try_again(self) -> None:
        """Look where the board may be by now, and greet the first that can be opened."""
        self._retry = None
        assert self._line is not None
        if self._line.look():
            self._plug_in(PATH_GREETING_US)
            return
        kept = self._line.hindrance
        self._refused = self._refused + 1 if kept is not None else 0
        if kept is not None and self._refused == TOLD_AFTER:
            self._tell_hindrance(*kept)
        self._retry = self._loop.call_later(RETRY_S, self._try_again)

    def _tell_hindrance(self, reason: str, detail: str) -> None:
        if self._witness is not None:
            self._witness.hindered(reason, detail)
        self._tell([Lost(reason, detail)])

    def _tell(self, events: list[LinkEvent]) -> None:
        for event in events:
            if isinstance(event, Connected):
                self._board_answers(event.hello)
            elif isinstance(event, Lost) and self._is_awaited:
                self._refuse(event)
        news = self._news.of(events)
        if not news:
            return
        if self._heard is not None:
            self._heard(news)
        else:
            for event in news:
                self._queue.put_nowait(event)

    @property
    def _is_awaited(self) -> bool:
        """True if `open` still waits for the board."""
        return self._first is not None and not self._first.done()

    def _refuse(self, lost: Lost) -> None:
        """Nothing comes of `open`."""
        if self._first is not None:
            self._first.set_exception(error_of(lost, self.port))

    def _board_answers(self, hello: Hello) -> None:
        """The board answers here."""
        self._refused = 0
        assert self._line is not None
        self._line.met(hello.uid)
        if self._first is not None and not self._first.done():
            self._first.set_result(hello)
