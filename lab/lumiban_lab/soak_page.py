"""The page of a soak's table: `PageProcess` over a process that is none, in virtual time.

The pipe is a real one, and at its far end a `PipedFeed` reads it as the page's own process does. It
asks the table now and then. It may die, live on without its pipe, stop reading, or hang for good.
What holds: who asks is answered once, a page that died or hangs is served again, and the table
never waits for a process.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import msgspec
from lumiban.errors import LumibanError
from lumiban.system.child import Child, ProcessPatience, one_is_done
from lumiban.table.requests import ErrorText, Line, TableRequest, request_of
from lumiban.table.view_fields import TableView
from lumiban.web import page_process
from lumiban.web.feed import READY, PipedFeed
from lumiban.web.page_process import PageProcess, serve_apart

if TYPE_CHECKING:
    from lumiban.web.hello import Hello

    from lumiban_lab.soak_line import Around
    from lumiban_lab.soak_machine import Machine, VirtualLoop

OF_THE_PAGE = {
    "dead page": "the page's process dies, and each that follows it",
    "page without a pipe": "the page's process closes its pipe and lives on",
    "stopped page": "the page's process reads nothing",
    "hung page": "the page's process does nothing any more, and lives on",
}
"""Troubles of the page's process, and what they do."""
FIRST_PID = 600_000
START_S = 0.4
"""A page serves so long after its process has begun."""
LIVES_S = 0.3
"""A page's process lives for so long while such processes die."""
DIES_S = 3.0
"""A process that was killed may take so long to be gone."""
ASKS_S = 4.0
ANSWER_S = 30.0
AGAIN_US = 2_000_000
"""After so long the service begins a table anew that ended."""
BACK_US = 12_000_000
"""A page that died is back within so long once nothing hinders it: its longest pause, and more."""
HANGS_US = 100_000_000
"""One that hangs is noticed within so long."""
WISHES: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("hint", {"level": "control"}),
    ("theme", {"name": "pink"}),
    ("theme", {"name": "standard"}),
    ("theme", {"name": "no such"}),
)


class _Served:
    """A soak's table as its page has it (`web.feed.Table`)."""

    hands_url: str | None = None

    def __init__(self, table: Around) -> None:
        self._table = table
        self._watching: list[Callable[[TableView], None]] = []

    def hello(self) -> Hello:
        """First message to a page."""
        return cast("Hello", {"table": self._table.lives})

    def view(self) -> TableView:
        """The present view."""
        return self._table.latest

    def look(self, n: int, line: Line | None = None) -> Mapping[str, Any] | None:
        """The past is looked at by nobody here."""
        return None

    async def command(self, request: TableRequest, role: str) -> ErrorText | None:
        """Have the table follow a request."""
        return await self._table.asked(request)

    def watch(self, callback: Callable[[TableView], None]) -> Callable[[], None]:
        """Call back with each new view."""
        self._watching.append(callback)
        return lambda: self._watching.remove(callback)

    def watch_buttons(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Buttons are heard by nobody here."""
        return lambda: None

    def publish(self) -> None:
        """There is another view."""
        for callback in tuple(self._watching):
            callback(self._table.latest)


class SoakPage:
    """The page of one life of the host."""

    def __init__(self, table: Around, machine: Machine, loop: VirtualLoop) -> None:
        self.table, self.machine = table, machine
        self.failures: list[str] = []
        self.chance = random.Random(f"page {table.seed} {table.lives}")
        self.struck: set[str] = set()
        self.processes: list[_Process] = []
        self._loop = loop
        self._served = _Served(table)
        self._page: PageProcess | None = None
        # The service holds the socket: the page's address outlives this host.
        self._opening = loop.create_task(self._open(socket.create_server(("127.0.0.1", 0))))
        self._opening.add_done_callback(self._opened)

    async def _open(self, listening: socket.socket) -> None:
        self._page = await serve_apart(self._served, listening=listening)

    def _opened(self, opening: asyncio.Task[None]) -> None:
        error = None if opening.cancelled() else opening.exception()
        if isinstance(error, LumibanError):
            # A table whose page does not start ends with a sentence; the service begins it anew.
            self.table.restart_us = min(self.table.restart_us, self.table.now_us + AGAIN_US)
        elif error is not None:
            self.failures.append(f"the page was not opened: {error!r}")

    def publish(self) -> None:
        """There is another view."""
        self._served.publish()

    def close(self) -> None:
        """The host is gone: the system closes the pipe and the socket."""
        for process in self.processes:
            process.over(-signal.SIGKILL)
        if self._page is not None:
            self._page._sock.close()

    # Troubles.

    def strike(self, trouble: str) -> None:
        """Something befalls the page's process."""
        self.struck.add(trouble)
        for process in list(self.processes):
            process.suffer()

    def mend(self, trouble: str) -> None:
        """It is over."""
        self.struck.discard(trouble)
        for process in self.processes:
            process.suffer()

    @property
    def is_up(self) -> bool:
        """True if a page serves and shows what the table shows."""
        view = self.table.latest
        return any(one.is_serving and one.shows(view) for one in self.processes)

    def judge(self) -> None:
        """At rest the page is there, and shows the table."""
        hangs = any(one.hangs_for_good for one in self.processes)
        if not self.table.until(lambda: self.is_up, BACK_US + HANGS_US * hangs):
            shown = [one.shown() for one in self.processes if one.is_serving]
            self.failures.append(
                f"the page shows {shown or 'nothing'}, the table view {self.table.latest.v}"
            )

    @contextmanager
    def processes_are_ours(self) -> Iterator[None]:
        """Meanwhile the product begins processes that are none."""
        real = vars(page_process)["Child"]
        vars(page_process)["Child"] = self._begin
        try:
            yield
        finally:
            vars(page_process)["Child"] = real

    def _begin(self, words: Sequence[str], **how: Any) -> _Process:
        process = _Process(self, int(words[4]))
        self.processes.append(process)
        return process


class _Process(Child[Any]):
    """A page's process without the process."""

    def __init__(self, page: SoakPage, pipe: int) -> None:
        self._page = page
        self.pid = FIRST_PID + len(page.machine.pids)
        page.machine.process(self.pid, "page")
        self.is_serving = False
        self.hangs_for_good = False
        self._loop = asyncio.get_running_loop()
        self._clock, self._heard_s, self._quiet = self._loop.time, self._loop.time(), None
        self._code: asyncio.Future[int] = self._loop.create_future()
        self._sock = socket.socket(fileno=os.dup(pipe))
        self._sock.setblocking(False)
        self._feed = PipedFeed()
        self._transport: asyncio.Transport | None = None
        self._tasks = [self._loop.create_task(self._serve())]
        self.suffer()

    async def _serve(self) -> None:
        page = self._page
        await asyncio.sleep(START_S)
        transport, _ = await self._loop.create_connection(lambda: self._feed.line, sock=self._sock)
        self._transport = transport
        self.suffer()
        await self._feed.greeted.wait()
        self._feed.line.send(READY)
        self.is_serving = True
        self._tasks.append(self._loop.create_task(self._say_alive()))
        while True:
            await asyncio.sleep(page.chance.uniform(0.5, 2 * ASKS_S))
            do, args = page.chance.choice(WISHES)
            try:
                async with asyncio.timeout(ANSWER_S):
                    request = cast("TableRequest", request_of(do, dict(args)))  # of WISHES
                    await self._feed.command(request, "host")
            except TimeoutError:
                page.failures.append(f"a page that asked for {do} was not answered")
            except LumibanError:
                continue  # an answer too

    async def _say_alive(self) -> None:
        while True:
            self._heard_s = self._loop.time()
            await asyncio.sleep(page_process.ALIVE_S)

    def shown(self) -> int:
        """Number of the view that it shows."""
        text = self._feed.latest()
        return int(msgspec.json.decode(text)["v"]) if text else -1

    def shows(self, view: TableView) -> bool:
        """True if it shows this view."""
        return self.shown() == view.v and len(self._feed._moves) == len(view.moves)

    def suffer(self) -> None:
        """Follow what befalls it now."""
        struck = self._page.struck
        if "dead page" in struck:
            self._tasks.append(self._loop.create_task(self._die()))
        elif "page without a pipe" in struck and self._transport is not None:
            self._transport.abort()
        if "hung page" in struck and self._transport is not None:
            self._hang()
        if self._transport is not None and not self._transport.is_closing():
            reads, stops = self._transport.is_reading(), self.hangs_for_good
            stops = stops or "stopped page" in struck
            if stops and reads:
                self._transport.pause_reading()
            elif not stops and not reads:
                self._transport.resume_reading()

    def _hang(self) -> None:
        """Nothing happens in it any more, whatever comes."""
        self.hangs_for_good, self.is_serving = True, False
        for task in self._tasks:
            task.cancel()

    async def _die(self) -> None:
        await asyncio.sleep(LIVES_S)
        self.over(-signal.SIGSEGV)

    def over(self, code: int) -> None:
        """It ends: the system closes its pipe."""
        if self in self._page.processes:
            self._page.processes.remove(self)
        for task in self._tasks:
            task.cancel()
        if self._transport is not None:
            self._transport.abort()
        else:
            self._sock.close()
        if not self._code.done():
            self._code.set_result(code)

    # What a table asks of a process.

    def patience(self, idle_s: float, work_s: float) -> ProcessPatience:
        """Patience with it."""
        machine = self._page.machine
        return ProcessPatience(self.pid, idle_s, work_s, clock=self._loop.time, proc=machine.proc)

    def kill(self) -> None:
        """It takes a while to be gone."""
        if not self._code.done():
            self._loop.call_later(self._page.chance.choice((0.0, DIES_S)), self.over, -9)

    def wait(self) -> int:
        """Wait in the table's loop, which has all else wait too."""
        if not self._code.done():
            self._page.failures.append("the table waits for a process that is slow to die")
            return -9
        return self._code.result()

    async def ended(self, idle_s: float = 0.0, work_s: float = 0.0) -> int:
        """Wait for its end."""
        if not await one_is_done([self._code], self.patience(idle_s, work_s).is_over):
            self.kill()
        return await self._code
