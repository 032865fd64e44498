"""What changed since an earlier run, by the JUnit file that pytest wrote of it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pytest
from lumiban.boards.ports import localized
from lumiban.errors import UsageError
from lumiban.i18n import terminal_language, text
from lumiban.system import size_limits

MEGABYTES = 16
PROPERTIES = pytest.StashKey[dict[str, str]]()
"""What this run tells of its board, by name; `lumiban_backend` fills it."""
FAILURES = ("failure", "error")
FIGURE = "figure."
"""Properties that were measured begin so."""
NOTED = 0.25
"""A figure that differs from an earlier one by more than this share is a change."""


class Run(NamedTuple):
    """A run: outcomes by test, and what it told of its board."""

    tests: dict[str, str]
    properties: dict[str, str]


def read(path: Path) -> Run:
    """A run from its JUnit file; UsageError when it is none."""
    try:
        tree = ElementTree.fromstring(size_limits.read(path, MEGABYTES * size_limits.MEGABYTE))
    except OSError as error:
        reason: object = error.strerror or error
    except size_limits.Unreadable as error:
        reason = error
    except ElementTree.ParseError:
        reason = localized("hil.no-tests")
    else:
        tests = {}
        for case in tree.iter("testcase"):
            outcome = "skipped" if case.find("skipped") is not None else "passed"
            if any(case.find(name) is not None for name in FAILURES):
                outcome = "failed"
            file = case.get("classname", "").rpartition(".")[2]
            tests[f"{file}::{case.get('name')}"] = outcome
        properties = tree.iterfind("testsuite/properties/property")
        return Run(tests, {str(one.get("name")): str(one.get("value")) for one in properties})
    raise UsageError(localized("hil.unreadable", path=path, reason=reason))


def changes(before: Run, now: Run) -> list[tuple[str, str, str, str]]:
    """Differences of two runs, the worst first: (kind, name, before, now); kind is broken, gone,
    other, board, new or mended."""
    out = []
    for name in sorted(before.tests.keys() | now.tests.keys()):
        was, came = before.tests.get(name, ""), now.tests.get(name, "")
        if was != came:
            kind = "gone" if not came else "new" if not was else "other"
            kind = "mended" if (was, came) == ("failed", "passed") else kind
            out.append(("broken" if came == "failed" else kind, name, was, came))
    for name in sorted(before.properties.keys() & now.properties.keys()):
        was, came = before.properties[name], now.properties[name]
        if name.startswith(FIGURE):
            if abs(float(came) - float(was)) > NOTED * abs(float(was)):
                out.append(("other", name.removeprefix(FIGURE), was, came))
        elif was != came:
            out.append(("board", name, was, came))
    order = ("broken", "gone", "other", "board", "new", "mended")
    return sorted(out, key=lambda change: order.index(change[0]))


class Against:
    """A plugin that compares this run with an earlier one."""

    def __init__(self, path: Path) -> None:
        self._before = read(path)
        self._tests: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take one outcome."""
        if report.when == "call" or report.outcome != "passed":
            file, _, rest = report.nodeid.partition("::")
            self._tests[f"{Path(file).stem}::{rest.rpartition('::')[2]}"] = report.outcome

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter, config: pytest.Config
    ) -> None:
        """Say what changed."""
        now, language = Run(self._tests, config.stash.get(PROPERTIES, {})), terminal_language()
        terminalreporter.section(text("hil.changes", language))
        told = changes(self._before, now)
        for kind, name, was, came in told:
            words = text(f"hil.change.{kind}", language, name=name, before=was, now=came)
            terminalreporter.write_line(f"· {words}")
        if not told:
            terminalreporter.write_line(text("hil.changes.none", language))
