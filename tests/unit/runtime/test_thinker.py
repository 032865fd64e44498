"""The thinking process: there from a bot's first seat on, gone when two people have played on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import patience
import pytest
from lumiban import games
from lumiban.boards import profile as profiles
from lumiban.runtime.thinker import KEPT_S, Thinker
from lumiban.search.worker import SearchProcess
from lumiban.table.history import GameHistory
from lumiban.table.session import Session
from worker_bench import wait


class Process(SearchProcess):
    """Counts what it is told, and thinks nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []
        self.runs = self.thinks = False

    @property
    def pid(self) -> int | None:
        return 1 if self.runs else None

    def start(self) -> None:
        self.runs = True
        self.told.append("start")

    def warm(self, slug: str, options: Any, digest: str = "") -> None:
        self.told.append(slug)

    def rest(self) -> bool:
        self.runs = self.thinks
        return not self.thinks


class Later:
    """A loop's `call_later`, whose time is a test's."""

    def __init__(self) -> None:
        self.due: Callable[[], None] | None = None

    def __call__(self, wait_s: float, call: Callable[[], None]) -> Later:
        assert wait_s == KEPT_S
        self.due = call
        return self

    def cancel(self) -> None:
        self.due = None

    def passes(self) -> None:
        call, self.due = self.due, None
        assert call is not None
        call()


def history(*seats: str, game: str = "control") -> GameHistory:
    session = Session(games.load(game), profiles.load("hex5"), list(seats), now_us=0)
    return session.match.history


@contextmanager
def attending(*seats: str) -> Iterator[tuple[Process, Later, Thinker]]:
    process, later = Process(), Later()
    thinker = Thinker(process, later)
    thinker.attend(history(*seats))
    yield process, later, thinker
    thinker.close()


def test_two_people_play_without_a_thinking_process() -> None:
    with attending("human", "human") as (process, later, thinker):
        thinker.follow(history("human", "human"))
        assert (process.told, later.due) == ([], None)


def test_it_is_started_and_told_the_game_when_a_bot_sits_down_and_once_only() -> None:
    with attending("human", "human") as (process, _, thinker):
        for _ in range(2):
            thinker.follow(history("human", "bot:easy"))
        assert process.told == ["start", "control"]
        thinker.follow(history("human", "bot:easy", game="evening"))
        assert process.told[2:] == ["start", "evening"]


def test_it_ends_when_two_people_have_played_for_a_while_and_comes_back_for_a_bot() -> None:
    with attending("human", "bot:easy") as (process, later, thinker):
        thinker.follow(history("human", "human"))
        assert process.runs
        later.passes()
        assert not process.runs
        thinker.follow(history("human", "bot:easy"))
        assert process.told == ["start", "control"] * 2


def test_once_it_is_closed_no_bot_s_process_is_started() -> None:
    with attending("human", "human") as (process, _, thinker):
        pass
    thinker.follow(history("human", "bot:easy"))
    assert process.told == []


def test_a_bot_that_sits_down_again_meanwhile_keeps_it() -> None:
    with attending("human", "bot:easy") as (process, later, thinker):
        thinker.follow(history("human", "human"))
        thinker.follow(history("bot:easy", "human"))
        assert later.due is None
        assert process.runs


def test_while_the_coach_thinks_it_stays() -> None:
    with attending("human", "human") as (process, later, thinker):
        process.runs = process.thinks = True  # the coach's question has started it
        thinker.follow(history("human", "human"))
        later.passes()
        assert process.runs
        process.thinks = False
        later.passes()
        assert not process.runs


@pytest.mark.process
def test_a_process_at_rest_is_ended_and_the_next_question_starts_another() -> None:
    worker, game = SearchProcess(), games.load("control", size=3)
    try:
        worker.ask(1, "control", {"size": 3}, game.start(), "easy", 1)
        assert not worker.rest()
        (first,) = wait(worker)
        assert first.text
        assert worker.rest()
        assert worker.pid is None
        worker.ask(2, "control", {"size": 3}, game.start(), "easy", 1)
        (second,) = wait(worker)
        assert second.text == first.text
    finally:
        worker.close()


HEAVY = (
    "cyclopts", "numba", "numpy", "uvicorn", "starlette", "websockets", "sqlite3",
    "lumiban.scene.svg", "lumiban.boards.client", "lumiban.boards.gpio.pins", "lumiban.games.doves",
    "lumiban.web.app", "lumiban.search.worker_process", "lumiban.library.library", "lumiban_sim",
)  # fmt: skip


@pytest.mark.process
def test_what_a_table_is_put_together_of_imports_nothing_that_only_others_need() -> None:
    code = "import sys, lumiban.runtime.open_table;"
    code += f"print([name for name in {HEAVY} if name in sys.modules])"
    told = patience.run([sys.executable, "-c", code])
    assert told.stdout.strip() == "[]", told.stderr


@pytest.mark.process
def test_with_a_numba_that_does_not_import_bots_think_in_plain_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "numba"
    broken.mkdir()
    (broken / "__init__.py").write_text("raise ImportError('libLLVM.so is missing')\n", "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    # Kernels that an earlier start has kept would be found, and need no numba.
    monkeypatch.setenv("LUMIBAN_CACHE", str(tmp_path / "cache"))
    worker, game = SearchProcess(), games.load("control", size=3)
    try:
        worker.start()
        worker.warm("control", {"size": 3})
        for ticket in (1, 2):
            worker.ask(ticket, "control", {"size": 3}, game.start(), "easy", 1)
            (answer,) = wait(worker)
            assert (bool(answer.text), answer.reason) == (True, "")
        assert not worker.compiled
    finally:
        worker.close()
