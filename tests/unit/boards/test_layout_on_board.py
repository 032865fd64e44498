"""Laying a game on a board: in the middle, of the same geometry, or an error with a choice."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lumiban.boards.mapping import fitting, paint, place, place_grid
from lumiban.boards.profile import load, names
from lumiban.errors import BoardError
from lumiban.grid import Grid, hexagon, patch, rectangle
from lumiban.scene.light import LightState, Picture

hexes = st.one_of(
    st.integers(2, 5).map(hexagon),
    st.sets(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=12).map(patch),
)


@given(hexes)
def test_there_and_back_is_the_same_cell_and_neighbours_stay(grid: Grid) -> None:
    onto = hexagon(5)
    placing = place(grid, onto)
    if placing is None:
        return
    assert [placing.game[cell] for cell in placing.board] == list(range(len(grid)))
    assert placing.game.count(-1) == len(onto) - len(grid)
    for cell, steps in enumerate(grid.steps):
        for direction, near in enumerate(steps):
            if near >= 0:
                there = onto.steps[placing.board[cell]][direction]
                assert there == placing.board[near]


def test_rectangles_lie_in_the_middle_of_rectangles() -> None:
    placing = place(rectangle(3, 3), rectangle(7, 5))
    assert placing is not None
    assert rectangle(7, 5).cells[placing.board[0]] == (2, 1)


def test_a_narrow_patch_finds_its_middle() -> None:
    placing = place(patch([(7, 7), (8, 7), (9, 7)]), hexagon(3))
    assert placing is not None
    assert [hexagon(3).cells[c] for c in placing.board] == [(-1, 0), (0, 0), (1, 0)]


def test_too_large_a_game_names_the_boards_that_hold_it() -> None:
    with pytest.raises(BoardError) as caught:
        place_grid(hexagon(5), load("hex3"))
    text = str(caught.value)
    assert "61 cells of a hexagon of 5" in text
    assert "hex3 (the 19 cells of a hexagon of 3)" in text
    offered = text.rpartition("choose one of ")[2].split(", ")
    assert offered == list(fitting(hexagon(5)))
    assert "hex5" in offered
    assert "hex3" not in offered


def test_a_game_that_fits_nowhere_says_so() -> None:
    with pytest.raises(BoardError, match="no built-in profile holds them"):
        place_grid(patch([(20 * i, 0) for i in range(3)]), load("hex5"))


def test_squares_do_not_lie_on_hexagons() -> None:
    assert place(rectangle(2, 2), hexagon(5)) is None
    assert all(load(name).grid.is_hex for name in fitting(hexagon(3)) if name in names())


EDGES = {"near": (81,), "far": (82, 83), "left": (84,), "right": (85,), "clock": (86,)}


@pytest.mark.parametrize("turn", [0, 180])
def test_each_cell_and_edge_is_lit_where_people_see_it_however_the_board_lies(turn: int) -> None:
    flat = load("grid9x9")
    board = replace(flat, turn=turn, lights=88, edges=tuple(EDGES.items()))
    cells = tuple(LightState(1 + cell % 7, cell % 3) for cell in range(81))
    edges = {name: LightState(20 + n, 0) for n, name in enumerate((*EDGES, "of another board"))}
    palette = ((0, 0, 0),) * 30
    picture = Picture(cells, tuple(edges.items()), palette)
    frame = paint(picture, place_grid(rectangle(9, 9), board), board)
    seen = {"near": "far", "far": "near", "left": "right", "right": "left"} if turn else {}
    for cell, glow in enumerate(cells):
        there = 80 - cell if turn else cell
        assert frame.lights[board.cells[there].light] == (glow.palette, glow.effect)
    for name, lights in EDGES.items():
        glow = edges[seen.get(name, name)]
        assert {frame.lights[light] for light in lights} == {(glow.palette, glow.effect)}
    assert (frame.lights[87], frame.palette, len(frame.lights)) == ((0, 0), palette, 88)
    with pytest.raises(BoardError, match="81"):
        paint(replace(picture, cells=cells[:80]), place_grid(rectangle(9, 9), board), board)
