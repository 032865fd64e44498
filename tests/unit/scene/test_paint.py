"""From a picture of game cells to the light of each LED."""

from __future__ import annotations

import dataclasses

import pytest
from lumiban.boards.mapping import paint, place_grid
from lumiban.boards.profile import load
from lumiban.errors import BoardError
from lumiban.grid import hexagon
from lumiban.scene.light import LightState, Picture

PALETTE = ((0, 0, 0), (10, 20, 30), (40, 50, 60))


def test_each_cell_lights_its_own_led() -> None:
    board = load("hex5")
    glows = tuple(LightState(cell % 3, cell % 8) for cell in range(61))
    frame = paint(Picture(glows, palette=PALETTE), place_grid(board.grid, board), board)
    for cell, glow in enumerate(glows):
        assert frame.lights[board.cells[cell].light] == (glow.palette, glow.effect)
    assert frame.palette == PALETTE


def test_edges_light_by_name_where_the_board_has_them() -> None:
    plain = load("hex3")
    board = dataclasses.replace(
        plain,
        lights=22,
        strips=(*plain.strips, 0, 4, 4),
        edges=(("white", (19,)), ("black", (20, 21))),
    )
    picture = Picture(
        (LightState(),) * 19,
        edges=(("black", LightState(1, 3)), ("north", LightState(2, 2))),
        palette=PALETTE,
    )
    frame = paint(picture, place_grid(hexagon(3), board), board)
    assert frame.lights[19:] == ((0, 0), (1, 3), (1, 3))
    assert len(paint(picture, place_grid(hexagon(3), plain), plain).lights) == 19


def test_a_picture_of_another_grid_is_refused() -> None:
    board = load("hex5")
    with pytest.raises(BoardError, match="the picture has 61 cells, the game on the board 19"):
        paint(Picture((LightState(),) * 61), place_grid(hexagon(3), board), board)
