"""Turnless play without a table: order and coins, the ground that stones lie on, races, beats."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lumiban import games
from lumiban.boards.messages import unpack_events
from lumiban.games.base import BLACK, WHITE, Game, Kind, Move, Position, Refusal
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
from lumiban.table.free_play import FOUND_STONE, SWEPT, FreePlayBoard, TimeOut
from lumiban.table.limits import BEAT_US
from lumiban.table.photo_finish import (
    Entry,
    PhotoFinishes,
    lost_race,
)
from lumiban_fw import wire

GAME = games.load("evening", size=3)
W, B, N, EMPTY = Kind.WHITE, Kind.BLACK, Kind.NEUTRAL, Kind.EMPTY


def cell(name: str) -> int:
    return GAME.grid.cell(name)


def after(*texts: str) -> Position:
    position = GAME.start()
    for text in texts:
        position = GAME.play(position, GAME.parse(position, text))
    return position


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


def test_a_time_that_is_not_known_is_judged_when_nothing_near_it_can_come() -> None:
    waiting = EventQueue()
    waiting.add(item(0, 1_000_000, 12_750))
    assert waiting.take(1_400_000, 0) == []
    waiting.add(item(1, 1_350_000))
    batch = waiting.take(1_420_000, 0)
    assert {one.number for one in batch} == {0, 1}
    seen = {tuple(one.number for one in ranked(batch, seed)[0]) for seed in range(40)}
    assert seen == {(0, 1), (1, 0)}
    assert not tied(item(0, 0, 12_750), item(1, 401_000))


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


def test_no_coin_is_thrown_where_there_is_nothing_to_decide() -> None:
    assert ranked([item(4, 100)], 1)[1] is None
    assert ranked([item(4, 100, where=7), item(5, 300, where=7)], 1)[1] is None


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


def take(
    ground: FreePlayBoard, position: Position, name: str, kind: int, **more: Any
) -> Move | None:
    people: Sequence[int] = more.pop("people", (WHITE, BLACK))
    return ground.take(GAME, position, cell(name), int(kind), people=people, **more)


def laid(position: Position) -> FreePlayBoard:
    ground = FreePlayBoard(len(GAME.grid))
    ground.adopt([int(kind) for kind in GAME.pieces(position)], GAME.pieces(position))
    return ground


def test_a_stone_that_comes_where_it_may_is_a_move_and_any_other_is_dead_with_its_rule() -> None:
    position = after("wb2")
    ground = laid(position)
    move = take(ground, position, "c3", B)
    assert move is not None
    assert move.text == "bc3"
    assert take(ground, position, "c2", W) is None
    assert ground.dead[cell("c2")].rule == "evening.larger-sum"


@pytest.mark.parametrize(
    ("kind", "rule"),
    [(N, "table.unknown-piece"), (6, "table.foreign-magnet"), (5, "table.stacked-pieces")],
)
def test_what_is_no_stone_is_dead_and_turning_it_into_one_without_a_lift_helps_nothing(
    kind: int, rule: str
) -> None:
    position = after("wb2")
    ground = laid(position)
    assert take(ground, position, "c3", kind) is None
    assert ground.dead[cell("c3")].rule == rule
    assert take(ground, position, "c3", B) is None
    assert cell("c3") in ground.dead
    assert take(ground, position, "c3", EMPTY) is None
    assert take(ground, position, "c3", B) is not None


def test_a_dead_stone_replaced_by_the_other_colour_is_judged_anew() -> None:
    position = after("wb2")
    ground = laid(position)
    take(ground, position, "c3", W)
    take(ground, position, "c3", EMPTY)
    assert not ground.dead
    assert take(ground, position, "c3", B) is not None


def test_an_accepted_stone_swapped_for_the_other_colour_is_missing_and_the_new_one_dead() -> None:
    position = after("wb2", "bc3")
    should = GAME.pieces(position)
    ground = laid(position)
    take(ground, position, "c3", EMPTY)
    assert ground.missing(should, ()) == (cell("c3"),)
    assert take(ground, position, "c3", W) is None
    assert ground.dead[cell("c3")].rule == "evening.occupied"
    assert ground.missing(should, ()) == (cell("c3"),)
    assert ground.missing(should, (cell("c3"),)) == ()
    steps = [(step.do, step.kind) for step in ground.mending_steps(should, ())]
    assert steps == [("lift", W), ("place", B)]
    take(ground, position, "c3", EMPTY)
    assert take(ground, position, "c3", B) is None
    assert ground.mending_steps(should, ()) == ()


def test_a_stone_that_slipped_is_neither_missing_nor_dead() -> None:
    position = after("wb2", "bc3")
    should = GAME.pieces(position)
    ground = laid(position)
    take(ground, position, "c3", N)
    assert (ground.missing(should, ()), dict(ground.dead)) == ((), {})
    assert ground.slipped(should) == (cell("c3"),)
    take(ground, position, "c3", B)
    assert ground.mending_steps(should, ()) == ()


def test_nobody_places_for_a_machine_nor_while_play_stands_still() -> None:
    position = after("wb2")
    ground = laid(position)
    take(ground, position, "c3", B, people=(WHITE,))
    assert ground.dead[cell("c3")].rule == "table.machines-stone"
    take(ground, position, "a1", B, closed=Refusal("table.time-out"))
    assert ground.dead[cell("a1")].rule == "table.time-out"


def test_what_nobody_saw_come_is_dead_and_a_blind_cell_shows_what_it_should() -> None:
    position = after("wb2", "bc3")
    should = GAME.pieces(position)
    ground = laid(position)
    kinds = [int(kind) for kind in should]
    kinds[cell("a1")], kinds[cell("c3")] = int(B), int(Kind.UNKNOWN)
    ground.adopt(kinds, should)
    assert {c: refusal.rule for c, refusal in ground.dead.items()} == {cell("a1"): FOUND_STONE}
    assert ground.missing(should, ()) == ()
    # It can be read again, and something else lies there.
    kinds[cell("c3")] = int(W)
    ground.adopt(kinds, should)
    assert cell("c3") in ground.dead


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


@dataclass
class Cells:
    """A game in which each cell is for who comes first."""

    def why_not(self, position: Position, side: int, move: Move) -> Refusal | None:
        return Refusal("taken") if position.state[move.code] else None


def test_a_photo_finish_says_by_how_much_and_a_tie_that_it_is_one() -> None:
    game = cast(Game, Cells())
    empty, taken = Position((0,)), Position((1,))
    entry = Entry(item(3, 5_000_000, 400), WHITE, empty, taken)
    wanted = Move(BLACK, "a1", 0)
    race = lost_race(game, [entry], item(4, 5_003_200, 700), wanted, 9)
    assert race is not None
    assert (race.cell, race.winner, race.by_us, race.uncertainty_us) == (9, WHITE, 3_200, 1_100)
    assert not race.is_tie
    tie = lost_race(game, [entry], item(4, 5_001_000, 700), wanted, 9)
    assert tie is not None
    assert tie.is_tie
    # The coin may have put the later one first.
    tie = lost_race(game, [entry], item(4, 4_999_000, 700), wanted, 9)
    assert tie is not None
    assert tie.is_tie
    assert lost_race(game, [entry], item(4, 6_000_001), wanted, 9) is None
    assert lost_race(game, [entry], item(4, 4_990_000), wanted, 9) is None
    assert lost_race(game, [entry], item(4, 5_003_200), Move(WHITE, "a1", 0), 9) is None


def test_a_photo_finish_is_told_for_three_more_stones() -> None:
    game = cast(Game, Cells())
    empty, taken = Position((0,)), Position((1,))
    finishes = PhotoFinishes()
    assert finishes.counted(game, Entry(item(0, 100, 9), WHITE, empty, taken)) is None
    race = finishes.refused(game, item(1, 5_000), Move(BLACK, "a1", 0), 9)
    assert race is not None
    for number in range(4):
        assert finishes.last == race
        finishes.counted(game, Entry(item(number, 9_000_000 + number, 9), WHITE, taken, taken))
    assert finishes.last is None


def test_a_stone_too_early_for_the_one_that_opens_its_cell_lost_a_race() -> None:
    before, opened = after("wb2", "bc3", "wc4", "bb1"), after("wb2", "bc3", "wc4", "bb1", "bd4")
    early = GAME.parse(before, "wd3")
    finishes = PhotoFinishes()
    assert finishes.refused(GAME, item(5, 7_000_000), early, cell("d3")) is None
    entry = Entry(item(6, 7_003_200, 500), BLACK, before, opened)
    race = finishes.counted(GAME, entry)
    assert race is not None
    assert (race.winner, race.by_us, race.came_early, race.is_tie) == (WHITE, 3_200, True, False)


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
