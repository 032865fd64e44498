"""The order of files where several workers share a run: the longest first, so all end together."""

from __future__ import annotations

from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
LONGEST_FIRST = (
    *("e2e/test_page", "test_equality", "e2e/test_games", "test_doves_search"),
    *("e2e/test_scripted_views", "test_rengi_bot", "e2e/test_rengi", "test_evening_state"),
    *("test_crash", "test_soak", "test_shell_simulator", "test_grave", "test_shell"),
    *("test_fuzz_readers", "test_cli_ends", "test_cli_answers", "test_jit", "test_order_races"),
    *("test_doves_search_tables", "test_fuzz", "test_virtual_table", "test_own_game_table"),
    *("contract/test_line", "contract/test_inject", "test_faults_world", "test_check"),
    *("test_hardware_kicad", "test_rengi_board", "test_rengi_state", "test_trivia"),
)
"""By the time they took. Those that wait for a browser stand between those that compile: each
worker does one kind while the other does the other, and seldom do both compile one kernel."""


@cache
def rank(file: Path) -> int:
    """The place of a file in the order; files that are not named come last, all alike."""
    if not file.is_relative_to(HERE):
        return len(LONGEST_FIRST)
    name = file.relative_to(HERE).with_suffix("").as_posix()
    return LONGEST_FIRST.index(name) if name in LONGEST_FIRST else len(LONGEST_FIRST)
