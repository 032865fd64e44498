"""The physical board: fields of pieces, counts, noise, and what may be skipped."""

from __future__ import annotations

import itertools
from statistics import fmean, pstdev

import pytest
from lumiban.boards.limits import MIDDLE
from lumiban.boards.profile import Profile, load
from lumiban_hw.magnetics import STRONG, axial_ut, on_axis_ut
from lumiban_sim.world import FOREVER, Leg, Place, World

WHITE, BLACK, NEUTRAL, STACKED = 1, 2, 3, 5
PROFILE: Profile = load("hex3")
MIDDLE_CELL = PROFILE.grid.at(0, 0)


def still(seed: int = 0) -> World:
    return World(PROFILE, seed, noise_ut=0)


def counts(world: World, t_us: int = 0, frame: int = 0) -> list[int]:
    out, references = [0] * len(PROFILE.cells), [0] * PROFILE.rows
    world.sample(frame, t_us, out, references)
    return out


def down(begin_us: int = 0, end_us: int = 200_000, kind_h: float = 45.0) -> Leg:
    cell = PROFILE.cells[MIDDLE_CELL]
    high, seat = Place(cell.x_mm, cell.y_mm, kind_h), Place(cell.x_mm, cell.y_mm, 0.0)
    return Leg(begin_us, end_us, high, seat, 0.0, 1.0)


@pytest.mark.parametrize(("kind", "sign"), [(WHITE, 1), (BLACK, -1)])
def test_a_seated_stone_reads_its_strength_with_its_sign(kind: int, sign: int) -> None:
    world = still()
    world.stand(kind, MIDDLE_CELL)
    field = on_axis_ut(STRONG, PROFILE.gap_mm)
    assert world.field_ut(0)[MIDDLE_CELL] == pytest.approx(sign * field, abs=1)
    expected = sign * field / (PROFILE.gain_q16 / 65536)
    assert counts(world)[MIDDLE_CELL] - MIDDLE == pytest.approx(expected, abs=0.51)


def test_neighbours_feel_a_stone_as_the_formula_says() -> None:
    world = still()
    world.stand(WHITE, MIDDLE_CELL)
    field = world.field_ut(0)
    for near in PROFILE.grid.neighbours[MIDDLE_CELL]:
        assert field[near] == pytest.approx(
            axial_ut(STRONG, PROFILE.gap_mm, PROFILE.pitch_mm), abs=2
        )


def test_a_stone_on_a_stone_is_stacked_and_felt_less() -> None:
    world = still()
    world.stand(WHITE, 3)
    alone = world.field_ut(0)[3]
    world.stand(WHITE, 3)
    assert world.kinds(0)[3] == STACKED
    assert world.field_ut(0)[3] / alone == pytest.approx(1.19, abs=0.02)


def test_a_sensor_never_leaves_its_swing() -> None:
    world = still()
    for _ in range(3):
        piece = world.stand(WHITE, 0)
        piece.cell = -1  # three magnets in one place: more than any hand could do
        world.field_ut(0)
    assert counts(world)[0] <= 3848


def test_a_falling_stone_is_felt_more_and_more_until_it_rests() -> None:
    world = still()
    leg = down()
    piece = world.appear(WHITE, leg.start, cell=MIDDLE_CELL)
    world.follow(piece, 0, (leg,))
    assert world.kinds(199_999)[MIDDLE_CELL] == 0
    assert world.kinds(200_000)[MIDDLE_CELL] == WHITE
    felt = [world.field_ut(t)[MIDDLE_CELL] for t in range(0, 260_000, 1000)]
    assert felt == sorted(felt)
    assert felt[-1] == pytest.approx(on_axis_ut(STRONG, PROFILE.gap_mm), abs=1)


def test_a_sideways_way_and_an_upright_way_meet_without_a_jump() -> None:
    world = still()
    cell = PROFILE.cells[MIDDLE_CELL]
    over = Place(cell.x_mm, cell.y_mm, 12.0)
    aside = Leg(0, 50_000, Place(cell.x_mm - 12, cell.y_mm + 5, 12.0), over)
    last = Leg(50_000, 90_000, over, over._replace(h=0.0))
    piece = world.appear(BLACK, aside.start, cell=MIDDLE_CELL)
    world.follow(piece, 0, (aside, last))
    felt = [world.field_ut(t) for t in range(49_900, 50_100, 10)]
    steps = [abs(b - a) for x, y in itertools.pairwise(felt) for a, b in zip(x, y, strict=True)]
    assert max(steps) < 30


def test_only_the_felt_part_of_a_way_is_interesting() -> None:
    world = still()
    leg = down(begin_us=1_000_000, end_us=1_400_000, kind_h=60.0)
    piece = world.appear(WHITE, leg.start, cell=MIDDLE_CELL)
    world.follow(piece, 0, (leg,))
    begin = world.next_interesting_us(0)
    assert 1_000_000 < begin < 1_400_000
    assert max(map(abs, world.field_ut(begin - 10_000))) < 500
    settled = 1_400_000 + PROFILE.settle_us
    assert world.next_interesting_us(settled) == settled
    assert world.next_interesting_us(1_500_000) == FOREVER


def test_turning_round_keeps_the_past_and_drops_the_rest() -> None:
    world = still()
    leg = down(end_us=400_000)
    piece = world.appear(WHITE, leg.start)
    world.follow(piece, 0, (leg,))
    there = piece.at(300_000)
    away = Leg(300_000, 350_000, there, there._replace(h=60.0))
    world.follow(piece, 300_000, (away,))
    assert piece.at(300_000) == there
    assert world.next_interesting_us(300_000) == 300_000
    assert world.next_interesting_us(450_000) == FOREVER


def test_noise_has_its_strength_and_no_memory() -> None:
    world = World(PROFILE, 5)
    series = [counts(world, frame * 1000, frame)[4] - MIDDLE for frame in range(4000)]
    sigma = 300 / (PROFILE.gain_q16 / 65536)
    assert pstdev(series) == pytest.approx(sigma, rel=0.08)
    assert abs(fmean(series)) < 0.4
    after = fmean(a * b for a, b in itertools.pairwise(series)) / sigma**2
    assert abs(after) < 0.08


def test_noise_depends_on_seed_and_frame_only() -> None:
    often, rarely, other = World(PROFILE, 7), World(PROFILE, 7), World(PROFILE, 8)
    for frame in range(99):
        counts(often, frame * 1000, frame)
    assert counts(often, 99_000, 99) == counts(rarely, 99_000, 99)
    assert counts(often, 99_000, 99) != counts(other, 99_000, 99)


def test_frames_of_light_count_only_when_they_differ() -> None:
    world = still()
    world.shine(bytes(3 * PROFILE.lights))
    assert world.light_frames == 0
    world.shine(bytes([9]) * 3 * PROFILE.lights)
    assert (world.light_frames, world.light[0]) == (1, 9)


def test_what_is_no_piece_and_no_button_is_refused() -> None:
    world = still()
    with pytest.raises(ValueError, match="kind 5"):
        world.stand(STACKED, 0)
    with pytest.raises(ValueError, match="button 4"):
        world.press(4, True)
