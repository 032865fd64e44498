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
    "unit/search/test_equality",
    "unit/house/test_run",
    "e2e/page/test_page",
    "unit/hardware/test_copper",
    "contract/test_switches",
    "e2e/page/test_games",
    "unit/table/test_switch_kinds",
    "fuzz/test_fuzz_readers",
    "e2e/page/test_everybody",
    "unit/maker/test_traces",
    "slow/test_order_races",
    "slow/test_soak",
    "e2e/virtual/test_virtual_table",
    "e2e/virtual/test_doves_table",
    "contract/test_line",
    "unit/cli/test_cli_ends",
    "unit/service/test_service",
    "e2e/page/test_rengi",
    "contract/test_by_hand",
    "e2e/page/test_scripted_views",
    "e2e/page/test_room",
    "contract/test_inject",
    "unit/hardware/test_hardware_kicad",
    "unit/table/test_cell_names",
    "games/test_laws",
    "unit/search/test_worker",
    "unit/games/rengi/test_rengi_state",
    "unit/games/evening/test_evening_state",
    "unit/games/doves/test_doves_state",
    "unit/search/test_jit",
    "unit/search/test_doves_search_tables",
    "unit/search/test_grave",
    "unit/study/test_check",
    "unit/runtime/test_shell",
    "contract/test_pieces",
    "unit/firmware/test_hal_switches",
    "unit/docs/test_faults_page",
    "slow/test_owed_after_deaths",
    "e2e/page/test_library",
    "unit/table/test_standstill",
    "unit/maker/test_conform",
    "unit/runtime/test_shell_simulator",
    "fuzz/test_fuzz",
    "unit/boards/test_aliases",
    "contract/test_update",
    "e2e/virtual/test_lobby_walks",
    "slow/test_skipping",
    "unit/house/test_mutants",
    "unit/maker/test_switch_test",
    "e2e/virtual/test_clocks_played",
    "e2e/page/test_network_page",
    "e2e/page/test_offline_page",
    "fuzz/test_fuzz_turnless",
    "unit/runtime/test_crash",
    "unit/firmware/test_sense_times",
    "unit/search/test_doves_search",
    "e2e/virtual/test_lessons_played",
    "e2e/page/test_clock_page",
    "contract/test_greeting",
    "contract/test_power",
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
