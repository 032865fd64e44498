"""Lights that switch their current: as much as on the drawn strips, and no piece moves by it."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace

import pytest
from lumiban.boards import limits
from lumiban.boards.profile import Profile, load
from lumiban.boards.types import LightFrame
from lumiban_fw import layout_file
from lumiban_fw.sense import Sense
from lumiban_fw.wire import FULL_MA, IDLE_MA, WHITE
from lumiban_hw.spice import scenes
from lumiban_sim import chopping
from lumiban_sim.built_board import Wires, exact
from lumiban_sim.rig import Rig
from lumiban_sim.world import World
from rig_line import driven


def longest(profile: Profile) -> int:
    """The strip with the most lights."""
    return max(range(profile.rows), key=profile.strips.count)


def at_its_limit(profile: Profile, row: int) -> bytes:
    """A picture of one strip at its limit of current, all others dark."""
    each_ma = profile.strip_limit_ma / profile.strips.count(row) - IDLE_MA
    value = min(round(255 * each_ma / (3 * FULL_MA)), 127)
    return b"".join(bytes([value] * 3) if of == row else bytes(3) for of in profile.strips)


def chopped(profile: Profile, noise_ut: float = 0.0) -> World:
    """A board of exact parts whose lights chop."""
    board = replace(exact(profile), wires=Wires(chops=limits.CHOP_SPREAD))
    return World(profile, 1, noise_ut=noise_ut, board=board)


def test_lights_chop_as_much_as_on_the_drawn_strips() -> None:
    profile, dice = load("hex5"), random.Random(4)
    row, world = longest(profile), chopped(profile)
    world.shine(at_its_limit(profile, row))
    assert world.electrics is not None
    assert world.electrics.chopping is not None
    lift = world.electrics.chopping.lift
    mt_a_count = profile.gain_q16 / 65536 / 1000
    ones, twos = [], []
    for _ in range(3000):
        t_us, apart_us = dice.uniform(5_000, 28_000), dice.uniform(10, 90)  # as scenes.chopping
        both = [
            (lift(row, t_us + late + apart_us) - lift(row, t_us + late)) * mt_a_count
            for late in (0, 1000)
        ]
        ones.append(abs(both[0]))
        twos.append(sum(both) / 2)
    # The worst of some ten lights depends on how they were drawn; the deviation hardly does.
    assert 0.8 * limits.CHOP_WORST_MT < max(ones) < scenes.MARGIN_MT
    sigma = (sum(mt * mt for mt in twos) / len(twos)) ** 0.5
    assert sigma == pytest.approx(limits.CHOP_SIGMA_MT, rel=0.3)
    lifts = [lift(row, t_us) for t_us in range(0, 1_000_000, 37)]
    assert abs(sum(lifts) / len(lifts)) < 0.2, "what flows on average is not counted twice"


def beyond_the_band(profile: Profile, rows: Iterable[int]) -> int:
    """How many readings of strips at their limits lie where a piece that moves would put them."""
    world, band = chopped(profile), Sense(layout_file.read(profile.board_bin())).still
    counts, references = [0] * len(profile.cells), [0] * profile.rows
    found = 0
    for row in rows:
        world.shine(at_its_limit(profile, row))
        zeros = world.zeros()
        for frame in range(200):
            world.sample(frame, frame * 1000, counts, references)
            for number, cell in enumerate(profile.cells):
                found += abs(counts[number] - references[cell.row] - zeros[number]) > band
    return found


def cells_first(row: bytearray, channel: bytearray, rows: int) -> bytearray:
    """As `layout_file.in_order`, with all references at the end."""
    cells = sorted(r << 4 | c for r, c in zip(row, channel, strict=True))
    return bytearray(cells + [r << 4 | layout_file.REFERENCE for r in range(rows)])


@pytest.mark.slow
def test_chopping_stays_within_the_band_since_each_reference_is_read_among_its_cells(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    profile = load("grid13x14")
    assert beyond_the_band(profile, (1, 2, 10)) == 0
    monkeypatch.setattr(chopping, "in_order", cells_first)
    assert beyond_the_band(profile, (1, 2, 10)) > 30


@pytest.mark.slow
def test_a_board_whose_lights_chop_tells_what_is_set_and_nothing_else() -> None:
    profile = load("hex3")
    board = replace(exact(profile), wires=Wires(chops=limits.CHOP_SPREAD))
    rig = Rig(profile, 4, board=board, skipping=False)
    driver = driven(profile, rig)
    driver.show(LightFrame(((1, 0),) * 19, ((0, 0, 0), (255, 255, 255))))
    driver.run(500_000)
    assert 0 < max(rig.light) < 255, "lights at full current do not chop"
    rig.hands.place(9, WHITE)
    driver.run(2_000_000)
    assert [(event.cell, event.kind) for event in driver.events] == [(9, WHITE)]
    assert driver.events[0].uncertainty_us < 20_000
