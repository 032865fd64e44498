"""Grids: what must hold for every hexagon, rectangle and patch."""

from __future__ import annotations

import itertools
import pickle

import pytest
from each import each
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.errors import GameError
from lumiban.grid import HEX_STEPS, SQUARE_STEPS, Grid, hexagon, patch, rectangle
from thorough import examples

cells = st.tuples(st.integers(-6, 6), st.integers(-6, 6))
grids = st.one_of(
    st.builds(hexagon, st.integers(2, 8)),
    st.builds(rectangle, st.integers(2, 15), st.integers(2, 15)),
    st.builds(patch, st.sets(cells, min_size=1, max_size=40)),
)
law = settings(max_examples=examples(120))


@given(grids)
@law
def test_cells_run_row_by_row_from_left_to_right(grid: Grid) -> None:
    assert list(grid.cells) == sorted(set(grid.cells), key=lambda cell: (cell[1], cell[0]))
    assert [grid.at(q, r) for q, r in grid.cells] == list(range(len(grid)))


@given(grids)
@law
def test_every_name_belongs_to_one_cell(grid: Grid) -> None:
    assert len(set(grid.names)) == len(grid)
    assert [grid.cell(name) for name in grid.names] == list(range(len(grid)))
    assert [grid.name(cell) for cell in range(len(grid))] == list(grid.names)


@given(grids)
@law
def test_neighbours_are_mutual_and_one_step_away(grid: Grid) -> None:
    for cell, near in enumerate(grid.neighbours):
        for other in near:
            assert cell in grid.neighbours[other]
            (q, r), (p, s) = grid.cells[cell], grid.cells[other]
            assert (p - q, s - r) in grid.directions


@given(grids)
@law
def test_a_step_and_the_opposite_step_lead_back(grid: Grid) -> None:
    half = len(grid.directions) // 2
    for cell, row in enumerate(grid.steps):
        assert len(row) == len(grid.directions)
        for direction, other in enumerate(row):
            if other >= 0:
                assert grid.steps[other][(direction + half) % (2 * half)] == cell


@given(grids)
@law
def test_a_ray_follows_one_direction_until_the_grid_ends(grid: Grid) -> None:
    for cell, rays in enumerate(grid.rays):
        for direction, ray in enumerate(rays):
            q, r = grid.cells[cell]
            dq, dr = grid.directions[direction]
            reached = [grid.find(q + dq * k, r + dr * k) for k in range(1, len(ray) + 2)]
            assert reached == [*ray, -1]


@given(grids)
@law
def test_lines_hold_every_pair_of_neighbours_once(grid: Grid) -> None:
    pairs = [pair for line in grid.lines for pair in itertools.pairwise(line)]
    assert len(pairs) == len({frozenset(pair) for pair in pairs})
    assert {frozenset(pair) for pair in pairs} == {
        frozenset((cell, other)) for cell, near in enumerate(grid.neighbours) for other in near
    }


@given(grids)
@law
def test_lines_are_straight_and_cannot_be_longer(grid: Grid) -> None:
    for line in grid.lines:
        (q, r), (p, s) = grid.cells[line[0]], grid.cells[line[1]]
        step = (p - q, s - r)
        assert step in grid.directions
        assert [grid.cells[c] for c in line] == [
            (q + step[0] * k, r + step[1] * k) for k in range(len(line))
        ]
        last = grid.cells[line[-1]]
        assert grid.find(q - step[0], r - step[1]) == -1
        assert grid.find(last[0] + step[0], last[1] + step[1]) == -1


@given(grids)
@law
def test_a_grid_survives_pickling(grid: Grid) -> None:
    again = pickle.loads(pickle.dumps(grid))
    assert again == grid
    assert again.neighbours == grid.neighbours


@each("side", range(2, 9))
def test_a_hexagon_has_as_many_cells_as_the_formula(side: int) -> None:
    grid = hexagon(side)
    assert len(grid) == 3 * side * (side - 1) + 1
    assert len(grid.perimeter) == 6 * (side - 1)
    reach = side - 1
    assert all(max(abs(q), abs(r), abs(q + r)) <= reach for q, r in grid.cells)
    rim = {i for i, (q, r) in enumerate(grid.cells) if max(abs(q), abs(r), abs(q + r)) == reach}
    assert set(grid.perimeter) == rim


@each("side", range(2, 9))
def test_a_hexagon_is_named_from_the_bottom_left(side: int) -> None:
    grid = hexagon(side)
    reach = side - 1
    assert grid.name(grid.at(0, reach)) == f"a{side}"
    assert grid.name(grid.at(-reach, reach)) == "a1"
    middle_row = chr(ord("a") + reach)
    assert grid.name(grid.at(-reach, 0)) == f"{middle_row}1"
    assert grid.name(grid.at(reach, 0)) == f"{middle_row}{2 * side - 1}"
    assert grid.names[0] == f"{chr(ord('a') + 2 * reach)}1"


@given(st.integers(2, 15), st.integers(2, 15))
@law
def test_a_rectangle_is_columns_by_rows(columns: int, rows: int) -> None:
    grid = rectangle(columns, rows)
    assert len(grid) == columns * rows
    assert grid.size == (columns, rows)
    assert grid.name(grid.at(0, rows - 1)) == "a1"
    assert grid.name(grid.at(columns - 1, 0)) == f"{chr(ord('a') + columns - 1)}{rows}"
    assert grid.at(columns - 1, rows - 1) == columns * rows - 1


def test_directions_go_round_counter_clockwise_from_east() -> None:
    assert hexagon(2).directions == HEX_STEPS
    assert rectangle(2, 2).directions == SQUARE_STEPS
    # As seen on the table, y up: each direction of a hexagon is 60 degrees from the last.
    for k in range(6):
        (q, r), (p, s) = HEX_STEPS[k], HEX_STEPS[(k + 1) % 6]
        assert (q * s - r * p) < 0


@given(st.sets(cells, min_size=1, max_size=40))
@law
def test_a_patch_is_its_cells(chosen: set[tuple[int, int]]) -> None:
    assert set(patch(chosen).cells) == chosen
    assert patch(sorted(chosen)) == patch(sorted(chosen, reverse=True))


def test_a_patch_of_all_cells_of_a_hexagon_has_its_names() -> None:
    assert patch(hexagon(4).cells).names == hexagon(4).names


@pytest.mark.parametrize("side", [1, 0, -3, 13])
def test_a_hexagon_of_another_size_is_refused(side: int) -> None:
    with pytest.raises(GameError, match=f"2 to 12 cells a side, not {side}"):
        hexagon(side)


@pytest.mark.parametrize("size", [(1, 5), (5, 1), (20, 3), (3, 20)])
def test_a_rectangle_of_another_size_is_refused(size: tuple[int, int]) -> None:
    with pytest.raises(GameError, match="2 to 19 columns and rows"):
        rectangle(*size)


def test_an_empty_patch_and_a_cell_named_twice_are_refused() -> None:
    with pytest.raises(GameError, match="at least one cell"):
        patch([])
    with pytest.raises(GameError, match=r"\(1, 2\) twice"):
        patch([(0, 0), (1, 2), (1, 2)])


@pytest.mark.parametrize(
    ("name", "said"),
    [("a6", "a runs from a1 to a5"), ("z1", "letters run from a to i"), ("", "letters run")],
)
def test_an_unknown_cell_is_refused_with_the_cells_there_are(name: str, said: str) -> None:
    with pytest.raises(GameError, match=said):
        hexagon(5).cell(name)


def test_outside_the_grid_there_is_no_cell() -> None:
    grid = hexagon(3)
    assert grid.find(3, 0) == -1
    with pytest.raises(KeyError):
        grid.at(3, 0)
