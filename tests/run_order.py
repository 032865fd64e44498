"""The order of files where several workers share a run: the longest first, so all end together."""

from __future__ import annotations

from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
LONGEST_FIRST = (
    *("e2e/test_page", "test_equality", "e2e/test_games", "e2e/test_rengi"),
    *("e2e/test_scripted_views", "test_doves_search", "test_soak", "test_evening_state"),
    *("test_worker", "test_rengi_bot", "test_order_races", "test_doves_search_tables"),
    *("test_cli_ends", "test_jit", "test_fuzz_readers", "test_virtual_table", "test_cli_answers"),
    *("test_shell_simulator", "test_grave", "test_fuzz", "test_crash", "test_faults_world"),
    *("test_own_game_table", "contract/test_inject", "contract/test_line", "test_shell"),
    *("test_hardware_kicad", "test_trivia_board", "test_rengi_state", "test_trivia"),
    *("test_my_rule", "test_calibrate", "test_hil"),
)
"""By the time they took. While one worker waits for a browser, the other compiles; what needs the
same kernels as test_equality begins when that has ended, so that they are compiled once."""


@cache
def rank(file: Path) -> int:
    """The place of a file in the order; files that are not named come last, all alike."""
    if not file.is_relative_to(HERE):
        return len(LONGEST_FIRST)
    name = file.relative_to(HERE).with_suffix("").as_posix()
    return LONGEST_FIRST.index(name) if name in LONGEST_FIRST else len(LONGEST_FIRST)
