"""Lights: what is committed shines, moves and dims as it was told. Somebody must see it."""

from __future__ import annotations

import itertools

import pytest
from lumiban_fw import wire

from pytest_lumiban.board import BoardUnderTest, Colour
from pytest_lumiban.claims import Inconclusive, claim, require
from pytest_lumiban.plugin import Eyes, Relay
from pytest_lumiban.suite.test_readings import told_cells

RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)
DARK = 12
"""A lamp, or a sensor's noise, that counts as dark; a lit one is brighter than `LIT`."""
LIT = 20
STARTS_US = 20_000_000
"""A board whose power was cut, and its port, are back within this."""


def shown(board: BoardUnderTest, light: Eyes, cell: str, colours: dict[str, Colour]) -> int:
    """How bright a cell is while cells have these colours: the sum of red, green and blue."""
    board.show(colours)
    board.wait(0.1)
    return sum(light.look(cell))


def watched(board: BoardUnderTest, light: Eyes, cell: str, looks: int, apart_s: float) -> list[int]:
    """Brightness of a cell at each of a number of looks."""
    seen = []
    for _ in range(looks):
        board.wait(apart_s)
        seen.append(sum(light.look(cell)))
    return seen


def test_what_is_committed_shines_on_its_cell_and_what_is_staged_does_not(
    board: BoardUnderTest, light: Eyes
) -> None:
    board.configure(wire.CFG_BRIGHTNESS, 255)
    for cell in light.cells:
        before = shown(board, light, cell, {})
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
        seen = watched(board, light, cell, 50, 0.06)
        require(
            max(seen) > 1.3 * min(seen) + LIT,
            f"{cell} was told to {effect}, and stayed between {min(seen)} and {max(seen)} for 3 s",
        )


@claim("Stages colours, in sRGB values.")
def test_a_cell_has_the_colour_of_its_palette_entry(board: BoardUnderTest, light: Eyes) -> None:
    board.configure(wire.CFG_BRIGHTNESS, 255)
    cell = light.cells[0]
    other = next(one for one in board.cells if one != cell)
    colours = {"red": RED, "green": GREEN, "blue": BLUE}
    for name, colour in colours.items():
        neighbour = next(one for one in colours.values() if one != colour)
        board.show({other: neighbour, cell: colour})
        board.wait(0.1)
        seen = light.look(cell)
        if len(set(seen)) == 1 and sum(seen) > LIT:
            pytest.skip("unseen: these eyes see no colours")
        looks = list(colours)[seen.index(max(seen))]
        require(looks == name, f"{cell} was told to be {name}, and is {looks}: {seen}")


@claim("0.2 s on, 0.2 s off")
@pytest.mark.parametrize(("effect", "half_s"), [("blink", 0.5), ("fast-blink", 0.2)])
def test_a_light_blinks_at_its_own_period(
    board: BoardUnderTest, light: Eyes, effect: str, half_s: float
) -> None:
    board.configure(wire.CFG_BRIGHTNESS, 255)
    cell = light.cells[0]
    board.show({cell: WHITE}, effect)
    began_us = board.host.now_on_board()
    looks = watched(board, light, cell, 100, 0.03)
    seconds = (board.host.now_on_board() - began_us) / 1e6
    if seconds > len(looks) * half_s / 2:
        raise Inconclusive(f"these eyes looked {len(looks)} times in {seconds:.1f} s: too seldom")
    middle = (min(looks) + max(looks)) / 2
    turns = sum((a > middle) != (b > middle) for a, b in itertools.pairwise(looks))
    expected = seconds / half_s
    require(
        abs(turns - expected) <= 1 + expected / 4,
        f"{cell} was told to {effect}: it went on or off {turns} times in {seconds:.1f} s, not"
        f" {expected:.0f} times",
    )


@claim("0 to 255, linear in light")
def test_brightness_dims_a_light_in_proportion(board: BoardUnderTest, light: Eyes) -> None:
    cell = light.cells[-1]
    levels = (255, 60)
    dark, seen = shown(board, light, cell, {}), []
    for level in levels:
        board.configure(wire.CFG_BRIGHTNESS, level)
        seen.append(shown(board, light, cell, {cell: WHITE}) - dark)
    bright, dim = seen
    share = levels[1] / levels[0]
    require(
        0.6 * share * bright < dim < 1.5 * share * bright,
        f"{cell} is {bright} at brightness {levels[0]} and {dim} at {levels[1]}",
    )


@claim("this cell and those after it; fewer than 4 at the end", "CAN_IDENTIFY")
def test_a_cell_s_name_has_the_light_that_shines_there(board: BoardUnderTest, light: Eyes) -> None:
    board.configure(wire.CFG_BRIGHTNESS, 255)
    board.show({})
    board.wait(0.1)
    under = dict(told_cells(board.host))
    dark = {cell: sum(light.look(cell)) for cell in light.cells}
    for cell in light.cells:
        board.show_lights({under.get(cell, 0): WHITE})
        board.wait(0.1)
        require(
            sum(light.look(cell)) > dark[cell] + LIT,
            f"CELLS says that light {under.get(cell)} is under {cell}, and it is not",
        )


def test_a_board_without_its_host_shows_so(board: BoardUnderTest, light: Eyes) -> None:
    board.show({light.cells[0]: RED})
    board.wait(0.2)
    before = light.look(light.cells[0])
    board.host.beats = False
    board.wait(3.0)
    after = light.look(light.cells[0])
    require(
        after != before, f"its host is silent for 3 s, and {light.cells[0]} is {after} as before"
    )
    board.host.beats = True
    board.wait(1.0)
    require(light.look(light.cells[0]) == before, "its host is back, and its picture is not")


def test_a_board_whose_power_was_cut_starts_dark_and_tells_a_new_boot_id(
    board: BoardUnderTest, light: Eyes, power: Relay
) -> None:
    board.show(dict.fromkeys(light.cells, RED))
    board.wait(0.2)
    before = board.hello.boot_id
    power.cut()
    board.wait(1.0)
    board.host.greet(0, STARTS_US)
    require(board.hello.boot_id != before, "boot_id is the old one after a start")
    require(not any(light.look(cell)[0] > LIT for cell in light.cells), "its old picture shines")
