"""A board as it was built: tolerances, light, warmth and supply in what its sensors read."""

from __future__ import annotations

from dataclasses import replace
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lumiban.boards.profile import load
from lumiban_fw.wire import WHITE
from lumiban_hw.magnetics import STRONG, on_axis_ut
from lumiban_sim.built_board import BuiltBoard, Climate, Wires, built, exact
from lumiban_sim.world import World

HEX3 = load("hex3")
UT_A_COUNT = HEX3.gain_q16 / 65536
FULL = bytes([255]) * (3 * HEX3.lights)
DARK = bytes(3 * HEX3.lights)


def _read(world: World, t_us: int = 0) -> tuple[list[int], list[int]]:
    counts, references = [0] * len(HEX3.cells), [0] * HEX3.rows
    world.sample(0, t_us, counts, references)
    return counts, references


def _differences(world: World, t_us: int = 0) -> list[int]:
    counts, references = _read(world, t_us)
    return [count - references[cell.row] for count, cell in zip(counts, HEX3.cells, strict=True)]


def _still(board: BuiltBoard) -> World:
    return World(HEX3, 1, noise_ut=0, board=board)


@pytest.mark.parametrize("gap", [-0.5, 0.3, 0.5])
def test_a_cell_under_a_thicker_lid_feels_the_formulas_field(gap: float) -> None:
    gaps = [0.0] * len(HEX3.cells)
    gaps[9] = gap
    world = _still(replace(exact(HEX3), gaps_mm=tuple(gaps)))
    world.stand(WHITE, 9)
    felt = _differences(world)[9] * UT_A_COUNT
    assert felt == pytest.approx(on_axis_ut(STRONG, HEX3.gap_mm + gap), rel=0.005)


def test_gain_offset_and_magnets_each_count_for_what_they_are_off() -> None:
    n = len(HEX3.cells)
    board = replace(exact(HEX3), gains=(1.05,) * n, offsets_ut=(1000.0,) * n)
    world = _still(board)
    assert _differences(world)[0] == round(1000 / UT_A_COUNT)
    world.stand(WHITE, 9)
    whole = on_axis_ut(STRONG, HEX3.gap_mm) * 1.05 + 1000
    assert _differences(world)[9] * UT_A_COUNT == pytest.approx(whole, rel=0.003)
    spread = _still(replace(exact(HEX3), remanence=0.02))
    felt = []
    for cell in range(n):
        piece = spread.stand(WHITE, cell)
        felt.append(_differences(spread)[cell] * UT_A_COUNT)
        spread.vanish(piece, 0)
    plain = on_axis_ut(STRONG, HEX3.gap_mm)
    assert all(0.975 * plain < ut < 1.025 * plain for ut in felt)
    assert len(set(felt)) > n // 2


def test_light_lifts_a_strip_and_its_reference_by_what_the_ribbon_drops() -> None:
    world = _still(replace(exact(HEX3), wires=Wires(strip_uohm=0)))
    dark, dark_references = _read(world)
    world.shine(FULL)
    lit, lit_references = _read(world)
    lamps = [sum(strip == row for strip in HEX3.strips) for row in range(HEX3.rows)]
    for row, count in enumerate(lamps):
        lifted = 60 * count * Wires().ribbon_uohm / 1000 / (3_300_000 / 4096)
        assert lit_references[row] - dark_references[row] == pytest.approx(lifted, abs=1.1)
    for cell, (now, then) in zip(HEX3.cells, zip(lit, dark, strict=True), strict=True):
        assert now - then == pytest.approx(
            lit_references[cell.row] - dark_references[cell.row], abs=1.1
        )


def test_far_cells_of_a_lit_strip_shift_against_their_reference() -> None:
    world = _still(replace(exact(HEX3), wires=Wires(strip_uohm=20_000)))
    world.shine(FULL)
    row = [n for n, cell in enumerate(HEX3.cells) if cell.row == HEX3.cells[9].row]
    row.sort(key=lambda n: HEX3.cells[n].channel)
    shifts = [_differences(world)[n] for n in row]
    assert shifts == sorted(shifts)
    assert shifts[-1] > shifts[0] > 0


@given(st.floats(-20, 40), st.floats(-40, 40), st.integers(0, 7_200_000_000))
def test_the_climate_never_leaves_start_and_end(start: float, rise: float, t_us: int) -> None:
    at = Climate(start, rise).at(t_us)
    low, high = sorted((start, start + rise))
    assert low - 1e-9 <= at <= high + 1e-9


def test_boards_that_are_built_differ_within_their_tolerances() -> None:
    boards = [built(HEX3, seed) for seed in range(40)]
    gaps = [gap for board in boards for gap in board.gaps_mm]
    assert -0.5 <= min(gaps) < -0.4 < 0.4 < max(gaps) <= 0.5
    assert abs(mean(gain for board in boards for gain in board.gains) - 1.0) < 0.005
    assert len({board.offsets_ut for board in boards}) == 40
    lid = built(HEX3, 1, common_gap=True)
    assert len(set(lid.gaps_mm)) == 1
