"""Hands that slide, hesitate, hover, drop and bump: where pieces end, and what the board says."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.boards.messages import framed, packed, unpack_events
from lumiban.boards.profile import load
from lumiban_fw import wire
from lumiban_fw.wire import BLACK, EMPTY, NEUTRAL, WHITE
from lumiban_sim.hands import DONE, HUMAN, REFUSED, Hands, Manner, down, fall
from lumiban_sim.rig import Rig
from lumiban_sim.world import Place, World
from thorough import examples

HEX3 = load("hex3")


def _over() -> tuple[World, Hands]:
    world = World(HEX3, 1, noise_ut=0)
    return world, Hands(world, 1)


def _finish(hands: Hands) -> None:
    while not hands.idle:
        hands.advance(hands.next_deadline())


class _Listening:
    """A rig with a host that only writes down the events."""

    def __init__(self, seed: int) -> None:
        self.rig = Rig(HEX3, seed)
        self.told: list[tuple[int, int]] = []
        self._decoder = wire.Decoder()
        self.rig.from_host(b"\0" + framed(wire.H_HELLO, wire.MAJOR, wire.MINOR, 1))
        self.go(500_000)

    def go(self, for_us: int) -> None:
        end = self.rig.now_us + for_us
        while self.rig.now_us < end:
            self.rig.from_host(wire.frame(wire.H_BEAT, b"\xf4\x01"))
            self.rig.run(min(end, self.rig.now_us + 400_000))
            for kind, _, _, _, payload in self._decoder.feed(self.rig.to_host()):
                if kind == wire.B_EVENTS:
                    first, _, _, events = unpack_events(payload)
                    fresh = events[max(len(self.told) - first, 0) :]
                    self.told += [(cell, kind) for cell, kind, *_ in fresh]
                    upto = packed(wire.H_ACK, len(self.told))
                    self.rig.from_host(wire.frame(wire.H_ACK, upto))


def test_a_stone_that_slides_lies_in_its_new_cell_and_in_no_other() -> None:
    world, hands = _over()
    world.stand(WHITE, 7)
    errand = hands.slide(7, 11)
    _finish(hands)
    assert errand.state == DONE
    kinds = world.kinds(hands.now_us)
    assert [cell for cell, kind in enumerate(kinds) if kind] == [11]


def test_a_slide_into_a_stone_and_from_nowhere_is_refused() -> None:
    world, hands = _over()
    world.stand(WHITE, 7)
    world.stand(BLACK, 11)
    taken, empty = hands.slide(7, 11), hands.slide(8, 9)
    _finish(hands)
    assert (taken.state, taken.reason) == (REFUSED, "taken")
    assert (empty.state, empty.reason) == (REFUSED, "empty")
    with pytest.raises(ValueError, match="cell 99 does not exist"):
        hands.slide(7, 99)


def test_a_dropped_stone_falls_as_the_law_of_falling_says_and_is_told_once() -> None:
    leg = fall(0, Place(0.0, 0.0, 20.0))
    half = leg.at(leg.end_us // 2).h
    assert half == pytest.approx(15.0, abs=0.05)
    speed = (leg.at(leg.end_us - 1000).h - 0.0) / 1.0
    assert speed == pytest.approx(0.626, abs=0.03)
    board = _Listening(6)
    board.rig.hands.place(9, NEUTRAL, manner=Manner(drop_mm=12.0))
    board.go(2_000_000)
    assert board.told == [(9, NEUTRAL)]


def test_a_small_bump_is_no_move_and_a_great_one_takes_the_stone_off() -> None:
    board = _Listening(8)
    board.rig.hands.place(9, WHITE)
    board.go(2_000_000)
    board.rig.hands.bump(9, 0.7, 0.0)
    board.go(2_000_000)
    assert board.told == [(9, WHITE)]
    board.rig.hands.bump(9, 12.0, 0.0)
    board.go(2_000_000)
    assert board.told[1] == (9, EMPTY)


@settings(max_examples=examples(40))
@given(st.floats(0.5, 9.0), st.integers(0, 500_000), st.floats(0.0, 9.0), st.integers(0, 1 << 20))
def test_however_a_hand_dawdles_the_way_down_is_whole_and_ends_on_the_seat(
    hover: float, wait: int, drop: float, seed: int
) -> None:
    over = Place(3.0, 4.0, 45.0)
    legs = down(HUMAN, 1000, over, random.Random(seed), Manner(hover, wait, drop))
    assert legs[0].begin_us == 1000
    assert legs[0].start == over
    for one, other in itertools.pairwise(legs):
        assert one.end_us == other.begin_us
        assert one.end == other.start
    assert legs[-1].end == Place(3.0, 4.0, 0.0)
