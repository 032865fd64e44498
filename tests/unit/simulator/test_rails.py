"""The supply of a simulated board: who has power when, what the supervisor says, what is read."""

from __future__ import annotations

from itertools import pairwise

from lumiban.boards.profile import load
from lumiban_fw.wire import WHITE
from lumiban_sim.rails import (
    FADE_US,
    GATE_US,
    GOOD_AFTER_US,
    HOLD_US,
    RAMP_US,
    SUPPLY_US,
    Feed,
    Rails,
)
from lumiban_sim.world import World

HEX3 = load("hex3")
UP_US = SUPPLY_US + GOOD_AFTER_US


def started(feed: Feed | None = None, strips: int = 9) -> Rails:
    rails = Rails(feed, strips)
    rails.power_up(0)
    return rails


def lowest(rails: Rails, begin_us: int, us: int = 20_000) -> int:
    return min(rails.rail_mv(begin_us + t_us) for t_us in range(us))


def test_the_supervisor_says_good_when_the_rail_has_been_there_for_200_ms() -> None:
    rails = started()
    assert not rails.good(UP_US - SUPPLY_US // 5)
    assert rails.good(UP_US)
    rails.supply(4_500, 500_000)
    assert rails.good(500_000)
    assert not rails.good(500_000 + SUPPLY_US)
    rails.supply(5_000, 600_000)
    assert not rails.good(600_000 + GOOD_AFTER_US - 1)
    assert rails.good(600_000 + UP_US)


def test_strips_have_no_power_until_they_are_switched_on_and_then_ramp_gently() -> None:
    rails = started(Feed(5_100, cable_mohm=82.0))
    assert rails.share(1_000_000) == 0.0
    rails.switch(True, 1_000_000)
    begin = 1_000_000 + GATE_US
    mv = [rails.strips_mv(begin + t_us) for t_us in range(0, RAMP_US + 1, 100)]
    assert all(later >= now - 5 for now, later in pairwise(mv))
    assert (mv[0], mv[-1]) == (0, 5_100)
    assert lowest(rails, 1_000_000) >= 4_850, "the design promises 4.87 V"
    assert all(rails.good(begin + t_us) for t_us in range(0, RAMP_US, 50))
    assert rails.rail_mv(begin) == 5_100 == rails.rail_mv(begin + RAMP_US)
    assert lowest(rails, 1_000_000) == rails.rail_mv(begin + RAMP_US - 1), "as ngspice has it"
    rails.switch(False, 2_000_000)
    assert rails.strips_mv(2_000_000) == 5_100
    assert rails.strips_mv(2_000_000 + HOLD_US) == 5_100
    assert rails.strips_mv(2_000_000 + HOLD_US + FADE_US) == 0


def test_without_gate_resistor_and_miller_capacitor_the_inrush_trips_the_supervisor() -> None:
    rails = started(Feed(gentle=False))
    rails.switch(True, 1_000_000)
    assert 2_200 < lowest(rails, 1_000_000) < 3_300, "ngspice: 2.6 to 3.3 V"
    assert not rails.good(1_000_010)
    assert rails.good(1_000_000 + 2 * GOOD_AFTER_US)


def test_twelve_volts_blow_the_fuse_and_six_go_through_unless_a_protection_keeps_them_off() -> None:
    bare = started(Feed(12_000, most_mv=0))
    assert bare.rail_mv(1_000_000) == 0
    bare.supply(5_000, 2_000_000)
    assert bare.rail_mv(3_000_000) == 0, "the fuse stays blown"
    bare.mend()
    bare.supply(4_999, 4_000_000)
    assert bare.rail_mv(5_000_000) == 4_999
    assert started(Feed(6_000, most_mv=0)).rail_mv(1_000_000) == 6_000
    guarded = started(Feed(12_000))
    assert guarded.rail_mv(1_000_000) == 0
    guarded.supply(5_000, 2_000_000)
    assert guarded.good(2_000_000 + UP_US)


def test_a_pulled_strip_reads_nothing_and_is_dark_and_plugged_in_it_waits_for_a_picture() -> None:
    world = World(HEX3, 1, noise_ut=0)
    counts, references = [0] * len(HEX3.cells), [0] * HEX3.rows
    lit = bytes([90] * 3 * HEX3.lights)
    world.shine(lit, 0)
    world.pull_strip(2, 1_000_000)
    world.sample(1_000, 1_000_000, counts, references)
    assert [n for n, count in enumerate(references) if count < 100] == [2]
    assert {HEX3.cells[n].row for n, count in enumerate(counts) if count < 100} == {2}
    dim = bytes([10] * 3 * HEX3.lights)
    world.shine(dim, 1_100_000)
    shown = {row: world.light[3 * n] for n, row in enumerate(HEX3.strips)}
    assert shown == {0: 10, 1: 10, 2: 0, 3: 90, 4: 90}, "lights behind it hear no more"
    world.plug_strip(2, 1_200_000)
    assert {world.light[3 * n] for n, row in enumerate(HEX3.strips) if row == 2} == {0}
    world.shine(dim, 1_300_000)
    assert world.light == dim
    world.sample(1_300, 1_300_000, counts, references)
    assert references == [2_048] * HEX3.rows


def test_a_world_without_power_reads_next_to_nothing_shows_nothing_and_comes_to_itself() -> None:
    world = World(HEX3, 1, noise_ut=0)
    world.stand(WHITE, 9)
    world.power_up(0)

    def read(t_us: int) -> tuple[list[int], list[int]]:
        counts, references = [0] * len(HEX3.cells), [0] * HEX3.rows
        world.sample(t_us // 1000, t_us, counts, references)
        return counts, references

    lit = bytes([90] * 3 * HEX3.lights)
    counts, references = read(500_000)
    assert max(counts + references) < 100
    world.shine(lit, 500_000)
    assert not any(world.light), "lights without power take no picture"
    world.power(True, 600_000)
    assert world.next_interesting_us(600_000) == 600_000, "somebody looks while it rises"
    middle = read(600_000 + GATE_US + RAMP_US * 6 // 10)[1]
    assert 100 < middle[0] < 2_048
    counts, references = read(700_000)
    assert references == [2_048] * HEX3.rows
    assert counts[9] > 2_400
    world.shine(lit, 700_000)
    assert world.light == lit
    world.power(False, 800_000)
    assert not any(world.light), "without power they forget it"
    assert max(read(800_000 + HOLD_US + FADE_US)[1]) < 100


def test_a_steady_supply_asks_for_no_look() -> None:
    world = World(HEX3, 1)
    world.power_up(0)
    world.power(True, 300_000)
    quiet = world.rails.steady_us + 1_000_000
    assert world.next_interesting_us(quiet) > 1 << 60
