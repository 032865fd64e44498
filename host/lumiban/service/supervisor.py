"""The service: it looks for boards, keeps a process for each table, and answers who asks it.

It knows no game and no board's wire, so that it stays small: all that can fail runs in the tables'
processes. It holds the sockets of their pages, which therefore keep their addresses. What it is
told stands in `status`; who may ask for what is decided by the user at the other end of the socket:
everybody may look, only our own user and root may act or see links and PIN.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lumiban import __version__
from lumiban.boards.ports import RASPBERRY_PI, by_id_folder
from lumiban.errors import LumibanError, UsageError
from lumiban.i18n import terminal_language, text
from lumiban.library import backup
from lumiban.search.kernel_notes import what_is_passed_over
from lumiban.service import settings
from lumiban.service.board_assignment import Roster, Start, Stop
from lumiban.service.notify import Notifier
from lumiban.service.settings import Complaint, ServiceSettings, TableOrder
from lumiban.system import owner_token, service_socket, size_limits
from lumiban.system.child import Child, python
from lumiban.system.disk import DISK
from lumiban.system.lifetime import Lifetime, ended_by_signals
from lumiban.system.paths import LITTLE_ROOM, free_bytes, made, open_log, state_folder
from lumiban.system.run_log import RunLog
from lumiban.web.serve import free_socket

LIKELY = ("lumiban", "micropython", "raspberry", "pico")
"""One of these stands in the by-id name of what may be a board."""
LOOK_S = 1.0
"""Between two looks at what is plugged in, while no change is heard."""
SETTINGS_LOOK_S = 5.0
MEMORY_LOOK_S = 60.0
QUIET_S = 30.0
"""A table's process that has told nothing for so long is looked at with each look."""
SILENT_S, SILENT_WORK_S = 60.0, 60.0
"""Having slept or worked for so long since then without a word, it hangs, and is ended. While it,
or the whole machine, could not run, it had no chance to tell anything."""
END_S, END_WORK_S = 10.0, 30.0
"""A table has so long to put everything away."""
LOCK, PORTS = "serve.lock", "tables.json"
"""Files in the state folder: held by a service and its tables; which board has which table."""
ORPHANS_S = 60.0
"""The tables of a service that was killed have so long to put everything away."""
POWER_OFF = "power-off"
"""A file in our runtime folder; a unit of the package turns the machine off when it is there."""


@dataclass
class TableChild:
    """A table's process, and what it has told; `status` is for everybody, `links` are not."""

    number: int
    listening: socket.socket
    process: Child[Any] | None = None
    status: dict[str, Any] = field(default_factory=dict)
    links: dict[str, str] | None = None
    sensors: dict[str, Any] | None = None
    """Readings of its board while the owner tests it."""
    ending: asyncio.Task[None] | None = None
    """Task that puts away the remains of its process."""
    over: asyncio.Event = field(default_factory=asyncio.Event)


class Supervisor:
    """The service of one state folder."""

    def __init__(self, state: Path, log: RunLog, life: Lifetime) -> None:
        self.told: Callable[[Mapping[str, Any]], None] = lambda table: None
        """Hears how a table is, whenever it says something."""
        self.complained: Callable[[Complaint], None] = lambda complaint: None
        """Hears what is wrong with the settings."""
        self._state = state
        self._log = log
        self._path = settings.settings_path(state)
        self.settings: ServiceSettings = settings.read(self._path)
        self._stamp = _stamp(self._path)
        self._lock = -1
        """The state folder's lock, which the tables share."""
        self._loop = asyncio.get_running_loop()
        self._known = _ports(state)
        self._roster = Roster(self._fixed(), self._known, self._loop.time())
        self._children: dict[int, TableChild] = {}
        self._ended: list[int] = []
        self._wake = asyncio.Event()
        self._life = life
        self._notify = Notifier()
        self._is_ready = False
        self._since = time.time()
        self._owner = owner_token.new_token()

    def _fixed(self) -> str:
        where = self.settings.text("board.where")
        return "" if where == "auto" else where

    async def run(self) -> None:
        """Serve until its life is over, then end all tables; LumibanError when another service runs
        here, or no port is free."""
        self._lock = await self._locked()
        jobs: list[asyncio.Task[None]] = []
        try:
            server = await self._listen()
            with suppress(OSError):  # then a page has no owner, and all else goes on
                owner_token.write(self._state, self._owner)
            jobs.append(asyncio.create_task(self._look_after()))
            if self._notify.alive_every_s:
                jobs.append(asyncio.create_task(self._say_alive(self._notify.alive_every_s)))
            self._log.info("service", version=__version__, settings=str(self._path))
            self._complain()
            while True:
                self._turn()
                self._end_silent()
                due = self._roster.next_due_s()
                wait_s = LOOK_S if due is None else min(LOOK_S, due - self._loop.time())
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), max(wait_s, 0.01))
                self._wake.clear()
        finally:
            with self._life.closing():
                self._notify.tell("STOPPING=1")
                for job in jobs:
                    job.cancel()
                await asyncio.gather(*(self._end(child) for child in self._children.values()))
                server.close()
                for name in (service_socket.SOCKET, owner_token.FILE):
                    with suppress(OSError):
                        (service_socket.own_folder(self._state) / name).unlink()
                for child in self._children.values():
                    child.listening.close()
                DISK.close(self._lock)
                self._log.info("service ended")

    def _turn(self) -> None:
        ended, self._ended = self._ended, []
        for what in self._roster.step(self._loop.time(), plugged_in(), ended):
            if isinstance(what, Start):
                self._start(what)
            else:
                self._stop(what)
        if self._roster.ports != self._known and not self._fixed():
            self._known = self._roster.ports
            with suppress(OSError):  # then a board may have another page after the next start
                _keep_ports(self._state, self._known)

    # Tables.

    def _start(self, start: Start) -> None:
        child = self._children.get(start.number)
        if child is None:
            port = self.settings.number("page.port") + start.number - 1
            child = TableChild(start.number, free_socket("127.0.0.1", port))
            self._children[start.number] = child
        child.status, child.links, child.sensors = {"state": "starting"}, None, None
        order = self.settings.order(start.number, child.listening.fileno(), start.port)
        self._begin(child, order)

    def _begin(self, child: TableChild, order: TableOrder) -> None:
        """Begin one life of a table's process."""
        log_path = self._errors_of(child)
        child.over.clear()
        words = python("lumiban.service.table_process", json.dumps(asdict(order)))
        try:
            log_path.write_bytes(b"")
            child.process = Child(
                words,
                heard=lambda message: self._loop.call_soon_threadsafe(self._heard, child, message),
                clock=self._loop.time,
                errors=log_path,
                pass_fds=(child.listening.fileno(), self._lock),
                apart=True,
            )
        except OSError as error:
            self._log.error("table not started", number=child.number, reason=str(error))
            self._over(child)

    def _heard(self, child: TableChild, message: Any) -> None:
        """A line of a table's process; None: its output has ended."""
        if message is None and child.process is not None:
            child.ending = self._loop.create_task(self._put_away(child, child.process))
        elif isinstance(message, dict) and message:
            self._hear(child, message)

    async def _put_away(self, child: TableChild, process: Child[Any]) -> None:
        code = await process.ended(END_S, END_WORK_S)
        meant = code == 0 or self._life.is_over or self._roster.seats[child.number - 1].stops
        level = self._log.info if meant else self._log.error
        last = _last_line(self._errors_of(child))
        level("table ended", number=child.number, code=code, last=last)
        self._over(child)

    def _over(self, child: TableChild) -> None:
        child.process = None
        child.over.set()
        child.status = {**child.status, "state": "restarting"}
        self._ended.append(child.number)
        self._wake.set()

    def _errors_of(self, child: TableChild) -> Path:
        return self._state / f"table-{child.number}.err"

    def _hear(self, child: TableChild, message: dict[str, Any]) -> None:
        if "links" in message:
            child.links = message.pop("links")
        if "sensors" in message:  # some times a second: nobody but who tests them hears of it
            child.sensors = message["sensors"]
            return
        if message.pop("power_off", False):
            self._log.info("power off", number=child.number)
            self._power_off()
        wish = message.pop("wish", None)
        if isinstance(wish, dict) and wish.get("name") in settings.LIVE:
            with suppress(UsageError):
                self._set(str(wish["name"]), wish.get("value"))
        child.status.update(message)
        if message.get("port"):
            self._roster.moved(child.number, str(message["port"]))
        why = message.get("why") or {}
        if why.get("id") == "serve.waits.stranger":
            self._roster.is_strange(child.number)
        if "url" in message and not self._is_ready:
            self._is_ready = True
            self._notify.tell("READY=1")
        self._notify.tell(f"STATUS={self._in_a_word()}")
        self.told({"number": child.number, **child.status, **self._secrets(child)})

    def _secrets(self, child: TableChild) -> dict[str, Any]:
        """What only the owner may know of a table."""
        url = child.status.get("url")
        owner_url = {"owner_url": owner_token.link(url, self._owner)} if url else {}
        return {**owner_url, **({"links": child.links} if child.links else {})}

    def _in_a_word(self) -> str:
        tables = [
            f"table {n}: {one.status.get('state')} {one.status.get('game', '')}".strip()
            for n, one in sorted(self._children.items())
        ]
        return "; ".join(tables)

    def _stop(self, stop: Stop) -> None:
        child = self._children[stop.number]
        self._loop.create_task(self._end(child))

    async def _end(self, child: TableChild) -> None:
        """End a table's process: it puts everything away, or is killed."""
        process = child.process
        if process is None:
            return
        process.terminate()
        if await process.ended(END_S, END_WORK_S) == -signal.SIGKILL:
            self._log.error("table killed", number=child.number)
        await child.over.wait()

    def _again(self, number: int) -> None:
        for stop in self._roster.again(number):
            self._stop(stop)

    # What is looked at from time to time.

    async def _look_after(self) -> None:
        memory_s = 0.0
        while True:
            await asyncio.sleep(SETTINGS_LOOK_S)
            now_s = self._loop.time()
            try:
                if _stamp(self._path) != self._stamp:
                    self._take_settings(settings.read(self._path))
                if now_s - memory_s >= MEMORY_LOOK_S:
                    memory_s = now_s
                    self._weigh()
            except Exception as error:  # noqa: BLE001  # tables go on, and so does looking after them
                self._log.error("look after", why=f"{type(error).__name__}: {error}")

    def _end_silent(self) -> None:
        """End the process of each table that has said nothing although it had every chance to."""
        for child in self._children.values():
            if child.process is not None and child.process.hangs(QUIET_S, SILENT_S, SILENT_WORK_S):
                self._log.error("table hangs", number=child.number)
                child.process.kill()

    def _weigh(self) -> None:
        """Begin a table anew that takes too much memory, between two moves of nobody's."""
        for child in self._children.values():
            if child.process is None:
                continue
            used = memory_mb(child.process.pid)
            child.status["memory_mb"] = round(used)
            if used > self.settings.number("care.memory_mb"):
                self._log.warning("table begins anew", number=child.number, memory_mb=round(used))
                self._again(child.number)

    async def _say_alive(self, every_s: float) -> None:
        while True:
            self._notify.tell("WATCHDOG=1")
            await asyncio.sleep(every_s)

    def _take_settings(self, latest: ServiceSettings) -> None:
        """Follow other settings: the tables begin anew, their games go on."""
        self._stamp = _stamp(self._path)
        before = self.settings
        self.settings = latest = settings.followed(latest, before)
        self._complain()
        changed = {name for name, value in latest.values.items() if value != before.values[name]}
        if not changed:
            return
        self._log.info("settings changed", names=sorted(changed))
        if "board.where" in changed:
            self._roster.begin_anew(self._fixed())
        if "page.port" in changed:
            for child in self._children.values():
                port = latest.number("page.port") + child.number - 1
                with suppress(LumibanError):
                    child.listening.close()
                    child.listening = free_socket("127.0.0.1", port)
        for name in sorted(changed & settings.LIVE):
            self._tell_tables({"do": "setting", "name": name, "value": latest.values[name]})
        if changed - settings.LIVE - {"care.memory_mb"}:
            for number in self._children:
                self._again(number)

    def _complain(self) -> None:
        for one in self.settings.complaints:
            self._log.warning("settings", id=one.id, **one.params)
            self.complained(one)

    def _tell_tables(self, words: Mapping[str, Any]) -> None:
        for child in self._children.values():
            if child.process is not None:
                child.process.tell(words)

    # Who asks.

    async def _locked(self) -> int:
        """The state folder's lock. While another service, or a table of one that was killed, has
        it, that one is named or waited for; UsageError."""
        file = os.open(self._state / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        until_s = None
        while not DISK.lock(file):
            path = service_socket.own_folder(self._state) / service_socket.SOCKET
            if service_socket.is_answered(path):
                raise UsageError(text("serve.runs", terminal_language(), path=path))
            if until_s is None:
                until_s = self._loop.time() + ORPHANS_S
                self.complained(Complaint("serve.orphans", {}))
            if self._loop.time() > until_s:
                raise UsageError(text("serve.orphans.stay", terminal_language()))
            await asyncio.sleep(LOOK_S / 5)
        return file

    async def _listen(self) -> asyncio.Server:
        path = service_socket.own_folder(self._state) / service_socket.SOCKET
        path.unlink(missing_ok=True)
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with service_socket.short_path(path) as short:
            line.bind(short)
        path.chmod(0o666)
        return await asyncio.start_unix_server(
            self._answer, sock=line, limit=service_socket.LONGEST
        )

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(service_socket.ANSWER_S):
                line = await reader.readline()
            request = size_limits.from_json(line)
            do = request.get("do")
            answer = self._follow(do, request, is_trusted(writer))
        except (OSError, ValueError, AttributeError, TimeoutError):
            answer = _refused("serve.control.unknown", do="?")
        except UsageError as error:
            answer = _refused("serve.control.wrong", reason=str(error))
        with suppress(OSError):
            writer.write(json.dumps(answer).encode())
            await writer.drain()
        writer.close()
        if answer.get("stops"):
            self._life.end()

    def _follow(self, do: object, request: Mapping[str, Any], may_act: bool) -> dict[str, Any]:
        if do == "status":
            return self.status(with_links=may_act)
        if not may_act:
            return _refused("serve.control.forbidden")
        if do == "stop":
            return {"ok": True, "stops": True}
        if do == "set":
            return self._set(str(request.get("name")), request.get("value"))
        if do == "settings":
            return {"settings": settings.as_json(self.settings)}
        if do == "update-board":
            return self._update_board(request)
        if do == "test-sensors":
            return self._test_sensors(request)
        if do == "power-off":
            return self._power_off()
        return _refused("serve.control.unknown", do=str(do)[:40])

    def _set(self, name: str, value: object) -> dict[str, Any]:
        try:
            changed = settings.change(self._path, name, value)
        except OSError as error:
            return _refused(
                "serve.settings.unwritable", path=str(self._path), reason=error.strerror or ""
            )
        self._take_settings(changed)
        return {"ok": True}

    def _update_board(self, request: Mapping[str, Any]) -> dict[str, Any]:
        child = self._children.get(request.get("table", 1))
        if child is None or child.process is None:
            return _refused("serve.control.no-table")
        if not child.status.get("update"):
            return _refused("serve.update.none")
        child.process.tell({"do": "update-board"})
        return {"ok": True}

    def _test_sensors(self, request: Mapping[str, Any]) -> dict[str, Any]:
        child = self._children.get(request.get("table", 1))
        if child is None or child.process is None:
            return _refused("serve.control.no-table")
        if not child.status.get("has_sensors"):
            return _refused("serve.sensors.none")
        asked = {"do": "test-sensors", "go": request.get("go"), "value": request.get("value")}
        child.process.tell(asked)
        return {"ok": True, "state": child.status.get("state"), "sensors": child.sensors}

    def _power_off(self) -> dict[str, Any]:
        """Ask the package's unit to turn the machine off."""
        folder = os.environ.get("RUNTIME_DIRECTORY")
        if not folder:
            return _refused("serve.power-off.not-here")
        (Path(folder) / POWER_OFF).touch()
        return {"ok": True}

    def status(self, *, with_links: bool) -> dict[str, Any]:
        """State of the service, as JSON."""
        tables = []
        seats = {seat.number: seat for seat in self._roster.seats}
        for number, child in sorted(self._children.items()):
            table = {
                "number": number,
                **child.status,
                "port_wished": seats[number].port,
                "restarts": seats[number].restarts.count,
                "pid": child.process.pid if child.process is not None else None,
            }
            if with_links:
                table |= self._secrets(child)
            tables.append(table)
        left = None
        with suppress(OSError):
            left = free_bytes(self._state)
        return {
            "version": __version__,
            "pid": os.getpid(),
            "since": self._since,
            "state": str(self._state),
            "settings": str(self._path),
            "complaints": [
                {"id": one.id, "params": dict(one.params)} for one in self.settings.complaints
            ],
            "free_mb": None if left is None else round(left / 1e6, 1),
            "is_nearly_full": left is not None and left < LITTLE_ROOM,
            "can_power_off": bool(os.environ.get("RUNTIME_DIRECTORY")),
            "tables": tables,
        }


def _refused(id: str, **params: str | int) -> dict[str, Any]:
    return {"error": {"id": id, "params": params}}


def is_trusted(writer: asyncio.StreamWriter) -> bool:
    """True if root or our own user is at the other end."""
    line = writer.get_extra_info("socket")
    credentials = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, uid, _ = struct.unpack("3i", credentials)
    return uid in (0, os.geteuid())


def plugged_in(folder: Path | None = None) -> list[str]:
    """The lasting paths of what may be a board, by its name."""
    folder = folder or by_id_folder()
    try:
        names = sorted(entry.name for entry in os.scandir(folder))
    except OSError:
        return _without_names()
    return [str(folder / name) for name in names if any(word in name.lower() for word in LIKELY)]


def _without_names() -> list[str]:
    """The same where no links by name are kept: ports of a Pico's USB."""
    ports = []
    for tty in sorted(Path("/sys/class/tty").glob("ttyACM*")):
        with suppress(OSError, ValueError):
            vendor = int((tty / "device" / ".." / "idVendor").read_text(), 16)
            if vendor == RASPBERRY_PI:
                ports.append(f"/dev/{tty.name}")
    return ports


def memory_mb(pid: int, processes: Path = Path("/proc")) -> float:
    """Memory in MB of a process and all that it has started, shared pages by their part (PSS)."""
    parents: dict[int, list[int]] = {}
    for entry in processes.glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            fields = entry.read_text().rpartition(")")[2].split()
            parents.setdefault(int(fields[1]), []).append(int(entry.parent.name))
    total_kb, left = 0, [pid]
    while left:
        one = left.pop()
        left += parents.get(one, [])
        with suppress(OSError, ValueError, StopIteration, IndexError):
            lines = (processes / str(one) / "smaps_rollup").read_text().splitlines()
            total_kb += int(next(line for line in lines if line.startswith("Pss:")).split()[1])
    return total_kb / 1000


def _ports(state: Path) -> list[str]:
    """The boards of the tables of the service before this one; [] where nobody knows."""
    with suppress(OSError, ValueError):
        ports = size_limits.from_json(size_limits.read(state / PORTS))
        if isinstance(ports, list):
            return [str(port) for port in ports]
    return []


def _keep_ports(state: Path, ports: Sequence[str]) -> None:
    beside = state / f"{PORTS}.new"
    DISK.put(beside, json.dumps(ports).encode())
    DISK.rename(beside, state / PORTS)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        about = path.stat()
    except OSError:
        return None
    return about.st_mtime_ns, about.st_ino


def _last_line(path: Path) -> str:
    with suppress(OSError):
        lines = path.read_text("utf-8", "replace").strip().splitlines()
        return lines[-1][:300] if lines else ""
    return ""


async def serve(
    told: Callable[[Mapping[str, Any]], None] = lambda table: None,
    complained: Callable[[Complaint], None] = lambda complaint: None,
) -> None:
    """Be the service until SIGTERM or Ctrl-C; `told` hears of each table whatever it says,
    `complained` of what is wrong with the settings."""
    os.umask(0o077)  # settings hold the PIN; logs and journals what people play
    state = made(state_folder())
    log = open_log(state, "serve.log")
    path = settings.settings_path(state)
    try:
        backup.settle(state)
    except OSError as error:
        log.warning("restore not ended", reason=str(error))
    try:
        settings.ensure(path)
        path.chmod(0o600)
    except OSError as error:
        log.warning("settings not written", path=str(path), reason=str(error))
    for id, params in what_is_passed_over():
        log.warning("bots", reason=text(id, terminal_language(), **params))
    with ended_by_signals() as life:
        supervisor = Supervisor(state, log, life)
        supervisor.told, supervisor.complained = told, complained
        await supervisor.run()
