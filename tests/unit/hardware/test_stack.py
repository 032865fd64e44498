"""The sizes of box and pieces against what the magnetic model assumes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from each import each
from lumiban.boards.profile import load, names
from lumiban_hw.stack import GAP_SLACK_MM, STACK, gap_mm


@each("name", names())
def test_the_gap_is_the_profiles_within_the_slack(name: str) -> None:
    for in_pocket_mm in (0, STACK.pocket_mm):
        assert abs(gap_mm() + in_pocket_mm - load(name).gap_mm) <= GAP_SLACK_MM


@each("name", names())
def test_half_of_the_gaps_tolerance_is_left_to_the_printer(name: str) -> None:
    assert load(name).tolerances.gap_mm >= 2 * GAP_SLACK_MM


def test_a_thicker_floor_is_a_wider_gap() -> None:
    assert gap_mm(replace(STACK, floor_mm=3.0)) == pytest.approx(gap_mm() + 1.0)


def test_a_piece_stands_within_the_tolerance_of_its_recess() -> None:
    aside = (STACK.recess_wide_mm - STACK.piece_wide_mm) / 2
    assert 0 < aside <= min(load(name).tolerances.aside_mm for name in names())
