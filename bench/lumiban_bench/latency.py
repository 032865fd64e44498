"""The measurement behind `bench latency`: a real host, fed by a scripted board over a real pty.

Nothing is shortened: SerialBoard, link, session, journal with fsync on the disk of the state
folder, page with one tab. A tap on the line notes when read() returned and write() returned; which
bytes those were is looked at afterwards.
"""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lumiban import games
from lumiban.boards import profile as profiles
from lumiban.boards.profile import Profile
from lumiban.boards.reconnecting import SerialBoard
from lumiban.disk import Disk
from lumiban.errors import BoardError, LumibanError
from lumiban.games.base import WHITE
from lumiban.paths import made, open_log, state_folder
from lumiban.runtime.greeting import greeting
from lumiban.runtime.table_host import TableHost
from lumiban.search.worker import SearchProcess
from lumiban.table.journal import JournalFile
from lumiban.table.requests import NewGameRequest
from lumiban.table.session import Session
from lumiban.table.types import Agree
from lumiban.web.page_process import PageProcess, serve_apart
from lumiban.web.tabs import MOST_SOCKETS
from lumiban_fw import wire

PROFILE = "hex5"
MODULE = "lumiban_bench.bench_board"
QUIET_S = 0.4
"""Before the first event: greeting, clock and first picture are over."""
PATIENCE_S = 2.0
"""An event without any effect after so long counts as unanswered."""
THOUGHTS = 400
"""Questions for the bot that is to be busy; those left over are withdrawn."""


class Tap:
    """Bytes of the line with the time at which read() or write() gave them back."""

    def __init__(self) -> None:
        self.noted: list[tuple[int, bool, bytes]] = []

    def __call__(self, outward: bool, data: bytes) -> None:
        """Hear what went over the line, either way."""
        self.noted.append((time.perf_counter_ns(), outward, data))

    def answers_us(self) -> tuple[list[float], int]:
        """(times from each new EVENTS frame to the next COMMIT, events that had none)."""
        inward, outward = wire.Decoder(), wire.Decoder()
        times: list[float] = []
        unanswered = 0
        newest = -1
        waits_since: int | None = None
        for at_ns, is_out, data in self.noted:
            for kind, _, _, _, payload in (outward if is_out else inward).feed(data):
                if not is_out and kind == wire.B_EVENTS:
                    first, _, _, events = wire.unpack_events(payload)
                    if first + len(events) - 1 > newest:
                        newest = first + len(events) - 1
                        unanswered += waits_since is not None
                        waits_since = at_ns
                elif is_out and kind == wire.H_COMMIT and waits_since is not None:
                    times.append((at_ns - waits_since) / 1000)
                    waits_since = None
        return times, unanswered + (waits_since is not None)


class TimedDisk(Disk):
    """A disk that notes how long each fsync takes, in µs."""

    def __init__(self, took_us: list[float]) -> None:
        super().__init__()
        self._took_us = took_us

    def sync(self, file: int) -> None:
        """Wait, and note how long."""
        began = time.perf_counter_ns()
        super().sync(file)
        self._took_us.append((time.perf_counter_ns() - began) / 1000)


class Player:
    """Plays random lines of the game by telling the scripted board what to send."""

    def __init__(self, shell: TableHost, board: subprocess.Popen[bytes], seed: int) -> None:
        self.shell = shell
        self.sent = 0
        self._board = board
        self._chance = random.Random(seed)
        self._seen = asyncio.Event()
        shell.watch(lambda view: self._seen.set())

    async def play(self, events: int, progress: Callable[[int], None]) -> None:
        """Send so many events, one after the other, each when the last was followed."""
        until = self.sent + events
        while self.sent < until:
            placement = self._placement()
            if placement is None:
                await self._clear()
                continue
            cell, kind = placement
            await self._send(cell, kind, self._played())
            progress(self.sent)

    def _played(self) -> Callable[[], bool]:
        course = self.shell.session.match.course
        before = len(course.played)
        return lambda: len(course.played) > before

    def _empty(self, cell: int) -> Callable[[], bool]:
        return lambda: self.shell.session.match.sensed.kinds[cell] == 0

    def _placement(self) -> tuple[int, int] | None:
        """A legal placement (game cell, kind), None where only removals or nothing is left."""
        course = self.shell.session.match.course
        game, position = course.game, course.position
        movers = game.movers(position)
        if not movers:
            return None
        effects = [game.effects(position, move) for move in game.moves(position, movers[0])]
        placements = [(cell, after) for ((cell, _, after),) in effects if after]
        return self._chance.choice(placements) if placements else None

    async def _clear(self) -> None:
        """A new game: every stone is lifted, which are events like others."""
        refused = await self.shell.command(NewGameRequest("control"), "host")
        if refused is not None:
            raise LumibanError(f"no new game for the measurement: {refused}")
        match = self.shell.session.match
        lying = [cell for cell, kind in enumerate(match.sensed.kinds) if kind]
        for cell in lying:
            await self._send(cell, 0, self._empty(cell))
        if not isinstance(self.shell.session.match.verdict, Agree):
            raise LumibanError("the table did not come to rest between two games")

    async def _send(self, cell: int, kind: int, done: Callable[[], bool]) -> None:
        assert self._board.stdin is not None
        board_cell = self.shell.session.match.placing.board[cell]
        os.write(self._board.stdin.fileno(), f"{board_cell} {int(kind)}\n".encode())
        self.sent += 1
        while not done():
            self._seen.clear()
            try:
                async with asyncio.timeout(PATIENCE_S):
                    await self._seen.wait()
            except TimeoutError:
                raise LumibanError(
                    f"event {self.sent} of the measurement had no effect in {PATIENCE_S} s"
                ) from None


async def measure(
    events: int, *, with_bot: bool, progress: Callable[[str], None]
) -> dict[str, int]:
    """Figures by name, µs: for an idle bot, `with_bot_…` for a thinking one, and the fsync."""
    fsyncs: list[float] = []
    idle, unanswered = await _run(events, False, fsyncs, lambda n: progress(f"event {n} …"))
    figures = {
        "events": len(idle),
        "unanswered": unanswered,
        "median_us": part_of(idle, 0.5),
        "p99_us": part_of(idle, 0.99),
        "worst_us": part_of(idle, 1.0),
    }
    if with_bot:
        busy, missed = await _run(
            events, True, fsyncs, lambda n: progress(f"event {n}, a bot thinking …")
        )
        figures["unanswered"] += missed
        figures["with_bot_median_us"] = part_of(busy, 0.5)
        figures["with_bot_p99_us"] = part_of(busy, 0.99)
        figures["with_bot_worst_us"] = part_of(busy, 1.0)
    figures["fsync_median_us"] = part_of(fsyncs, 0.5)
    figures["fsync_p99_us"] = part_of(fsyncs, 0.99)
    return figures


def part_of(times: list[float], part: float) -> int:
    """The time that this part of all stays within."""
    if not times:
        raise LumibanError("nothing was measured: no event was answered in light")
    ordered = sorted(times)
    return round(ordered[min(int(part * len(ordered)), len(ordered) - 1)])


async def _run(
    events: int, thinking: bool, fsyncs: list[float], progress: Callable[[int], None]
) -> tuple[list[float], int]:
    async with played(fsyncs) as bench:
        if thinking:
            bench.let_bot_think()
        await bench.player.play(events, progress)
        return bench.tap.answers_us()


@dataclass
class Bench:
    """A table on a scripted board with its page, and one tab that is open."""

    shell: TableHost
    board: SerialBoard
    worker: SearchProcess
    page: PageProcess
    tap: Tap
    player: Player

    def let_bot_think(self) -> None:
        """Keep a bot busy from now on."""
        game = self.shell.session.match.course.game
        for ticket in range(-THOUGHTS, 0):
            self.worker.ask(
                ticket, game.slug, dict(game.options), game.view(game.start(), WHITE),
                "strong", ticket,
            )  # fmt: skip


@asynccontextmanager
async def played(
    fsyncs: list[float], *, most_sockets: int = MOST_SOCKETS, tap: Tap | None = None
) -> AsyncIterator[Bench]:
    """Set up a table for measuring; how long each fsync takes, µs, is noted in `fsyncs`."""
    profile = profiles.load(PROFILE)
    # On the disk where journals live, not in a folder that may be memory.
    folder = made(state_folder())
    async with AsyncExitStack() as ending:
        place = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="bench-", dir=folder)))
        (place / "journals").mkdir()
        board_process, port = start_board(profile)
        ending.callback(end, board_process)
        worker = SearchProcess()
        game = games.load("control", size=profile.grid.size[0])
        shell = TableHost(
            Session(
                game,
                profile,
                ["human", "human"],
                hint="control",
                now_us=int(asyncio.get_running_loop().time() * 1e6),
            ),
            journals=place / "journals",
            log=open_log(place),
            worker=worker,
            opener=partial(JournalFile, disk=TimedDisk(fsyncs)),
        )
        tap = tap or Tap()
        board = SerialBoard(port, profile, shell.heard, tap=tap)
        await board.open()
        shell.start(board, greeting(profile, simulated=False))
        ending.callback(shell.close)
        ending.push_async_callback(board.close)
        page = await _open_page(shell, ending, most_sockets)
        await asyncio.sleep(QUIET_S)
        yield Bench(shell, board, worker, page, tap, Player(shell, board_process, seed=1))


async def _open_page(shell: TableHost, ending: AsyncExitStack, most_sockets: int) -> PageProcess:
    """Serve the page and open one tab on it, in a process of its own."""
    page = await serve_apart(shell, port=0, most_sockets=most_sockets)
    ending.push_async_callback(page.close)
    tab = subprocess.Popen(
        [sys.executable, "-m", MODULE, "tab", page.url],
        stdin=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C in our terminal is not for it
    )
    ending.callback(end, tab)
    return page


def start_board(profile: Profile) -> tuple[subprocess.Popen[bytes], str]:
    """The scripted board in a process of its own, and its port; BoardError."""
    about = [profile.name, len(profile.cells), profile.lights, profile.revision]
    process = subprocess.Popen(
        [sys.executable, "-m", MODULE, "board", *map(str, about)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    port = process.stdout.readline().decode().strip()
    if not port:
        end(process)
        raise BoardError("the scripted board of the measurement did not start")
    return process, port


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process of the measurement."""
    process.terminate()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
