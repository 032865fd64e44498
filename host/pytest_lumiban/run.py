"""The run over one real board: it is met first, watched, and judged again where this computer was
late.

Before the first test the board must be empty. While tests run a control task measures how late this
computer is. A test that failed is run once more, and is *flaky* when it passes then; while the
computer is late it is run up to three times, and is *inconclusive* when it never came to a clear
end: to pytest and to JUnit a skipped test.

Exit codes: pytest's own, and 3 where there is no board that can be tested, it went away, or none
failed but some are inconclusive.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.runner import runtestprotocol
from lumiban.boards.ports import localized
from lumiban.errors import BoardError, LinkLost, LumibanError, UsageError

from pytest_lumiban import remote
from pytest_lumiban.board import is_ours
from pytest_lumiban.claims import Inconclusive
from pytest_lumiban.lateness import BUSY_US, Lateness
from pytest_lumiban.remote import RealBoard

if TYPE_CHECKING:
    from pytest_lumiban.bench import Backend

NAME = "lumiban-board-run"
NO_BOARD = 3
TRIES = 3
"""Of a test that fails while this computer is late."""
ADVICE = dict.fromkeys(("greeting", "readings", "restarts", "events", "injected"), "firmware") | {
    "cells": "cells", "lights": "lights", "line": "line",
}  # fmt: skip
"""What is to be checked when a test of the suite fails, by its file: ids of the catalogue."""
FLAKY, INCONCLUSIVE = "flaky", "inconclusive"
LETTERS = {FLAKY: "~", INCONCLUSIVE: "?"}


def tell(config: pytest.Config, words: str) -> None:
    """Write past pytest, for the person at the board."""
    capture: Any = config.pluginmanager.get_plugin("capturemanager")
    with capture.global_and_fixture_disabled():
        print(f"\n>>> {words}", file=sys.stderr, flush=True)


class BoardRun:
    """A plugin of this run, which has met the board that was asked for."""

    def __init__(self, config: pytest.Config, asked: str) -> None:
        self._config = config
        self._asked = asked
        self._late = Lateness()
        self._late.start()
        self._is_open = False
        """The newest try ended without an answer in time."""
        self.board = self._met()

    def _met(self) -> RealBoard:
        """Meet the board; the run ends with 3 where there is none to test."""
        try:
            tell(self._config, localized("hil.begin", port=self._asked))
            board = remote.meet(self._asked, self._config.getoption("--lumiban-profile"))
            board.measure()
            if board.standing:
                raise BoardError(localized("hil.not-empty", cells=", ".join(board.standing)))
        except LumibanError as error:
            self._late.stop()
            tell(self._config, f"lumiban: {error}")
            pytest.exit(localized("hil.nothing-tested"), returncode=NO_BOARD)
        return board

    @pytest.hookimpl(tryfirst=True)
    def pytest_lumiban_backend(self, name: str) -> Backend | None:
        """The way to the board that was met."""
        if name != self._asked:
            return None
        return remote.backend(self.board, is_attended=self._config.getoption("--lumiban-hands"))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Say how the board and this computer respond."""
        late_us = self._late.take_worst_us()
        answer_us = self.board.figures.number("answer_us", 0.0)
        ms, tests = f"{answer_us / 1000:.1f}", len(session.items)
        tell(self._config, localized("hil.ready", ms=ms, late=_ms(late_us), tests=tests))
        for finding in self.board.findings:
            tell(self._config, localized(finding.id, **finding.said))
        if late_us > BUSY_US:
            tell(self._config, localized("hil.busy", ms=_ms(late_us)))

    # Its tests.

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """Run a test, once more where it failed, again where this computer was too late to say
        why."""
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        late_us, first = 0, ""
        for number in range(1, TRIES + 1):
            self._late.take_worst_us()
            self._is_open = False
            reports = runtestprotocol(item, log=False, nextitem=nextitem)
            now_us = self._late.take_worst_us()
            late_us = max(late_us, now_us)
            failed = [one for one in reports if one.failed]
            if not failed:
                if first and late_us <= BUSY_US:
                    self._call_flaky(reports, first)
                break
            is_unclear = now_us > BUSY_US or self._is_open
            if number == TRIES or (number > 1 and not is_unclear):
                if is_unclear:
                    _call_inconclusive(failed, late_us)
                break
            first = first or _last_line(failed[0])
            item._initrequest()  # type: ignore[attr-defined]  # as pytest does before a test
        for one in reports:
            item.ihook.pytest_runtest_logreport(report=one)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _call_flaky(self, reports: list[pytest.TestReport], first: str) -> None:
        sentence = localized("hil.flaky", why=first)
        for one in reports:
            one.user_properties.append((FLAKY, sentence))
            if one.when == "call" and self._config.getoption("--lumiban-flaky-fails"):
                one.outcome, one.longrepr = "failed", sentence

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        """Note an answer that came too late, and end a run whose board went away."""
        report = yield
        fault = call.excinfo and call.excinfo.value
        self._is_open |= isinstance(fault, Inconclusive)
        if isinstance(fault, LinkLost):
            item.session.shouldstop = str(fault)
        about = ADVICE.get(item.path.stem.removeprefix("test_"))
        if report.failed and about is not None:
            is_others = about == "firmware" and not is_ours(self.board.hello.firmware)
            report.sections.append(
                ("check", localized(f"hil.check.{'other' if is_others else about}"))
            )
        return report

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Count what was flaky or inconclusive apart."""
        told = dict(report.user_properties)
        if report.skipped and INCONCLUSIVE in told:
            name = INCONCLUSIVE
        elif report.passed and report.when == "call" and FLAKY in told:
            name = FLAKY
        else:
            return None
        return name, LETTERS[name], name.upper()

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """End the control task; an inconclusive run has its own exit code."""
        self._late.stop()
        terminal: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        is_good = session.exitstatus == pytest.ExitCode.OK
        if session.shouldstop or (is_good and terminal.stats.get(INCONCLUSIVE)):
            session.exitstatus = NO_BOARD

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say why tests were flaky or inconclusive."""
        line = terminalreporter.write_line
        for name, letter in LETTERS.items():
            for one in terminalreporter.stats.get(name, ()):
                line(f"{letter} {one.nodeid}\n  {dict(one.user_properties)[name]}")

    def pytest_unconfigure(self) -> None:
        """Let go of the board."""
        self.board.close()


def _call_inconclusive(failed: list[pytest.TestReport], late_us: int) -> None:
    for one in failed:
        busy = localized("hil.busy.test", times=TRIES, ms=_ms(late_us))
        words = f"{busy}. {_last_line(one)}"
        one.user_properties.append((INCONCLUSIVE, words))
        one.sections.append((INCONCLUSIVE, one.longreprtext))
        path, line, _ = one.location
        # Where a test was skipped is a triple to every plugin that reports it.
        one.outcome, one.longrepr = "skipped", (path, line or 0, f"{INCONCLUSIVE}: {words}")


def _last_line(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(crash.message if crash else report.longreprtext).partition("\n")[0]


def _ms(us: int) -> str:
    return f"{us / 1000:.0f}"


def begin(config: pytest.Config, boards: list[str]) -> None:
    """Make this session the run over a real board, if one is asked for; UsageError."""
    # A board that a conftest.py brings is its own, whatever its name.
    hook = config.hook.pytest_lumiban_backend
    real = [
        name for name in boards if hook(config=config, name=name) is None and remote.is_real(name)
    ]
    if not real:
        return
    if len(boards) > 1:
        raise UsageError(f"{real[0]} is a real board: test it alone")
    if config.getoption("numprocesses", None):
        raise UsageError(f"{real[0]} is one board: its tests run one after the other, with -n 0")
    # In the order of the document, one after the other; and a person may take their time.
    for option, value in (("randomly_reorganize", False), ("timeout", 0)):
        if hasattr(config.option, option):
            setattr(config.option, option, value)
    if not config.option.collectonly:
        config.pluginmanager.register(BoardRun(config, real[0]), NAME)
