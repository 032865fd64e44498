"""What a run of all tests takes: noted at its end, and told by `./run test` before the next one.

Two numbers, tests and minutes of processor time: those of the last run here in pytest's cache,
until there was one those in `takes.txt`.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

import pytest
from places import TESTS

KEPT = TESTS / "takes.txt"
FOLDER, NAME = "lumiban", "takes"
"""In pytest's cache; a run of the slow suites too has a file of its own."""
OF_ALL = "lumiban-of-all"
"""What a worker is told: to it all tests are named one by one."""


def is_of_all(config: pytest.Config) -> bool:
    """Whether nothing was said that leaves tests out."""
    told = getattr(config, "workerinput", {}).get(OF_ALL)
    if told is not None:
        return bool(told)
    option = config.option
    left_out = ("keyword", "markexpr", "maxfail", "lf", "deselect", "ignore", "collectonly")
    everything = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    return everything and not any(getattr(option, name, None) for name in left_out)


class Takes:
    """Counts the tests of a run, in the process that the others report to."""

    def __init__(self) -> None:
        self.tests = 0
        self._is_whole = False

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker what it could not know."""
        node.workerinput[OF_ALL] = is_of_all(node.config)

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
        if not self._is_whole or cache is None or not is_of_all(config):
            return
        minutes = max(1, round(sum(os.times()[:4]) / 60))
        suffix = "-all" if config.getoption("--all", False) else ""
        with suppress(OSError):  # a folder that is only read has no cache
            folder = cache.mkdir(FOLDER)
            (folder / (NAME + suffix)).write_text(f"{self.tests} {minutes}\n", "utf-8")
