"""Lights: what is committed shines, moves and dims as it was told. Somebody must see it."""

from __future__ import annotations

import pytest
from lumiban_fw import wire

from pytest_lumiban.board import BoardUnderTest
from pytest_lumiban.claims import require
from pytest_lumiban.plugin import Eyes

RED, WHITE = (255, 0, 0), (255, 255, 255)
DARK = 12
"""A lamp, or a sensor's noise, that counts as dark; a lit one is brighter than `LIT`."""
LIT = 20


def test_what_is_committed_shines_on_its_cell_and_what_is_staged_does_not(
    board: BoardUnderTest, light: Eyes
) -> None:
    board.configure(wire.CFG_BRIGHTNESS, 255)
    for cell in light.cells:
        board.show({})
        board.wait(0.1)
        before = sum(light.look(cell))
        board.show({cell: WHITE}, commit=False)
        board.wait(0.1)
        require(sum(light.look(cell)) <= before + DARK, f"{cell} shines before COMMIT")
        board.commit()
        board.wait(0.1)
        seen = light.look(cell)
        require(sum(seen) > before + LIT, f"{cell} was told to shine, and is {seen}")
        others = [one for one in light.cells if one != cell and sum(light.look(one)) > before + LIT]
        require(not others, f"{cell} was told to shine, and {', '.join(others)} shines")


def test_a_blinking_light_goes_on_and_off(board: BoardUnderTest, light: Eyes) -> None:
    board.configure(wire.CFG_BRIGHTNESS, 255)
    cell = light.cells[0]
    for effect in ("blink", "fast-blink", "breathe", "pulse"):
        board.show({cell: WHITE}, effect)
        seen = []
        for _ in range(50):
            board.wait(0.06)
            seen.append(sum(light.look(cell)))
        require(
            max(seen) > 1.3 * min(seen) + LIT,
            f"{cell} was told to {effect}, and stayed between {min(seen)} and {max(seen)} for 3 s",
        )


def test_brightness_dims_all_lights(board: BoardUnderTest, light: Eyes) -> None:
    cell = light.cells[-1]
    board.configure(wire.CFG_BRIGHTNESS, 255)
    board.show({cell: WHITE})
    board.wait(0.2)
    bright = sum(light.look(cell))
    board.configure(wire.CFG_BRIGHTNESS, 20)
    board.wait(0.2)
    dim = sum(light.look(cell))
    require(dim < bright / 2, f"{cell} is {bright} at brightness 255 and {dim} at 20")


def test_a_board_without_its_host_shows_so(board: BoardUnderTest, light: Eyes) -> None:
    board.show({light.cells[0]: RED})
    board.wait(0.2)
    before = light.look(light.cells[0])
    board.host.beating = False
    board.wait(3.0)
    after = light.look(light.cells[0])
    require(
        after != before, f"its host is silent for 3 s, and {light.cells[0]} is {after} as before"
    )
    board.host.beating = True
    board.wait(1.0)
    require(light.look(light.cells[0]) == before, "its host is back, and its picture is not")


@pytest.mark.lumiban_needs("power")
def test_a_board_whose_power_was_cut_starts_dark_and_tells_a_new_boot_id(
    board: BoardUnderTest, light: Eyes, power: object
) -> None:
    board.show(dict.fromkeys(light.cells, RED))
    board.wait(0.2)
    before = board.hello.boot_id
    power.cut()  # type: ignore[attr-defined]
    board.wait(1.0)
    again = board.host.greet(91)
    require(again.boot_id != before, "boot_id is the old one after a start")
    require(not any(light.look(cell)[0] > LIT for cell in light.cells), "its old picture shines")
