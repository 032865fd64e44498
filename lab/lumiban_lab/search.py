"""The rows of `lumiban bench search`: every figure that the search is judged by.

Rates are rows of `speed`, `doves`, `rengi` and `threads`; what one waits for is measured here: a
bot's first compiled answer, a stop, the table's own loop, and the memory of a long search.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
import select
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from lumiban import games
from lumiban.errors import GameError
from lumiban.games.base import Game
from lumiban.search import jit, tree
from lumiban.search.bot import think
from lumiban.search.grave import NODE, Grave
from lumiban.search.precompile import ready
from lumiban.search.tree_searches import TreeReuse
from lumiban.search.worker import SearchProcess
from lumiban.system.child import python

from lumiban_lab import doves, threads
from lumiban_lab.kept_figures import Compared, compared
from lumiban_lab.rengi import runs
from lumiban_lab.speed import Row, random_game_row, row, sized_rows, tree_rows

Progress = Callable[[str], None]
PLAYED: tuple[tuple[str, dict[str, int | str]], ...] = (
    ("control", {"size": 5}),
    ("control", {"size": 8}),
    ("trivia", {"size": 9}),
    ("evening", {"size": 5, "turns": "trailing"}),
    ("doves", {}),
)
"""The games that are measured when none is named; threads by the first of them."""
RELATED = ("stigmergy", "tumpletore", "tumbleweed", "strands")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
OWN = ("hex", "y", "gomoku", "reversi", "snort", "custodians")
"""Games in plain Python: the relatives, and those of `examples/`."""
TIMED_GAMES: tuple[tuple[str, dict[str, int | str]], ...] = (
    *PLAYED[:1],
    *PLAYED[2:],
    ("rengi", {}),
)
"""The games whose bots one waits for."""
RENGI = (("chain_10_12", "fields with score"), ("placements", "fields"))


def measure(seconds: float, cores: int, progress: Progress) -> Iterator[Row | Wait]:
    """All rows, about `seconds` for each figure; `cores` threads are held against one."""
    for slug, options in PLAYED:
        yield from tree_rows(games.load(slug, **options), seconds, progress)
    for slug in (*RELATED, *(str(EXAMPLES / f"{name}.py") for name in OWN)):
        yield random_game_row(games.load(slug), seconds, progress)
    yield from doves.doves_rows(seconds, progress)
    yield from rengi(seconds, progress)
    slug, options = PLAYED[0]
    yield from sized_rows(games.load(slug, **options), seconds, progress)
    if cores > 1:
        yield from threads.thread_rows(games.load(slug, **options), cores, seconds, progress)
    yield from waits([games.load(slug, **options) for slug, options in TIMED_GAMES], progress)
    yield from sizes(games.load(slug, **options))


def cold(slugs: list[str], progress: Progress) -> Iterator[Wait]:
    """Cost of compiling for each game with an empty cache: CPU time and memory."""
    for slug in slugs:
        progress(f"{slug}: compiling all of it")
        with tempfile.TemporaryDirectory() as folder:
            process = subprocess.Popen(
                python("lumiban", "games", "warm", slug, "--json"),
                env={**os.environ, "LUMIBAN_CACHE": folder}, stdout=subprocess.DEVNULL,
            )  # fmt: skip
            _, status, took = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise GameError(f"{slug} could not be compiled: exit status {process.returncode}")
        game = games.load(slug)
        seconds = took.ru_utime + took.ru_stime
        yield _wait(game, "cold compile", "s of CPU", seconds, COLD_S)
        yield _wait(game, "cold compile, memory", "MB", took.ru_maxrss / 1024, COLD_MB)


COLD_S, COLD_MB = 60.0, 250.0
"""Limits on compiling a game: seconds of CPU here, and megabytes on any machine."""


def beside_kept(measured: Row | Wait) -> Compared:
    """The figure beside the kept one. A compiled rate is told in rounds of the calibration loop a
    unit, so that more is worse everywhere, and another machine's pace does not count."""
    size = (
        f" {measured.options['size']}"
        if isinstance(measured, Row) and "size" in measured.options
        else ""
    )
    name = f"{Path(measured.game).stem}{size}.{measured.what}"
    if isinstance(measured, Wait):
        return compared("search", {name: measured.value})[0]
    return compared("search", {name if measured.compiled else f"{name}, plain": measured.loops})[0]


def of_game(game: Game, seconds: float, progress: Progress) -> Iterator[Row]:
    """The rows of one game."""
    yield from tree_rows(game, seconds, progress)
    if game.search_hints(game.start()).search == "grave":
        yield from sized_rows(game, seconds, progress)
    if game.slug == "doves":
        yield from doves.doves_rows(seconds, progress)
    if game.slug == "rengi":
        yield from rengi(seconds, progress)


def rengi(seconds: float, progress: Progress) -> Iterator[Row]:
    """Chains resolved and placements listed, fields per second."""
    for what, unit in RENGI:
        progress(f"rengi {what}")
        yield row("rengi", {}, what, unit, seconds, partial(runs, what))


def row_text(measured: Row | Wait) -> str:
    """A row for people."""
    if isinstance(measured, Wait):
        what = f"{measured.game + ':':<11} {measured.what}"
        return f"{what:<58} {measured.value:>14,.1f} {measured.unit} (below {measured.bound:g})"
    size = f" {measured.options['size']}" if "size" in measured.options else ""
    what = f"{Path(measured.game).stem + size + ':':<11} {measured.what}"
    return f"{what:<58} {measured.rate:>14,.0f} {measured.unit}/s ({measured.ratio:,.1f}×)"


STOPS = 4
"""Number of times that each game's search is stopped; the longest wait counts."""
_TICK_S = 0.002
_MAX_SEARCH_S = 120.0


@dataclass(frozen=True, slots=True)
class Wait:
    """One figure with what it is to stay below."""

    game: str
    what: str
    unit: str
    value: float
    bound: float
    load: float
    """Programs that wanted a core in the last minute, this one with them: a machine with less
    cores than that makes one wait for reasons of its own."""

    def as_json(self) -> dict[str, Any]:
        """The fields by name."""
        return asdict(self)


def waits(played: list[Game], progress: Progress) -> Iterator[Wait]:
    """All figures; `played` are the games that bots are asked about."""
    for game in played:
        if jit.available():
            progress(f"{game.slug}: compiling, unless it was")
            ready(game)
            progress(f"{game.slug} warm start")
            yield _wait(game, "warm start", "ms", min(_warm_start(game) for _ in range(2)), 1000)
    for game in played:
        progress(f"{game.slug} stop")
        yield _wait(game, "stop", "ms", max(_stop(game, number) for number in range(STOPS)), 50)
    progress("loop lateness")
    late = {busy: asyncio.run(_lateness(played[0], busy)) for busy in (False, True)}
    for busy, condition in ((False, "no bot thinks"), (True, "a bot thinks on all cores")):
        middle, most = late[busy]
        yield _wait(played[0], f"loop late, 99 of 100, {condition}", "ms", middle, 10)
        yield _wait(played[0], f"loop late, at most, {condition}", "ms", most, 10)
    if jit.available() and Path("/proc/self/status").exists():
        for megabytes in (32, 128, 512):
            progress(f"memory at {megabytes} MB")
            value = _memory(played[0], megabytes)
            yield _wait(played[0], f"memory at {megabytes} MB", "MB", value, megabytes + 32)


def _item_size(array: Any) -> int:
    """Bytes of one number of an array; 8 of a list's."""
    return memoryview(array).itemsize if isinstance(array, ctypes.Array) else 8


def sizes(game: Game) -> Iterator[Wait]:
    """Bytes of a tree's node and of an entry of GRAVE's tables."""
    search = Grave(game, game.start(), 0, 1_000, compiled=jit.available())
    node, entry = (_item_size(each) for each in (search.wood.nodes, search.wood.tables))
    node *= NODE
    yield _wait(game, "bytes a node, grave", "B", node, 33)
    yield _wait(game, "bytes a node, uct", "B", tree.NODE_BYTES, 57)
    yield _wait(game, "bytes a table's entry, grave", "B", entry, 5)


def _wait(game: Game, what: str, unit: str, value: float, bound: float) -> Wait:
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return Wait(game.slug, what, unit, round(value, 2), bound, round(load, 2))


def _warm_start(game: Game) -> float:
    """Milliseconds from the worker's start to its first compiled answer; the cache is full."""
    with _worker() as worker:
        began = time.perf_counter()
        _compiled(worker, game)
        _answered(worker, game, "easy")
        return (time.perf_counter() - began) * 1e3


@contextmanager
def _worker() -> Iterator[SearchProcess]:
    worker = SearchProcess()
    try:
        yield worker
    finally:
        worker.close()


def _compiled(worker: SearchProcess, game: Game) -> None:
    worker.warm(game.slug, game.options)
    until = time.monotonic() + _MAX_SEARCH_S
    while not worker.compiled:
        select.select([worker.fileno()], [], [], 0.5)
        worker.answers()
        if time.monotonic() > until:
            raise GameError(f"{game.slug} is not compiled after {_MAX_SEARCH_S:.0f} s")


def _answered(worker: SearchProcess, game: Game, level: str, moves: int = 1) -> None:
    """Ask for some moves of one side, the other side answering as quickly as it can."""
    position = game.start()
    for ticket in range(moves):
        worker.ask(ticket, game.slug, game.options, position, level, ticket)
        while not (answers := worker.answers()):
            select.select([worker.fileno()], [], [], 0.5)
        if answers[0].failed:
            raise GameError(answers[0].reason)
        position = game.play(position, game.parse(position, answers[0].text))


def _stop(game: Game, number: int) -> float:
    """Milliseconds from a stop at some moment to the end of the thought, with all threads."""
    position, kept, stopped = game.start(), TreeReuse(), threading.Event()
    first = think(game, position, "strong", 1, playouts=64, threads=tree.thread_count(), kept=kept)
    for move in first.pv[: 2 * (number % 2)]:
        position = game.play(position, move)
    at: list[float] = []

    def stop() -> None:
        at.append(time.perf_counter())
        stopped.set()

    timer = threading.Timer(0.1 + 0.0173 * number, stop)
    timer.start()
    think(
        game, position, "strong", number, longest_us=3_000_000, threads=tree.thread_count(),
        room=tree.tree_room().shared(2), kept=kept, stop=stopped.is_set,
    )  # fmt: skip
    ended = time.perf_counter()
    timer.cancel()
    timer.join()
    # A position that is solved ends the thought before the stop.
    return (ended - at[0]) * 1e3 if at else 0.0


async def _lateness(game: Game, busy: bool) -> tuple[float, float]:
    """(99 of 100 are below, the most) by which a loop's timers were late, in milliseconds."""
    worker = SearchProcess()
    loop = asyncio.get_running_loop()
    try:
        if busy:
            if jit.available():
                await asyncio.to_thread(_compiled, worker, game)
            worker.ask(1, game.slug, game.options, game.start(), "strong", 1)
            await asyncio.sleep(0.1)  # the bot is in the midst of thinking, of which nothing tells
        late: list[float] = []
        gc.collect()
        until = loop.time() + 1.5
        while loop.time() < until:
            due = loop.time() + _TICK_S
            await asyncio.sleep(_TICK_S)
            late.append(loop.time() - due)
    finally:
        worker.close()
    late.sort()
    return max(0.0, late[len(late) * 99 // 100] * 1e3), late[-1] * 1e3


def _memory(game: Game, megabytes: int) -> float:
    """Megabytes that a bot's process takes at most over two moves at full strength, beyond what
    it takes when it is ready to think."""
    before = os.environ.get(tree.MEGABYTES)
    os.environ[tree.MEGABYTES] = str(megabytes)
    try:
        with _worker() as worker:
            _compiled(worker, game)
            assert worker.pid is not None
            ready = _resident(worker.pid)
            _answered(worker, game, "strong", moves=3)
            return (_resident(worker.pid) - ready) / 1024
    finally:
        os.environ.pop(tree.MEGABYTES)
        if before is not None:
            os.environ[tree.MEGABYTES] = before


def _children(pid: int) -> list[int]:
    return [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split()]


def _resident(pid: int) -> int:
    """Kilobytes of memory that a process has taken at most."""
    for line in Path(f"/proc/{pid}/status").read_text("utf-8").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    return 0
