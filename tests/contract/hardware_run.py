"""The run over a board on a port: it is met first, and a report is written at the end.

Before the first test the board must be empty and its line quick. While tests run a control task
measures how late this computer is: a test that fails meanwhile is run again, and inconclusive
when it never came to a clear end.

Exit codes: 0 all passed, 1 a test failed, 3 there is no board that can be tested, or none failed
but some are inconclusive.
"""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path

import pytest
from _pytest.capture import CaptureManager
from _pytest.runner import runtestprotocol
from contract import asking
from contract.load import BUSY_US, Lateness
from contract.plain_host import Missed
from contract.serial_bench import OnPort
from lumiban.errors import BoardError, LumibanError
from lumiban.i18n import terminal_language, text
from lumiban.maker import hil
from lumiban.maker.hil import FAILED, INCONCLUSIVE, Ran, Report

ROOT = Path(__file__).parents[2]
MARKS = ("hands_free", "hands")
NO_BOARD = 3
TRIES = 3
"""Of a test that fails while this computer is busy."""
SLOW_ANSWER_MS = 60
"""A line whose answers take longer is half the time after which the tests send again."""
MOST_LINES = 12
"""Of changes on the terminal; the page has all of them."""


class HardwareRun:
    """A plugin of this run: collects what came out and writes report.json, junit.xml, the page."""

    def __init__(self, config: pytest.Config) -> None:
        self.folder = Path(config.getoption("--report"))
        # Claims in the order of the document, and a person may take their time.
        config.option.randomly_reorganize, config.option.timeout = False, 0
        self.board: OnPort | None = None
        self.report = Report(datetime.now().astimezone().isoformat(timespec="seconds"))
        self._marks: dict[str, list[str]] = {}
        self._config = config
        self.lateness = Lateness()
        self._count = self._begun = 0
        self._sentences: dict[str, str] = {}
        against = config.getoption("--against")
        self._before = hil.read(Path(against)) if against else None

    def pytest_sessionstart(self) -> None:
        asking.tell = self._tell
        if self._config.getoption("collectonly"):
            return
        self.lateness.start()
        try:
            port = self._config.getoption("--port")
            self._tell(_say("begin", port=port))
            self.board = OnPort.opened(port, self._config.getoption("--profile"))
            self.board.measure()
            self._preflight(self.board)
        except LumibanError as error:
            self.lateness.stop()
            self._tell(f"lumiban: {error}")
            pytest.exit(_say("nothing-tested"), returncode=NO_BOARD)
        self.report.board = self.board.about()
        figures = self.board.figures
        self.report.figures = {
            name: {"assumed": _one(figures.assumed.get(name)), "measured": _one(value)}
            for name, value in figures.measured.items()
        }

    def _preflight(self, board: OnPort) -> None:
        """BoardError says what to do before this board can be tested."""
        if board.standing:
            raise BoardError(_say("not-empty", cells=", ".join(board.standing)))
        answer_ms = board.figures.number("answer_us", 0.0) / 1000
        if answer_ms > SLOW_ANSWER_MS:
            raise BoardError(_say("slow-line", ms=round(answer_ms), most=SLOW_ANSWER_MS))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._count = len(session.items)
        for item in session.items:
            marks = [name for name in MARKS if item.get_closest_marker(name)]
            self._marks[item.nodeid] = marks
        if self.board is None:
            return
        late_us = self.lateness.take_worst_us()
        answer_us = self.board.figures.number("answer_us", 0.0)
        self._tell(
            _say("ready", ms=f"{answer_us / 1000:.1f}", late=_ms(late_us), tests=self._count)
        )
        if late_us > BUSY_US:
            self._tell(_say("busy", ms=_ms(late_us)))

    def _tell(self, words: str) -> None:
        capture = self._config.pluginmanager.get_plugin("capturemanager")
        assert isinstance(capture, CaptureManager)
        with capture.global_and_fixture_disabled():
            print(f"\n>>> {words}", file=sys.stderr, flush=True)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> bool | None:
        """Run a test, again where it failed and this computer was too busy to tell why."""
        if self.board is None:
            return None
        self._begun += 1
        self._write(f"[{self._begun}/{self._count}] {hil.plain(item.nodeid)} … ")
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        late_us = 0
        for number in range(1, TRIES + 1):
            self.lateness.take_worst_us()
            reports = runtestprotocol(item, log=False, nextitem=nextitem)
            late_now_us = self.lateness.take_worst_us()
            late_us = max(late_us, late_now_us)
            if not any(report.failed for report in reports) or late_now_us <= BUSY_US:
                break
            if number < TRIES:
                self._write("↻ ")
                item._initrequest()  # type: ignore[attr-defined]  # as pytest does before a test
        else:
            for report in reports:
                if report.failed:
                    why = _say("busy.test", times=TRIES, ms=_ms(late_us))
                    self._sentences[item.nodeid] = f"{why}. {self._sentences[item.nodeid]}"
                    report.outcome = "skipped"
                    report.is_inconclusive = True  # type: ignore[attr-defined]  # for our own hook
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        self._write(hil.word_of(self.report.tests[-1].outcome, terminal_language()) + "\n")
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]):  # type: ignore[no-untyped-def]  # pytest's own hook type is private
        report = yield
        if call.excinfo is not None:
            fault = call.excinfo.value
            claim = hil.plain(item.nodeid)
            self._sentences[item.nodeid] = (
                str(fault) if isinstance(fault, Missed) else _say("claim", claim=claim)
            )
        return report

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """No letters among our own lines."""
        if getattr(report, "is_inconclusive", False):
            return INCONCLUSIVE, "", ""
        if report.when == "call" or report.outcome != "passed":
            return report.outcome, "", ""
        return None

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self.lateness.stop()
        # Sentences on the terminal; what a test's author needs stands in the report.
        self._config.option.tbstyle = "no"
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None:
            terminal.reportchars = ""
        if session.exitstatus == pytest.ExitCode.OK and self.report.count(INCONCLUSIVE):
            session.exitstatus = hil.EXIT_CODES[INCONCLUSIVE]

    def _write(self, words: str) -> None:
        capture = self._config.pluginmanager.get_plugin("capturemanager")
        assert isinstance(capture, CaptureManager)
        with capture.global_and_fixture_disabled():
            print(words, end="", flush=True)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call" and report.outcome == "passed":
            return
        message = "" if report.outcome == "passed" else report.longreprtext
        if report.outcome == "skipped" and isinstance(report.longrepr, tuple):
            message = str(report.longrepr[2])
        marks = self._marks.get(report.nodeid, [])
        is_open = getattr(report, "is_inconclusive", False)
        outcome = INCONCLUSIVE if is_open else report.outcome
        if outcome in (FAILED, INCONCLUSIVE):
            message = report.longreprtext
        sentence = self._sentences.get(report.nodeid, "") if outcome != "skipped" else ""
        self.report.tests.append(
            Ran(
                report.nodeid, marks, outcome, round(report.duration, 2), message[-4000:], sentence
            )
        )  # fmt: skip

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.board is None:
            return
        language = terminal_language()
        self.report.figures["late_p99_us"] = _pair(5_000, self.lateness.part_us(0.99))
        self.report.figures["late_worst_us"] = _pair(BUSY_US, self.lateness.part_us(1.0))
        differences = None if self._before is None else hil.changes(self._before, self.report)
        (self.folder / "report.json").write_text(self.report.text(), "utf-8")
        page = hil.page(self.report, differences, language)
        (self.folder / "report.html").write_text(page, "utf-8")
        model = self.report.board["model"]
        counts = {name: self.report.count(name) for name in hil.OUTCOMES}
        terminalreporter.write_line(text("hil.title", language, model=model))
        terminalreporter.write_line(text("hil.counts", language, **counts))
        for test in self.report.tests:
            if test.outcome in (FAILED, INCONCLUSIVE):
                sign = "✗" if test.outcome == FAILED else "?"
                terminalreporter.write_line(f"{sign} {hil.plain(test.name)}")
                for line in (test.sentence, hil.checks(test.name, language)):
                    if line:
                        terminalreporter.write_line(f"  {line}")
        for name, pair in self.report.figures.items():
            assumed, measured = pair["assumed"], pair["measured"]
            if hil.is_off(name, assumed, measured):
                told = f"· {hil.word('figure', name, language)}: {measured:g} ({assumed:g})"
                terminalreporter.write_line(f"{told}. {hil.meaning(name, language)}")
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


def _say(id: str, **params: object) -> str:
    return text(f"hil.{id}", terminal_language(), **params)


def _ms(us: int) -> str:
    return f"{us / 1000:.0f}"


def _pair(assumed: float, measured: float) -> dict[str, float | None]:
    return {"assumed": assumed, "measured": measured}


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
