"""Forces, tables and margins of the field model, held against other ways to reckon them."""

from __future__ import annotations

import csv
from dataclasses import replace
from functools import lru_cache
from math import cos, hypot, pi, sin, sqrt
from pathlib import Path

import pytest
from each import each
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.boards.profile import Profile, load, read
from lumiban.i18n import text
from lumiban_hw import magnetics
from lumiban_hw.magnetics import (
    STRONG,
    WEAK,
    Magnet,
    axial_ut,
    beside_ut,
    dipole_gf,
    moment_am2,
    side_gf,
    slides_mm,
)
from lumiban_hw.magnets import margins, report
from lumiban_hw.magnets.margins import EMPTY, NEUTRAL, WHITE, Bench, Margins, Parts
from lumiban_sim.built_board import exact
from lumiban_sim.rig import Rig
from lumiban_sim.world import Place
from thorough import examples

HEX5 = load("hex5")
PROFILES = Path(magnetics.__file__).parent / "profiles"


def by_currents_ut(magnet: Magnet, gap_mm: float, offset_mm: float, fine: int = 120) -> float:
    """The axial field of the current that runs round the magnet's side, by Biot and Savart: short
    straight pieces, summed up."""
    radius, out = magnet.diameter_mm / 2, 0.0
    layers = 24
    for layer in range(layers):
        z = gap_mm + magnet.length_mm * (layer + 0.5) / layers
        for turn in range(fine):
            angle = 2 * pi * (turn + 0.5) / fine
            rx, ry = offset_mm - radius * cos(angle), -radius * sin(angle)
            # dl × r along the axis, for dl along (−sin, cos).
            across = -sin(angle) * ry - cos(angle) * rx
            out += across * (2 * pi * radius / fine) / (rx * rx + ry * ry + z * z) ** 1.5
    return magnet.remanence_t / (4 * pi) * out * magnet.length_mm / layers * 1e6


@each("offset", [0.0, 1.0, 4.0, 12.5, 25.0])
@each("magnet", [STRONG, WEAK])
def test_the_field_is_that_of_the_current_round_the_magnet(magnet: Magnet, offset: float) -> None:
    told = axial_ut(magnet, 6.0, offset)
    assert told == pytest.approx(by_currents_ut(magnet, 6.0, offset), rel=3e-3, abs=2)


def test_a_seated_white_piece_makes_32_mt() -> None:
    assert by_currents_ut(Magnet(6, 3, 1.18), 6.0, 0.0) / 1000 == pytest.approx(32.0, abs=0.1)


@given(z=st.floats(-8, 10), offset=st.floats(10, 40))
@settings(max_examples=examples(40))
def test_beside_a_magnet_the_field_is_that_of_two_charged_discs(z: float, offset: float) -> None:
    out = 0.0
    for height, sign in ((z, -1.0), (z - STRONG.length_mm, 1.0)):
        for ring in range(12):
            r = 3 * (ring + 0.5) / 12
            for turn in range(12):
                angle = 2 * pi * (turn + 0.5) / 12
                flat = (r * cos(angle) - offset) ** 2 + (r * sin(angle)) ** 2
                patch = 2 * pi * r * 3 / 12 / 12
                out += sign * patch * height / (flat + height**2) ** 1.5
    told = STRONG.remanence_t / (4 * pi) * out * 1e6
    assert beside_ut(STRONG, z, offset) == pytest.approx(told, rel=5e-3, abs=3)


def test_inside_a_magnet_there_is_no_field_beside_it() -> None:
    with pytest.raises(ValueError, match="inside"):
        beside_ut(STRONG, 1.5, 2.0)


# Forces.


@each(
    ("diameter", "length", "distance", "gf"),
    [(6, 3, 20, 1.24), (6, 3, 25, 0.51), (8, 3, 20, 3.9), (8, 3, 25, 1.6), (4, 2, 20, 0.11),
     (4, 2, 25, 0.04)],
)  # fmt: skip
def test_forces_of_points_are_the_studys(
    diameter: float, length: float, distance: float, gf: float
) -> None:
    magnet = Magnet(diameter, length)
    assert dipole_gf(magnet, magnet, distance) == pytest.approx(gf, abs=0.06 if gf > 1 else 0.006)


def test_from_afar_two_magnets_are_points() -> None:
    for one, other in ((STRONG, STRONG), (STRONG, WEAK), (WEAK, WEAK)):
        assert side_gf(one, other, 120) == pytest.approx(dipole_gf(one, other, 120), rel=5e-3)


@pytest.mark.parametrize("distance", [9.0, 15.0, 25.0])
def test_the_force_is_the_gradient_of_the_energy(distance: float) -> None:
    def energy(apart: float) -> float:
        """−M ∫ B dV over the other magnet, in J."""
        total, rings, turns, layers = 0.0, 4, 16, 4
        for ring in range(rings):
            r = 2.0 * (ring + 0.5) / rings
            for turn in range(turns):
                angle = 2 * pi * (turn + 0.5) / turns
                far = hypot(apart + r * cos(angle), r * sin(angle))
                for layer in range(layers):
                    z = WEAK.length_mm * (layer + 0.5) / layers
                    total += beside_ut(STRONG, z, far) * r
        volume = pi * 4 * WEAK.length_mm * 1e-9
        mean = total / (turns * layers * sum(2.0 * (k + 0.5) / rings for k in range(rings)))
        return -moment_am2(WEAK) / volume * mean * 1e-6 * volume

    step = 0.02
    newton = -(energy(distance + step) - energy(distance - step)) / (2 * step / 1000)
    assert side_gf(STRONG, WEAK, distance) == pytest.approx(newton * 1000 / 9.80665, rel=0.02)


def test_action_and_reaction_are_equal() -> None:
    assert side_gf(STRONG, WEAK, 15) == pytest.approx(side_gf(WEAK, STRONG, 15), rel=5e-3)


def test_nearer_pieces_push_more_and_heavier_ones_hold_longer() -> None:
    pushes = [side_gf(STRONG, STRONG, far) for far in (8, 12, 20, 25, 40)]
    assert pushes == sorted(pushes, reverse=True)
    assert slides_mm(STRONG, STRONG, 2.3) > slides_mm(STRONG, STRONG, 4.0)
    held = slides_mm(STRONG, STRONG, 2.3)
    assert side_gf(STRONG, STRONG, held) == pytest.approx(0.3 * 2.3, rel=0.01)
    with pytest.raises(ValueError, match="overlap"):
        side_gf(STRONG, STRONG, 6.0)


# Margins.


@lru_cache
def found(name: str = "hex5", *, compensate: bool = True) -> Margins:
    return margins.at_random(load(name), compensate=compensate)


@lru_cache
def hexagon_of_127() -> Profile:
    shipped = (PROFILES / "hex5.toml").read_text("utf-8")
    return read(shipped.replace("\nsize = 5", "\nsize = 7"), "large.toml")


@pytest.mark.slow
def test_raw_random_boards_are_those_of_the_study() -> None:
    # Study: 127 cells, 60 boards, 25 mm, raw: empty to 3.0, neutral 8.7 to 17.3, strong from 23.4.
    raw = margins.at_random(hexagon_of_127(), 60, compensate=False)
    assert (raw.cells, raw.wrong) == (7620, 0)
    # Extremes of eight other seeds lie up to 0.5, 0.7, 0.9 and 1.2 mT from these.
    assert raw.strongest("empty") / 1000 == pytest.approx(3.0, abs=0.6)
    assert raw.weakest("neutral") / 1000 == pytest.approx(8.7, abs=0.8)
    assert raw.strongest("neutral") / 1000 == pytest.approx(17.3, abs=1.0)
    assert raw.weakest("strong") / 1000 == pytest.approx(23.4, abs=1.3)


def test_compensation_calms_empty_cells() -> None:
    assert found().strongest("empty") < 0.75 * found(compensate=False).strongest("empty")


def test_random_boards_come_from_their_seed() -> None:
    few = [margins.at_random(load("hex3"), 2, seed) for seed in (1, 1, 2)]
    assert few[0] == few[1] != few[2]


# The simulator's world is this model.


def test_the_simulated_world_feels_what_the_model_says() -> None:
    rig, bench = Rig(HEX5, 1, board=exact(HEX5)), Bench(HEX5)
    n = len(HEX5.cells)
    kinds, aside = [EMPTY] * n, [(0.0, 0.0)] * n
    for cell, kind in ((30, WHITE), (31, NEUTRAL), (40, WHITE)):
        kinds[cell], aside[cell] = kind, (0.4, -0.3)
        middle = HEX5.cells[cell]
        rig.world.appear(kind, Place(middle.x_mm + 0.4, middle.y_mm - 0.3, 0.0), cell=cell)
    told = rig.world.field_ut(rig.now_us)
    signs = [
        1.0 if kind != NEUTRAL else (1.0 if told[cell] > 0 else -1.0)
        for cell, kind in enumerate(kinds)
    ]
    zeros = (0.0,) * n
    parts = Parts(kinds, zeros, (1.0,) * n, zeros, signs, aside)
    for cell, field in enumerate(bench.fields_ut(parts)):
        x, y = HEX5.cells[cell].x_mm, HEX5.cells[cell].y_mm
        places = [(HEX5.cells[k].x_mm, HEX5.cells[k].y_mm) for k in (30, 31, 40)]
        near = min(hypot(x - px, y - py) for px, py in places)
        if near < 50:
            assert field == pytest.approx(told[cell], abs=60 + 0.003 * abs(told[cell]))


# What does not suit a board is found.


def rules(profile: Profile) -> set[str]:
    """The rules that are broken; the sentence of each can be said in both languages."""
    seen = margins.at_random(profile, 12)
    told = list(report.check(profile, seen, list(margins.by_hand(profile))))
    for one in told:
        for language in ("en", "ja"):
            assert "{" not in text(f"hardware.rule.{one.rule}", language, **one.said)
    return {one.rule.removeprefix("magnet.") for one in told}


@pytest.mark.slow
def test_our_boards_suit_the_fields() -> None:
    assert rules(HEX5) == set()
    assert rules(load("grid9x9")) == set()


@pytest.mark.one_case
@pytest.mark.parametrize(
    ("profile", "rule"),
    [
        (replace(HEX5, strong_ut=25_000), "margin"),
        (replace(HEX5, on_ut=10_500), "wrong"),
        (replace(HEX5, off_ut=1_500), "margin"),
        (replace(HEX5, foreign_ut=40_000), "margin"),
        (replace(HEX5, strong_ut=22_900), "worst"),
        (replace(HEX5, gap_mm=8.0), "wrong"),
        (replace(HEX5, strong_um=2_400), "height"),
        (replace(HEX5, weak_um=1_700), "height"),
        (replace(HEX5, pitch_mm=22.0), "slide"),
    ],
)
def test_a_spoiled_profile_is_found(profile: Profile, rule: str) -> None:
    assert rule in rules(profile)


# What people get.


@pytest.mark.slow
def test_the_kit_has_tables_and_diagrams_that_never_change(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    reports = []
    for folder in (one, other):
        folder.mkdir()
        reports.append(report.Magnets(load("hex3")).make(folder))
    assert reports[0] == reports[1]
    assert reports[0].is_good
    names = sorted(path.name for path in one.iterdir())
    assert len(names) == 9
    assert all((one / name).read_bytes() == (other / name).read_bytes() for name in names)
    with (one / "field.csv").open(encoding="utf-8", newline="") as file:
        rows = {(row["magnet"], row["gap_mm"]): row for row in csv.DictReader(file)}
    assert float(rows["strong", "6"]["mt_at_0_mm"]) == pytest.approx(32.4, abs=0.05)
    assert float(rows["weak", "6"]["mt_at_0_mm"]) == pytest.approx(12.85, abs=0.05)
    with (one / "crosstalk.csv").open(encoding="utf-8", newline="") as file:
        rings = {(row["magnet"], row["pitch_mm"]): row for row in csv.DictReader(file)}
    assert float(rings["strong", "25"]["all_mt"]) == pytest.approx(-2.93, abs=0.01)


def test_the_rings_of_neighbours_lie_where_the_boards_cells_do() -> None:
    for profile in (HEX5, load("grid9x9")):
        middle = profile.cells[len(profile.cells) // 2]
        far = sorted(
            round(hypot(c.x_mm - middle.x_mm, c.y_mm - middle.y_mm) / profile.pitch_mm, 3)
            for c in profile.cells
        )
        ring = [1.0] * 6 + [round(sqrt(3), 3)] * 6 + [2.0] * 6
        if not profile.grid.is_hex:
            ring = [1.0] * 4 + [round(sqrt(2), 3)] * 4 + [2.0] * 4
        assert far[1 : 1 + len(ring)] == ring
