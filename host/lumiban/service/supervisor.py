"""Supervisor of the service: it looks for boards, keeps one process for each table, and answers
requests.

It knows no game and no board's wire, so that it stays small: all that can fail runs in the tables'
processes. It holds the sockets of their pages, which therefore keep their addresses. What it is
told stands in `status`; who may ask for what is decided by the user at the other end of the socket:
everybody may look, only our own user and root may act or see links and PIN.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import struct
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from lumiban import __version__
from lumiban.boards.ports import by_id_folder
from lumiban.errors import LumibanError, UsageError
from lumiban.i18n import terminal_language, text
from lumiban.library import backup
from lumiban.search.kernel_notes import what_is_passed_over
from lumiban.service import settings
from lumiban.service.board_assignment import Roster
from lumiban.service.notify import Notifier
from lumiban.service.settings import Complaint, ServiceSettings
from lumiban.system import owner_token, service_socket, size_limits
from lumiban.system.child import Child, Restarts, python
from lumiban.system.disk import DISK
from lumiban.system.lifetime import Lifetime, ended_by_signals
from lumiban.system.paths import LITTLE_ROOM, free_bytes, made, open_log, state_folder
from lumiban.system.run_log import RunLog, last_line
from lumiban.web.serve import free_socket

LIKELY = ("lumiban", "micropython", "raspberry", "pico")
"""One of these stands in the by-id name of what may be a board."""
LOOK_S = 1.0
"""Between two looks at what is plugged in and who is silent."""
CARE_LOOKS = 5
"""Looks between two checks of the settings file, and between two words to systemd's watchdog."""
SILENT_LOOKS = 180
"""Looks after which a table's process that has said nothing counts as hung, and is killed. While
the whole machine stands still nobody looks."""
END_S = 25.0
"""Time for a table to put everything away."""
PAUSE_S = (0.5, 30.0)
"""Before a table that ended by itself is begun again; doubled up to the second."""
SOUND_S = 60.0
"""A table that ran at least this long ended by another cause than the one before."""
LOCK, PORTS = "serve.lock", "tables.json"
"""Files in the state folder: held by a service and its tables; which board has which table."""
ORPHANS_S = 60.0
"""Time for the tables of a killed service to put everything away."""
POWER_OFF = "power-off"
"""A file in our runtime folder; a unit of the package turns the machine off when it is there."""


@dataclass(eq=False)
class Table:
    """State of a table as its process reports it; `status` is public, `links` are not."""

    number: int
    listening: socket.socket
    restarts: Restarts = field(default_factory=lambda: Restarts(*PAUSE_S, sound_s=SOUND_S))
    process: Child[Any] | None = None
    status: dict[str, Any] = field(default_factory=dict)
    links: dict[str, str] | None = None
    sensors: dict[str, Any] | None = None
    """Readings of its board while the owner tests it."""
    is_asked: bool = False
    """True while its process is to end, and another one to begin."""
    looks: int = 0
    """Looks since it was heard last, or asked to end."""


class Supervisor:
    """Service of one state folder."""

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
        self._lock: int
        """The state folder's lock, which the tables share."""
        self._loop = asyncio.get_running_loop()
        self._known = _ports(state)
        self._roster = Roster(self._fixed(), self._known, self._loop.time())
        self._tables: dict[int, Table] = {}
        self._kept_up: list[asyncio.Task[None]] = []
        self._life = life
        self._notify = Notifier()
        self._is_ready = False
        self._since = time.time()
        self._owner = owner_token.new_token()

    def _fixed(self) -> str:
        where = self.settings.text("board.where")
        return "" if where == "auto" else where

    async def run(self) -> None:
        """Serve until the lifetime ends, then end all tables; LumibanError when another service
        runs here, or no port is free."""
        self._lock = await self._locked()
        try:
            server = await self._listen()
            with suppress(OSError):  # then a page has no owner, and all else goes on
                owner_token.write(self._state, self._owner)
            self._log.info("service", version=__version__, settings=str(self._path))
            self._complain()
            for looks in count():
                self._assign()
                self._end_silent()
                if looks % CARE_LOOKS == CARE_LOOKS - 1:
                    self._care()
                await asyncio.sleep(LOOK_S)
        finally:
            with self._life.closing():
                self._notify.tell("STOPPING=1")
                for task in self._kept_up:
                    task.cancel()
                await asyncio.gather(*self._kept_up, return_exceptions=True)
                server.close()
                for name in (service_socket.SOCKET, owner_token.FILE):
                    with suppress(OSError):
                        (service_socket.own_folder(self._state) / name).unlink()
                for table in self._tables.values():
                    table.listening.close()
                DISK.close(self._lock)
                self._log.info("service ended")

    def _assign(self) -> None:
        """Assign the boards that are present to their tables."""
        changed = self._roster.look(self._loop.time(), plugged_in())
        for seat in self._roster.seats:
            if seat.number in changed and seat.number in self._tables:
                self._again(seat.number)
            elif seat.number not in self._tables and not seat.rests:
                port = self.settings.number("page.port") + seat.number - 1
                table = Table(seat.number, free_socket("127.0.0.1", port))
                self._tables[seat.number] = table
                self._kept_up.append(self._loop.create_task(self._keep_up(table)))
        if self._roster.ports != self._known and not self._fixed():
            self._known = self._roster.ports
            with suppress(OSError):  # then a board may have another page after the next start
                DISK.put_whole(self._state / PORTS, json.dumps(self._known).encode())

    # Tables.

    async def _keep_up(self, table: Table) -> None:
        """Run a table's process, and restart it whenever it ends."""
        while True:
            begun_s = self._loop.time()
            table.status, table.links, table.sensors = {"state": "starting"}, None, None
            table.is_asked = False
            try:
                await self._live(table)
            except OSError as error:
                self._log.error("table not started", number=table.number, reason=str(error))
            table.status = {**table.status, "state": "restarting"}
            if not table.is_asked:
                await asyncio.sleep(table.restarts.pause_s(self._loop.time() - begun_s))

    async def _live(self, table: Table) -> None:
        """Run a table's process once, from start to end; OSError."""
        port = self._roster.seats[table.number - 1].port
        order = self.settings.order(table.number, table.listening.fileno(), port)
        errors = self._state / f"table-{table.number}.err"
        errors.write_bytes(b"")
        heard: asyncio.Queue[Any] = asyncio.Queue()
        process: Child[Any] = Child(
            python("lumiban.service.table_process", json.dumps(asdict(order))),
            on_message=lambda told: self._loop.call_soon_threadsafe(heard.put_nowait, told),
            errors=errors,
            pass_fds=(table.listening.fileno(), self._lock),
            apart=True,
        )
        table.process, table.looks = process, 0
        try:
            while (told := await heard.get()) is not None:
                if isinstance(told, dict):
                    self._hear(table, told)
        finally:
            table.process = None
            process.terminate()
            code = await process.ended(END_S)
            meant = code == 0 or table.is_asked or self._life.is_over
            level = self._log.info if meant else self._log.error
            level("table ended", number=table.number, code=code, last=last_line(errors))

    def _hear(self, table: Table, message: dict[str, Any]) -> None:
        table.looks = table.looks if table.is_asked else 0
        if not message:
            return
        if "links" in message:
            table.links = message.pop("links")
        if "sensors" in message:  # some times a second: nobody but who tests them hears of it
            table.sensors = message["sensors"]
            return
        if message.pop("power_off", False):
            self._log.info("power off", number=table.number)
            self._power_off()
        wish = message.pop("wish", None)
        if isinstance(wish, dict) and wish.get("name") in settings.LIVE:
            with suppress(UsageError):
                self._set(str(wish["name"]), wish.get("value"))
        table.status.update(message)
        if message.get("port"):
            self._roster.moved(table.number, str(message["port"]))
        why = message.get("why") or {}
        if why.get("id") == "serve.waits.stranger":
            self._roster.is_strange(table.number)
        if "url" in message and not self._is_ready:
            self._is_ready = True
            self._notify.tell("READY=1")
        self.told({"number": table.number, **table.status, **self._secrets(table)})

    def _secrets(self, table: Table) -> dict[str, Any]:
        """Links and PIN of a table, for the owner alone."""
        url = table.status.get("url")
        owner_url = {"owner_url": owner_token.link(url, self._owner)} if url else {}
        return {**owner_url, **({"links": table.links} if table.links else {})}

    def _again(self, number: int) -> None:
        """Restart a table's process."""
        table = self._tables[number]
        if table.process is not None and not table.is_asked:
            table.is_asked, table.looks = True, 0
            table.process.terminate()

    # What is looked at from time to time.

    def _care(self) -> None:
        self._notify.tell("WATCHDOG=1")
        try:
            if _stamp(self._path) != self._stamp:
                self._take_settings(settings.read(self._path))
        except Exception as error:  # noqa: BLE001  # tables go on, and so does looking after them
            self._log.error("look after", why=f"{type(error).__name__}: {error}")

    def _end_silent(self) -> None:
        """Kill the process of each table that hangs, or does not end."""
        for table in self._tables.values():
            table.looks += 1
            if table.process and table.looks > (END_S if table.is_asked else SILENT_LOOKS):
                self._log.error("table hangs", number=table.number)
                table.process.kill()

    def _take_settings(self, latest: ServiceSettings) -> None:
        """Take over changed settings: the tables restart, their games continue."""
        self._stamp = _stamp(self._path)
        before = self.settings
        self.settings = latest = settings.followed(latest, before)
        self._complain()
        changed = {name for name, value in latest.values.items() if value != before.values[name]}
        if not changed:
            return
        self._log.info("settings changed", names=sorted(changed))
        if "board.where" in changed:
            self._roster.reset(self._fixed())
        if "page.port" in changed:
            for table in self._tables.values():
                port = latest.number("page.port") + table.number - 1
                with suppress(LumibanError):
                    table.listening.close()
                    table.listening = free_socket("127.0.0.1", port)
        for name in sorted(changed & settings.LIVE):
            for table in self._tables.values():
                _tell(table, {"do": "setting", "name": name, "value": latest.values[name]})
        if changed - settings.LIVE:
            for number in self._tables:
                self._again(number)

    def _complain(self) -> None:
        for one in self.settings.complaints:
            self._log.warning("settings", id=one.id, **one.params)
            self.complained(one)

    # Who asks.

    async def _locked(self) -> int:
        """Lock of the state folder. While another service, or a table of a killed one, holds it,
        that process is named or waited for; UsageError."""
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
            self._answer, sock=line, limit=service_socket.MAX_LINE_BYTES
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
        writer.write(json.dumps(answer).encode())
        writer.close()  # once all of it is written
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
            return self._pass_on(request, "update", "serve.update.none")
        if do == "test-sensors":
            return self._pass_on(request, "has_sensors", "serve.sensors.none")
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

    def _pass_on(self, request: Mapping[str, Any], needs: str, refusal: str) -> dict[str, Any]:
        """Pass a request on to a table, where it says that it can follow it."""
        table = self._tables.get(request.get("table", 1))
        if table is None or table.process is None:
            return _refused("serve.control.no-table")
        if not table.status.get(needs):
            return _refused(refusal)
        _tell(table, request)
        return {"ok": True, "state": table.status.get("state"), "sensors": table.sensors}

    def _power_off(self) -> dict[str, Any]:
        """Start the package's unit that turns the machine off."""
        folder = os.environ.get("RUNTIME_DIRECTORY")
        if not folder:
            return _refused("serve.power-off.not-here")
        (Path(folder) / POWER_OFF).touch()
        return {"ok": True}

    def status(self, *, with_links: bool) -> dict[str, Any]:
        """State of the service, as JSON."""
        tables = []
        for number, one in sorted(self._tables.items()):
            table = {
                "number": number,
                **one.status,
                "port_wished": self._roster.seats[number - 1].port,
                "restarts": one.restarts.count,
                "pid": one.process.pid if one.process is not None else None,
            }
            if with_links:
                table |= self._secrets(one)
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


def _tell(table: Table, message: Mapping[str, Any]) -> None:
    if table.process is not None:
        table.process.send(json.dumps(message).encode())


def _refused(id: str, **params: str | int) -> dict[str, Any]:
    return {"error": {"id": id, "params": params}}


def is_trusted(writer: asyncio.StreamWriter) -> bool:
    """True if the peer of a socket is root or our own user."""
    line = writer.get_extra_info("socket")
    credentials = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, uid, _ = struct.unpack("3i", credentials)
    return uid in (0, os.geteuid())


def plugged_in(folder: Path | None = None) -> list[str]:
    """Lasting paths of the devices that may be boards by their names."""
    there = sorted(map(str, (folder or by_id_folder()).glob("*")))
    return [path for path in there if any(word in Path(path).name.lower() for word in LIKELY)]


def _ports(state: Path) -> list[str]:
    """Boards of the tables of the previous service; [] where unknown."""
    with suppress(OSError, ValueError):
        ports = size_limits.from_json(size_limits.read(state / PORTS))
        if isinstance(ports, list):
            return [str(port) for port in ports]
    return []


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        about = path.stat()
    except OSError:
        return None
    return about.st_mtime_ns, about.st_ino


async def serve(
    told: Callable[[Mapping[str, Any]], None] = lambda table: None,
    complained: Callable[[Complaint], None] = lambda complaint: None,
) -> None:
    """Run the service until SIGTERM or Ctrl-C; `told` receives the status of each table,
    `complained` the faults of the settings."""
    os.umask(0o077)  # settings hold the PIN; logs and journals what people play
    state = made(state_folder())
    log = open_log(state)
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
