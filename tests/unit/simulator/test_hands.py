"""Hands: errands at human speeds, dragging, and everything a hand must not be able to break."""

from __future__ import annotations

import itertools
from math import hypot

import pytest
from each import each
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.boards.profile import load
from lumiban_sim.hands import DONE, HUMAN, RECALLED, REFUSED, Hands
from lumiban_sim.world import FOREVER, Leg, Place, World
from thorough import examples

WHITE, BLACK, NEUTRAL = 1, 2, 3
PROFILE = load("hex3")


def setting(seed: int = 0) -> tuple[World, Hands]:
    world = World(PROFILE, seed, noise_ut=0)
    return world, Hands(world, seed)


def finish(hands: Hands) -> None:
    while not hands.idle:
        hands.advance(hands.next_deadline())


def test_a_placed_stone_lies_on_its_cell_within_a_millimetre() -> None:
    for seed in range(20):
        world, hands = setting(seed)
        errand = hands.place(7, WHITE)
        finish(hands)
        assert errand.state == DONE
        assert world.kinds(hands.now_us)[7] == WHITE
        (piece,) = world.pieces.values()
        cell = PROFILE.cells[7]
        place = piece.at(hands.now_us)
        assert hypot(place.x - cell.x_mm, place.y - cell.y_mm) <= HUMAN.error_mm
        assert place.h == 0


def test_stones_come_down_at_human_speeds_and_never_jump() -> None:
    for seed in range(20):
        world, hands = setting(seed)
        errand = hands.place(7, BLACK)
        hands.advance(0)
        (piece,) = world.pieces.values()
        ways = [piece.at(t) for t in range(0, errand.touch_us + 1000, 1000)]
        speeds = [hypot(b.x - a.x, b.y - a.y, b.h - a.h) for a, b in itertools.pairwise(ways)]
        assert max(speeds) < 2.0  # mm a ms: m/s
        last = [place.h for place in ways if 0 < place.h < 8]
        touch = (last[0] - last[-1]) / max(len(last) - 1, 1)
        assert 0.04 < touch < 0.5


def test_an_errand_touches_the_board_when_asked_to() -> None:
    _, hands = setting()
    one = hands.place(2, WHITE, hand="left", touch_us=3_000_000)
    other = hands.place(4, BLACK, hand="right", touch_us=3_000_700)
    finish(hands)
    assert (one.touch_us, other.touch_us) == (3_000_000, 3_000_700)


def test_one_hand_does_one_thing_after_the_other_and_two_work_at_once() -> None:
    _, hands = setting()
    first, second = hands.place(0, WHITE, hand="a"), hands.place(1, WHITE, hand="a")
    third = hands.place(2, BLACK, hand="b")
    finish(hands)
    assert second.begin_us >= first.end_us
    assert third.begin_us == 0


def test_a_taken_cell_and_an_empty_cell_are_refused_with_a_reason() -> None:
    world, hands = setting()
    world.stand(BLACK, 5)
    onto, off = hands.place(5, WHITE), hands.lift(6)
    finish(hands)
    assert (onto.state, onto.reason) == (REFUSED, "taken")
    assert (off.state, off.reason) == (REFUSED, "empty")
    assert hands.refused == [onto, off]
    assert world.kinds(hands.now_us)[5] == BLACK


def test_two_hands_do_not_place_on_one_cell_nor_lift_one_stone() -> None:
    world, hands = setting()
    hands.place(5, WHITE, hand="a")
    late = hands.place(5, BLACK, hand="b")
    finish(hands)
    assert late.reason == "taken"
    hands.lift(5, hand="a")
    late = hands.lift(5, hand="b")
    finish(hands)
    assert late.reason == "held"
    assert not world.pieces


def test_the_same_seed_gives_the_same_ways_however_time_is_cut() -> None:
    ways = []
    for cut in (1_000_000, 7_001):
        world, hands = setting(4)
        hands.place(3, WHITE)
        hands.place(8, BLACK, hand="b")
        while hands.now_us < 1_000_000:
            hands.advance(min(hands.now_us + cut, 1_000_000))
        ways.append([piece.at(1_000_000) for piece in world.pieces.values()])
    assert ways[0] == ways[1]


def test_strange_cells_and_kinds_are_errors() -> None:
    _, hands = setting()
    with pytest.raises(ValueError, match="cell 19"):
        hands.place(19, WHITE)
    with pytest.raises(ValueError, match="kind 0"):
        hands.place(1, 0)


# Dragging.


def drag(hands: Hands, x: float, y: float, h: float = 20.0, name: str = "p") -> None:
    assert hands.carry(name, x, y, h) == ""
    hands.advance(hands.now_us + 400_000)


def test_a_stone_taken_from_the_board_is_gone_from_its_cell_at_once() -> None:
    world, hands = setting()
    world.stand(BLACK, 9)
    assert hands.grab("p", cell=9) == ""
    hands.advance(100_000)
    assert world.kinds(100_000)[9] == 0
    assert world.field_ut(100_000)[9] > -6000
    drag(hands, PROFILE.cells[3].x_mm, PROFILE.cells[3].y_mm)
    hands.drop("p")
    hands.advance(hands.now_us + 1_000_000)
    assert world.kinds(hands.now_us)[3] == BLACK


def test_a_hand_holds_one_stone_and_an_empty_hand_none() -> None:
    _, hands = setting()
    assert hands.carry("p", 0, 0, 0) == "nothing"
    assert hands.drop("p") == "nothing"
    hands.grab("p", kind=WHITE)
    assert hands.grab("p", kind=BLACK) == "busy"
    assert hands.grab("q", cell=4) == "empty"


def test_nobody_takes_a_stone_out_of_anothers_hand() -> None:
    world, hands = setting()
    world.stand(WHITE, 2)
    hands.grab("p", cell=2)
    assert hands.grab("q", cell=2) == "empty"
    errand = hands.place(4, BLACK)
    hands.advance(errand.begin_us if errand.begin_us > 0 else hands.now_us)
    assert hands.grab("q", cell=4) == "held"


@settings(max_examples=examples(60))
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["place", "lift", "grab", "take", "carry", "drop", "wait"]),
            st.integers(0, 18),
            st.sampled_from(["a", "b", "c"]),
            st.integers(0, 400_000),
        ),
        max_size=40,
    )
)
def test_toddlers_break_nothing(deeds: list[tuple[str, int, str, int]]) -> None:
    world, hands = setting()
    for deed, cell, name, pause in deeds:
        x, y = PROFILE.cells[cell].x_mm, PROFILE.cells[cell].y_mm
        if deed == "place":
            hands.place(cell, 1 + cell % 3, hand=name)
        elif deed == "lift":
            hands.lift(cell, hand=name)
        elif deed == "grab":
            hands.grab(name, kind=1 + cell % 3)
        elif deed == "take":
            hands.grab(name, cell=cell)
        elif deed == "carry":
            hands.carry(name, x * 1.3, y * 1.3, float(cell))
        elif deed == "drop":
            hands.drop(name)
        hands.advance(hands.now_us + pause)
        world.field_ut(hands.now_us)
        assert len(hands.shown()) <= 3
    for name in "abc":
        hands.leave(name)
    hands.advance(hands.now_us + 60_000_000)
    assert hands.idle
    assert hands.next_deadline() == FOREVER
    now = hands.now_us
    assert sum(1 for kind in world.kinds(now) if kind) == len(world.pieces)
    assert all(piece.at(now).h == 0 for piece in world.pieces.values())


def test_a_leg_knows_when_it_is_low() -> None:
    high, low = Place(0, 0, 40), Place(0, 0, 0)
    falling = Leg(0, 1000, high, low)
    assert falling.when_low(10.0) == (751, 1000)
    assert Leg(0, 1000, low, high).when_low(10.0) == (0, 249)
    assert falling.when_low(50.0) == (0, 1000)
    assert Leg(0, 1000, high, high).when_low(10.0) is None


@each("share", [0.0, 0.2, 0.5, 0.8, 0.95, 0.999])
def test_a_hand_that_is_recalled_carries_its_stone_back_without_a_jump(share: float) -> None:
    for seed in range(5):
        world, hands = setting(seed)
        errand = hands.place(7, WHITE, hand="help")
        later = hands.place(8, WHITE, hand="help")
        hands.advance(0)
        hands.advance(int(errand.touch_us * share))
        (piece,) = world.pieces.values()
        before = piece.at(hands.now_us)
        hands.recall("help")
        assert (errand.state, later.state) == (RECALLED, RECALLED)
        after = piece.at(hands.now_us)
        assert hypot(after.x - before.x, after.y - before.y, after.h - before.h) < 1e-6
        finish(hands)
        assert not world.pieces
        assert hands.place(7, BLACK, hand="help").state != REFUSED
        finish(hands)
        assert world.kinds(hands.now_us)[7] == BLACK


def test_a_stone_that_was_just_set_down_is_taken_up_again_but_a_finished_one_stays() -> None:
    world, hands = setting()
    errand = hands.place(7, WHITE, hand="help")
    hands.advance(0)
    hands.advance(errand.touch_us)
    hands.recall("help")
    finish(hands)
    assert not world.pieces
    hands.place(7, WHITE, hand="help")
    finish(hands)
    hands.recall("help")
    finish(hands)
    assert world.kinds(hands.now_us)[7] == WHITE
