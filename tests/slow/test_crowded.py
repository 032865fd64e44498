"""Crowded boards of parts within their tolerances: every piece is told for what it is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from lumiban.boards.profile import load
from lumiban_fw.wire import BLACK, EMPTY, NEUTRAL, WHITE
from lumiban_lab.experiments import report_kinds, ring_of_kinds
from lumiban_lab.kinds import Tally, by_hand, measure
from lumiban_sim.built_board import exact

HEX5 = load("hex5")


def _boards(count: int, seed: int) -> Tally:
    return measure(count, seed=seed, jobs=1, profile="hex5", progress=lambda _: None)


def test_random_boards_are_told_without_a_wrong_or_unknown_cell() -> None:
    tally = _boards(20, 7)
    assert (tally.boards, tally.cells, tally.wrong, tally.unknown) == (20, 1220, 0, 0)
    assert all(margin > 0 for margin in tally.margins_ut.values())
    assert set(tally.margins_ut) == {EMPTY, WHITE, BLACK, NEUTRAL}


@pytest.mark.long
def test_ten_thousand_random_boards_are_told_without_a_wrong_cell() -> None:
    tally = _boards(10_000, 1)
    assert tally.wrong == 0
    assert tally.unknown <= 1e-5 * tally.cells


def test_the_worst_boards_by_hand_are_told_too() -> None:
    for kind, around, tally in by_hand("hex5", seed=3, each=2):
        assert (tally.wrong, tally.unknown) == (0, 0), (kind, around)


def test_a_board_that_is_further_off_than_it_may_be_is_told_wrongly() -> None:
    board = replace(exact(HEX5), gaps_mm=(6.0,) * len(HEX5.cells))
    stands = ring_of_kinds(HEX5, 30, WHITE, BLACK)
    found = report_kinds(HEX5, stands, [0.0] * 61, board, 1)
    assert found.wrong
    assert all(kind != said for _, kind, said in found.wrong)
