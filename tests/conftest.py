"""What all tests share: marks by folder, the slow suites, tests that run alone, command lines."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any

import pace
import psutil
import pytest
import thorough
from hypothesis import HealthCheck, settings
from places import TESTS

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Run

os.environ["LUMIBAN_RUN"] = "lumiban"  # as tests expect commands to be named
# What a test writes into no state of its own is no business of whoever runs the tests.
os.environ["LUMIBAN_HOME"] = tempfile.mkdtemp(prefix="lumiban-tests-")
IN_CI = os.environ.get("LUMIBAN_CI") == "1"
NEEDS = ("jit", "process", "browser", "vm", "chip", "slow", "long", "alone")
"""Marks of tests that `./run test` leaves to `./run test --ci`."""
BY_FOLDER = {
    "e2e/page": "browser",
    "e2e/virtual": "slow",
    "fuzz": "slow",
    "slow": "slow",
}
"""Of all tests in a folder, but for those that are marked `unit`."""
BY_BOARD = {"vm": "vm", "gpio": "slow", "rp2040": "chip"}
"""Of the contract, by the board that a test is held against."""
NOT_THERE = ("real board", "UF2", "untested: the board has no")
"""Skips that the full run may have: no board, no image of MicroPython, what a board cannot do."""
MAX_UNITS = 400
"""Processor time of a unit test in units of pace.py: a quarter of a second of a desktop of 2023.
What needs more is told at the end and fails nothing: a host takes processor time of its guests."""
LONG_S = 4 * 3600
"""The whole of a slow suite may take so long; any other test two minutes (pyproject.toml)."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--ci", action="store_true", help="every test, slices of the slow suites")
    parser.addoption("--all", action="store_true", help="the slow suites too, whole")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    if config.getoption("numprocesses", None) and config.option.dist == "no":
        config.option.dist = "loadfile"  # else two workers would make one file's fixtures


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> Any:
    """Where workers shared the tests of the full run, run those that claim real time after them."""
    result = yield
    config = session.config
    if config.getoption("numprocesses", None) and _is_whole(config) and exitstatus <= 1:
        words = [sys.executable, "-m", "pytest", *config.invocation_params.args]
        if config.args_source is config.ArgsSource.TESTPATHS:  # to collect all takes half a minute
            files = sorted(TESTS.rglob("test_*.py"))
            words += [one for one in files if "mark.alone" in one.read_text("utf-8")]
        told = subprocess.run([*words, "-n", "0", "-m", "alone"], check=False).returncode
        if told != pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = max(exitstatus, told)
    return result


def _is_whole(config: pytest.Config) -> bool:
    return bool(config.getoption("--ci") or config.getoption("--all"))


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    # Ten thousand collected tests are a million objects that stay: seldom walked, they cost less.
    gc.set_threshold(50_000, 50, 1_000)
    thorough.is_whole |= _is_whole(config)
    # No test asserts wall time: on a busy machine an example may take as long as it likes. A law is
    # tried with the same examples each time; --all looks for others.
    settings.register_profile(
        "lumiban",
        deadline=None,
        derandomize=not config.getoption("--all"),
        suppress_health_check=[HealthCheck.too_slow],
        max_examples=thorough.examples(100),
    )
    settings.load_profile("lumiban")
    if IN_CI:
        config.option.lumiban_flaky_fails = True


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()


# Before pytest looks for what -m asks for.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        _mark(item)
    if hasattr(config, "workerinput"):
        alone = [item for item in items if item.get_closest_marker("alone")]
        config.hook.pytest_deselected(items=alone)
        items[:] = [item for item in items if not item.get_closest_marker("alone")]


def _mark(item: pytest.Item) -> None:
    """Give a test the marks of its folder, board and case, and `unit` where it has no need."""
    if item.path.is_relative_to(TESTS):
        folder = item.path.relative_to(TESTS).as_posix()
        for start, need in BY_FOLDER.items():
            if folder.startswith(start + "/") and not item.get_closest_marker("unit"):
                item.add_marker(need)
    if isinstance(item, pytest.Function) and hasattr(item, "callspec"):
        params = item.callspec.params
        board = params.get("on") or getattr(params.get("lumiban_backend"), "name", "")
        on, _, switches = str(board).partition(" ")
        if switches:
            item.add_marker("slow")
        if on in BY_BOARD:
            item.add_marker(BY_BOARD[on])
        if item.get_closest_marker("one_case") and any(item.callspec.indices.values()):
            item.add_marker("slow")
    if not any(item.get_closest_marker(need) for need in NEEDS):
        item.add_marker("unit")
    if item.get_closest_marker("long"):
        item.add_marker(pytest.mark.timeout(LONG_S))
        if not item.config.getoption("--all"):
            item.add_marker(pytest.mark.skip(reason="slow: ./run test --all"))


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_timeout_set_timer() -> Any:
    """When a test's time is up end first what it has started: the test may wait for that."""
    result = yield
    told = signal.getsignal(signal.SIGALRM)

    def end(number: int, frame: Any) -> None:
        for child in psutil.Process().children(recursive=True):
            child.kill()
        assert callable(told)
        told(number, frame)

    signal.signal(signal.SIGALRM, end)
    return result


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Any:
    """A unit test's processor time goes with its report."""
    if not item.get_closest_marker("unit"):
        return (yield)
    # Of this thread: what another test left to compile in one of its own is none of this one's.
    begun_ns = time.thread_time_ns()
    result = yield
    units = (time.thread_time_ns() - begun_ns) / pace.unit_ns()
    if units > MAX_UNITS:
        item.user_properties.append(("units", units))
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """In the full run a skip for a missing tool is a failure; a slow suite's skip is not."""
    report = yield
    if IN_CI and not item.get_closest_marker("long"):
        _fail_skipped(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Any:
    """So is that of a whole file."""
    report = yield
    if IN_CI:
        _fail_skipped(report)
    return report


def _fail_skipped(report: pytest.TestReport | pytest.CollectReport) -> None:
    if report.skipped:
        told = report.longrepr
        reason = str(told[2] if isinstance(told, tuple) else told)
        if not any(missing in reason for missing in NOT_THERE):
            report.outcome = "failed"
            report.longrepr = f"skipped in the full run: {reason}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The unit tests to be marked, and the order in which the tests ran, to be had again."""
    for report in terminalreporter.stats.get("passed", ()):
        for units in (value for name, value in report.user_properties if name == "units"):
            told = f"{report.nodeid} needs {units:.0f} units of processor time"
            terminalreporter.write_line(f"{told}: mark it slow or one_case (CONTRIBUTING.md)")
    seed = terminalreporter.config.getoption("randomly_seed", None)
    if seed is not None:
        terminalreporter.write_line(f"this order again: -p randomly --randomly-seed={seed}")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs a command line with a state of its own; gives its exit code, stdout and stderr."""
    from lumiban import cli

    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LUMIBAN_LANG", "en")

    def run_one(*words: str) -> tuple[int, str, str]:
        code = cli.run(words)
        out, err = capsys.readouterr()
        return code, out, err

    return run_one
