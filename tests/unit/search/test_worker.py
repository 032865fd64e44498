"""The worker: answers from a process of its own, which can be stopped, can die, and is private."""

from __future__ import annotations

import io
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

import pace
import patience
import pytest
from lumiban import games
from lumiban.search import jit, numba_available, worker_process
from lumiban.search.bot import think
from lumiban.search.levels import level_of
from lumiban.search.worker import SearchProcess
from lumiban.search.worker_messages import Warm
from lumiban.system.child import Child
from worker_bench import heard, spent_s, wait

pytestmark = pytest.mark.process


needs_numba = pytest.mark.skipif(not jit.available(), reason="numba is not installed")
needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="no /proc here")

SIZE_3 = {"size": 3}
SIZE_5 = {"size": 5}
LONG_US = 60_000_000
"""So much time that the playouts alone bound a thought, however busy the machine is."""


@pytest.fixture
def worker() -> Iterator[SearchProcess]:
    worker = SearchProcess()
    yield worker
    worker.close()


def budget(level: str) -> int:
    return level_of(level).playouts


def ask(
    worker: SearchProcess,
    ticket: int,
    options: dict[str, int],
    level: str,
    seed: int = 1,
    within_us: int | None = None,
) -> None:
    position = games.load("control", **options).start()
    worker.ask(ticket, "control", options, position, level, seed, within_us=within_us)


def children(pid: int) -> list[int]:
    return [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split()]


def spent_by_all_s(worker: SearchProcess) -> float:
    """Seconds of CPU that the worker's process and those that it has begun have used."""
    assert worker.pid is not None
    return sum(spent_s(pid) for pid in (worker.pid, *children(worker.pid)))


def wait_for_end(pid: int) -> None:
    """Wait until a process has ended that need not be ours."""
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        patience.until(lambda: select.select([fd], [], [], 0)[0])
    finally:
        os.close(fd)


@pytest.mark.parametrize("level", ["easy", "medium", "strong"])
def test_the_first_answer_comes_within_three_seconds_on_a_cold_machine(
    level: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worker: SearchProcess
) -> None:
    monkeypatch.setenv("LUMIBAN_CACHE", str(tmp_path))
    ask(worker, 7, SIZE_5, level)
    (answer,) = wait(worker)
    # In its own time: a thought is bounded by the clock, but other programs may have the cores.
    assert worker.pid is not None
    assert spent_s(worker.pid) < 3.0
    assert not worker.compiled
    game = games.load("control", **SIZE_5)
    assert answer.ticket == 7
    assert not answer.failed
    assert game.why_not(game.start(), 0, game.parse(game.start(), answer.text)) is None
    assert answer.visits > 0


def test_a_worker_gives_the_thought_of_its_level_and_seed(worker: SearchProcess) -> None:
    ask(worker, 1, SIZE_3, "easy", seed=5, within_us=LONG_US)
    (answer,) = wait(worker)
    game = games.load("control", **SIZE_3)
    thought = think(game, game.start(), "easy", 5, playouts=budget("easy"), compiled=False)
    assert (answer.text, answer.value, answer.visits) == (
        thought.move.text,
        thought.value,
        thought.visits,
    )


def test_questions_in_a_row_are_all_answered(worker: SearchProcess) -> None:
    for ticket in range(5):
        ask(worker, ticket, SIZE_3, "easy", seed=ticket)
    answered: list[int] = []
    while len(answered) < 5:
        answered += [answer.ticket for answer in wait(worker)]
    assert sorted(answered) == [0, 1, 2, 3, 4]


@needs_proc
def test_a_stopped_question_is_not_answered_and_leaves_the_worker_free(
    worker: SearchProcess,
) -> None:
    ask(worker, 1, SIZE_3, "easy")
    wait(worker)
    ask(worker, 2, SIZE_5, "strong")
    ask(worker, 3, SIZE_5, "strong")
    before = spent_by_all_s(worker)
    worker.stop(2)
    worker.stop(3)
    ask(worker, 4, SIZE_3, "easy")
    (answer,) = wait(worker)
    assert answer.ticket == 4
    assert spent_by_all_s(worker) - before < 0.5, "it thought on: strong takes two seconds"
    assert worker.answers() == []


def test_what_cannot_be_thought_about_fails_with_one_line(worker: SearchProcess) -> None:
    game = games.load("control", **SIZE_3)
    over = game.play(game.start(), game.parse(game.start(), "resign"))
    worker.ask(1, "control", SIZE_3, over, "easy", 1)
    (answer,) = wait(worker)
    assert answer.failed
    assert "over" in answer.reason
    worker.ask(2, "no-such-game", {}, game.start(), "easy", 1)
    (answer,) = wait(worker)
    assert answer.failed
    assert "no-such-game" in answer.reason
    assert "\n" not in answer.reason


def test_a_killed_worker_fails_its_questions_and_the_next_one_starts_another(
    worker: SearchProcess,
) -> None:
    descriptor = worker.fileno()
    ask(worker, 1, SIZE_5, "strong")
    ask(worker, 2, SIZE_5, "strong")
    first = worker.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    answers = wait(worker)
    assert [(answer.ticket, answer.failed) for answer in answers] == [(1, True), (2, True)]
    assert "died" in answers[0].reason
    ask(worker, 3, SIZE_3, "easy")
    (answer,) = wait(worker)
    assert (answer.ticket, answer.failed) == (3, False)
    assert worker.pid not in (None, first)
    assert worker.fileno() == descriptor


def is_compiled(worker: SearchProcess) -> bool:
    """Wait until compiled code has taken over."""
    while not worker.compiled:
        heard(worker)
        worker.answers()
    return True


@pytest.mark.jit
@needs_numba
@needs_proc
def test_a_game_with_a_library_is_thought_about_by_one_process_from_the_first_answer_on(
    worker: SearchProcess,
) -> None:
    game = games.load("control", **SIZE_5)
    assert jit.fits(game.state(game.start()))
    ask(worker, 1, SIZE_5, "medium", seed=3, within_us=LONG_US)
    (fast,) = wait(worker)
    thought = think(game, game.start(), "medium", 3, playouts=budget("medium"), compiled=True)
    assert (fast.text, fast.value, fast.visits) == (
        thought.move.text,
        thought.value,
        thought.visits,
    )
    assert worker.compiled
    assert worker.pid is not None
    assert children(worker.pid) == []
    maps = Path(f"/proc/{worker.pid}/maps").read_text("utf-8")
    assert "control.so" in maps
    assert not [name for name in ("llvmlite", "numpy", "numba") if name in maps]


@pytest.mark.long
@pytest.mark.jit
@needs_numba
@needs_proc
def test_a_game_without_a_library_is_thought_about_plainly_until_one_has_been_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worker: SearchProcess
) -> None:
    monkeypatch.setenv("LUMIBAN_CACHE", str(tmp_path))
    ask(worker, 1, SIZE_3, "easy")
    wait(worker)
    assert not worker.compiled
    assert worker.pid is not None
    (compiling,) = children(worker.pid)
    assert is_compiled(worker)
    wait_for_end(compiling)
    ask(worker, 2, SIZE_3, "easy")
    assert not wait(worker)[0].failed
    assert children(worker.pid) == []


@pytest.fixture
def thinker(monkeypatch: pytest.MonkeyPatch) -> worker_process.SearchWorker:
    """A thinking process's inside, which hears nobody; no library is there, and what should
    compile ends at once, ill."""
    monkeypatch.setattr(worker_process.SearchWorker, "_listen", lambda *_: None)
    monkeypatch.setattr(jit, "has_library", lambda _: False)

    def begin(slug: str, options: object) -> Child[None]:
        return Child([sys.executable, "-c", "raise SystemExit(1)"])

    return worker_process.SearchWorker(io.BytesIO(b""), 1, begin)


def test_a_compiler_that_dies_leaves_a_bot_that_thinks_plainly(
    thinker: worker_process.SearchWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numba_available, "has_numba", lambda: True)
    thinker._warm(Warm("control", {}, ""))
    assert thinker._compiler is not None
    thinker._hear(thinker._inbox.get())
    thinker._warm(Warm("control", {}, ""))
    assert thinker._compiler is None, "once is enough"
    assert not thinker._is_ready(games.load("control"))


def test_numba_that_comes_while_a_table_plays_is_taken_up_with_the_next_question(
    thinker: worker_process.SearchWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numba_available, "has_numba", lambda: False)
    monkeypatch.setattr(numba_available, "has_come", lambda: False)
    thinker._warm(Warm("control", {}, ""))
    assert thinker._compiler is None, "nothing has come yet"
    monkeypatch.setattr(numba_available, "has_come", lambda: True)
    thinker._warm(Warm("control", {}, ""))
    assert thinker._compiler is not None
    thinker._compiler.wait()


@needs_proc
def test_the_worker_has_none_of_its_owners_sockets(worker: SearchProcess) -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.set_inheritable(True)
        ask(worker, 1, SIZE_3, "easy")
        wait(worker)
        assert worker.pid is not None
        held: list[str] = []
        for pid in (worker.pid, *children(worker.pid)):
            opened = Path(f"/proc/{pid}/fd").iterdir()
            # 0 to 2 are those that this run was started with, whatever they are.
            held += [str(fd.readlink()) for fd in opened if int(fd.name) > 2]
        assert held
        assert not [name for name in held if name.startswith("socket:")]


OWNER = """
import sys
from lumiban import games
from lumiban.search.worker import SearchProcess

game = games.load("control", size=5)
worker = SearchProcess()
worker.ask(1, "control", {"size": 5}, game.start(), "easy", 1)
while not worker.answers():
    pass
worker.ask(2, "control", {"size": 5}, game.start(), "strong", 1)
print(worker.pid, flush=True)
sys.stdin.read()
"""


@needs_proc
@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="no pidfd here")
def test_the_worker_dies_with_its_owner_even_when_that_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A cold cache: another process is in the middle of compiling.
    monkeypatch.setenv("LUMIBAN_CACHE", str(tmp_path))
    with subprocess.Popen(
        [sys.executable, "-c", OWNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as owner:
        pid = int(owner.stdout.readline())
        family = [pid, *children(pid)]
        owner.kill()
    assert len(family) == (2 if numba_available.has_numba() else 1)
    for member in family:
        wait_for_end(member)


def test_closing_ends_the_process_at_once() -> None:
    worker = SearchProcess()
    ask(worker, 1, SIZE_5, "strong")
    pid = worker.pid
    assert pid is not None
    before = getrusage(RUSAGE_CHILDREN).ru_utime
    worker.close()
    units = (getrusage(RUSAGE_CHILDREN).ru_utime - before) * 1e9 / pace.unit_ns()
    assert units < 3_000, "it thought to the end first"
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
