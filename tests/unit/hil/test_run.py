"""The hardware run judges the board, not the computer it runs on."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from junit_file import read
from lumiban.boards.profile import load
from lumiban_fw import wire
from pytest_lumiban.bench import Bench
from pytest_lumiban.lateness import STEP_S, Lateness
from pytest_lumiban.plain_host import PlainHost
from pytest_lumiban.probe import Missed
from sentences import says, sentence

PLUGIN = ("-p", "pytest_lumiban.plugin")
CONFTEST = """
from types import SimpleNamespace
from lumiban.maker.doctor import Finding
from lumiban.maker.health import Figures
from pytest_lumiban import remote, run
import late

figures = Figures("", measured={"answer_us": late.ANSWER_US}, assumed={"answer_us": 1500})
board = SimpleNamespace(
    measure=lambda: None, standing=late.STANDING, figures=figures, close=lambda: None,
    findings=[Finding("selftest.answers.slow", "bad", {"p50": "12", "p99": "30"})],
    hello=SimpleNamespace(firmware=late.FIRMWARE),
)
remote.meet = lambda name, profile: board
run.Lateness = lambda: SimpleNamespace(
    start=lambda: None, stop=lambda: None, take_worst_us=late.take
)
"""

LATE = """
ANSWER_US, STANDING, FIRMWARE = {answer_us}, {standing}, {firmware}
now_us = 0

def take():
    global now_us
    taken, now_us = now_us, 0
    return taken
"""


def run(
    folder: Path,
    tests: str,
    *words: str,
    answer_us: int = 400,
    standing: tuple[str, ...] = (),
    firmware: int = 3,
) -> tuple[int, str, list[str]]:
    """Exit code and output of a run of these tests over a board by script, and JUnit's outcomes."""
    late = LATE.format(answer_us=answer_us, standing=standing, firmware=firmware)
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "late.py").write_text(late)
    (folder / "test_lights.py").write_text(tests)
    xml = folder / "junit.xml"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", *PLUGIN, "-rs",
         "--lumiban-board", "serial:x", "--junitxml", str(xml), *words,
         str(folder / "test_lights.py")],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "LUMIBAN_LANG": "en"},
        capture_output=True,
        text=True,
    )  # fmt: skip
    outcomes = list(read(xml).tests.values()) if xml.exists() else []
    return done.returncode, done.stdout + done.stderr, outcomes


FAILS_WHILE_BUSY = """
import late
tried = []
def test_a_light_comes_on():
    late.now_us = 31_000
    assert False
def test_another_comes_on_at_the_second_try():
    tried.append(1)
    late.now_us = 31_000
    assert len(tried) > 1
def test_it_is_warm():
    late.now_us = 1_000_000
"""


@pytest.mark.process
def test_what_fails_while_the_computer_is_busy_is_run_again_and_then_inconclusive(
    tmp_path: Path,
) -> None:
    code, said, outcomes = run(tmp_path, FAILS_WHILE_BUSY)
    assert code == 3
    assert outcomes == ["inconclusive", "passed", "passed"]
    assert "test_a_light_comes_on INCONCLUSIVE" in said
    assert "test_another_comes_on_at_the_second_try PASSED" in said
    assert "2 passed, 1 inconclusive" in said
    assert "this computer was busy: scheduled work ran up to 31 ms late" in said
    assert "Traceback" not in said
    assert "INTERNALERROR" not in said
    skipped = ElementTree.parse(tmp_path / "junit.xml").find(".//skipped")
    assert skipped is not None
    assert "inconclusive: it failed 3 times" in str(skipped.get("message"))


FLAKY = """
tried = []
def test_a_light_comes_on():
    tried.append(1)
    assert len(tried) > 1, "no light"
"""


@pytest.mark.process
@pytest.mark.parametrize(
    ("words", "code", "count"),
    [((), 0, "1 flaky"), (("--lumiban-flaky-fails",), 1, "1 failed")],
)
def test_what_fails_once_is_flaky_and_a_failure_where_that_is_asked_for(
    tmp_path: Path, words: tuple[str, ...], code: int, count: str
) -> None:
    got, said, _ = run(tmp_path, FLAKY, *words)
    assert got == code
    assert count in said
    assert "it failed, and passed when it was run again. The first time: AssertionError" in said


@pytest.mark.process
def test_a_board_that_goes_away_ends_the_run_with_its_report(tmp_path: Path) -> None:
    tests = """
from lumiban.errors import LinkLost
def test_a_light_comes_on():
    raise LinkLost("the board on x is away")
def test_another_comes_on():
    pass
"""
    code, said, outcomes = run(tmp_path, tests)
    assert code == 3
    assert "the board on x is away" in said
    assert outcomes == ["failed"]


@pytest.mark.process
def test_what_fails_on_a_computer_that_is_on_time_is_the_board_s_and_said_so(
    tmp_path: Path,
) -> None:
    tests = """
import late
from pytest_lumiban.probe import Missed
def test_a_light_comes_on():
    late.now_us = 29_000
    raise Missed("the light did not come within 50 ms")
def test_a_third_comes_on():
    late.now_us = 31_000
    assert False
"""
    code, said, outcomes = run(tmp_path, tests)
    assert code == 1
    assert outcomes == ["failed", "inconclusive"]
    assert "Missed: the light did not come within 50 ms" in said
    assert says(said, "hil.check.lights")


@pytest.mark.process
@pytest.mark.parametrize(("firmware", "is_told_to_flash"), [(3, True), (0x43000001, False)])
def test_only_our_own_firmware_is_told_to_be_flashed_anew(
    tmp_path: Path, firmware: int, is_told_to_flash: bool
) -> None:
    tests = "def test_it(): assert False"
    (tmp_path / "test_greeting.py").write_text(tests)
    words = ("--deselect", "test_lights.py", str(tmp_path / "test_greeting.py"))
    _, said, _ = run(tmp_path, "", *words, firmware=firmware)
    assert "test_it FAILED" in said
    assert ("flash" in said) == is_told_to_flash


@pytest.mark.process
def test_a_board_that_is_not_empty_is_told_before_any_test_and_how_it_responds(
    tmp_path: Path,
) -> None:
    passes = "def test_a(): pass"
    code, said, outcomes = run(tmp_path, passes, standing=("a1", "c3"))
    assert (code, outcomes) == (3, [])
    assert "there are pieces on the board: a1, c3" in said
    code, said, _ = run(tmp_path, passes, answer_us=12_000)
    assert code == 0
    assert "responds in 12.0 ms" in said
    assert says(said, "selftest.answers.slow", p50="12")


def test_lateness_is_what_a_sleep_takes_too_long() -> None:
    now, extra_s = 0.0, [0.001, 0.2, 0.0, 0.004]

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds + extra_s.pop(0)

    late = Lateness(clock=lambda: now, sleep=sleep)
    assert late.take_worst_us() == 0
    late.step()
    late.step()
    assert late.take_worst_us() == 200_000
    late.step()
    late.step()
    assert late.take_worst_us() == 4_000
    assert STEP_S < 0.01


# A board on a real line.


class Line(Bench):
    """A board by script on a line of that kind: it beats, and what `act` returns comes with it.

    The computer stalls for `stall_us` at its third look.
    """

    name = "serial"
    now_us = 0
    profile = load("hex3")
    can: frozenset[str] = frozenset()

    def __init__(self, act: Callable[[int], bytes], stall_us: int = 0, beats: bool = True) -> None:
        self.now_us = self.board_us = self.looks = 0
        self.stall_us = stall_us
        self._act = act
        self._beats = beats

    def write(self, data: bytes) -> None:
        pass

    def read(self, until_us: int) -> bytes:
        self.looks += 1
        self.board_us += until_us - self.now_us
        self.now_us = until_us + (self.stall_us if self.looks == 3 else 0)
        beat = wire.frame(wire.B_BEAT, wire.pack_board_beat(self.board_us, self.board_us))
        return (beat if self._beats else b"") + self._act(self.board_us)


def host_on(line: Line) -> PlainHost:
    return PlainHost(line)


def event(number: int, cell: int, kind: int, t_us: int) -> bytes:
    return wire.frame(wire.B_EVENTS, wire.pack_events(number, t_us, [(cell, kind, t_us, 500)]))


def test_a_computer_that_stalls_makes_nothing_late() -> None:
    line = Line(lambda us: event(0, 4, wire.WHITE, us) if us > 1_000_000 else b"", 30_000_000)
    host = host_on(line)
    host.wait(lambda: bool(host.events), 2_000_000, what="event")
    assert line.now_us > 30_000_000


def test_what_does_not_come_by_the_board_s_clock_is_named_with_what_came(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LUMIBAN_LANG", "en")
    host = host_on(Line(lambda us: event(0, 4, wire.WHITE, us)))
    with pytest.raises(Missed) as missed:
        host.wait(lambda: len(host.events) == 2, 2_000_000, what="event")
    assert str(missed.value) == (
        sentence("hil.did-not-come", what="event 2", ms="2000", told="d2 white")
    )
    host.put(wire.H_LAYER, b"")
    with pytest.raises(
        Missed, match="did not acknowledge LAYER within 3000 ms, though it is sending"
    ):
        host.wait(lambda: host.done, what="acknowledge")


def test_a_board_that_says_nothing_is_silent_whatever_the_computer_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LUMIBAN_LANG", "en")
    line = Line(lambda us: b"", 30_000_000, beats=False)
    host = host_on(line)
    with pytest.raises(Missed, match="sent nothing for 2000 ms: check its cable"):
        host.wait(lambda: False, 2_000_000)
    assert line.looks > 200
