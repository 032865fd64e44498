"""Forces, tables and margins of the field model, held against other ways to reckon them."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import cos, hypot, pi, sin
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
from lumiban_hw.magnets.margins import Margins
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


# The simulator's world is this model.


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
