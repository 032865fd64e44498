"""What counts as patience with another process: its sleep, and not the machine's load."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from lumiban.system import child
from lumiban.system.child import ProcessPatience, one_is_done


class Watched:
    """A process as /proc tells of it, and a clock."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now_s = 100.0
        self.threads: dict[str, tuple[str, float, float]] = {}
        self.spends("S")

    def spends(self, state: str, ran_s: float = 0.0, queued_s: float = 0.0) -> None:
        """One more thread's state, and what it has spent so far."""
        thread = self.folder / str(os.getpid()) / "task" / "7"
        thread.mkdir(parents=True, exist_ok=True)
        (thread / "stat").write_text(f"7 (a name) of (its) own) {state} 1 2 3", "utf-8")
        told = f"{int(ran_s * 1e9)} {int(queued_s * 1e9)} 12"
        (thread / "schedstat").write_text(told, "utf-8")

    def patience(self) -> ProcessPatience:
        return ProcessPatience(os.getpid(), 2.0, 30.0, clock=lambda: self.now_s, proc=self.folder)


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path)


def test_a_process_that_sleeps_is_given_up(watched: Watched) -> None:
    patience = watched.patience()
    for _ in range(3):
        watched.now_s += 0.5
        assert not patience.is_over()
    watched.now_s += 0.5
    assert patience.is_over()


def test_time_in_which_nobody_looked_does_not_count(watched: Watched) -> None:
    # It may have said what we, kept from running ourselves, have not read yet.
    patience = watched.patience()
    watched.now_s += 60.0
    assert not patience.is_over()


@pytest.mark.parametrize("state", ["R", "D", "T"])
def test_one_that_cannot_run_is_not(watched: Watched, state: str) -> None:
    patience = watched.patience()
    watched.spends(state)
    for _ in range(100):
        watched.now_s += 1.0
        assert not patience.is_over()


def test_time_in_which_it_waited_for_a_core_or_worked_does_not_count(watched: Watched) -> None:
    patience = watched.patience()
    for second in range(1, 10):
        watched.now_s += 1.0
        watched.spends("S", ran_s=0.3 * second, queued_s=0.6 * second)
        assert not patience.is_over()


def test_one_that_turns_in_a_circle_is_given_up(watched: Watched) -> None:
    patience = watched.patience()
    watched.now_s += 20.0
    watched.spends("R", ran_s=29.0)
    assert not patience.is_over()
    watched.spends("R", ran_s=31.0)
    assert patience.is_over()


def test_time_in_which_the_machine_slept_does_not_count(watched: Watched) -> None:
    patience = ProcessPatience(
        os.getpid(), 10.0, 30.0, clock=lambda: watched.now_s, proc=watched.folder
    )
    watched.now_s += 3600.0
    assert not patience.is_over()


def test_without_proc_its_life_counts(tmp_path: Path) -> None:
    now_s = 0.0
    patience = ProcessPatience(os.getpid(), 2.0, 30.0, clock=lambda: now_s, proc=tmp_path)
    looks = []
    for now_s in (0.7, 1.4, 2.1):  # noqa: B007  # the clock
        looks.append(patience.is_over())
    assert looks == [False, False, True]


async def test_whatever_comes_is_waited_for_until_patience_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(child, "LOOK_S", 0.0)
    comes = asyncio.get_running_loop().create_future()
    looks = 0

    def is_over() -> bool:
        nonlocal looks
        looks += 1
        if looks == 40:
            comes.set_result(None)
        return looks == 50

    never = asyncio.get_running_loop().create_future()
    assert await one_is_done([comes, never], is_over)
    assert looks == 40
    assert not await one_is_done([never], is_over)
    assert looks == 50
