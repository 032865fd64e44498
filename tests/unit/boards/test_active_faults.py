"""Faults as a board tells them: each until it is over, and of the supply one at a time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from lumiban.boards import faults
from lumiban.boards.faults import BROWN_OUT, DRIFT, GONE, RAIL, REFERENCE, STUCK, ActiveFaults
from lumiban.boards.profile import load

HEX3 = load("hex3")
CODES = (BROWN_OUT, RAIL, DRIFT, STUCK, REFERENCE)
REPORTS = st.tuples(st.sampled_from(CODES), st.booleans(), st.integers(0, 3))


@given(st.lists(REPORTS, max_size=12))
def test_what_was_told_last_holds_of_each_cell_and_of_the_whole_supply(
    reports: list[tuple[int, bool, int]],
) -> None:
    board, expected = ActiveFaults(), dict[tuple[int, int], int]()
    for now_us, (code, is_over, where) in enumerate(reports):
        before = set(expected)
        for one in before:
            if one[0] == code and (code in (BROWN_OUT, RAIL) or one[1] == where):
                del expected[one]
        if not is_over:
            expected[code, where] = now_us
        is_news = board.hear(code | (GONE if is_over else 0), where, now_us)
        assert is_news is (set(expected) != before)
        assert board.held == expected
        rows = {one[1] for one in expected if one[0] == REFERENCE}
        unread = {n for n, cell in enumerate(HEX3.cells) if cell.row in rows}
        assert board.unread(HEX3) == unread
        assert board.blind(HEX3) == unread | {one[1] for one in expected if one[0] == STUCK}
    assert board.forget(faults.SILENT_US) is False
    assert board.forget(faults.SILENT_US + len(reports)) is bool(expected)
    assert board.held == {}
