"""One table of the service as a process: it waits for its board, plays, and waits again.

    python -m lumiban.service.table_process ORDER

Its page is served all the time, on a socket that the service holds, so that the address stays when
this process ends. What it does it tells on its standard output, a line of JSON each, and at least
every `ALIVE_S`; it follows lines on its standard input and ends with it.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from lumiban.boards import profile as profiles
from lumiban.boards.ports import Device, PortError, device_at
from lumiban.boards.profile import Profile
from lumiban.errors import (
    DiskFull,
    JournalInUse,
    LumibanError,
    NotABoard,
    UsageError,
    WrongMajor,
)
from lumiban.i18n import LANGUAGES, terminal_language
from lumiban.lobby.places import has_room
from lumiban.runtime import lan, pi_driver
from lumiban.runtime.open_table import RunningTable, open_table, profile_at
from lumiban.runtime.play import log_faults
from lumiban.runtime.table_host import HostedBoard
from lumiban.search import tree
from lumiban.service import firmware_update
from lumiban.service.board_rest import Rest
from lumiban.service.idle_board import IdleBoard
from lumiban.service.lobby_board import LobbyBoard
from lumiban.service.sensor_test import LightQuestion, SensorReadings, watch_sensors
from lumiban.service.service_table import NO_BOARD, AwaitedTable, ServiceTable, game_for
from lumiban.service.settings import TableOrder
from lumiban.system import owner_token, size_limits
from lumiban.system.lifetime import Lifetime, ended_by_signals
from lumiban.system.paths import made, open_log, state_folder, with_room
from lumiban.table.fitting import USUAL, USUAL_ON_HEADER
from lumiban.table.requests import HOST, ErrorText, seat
from lumiban.table.setup import SIMULATOR, TableSetup
from lumiban.table.types import Settings
from lumiban.web.access import GUEST, secret_of
from lumiban.web.admission import link_of
from lumiban.web.page_process import Network, PageProcess, serve_apart
from lumiban.web.sources import Proxy

if TYPE_CHECKING:
    from lumiban.system.run_log import RunLog

ALIVE_S = 20.0
"""Longest silence towards the service."""
LOOK_S = 1.0
"""Between two looks whether what hinders has gone."""
TESTED_S = 10.0
"""Time without a look after which a test of the sensors ends."""
TRY_S = 5.0
"""Between two tries at a board that is there and does not answer, or is taken."""
NETWORK_S = 10.0
"""Between two looks whether the network is there."""


class ServedBoard:
    """Table with its page, for the lifetime of the process."""

    def __init__(
        self,
        order: TableOrder,
        state: Path,
        log: RunLog,
        tell: Callable[..., None],
        life: Lifetime,
    ) -> None:
        self._life = life
        self._order = order
        self._state = state
        self._log = log
        self._tell = tell
        self._served = ServiceTable()
        self._page: PageProcess | None = None
        self._sitting: RunningTable | None = None
        self._resting: IdleBoard | LobbyBoard | None = None
        self._served.language = order.language
        self._update = False
        """True if the board is to be given this version's program before it is played on."""
        self._tested_until_s = 0.0
        """Until then somebody tries the board's sensors, and nothing is played on it."""
        self._said = ""
        """Language of the questions about the lights, then an answer, not yet taken."""
        self._hindered_by = ""
        """Reason why a table could not be set at the last try, as the log has it."""
        self._next: TableSetup | None = None
        """Next game on a simulated board, as a page has asked for it."""
        self._kept_profile = state / f"table-{order.number}.profile"

    def heard(self, words: Mapping[str, Any]) -> None:
        """Follow a message of the service."""
        if words.get("do") == "update-board" and self._sitting is not None:
            self._update = True
            self._sitting.shell.stop()
        elif words.get("do") == "test-sensors":
            self._heed_test(words.get("go"))
            self._said = str(words.get("value") or "") or self._said
        elif words.get("do") == "setting":
            self._follow_setting(str(words.get("name")), words.get("value"))

    def _heed_test(self, go: object) -> None:
        """Begin, continue or end the test of the sensors."""
        now_s = asyncio.get_running_loop().time()
        if go == "begin" or (go == "on" and now_s < self._tested_until_s):
            self._tested_until_s = now_s + TESTED_S
            if self._sitting is not None:
                self._sitting.shell.stop()
        else:
            self._tested_until_s = 0.0

    def _follow_setting(self, name: str, value: Any) -> None:
        """Apply a setting that takes effect at once."""
        if name == "page.language":
            self._order = replace(self._order, language=str(value))
            self._served.language = str(value)
        elif name == "light.brightness":
            self._order = replace(self._order, brightness=int(value))
        if isinstance(self._resting, LobbyBoard):
            self._resting.with_setting(name, value)
            self._served.publish()

    async def run(self) -> None:
        """Wait for the board and play, in turn, until the lifetime ends."""
        beside = [
            asyncio.create_task(self._say_alive()),
            asyncio.create_task(self._watch_network()),
        ]
        try:
            while True:
                await self._once()
        finally:
            with self._life.closing():
                for task in beside:
                    task.cancel()
                await asyncio.gather(*beside, return_exceptions=True)
                if self._page is not None:
                    await self._page.close()

    async def _once(self) -> None:
        """Serve one board from its arrival to its end; or wait until an obstacle has gone."""
        order = self._order
        if not order.board:
            self._log.info("no board is plugged in")
            await self._wait(NO_BOARD, lambda: False)
            return
        before = device_at(order.board)
        try:
            made(with_room(self._state) / "journals")
            if self._update:
                await self._update_board()
            if asyncio.get_running_loop().time() < self._tested_until_s:
                await self._test_sensors()
            sitting = await self._open()
        except (LumibanError, OSError) as error:
            if str(error) != self._hindered_by:  # it is tried every few seconds, for days maybe
                self._log.warning("no table", board=order.board, reason=str(error))
            self._hindered_by = str(error)
            await self._wait(reason_of(error, order.board), self._gone_by(error, before))
            return
        self._sitting, self._hindered_by = sitting, ""
        try:
            await self._play(sitting)
        except LumibanError as error:
            self._log.error("table ended", reason=str(error))
            self._tell(state="waiting", why=reason_of(error, order.board))
        finally:
            self._sitting = None
            # While it is cleared, its page already says what comes next.
            with suppress(LumibanError):
                self._put_awaited(ErrorText(id="serve.waits.opens", params={}))
            if self._resting is not None:
                self._resting.close()
                self._resting = None
            with self._life.closing():
                await sitting.close()
            self._next = sitting.next_setup

    async def _open(self) -> RunningTable:
        order = self._order
        if self._next is not None:
            return await self._set(self._next)
        profile = order.profile or await self._asked_of_board()
        slug, options = game_for(profiles.load(profile), order.game)
        seed = int.from_bytes(os.urandom(4), "little")
        sitting = await self._set(
            replace(order, game=slug, options=options, profile=profile, seed=seed)
        )
        with suppress(OSError):
            self._kept_profile.write_text(profile)
        return sitting

    @property
    def _profile(self) -> str:
        """Profile of the last board at this table; the usual one where there was none."""
        with suppress(OSError, ValueError, LumibanError):
            name = size_limits.text(self._kept_profile)
            profiles.load(name)
            return name
        return USUAL_ON_HEADER if self._order.board == pi_driver.HEADER else USUAL

    async def _asked_of_board(self) -> str:
        """Profile that the board reports itself."""
        if self._order.board in (SIMULATOR, pi_driver.HEADER):
            return self._profile
        return await asyncio.to_thread(profile_at, self._order.board, self._state)

    async def _set(self, setup: TableSetup) -> RunningTable:
        settings = Settings(ponder=tree.ponders())
        return await open_table(setup, self._state, self._log, settings=settings, lends=self._lend)

    def _lend(self, sitting: RunningTable, profile: Profile) -> HostedBoard:
        order = self._order
        if order.has_lobby and profile.has_lights and has_room(profile):
            self._resting = LobbyBoard(
                sitting.board,
                sitting.shell,
                profile,
                order=order,
                # A person who has just chosen a game for another board is not asked again.
                asks_first=self._next is None,
                pin=self._pin,
                opens_pin=self._open_pin,
                keep=lambda name, value: self._tell(wish={"name": name, "value": value}),
                power_off=lambda: self._tell(power_off=True),
                records=self._state / "records",
            )
            return self._resting
        rest = Rest(profile, after_s=order.rest_after_s, night=order.night)
        self._resting = IdleBoard(sitting.board, sitting.shell, rest)
        return self._resting

    async def _play(self, sitting: RunningTable) -> None:
        shell = sitting.shell
        lobby = self._resting if isinstance(self._resting, LobbyBoard) else None
        self._served.put(shell, lobby)
        await self._serve_page()
        shell.hung = lambda why: self._log.error("hang ended", why=why)
        number = sitting.hello.firmware
        own = firmware_update.own_firmware()
        if self._order.asks_update and number != own and sitting.simulator is None:
            self._tell(update={"now": number, "own": own, "model": sitting.hello.model})
        else:
            self._tell(update=None)
        has_sensors = self._order.board != SIMULATOR and shell.session.profile.has_sensors
        self._tell(has_sensors=has_sensors)
        assert self._page is not None
        sitting.put_up_sign(self._state, self._order.board, self._page.url)
        reported: dict[str, Any] = {}

        def follow(_: object = None) -> None:
            nonlocal reported
            history = shell.session.match.history
            if history.played and not reported.get("moves"):
                shell.attend()  # until somebody plays no bot takes memory
            link = shell.session.board.link
            now = {
                "state": "playing",
                "why": None if link == "up" else ErrorText(id="table.board-lost", params={}),
                "board": sitting.hello.model,
                "port": sitting.board.port,
                "game": Path(history.game.slug).stem,
                "moves": len(history.played),
                "seats": list(history.seats),
                "is_over": shell.session.match.outcome is not None,
            }
            if now != reported:
                reported = now
                self._tell(**now)

        leave = shell.watch(follow)
        follow()
        try:
            await shell.run()
        finally:
            leave()

    async def _wait(self, why: ErrorText, is_over: Callable[[], bool]) -> None:
        """Be a table without a board until the obstacle may have gone."""
        awaited = self._put_awaited(why)
        try:
            await self._serve_page()
            self._tell(state="waiting", why=why)
            while not is_over():
                await asyncio.sleep(LOOK_S)
        finally:
            awaited.close()

    def _put_awaited(self, why: ErrorText) -> AwaitedTable:
        profile = self._order.profile or self._profile
        awaited = AwaitedTable(profile, self._state, self._log, why)
        self._served.put(awaited)
        return awaited

    def _gone_by(self, error: Exception, before: Device | None) -> Callable[[], bool]:
        """Predicate that is true once another attempt is worthwhile: when another device than
        `before` is present, or after a while where another program, or the disk, was the
        obstacle."""
        loop = asyncio.get_running_loop()
        port, until = self._order.board, loop.time() + TRY_S
        is_strange = isinstance(error, NotABoard | WrongMajor)
        return lambda: device_at(port) != before or (not is_strange and loop.time() >= until)

    async def _update_board(self) -> None:
        """Install this version's program on the board; a sentence where that fails."""
        self._update = False

        def progress(percent: int) -> None:
            loop.call_soon_threadsafe(lambda: self._tell(percent=percent))

        loop = asyncio.get_running_loop()
        why = ErrorText(id="serve.waits.updates", params={})
        awaited = self._put_awaited(why)
        self._tell(state="updating", why=why, percent=0, update=None, update_failed=None)
        self._log.info("update begins", board=self._order.board)
        try:
            number = await asyncio.to_thread(
                firmware_update.update_board, self._order.board, progress
            )
        except LumibanError as error:
            self._log.error("update failed", reason=str(error))
            self._tell(update_failed=ErrorText(id="serve.update.failed", params={}))
        else:
            self._log.info("updated", firmware=number)
        finally:
            awaited.close()

    async def _test_sensors(self) -> None:
        """Report what the board senses while the page shows the test; a sentence where that
        fails."""
        order, loop = self._order, asyncio.get_running_loop()
        why = ErrorText(id="serve.waits.tests", params={})
        awaited = self._put_awaited(why)
        self._tell(state="testing", why=why)
        self._log.info("sensor test begins", board=order.board)
        driver: pi_driver.Driver | None = None

        def answered() -> str:
            said, self._said = self._said, ""
            return said

        wish = answered()
        language = wish if wish in LANGUAGES else terminal_language()

        def tell(readings: SensorReadings | LightQuestion) -> None:
            loop.call_soon_threadsafe(lambda: self._tell(sensors=readings))

        def is_over() -> bool:
            return self._life.is_over or loop.time() >= self._tested_until_s

        try:
            port = order.board
            if port == pi_driver.HEADER:
                profile = order.profile or self._profile
                driver = await pi_driver.start(self._state, profile, order.pins)
                port = driver.port
            await asyncio.to_thread(
                watch_sensors, port, order.turn, tell, answered, is_over, language
            )
        except LumibanError as error:
            self._log.error("sensor test ended", reason=str(error))
        finally:
            self._tested_until_s = 0.0
            self._tell(sensors=None)
            if driver is not None:
                await asyncio.to_thread(driver.end)
            awaited.close()

    # The page.

    async def _serve_page(self) -> None:
        if self._page is not None:
            return
        listening = socket.socket(fileno=os.dup(self._order.listening))
        listening.setblocking(False)
        self._page = await serve_apart(
            self._served,
            log=self._state / "page.log",
            died=lambda code: self._log.error("page ended, starting it again", code=code),
            network=self._network(),
            listening=listening,
            owner=owner_token.read(self._state),
        )
        self._tell(url=self._page.url)
        self._tell_links()
        self._page.renewed = self._tell_links
        self._page.reported = lambda text: self._log.warning("the page's script failed", told=text)
        self._page.named = lambda url: self._tell(named=url)

    def _network(self) -> Network | None:
        """Addresses of the page for other machines; None where there are none."""
        order = self._order
        first, *others = self._addresses() or [""]
        proxy = Proxy(order.name, order.proxy, order.proxy_header) if order.name else None
        if not first and proxy is None:
            return None
        return Network(first, pin=order.pin, others=tuple(others), proxy=proxy)

    def _addresses(self) -> list[str]:
        if not self._order.network:
            return []
        try:
            return lan.chosen(self._order.network, lan.interfaces())
        except UsageError as error:
            self._tell(network_why=str(error))
            return []

    def _pin(self) -> str | None:
        """Digits with which a phone joins now; "" while there is no network, None where the page
        shall be on none."""
        if not (self._order.network or self._order.name):
            return None
        page = self._page
        return "" if page is None or page.kept is None else page.kept.pin

    def _open_pin(self) -> None:
        if self._page is not None:
            self._page.open_pin()

    def _tell_links(self) -> None:
        page = self._page
        if page is None or page.kept is None:
            self._tell(links=None)
            return
        kept, url = page.kept, page.network_url
        names = {"guest": GUEST, "host": HOST, "seat 1": seat(0), "seat 2": seat(1)}
        links = {name: link_of(url, secret_of(kept, key)) for name, key in names.items()}
        self._tell(network_why=None, links={"join": f"{url}join", "pin": kept.pin, **links})

    async def _watch_network(self) -> None:
        """Serve the page again when this machine has joined a network, or another one."""
        if not self._order.network:
            return
        while True:
            await asyncio.sleep(NETWORK_S)
            page = self._page
            if page is None:
                continue
            now, had = self._addresses(), list(page.network_addresses)
            if now and now != had:
                self._log.info("network", addresses=now, before=had)
                self._page = None
                await page.close()
                with suppress(LumibanError):
                    await self._serve_page()

    async def _say_alive(self) -> None:
        while True:
            await asyncio.sleep(ALIVE_S)
            self._tell()


def reason_of(error: Exception, board: str) -> ErrorText:
    """Reason why there is no table, as a sentence of the catalogue; details go to the log."""
    if isinstance(error, DiskFull):
        return ErrorText(id="serve.waits.full", params={})
    if isinstance(error, JournalInUse) or (isinstance(error, PortError) and error.reason == "busy"):
        return ErrorText(id="serve.waits.taken", params={})
    if isinstance(error, PortError) and error.reason == "absent":
        return NO_BOARD
    if isinstance(error, WrongMajor):
        return ErrorText(id="serve.waits.major", params={})
    if isinstance(error, NotABoard):
        return ErrorText(id="serve.waits.stranger", params={"port": board})
    return ErrorText(id="serve.waits.other", params={"reason": str(error)})


async def serve(order: TableOrder) -> None:
    """Run this table until SIGTERM, or until the service has gone."""
    with ended_by_signals() as life:
        state = made(state_folder())
        log = open_log(state)
        log_faults(log)
        output = sys.stdout

        def tell(**about: Any) -> None:
            with suppress(OSError, ValueError):
                output.write(json.dumps(about) + "\n")
                output.flush()

        table = ServedBoard(order, state, log, tell, life)
        lines = asyncio.StreamReader()
        words = asyncio.StreamReaderProtocol(lines)
        await asyncio.get_running_loop().connect_read_pipe(lambda: words, sys.stdin)

        async def hear() -> None:
            while line := await lines.readline():
                with suppress(ValueError):
                    table.heard(size_limits.from_json(line))
            life.end()

        hearing = asyncio.create_task(hear())
        try:
            await table.run()
        finally:
            hearing.cancel()
            log.info("closed")


def main(arguments: Sequence[str]) -> None:
    """Run the table of an order, given as JSON."""
    asyncio.run(serve(msgspec.json.decode(arguments[0], type=TableOrder)))


if __name__ == "__main__":
    main(sys.argv[1:])
