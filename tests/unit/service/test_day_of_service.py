"""The service through virtual hours: boards come and go, tables crash and hang."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import random
import selectors
import socket
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from lumiban.errors import UsageError
from lumiban.service import supervisor
from lumiban.service.board_assignment import GONE_S, MOST_TABLES
from lumiban.service.settings import ensure, settings_path
from lumiban.service.supervisor import PAUSE_S, SILENT_LOOKS, SOUND_S, Supervisor
from lumiban.system import service_socket
from lumiban.system.disk import DISK
from lumiban.system.lifetime import Lifetime, ended_by_signals
from lumiban.system.paths import LOG_LIMIT, open_log

BOARDS = [f"/dev/serial/by-id/usb-lumiban_{n}" for n in range(12)]


class PatientSelector(selectors.DefaultSelector):
    """Hears what is there; where nothing is, time goes by without anybody waiting."""

    now_s = 1000.0

    def select(self, timeout: float | None = None) -> Any:
        heard = super().select(0)
        if not heard and timeout:
            self.now_s += timeout
        return heard


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock is its selector's."""

    def __init__(self) -> None:
        self.idle = PatientSelector()
        super().__init__(self.idle)

    def time(self) -> float:
        return self.idle.now_s


class Input:
    """What a table is told."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def write(self, line: bytes) -> None:
        self.told.append(json.loads(line))


class Table:
    """A table's process, without the process: it tells what ours tells, once in a while."""

    numbers = iter(range(10_000_000, 20_000_000))
    """No process has such a number."""

    def __init__(self, order: dict[str, Any], world: World) -> None:
        self.order, self.world = order, world
        self.pid = next(self.numbers)
        self.stdin, self.stdout = Input(), asyncio.StreamReader()
        self.is_silent = False
        self.code: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.says(state="playing", game="control", port=order["board"], url="http://here/")
        self.telling = asyncio.create_task(self.go_on_telling())

    def says(self, **told: Any) -> None:
        self.stdout.feed_data(json.dumps(told).encode() + b"\n")

    async def go_on_telling(self) -> None:
        while not self.is_silent:
            await asyncio.sleep(30)
            self.says(moves=self.world.chance.randrange(100))

    def terminate(self) -> None:
        if self.code.done():
            raise ProcessLookupError
        if self.world.chance.random() < 0.95:
            self.over(0)  # else it hangs, and is killed

    def send_signal(self, number: int) -> None:
        """It may go on."""

    def over(self, code: int) -> None:
        if not self.code.done():
            self.code.set_result(code)
            self.telling.cancel()
            self.stdout.feed_eof()
            self.world.running.pop(self.pid)

    async def wait(self) -> int:
        return await asyncio.shield(self.code)


class World:
    """Boards and tables around a service."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.plugged: set[str] = set()
        self.running: dict[int, Table] = {}
        self.lives = 0

    def stands_in_for_the_real_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(asyncio, "create_subprocess_exec", self.begin)
        monkeypatch.setattr(supervisor, "plugged_in", lambda: sorted(self.plugged))
        monkeypatch.setattr(os, "killpg", lambda pid, _: self.running[pid].over(-9))
        monkeypatch.setattr(
            supervisor, "free_socket", lambda host, port: socket.create_server((host, 0))
        )

    async def begin(self, *words: str, **more: Any) -> Table:
        table = Table(json.loads(words[-1]), self)
        number = table.order["number"]
        assert number not in [one.order["number"] for one in self.running.values()], "two at one"
        self.running[table.pid] = table
        self.lives += 1
        return table

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
            assert len(told["tables"]) <= MOST_TABLES
            if len(told["tables"]) < MOST_TABLES:
                continue
            gc.collect()
            files = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
            found.append((len(gc.get_objects()), files, len(asyncio.all_tasks())))
    # What is under way comes to its end.
    await asyncio.sleep(SILENT_LOOKS + GONE_S + 60 + PAUSE_S[1])
    told = await ask(state)
    served = {one["port_wished"] for one in told["tables"] if one["state"] == "playing"}
    assert all(one["state"] == "playing" for one in told["tables"])
    assert world.plugged <= served or len(world.plugged) > MOST_TABLES - 1
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
    (one,) = (await said(do="status"))["tables"]
    assert (one["number"], one["pid"], one["port_wished"]) == (1, table.pid, BOARDS[0])
    assert (one["state"], one["game"], one["restarts"]) == ("playing", "control", 0)
    # A setting counts at once, is kept, and is told to the tables.
    assert await said(do="set", name="light.brightness", value=40) == {"ok": True}
    assert "brightness = 40" in settings_path(state).read_text("utf-8")
    listed = (await said(do="settings"))["settings"]
    assert any("light.brightness" in json.dumps(one) and "40" in json.dumps(one) for one in listed)
    assert any("light.brightness" in json.dumps(message) for message in table.stdin.told)
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
    assert table.stdin.told[-2:] == [{"do": "update-board"}, passed]
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
    for name in (
        "usb-lumiban_2-if00",
        "usb-lumiban_1-if00",
        "usb-Brother_printer",
        "usb-GPS-mouse",
    ):
        (tmp_path / name).touch()
    found = supervisor.plugged_in(tmp_path)
    assert found == [str(tmp_path / f"usb-lumiban_{n}-if00") for n in (1, 2)]


def virtually(run: Coroutine[Any, Any, Any]) -> Any:
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(run)


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
    assert last[1] <= settled[1] + MOST_TABLES
    assert last[2] <= 3 * MOST_TABLES
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
