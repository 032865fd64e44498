"""Numbers that copper, chip, simulated world, first light and words share: each in one place.

`limits.py` has them. They are held against the drawing and the electrical simulation, and all who
need them against `limits.py`. The chip's files cannot be imported here: their constants are read.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from pathlib import Path

import pytest
from lumiban.boards import limits
from lumiban.boards.profile import MAX_STRIPS, load
from lumiban.boards.profile_file import Pins
from lumiban.maker import firstlight
from lumiban_fw import board, supply
from lumiban_hw.electronics import base_parts, strip_parts
from lumiban_hw.parts import MUX, PICO, magnitude
from lumiban_hw.pcb.netlist import drawn
from lumiban_hw.plans import strips
from lumiban_hw.spice import circuit, kit, models, scenes
from lumiban_sim import joints
from lumiban_sim import rails as simulated

needs_ngspice = pytest.mark.skipif(
    not circuit.program(), reason="needs ngspice: apt install ngspice"
)
RAIL_PAD = MUX.pad(f"Y{limits.RAIL_CHANNEL}")
LANGUAGES = ("en", "ja")


@lru_cache
def values(board: str = "base") -> dict[str, float]:
    """Ohms and farads by part, as drawn."""
    made = base_parts(Pins()) if board == "base" else strip_parts(strips(load("strip5"))[0])
    found = {part.ref: magnitude(part.part.value) for part in made.parts}
    return {ref: one[1] for ref, one in found.items() if one}


@lru_cache
def chip(name: str) -> dict[str, int]:
    """The constants of a firmware file that CPython cannot import."""
    tree = ast.parse((Path(board.__file__).parent / name).read_text("utf-8"))
    out: dict[str, int] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            try:
                value = ast.literal_eval(node.value)
            except ValueError:
                continue
            (target,) = node.targets
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            told = value if isinstance(target, ast.Tuple) else [value]
            out |= {n.id: v for n, v in zip(names, told, strict=True) if isinstance(n, ast.Name)}
    return out


# Against the drawing.


def test_the_shared_numbers_are_those_that_are_drawn() -> None:
    base, strip = values(), values("strip")
    assert {base[f"R{n}"] for n in range(1, 5)} == {limits.ADDRESS_OHM}
    assert base["R27"] == limits.GATE_OHM
    assert base["R21"] == limits.PULL_OHM
    assert base["C21"] == limits.MILLER_F
    assert base["C25"] == limits.SOURCE_F
    assert base["C20"] == limits.BASE_F
    assert base["C22"] == limits.SWITCHED_F
    assert strip["C2"] == limits.STRIP_F
    assert 1 / (1 / strip["R2"] + 1 / strip["R3"]) == limits.REFERENCE_OHM
    assert base["R5"] / base["R6"] + 1 == limits.RAIL_PARTS
    assert MAX_STRIPS == limits.STRIP_SOCKETS == limits.RAIL_CHANNEL


def test_channel_fifteen_of_the_rows_reads_what_gp27_reads() -> None:
    nets = {(j.ref, j.pad): j.net for j in drawn(base_parts(Pins()))}
    assert nets["U1", RAIL_PAD] == nets["A1", PICO.pad("GP27")] != ""


def test_the_base_refuses_within_the_shared_bounds() -> None:
    upper, lower = values()["R25"], values()["R26"]
    trips = [
        1000 * (models.REFERENCE_V * share * (1 + upper * by / lower) + into * upper)
        for share, by, into in ((0.995, 0.998, 1e-6), (1.005, 1.002, 4e-6))
    ]
    assert limits.REFUSE_MV[0] <= trips[0] < trips[1] <= limits.REFUSE_MV[1]


def test_figures_of_parts_are_those_of_their_data_sheets() -> None:
    """DRV5055: 0.2 V to either rail of its 3.3 V; a flat ribbon has some 50 pF a metre; 74HC4067:
    3.5 pF an input."""
    rail = 0.2 / 3.3 * 2 * limits.MIDDLE
    assert 0.8 * rail < limits.DEAD[0] < rail
    assert 0.6 * rail < 2 * limits.MIDDLE - limits.DEAD[1] < rail
    assert pytest.approx(0.4 * 50e-12, rel=0.2) == limits.RIBBON_F
    assert pytest.approx(3.5e-12, rel=0.2) == limits.ADDRESS_PIN_F


# Against the electrical simulation.


@pytest.mark.process
@needs_ngspice
def test_the_shared_times_currents_and_sags_are_what_the_simulation_finds() -> None:
    found = [figures(name) for name in ("hex3", "hex5", "grid13x14")]
    for figure, told in (
        (scenes.GATE, limits.GATE_MS),
        (scenes.RAMP, limits.RAMP_MS),
        (scenes.CHARGING, limits.CHARGING_MV),
        (scenes.HOLD, limits.HOLD_MS),
        (scenes.FADE, limits.FADE_MS),
    ):
        for one in found:
            assert one[figure] == pytest.approx(told, rel=0.2), figure
    most = max(one[scenes.SWITCHED] for one in found)
    assert most == pytest.approx(limits.SWITCHED_MV, rel=0.1)
    assert found[1]["Q2 at GP18"] == pytest.approx(limits.SWITCHED_A, rel=0.1)


@pytest.mark.process
@needs_ngspice
def test_lights_chop_by_as_much_as_the_simulation_finds() -> None:
    worst, sigma = scenes.chopping(kit.assembly(load("hex5")))
    assert worst.value == pytest.approx(limits.CHOP_WORST_MT, rel=0.1)
    assert sigma.value == pytest.approx(limits.CHOP_SIGMA_MT, rel=0.1)


@lru_cache
def figures(name: str) -> dict[str, float]:
    made = kit.assembly(load(name))
    measured = [*scenes.switched_on(made), *scenes.switched_off(made)]
    return {one.what: one.value for one in measured}


# Against the simulated world.


def test_a_simulated_boards_rail_is_as_much_lower_while_strips_charge_as_the_drawn_ones() -> None:
    feed = simulated.Feed(5_000, limits.to_base_mohm(0.75, 1.0, 3_000))
    world = simulated.Rails(feed, 9)
    world.power_up(0)
    world.switch(True, 1_000_000)
    least = min(world.rail_mv(1_000_000 + t_us) for t_us in range(0, 40_000, 100))
    assert 5_000 - least == pytest.approx(limits.CHARGING_MV, rel=0.2)


# Against the firmware.


def test_the_firmware_waits_as_long_as_strips_take_and_reads_the_rail_where_it_lies() -> None:
    assert limits.STRIPS_READY_MS * 1000 == board.STRIPS_READY_US
    assert chip("hal_pico.py")["FIRST_FRAME_US"] == 1000 * limits.FIRST_FRAME_MS
    assert (
        limits.FIRST_FRAME_MS >= 1.2 * (limits.GATE_MS + limits.RAMP_MS) + limits.STRIPS_SETTLED_MS
    )
    assert limits.FIRST_FRAME_MS < limits.STRIPS_READY_MS
    assert chip("hal_pio.py")["RAIL"] == limits.RAIL_CHANNEL << 4 | 15


def test_strips_are_taken_off_a_supply_only_above_what_the_base_lets_through() -> None:
    """The base refuses first; a supply that it never refuses is never too high for the firmware,
    however its rail is read; and where the base's refusal failed, the firmware is sooner than the
    harm."""
    read_highest = limits.REFUSE_MV[0] * limits.READ_MAX
    assert read_highest < supply.STRIPS_DOWN_MV < supply.STRIPS_MAX_MV
    true_mv = supply.STRIPS_MAX_MV / limits.READ_MIN
    assert true_mv < 1000 * min(models.LIMITS[part].most for part in ("guard_v", "regulator_v"))
    assert supply.RAIL_BACK_MV * limits.READ_MAX < 5_000
    assert supply.RAIL_BACK_MV > limits.GOOD_MV


# Against first light.


def test_first_light_waits_and_watches_as_long_as_strips_take() -> None:
    scope = chip("hal_scope.py")
    watched_ms = scope["SWEEPS"] * scope["SWEEP_US"] / 1000
    assert watched_ms >= 2 * (limits.GATE_MS + limits.RAMP_MS) * 1.2
    assert (scope["SWEEPS"], scope["SWEEP_US"]) == (joints.SWEEPS, joints.SWEEP_US)
    assert scope["OFF_MS"] > limits.STRIPS_OFF_MS
    assert firstlight.STEEP_US < 500 * limits.GATE_MS
    assert 1.5 * (limits.GATE_MS + limits.RAMP_MS) < firstlight.GENTLE_US / 1000 < 0.9 * watched_ms


def test_first_light_takes_no_sound_board_for_a_short_and_no_short_for_a_sound_board() -> None:
    short_mv = joints.SHORT_MA * limits.to_base_mohm(0.75, 1.0, 3_000) / 1000
    assert 1.5 * limits.SWITCHED_MV < firstlight.SAG_MV < 0.8 * short_mv


# Against the words.
