"""What a run of its kind takes: noted at its end, and told by `./run test` before the next one.

The kinds are `unit` (`./run test`), `ci` (every test) and `all` (the slow suites too, whole). Two
numbers, tests and minutes of processor time: those of the last run here in pytest's cache, until
there was one those in `takes.txt`.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

import pytest
from places import TESTS

KEPT = TESTS / "takes.txt"
FOLDER, NAME = "lumiban", "takes"
"""In pytest's cache, a file for each kind."""
KIND = "lumiban-kind"
"""What a worker is told: to it all tests are named one by one."""


def kind_of_run(config: pytest.Config) -> str:
    """`unit`, `ci` or `all`; "" where something was said that leaves other tests out."""
    told = getattr(config, "workerinput", {}).get(KIND)
    if told is not None:
        return str(told)
    option = config.option
    left_out = ("keyword", "maxfail", "lf", "deselect", "ignore", "collectonly")
    everything = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if not everything or any(getattr(option, name, None) for name in left_out):
        return ""
    if option.markexpr:
        return "unit" if option.markexpr == "unit" else ""
    return "all" if config.getoption("--all", False) else "ci"


class Takes:
    """Counts the tests of a run, in the process that the others report to."""

    def __init__(self) -> None:
        self.tests = 0
        self._is_whole = False

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker what it could not know."""
        node.workerinput[KIND] = kind_of_run(node.config)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count each test once."""
        self.tests += report.when == "setup"

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """A run that was broken off tells nothing."""
        self._is_whole = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)

    # Last of all: workers have ended then, and their time is known.
    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Note what it took."""
        cache = getattr(config, "cache", None)
        kind = kind_of_run(config)
        if not self._is_whole or cache is None or not kind:
            return
        minutes = max(1, round(sum(os.times()[:4]) / 60))
        with suppress(OSError):  # a folder that is only read has no cache
            folder = cache.mkdir(FOLDER)
            (folder / f"{NAME}-{kind}").write_text(f"{self.tests} {minutes}\n", "utf-8")
