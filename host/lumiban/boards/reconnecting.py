"""Board on a serial port: what happens when its cable breaks, and how it comes back.

A broken cable is an error or a hang-up of the port, or silence (`Link.silence_us`): the link says
`Lost`, the port is closed at once, and every `RETRY_S` the board is looked for and greeted. The
table keeps what it saw (`table/board_view.py`) and asks nobody to move (`table/guidance.py`). When
the board answers, `Link` resumes its session: events that were not acknowledged come again, then a
whole picture; a board that was started anew meanwhile gets a new clock (`Session._meet`).

The port's file descriptor hangs on the loop itself, without a transport or a thread between: from
read() to the write() that answers it nothing waits. A lost board may come back under its old path,
or under any name it has now (`PortFinder`).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import termios
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from lumiban.boards.link import FOREVER_US, GREETING_US, Link, LinkObserver, ObservedLink
from lumiban.boards.ports import (
    SOCKET,
    PortError,
    by_id_folder,
    choose,
    lasting_path,
    localized,
    open_port,
)
from lumiban.boards.profile import Profile
from lumiban.boards.types import (
    RECONNECT_OBSTACLES,
    Connected,
    Hello,
    LightFrame,
    LinkEvent,
    LossFilter,
    Lost,
    Statistics,
)
from lumiban.errors import BoardError, LinkLost, NotABoard, WrongBoard, WrongMajor

if TYPE_CHECKING:
    from serial import Serial


READ = 4096
WRITE = 512
"""Bytes handed to the system at a time; the rest waits in the link, where pictures coalesce."""
PSEUDO_TERMINALS = Path("/dev/pts")
RETRY_S = 0.25
"""Between two looks for a board that went away."""
PATH_GREETING_US = 750_000
"""How long what stands at a path is greeted, while a lost board is looked for."""
LOOK_S = 0.5
"""Between two looks at whether a simulator that is greeted had every chance to answer."""
TOLD_AFTER = 4
"""Tries in a row at a port that is busy or forbidden, before that is told: a port that has just
appeared belongs to the system for a moment."""

Heard = Callable[[list[LinkEvent]], None]
Tap = Callable[[bool, bytes], None]
"""Called with (outward, bytes) right after read() or write() gave them back."""


class SerialBoard:
    """A board by its port; `open` it within a running loop.

    `heard` is called in the loop with link events as they come; without it they are gathered for
    `events`. `port` may be `auto`. `resume` and `session` are the Link's. Time is the loop's.
    `tap` listens in on the line, for measurements; `witness` on all that the link is given.
    `by_id` is where links to the ports of boards are, in place of the system's folder. `is_silent`
    is for a simulator, which may be slow on a busy machine: asked every `LOOK_S`, it says whether
    whoever is at the port had every chance to answer; so long the first greeting goes on, whatever
    the clock says.
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
        is_silent: Callable[[], bool] | None = None,
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
        self._seek = PortFinder(port, "")
        self._by_id = by_id or by_id_folder()
        self._is_silent = is_silent
        self._path = port
        """What is open, or was opened last."""
        self._birth: tuple[int, int] | None = None
        self._line: Serial | None = None
        self._fd = -1
        self._rest = b""
        self._writing = False
        self._timer: asyncio.TimerHandle | None = None
        self._timer_us = 0
        self._retry: asyncio.TimerHandle | None = None
        self._looking: asyncio.TimerHandle | None = None
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
        self._birth = birth(self.port)
        self._first = self._loop.create_future()
        try:
            patience_us = GREETING_US if self._is_silent is None else FOREVER_US
            self._plug_in(lasting_path(self.port, self._by_id), patience_us)
            if self._is_silent is not None:
                self._looking = self._loop.call_later(LOOK_S, self._look)
            hello = await self._first
        finally:
            if self._looking is not None:
                self._looking.cancel()
            if not self.link.is_connected:
                await self.close()
        return hello

    def move_to(self, port: str) -> None:
        """The board is at another port from now on: a simulated one that was started again."""
        self.port = port
        self._birth = birth(port)
        self._seek.lasting = port

    async def close(self) -> None:
        """Let go of the port; nothing is told any more."""
        self._closed = True
        for handle in (self._timer, self._retry):
            if handle is not None:
                handle.cancel()
        self._timer = self._retry = None
        if self._line is not None:
            self._flush()
        self._unplug()
        self._queue.put_nowait(None)

    def show(self, frame: LightFrame) -> None:
        """Light the board like this; the latest picture wins, also over a broken line."""
        self.link.show(frame)
        self._flush()
        self._schedule()

    def acknowledge(self, next_event: int) -> None:
        """All events below this number are durable."""
        self.link.acknowledge(next_event)
        self._flush()
        self._schedule()

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

    def _plug_in(self, path: str, patience_us: int) -> None:
        """Open this port and greet whoever is there; PortError."""
        self._line = open_port(path)
        self._path = path
        self._fd = self._line.fileno()
        self._rest = b""
        self._loop.add_reader(self._fd, self._readable)
        self._turn(self.link.opened(self.now_us, patience_us))

    def _unplug(self) -> None:
        """Close the descriptor at once: a device that is still held comes back by another name."""
        if self._line is None:
            return
        self._loop.remove_reader(self._fd)
        if self._writing:
            self._loop.remove_writer(self._fd)
            self._writing = False
        with contextlib.suppress(OSError, termios.error):  # the device may be gone already
            if self._rest:
                self._line.reset_output_buffer()  # else close waits for a line that takes nothing
        with contextlib.suppress(OSError):
            self._line.close()
        self._line = None
        self._fd = -1

    def _readable(self) -> None:
        try:
            data = os.read(self._fd, READ)
        except BlockingIOError:
            return
        except OSError as error:
            self._turn(self.link.closed(error.strerror or ""))
            return
        if self._tap is not None:
            self._tap(False, data)
        if data:
            self._turn(self.link.receive(data, self.now_us))
        else:
            self._turn(self.link.closed("hang-up"))

    def _flush(self) -> None:
        """Write what the line takes; the rest when it takes more."""
        if self._line is None:
            return
        while data := self._rest or self.link.take_output(WRITE):
            try:
                written = os.write(self._fd, data)
            except BlockingIOError:
                self._rest = data
            except OSError as error:
                # Told from the loop: whoever called `show` is not to be called back meanwhile.
                self._rest = b""
                self._loop.call_soon(self._broken, self._fd, error.strerror or "")
                return
            else:
                self._rest = data[written:]
                if self._tap is not None:
                    self._tap(True, data[:written])
            if self._rest:
                break
        if bool(self._rest) != self._writing:
            self._writing = not self._writing
            if self._writing:
                self._loop.add_writer(self._fd, self._writable)
            else:
                self._loop.remove_writer(self._fd)

    def _writable(self) -> None:
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
        self._tell(events)
        if self._closed:
            return
        if lost is not None:
            self._look_again(lost.reason)
        self._flush()
        self._schedule()

    def _poll(self) -> None:
        self._timer = None
        self._turn(self.link.poll(self.now_us))

    def _schedule(self) -> None:
        deadline = self.link.next_deadline()
        if self._closed or self._line is None or deadline is None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            return
        if self._timer is not None:
            if self._timer_us == deadline:
                return
            self._timer.cancel()
        self._timer_us = deadline
        self._timer = self._loop.call_at(deadline / 1e6 + 1e-6, self._poll)

    def _look_again(self, reason: str = "") -> None:
        if reason:
            strange = reason in RECONNECT_OBSTACLES or self._path != self._seek.lasting
            self._seek.tried(self._path, strange=strange, now_s=self._loop.time())
        self._retry = self._loop.call_later(RETRY_S, self._try_again)

    def _try_again(self) -> None:
        """Look where the board may be by now, and greet the first that can be opened."""
        self._retry = None
        trouble: PortError | None = None
        names = names_in(self._by_id)
        for path in self._seek.paths(self._by_id, names, self._loop.time()):
            if (path == self.port and birth(path) != self._birth) or is_stale(path):
                continue  # whoever has that number now is not our board
            try:
                self._plug_in(path, PATH_GREETING_US)
            except PortError as error:
                if error.reason in RECONNECT_OBSTACLES:
                    trouble = error
            else:
                return
        self._refused = self._refused + 1 if trouble is not None else 0
        if trouble is not None and self._refused == TOLD_AFTER:
            if self._witness is not None:
                self._witness.hindered(trouble.reason, trouble.detail)
            self._tell([Lost(trouble.reason, trouble.detail)])
        self._look_again()

    def _tell(self, events: list[LinkEvent]) -> None:
        for event in events:
            if isinstance(event, Connected):
                self._board_answers(event.hello)
            elif isinstance(event, Lost) and self._is_awaited:
                self._refuse(event)
        told = self._news.of(events)
        if not told:
            return
        if self._heard is not None:
            self._heard(told)
        else:
            for event in told:
                self._queue.put_nowait(event)

    @property
    def _is_awaited(self) -> bool:
        """Whether `open` still waits for the board."""
        return self._first is not None and not self._first.done()

    def _look(self) -> None:
        """Give up a simulator that had every chance to answer the first greeting."""
        assert self._is_silent is not None
        if not self._is_awaited:
            return
        if self._is_silent():
            self._refuse(Lost("not-a-board"))
        else:
            self._looking = self._loop.call_later(LOOK_S, self._look)

    def _refuse(self, lost: Lost) -> None:
        """Nothing comes of `open`."""
        if self._first is not None:
            self._first.set_exception(error_of(lost, self.port))

    def _board_answers(self, hello: Hello) -> None:
        """The board answers here."""
        self._refused = 0
        self._seek.uid = hello.uid
        self._seek.remember_path(self._path)
        self._seek.saw(names_in(self._by_id))
        if self._first is not None and not self._first.done():
            self._first.set_result(hello)


def birth(port: str) -> tuple[int, int] | None:
    """Which of the pseudo-terminals that have had this number this is; None for other ports.

    The number of one that has gone is given to the next program that asks, somebody's terminal
    perhaps, to which a host that looks for its simulator must not speak.
    """
    if Path(port).parent != PSEUDO_TERMINALS:
        return None
    try:
        about = Path(port).stat()
    except OSError:
        return (0, 0)
    return about.st_ino, about.st_ctime_ns


def is_stale(path: str) -> bool:
    """Whether a link leads to a pseudo-terminal that is younger than itself: not the one meant."""
    try:
        target = Path(path).resolve()
        return (
            target.parent == PSEUDO_TERMINALS
            and Path(path).is_symlink()
            and target.stat().st_ctime_ns > Path(path).lstat().st_mtime_ns
        )
    except OSError:
        return True


def error_of(lost: Lost, port: str) -> BoardError:
    """The error for a board that was lost before it was ever connected."""
    kinds: dict[str, type[BoardError]] = {
        "not-a-board": NotABoard,
        "wrong-major": WrongMajor,
        "wrong-board": WrongBoard,
    }
    kind = kinds.get(lost.reason, LinkLost if lost.reason in ("silent", "closed") else BoardError)
    return kind(localized(f"board.open.{lost.reason}", port=port, detail=lost.detail))


LIKELY = ("lumiban", "micropython", "raspberry", "pico")
"""One of these stands in the by-id name of a board that was never seen before."""
AGAIN_S = 2.0
"""Between two tries at a port where something else than our board answered."""


class PortFinder:
    """The paths to try for one board, best first. Nobody else's device is spoken to if it can be
    helped: only names with the board's own number, its old path, and likely names that are new.

    >>> seek = PortFinder("/dev/serial/by-id/usb-Pico_e661-if00", "e661")
    >>> seek.saw(["usb-Arduino_17-if00", "usb-Pico_e661-if00"])
    >>> folder = Path("/dev/serial/by-id")
    >>> now = ["usb-Arduino_17-if00", "usb-Pico_in_FS_mode_E661-if00"]
    >>> seek.paths(folder, now, 0.0)
    ['/dev/serial/by-id/usb-Pico_in_FS_mode_E661-if00']
    """

    def __init__(self, lasting: str, uid: str) -> None:
        self.lasting = lasting
        self.uid = uid.lower()
        self._seen: frozenset[str] = frozenset()
        self._tried = ""
        self._strangers: dict[tuple[str, str], float] = {}

    def saw(self, names: Iterable[str]) -> None:
        """The names there are while the board is there: the others are not ours."""
        self._seen = frozenset(names)

    def paths(self, folder: Path, names: Iterable[str], now_s: float) -> list[str]:
        """What to try now, of these names in the by-id folder; without strangers of late."""
        own, new, there = [], [], sorted(names)
        self._seen &= frozenset(there)  # what went and came back may be another device
        for name in there:
            low = name.lower()
            if self.uid and self.uid in low:
                own.append(str(folder / name))
            elif name not in self._seen and any(word in low for word in LIKELY):
                new.append(str(folder / name))
        old = Path(self.lasting)
        is_socket = self.lasting.startswith(SOCKET)  # only a try tells whether somebody listens
        is_there = is_socket or (old.name in there if old.parent == folder else old.exists())
        found = dict.fromkeys([*own, *([self.lasting] if is_there else []), *new])
        # What has just been tried in vain has its next turn after the others.
        return sorted(
            (path for path in found if self._may(path, now_s)), key=lambda path: path == self._tried
        )

    def tried(self, path: str, *, strange: bool, now_s: float) -> None:
        """Nobody answered there; or something else than our board did: leave it for a while."""
        self._tried = path
        if strange:
            self._strangers[path, os.path.realpath(path)] = now_s

    def remember_path(self, path: str) -> None:
        """It is there."""
        self.lasting = path
        self._tried = ""
        self._strangers.clear()

    def _may(self, path: str, now_s: float) -> bool:
        since = self._strangers.get((path, os.path.realpath(path)))
        return since is None or now_s - since >= AGAIN_S


def names_in(folder: Path) -> list[str]:
    """The names in a by-id folder; [] when there is none, as while nothing is plugged in."""
    try:
        return sorted(link.name for link in folder.iterdir())
    except OSError:
        return []
