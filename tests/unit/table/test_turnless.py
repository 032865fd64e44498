"""Turnless play without a table: order and coins, the ground that stones lie on, races, beats."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st
from lumiban import games
from lumiban.boards.messages import unpack_events
from lumiban.games.base import BLACK, WHITE, Kind
from lumiban.table.event_order import (
    BEHIND_US,
    LINE_US,
    EventQueue,
    TimedInput,
    batches,
    coin,
    ranked,
    tied,
)
from lumiban.table.free_play import SWEPT, FreePlayBoard, TimeOut
from lumiban.table.limits import BEAT_US
from lumiban.table.photo_finish import CLOSE_US, CountedStone, RefusedStone, too_early
from lumiban_fw import wire

GAME = games.load("evening", size=3)
EMPTY = Kind.EMPTY


def cell(name: str) -> int:
    return GAME.grid.cell(name)


def item(number: int, t_us: int, unsure_us: int = 500, where: int | None = None) -> TimedInput:
    return TimedInput(number, t_us, unsure_us, number if where is None else where)


items = st.lists(
    st.tuples(st.integers(0, 60_000), st.integers(0, 12_749), st.integers(0, 5)),
    min_size=1,
    max_size=9,
).map(lambda rows: [item(n, t, u, where) for n, (t, u, where) in enumerate(rows)])


# Order and coins.


@given(items, st.integers(0, 99))
def test_a_sure_order_is_kept_and_each_place_keeps_its_own(
    found: list[TimedInput], seed: int
) -> None:
    judged = [one for batch in batches(found) for one in ranked(batch, seed)[0]]
    assert sorted(one.number for one in judged) == [one.number for one in found]
    for place, later in enumerate(judged):
        for sooner in judged[:place]:
            if sooner.where == later.where:
                assert (sooner.t_us, sooner.number) < (later.t_us, later.number)
            else:
                assert sooner.t_us <= later.t_us or tied(sooner, later)


@given(items, st.integers(0, 99), st.randoms(use_true_random=False))
def test_the_order_of_judging_depends_on_times_and_coins_not_on_arrival(
    found: list[TimedInput], seed: int, chance: random.Random
) -> None:
    """Events come in any order and in any portions, each before the watermark passes it."""
    wanted = [one.number for batch in batches(found) for one in ranked(batch, seed)[0]]
    left, waiting, judged = found[:], EventQueue(), list[int]()
    while left:
        for _ in range(chance.randint(1, len(left))):
            waiting.add(left.pop(chance.randrange(len(left))))
        mark = min((one.t_us for one in left), default=10**9)
        while batch := waiting.take(mark, 0):
            judged += [one.number for one in ranked(batch, seed)[0]]
    assert judged == wanted


@given(items, st.integers(0, 60_000), st.integers(0, 99))
def test_what_the_wire_calls_as_unsure_as_it_can_say_ties_with_all_around(
    found: list[TimedInput], t_us: int, seed: int
) -> None:
    """12.75 ms means that, or more: a piece whose way was lost may be 30 ms off."""
    told = unpack_events(wire.pack_events(99, 0, [(9, 1, t_us, 31_000)]))[3][0]
    unsure = item(99, t_us, told[3], where=9)
    assert all(tied(unsure, other) and tied(other, unsure) for other in found)
    (batch,) = batches([*found, unsure])
    order, toss = ranked(batch, seed)
    assert toss is not None
    assert len(order) == len(found) + 1


def test_a_chain_of_ties_leaves_its_ends_in_their_order() -> None:
    chain = [item(n, n * 900) for n in range(3)]
    assert tied(chain[0], chain[1])
    assert not tied(chain[0], chain[2])
    orders = set()
    for seed in range(60):
        order, toss = ranked(chain, seed)
        assert toss is not None
        assert toss.fell == coin(seed, (0, 1, 2))
        orders.add(tuple(one.number for one in order))
    assert orders == {(0, 1, 2), (1, 0, 2), (0, 2, 1)}


def test_a_batch_waits_for_what_may_tie_with_it_but_not_for_ever() -> None:
    waiting = EventQueue()
    waiting.add(item(0, 1_000_000))
    sure = 1_000_000 + 500 + 12_750
    assert waiting.take(sure, sure) == []
    late = sure + BEHIND_US + LINE_US
    assert waiting.due_us(0) == late
    assert waiting.due_us(sure + 1) == sure
    assert waiting.take(0, late - 1) == []
    assert [one.number for one in waiting.take(0, late)] == [0]
    assert waiting.take(0, late) == []
    assert waiting.due_us(0) is None


# The ground.


@given(st.lists(st.tuples(st.integers(0, 18), st.sampled_from((0, 1, 2, 3, 4, 6, 7))), max_size=60))
def test_no_stone_becomes_a_move_by_lying_there(events: list[tuple[int, int]]) -> None:
    """Each move is a stone that has just come to an empty cell, and a dead one stays so until
    it is lifted, or turns out to be the very stone that belongs there."""
    position = GAME.start()
    ground = FreePlayBoard(len(GAME.grid))
    for where, kind in events:
        before, was_dead = ground.seen[where], where in ground.dead
        move = ground.take(GAME, position, where, kind, people=(WHITE, BLACK))
        if move is not None:
            assert before == EMPTY
            assert not was_dead
            assert move.side == kind - 1
            position = GAME.play(position, move)
        elif was_dead and kind not in (EMPTY, GAME.pieces(position)[where]):
            assert where in ground.dead
        assert ground.seen[where] == kind


# Races.


@given(st.integers(0, CLOSE_US), st.sampled_from((0, 700, 31_000)))
def test_a_photo_finish_is_a_tie_where_the_stones_are_no_further_apart_than_is_unsure(
    by_us: int, unsure_us: int
) -> None:
    told = unpack_events(wire.pack_events(99, 0, [(9, 1, 5_000_000, unsure_us)]))[3][0]
    before = GAME.start()
    for word in ("wb2", "bc3", "wc4", "bb1"):
        before = GAME.play(before, GAME.parse(before, word))
    opened = GAME.play(before, GAME.parse(before, "bd4"))
    early = RefusedStone(item(4, 5_000_000, told[3]), GAME.parse(before, "wd3"), cell("d3"))
    race = too_early(GAME, early, CountedStone(item(5, 5_000_000 + by_us), BLACK, before, opened))
    assert race is not None
    assert race.is_tie is (by_us <= race.uncertainty_us)


# Time out.


def test_all_sides_must_be_ready_and_what_goes_amiss_calls_them_back() -> None:
    pause = TimeOut(SWEPT)
    assert pause.due_us(0) is None
    assert not pause.confirm(0, 1_000_000, sides=(0, 1))
    pause.recall()
    assert not pause.confirm(1, 2_000_000, sides=(0, 1))
    assert pause.confirm(0, 3_000_000, sides=(0, 1))
    assert not pause.confirm(0, 9_000_000, sides=(0, 1))
    assert pause.go_us == 3_000_000 + 3 * BEAT_US
    assert pause.shines(4_100_000)
    assert not pause.shines(4_300_000)
    assert pause.due_us(4_100_000) == 4_300_000
    assert pause.beats(4_100_000) == pause.beats(4_000_000) == (5_000_000, 6_000_000)
    assert pause.beats(3_999_999) == (4_000_000, 5_000_000, 6_000_000)
    lit = [pause.shines(at) for at in (3_999_999, 4_000_000, 4_199_999, 4_300_000, 6_000_000)]
    assert lit == [False, True, True, False, True]
    assert (pause.due_us(5_999_999), pause.due_us(6_000_000)) == (6_000_000, 6_000_000)
