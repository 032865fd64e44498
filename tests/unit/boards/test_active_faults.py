"""Faults as a board tells them: each until it is over, and of the supply one at a time."""

from __future__ import annotations

import pytest
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


@pytest.mark.parametrize(
    ("code", "where", "sentence"),
    [
        (1, 2, ("fault.reference", {"socket": 3})),
        (2, 0, ("fault.brown-out", {"socket": 1})),
        (4, 0, ("fault.calibration", {})),
        (4, 1, ("fault.calibration.other", {})),
        (5, 18, ("fault.drift", {"cell": HEX3.grid.name(18)})),
        (5, 19, ("fault", {"what": 5, "where": 19})),
        (6, 0, ("fault.stuck", {"cell": HEX3.grid.name(0)})),
        (8, 54, ("fault.rail.high", {"volts": 5.4})),
        (8, 53, ("fault.rail", {"volts": 5.3})),
        (8, 38, ("fault.rail", {"volts": 3.8})),
        (8, 37, ("fault.rail.dark", {"volts": 3.7})),
        (8, 10, ("fault.rail.dark", {"volts": 1.0})),
        (8, 9, ("fault.rail.none", {"volts": 0.9})),
        (9, 98, ("fault.rolled-back", {})),
        (10, 0, ("fault.lights", {})),
        (99, 3, ("fault", {"what": 99, "where": 3})),
    ],
)
def test_a_fault_s_code_on_the_wire_has_its_sentence(
    code: int, where: int, sentence: tuple[str, dict[str, object]]
) -> None:
    assert faults.sentence(code, where, HEX3) == sentence
