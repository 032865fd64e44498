"""The measurement behind `bench latency`: a real host, fed by a scripted board over a real pty.

Nothing is shortened: SerialBoard, link, session, journal with fsync on the disk of the state
folder, page with one tab. A tap on the line notes when read() returned and write() returned; which
bytes those were is looked at afterwards.
"""

from __future__ import annotations

import asyncio
import gc
import os
import random
import subprocess
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from lumiban import games
from lumiban.boards import profile as profiles
from lumiban.boards.messages import unpack_events
from lumiban.boards.profile import Profile
from lumiban.boards.reconnecting import SerialBoard
from lumiban.errors import BoardError, LumibanError
from lumiban.games.base import WHITE
from lumiban.runtime.page_hello import page_hello
from lumiban.runtime.table_host import TableHost
from lumiban.search.worker import SearchProcess
from lumiban.system.child import python
from lumiban.system.disk import Disk
from lumiban.system.paths import made, open_log, state_folder
from lumiban.table.journal import JournalFile
from lumiban.table.requests import NewGameRequest
from lumiban.table.session import Session
from lumiban.table.types import Agree
from lumiban.web.page_process import PageProcess, serve_apart
from lumiban.web.tabs import MAX_SOCKETS
from lumiban_fw import wire

PROFILE = "hex5"
MODULE = "lumiban_lab.bench_board"
QUIET_S = 0.4
"""Before the first event: greeting, clock and first picture are over."""
PATIENCE_S = 2.0
"""An event without any effect after so long counts as unanswered."""
THOUGHTS = 400
"""Questions for the bot that is to be busy; those left over are withdrawn."""


class Waits:
    """Time that this thread has spent ready to run while others had the cores.

    Linux counts it; elsewhere it is 0.
    """

    def __init__(self) -> None:
        self._file: int | None = None
        with suppress(OSError):
            self._file = os.open(
                f"/proc/self/task/{threading.get_native_id()}/schedstat", os.O_RDONLY
            )

    def ns(self) -> int:
        """The sum up to now."""
        return 0 if self._file is None else int(os.pread(self._file, 100, 0).split()[1])

    def close(self) -> None:
        """Give the file back."""
        if self._file is not None:
            os.close(self._file)


@dataclass
class Times:
    """Duration of each answer, µs: by the clock; without the waits for a core that others had; the
    table's own work, in CPU time."""

    clock: list[float] = field(default_factory=list)
    own: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def figures(self, prefix: str = "") -> dict[str, int]:
        """Median, one in a hundred and the worst of each, by name."""
        parts = {"median_us": 0.5, "p99_us": 0.99, "worst_us": 1.0}
        kinds = {"": self.clock, "own_": self.own, "cpu_": self.cpu}
        return {
            prefix + kind + name: part_of(times, part)
            for kind, times in kinds.items()
            for name, part in parts.items()
        }


class Tap:
    """Bytes of the line with the time at which read() or write() gave them back, and how long the
    thread had waited for a core by then."""

    def __init__(self, waits: Waits) -> None:
        self.noted: list[tuple[int, bool, bytes]] = []
        self.waited: list[int] = []
        self.spent: list[int] = []
        """CPU time of the thread, ns."""
        self._waits = waits

    def __call__(self, outward: bool, data: bytes) -> None:
        """Hear what went over the line, either way."""
        self.noted.append((time.perf_counter_ns(), outward, data))
        self.waited.append(self._waits.ns())
        self.spent.append(time.thread_time_ns())

    def clear(self) -> None:
        """Forget what was noted."""
        self.noted.clear()
        self.waited.clear()
        self.spent.clear()

    def answers_us(self) -> tuple[Times, int]:
        """(times from each new EVENTS frame to the next COMMIT, events that had none)."""
        inward, outward = wire.Decoder(), wire.Decoder()
        times = Times()
        unanswered = 0
        newest = -1
        since: tuple[int, int, int] | None = None
        notes = zip(self.noted, self.waited, self.spent, strict=True)
        for (at_ns, is_out, data), waited_ns, spent_ns in notes:
            for kind, _, _, _, payload in (outward if is_out else inward).feed(data):
                if not is_out and kind == wire.B_EVENTS:
                    first, _, _, events = unpack_events(payload)
                    if first + len(events) - 1 > newest:
                        newest = first + len(events) - 1
                        unanswered += since is not None
                        since = at_ns, waited_ns, spent_ns
                elif is_out and kind == wire.H_COMMIT and since is not None:
                    times.clock.append((at_ns - since[0]) / 1000)
                    times.own.append(times.clock[-1] - (waited_ns - since[1]) / 1000)
                    times.cpu.append((spent_ns - since[2]) / 1000)
                    since = None
        return times, unanswered + (since is not None)


class Collections:
    """Duration of each run of Python's garbage collector, µs of CPU, while this is entered."""

    def __init__(self) -> None:
        self.took_us: list[float] = []
        self._began = 0.0

    def __enter__(self) -> Collections:
        gc.callbacks.append(self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        gc.callbacks.remove(self._hear)

    def _hear(self, phase: str, _: dict[str, int]) -> None:
        if phase == "start":
            self._began = time.thread_time()
        else:
            self.took_us.append((time.thread_time() - self._began) * 1e6)


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
        """Send a number of events, one after the other, each when the last was followed."""
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
        history = self.shell.session.match.history
        before = len(history.played)
        return lambda: len(history.played) > before

    def _empty(self, cell: int) -> Callable[[], bool]:
        return lambda: self.shell.session.match.sensed.kinds[cell] == 0

    def _placement(self) -> tuple[int, int] | None:
        """A legal placement (game cell, kind), None where only removals or nothing is left."""
        history = self.shell.session.match.history
        game, position = history.game, history.position
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
    """Figures by name, µs: for an idle bot, `with_bot_…` for a thinking one (`Times`), the garbage
    collector's worst, and the fsync."""
    fsyncs: list[float] = []
    collected = Collections()
    idle, unanswered = await _run(
        events, False, fsyncs, collected, lambda n: progress(f"event {n} …")
    )
    figures = {
        "events": len(idle.clock),
        "unanswered": unanswered,
        **idle.figures(),
    }
    if with_bot:
        busy, missed = await _run(
            events, True, fsyncs, collected, lambda n: progress(f"event {n}, a bot thinking …")
        )
        figures["unanswered"] += missed
        figures |= busy.figures("with_bot_")
    figures["gc_worst_us"] = round(max(collected.took_us, default=0.0))
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
    events: int,
    thinking: bool,
    fsyncs: list[float],
    collected: Collections,
    progress: Callable[[int], None],
) -> tuple[Times, int]:
    async with played(fsyncs) as bench:
        if thinking:
            bench.let_bot_think()
        with collected:
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
        game = self.shell.session.match.history.game
        for ticket in range(-THOUGHTS, 0):
            self.worker.ask(
                ticket, game.slug, dict(game.options), game.view(game.start(), WHITE),
                "strong", ticket,
            )  # fmt: skip


@asynccontextmanager
async def played(
    fsyncs: list[float], *, most_sockets: int = MAX_SOCKETS, tap: Tap | None = None
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
        waits = Waits()
        ending.callback(waits.close)
        tap = tap or Tap(waits)
        board = SerialBoard(port, profile, shell.heard, tap=tap)
        await board.open()
        shell.start(board, page_hello(profile, simulated=False))
        ending.callback(shell.close)
        ending.push_async_callback(board.close)
        page = await _open_page(shell, ending, most_sockets)
        shell.attend()
        await asyncio.sleep(QUIET_S)
        yield Bench(shell, board, worker, page, tap, Player(shell, board_process, seed=1))


async def _open_page(shell: TableHost, ending: AsyncExitStack, most_sockets: int) -> PageProcess:
    """Serve the page and open one tab on it, in a process of its own."""
    page = await serve_apart(shell, port=0, most_sockets=most_sockets)
    ending.push_async_callback(page.close)
    tab = subprocess.Popen(
        python(MODULE, "tab", page.url),
        stdin=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C in our terminal is not for it
    )
    ending.callback(end, tab)
    return page


def start_board(profile: Profile) -> tuple[subprocess.Popen[bytes], str]:
    """The scripted board in a process of its own, and its port; BoardError."""
    about = [profile.name, len(profile.cells), profile.lights, profile.revision]
    process = subprocess.Popen(
        python(MODULE, "board", *map(str, about)),
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
