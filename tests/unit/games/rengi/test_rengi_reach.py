"""Where pairs can be placed: the wall-crossing figures, all plans, and what stops a pair."""

from __future__ import annotations

import json
from typing import Any

from each import each
from hypothesis import given
from hypothesis import strategies as st
from lumiban.games.rengi import placements as reach
from lumiban.games.rengi.field import OJAMA, put
from lumiban.games.rengi.kernel import field_of
from lumiban.games.rengi.placements import why_unreachable
from places import TESTS

GOLDEN: dict[str, Any] = json.loads((TESTS / "golden" / "rengi.json").read_text("utf-8"))
FIGURES = GOLDEN["wall_cross"]
PLANS = (1, 2, 3)

skylines = st.lists(
    st.sampled_from([0, 5, 10, 11, 11, 12, 12, 13, 13]), min_size=6, max_size=6
).filter(lambda heights: heights[2] < 12)


def board_of(heights: list[int]) -> list[int]:
    return field_of([[OJAMA] * high for high in heights])


def placements(
    heights: list[int], plan: int = 1, quick_turn: int = 1, *, hanging: tuple[int, ...] = ()
) -> list[tuple[int, int]]:
    """(column from 1, rotation) of every placement; `hanging` columns have a block in row 14."""
    board, out = board_of(heights), [0] * reach.OUT_SIZE
    for column in hanging:
        put(board, 0, column - 1, 14, 1)
    number = reach.placements(board, 0, plan, quick_turn, out)
    return [(code // 4 + 1, code % 4) for code in out[:number]]


def twins(heights: list[int], plan: int = 1, quick_turn: int = 1) -> list[tuple[int, int]]:
    out = [0] * reach.OUT_SIZE
    number = reach.placements_of_twins(board_of(heights), 0, plan, quick_turn, out)
    return [(code // 4 + 1, code % 4) for code in out[:number]]


# -- figures and counts --


@each("plan", PLANS)
@each("name", sorted(FIGURES))
def test_wall_crossing_figures_have_the_expected_placements(name: str, plan: int) -> None:
    figure = FIGURES[name]
    expected = [tuple(way) for way in figure["placements"][f"plan{plan}"]]
    found = placements(figure["heights_assumed"], plan)
    assert found == expected
    assert any(column == 6 for column, _ in found) == figure["col6_reachable"][f"plan{plan}"]


@each("plan", PLANS)
@each("quick_turn", [0, 1])
def test_an_empty_field_has_22_placements_and_11_for_twins(plan: int, quick_turn: int) -> None:
    upright, flat = GOLDEN["move_count"]["mixed_correct"], GOLDEN["move_count"]["same"]
    assert len(placements([0] * 6, plan, quick_turn)) == upright[1] == 22
    assert len(twins([0] * 6, plan, quick_turn)) == flat[1]


# -- what is told to who asks for more --


@given(
    skylines,
    st.sampled_from(PLANS),
    st.sampled_from([0, 1]),
    st.sets(st.integers(1, 6)),
)
def test_a_reason_is_given_for_just_what_cannot_be_reached(
    heights: list[int], plan: int, quick_turn: int, stayed: set[int]
) -> None:
    ways = placements(heights, plan, quick_turn, hanging=tuple(stayed))
    hanging = sum(1 << column - 1 for column in stayed)
    for column in range(6):
        for rotation in range(4):
            if not 0 <= column + (0, 1, 0, -1)[rotation] <= 5:
                continue
            stop = why_unreachable(heights, plan, quick_turn, column, rotation, hanging)
            assert (stop == -1) == ((column + 1, rotation) in ways)
            if stop >= 0:
                assert heights[stop] >= 12


@each(
    ("heights", "plan", "way", "stop"),
    [
        ([9, 9, 9, 9, 12, 9], 1, (6, 0), 5),
        ([9, 9, 9, 9, 12, 9], 1, (4, 1), 5),
        ([9, 9, 9, 12, 13, 9], 1, (6, 0), 4),
        ([9, 9, 9, 12, 13, 9], 2, (6, 0), 5),
        ([9, 9, 9, 12, 13, 9], 3, (5, 0), 5),
        ([12, 12, 9, 9, 9, 9], 1, (1, 1), 2),
        ([9, 9, 9, 9, 9, 12], 2, (6, 2), 6),
        ([0, 0, 12, 0, 0, 0], 2, (1, 0), 3),
    ],
)
def test_the_column_that_stops_a_pair_is_named(
    heights: list[int], plan: int, way: tuple[int, int], stop: int
) -> None:
    assert why_unreachable(heights, plan, 1, way[0] - 1, way[1]) == stop - 1


def test_a_pair_that_cannot_turn_is_stopped_by_the_column_beside_it() -> None:
    assert why_unreachable([0, 12, 0, 12, 0, 0], 1, 0, 2, 2) in (1, 3)
