"""A table as `open_table` sets it, in this process alone: board, hands and bots are a test's.

`Near` stands in for what a table starts or opens: simulators, the line to a board, hands and the
thinking process; time goes by at its word (`passes`), and fsync is nobody's. Pieces lie in `lies`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast
from unittest.mock import create_autospec

import patience
import pytest
from lumiban import games
from lumiban.boards import profile as profiles
from lumiban.boards.types import (
    BoardEvent,
    BoardTime,
    Changed,
    Connected,
    Hello,
    LightFrame,
    Snapshot,
    Statistics,
)
from lumiban.runtime import open_table as opening
from lumiban.runtime import simulator as simulators
from lumiban.runtime import table_host
from lumiban.runtime.hands import LAY, Errand
from lumiban.runtime.idle_collector import IdleCollector
from lumiban.runtime.open_table import RunningTable, open_table
from lumiban.runtime.simulator import Simulator
from lumiban.search.worker_messages import Answer
from lumiban.system.disk import Disk
from lumiban.system.paths import open_log
from lumiban.table.journal import JournalFile
from lumiban.table.setup import TableSetup
from shown import as_page_has_it

PEOPLE, BOTS = ("human", "human"), ("bot:easy", "bot:easy")
WHITE_STONE, BLACK_STONE = 1, 2
TICK_S = 0.05


class Memory(Disk):
    """A disk that keeps all at once, or fails."""

    error = 0

    def sync(self, file: int) -> None:
        if self.error:
            raise OSError(self.error, os.strerror(self.error))


@dataclass
class Own:
    """A simulator that was started: whether it was ended, and when it ends by itself."""

    ended: bool = False

    def __post_init__(self) -> None:
        self.gone = asyncio.Event()

    def end(self) -> None:
        self.ended = True
        self.gone.set()


def own_of(simulator: Simulator) -> Own:
    """The stand-in for the board's own thread."""
    return cast("Own", simulator.own)


class Bot:
    """The thinking process: it answers at once by the first move, unless it `hangs`."""

    def __init__(self) -> None:
        self.told: list[tuple[Any, ...]] = []
        self.found: list[Answer] = []
        self.hangs = False
        self.pid: int | None = None
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)
        self.closed = False

    def start(self) -> None:
        self.pid = 1
        self.told.append(("start",))

    def warm(self, *game: Any) -> None:
        self.told.append(("warm", *game))

    def ask(
        self, ticket: int, slug: str, options: Mapping[str, Any], position: Any, level: str,
        seed: int, digest: str = "", within_us: int | None = None, top: int = 0,
    ) -> None:  # fmt: skip
        self.told.append(("ask", slug, dict(options), level, digest, within_us, top))
        if not self.hangs:
            game = games.load(slug, **options)
            move = next(iter(game.moves(position, game.movers(position)[0]))).text
            self.answer(Answer(ticket, move, 0.5, 9))

    def answer(self, answer: Answer) -> None:
        self.found.append(answer)
        os.write(self._write, b"\0")

    def ponder(self, ticket: int, slug: str, *_: Any) -> None:
        self.told.append(("ponder", slug))

    def stop(self, ticket: int) -> None:
        self.told.append(("stop",))

    def answers(self) -> list[Answer]:
        if self.found:
            os.read(self._read, 4096)
        found, self.found = self.found, []
        return found

    def restart(self) -> None:
        self.told.append(("restart",))
        self.hangs = False

    def rest(self) -> bool:
        self.pid = None
        return True

    def fileno(self) -> int:
        return self._read

    def close(self) -> None:
        self.closed = True
        os.close(self._read)
        os.close(self._write)


class Hands:
    """Assisting hands that do at the next tick what they are asked."""

    def __init__(self, near: Near, url: str, *, seed: int = 0, eager: bool = False) -> None:
        self.url, self.near, self.errand = url, near, cast("Errand | None", None)
        self.asked: list[tuple[Errand | None, bool]] = []
        self.outside: list[int] = []
        near.hands = self

    def ask(self, errand: Errand | None, *, void: bool = False) -> None:
        if errand != self.errand:
            self.asked.append((errand, void))
        self.errand = errand

    def tidy(self, outside: list[int]) -> None:
        self.outside = list(outside)

    async def run(self) -> None:
        await asyncio.Event().wait()

    def act(self) -> None:
        errand = self.errand
        if errand is None:
            return
        wanted = dict(errand.pieces)
        if errand.do != LAY:
            wanted = {errand.cell: errand.kind if errand.do == "place" else 0}
        for cell, kind in wanted.items():
            if self.near.lies[cell] != kind:
                self.near.change(cell, kind)
        self.errand = None


class Line:
    """The line to the board: what the table says to it, and what a test lets it say."""

    def __init__(
        self, near: Near, port: str, profile: Any, heard: Callable[[list[Any]], None], **more: Any
    ) -> None:
        self.near, self.port, self.heard, self.more = near, port, heard, more
        self.statistics = Statistics(frames_in=7)
        self.shown: list[LightFrame] = []
        self.acknowledged = 0
        self.is_open = False
        near.line = self
        near.lies += [0] * (len(profile.cells) - len(near.lies))
        cells, uid = len(profile.cells), near.uids.get(port, "uid")
        now_us = near.now_us
        self.hello = Hello(
            near.model, 1, cells, cells, 1, uid, 5, now_us, 1000, near.capabilities, 0
        )

    async def open(self) -> Hello:
        if self.near.refusals:
            raise self.near.refusals.pop(0)
        self.is_open = True
        self.heard([Connected(self.hello), self.near.picture()])
        return self.hello

    def show(self, frame: LightFrame) -> None:
        self.shown.append(frame)

    def acknowledge(self, next_event: int) -> None:
        self.acknowledged = next_event

    def move_to(self, port: str) -> None:
        self.port = port

    async def close(self) -> None:
        self.is_open = False


class Near:
    """What stands around a table, and its clock."""

    def __init__(self, patch: pytest.MonkeyPatch, state: Path) -> None:
        self.patch, self.state = patch, state
        self.lies: list[int] = []
        self.events = 0
        self.now_s = 100.0
        self.model, self.capabilities = "test", 0
        self.uids: dict[str, str] = {}
        self.refusals: list[Exception] = []
        self.running: list[Simulator] = []
        self.started: list[Simulator] = []
        self.hands: Hands | None = None
        self.disk = Memory()
        self.hello: dict[str, Any] = {}
        self.line: Line
        (state / "journals").mkdir()
        patch.setattr(opening, "SerialBoard", partial(Line, self))
        patch.setattr(opening, "AssistingHands", partial(Hands, self))
        patch.setattr(opening, "SearchProcess", self._bot)
        patch.setattr(opening, "page_hello", self._hello)
        # At its end it thaws all that the tests' own process has set aside.
        self.collector = create_autospec(IdleCollector)
        patch.setattr(table_host, "IdleCollector", self.collector)
        patch.setattr(simulators, "start_next", self.start)
        patch.setattr(simulators, "start", self.start)
        patch.setattr(simulators, "end_of", lambda simulator: simulator.own.gone.wait())
        patch.setattr(
            simulators, "running", lambda _, name: [s for s in self.running if s.profile == name]
        )
        patch.setattr(simulators, "at", self._at)

    async def start(self, state: Path, profile: str, seed: int = 4) -> Simulator:
        port = f"sim{len(self.started)}"
        self.lies = [0] * len(profiles.load(profile).cells)
        self.uids[port] = f"uid{seed}"
        made = Simulator(
            port, f"hands of {port}", profile, f"uid{seed}", 1, seed, own=cast("Any", Own())
        )
        self.started.append(made)
        return made

    def _at(self, _: Path, port: str) -> Simulator | None:
        return next((one for one in self.running if one.port == port), None)

    def _bot(self) -> Bot:
        self.bot = Bot()
        return self.bot

    def _hello(self, profile: Any, **about: Any) -> dict[str, Any]:
        self.hello = {"profile": profile, **about}
        return self.hello

    @asynccontextmanager
    async def table(self, **wish: Any) -> AsyncIterator[RunningTable]:
        """A table of Control on a board of 19 cells, unless another is wished."""
        wished = {"profile": "hex3", "options": {"size": 3}, "seats": PEOPLE, "seed": 3, **wish}
        settings, lends = wished.pop("settings", None), wished.pop("lends", None)
        opener = partial(JournalFile, disk=self.disk)
        sitting = await open_table(
            TableSetup(**wished), self.state, open_log(self.state),
            settings=settings, opener=opener, lends=lends,
        )  # fmt: skip
        self.sitting = sitting
        try:
            await self.passes(TICK_S)
            yield sitting
        finally:
            await sitting.close()

    # The board.

    @property
    def now_us(self) -> int:
        return int(self.now_s * 1e6)

    def picture(self) -> Snapshot:
        return Snapshot(tuple(self.lies), self.events, self.now_us, False, False)

    def change(self, cell: int, kind: int, after_s: float = TICK_S) -> None:
        """A piece is set, or lifted, on a board cell."""
        self.now_s += after_s
        if cell < len(self.lies):
            self.lies[cell] = kind
        event = BoardEvent(self.events, cell, kind, self.now_us, 500)
        self.events += 1
        self.line.heard([Changed((event,)), BoardTime(self.now_us, self.now_us, False)])

    async def put(self, name: str, kind: int = WHITE_STONE) -> None:
        """A person sets a piece on a game's cell (0: lifts it), and all settles."""
        self.change(self.cell(name), kind)
        await self.passes()

    def cell(self, name: str) -> int:
        """The board cell of a game's cell."""
        match = self.sitting.shell.session.match
        return match.placing.board[match.history.game.grid.cell(name)]

    # Time.

    async def passes(self, seconds: float = 1.0) -> None:
        """Time goes by; hands do meanwhile what they are asked."""
        end = self.now_s + seconds
        while self.now_s < end:
            self.now_s += TICK_S
            if self.line.is_open:
                self.line.heard([BoardTime(self.now_us, self.now_us, False)])
            await self.quiet()
            if self.hands is not None:
                self.hands.act()
            await self.quiet()

    async def until(self, true: Callable[[], object], within_s: float = 120.0) -> None:
        """Time goes by until this is true."""
        end = self.now_s + within_s
        while not true():
            assert self.now_s < end, "it never comes"
            await self.passes(TICK_S)

    async def quiet(self) -> None:
        """Until all that was said is heard, and kept if the disk keeps anything."""
        shell = self.sitting.shell
        while True:
            for _ in range(4):
                await asyncio.sleep(0)
            if self.disk.error or shell.lost or shell.session.all_durable:
                return
            kept = partial(patience.until, lambda: shell.session.all_durable or shell.lost)
            await asyncio.to_thread(kept, within_s=30)

    @property
    def view(self) -> dict[str, Any]:
        return as_page_has_it(self.sitting.shell.view())

    @property
    def moves(self) -> list[str]:
        return [move["text"] for move in self.view["moves"]]


@pytest.fixture
async def near(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Near:
    """What stands around the tables of a test."""
    near = Near(monkeypatch, tmp_path)
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: near.now_s)
    return near
