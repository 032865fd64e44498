"""The order of files where several workers share a run: the longest first, so all end together;
and who makes the bytecode of which, where there is none yet."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
from _pytest.python import importtestmodule
from places import TESTS

LONGEST_FIRST = (
    "e2e/page/test_page",
    "unit/search/test_equality",
    "e2e/page/test_games",
    "unit/hardware/test_copper",
    "e2e/page/test_rengi",
    "e2e/page/test_library",
    "e2e/page/test_everybody",
    "e2e/page/test_scripted_views",
    "e2e/page/test_controls_apart",
    "e2e/page/test_setup_page",
    "unit/house/test_mutants",
    "slow/test_soak",
    "slow/test_order_races",
    "unit/cli/test_cli_ends",
    "fuzz/test_fuzz_readers",
    "e2e/virtual/test_virtual_table",
    "unit/runtime/test_shell_simulator",
    "fuzz/test_fuzz",
    "unit/search/test_doves_search",
    "unit/games/evening/test_evening_state",
    "unit/search/test_worker",
    "unit/search/test_rengi_bot",
    "unit/search/test_doves_search_tables",
    "unit/search/test_jit",
    "unit/cli/test_cli_answers",
    "unit/search/test_grave",
    "unit/runtime/test_own_game_table",
    "unit/games/rengi/test_rengi_state",
    "unit/games/trivia/test_trivia",
    "unit/docs/test_my_rule",
    "unit/runtime/test_crash",
    "unit/simulator/test_faults_world",
    "contract/test_inject",
    "contract/test_line",
    "unit/runtime/test_shell",
    "unit/hardware/test_hardware_kicad",
    "e2e/virtual/test_trivia_board",
    "unit/maker/test_calibrate",
    "unit/maker/test_hil",
    "unit/web/test_network",
    "unit/web/test_access",
    "unit/maker/test_traces",
    "unit/service/test_update",
    "unit/service/test_service",
    "unit/docs/test_faults_page",
)
"""By the time they took. While one worker waits for a browser, the other compiles; what needs the
same kernels as test_equality begins when that has ended, so that they are compiled once."""


@cache
def rank(file: Path) -> int:
    """The place of a file in the order; files that are not named come last, all alike."""
    if not file.is_relative_to(TESTS):
        return len(LONGEST_FIRST)
    name = file.relative_to(TESTS).with_suffix("").as_posix()
    return LONGEST_FIRST.index(name) if name in LONGEST_FIRST else len(LONGEST_FIRST)


def import_share(config: pytest.Config) -> None:
    """Let a worker import its share of the test files before it collects all of them.

    Each needs all, and to rewrite the asserts of one and compile it takes three times as long as to
    read that from where another worker has left it.
    """
    told = getattr(config, "workerinput", None)
    if told is None:
        return
    number, count = int(told["workerid"].removeprefix("gw")), told["workercount"]
    places = [config.rootpath / word.partition("::")[0] for word in config.args]
    files = [file for place in places for file in sorted(place.rglob("test_*.py"))]
    for file in files[number::count]:
        with suppress(Exception):  # it is told when the file is collected
            importtestmodule(file, config)
