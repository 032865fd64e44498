"""A table's own process: one board after the other, and what hinders meanwhile."""

from __future__ import annotations

import asyncio
import io
import json
import os
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from lumiban.boards.ports import PortError
from lumiban.errors import (
    BoardError,
    DiskFull,
    JournalError,
    JournalInUse,
    NotABoard,
    WrongMajor,
)
from lumiban.runtime import lan, pi_driver
from lumiban.service import firmware_update, service_table, table_process
from lumiban.service.idle_board import IdleBoard
from lumiban.service.service_table import NO_BOARD, AwaitedTable
from lumiban.service.settings import USUAL, TableOrder
from lumiban.service.table_process import (
    ALIVE_S,
    LOOK_S,
    NETWORK_S,
    TESTED_S,
    TRY_S,
    ServedBoard,
)
from lumiban.system.lifetime import Lifetime
from lumiban.system.paths import open_log
from lumiban.table.requests import HOST, ConfirmRequest
from lumiban.table.setup import SIMULATOR, TableSetup
from lumiban.web.access import Secrets
from lumiban.web.page_process import Network
from lumiban.web.sources import Proxy
from virtual_loop import virtually


class Page(SimpleNamespace):
    """A page's process, without the process."""

    def __init__(self, **how: Any) -> None:
        network = how["network"]
        super().__init__(
            **how,
            url="http://here/",
            network_url="http://192.168.1.5:8700/",
            network_addresses=() if network is None else network.addresses,
            kept=Secrets("a master of a test", "493817"),
            is_closed=False,
            opened_pins=0,
        )

    def open_pin(self) -> None:
        self.opened_pins += 1

    async def close(self) -> None:
        self.listening.close()
        self.is_closed = True


class Lobby:
    """The lobby between board and table, as far as its process knows it."""

    def __init__(self, board: Any, table: Any, profile: Any, **how: Any) -> None:
        self.profile, self.how = profile, SimpleNamespace(**how)
        self.settings: list[Any] = []
        self.is_closed = False
        self.changed: Callable[[], None] = lambda: None

    def with_setting(self, name: str, value: Any) -> None:
        self.settings.append((name, value))

    def close(self) -> None:
        self.is_closed = True


class Desk:
    """What a table's process finds around itself, and what it tells."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.port = state / "tty"
        self.port.symlink_to("/dev/null")
        self.log = open_log(state)
        self.told: list[dict[str, Any]] = []
        self.opens: list[Exception | None] = []
        self.opening: Callable[[], None] = lambda: None
        self.set_up: list[Any] = []
        self.sitting: Any = None
        self.simulator: object = None
        self.closed = 0
        self.lends_profile: Any = None
        self.is_of = "hex3"
        self.updates: list[str] = []
        self.update_error: Exception | None = None
        self.pages: list[Page] = []
        self.page_table: Any = None
        self.shell: AwaitedTable | None = None
        self.lobbies: list[Lobby] = []

    @property
    def status(self) -> dict[str, Any]:
        """All that was told, the newest of each name."""
        return {name: value for one in self.told for name, value in one.items()}

    @property
    def logged(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.state / "host.log").read_text().splitlines()]

    async def open_table(self, setup: Any, *_: Any, lends: Any, **__: Any) -> Any:
        self.set_up.append(setup)
        self.opening()
        error = self.opens.pop(0) if self.opens else None
        if error is not None:
            raise error
        shell = self.shell = AwaitedTable(setup.profile, self.state, self.log, NO_BOARD)

        async def close() -> None:
            shell.close()
            self.closed += 1

        self.sitting = sitting = SimpleNamespace(
            shell=shell,
            board=SimpleNamespace(port=str(self.port)),
            hello=SimpleNamespace(firmware=7, model="hex3"),
            simulator=self.simulator,
            next_setup=None,
            put_up_sign=lambda *_: None,
            close=close,
        )
        if self.lends_profile is not None:
            lends(sitting, self.lends_profile)
        return sitting

    async def serve_apart(self, table: Any, **how: Any) -> Page:
        self.pages.append(Page(**how))
        self.page_table = table
        return self.pages[-1]

    def profile_at(self, port: str, state: Path) -> str:
        return self.is_of

    def update_board(self, port: str, progress: Any) -> int:
        self.updates.append(port)
        progress(40)
        if self.update_error is not None:
            raise self.update_error
        return 8

    def replug(self) -> None:
        there = self.port.readlink()
        self.port.unlink()
        self.port.symlink_to("/dev/zero" if there == Path("/dev/null") else "/dev/null")

    async def until(self, **wanted: Any) -> None:
        for _ in range(2_000):
            if all(self.status.get(name) == value for name, value in wanted.items()):
                return
            await asyncio.sleep(0.1)
        raise AssertionError(self.status)

    @asynccontextmanager
    async def at_work(self, **order: Any) -> AsyncIterator[ServedBoard]:
        """The table's process, for as long as the block lasts."""
        listening, other = socket.socketpair()
        with listening, other:
            order = {"board": str(self.port), "has_lobby": False, **order}
            whole = TableOrder(number=1, listening=listening.fileno(), **order)
            table = ServedBoard(
                whole, self.state, self.log, lambda **one: self.told.append(one), Lifetime()
            )
            running = asyncio.create_task(table.run())
            yield table
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running
        assert all(page.is_closed for page in self.pages)
        before = len(self.told)
        await asyncio.sleep(10 * max(ALIVE_S, NETWORK_S))
        assert len(self.told) == before, "it has ended"
        for one in self.told:
            if one.get("state") in ("waiting", "updating", "testing"):
                assert one["why"]["id"].startswith("serve.waits."), "who waits is told for what"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    desk = Desk(tmp_path)
    for name in ("open_table", "serve_apart", "profile_at"):
        monkeypatch.setattr(table_process, name, getattr(desk, name))
    monkeypatch.setattr(firmware_update, "update_board", desk.update_board)
    monkeypatch.setattr(firmware_update, "own_firmware", lambda: 8)

    class OurLobby(Lobby):
        def __init__(self, *given: Any, **how: Any) -> None:
            super().__init__(*given, **how)
            desk.lobbies.append(self)

    monkeypatch.setattr(table_process, "LobbyBoard", OurLobby)
    # What a page is greeted with takes hundreds of trial games, and is not looked at here.
    monkeypatch.setattr(service_table, "page_hello", lambda _, **about: about)

    def device_at(port: str) -> Path | None:
        return Path(port).readlink() if Path(port).is_symlink() else None

    monkeypatch.setattr(table_process, "device_at", device_at)

    async def at_once(call: Callable[..., Any], *given: Any) -> Any:
        try:
            return call(*given)
        finally:
            await asyncio.sleep(0)

    monkeypatch.setattr(asyncio, "to_thread", at_once)
    return desk


def waits(why: str, /, **params: Any) -> dict[str, Any]:
    return {"state": "waiting", "why": {"id": f"serve.waits.{why}", "params": params}}


async def a_day_of_a_table(desk: Desk) -> None:
    loop = asyncio.get_running_loop()
    desk.opens = [PortError("cat has it", "busy", "cat"), NotABoard("it says nothing"), None]
    async with desk.at_work() as table:
        begun_s = loop.time()
        await desk.until(**waits("taken"))
        assert desk.status["url"] == "http://here/"
        assert desk.page_table.view().verdict.text.id == "serve.waits.taken"
        assert not desk.page_table.hello()["simulated"]
        assert await desk.page_table.command(ConfirmRequest(), HOST) == desk.status["why"]
        links = desk.status["links"]
        assert links["pin"] == "493817"
        assert links["join"] == "http://192.168.1.5:8700/join"
        assert len(set(links.values())) == 6
        await desk.until(**waits("stranger", port=str(desk.port)))
        assert TRY_S <= loop.time() - begun_s < TRY_S + 3 * LOOK_S
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
        setup = desk.set_up[-1]
        assert (setup.profile, setup.game, setup.options) == ("hex3", "control", {"size": 3})

        # Settings count from the next game on; an update comes before it.
        for name, value in (("page.language", "ja"), ("light.brightness", 30)):
            table.heard({"do": "setting", "name": name, "value": value})
        table.heard({"do": "update-board"})
        await desk.until(percent=40)
        await desk.until(state="playing")
        assert desk.updates == [str(desk.port)]
        states = [one["state"] for one in desk.told if "state" in one]
        assert states[-2:] == ["updating", "playing"]
        assert desk.page_table.hello()["language"] == "ja"
        setup = desk.set_up[-1]
        assert (setup.profile, setup.language, setup.brightness) == ("hex3", "ja", 30)
        assert len(desk.pages) == 1, "one page for all of it"

        # Another kind of board at the same port is asked what it is.
        desk.is_of = "hex5"
        desk.shell, shell = None, desk.shell
        assert shell is not None
        shell.stop()
        while desk.shell is None:
            await asyncio.sleep(0.1)
        assert desk.set_up[-1].profile == "hex5"
        told_before = len(desk.told)
        await asyncio.sleep(10 * ALIVE_S)
        assert 9 <= len(desk.told) - told_before <= 12, "it is alive"
    assert desk.closed == 3, "each table is put away"
    assert len({setup.seed for setup in desk.set_up}) == len(desk.set_up), "none plays as another"


def test_a_table_s_process_tries_waits_plays_updates_and_remembers_its_board(desk: Desk) -> None:
    virtually(a_day_of_a_table(desk))


def test_an_update_that_is_cut_off_ends_in_a_sentence_and_the_game_goes_on(desk: Desk) -> None:
    desk.update_error = BoardError("firmware 1 is not 2")

    async def main() -> None:
        async with desk.at_work() as table:
            table.heard({"do": "update-board"})
            await desk.until(state="playing")
            assert desk.updates == [], "nothing is there to be updated"
            table.heard({"do": "update-board"})
            await desk.until(update_failed={"id": "serve.update.failed", "params": {}})
            await desk.until(state="playing")
            assert desk.updates == [str(desk.port)], "once"

    virtually(main())
    (begun,) = [one for one in desk.told if one.get("state") == "updating"]
    assert begun["why"] == {"id": "serve.waits.updates", "params": {}}
    assert (begun["percent"], begun["update"], begun["update_failed"]) == (0, None, None)
    assert [one["reason"] for one in desk.logged if one["event"] == "update failed"] == [
        "firmware 1 is not 2"
    ]


@pytest.mark.parametrize("how", ["asks_update", "simulator", "own"])
def test_no_update_is_offered_where_none_is_wished_or_possible(
    how: str, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.simulator = object() if how == "simulator" else None
    if how == "own":
        monkeypatch.setattr(firmware_update, "own_firmware", lambda: 7)

    async def main() -> None:
        async with desk.at_work(asks_update=how != "asks_update"):
            await desk.until(state="playing")
            assert "update" in desk.status
            assert desk.status["update"] is None

    virtually(main())


def test_a_table_whose_games_cannot_be_kept_any_more_says_so_and_begins_anew(desk: Desk) -> None:
    async def main() -> None:
        async with desk.at_work():
            await desk.until(state="playing")
            shell = desk.shell
            assert shell is not None
            assert shell.hung is not None
            shell.hung("nobody moves")
            shell.fail(JournalError("the disk broke"))
            await asyncio.sleep(1)
            assert waits("other", reason="the disk broke") in desk.told
            assert (desk.shell is not shell, desk.status["state"]) == (True, "playing")

    virtually(main())
    assert [(one["level"], one["event"]) for one in desk.logged if one["level"] == "error"] == [
        ("error", "hang ended"),
        ("error", "stopped"),
        ("error", "table ended"),
    ]


def test_the_game_that_a_page_asked_for_on_another_simulated_board_comes_next(desk: Desk) -> None:
    desk.lends_profile = table_process.profiles.load("hex3")

    async def main() -> None:
        async with desk.at_work(board=SIMULATOR, has_lobby=True, game="trivia"):
            await desk.until(state="playing")
            assert (desk.set_up[0].game, desk.set_up[0].profile) == ("trivia", "hex5")
            assert not desk.status["has_sensors"], "they are of no wire"
            other = TableSetup("control", {"size": 2}, profile="hex3")
            desk.sitting.next_setup = other
            desk.sitting.shell.stop()
            await asyncio.sleep(1)
            assert desk.set_up[1:] == [other]

    virtually(main())
    assert [one.how.asks_first for one in desk.lobbies] == [True, False]
    assert all(one.is_closed for one in desk.lobbies)


# What a board remembers.


# The sensors, tried by hand.


def test_a_sensor_test_is_the_owner_s_for_as_long_as_somebody_looks(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    tested: list[Any] = []

    async def main() -> None:
        loop: Any = asyncio.get_running_loop()

        def say(**words: Any) -> None:
            table.heard({"do": "test-sensors", **words})

        def watch(
            port: str, turn: int, tell: Any, answered: Any, is_over: Any, language: str
        ) -> None:
            tested.append((port, turn, language))
            assert desk.page_table.view().verdict.text.id == "serve.waits.tests"
            assert desk.shell is not None
            assert answered() == ""
            say(go="on", value="red")
            say(go="on")
            assert [answered(), answered()] == ["red", ""], "each answer is taken once"
            for _ in range(3):
                loop.idle.now_s += TESTED_S - 1
                assert not is_over()
                say(go="on")
            tell({"kinds": [1]})
            loop.idle.now_s += TESTED_S + 1
            assert is_over(), "nobody looks any more"
            say(go="on")
            assert is_over()
            say(go="begin")
            assert not is_over()
            say(go="end")
            assert is_over()
            if len(tested) == 2:
                raise BoardError("no board answers there")

        monkeypatch.setattr(table_process, "watch_sensors", watch)
        async with desk.at_work(turn=60) as table:
            say(go="on")
            await desk.until(state="playing")
            assert tested == [], "nobody has begun one"
            for wish in ("ja", "tlh"):
                say(go="begin", value=wish)
                await asyncio.sleep(1)
                await desk.until(state="playing", sensors=None)
                assert {"sensors": {"kinds": [1]}} in desk.told
            await asyncio.sleep(60)

    monkeypatch.setenv("LUMIBAN_LANG", "en")
    virtually(main())
    assert tested == [(str(desk.port), 60, "ja"), (str(desk.port), 60, "en")]
    states = [one["state"] for one in desk.told if "state" in one]
    assert states == ["playing", "testing", "playing", "testing", "playing"]
    failed = [one["reason"] for one in desk.logged if one["event"] == "sensor test ended"]
    assert failed == ["no board answers there"]


def test_the_board_on_the_header_is_tested_behind_a_driver_of_its_own(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Any] = []
    driver = SimpleNamespace(port="/dev/pts/7", ended=0)
    driver.end = lambda: setattr(driver, "ended", driver.ended + 1)

    async def start(*how: Any) -> Any:
        begun.append(how)
        return driver

    monkeypatch.setattr(pi_driver, "start", start)
    ports: list[str] = []
    monkeypatch.setattr(table_process, "watch_sensors", lambda port, *_: ports.append(port))

    async def main() -> None:
        async with desk.at_work(board=pi_driver.HEADER, pins="rows=4") as table:
            await desk.until(state="playing")
            table.heard({"do": "test-sensors", "go": "begin"})
            await asyncio.sleep(1)
            await desk.until(state="playing")

    virtually(main())
    assert begun == [(desk.state, "reed-hex5", "rows=4")]
    assert (ports, driver.ended) == (["/dev/pts/7"], 1)


# The lobby between them.


@pytest.mark.parametrize(
    ("order", "pin"),
    [({}, None), ({"network": "192.168.1.5"}, "493817"), ({"name": "https://t.org"}, "493817")],
)
def test_what_is_chosen_at_the_board_reaches_the_service_and_phones_come_in_by_its_pin(
    order: dict[str, Any], pin: str | None, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.lends_profile = table_process.profiles.load("hex3")
    monkeypatch.setattr(lan, "interfaces", lambda: [lan.Interface("192.168.1.5", "wlan0")])

    async def main() -> None:
        async with desk.at_work(has_lobby=True, **order) as table:
            await desk.until(state="playing")
            (lobby,) = desk.lobbies
            assert lobby.profile.name == "hex3"
            assert lobby.how.order.board == str(desk.port)
            assert lobby.how.records == desk.state / "records"
            assert lobby.how.asks_first
            assert lobby.how.pin() == pin
            lobby.how.opens_pin()
            assert desk.pages[0].opened_pins == 1
            lobby.how.keep("page.language", "ja")
            lobby.how.power_off()
            assert desk.told[-2:] == [
                {"wish": {"name": "page.language", "value": "ja"}},
                {"power_off": True},
            ]
            table.heard({"do": "setting", "name": "light.brightness", "value": 30})
            assert lobby.settings == [("light.brightness", 30)]

    virtually(main())


@pytest.mark.parametrize(
    ("profile", "has_lobby"), [("hex3", False), ("strip5", True), ("reed-hex3", True)]
)
def test_without_a_lobby_or_light_and_room_for_one_a_board_only_rests(
    profile: str, has_lobby: bool, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = desk.lends_profile = table_process.profiles.load(profile)

    async def main() -> None:
        async with desk.at_work(has_lobby=has_lobby):
            await desk.until(state="playing")

    rests: list[Any] = []

    class Idle(IdleBoard):
        def close(self) -> None:
            rests.append(self)
            super().close()

    monkeypatch.setattr(table_process, "IdleBoard", Idle)
    virtually(main())
    assert len(rests) == 1 - len(desk.lobbies)
    assert bool(desk.lobbies) == (has_lobby and board.has_lights and len(board.cells) > 9)


# The page, and the network that it is on.


def test_the_page_follows_this_machine_onto_a_network_and_onto_another(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    there: list[lan.Interface] = []
    monkeypatch.setattr(lan, "interfaces", lambda: there)
    order = {"network": "auto", "pin": "000111", "name": "https://t.org", "proxy": "10.0.0.9"}

    def addresses() -> list[str]:
        return [page.network.address for page in desk.pages]

    async def main() -> None:
        async with desk.at_work(**order):
            await desk.until(state="playing")
            assert addresses() == [""], "only its proxy serves it"
            await asyncio.sleep(3 * NETWORK_S)
            assert addresses() == [""], "it is not served again for nothing"
            there.append(lan.Interface("192.168.1.5", "wlan0"))
            await asyncio.sleep(3 * NETWORK_S)
            assert addresses() == ["", "192.168.1.5"]
            assert desk.pages[0].is_closed
            there.append(lan.Interface("10.0.0.7", "eth0", is_way_out=True))
            await asyncio.sleep(3 * NETWORK_S)
            there.clear()
            await asyncio.sleep(3 * NETWORK_S)
            assert addresses() == ["", "192.168.1.5", "10.0.0.7"], "it waits where it was"

    virtually(main())
    proxy = Proxy("https://t.org", "10.0.0.9", "")
    assert desk.pages[-1].network == Network(
        "10.0.0.7", pin="000111", others=("192.168.1.5",), proxy=proxy
    )
    network = [one for one in desk.logged if one["event"] == "network"]
    assert [one["before"] for one in network] == [[], ["192.168.1.5"]]


def test_what_the_page_tells_is_passed_on(desk: Desk) -> None:
    async def main() -> None:
        async with desk.at_work():
            await desk.until(state="playing")
            (page,) = desk.pages
            page.named("http://lumiban.local/")
            assert desk.status["named"] == "http://lumiban.local/"
            page.died(-9)
            page.reported("x is not defined")
            page.kept = Secrets("another master", "000222")
            page.renewed()
            assert desk.status["links"]["pin"] == "000222"
            assert desk.status["network_why"] is None
            page.kept = None
            page.renewed()
            assert desk.status["links"] is None

    virtually(main())
    assert [(one["event"], one["level"]) for one in desk.logged if one["level"] != "info"] == [
        ("page ended, starting it again", "error"),
        ("the page's script failed", "warning"),
    ]


# Its lines from and to the service.


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
    order = USUAL.order(3, 7, "/dev/b")
    table_process.main([json.dumps(asdict(order))])
    assert orders == [order]


def test_it_tells_and_hears_lines_and_ends_with_the_service(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    (desk.state / "journals").mkdir()
    heard, says = os.pipe()
    output = io.StringIO()
    monkeypatch.setenv("LUMIBAN_HOME", str(desk.state))
    monkeypatch.setattr(sys, "stdout", output)

    def told(name: str) -> list[Any]:
        lines = [json.loads(line) for line in output.getvalue().splitlines()]
        return [one[name] for one in lines if name in one]

    async def main() -> None:
        listening, other = socket.socketpair()
        with listening, other:
            order = TableOrder(number=1, listening=listening.fileno(), board=str(desk.port))
            serving = asyncio.create_task(table_process.serve(order))
            while "playing" not in told("state"):
                await asyncio.sleep(0.1)
            os.write(says, b'no JSON\n{"do": "setting", "name": "page.language", "value": "ja"}\n')
            while desk.page_table.hello().get("language") != "ja":
                await asyncio.sleep(0.1)
            os.close(says)
            await serving

    with os.fdopen(heard) as given:
        monkeypatch.setattr(sys, "stdin", given)
        virtually(main())
    assert told("url") == ["http://here/"]
    assert (desk.pages[0].is_closed, desk.closed) == (True, 1)
    events = [one["event"] for one in desk.logged]
    assert events[-1] == "closed"
