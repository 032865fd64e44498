"""Page in a process of its own, so that a flood of visitors takes no time from the board.

The table's process keeps the listening socket and a pipe. The page's process reads the table's
views from the pipe and asks one thing at a time through it; if it dies it is started again, and
connections wait meanwhile. It ends when the table's does.

    python -m lumiban.web.page_process SOCKET PIPE MAX_SOCKETS LOG [NETWORK]

Where the table is on a network too, a second socket is served there behind a door; its secrets
come through the pipe, never as arguments, and go back when somebody came in, to outlive a process.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from lumiban.errors import LumibanError
from lumiban.i18n import added
from lumiban.system.child import Child, Restarts, python
from lumiban.system.owner_token import link
from lumiban.table.requests import AnyTableRequest, TableRequest
from lumiban.table.view_fields import TableView
from lumiban.web.access import Secrets, new_secrets
from lumiban.web.feed import (
    ACCESS,
    ANSWER,
    COMMAND,
    FAULT,
    HELLO,
    KEPT,
    LOOK,
    MAX_FROM_PAGE,
    NAMED,
    OPENED,
    PRESENT,
    PRESSED,
    READY,
    PipeEnd,
    Table,
    packed,
)
from lumiban.web.serve import PORT, free_socket, url_of
from lumiban.web.sources import Proxy
from lumiban.web.tabs import MAX_SOCKETS

if TYPE_CHECKING:
    from logging import LogRecord

    from lumiban.web.admission import Admission
    from lumiban.web.feed import PipedFeed

START_S = 120.0
"""Time to serve, s: a page that needs longer is given up."""
END_S = 10.0
"""Time for goodbyes to all tabs."""
ALIVE_S = 20.0
"""At least so often it says that it lives."""
LOOK_S = 1.0
"""Between two looks whether it still does."""
SILENT_LOOKS = 120
"""Looks without a heartbeat after which a page hangs, and is ended: the next one serves."""
AGAIN_S = (0.2, 10.0)
"""Pause between the end of a process that died and the next one: the first, doubled up to the
second."""
SOUND_S = 60.0
"""Time of service, s, after which an end has another cause than the one before."""
NICENESS = 3
"""The table's own process comes first, then the page, then bots."""
DESCRIPTORS = 4096
"""Open files that the page's process asks for."""
SPARE_DESCRIPTORS = 16
LOG_BYTES = 1_000_000


@dataclass(frozen=True)
class Network:
    """Address of a table for other machines, and `others` at the same port; with certificate and
    key by TLS; and by a name where mDNS can announce it."""

    address: str = ""
    certificate: Path | None = None
    key: Path | None = None
    tells_name: bool = True
    pin: str = ""
    """The PIN of phones where it is a chosen one; "": another each time."""
    others: tuple[str, ...] = ()
    proxy: Proxy | None = None
    """The owner's proxy, whose address links then name."""

    @property
    def addresses(self) -> tuple[str, ...]:
        """All addresses, the one that links name first; none where only a proxy serves the page."""
        return tuple(filter(None, (self.address, *self.others)))


class Place(msgspec.Struct):
    """Network as the page's process is told it: the sockets, and their addresses; links name the
    first."""

    sockets: list[int]
    addresses: list[str]
    url: str
    lan_url: str
    """The same on the network itself, "" where it is on none."""
    certificate: str
    key: str
    tells_name: bool
    proxy: Proxy | None = None


class PageProcess:
    """Page of a table, served by another process; made by `serve_apart`.

    `url` and `port` are where it is reached; `died` is called with the exit code of a process that
    ended before its time.
    """

    def __init__(
        self,
        table: Table,
        sock: socket.socket,
        *,
        most_sockets: int,
        log: Path | None,
        died: Callable[[int], None],
        network: tuple[Network, list[socket.socket]] | None = None,
        owner: str = "",
    ) -> None:
        self.url = url_of(sock)
        self.owner_url = link(self.url, owner)
        """The same for who may do all: it is for nobody else's eyes."""
        self._owner = owner
        self.port: int = sock.getsockname()[1]
        self.kept: Secrets | None = None
        """Secrets of the door to the network, and who came in; None where there is none."""
        self.network_url = self._lan_url = ""
        self.renewed: Callable[[], None] = lambda: None
        """Hears that the host made new links."""
        self.named: Callable[[str], None] = lambda url: None
        """Hears by which name the network finds the table; "" for none."""
        self.reported: Callable[[str], None] = lambda text: None
        """Hears of errors of the page's script in a browser."""
        self._network = network
        self._unpress: Callable[[], None] = lambda: None
        if network is not None:
            place, listening = network
            is_private = place.certificate is not None
            self._lan_url = url_of(listening[0], is_private=is_private) if listening else ""
            self.network_url = f"{place.proxy.url}/" if place.proxy is not None else self._lan_url
            self.kept = self._secrets(place)
            self._unpress = table.watch_buttons(lambda: self._line.send(PRESSED))
        self.starts = 0
        """Number of processes started."""
        self._table = table
        self._sock = sock
        self._most_sockets = most_sockets
        self._log = log
        self._died = died
        self._loop = asyncio.get_running_loop()
        self._serving = asyncio.Event()
        self._lost = asyncio.Event()
        self._is_closing = False
        self._again: asyncio.TimerHandle | None = None
        self._restarts = Restarts(*AGAIN_S, sound_s=SOUND_S)
        self._spawned_s = 0.0
        self._looking: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._process: Child[Any] | None = None
        self._line = PipeEnd(self._heard, self._ended)
        self._about: tuple[str | None, Mapping[str, Any], Mapping[str, Any]] | None = None
        """Facts about the table that were last sent to the page's process."""
        self._unwatch = table.watch(self._published)

    @property
    def network_addresses(self) -> tuple[str, ...]:
        """Addresses on the network."""
        return self._network[0].addresses if self._network is not None else ()

    @property
    def pid(self) -> int | None:
        """Process id of the present server."""
        return None if self._process is None else self._process.pid

    async def start(self) -> None:
        """Start the process and wait until it serves; LumibanError when it does not."""
        await self._spawn()
        assert self._process is not None
        waiting = [asyncio.ensure_future(event.wait()) for event in (self._serving, self._lost)]
        try:
            await asyncio.wait(waiting, timeout=START_S, return_when=asyncio.FIRST_COMPLETED)
        except BaseException:  # whatever it was: nobody else will end it
            await self.close()
            raise
        finally:
            for task in waiting:
                task.cancel()
        if not self._serving.is_set():
            await self.close()
            where = f"; {self._log} tells more" if self._log is not None else ""
            raise LumibanError(f"the page at {self.url} cannot be served{where}")

    async def close(self) -> None:
        """Close all tabs and release the port."""
        self._is_closing = True
        self._unwatch()
        self._unpress()
        for timer in (self._again, self._looking):
            if timer is not None:
                timer.cancel()
        self._line.close()
        if self._process is not None:
            await self._process.ended(END_S)
        self._sock.close()
        for sock in self._network[1] if self._network is not None else ():
            sock.close()

    def open_pin(self) -> None:
        """Allow the PIN for a minute to all sources: a person at the board permits it."""
        self._line.send(OPENED)

    def renew(self) -> None:
        """Make new links and a new PIN; entries by the old ones end."""
        if self.kept is not None:
            before, self.kept = self.kept, self._secrets(None)
            self.kept.are_watchers_free = before.are_watchers_free
            self.kept.asks_back = before.asks_back
            self._line.send(ACCESS, 0, msgspec.json.encode(self.kept))

    def _secrets(self, place: Network | None) -> Secrets:
        """New secrets; with the configured PIN at the first start. A request for new links has a
        reason: then the PIN is new too."""
        kept = new_secrets()
        if place is not None and place.pin:
            kept.pin = place.pin
        return kept

    async def _spawn(self) -> None:
        try:
            ours, theirs = socket.socketpair()
        except OSError as error:
            raise _not_started(error) from None
        with theirs:
            ours.setblocking(False)
            numbers = (self._sock.fileno(), theirs.fileno())
            there, listening = self._place()
            try:
                words = [*map(str, numbers), str(self._most_sockets), str(self._log or ""), *there]
                self._process = Child(
                    python("lumiban.web.page_process", *words),
                    on_message=lambda _: None,  # that it says something is all
                    has_input=False,
                    pass_fds=(*numbers, *listening),
                    apart=True,
                )
            except OSError as error:
                ours.close()
                raise _not_started(error) from None
        self.starts += 1
        self._spawned_s = self._loop.time()
        self._line = PipeEnd(self._heard, self._ended, longest=MAX_FROM_PAGE)
        await self._loop.create_connection(lambda: self._line, sock=ours)
        if self.kept is not None:
            self._line.send(ACCESS, 0, msgspec.json.encode(self.kept))
        self._about = None
        self._published(self._table.view())
        self._look_later()

    def _look_later(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
        self._looking = self._loop.call_later(LOOK_S, self._look)

    def _look(self) -> None:
        """Kill a hung process: the pipe breaks with it, and another one follows."""
        process = self._process
        if process is not None and process.is_hung(SILENT_LOOKS):
            process.kill()
        self._look_later()

    def _place(self) -> tuple[list[str], list[int]]:
        """Network as the process is told it, and the sockets for it."""
        if self._network is None:
            return [], []
        network, sockets = self._network
        numbers = [sock.fileno() for sock in sockets]
        place = Place(
            numbers,
            list(network.addresses),
            self.network_url,
            self._lan_url,
            str(network.certificate or ""),
            str(network.key or ""),
            network.tells_name,
            network.proxy,
        )
        return [msgspec.json.encode(place).decode()], numbers

    def _ended(self) -> None:
        """Follow a broken pipe: its process has ended, or will."""
        self._lost.set()
        was_serving, process = self._serving.is_set(), self._process
        if self._is_closing or process is None or not was_serving:
            return
        process.kill()  # it may have closed the pipe and live on
        self._keep(self._bury(process))
        lived_s = self._loop.time() - self._spawned_s
        self._again = self._loop.call_later(self._restarts.pause_s(lived_s), self._start_again)

    async def _bury(self, process: Child[Any]) -> None:
        """Report a dead process once it is gone; nothing waits for that meanwhile."""
        self._died(await process.ended())

    def _start_again(self) -> None:
        self._keep(self._respawn())

    async def _respawn(self) -> None:
        try:
            await self._spawn()
        except LumibanError:
            self._again = self._loop.call_later(AGAIN_S[1], self._start_again)

    def _keep(self, work: Any) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # What goes through the pipe.

    def _published(self, view: TableView) -> None:
        # A simulator that was started again has another address for hands; games from files and
        # packages, which only the table's process loads, bring sentences of their own.
        about = (self._table.hands_url, self._table.hello(), added())
        if about != self._about:
            self._about = about
            announced: dict[str, Any] = {"owner": self._owner}
            announced |= zip(("hands_url", "hello", "texts"), about, strict=True)
            self._line.send(HELLO, 0, msgspec.json.encode(announced))
        self._line.show(packed("view", view).encode())

    def _heard(self, kind: int, number: int, body: bytes) -> None:
        if kind == READY:
            self._serving.set()
        elif kind == PRESENT:
            self._line.send(ANSWER, number, packed("view", self._table.view()).encode())
        elif kind == LOOK:
            past = self._table.look(*_look.decode(body))
            answer = b"" if past is None else packed("past", past).encode()
            self._line.send(ANSWER, number, answer)
        elif kind == COMMAND:
            self._keep(self._follow(number, body))
        elif kind == KEPT and self.kept is not None:
            before, self.kept = self.kept, msgspec.json.decode(body, type=Secrets)
            if before.master != self.kept.master:
                self.renewed()
        elif kind == NAMED:
            self.named(body.decode())
        elif kind == FAULT:
            self.reported(body.decode())

    async def _follow(self, number: int, body: bytes) -> None:
        refused, fault = None, "an internal error of lumiban; see the log: host.log"
        try:
            request, role = _command.decode(body)
            refused, fault = await self._table.command(request, role), ""
        except LumibanError as error:
            fault = str(error)
        finally:
            # Whatever happened, who asked gets an answer, and the next one a turn.
            self._line.send(ANSWER, number, msgspec.json.encode([refused, fault]))


_look = msgspec.json.Decoder(tuple[int, list[tuple[int, str]] | None])
_command: msgspec.json.Decoder[tuple[TableRequest, str]]
_command = msgspec.json.Decoder(tuple[AnyTableRequest, str])
"""Reads a request and the role of the tab that has it, as the page's process sends them."""


def _not_started(error: OSError) -> LumibanError:
    return LumibanError(
        f"the page's process cannot be started: {error.strerror}; "
        "close other programs, or allow more open files (ulimit -n)"
    )


async def serve_apart(
    table: Table,
    *,
    host: str = "127.0.0.1",
    port: int = PORT,
    most_sockets: int = MAX_SOCKETS,
    log: Path | None = None,
    died: Callable[[int], None] = lambda code: None,
    network: Network | None = None,
    listening: socket.socket | None = None,
    owner: str = "",
) -> PageProcess:
    """Serve the page of `table` from another process and return once it answers.

    The arguments are those of `serve` and `create_app_of`; `log` is the file for what goes wrong
    there; with `network` the page is served there too. `listening` is a socket to serve on in place
    of a new one; it is closed with the page. `owner` is the token that shows who owns this machine.
    LumibanError: no free port, or no process.
    """
    sock = listening or free_socket(host, port)
    there = None
    try:
        if network is not None:
            there = network, _sockets(network, sock.getsockname()[1])
        page = PageProcess(
            table,
            sock,
            most_sockets=most_sockets,
            log=log,
            died=died,
            network=there,
            owner=owner,
        )
        await page.start()
    except LumibanError:
        sock.close()
        for one in there[1] if there is not None else ():
            one.close()
        raise
    return page


def _sockets(network: Network, port: int) -> list[socket.socket]:
    """Sockets for the addresses, all at one port where that is free; LumibanError when there is
    none for the first. An address that has gone meanwhile is left out."""
    if not network.address:
        return []
    first = free_socket(network.address, port)
    sockets = [first]
    for address in network.others:
        with contextlib.suppress(LumibanError):
            sockets.append(free_socket(address, first.getsockname()[1]))
    return sockets


# The page's process.


def _room(most_sockets: int) -> tuple[int, int]:
    """Numbers of WebSockets and of other connections that fit the file descriptors of this
    process."""
    import resource

    from lumiban.web.serve import MAX_CONNECTIONS

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, DESCRIPTORS)
    if soft < limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
    free = max(limit, soft) - SPARE_DESCRIPTORS
    # A socket of simulated hands has another one behind it.
    sockets = max(1, min(most_sockets, free // 3))
    return sockets, max(1, min(MAX_CONNECTIONS, free - 2 * sockets))


def _log_to(path: str) -> None:
    """Write warnings of libraries to a file, which never grows beyond `LOG_BYTES`."""
    import logging
    from logging.handlers import RotatingFileHandler

    class Quiet(RotatingFileHandler):
        def handleError(self, record: LogRecord) -> None:  # noqa: N802  # logging's own name
            """A full disk is no reason to fail."""

    if path:
        handler = Quiet(path, maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8", delay=True)
        handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(message)s"))
        logging.basicConfig(handlers=[handler], level=logging.ERROR, force=True)


async def _serve(page_socket: int, owner: int, most_sockets: int, place: Place | None) -> None:
    from lumiban.system.paths import state_folder
    from lumiban.web.access import Access
    from lumiban.web.admission import Admission, greeting
    from lumiban.web.app import create_app_of
    from lumiban.web.feed import PipedFeed
    from lumiban.web.network import create_network_app
    from lumiban.web.serve import serve_on
    from lumiban.web.tabs import Tabs

    sockets, connections = _room(most_sockets)
    feed = PipedFeed()
    loop = asyncio.get_running_loop()
    await loop.create_connection(lambda: feed.line, sock=socket.socket(fileno=owner))
    await feed.greeted.wait()
    if feed.ended.is_set():
        return
    sock = socket.socket(fileno=page_socket)
    tabs, door = Tabs(sockets), None
    if place is not None:
        access = Access(msgspec.json.decode(feed.kept, type=Secrets))
        by_proxy_alone = place.proxy is not None and place.proxy.is_private and not place.sockets
        is_private = bool(place.certificate) or by_proxy_alone
        door = Admission(access, tabs, feed, url=place.url, is_private=is_private)
        access.changed = lambda: feed.line.send(KEPT, 0, msgspec.json.encode(access.kept))
        feed.pressed, feed.opened = door.pressed, access.open_pin
    proxy, there, names = None, None, set[str]()
    if place is not None and door is not None:
        proxy = place.proxy
        names = {f"[{one}]" if ":" in one else one for one in place.addresses}
        there = create_network_app(door, names=names, state=state_folder(), proxy=proxy)
    app = create_app_of(
        feed,
        tabs=tabs,
        door=door,
        state=state_folder(),
        owner=feed.owner,
        proxy=proxy,
        behind=there,
    )
    feed.changed = lambda: tabs.greet_all(lambda tab: greeting(feed, tab))
    page = await serve_on(sock, app, most_connections=connections)
    ending = [page]
    telling = None
    if place is not None and door is not None:
        for number in place.sockets:
            listening = socket.socket(fileno=number)
            tls = {"certificate": place.certificate, "key": place.key}
            ending.append(await serve_on(listening, there, most_connections=connections, **tls))
        restoring = door.restore
        feed.restored = lambda kept: restoring(msgspec.json.decode(kept, type=Secrets))
        if place.tells_name and place.addresses:
            telling = asyncio.create_task(_tell_name(place, door, names, feed))
    feed.line.send(READY)
    living = asyncio.create_task(_say_alive())
    await feed.ended.wait()
    living.cancel()
    if telling is not None:
        telling.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await telling
    for served in ending:
        await served.close()


async def _say_alive() -> None:
    """Send the owner a heartbeat until this task is cancelled."""
    while True:
        with contextlib.suppress(OSError):  # nobody listens any more: the pipe says so too
            os.write(sys.stdout.fileno(), b"{}\n")
        await asyncio.sleep(ALIVE_S)


async def _tell_name(place: Place, door: Admission, names: set[str], feed: PipedFeed) -> None:
    """Announce the table's name on the network until this task is cancelled."""
    from lumiban.web.mdns import named_on

    port = urlsplit(place.lan_url).port or 0
    async with named_on(place.addresses[0], port) as name:
        if name:
            names.add(name)
            door.named(place.lan_url.replace(place.addresses[0], name, 1))
        feed.line.send(NAMED, 0, door.by_name.encode())
        await asyncio.Event().wait()


def _die_with_owner() -> None:
    """Ask the kernel, where possible, to end this process with its owner: a killed table's port
    must not stay taken until we notice."""
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


_PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> None:
    """Serve until the owner closes the pipe."""
    _die_with_owner()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(NICENESS)
    listening, owner, most_sockets, log, *network = arguments
    _log_to(log)
    place = msgspec.json.decode(network[0], type=Place) if network else None
    asyncio.run(_serve(int(listening), int(owner), int(most_sockets), place))


if __name__ == "__main__":
    main(sys.argv[1:])
