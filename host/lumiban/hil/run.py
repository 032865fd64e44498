"""The run over one board: it is met first, watched, and reported on at the end.

Before the first test a real board must be empty. While tests run a control task measures how late
this computer is. On a real board a test that failed is run once more, and is *flaky* when it passes
then; while the computer is late it is run up to three times, and is *inconclusive* when it never
came to a clear end.

Exit codes: 0 all passed, 1 a test failed (with `--flaky-fails` also: was flaky), 3 there is no
board that can be tested, it went away, or none failed but some are inconclusive.
"""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.runner import runtestprotocol

from lumiban.errors import BoardError, LinkLost, LumibanError
from lumiban.hil import remote, report
from lumiban.hil.claims import Broken, Inconclusive
from lumiban.hil.lateness import BUSY_US, Lateness
from lumiban.hil.plain_host import Missed
from lumiban.hil.remote import RealBoard
from lumiban.hil.report import FAILED, FLAKY, INCONCLUSIVE, Ran, Report
from lumiban.i18n import terminal_language, text

if TYPE_CHECKING:
    from lumiban.hil.bench import Backend

NAME = "lumiban-board-run"
SUITE = "lumiban.hil.suite"
MARKS = ("hands", "claim", "needs")
FOLDER = "build/hil"
NO_BOARD = 3
TRIES = 3
"""Of a test that fails while this computer is late."""
MOST_LINES = 12
"""Of changes on the terminal; the page has all of them."""


class BoardRun:
    """A plugin of this run: collects what came out and writes report.json, junit.xml, the page."""

    def __init__(self, config: pytest.Config, folder: Path | None, board: str) -> None:
        self._config = config
        self.folder = folder
        self.board: RealBoard | None = None
        self._asked = board
        self.report = Report(datetime.now().astimezone().isoformat(timespec="seconds"))
        self.lateness = Lateness()
        self._count = self._begun = 0
        self._sentences: dict[str, str] = {}
        self._open: set[str] = set()
        against = config.getoption("--against")
        self._before = report.read(Path(against)) if against else None

    # The board.

    def meet(self) -> None:
        """Meet the real board of this run; the run ends with 3 where there is none to test."""
        self.lateness.start()
        try:
            self.tell(_say("begin", port=self._asked))
            self.board = remote.meet(self._asked, self._config.getoption("--board-profile"))
            self.board.measure()
            if self.board.standing:
                raise BoardError(_say("not-empty", cells=", ".join(self.board.standing)))
        except LumibanError as error:
            self.lateness.stop()
            self.tell(f"lumiban: {error}")
            pytest.exit(_say("nothing-tested"), returncode=NO_BOARD)
        self.report.board = self.board.about()
        figures = self.board.figures
        self.report.figures = {
            name: {"assumed": _one(figures.assumed.get(name)), "measured": _one(value)}
            for name, value in figures.measured.items()
        }

    @pytest.hookimpl(tryfirst=True)
    def pytest_lumiban_backend(self, name: str) -> Backend | None:
        """The way to the board that was met."""
        if self.board is None or name != self._asked:
            return None
        attended = self._config.getoption("--board-hands")
        return remote.backend(self.board, is_attended=attended)

    # Its tests.

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Say how the run begins."""
        self._count = len(session.items)
        if self.board is None:
            return
        late_us = self.lateness.take_worst_us()
        answer_us = self.board.figures.number("answer_us", 0.0)
        self.tell(_say("ready", ms=f"{answer_us / 1000:.1f}", late=_ms(late_us), tests=self._count))
        if late_us > BUSY_US:
            self.tell(_say("busy", ms=_ms(late_us)))

    def tell(self, words: str) -> None:
        """Write past pytest, for whoever stands at the board."""
        self._past(lambda: print(f"\n>>> {words}", file=sys.stderr, flush=True))

    def _past(self, write: Any) -> None:
        capture: Any = self._config.pluginmanager.get_plugin("capturemanager")
        if capture is None:
            write()
            return
        with capture.global_and_fixture_disabled():
            write()

    def _write(self, words: str) -> None:
        self._past(lambda: print(words, end="", flush=True))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> bool | None:
        """Run a test on a real board, once more where it failed, again where this computer was too
        late to tell why."""
        if self.board is None:
            return None
        self._begun += 1
        self._write(f"[{self._begun}/{self._count}] {report.plain(item.nodeid)} … ")
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        late_us, has_failed = 0, False
        for number in range(1, TRIES + 1):
            self.lateness.take_worst_us()
            self._open.discard(item.nodeid)
            reports = runtestprotocol(item, log=False, nextitem=nextitem)
            late_now_us = self.lateness.take_worst_us()
            late_us = max(late_us, late_now_us)
            if not any(one.failed for one in reports):
                if has_failed and not late_us > BUSY_US:
                    self._call_flaky(item, reports)
                break
            is_unclear = late_now_us > BUSY_US or item.nodeid in self._open
            if number == TRIES or (number == 2 and not is_unclear):
                if is_unclear:
                    self._call_inconclusive(item, reports, late_us)
                break
            has_failed = True
            self._write("↻ ")
            item._initrequest()  # type: ignore[attr-defined]  # as pytest does before a test
        for one in reports:
            item.ihook.pytest_runtest_logreport(report=one)
        outcome = self.report.tests[-1].outcome if self.report.tests else ""
        self._write(report.word_of(outcome, terminal_language()) + "\n")
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _call_flaky(self, item: pytest.Item, reports: list[pytest.TestReport]) -> None:
        sentence = _say("flaky", why=self._sentences.get(item.nodeid, ""))
        self._sentences[item.nodeid] = sentence
        for one in reports:
            if one.when == "call":
                one.is_flaky = True  # type: ignore[attr-defined]  # for our own hooks
                if self._config.getoption("--flaky-fails"):
                    one.outcome, one.longrepr = "failed", sentence

    def _call_inconclusive(
        self, item: pytest.Item, reports: list[pytest.TestReport], late_us: int
    ) -> None:
        why = _say("busy.test", times=TRIES, ms=_ms(late_us))
        self._sentences[item.nodeid] = f"{why}. {self._sentences.get(item.nodeid, '')}"
        for one in reports:
            if one.failed:
                one.is_inconclusive = True  # type: ignore[attr-defined]  # for our own hooks
                one.sections.append(("inconclusive", one.longreprtext))
                one.outcome = "skipped"
                # Where a test was skipped is a triple to every plugin that reports it.
                path, line, _ = item.location
                one.longrepr = (path, line or 0, f"inconclusive: {self._sentences[item.nodeid]}")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        """Keep the sentence of a failure, and end a run whose board went away."""
        made = yield
        if call.excinfo is not None and made.failed:
            fault = call.excinfo.value
            claim = report.plain(item.nodeid)
            is_told = isinstance(fault, Missed | Broken | Inconclusive | LumibanError)
            words = str(fault) if is_told else _say("claim", claim=claim)
            self._sentences[item.nodeid] = words
            if isinstance(fault, Inconclusive):
                self._open.add(item.nodeid)
            if isinstance(fault, LinkLost) and self.board is not None:
                item.session.shouldstop = str(fault)
        return made

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """No letters among our own lines."""
        if self.board is None:
            return None
        if getattr(report, "is_inconclusive", False):
            return INCONCLUSIVE, "", ""
        if getattr(report, "is_flaky", False) and report.outcome == "passed":
            return FLAKY, "", ""
        if report.when == "call" or report.outcome != "passed":
            return report.outcome, "", ""
        return None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take one outcome into the report."""
        if report.when != "call" and report.outcome == "passed":
            return
        message, outcome = "", str(report.outcome)
        if getattr(report, "is_inconclusive", False):
            outcome, message = INCONCLUSIVE, report.sections[-1][1]
        elif getattr(report, "is_flaky", False):
            outcome = FLAKY
        elif outcome == "skipped" and isinstance(report.longrepr, tuple):
            message = str(report.longrepr[2])
        elif outcome == FAILED:
            message = report.longreprtext
        sentence = self._sentences.get(report.nodeid, "") if outcome not in _QUIET else ""
        marks = [name for name in MARKS if name in report.keywords]
        seconds = round(report.duration, 2)
        self.report.tests.append(
            Ran(report.nodeid, marks, outcome, seconds, message[-4000:], sentence)
        )

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Sentences on the terminal; what a test's author needs stands in the report."""
        if self.board is None:
            return
        self.lateness.stop()
        self._config.option.tbstyle = "no"
        terminal: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None:
            terminal.reportchars = ""
        if session.shouldstop or (
            session.exitstatus == pytest.ExitCode.OK and self.report.count(INCONCLUSIVE)
        ):
            session.exitstatus = report.EXIT_CODES[INCONCLUSIVE]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Write the report, and the sentences of what failed."""
        if self.folder is None:
            return
        language = terminal_language()
        if self.board is not None:
            self.report.figures["late_p99_us"] = _pair(5_000, self.lateness.part_us(0.99))
            self.report.figures["late_worst_us"] = _pair(BUSY_US, self.lateness.part_us(1.0))
        self.report.board.setdefault("model", self._asked or "sim")
        differences = None if self._before is None else report.changes(self._before, self.report)
        (self.folder / "report.json").write_text(self.report.text(), "utf-8")
        page = report.page(self.report, differences, language)
        (self.folder / "report.html").write_text(page, "utf-8")
        counts = {name: self.report.count(name) for name in report.OUTCOMES}
        line = terminalreporter.write_line
        line(text("hil.title", language, model=self.report.board["model"]))
        line(text("hil.counts", language, **counts))
        for test in self.report.tests:
            if test.outcome in (FAILED, FLAKY, INCONCLUSIVE):
                line(f"{_SIGNS[test.outcome]} {report.plain(test.name)}")
                for words in (test.sentence, report.checks(test.name, language)):
                    if words:
                        line(f"  {words}")
        for reason in sorted(
            {one.message for one in self.report.tests if one.outcome == "skipped"}
        ):
            count = sum(one.message == reason for one in self.report.tests)
            line(f"– {count}: {reason.removeprefix('Skipped: ')}")
        for name, pair in self.report.figures.items():
            assumed, measured = pair["assumed"], pair["measured"]
            if report.is_off(name, assumed, measured):
                figure = f"· {report.word('figure', name, language)}: {measured:g} ({assumed:g})"
                line(f"{figure}. {report.meaning(name, language)}")
        for one in (differences or [])[:MOST_LINES]:
            line(f"· {one.sentence(language)}")
        if len(differences or []) > MOST_LINES:
            line(f"· … {len(differences or []) - MOST_LINES}")
        if differences == []:
            line(text("hil.changes.none", language))
        for name in ("report.html", "report.json", "junit.xml"):
            line(f"  {self.folder / name}")

    def pytest_unconfigure(self) -> None:
        """Let go of the board."""
        if self.board is not None:
            self.board.close()


_QUIET = ("passed", "skipped")
_SIGNS = {FAILED: "✗", FLAKY: "~", INCONCLUSIVE: "?"}


def _say(id: str, **params: object) -> str:
    return text(f"hil.{id}", terminal_language(), **params)


def _ms(us: int) -> str:
    return f"{us / 1000:.0f}"


def _pair(assumed: float, measured: float) -> dict[str, float | None]:
    return {"assumed": assumed, "measured": measured}


def _one(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def begin(config: pytest.Config, boards: list[str]) -> None:
    """Make this session a run over these boards; a real one is alone.

    UsageError for a name that is none, OSError for a folder that cannot be written.
    """
    # A board that a conftest.py brings is its own, whatever its name.
    hook = config.hook.pytest_lumiban_backend
    real = [
        name for name in boards if hook(config=config, name=name) is None and remote.is_real(name)
    ]
    if real and len(boards) > 1:
        raise pytest.UsageError(f"{real[0]} is a real board: test it alone")
    wrong = config.getoption("--wrong")
    if wrong:
        from lumiban.hil.zoo import chosen

        chosen(wrong)
    folder_name = config.getoption("--board-report") or (FOLDER if real else "")
    folder = Path(folder_name) if folder_name else None
    run = BoardRun(config, folder, boards[0] if boards else "")
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        config.option.xmlpath = config.option.xmlpath or str(folder / "junit.xml")
    if real:
        # In the order of the document, one after the other; and a person may take their time.
        for option, value in (("randomly_reorganize", False), ("timeout", 0)):
            if hasattr(config.option, option):
                setattr(config.option, option, value)
        if not config.option.collectonly:
            run.meet()
    config.pluginmanager.register(run, NAME)
