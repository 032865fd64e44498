"""The service through virtual hours: boards come and go, tables crash and hang."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import random
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from lumiban import __version__
from lumiban.errors import UsageError
from lumiban.service import supervisor
from lumiban.service.board_assignment import GONE_S, MAX_TABLES
from lumiban.service.settings import ensure, settings_path
from lumiban.service.supervisor import (
    CARE_LOOKS,
    LOOK_S,
    PAUSE_S,
    SILENT_LOOKS,
    SOUND_S,
    Supervisor,
)
from lumiban.system import owner_token, service_socket
from lumiban.system.disk import DISK
from lumiban.system.lifetime import Lifetime, ended_by_signals
from lumiban.system.paths import LOG_LIMIT, open_log
from virtual_loop import VirtualLoop, virtually

BOARDS = [f"/dev/serial/by-id/usb-lumiban_{n}" for n in range(12)]


class Table:
    """A table's process, without the process: it tells what ours tells, once in a while."""

    numbers = iter(range(10_000_000, 20_000_000))
    """No process has such a number."""

    def __init__(self, world: World, words: list[str], *, on_message: Any, **_: Any) -> None:
        if world.error is not None:
            raise world.error
        self.order, self.world = json.loads(words[-1]), world
        self.pid = next(self.numbers)
        self.tells = on_message
        self.told: list[Any] = []
        """What the service has told it."""
        self.is_silent = False
        self.code: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        world.begins(self)
        self.says(state="playing", game="control", port=self.order["board"], url="http://here/")
        self.telling = asyncio.create_task(self.go_on_telling())

    def says(self, **told: Any) -> None:
        self.tells(told)

    async def go_on_telling(self) -> None:
        while not self.is_silent:
            await asyncio.sleep(30)
            self.says(moves=self.world.chance.randrange(100))

    def send(self, line: bytes) -> bool:
        self.told.append(json.loads(line))
        return True

    def terminate(self) -> None:
        if self.world.chance.random() < 0.95:
            self.over(0)  # else it hangs, and is killed

    def kill(self) -> None:
        self.over(-9)

    def over(self, code: int) -> None:
        if not self.code.done():
            self.code.set_result(code)
            self.telling.cancel()
            self.tells(None)
            self.world.running.pop(self.pid)

    async def ended(self, limit_s: float) -> int:
        try:
            return await asyncio.wait_for(asyncio.shield(self.code), limit_s)
        except TimeoutError:
            self.kill()
            return self.code.result()


class World:
    """Boards and tables around a service."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.plugged: set[str] = set()
        self.running: dict[int, Table] = {}
        self.lives = 0
        self.listening: list[socket.socket] = []
        """Of the tables' pages."""
        self.error: OSError | None = None
        """Why no program can be started."""

    def stands_in_for_the_real_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(supervisor, "Child", partial(Table, self))
        monkeypatch.setattr(supervisor, "plugged_in", lambda: sorted(self.plugged))
        monkeypatch.setattr(supervisor, "free_socket", self.listens)

    def listens(self, host: str, port: int) -> socket.socket:
        self.listening.append(socket.create_server((host, 0)))
        return self.listening[-1]

    def begins(self, table: Table) -> None:
        number = table.order["number"]
        assert number not in [one.order["number"] for one in self.running.values()], "two at one"
        self.running[table.pid] = table
        self.lives += 1

    def act(self) -> None:
        """What may happen in a minute. In an hour some forty boards come or go, three tables
        crash and three hang."""
        for happens in (self.plug, self.crash, self.hang):
            if self.chance.random() < (0.7 if happens == self.plug else 0.05):
                happens()

    def plug(self) -> None:
        self.plugged ^= {self.chance.choice(BOARDS)}

    def one(self) -> Table:
        return self.running[self.chance.choice(sorted(self.running))]

    def crash(self) -> None:
        self.one().over(1)

    def hang(self) -> None:
        self.one().is_silent = True


async def ask(state: Path, request: bytes = b'{"do": "status"}') -> dict[str, Any]:
    with service_socket.short_path(
        service_socket.own_folder(state) / service_socket.SOCKET
    ) as short:
        reader, writer = await asyncio.open_unix_connection(short)
    writer.write(request + b"\n")
    told: dict[str, Any] = json.loads(await reader.read())
    writer.close()
    return told


async def serve(state: Path, lives: list[Lifetime]) -> None:
    ensure(settings_path(state))
    with ended_by_signals() as life:
        lives.append(life)
        await Supervisor(state, open_log(state), life).run()


async def serve_for(minutes: int, state: Path, world: World) -> list[tuple[int, int, int]]:
    """(objects, open files, tasks) six times an hour, once all tables are taken; the service's
    promises hold all along."""
    loop = asyncio.get_running_loop()
    lives: list[Lifetime] = []
    serving = asyncio.create_task(serve(state, lives))
    found = []
    for minute in range(minutes):
        await asyncio.sleep(60)
        world.act()
        if minute % 10 == 0:
            told = await ask(state)
            ports = [one["port_wished"] for one in told["tables"] if one["port_wished"]]
            assert len(ports) == len(set(ports)), "two tables at one board"
            assert len(told["tables"]) <= MAX_TABLES
            if len(told["tables"]) < MAX_TABLES:
                continue
            gc.collect()
            files = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
            found.append((len(gc.get_objects()), files, len(asyncio.all_tasks())))
    # What is under way comes to its end.
    await asyncio.sleep(SILENT_LOOKS + GONE_S + 60 + PAUSE_S[1])
    told = await ask(state)
    served = {one["port_wished"] for one in told["tables"] if one["state"] == "playing"}
    assert all(one["state"] == "playing" for one in told["tables"])
    assert world.plugged <= served or len(world.plugged) > MAX_TABLES - 1
    assert {one["pid"] for one in told["tables"]} == set(world.running)
    assert not any(one.is_silent for one in world.running.values()), "one hangs for ever"
    lives[0].end()
    await serving
    assert not world.running
    assert loop.time() > 60 * minutes
    return found


async def stand_still(state: Path, world: World, loop: VirtualLoop) -> None:
    lives: list[Lifetime] = []
    serving = asyncio.create_task(serve(state, lives))
    world.plugged = {BOARDS[0]}
    await asyncio.sleep(60)
    table = world.one()
    table.is_silent = True
    loop.idle.now_s += 3600
    await asyncio.sleep(5)
    assert list(world.running) == [table.pid], "a machine that stood still"
    table.says()
    await asyncio.sleep(SILENT_LOOKS - 5)
    assert list(world.running) == [table.pid], "a word begins it anew"
    await asyncio.sleep(10)
    assert table.pid not in world.running, "it hangs"
    assert table.code.result() == -9
    await asyncio.sleep(PAUSE_S[0])
    assert world.one().pid != table.pid
    lives[0].end()
    await serving


async def falls(state: Path, world: World) -> list[float]:
    lives: list[Lifetime] = []
    serving = asyncio.create_task(serve(state, lives))
    pauses = []
    for lives_s in (*[2.0] * 8, SOUND_S, 2.0):
        while not world.running:
            await asyncio.sleep(0.01)
        await asyncio.sleep(lives_s)
        fell_s = asyncio.get_running_loop().time()
        world.one().over(1)
        while not world.running:
            await asyncio.sleep(0.01)
        pauses.append(asyncio.get_running_loop().time() - fell_s)
    lives[0].end()
    await serving
    return pauses


def test_a_table_that_ends_is_begun_again_after_pauses_that_grow_to_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(1)
    world.stands_in_for_the_real_one(monkeypatch)
    pauses = virtually(falls(tmp_path, world))
    expected = [0.5, 1, 2, 4, 8, 16, PAUSE_S[1], PAUSE_S[1], 0.5, 1]
    assert pauses == pytest.approx(expected, abs=0.05)


async def controlled(state: Path, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    serving = asyncio.create_task(serve(state, []))
    world.plugged = {BOARDS[0]}
    await asyncio.sleep(5)
    table = world.one()

    async def said(**request: Any) -> dict[str, Any]:
        return await ask(state, json.dumps(request).encode())

    async def refused(**request: Any) -> str:
        refusal: str = (await said(**request))["error"]["id"]
        return refusal

    assert await refused(do="dance") == "serve.control.unknown"
    for garbage in (b"", b"{", b"[]", b'"status"'):
        assert (await ask(state, garbage))["error"]["id"] == "serve.control.unknown"
    (one,) = (await said(do="status", beside="x" * 100_000))["tables"]
    assert (one["number"], one["pid"], one["port_wished"]) == (1, table.pid, BOARDS[0])
    assert (one["state"], one["game"], one["restarts"]) == ("playing", "control", 0)
    # A setting counts at once, is kept, and is told to the tables.
    assert await said(do="set", name="light.brightness", value=40) == {"ok": True}
    assert "brightness = 40" in settings_path(state).read_text("utf-8")
    listed = (await said(do="settings"))["settings"]
    assert any("light.brightness" in json.dumps(one) and "40" in json.dumps(one) for one in listed)
    assert any("light.brightness" in json.dumps(message) for message in table.told)
    assert await refused(do="set", name="light.brightness", value=400) == "serve.control.wrong"
    assert await refused(do="set", name="light.colour", value=4) == "serve.control.wrong"
    # What a table cannot do now is refused; what it can is passed on.
    assert await refused(do="update-board") == "serve.update.none"
    assert await refused(do="update-board", table=2) == "serve.control.no-table"
    assert await refused(do="test-sensors", go="begin") == "serve.sensors.none"
    table.says(state="playing", update="2 is newer", has_sensors=True)
    assert (await said(do="update-board"))["ok"]
    assert (await said(do="test-sensors", go="begin", value="en"))["ok"]
    passed = {"do": "test-sensors", "go": "begin", "value": "en"}
    assert table.told[-2:] == [{"do": "update-board"}, passed]
    # Without the package's unit nobody turns a machine off.
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
    assert await refused(do="power-off") == "serve.power-off.not-here"
    assert not (await said(do="status"))["can_power_off"]
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(state))
    assert await said(do="power-off") == {"ok": True}
    assert (state / supervisor.POWER_OFF).exists()
    assert await said(do="stop") == {"ok": True, "stops": True}
    await serving
    assert not world.running


def test_the_service_does_over_its_socket_what_is_asked_or_says_why_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(3)
    world.stands_in_for_the_real_one(monkeypatch)
    virtually(controlled(tmp_path, world, monkeypatch))


def test_boards_are_found_by_their_lasting_names(tmp_path: Path) -> None:
    boards = [
        "usb-MicroPython_Board",
        "usb-Raspberry_Pi_RP2",
        "usb-a_Pico",
        "usb-lumiban_1",
        "usb-lumiban_2",
    ]
    for name in (*reversed(boards), "usb-Brother_printer", "usb-GPS-mouse"):
        (tmp_path / name).touch()
    assert supervisor.plugged_in(tmp_path) == [str(tmp_path / name) for name in boards]


def test_a_silent_table_is_ended_and_a_machine_that_stands_still_ends_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(1)
    world.stands_in_for_the_real_one(monkeypatch)

    async def run() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        await stand_still(tmp_path, world, loop)

    virtually(run())


def test_a_quarter_of_an_hour_of_boards_that_come_and_go_leaves_each_one_its_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(2)
    world.stands_in_for_the_real_one(monkeypatch)
    virtually(serve_for(15, tmp_path, world))
    assert world.lives > 3


@pytest.mark.slow
@pytest.mark.parametrize("hours", [2, pytest.param(24, marks=pytest.mark.long)])
def test_hours_of_boards_that_come_and_go_leave_memory_files_and_tasks_as_they_were(
    hours: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(hours)
    world.stands_in_for_the_real_one(monkeypatch)
    found = virtually(serve_for(60 * hours, tmp_path, world))
    assert world.lives > 10 * hours
    assert len(found) > 2 * hours
    settled, last = found[len(found) // 2 - 1], found[-1]
    objects = [one[0] for one in found]
    assert max(objects[len(objects) // 2 :]) < 1.02 * max(objects[: len(objects) // 2]), objects
    assert last[1] <= settled[1] + MAX_TABLES
    assert last[2] <= 3 * MAX_TABLES
    logs = sum(one.stat().st_size for one in tmp_path.glob("host.log*"))
    assert logs < 2 * LOG_LIMIT


async def is_locked_out(state: Path, world: World) -> None:
    held = os.open(state / supervisor.LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    assert DISK.lock(held), "a table of a service that was killed"
    lives: list[Lifetime] = []
    serving = asyncio.create_task(serve(state, lives))
    await asyncio.sleep(supervisor.ORPHANS_S / 2)
    assert not world.running, "it plays beside that table"
    os.close(held)
    await asyncio.sleep(5)
    assert world.running, "it waits for nothing"
    other = asyncio.create_task(serve(state, []))
    with pytest.raises(UsageError, match="runs here already"):
        await other
    lives[0].end()
    await serving


def test_a_service_waits_for_the_last_table_of_one_that_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(1)
    world.stands_in_for_the_real_one(monkeypatch)
    virtually(is_locked_out(tmp_path, world))


# What it hears, keeps and tells.


class Service(SimpleNamespace):
    """A service that runs: `told` and `complained` have what it told of tables and settings."""

    supervisor: Supervisor

    def table(self) -> dict[str, Any]:
        """What everybody may know of the first table."""
        one: dict[str, Any] = self.supervisor.status(with_links=False)["tables"][0]
        return one


@asynccontextmanager
async def in_service(state: Path, world: World) -> AsyncIterator[Service]:
    """A service with one board for as long as the block lasts; afterwards nothing of it is left."""
    ensure(settings_path(state))
    world.chance.random = lambda: 0.5  # type: ignore[method-assign]  # none hangs
    world.plugged = {BOARDS[0]}
    one = Service(told=[], complained=[])

    async def run() -> None:
        with ended_by_signals() as one.life:
            one.supervisor = Supervisor(state, open_log(state), one.life)
            one.supervisor.told, one.supervisor.complained = one.told.append, one.complained.append
            await one.supervisor.run()

    running = asyncio.create_task(run())
    await asyncio.sleep(5)
    yield one
    one.life.end()
    await running
    assert not world.running
    assert {line.fileno() for line in world.listening} == {-1}, "a page's port is given back"
    folder = service_socket.own_folder(state)
    assert not any((folder / name).exists() for name in (service_socket.SOCKET, owner_token.FILE))
    free = os.open(state / supervisor.LOCK, os.O_RDWR)
    assert DISK.lock(free), "the next service need not wait"
    os.close(free)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    world = World(5)
    world.stands_in_for_the_real_one(monkeypatch)
    return world


def logged(state: Path, event: str) -> list[dict[str, Any]]:
    lines = map(json.loads, (state / "host.log").read_text().splitlines())
    return [line for line in lines if line["event"] == event]


def test_links_and_pin_are_the_owner_s_and_readings_are_for_who_asks(
    tmp_path: Path, world: World
) -> None:
    async def main() -> None:
        async with in_service(tmp_path, world) as service:
            table = world.one()
            table.says(links={"pin": "493817"}, named="http://x.local/")
            await asyncio.sleep(1)
            last = service.told[-1]
            assert last["links"] == {"pin": "493817"}
            assert last["owner_url"].startswith("http://here/")
            assert last["owner_url"].endswith(owner_token.read(tmp_path))
            assert (last["number"], last["named"]) == (1, "http://x.local/")
            assert not {"links", "owner_url"} & service.table().keys()
            owned = service.supervisor.status(with_links=True)["tables"][0]
            assert (owned["links"], owned["owner_url"]) == (last["links"], last["owner_url"])
            count = len(service.told)
            table.says(has_sensors=True)
            table.says(sensors={"cells": [1]}, state="ignored")
            table.says()
            await asyncio.sleep(1)
            assert len(service.told) == count + 1
            answer = await ask(tmp_path, b'{"do": "test-sensors", "go": "on"}')
            assert answer == {"ok": True, "state": "playing", "sensors": {"cells": [1]}}

    virtually(main())


def test_a_table_may_wish_for_what_counts_at_once_and_no_more(
    tmp_path: Path, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))

    async def main() -> None:
        async with in_service(tmp_path, world) as service:
            usual = service.supervisor.settings.number("page.port")
            for name, value in (
                ("light.brightness", 40),
                ("page.port", 9_000),
                ("light.brightness", 999),
            ):
                world.one().says(wish={"name": name, "value": value})
                await asyncio.sleep(1)
            assert service.supervisor.settings.number("light.brightness") == 40
            assert service.supervisor.settings.number("page.port") == usual
            assert "brightness = 40" in settings_path(tmp_path).read_text("utf-8")
            assert not (tmp_path / supervisor.POWER_OFF).exists()
            world.one().says(power_off=True)
            await asyncio.sleep(1)
            assert (tmp_path / supervisor.POWER_OFF).exists()

    virtually(main())
    assert [one["number"] for one in logged(tmp_path, "power off")] == [1]


def test_what_a_hand_writes_into_the_file_is_followed(tmp_path: Path, world: World) -> None:
    path = settings_path(tmp_path)

    async def main() -> None:
        async with in_service(tmp_path, world) as service:
            table = world.one()

            async def write(old: str, new: str, *, as_another: bool = False) -> None:
                """Change the file, or put another in its place that was last changed then too."""
                assert old in path.read_text("utf-8")
                there = path.with_name("other.toml") if as_another else path
                there.write_text(path.read_text("utf-8").replace(old, new))
                if as_another:
                    about = path.stat()
                    os.utime(there, ns=(about.st_atime_ns, about.st_mtime_ns))
                    there.replace(path)
                await asyncio.sleep((CARE_LOOKS + 2) * LOOK_S)

            await write("brightness = 100", "brightness = 60")
            assert service.supervisor.settings.number("light.brightness") == 60
            live = {"do": "setting", "name": "light.brightness", "value": 60}
            assert table.told == [live]
            await write('language = ""', 'language = "ja"')
            assert table.told[1:] == [{**live, "name": "page.language", "value": "ja"}]
            assert world.one() is table, "they count at once"
            await write('lobby = "on"', 'lobby = "off"', as_another=True)
            assert world.one() is not table
            assert not world.one().order["has_lobby"]
            assert world.one().order["brightness"] == 60
            assert service.table()["restarts"] == 0, "it was meant: no pause"
            # Its page moves; so do its boards.
            listening = world.one().order["listening"]
            before = socket.fromfd(listening, socket.AF_INET, socket.SOCK_STREAM).getsockname()
            await write("port = 8700", "port = 8800")
            listening = world.one().order["listening"]
            after = socket.fromfd(listening, socket.AF_INET, socket.SOCK_STREAM).getsockname()
            assert before != after
            await write('where = "auto"', 'where = "sim"')
            assert world.one().order["board"] == service.table()["port_wished"] == "sim"
            # A slip of the pen changes nothing, and is told once.
            table = world.one()
            await write("[page]", "[page")
            assert [one.id for one in service.complained] == ["serve.settings.kept"]
            complaints = service.supervisor.status(with_links=False)["complaints"]
            assert [one["id"] for one in complaints] == ["serve.settings.kept"]
            await asyncio.sleep(60)
            assert (world.one(), len(service.complained)) == (table, 1)
        (begun,) = logged(tmp_path, "service")
        assert (begun["version"], begun["settings"]) == (__version__, str(path))
        assert not logged(tmp_path, "look after")
        assert [one["level"] for one in logged(tmp_path, "settings")] == ["warning"]
        changes = [one["names"] for one in logged(tmp_path, "settings changed")]
        assert changes == [
            ["light.brightness"], ["page.language"], ["game.lobby"], ["page.port"], ["board.where"]
        ]  # fmt: skip

    virtually(main())


@pytest.mark.parametrize(
    ("kept", "number"), [(None, 2), (b"", 1), (b"{}", 1), (b'["/dev/other", "%s"]', 2)]
)
def test_the_next_service_gives_each_board_the_table_that_it_had(
    kept: bytes | None, number: int, tmp_path: Path, world: World
) -> None:
    async def main() -> None:
        async with in_service(tmp_path, world):
            world.plugged |= {BOARDS[1]}
            await asyncio.sleep(5)
        if kept is not None:
            data = kept.replace(b"%s", BOARDS[1].encode())
            (tmp_path / supervisor.PORTS).write_bytes(data)
        async with in_service(tmp_path, world):
            world.plugged = {BOARDS[1]}
            await asyncio.sleep(GONE_S + 5)
            boards = {one.order["board"]: one.order["number"] for one in world.running.values()}
            assert boards[BOARDS[1]] == number

    virtually(main())


def test_a_device_that_is_no_board_has_no_table_and_a_board_at_another_port_keeps_its_own(
    tmp_path: Path, world: World
) -> None:
    async def main() -> None:
        async with in_service(tmp_path, world) as service:
            table = world.one()
            table.says(port=BOARDS[1])
            await asyncio.sleep(1)
            world.plugged = {BOARDS[1]}
            await asyncio.sleep(GONE_S + 5)
            assert world.one() is table
            assert service.table()["port_wished"] == BOARDS[1]
            table.says(why={"id": "serve.waits.stranger", "params": {}}, port="")
            await asyncio.sleep(5)
            assert service.table()["port_wished"] == ""
            world.plugged |= {BOARDS[2]}
            await asyncio.sleep(5)
            assert world.one().order["board"] == BOARDS[2]

    virtually(main())


def test_how_a_table_ended_is_logged_with_its_last_words(tmp_path: Path, world: World) -> None:
    async def main() -> None:
        async with in_service(tmp_path, world) as service:
            assert service.table()["state"] == "playing"
            for code in (1, 0):
                (tmp_path / "table-1.err").write_text("…\nValueError: odd\n" if code else "")
                world.one().over(code)
                await asyncio.sleep(PAUSE_S[0] / 2)
                assert service.table()["state"] == "restarting"
                await asyncio.sleep(5)
            assert service.table()["restarts"] == 2

    virtually(main())
    ends = [(one["level"], one["code"], one["last"]) for one in logged(tmp_path, "table ended")]
    assert ends == [("error", 1, "ValueError: odd"), ("info", 0, ""), ("info", 0, "")]


def test_a_program_that_cannot_be_started_is_tried_again(tmp_path: Path, world: World) -> None:
    async def main() -> None:
        world.error = OSError("no memory")
        async with in_service(tmp_path, world) as service:
            assert service.table()["pid"] is None
            answer = await ask(tmp_path, b'{"do": "update-board"}')
            assert answer["error"]["id"] == "serve.control.no-table"
            world.error = None
            await asyncio.sleep(PAUSE_S[1])
            assert service.table()["pid"] == world.one().pid

    virtually(main())
    assert {one["reason"] for one in logged(tmp_path, "table not started")} == {"no memory"}


def test_everybody_may_look_and_only_we_and_root_may_act(
    tmp_path: Path, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with in_service(tmp_path, world):
            monkeypatch.setattr(supervisor, "is_trusted", lambda writer: False)
            world.one().says(links={"pin": "493817"})
            told = await ask(tmp_path)
            assert "493817" not in json.dumps(told)
            assert (told["version"], told["pid"]) == (__version__, os.getpid())
            assert (told["state"], told["settings"]) == (
                str(tmp_path), str(settings_path(tmp_path)),
            )  # fmt: skip
            assert told["free_mb"] > 0
            for do in ("stop", "set", "settings", "update-board", "test-sensors", "power-off"):
                refused = await ask(tmp_path, json.dumps({"do": do}).encode())
                assert refused["error"]["id"] == "serve.control.forbidden", do
            folder = service_socket.own_folder(tmp_path)
            mode = (folder / service_socket.SOCKET).stat().st_mode
            assert mode & 0o777 == 0o666, "who may act is asked of the kernel, not of the file"

    virtually(main())


@pytest.mark.parametrize(("uid", "may"), [(0, True), (os.geteuid(), True), (31_337, False)])
def test_the_kernel_says_who_asks(uid: int, may: bool) -> None:
    line = SimpleNamespace(getsockopt=lambda *_: struct.pack("3i", 4242, uid, 100))
    writer: Any = SimpleNamespace(get_extra_info=lambda name: line)
    assert supervisor.is_trusted(writer) == may


def test_settings_that_cannot_be_written_refuse_a_change_with_the_reason(
    tmp_path: Path, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUMIBAN_SETTINGS", str(tmp_path / "settings.toml"))

    async def main() -> None:
        async with in_service(tmp_path, world) as service:
            monkeypatch.setattr(DISK, "replace", Mock(side_effect=OSError(30, "Read-only")))
            answer = await ask(tmp_path, b'{"do": "set", "name": "game.hint", "value": "none"}')
            params = {"path": str(tmp_path / "settings.toml"), "reason": "Read-only"}
            assert answer["error"] == {"id": "serve.settings.unwritable", "params": params}
            assert service.supervisor.settings.text("game.hint") == "legal"

    virtually(main())


@pytest.mark.parametrize("name", ["notify", "@lumiban-test-notify"])
def test_systemd_hears_that_it_is_ready_alive_and_stopping(
    name: str, tmp_path: Path, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = name.replace("@", "\0") + str(os.getpid()) if "@" in name else str(tmp_path / name)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as heard:
        heard.bind(address)
        monkeypatch.setenv("NOTIFY_SOCKET", address.replace("\0", "@"))

        async def main() -> None:
            async with in_service(tmp_path, world):
                assert "NOTIFY_SOCKET" not in os.environ, "no program that is begun speaks for us"
                await asyncio.sleep(3 * CARE_LOOKS * LOOK_S)
                world.one().says(url="http://here/")

        virtually(main())
        words = []
        with suppress(BlockingIOError):
            while True:
                words.append(heard.recv(100).decode())
    assert (words[0], words[-1]) == ("READY=1", "STOPPING=1")
    assert set(words[1:-1]) == {"WATCHDOG=1"}
    assert 3 <= len(words[1:-1]) <= 5
