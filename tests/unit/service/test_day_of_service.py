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
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from lumiban.boards.ports import PortError
from lumiban.errors import (
    DiskFull,
    JournalInUse,
    NotABoard,
    UsageError,
    WrongBoard,
    WrongMajor,
)
from lumiban.service import firmware_update, supervisor, table_process
from lumiban.service.board_assignment import GONE_S, MAX_TABLES
from lumiban.service.service_table import NO_BOARD, AwaitedTable
from lumiban.service.settings import USUAL, TableOrder, ensure, settings_path
from lumiban.service.supervisor import PAUSE_S, SILENT_LOOKS, SOUND_S, Supervisor
from lumiban.service.table_process import ServedBoard
from lumiban.system import service_socket
from lumiban.system.disk import DISK
from lumiban.system.lifetime import Lifetime, ended_by_signals
from lumiban.system.paths import LOG_LIMIT, open_log
from lumiban.table.requests import HOST, ConfirmRequest
from lumiban.web.access import Secrets

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


# A table's own process: one board after the other, and what hinders meanwhile.


class Desk:
    """What a table's process finds around itself, and what it tells."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.port = state / "tty"
        self.port.symlink_to("/dev/null")
        self.log = open_log(state)
        self.told: list[dict[str, Any]] = []
        self.opens: list[Exception | None] = []
        self.set_up: list[Any] = []
        self.asked_boards = 0
        self.updates: list[str] = []
        self.pages = 0
        self.page_table: Any = None
        self.shell: AwaitedTable | None = None

    @property
    def status(self) -> dict[str, Any]:
        """All that was told, the newest of each name."""
        return {name: value for one in self.told for name, value in one.items()}

    async def open_table(self, setup: Any, *_: Any, **__: Any) -> Any:
        self.set_up.append(setup)
        error = self.opens.pop(0) if self.opens else None
        if error is not None:
            raise error
        shell = self.shell = AwaitedTable(setup.profile, self.state, self.log, NO_BOARD)

        async def close() -> None:
            shell.close()

        return SimpleNamespace(
            shell=self.shell,
            board=SimpleNamespace(port=str(self.port)),
            hello=SimpleNamespace(firmware=7, model="hex3"),
            simulator=None,
            next_setup=None,
            put_up_sign=lambda *_: None,
            close=close,
        )

    async def serve_apart(self, table: Any, **_: Any) -> Any:
        self.pages, self.page_table = self.pages + 1, table

        async def close() -> None: ...

        kept = Secrets("a master of a test", "493817")
        url = "http://192.168.1.5:8700/"
        return SimpleNamespace(url="http://here/", kept=kept, network_url=url, close=close)

    def profile_at(self, port: str, state: Path) -> str:
        self.asked_boards += 1
        return "hex3"

    def update_board(self, port: str, progress: Any) -> int:
        self.updates.append(port)
        progress(40)
        return 8

    def stand_in(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("open_table", "serve_apart", "profile_at"):
            monkeypatch.setattr(table_process, name, getattr(self, name))
        monkeypatch.setattr(firmware_update, "update_board", self.update_board)
        monkeypatch.setattr(firmware_update, "own_firmware", lambda: 8)

    def replug(self) -> None:
        there = self.port.readlink()
        self.port.unlink()
        self.port.symlink_to("/dev/zero" if there == Path("/dev/null") else "/dev/null")

    async def until(self, **wanted: Any) -> None:
        for _ in range(20_000):
            if all(self.status.get(name) == value for name, value in wanted.items()):
                return
            await asyncio.sleep(0.1)
        raise AssertionError(self.status)


async def a_day_of_a_table(desk: Desk) -> None:
    loop = asyncio.get_running_loop()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        order = TableOrder(
            number=1, listening=listening.fileno(), board=str(desk.port), has_lobby=False
        )
        table = ServedBoard(
            order, desk.state, desk.log, lambda **one: desk.told.append(one), Lifetime()
        )
        desk.opens = [PortError("cat has it", "busy", "cat"), NotABoard("it says nothing"), None]
        running = asyncio.create_task(table.run())

        def waits(reason: str, **params: Any) -> dict[str, Any]:
            return {"state": "waiting", "why": {"id": f"serve.waits.{reason}", "params": params}}

        begun_s = loop.time()
        await desk.until(**waits("taken"))
        assert desk.status["url"] == "http://here/"
        assert desk.page_table.view().verdict.text.id == "serve.waits.taken"
        assert await desk.page_table.command(ConfirmRequest(), HOST) == desk.status["why"]
        links = desk.status["links"]
        assert links["pin"] == "493817"
        assert links["join"] == "http://192.168.1.5:8700/join"
        assert len(set(links.values())) == 6
        await desk.until(**waits("stranger", port=str(desk.port)))
        assert loop.time() - begun_s >= table_process.TRY_S
        tries = len(desk.set_up)
        await asyncio.sleep(60)
        assert len(desk.set_up) == tries, "what is no board is tried once"
        desk.replug()
        await desk.until(state="playing")
        assert desk.status["why"] == {"id": "table.board-lost", "params": {}}
        assert desk.status["update"] == {"now": 7, "own": 8, "model": "hex3"}
        told = {name: desk.status[name] for name in ("board", "port", "game", "moves", "is_over")}
        assert told == {
            "board": "hex3",
            "port": str(desk.port),
            "game": "control",
            "moves": 0,
            "is_over": False,
        }
        assert desk.status["seats"] == ["human", "human"]
        assert desk.status["has_sensors"]
        assert desk.asked_boards == 3, "nobody knew its profile until it was open"
        setup = desk.set_up[-1]
        assert (setup.profile, setup.game, setup.options) == ("hex3", "control", {"size": 3})

        # Settings count from the next game on; an update comes before it.
        for name, value in (("page.language", "ja"), ("light.brightness", 30)):
            table.heard({"do": "setting", "name": name, "value": value})
        shell = desk.shell
        table.heard({"do": "update-board"})
        while desk.shell is shell:
            await asyncio.sleep(0.1)
        await desk.until(state="playing")
        assert desk.updates == [str(desk.port)]
        states = [one["state"] for one in desk.told if "state" in one]
        assert states[-2:] == ["updating", "playing"]
        assert desk.status["percent"] in (0, 40)
        setup = desk.set_up[-1]
        assert (setup.profile, setup.language, setup.brightness) == ("hex3", "ja", 30)
        assert desk.asked_boards == 3, "it is remembered"
        assert desk.pages == 1, "one page for all of it"

        # Another kind of board at the same port is asked what it is.
        desk.opens = [WrongBoard("it is hex5")]
        desk.shell, shell = None, desk.shell
        assert shell is not None
        shell.stop()
        while desk.shell is None:
            await asyncio.sleep(0.1)
        assert desk.asked_boards == 4
        told_before = len(desk.told)
        await asyncio.sleep(10 * table_process.ALIVE_S)
        assert len(desk.told) >= told_before + 9, "it is alive"
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running


def test_a_table_s_process_tries_waits_plays_updates_and_remembers_its_board(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(tmp_path)
    desk.stand_in(monkeypatch)
    virtually(a_day_of_a_table(desk))


@pytest.mark.parametrize(
    ("error", "id"),
    [
        (DiskFull(Path("/x")), "full"),
        (JournalInUse("here", path=Path("/x")), "taken"),
        (PortError("cat has it", "busy", "cat"), "taken"),
        (PortError("it is gone", "absent"), "absent"),
        (WrongMajor("9"), "major"),
        (NotABoard("silence"), "stranger"),
        (OSError("odd"), "other"),
    ],
)
def test_why_there_is_no_table_is_a_sentence(error: Exception, id: str) -> None:
    told = table_process.reason_of(error, "/dev/x")
    params = {"stranger": {"port": "/dev/x"}, "other": {"reason": "odd"}}
    assert told == {"id": f"serve.waits.{id}", "params": params.get(id, {})}


def test_a_table_s_process_has_its_order_as_the_service_gave_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    orders: list[TableOrder] = []

    async def serve(order: TableOrder) -> None:
        orders.append(order)

    monkeypatch.setattr(table_process, "serve", serve)
    order = USUAL.order(3, 7, BOARDS[0])
    table_process.main([json.dumps(asdict(order))])
    assert orders == [order]


async def wishes(state: Path, world: World, told: list[Any]) -> None:
    life = Lifetime()
    ensure(settings_path(state))
    serving = Supervisor(state, open_log(state), life)
    serving.told = told.append
    running = asyncio.create_task(serving.run())
    world.plugged = {BOARDS[0]}
    await asyncio.sleep(5)
    table = world.one()
    table.says(links={"pin": "493817"}, named="http://x.local/")
    await asyncio.sleep(1)
    assert told[-1]["links"] == {"pin": "493817"}
    assert told[-1]["owner_url"].startswith("http://here/")
    assert (told[-1]["number"], told[-1]["named"]) == (1, "http://x.local/")
    assert "links" not in serving.status(with_links=False)["tables"][0]
    assert "owner_url" not in serving.status(with_links=False)["tables"][0]
    assert serving.status(with_links=True)["tables"][0]["links"] == {"pin": "493817"}
    # Readings are for who asks for them, often, and for nobody else.
    count = len(told)
    table.says(has_sensors=True)
    table.says(sensors={"cells": [1]}, state="ignored")
    await asyncio.sleep(1)
    assert len(told) == count + 1
    answer = await ask(state, b'{"do": "test-sensors", "go": "on"}')
    assert answer == {"ok": True, "state": "playing", "sensors": {"cells": [1]}}
    # A table may wish for what counts at once, and no more.
    for name, value in (("light.brightness", 40), ("page.port", 9_000), ("light.brightness", 999)):
        table.says(wish={"name": name, "value": value})
        await asyncio.sleep(1)
    assert serving.settings.number("light.brightness") == 40
    assert serving.settings.number("page.port") != 9_000
    assert "brightness = 40" in settings_path(state).read_text("utf-8")
    # What a hand writes into the file is followed; what must begin anew does, without a pause.
    text = settings_path(state).read_text("utf-8").replace("brightness = 40", "brightness = 60")
    settings_path(state).write_text(text.replace('lobby = "on"', 'lobby = "off"'))
    await asyncio.sleep(10)
    assert serving.settings.number("light.brightness") == 60
    assert {"do": "setting", "name": "light.brightness", "value": 60} in table.stdin.told
    while table.pid in world.running:
        await asyncio.sleep(1)
    await asyncio.sleep(2)
    assert not world.one().order["has_lobby"]
    assert world.one().order["brightness"] == 60
    assert serving.status(with_links=False)["tables"][0]["restarts"] == 0, "it was meant"
    # The next service gives each board the table that it had.
    world.plugged |= {BOARDS[1]}
    await asyncio.sleep(5)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    world.plugged = {BOARDS[1]}
    again = asyncio.create_task(Supervisor(state, open_log(state), Lifetime()).run())
    await asyncio.sleep(5)
    orders = [one.order for one in world.running.values()]
    assert [one["number"] for one in orders if one["board"] == BOARDS[1]] == [2]
    again.cancel()
    with pytest.raises(asyncio.CancelledError):
        await again


def test_a_service_hears_its_tables_keeps_their_wishes_and_follows_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, told = World(5), []
    world.stands_in_for_the_real_one(monkeypatch)
    world.chance.random = lambda: 0.5  # type: ignore[method-assign]  # none hangs
    virtually(wishes(tmp_path, world, told))
