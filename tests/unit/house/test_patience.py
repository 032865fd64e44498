"""Patience ends a true hang, and nothing that is only kept waiting."""

from __future__ import annotations

import asyncio
import re
import signal
import subprocess
import sys
import threading

import patience
import pytest
from patience import IDLE_S, WORK_S, Hung, Look, Patience
from places import TESTS


def after(*looks: Look) -> Patience:
    counted = Patience()
    for look in looks:
        counted.count(look)
    return counted


def every_second(seconds: int, ran: float = 0.0, queued: float = 0.0, **more: bool) -> Patience:
    """What is counted where one process runs and queues so much of each second."""
    return after(
        *(Look(float(n), {"1": ran * n}, {"1": queued * n}, **more) for n in range(seconds + 1))
    )


def test_a_minute_in_which_all_slept_is_a_hang() -> None:
    assert not every_second(int(IDLE_S) - 1).is_over
    assert every_second(int(IDLE_S)).is_over


def test_what_came_in_time_is_not_counted_against_what_comes_next() -> None:
    counted = every_second(int(IDLE_S) - 1)
    counted.renew()
    counted.count(Look(IDLE_S, {"1": 0.0}, {"1": 0.0}))
    assert not counted.is_over


def test_who_waits_for_a_core_or_the_disk_is_not_idle() -> None:
    starved = every_second(600, ran=0.1, queued=0.9)
    assert (starved.idled_s, starved.is_over) == (pytest.approx(0.0, abs=1e-9), False)
    assert not every_second(600, at_disk=True).is_over


def test_a_heartbeat_is_no_progress() -> None:
    assert every_second(70, ran=0.05, queued=0.05).is_over


def test_what_works_for_ever_is_a_hang() -> None:
    assert not every_second(int(WORK_S) - 1, ran=1.0).is_over
    assert every_second(int(WORK_S) + 1, ran=1.0).is_over


def test_a_machine_that_stood_still_counts_as_one_look() -> None:
    assert after(Look(0, {"1": 1.0}, {}), Look(3600, {"1": 1.0}, {})).idled_s == patience.LOOK_S


def test_processes_that_come_and_go_are_counted_once_each() -> None:
    counted = after(
        Look(0, {"1": 5.0}, {}),
        Look(1, {"1": 5.0, "2": 0.5}, {}),
        Look(2, {"1": 5.25}, {}),
        Look(3, {"1": 0.125}, {}),  # another process of that number
    )
    assert (counted.worked_s, counted.idled_s) == (0.875, 0.5 + 0.75 + 0.875)


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="what others spend is listed in /proc")
def test_the_work_of_a_child_and_of_its_child_is_seen() -> None:
    works = "import time\nwhile time.process_time() < 0.3: pass\nprint(flush=True); input()"
    starts = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {works!r}])"
    before = patience.look()
    with subprocess.Popen(
        [sys.executable, "-c", starts], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert patience.line(process) == b"\n"
        now = patience.look()
        assert len(patience.family(process.pid)) == 2
        process.communicate(b"\n")
    assert patience.grown(before.ran_s, now.ran_s) >= 0.3


@pytest.mark.process
def test_a_process_that_hangs_is_killed_with_all_that_it_started() -> None:
    sleeps = "import time; print(flush=True); time.sleep(600)"
    starts = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {sleeps!r}])"
    with subprocess.Popen([sys.executable, "-c", starts], stdout=subprocess.PIPE) as process:
        assert patience.line(process) == b"\n"
        with pytest.raises(Hung, match="never comes"):
            # Its pipe is at its end when the last process that holds it is gone.
            patience.finish(process, idle_s=0.1)
        assert process.returncode == -signal.SIGKILL


@pytest.mark.slow
def test_a_task_that_hangs_is_cancelled_and_said_to_hang_whatever_its_loop_s_time() -> None:
    class StandsStill(asyncio.SelectorEventLoop):
        def time(self) -> float:
            return 5.0

    async def hang() -> None:
        async with patience.patient(idle_s=0.1):
            await asyncio.get_running_loop().create_future()

    with asyncio.Runner(loop_factory=StandsStill) as runner, pytest.raises(Hung):
        runner.run(hang())


async def test_a_time_out_of_the_test_itself_is_passed_on() -> None:
    with pytest.raises(TimeoutError):
        await patience.patiently(asyncio.wait_for(asyncio.Event().wait(), 0))


@pytest.mark.slow
def test_a_condition_that_never_comes_is_a_hang() -> None:
    times = iter((0, 0, 1))
    patience.until(lambda: next(times))
    with pytest.raises(Hung):
        patience.until(lambda: False, idle_s=0.1)
    there = threading.Event()
    with pytest.raises(Hung):
        patience.happens(there, idle_s=0.1)
    patience.happens(there)


@pytest.mark.process
def test_what_is_run_gives_its_code_and_what_it_said() -> None:
    done = patience.run([sys.executable, "-c", "print(input()); exit(3)"], input="heard\n")
    assert (done.returncode, done.stdout, done.stderr) == (3, "heard\n", "")


BY_THE_CLOCK = re.compile(
    r"\btimeout=(?!None\b|\{)|\basyncio\.(?:timeout|wait_for)\(|\btime\.(?:sleep|monotonic|time)\("
    r"|\.(?:wait|join|acquire)\([1-9]\d{0,2}\)"
)
OF_ANOTHER_TIME = {
    "support/patience.py": "here alone the clock is looked at",
    "unit/house/test_patience.py": "these lines",
    "support/pty_board.py": "the loop's own time, which no load changes",
    "unit/search/test_jit.py": "the ages of files",
    "unit/study/test_study.py": "workers that sleep for ever, as a task",
    "support/killed_lives.py": "moments of death by chance, and what a run took",
    "support/cut_lives.py": "what a run took",
    "support/mutants.py": "what a run took",
    "unit/scripting/test_scripting.py": "the simulated board's time",
}
OTHERS = ("support/idle.py", "contract/")
"""What is measured, and a real board's own time."""


def test_nothing_else_in_the_tests_waits_by_the_clock() -> None:
    found = [
        f"{name}:{number}: {line.strip()}"
        for path in sorted(TESTS.rglob("*.py"))
        if not (name := path.relative_to(TESTS).as_posix()).startswith(OTHERS)
        and name not in OF_ANOTHER_TIME
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if BY_THE_CLOCK.search(line)
    ]
    assert found == []
