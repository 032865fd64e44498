"""The run over a board on a port: it is met first, and a report is written at the end.

Exit codes: 0 all passed, 1 a test failed, 3 there is no board.
"""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path

import pytest
from _pytest.capture import CaptureManager
from contract import asking
from contract.serial_bench import OnPort
from lumiban.boards import hil
from lumiban.boards.hil import Ran, Report
from lumiban.catalogue import terminal_language, text
from lumiban.errors import LumibanError

ROOT = Path(__file__).parents[2]
MARKS = ("hands_free", "hands", "jig")
NO_BOARD = 3
MOST_LINES = 12
"""Of changes on the terminal; the page has all of them."""


class HardwareRun:
    """A plugin of this run: collects what came out and writes report.json, junit.xml, the page."""

    def __init__(self, config: pytest.Config) -> None:
        self.folder = Path(config.getoption("--report"))
        self.board: OnPort | None = None
        self.report = Report(datetime.now().astimezone().isoformat(timespec="seconds"))
        self._marks: dict[str, list[str]] = {}
        self._config = config
        against = config.getoption("--against")
        self._before = hil.read(Path(against)) if against else None

    def pytest_sessionstart(self) -> None:
        asking.tell = self._tell
        if self._config.getoption("collectonly"):
            return
        try:
            port = self._config.getoption("--port")
            self.board = OnPort.opened(port, self._config.getoption("--profile"))
            self.board.measure()
            if jig := self._config.getoption("--jig"):
                self.board.join(jig)
        except LumibanError as error:
            pytest.exit(f"lumiban: {error}", returncode=NO_BOARD)
        self.report.board = self.board.about()
        figures = self.board.figures
        self.report.figures = {
            name: {"assumed": _one(figures.assumed.get(name)), "measured": _one(value)}
            for name, value in figures.measured.items()
        }

    def _tell(self, words: str) -> None:
        capture = self._config.pluginmanager.get_plugin("capturemanager")
        assert isinstance(capture, CaptureManager)
        with capture.global_and_fixture_disabled():
            print(f"\n>>> {words}", file=sys.stderr, flush=True)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            marks = [name for name in MARKS if item.get_closest_marker(name)]
            self._marks[item.nodeid] = marks

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call" and report.outcome == "passed":
            return
        message = "" if report.outcome == "passed" else report.longreprtext
        if report.outcome == "skipped" and isinstance(report.longrepr, tuple):
            message = str(report.longrepr[2])
        marks = self._marks.get(report.nodeid, [])
        told = Ran(report.nodeid, marks, report.outcome, round(report.duration, 2), message[-4000:])
        self.report.tests.append(told)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.board is None:
            return
        language = terminal_language()
        differences = None if self._before is None else hil.changes(self._before, self.report)
        (self.folder / "report.json").write_text(self.report.text(), "utf-8")
        page = hil.page(self.report, differences, language)
        (self.folder / "report.html").write_text(page, "utf-8")
        model = self.report.board["model"]
        terminalreporter.write_line(text("hil.title", language, model=model))
        for one in (differences or [])[:MOST_LINES]:
            terminalreporter.write_line(f"· {one.sentence(language)}")
        if len(differences or []) > MOST_LINES:
            terminalreporter.write_line(f"· … {len(differences or []) - MOST_LINES}")
        if differences == []:
            terminalreporter.write_line(text("hil.changes.none", language))
        for name in ("report.html", "report.json", "junit.xml"):
            terminalreporter.write_line(f"  {self.folder / name}")

    def pytest_unconfigure(self) -> None:
        if self.board is not None:
            self.board.line.close()


def _one(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def begin(config: pytest.Config) -> None:
    """Make a run over a port of this session: only the contract, with its report."""
    if config.args_source != pytest.Config.ArgsSource.ARGS:
        config.args = [str(ROOT / "tests" / "contract")]
    try:
        run = HardwareRun(config)
        run.folder.mkdir(parents=True, exist_ok=True)
    except (LumibanError, OSError) as error:
        pytest.exit(f"lumiban: {error}", returncode=2)
    config.option.xmlpath = config.option.xmlpath or str(run.folder / "junit.xml")
    config.pluginmanager.register(run, "lumiban-hardware-run")


def board_of(config: pytest.Config) -> OnPort:
    """The board of this session."""
    run = config.pluginmanager.get_plugin("lumiban-hardware-run")
    assert isinstance(run, HardwareRun)
    assert run.board is not None
    return run.board
