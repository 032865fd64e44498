"""Laws of the referee: whatever hands do, no mess is without a way out and no move is illegal."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban import games
from lumiban.boards.profile import load
from lumiban.games.base import Complete, Kind
from lumiban.table.board_view import UP, BoardView
from lumiban.table.history import GameHistory
from lumiban.table.referee import CONFIRM, unmasked
from lumiban.table.turn_play import TurnPlay
from lumiban.table.types import (
    Agree,
    Refuse,
    Repair,
    Settings,
    Verdict,
    Wait,
)
from thorough import examples

GAME = games.load("control", size=3)
HEX3 = load("hex3")


def random_course(seed: int, seats: tuple[str, str], length: int) -> GameHistory:
    """A game that has gone on for some moves."""
    chance = random.Random(seed)
    history = GameHistory(GAME, seats)
    for _ in range(length):
        movers = GAME.movers(history.position)
        if not movers:
            history.take_back(1)
            break
        history.play(chance.choice(GAME.moves(history.position, movers[0])), 0, "board")
    return history


class Tabletop:
    """A match whose board is a list of kinds that a test changes."""

    def __init__(self, history: GameHistory) -> None:
        self.board = BoardView()
        self.board.link = UP
        self.board.kinds = [int(kind) for kind in GAME.pieces(history.position)]
        nobody = lambda *_: None  # noqa: E731
        self.match = TurnPlay(history, HEX3, self.board, Settings(), nobody, nobody, nobody)
        self.now_us = 0

    def put(self, where: int, kind: int) -> Verdict:
        """One cell changes as it would by an event."""
        assert self.board.kinds is not None
        self.board.kinds[where] = kind
        self.now_us += 500_000
        self.match.consider(self.now_us)
        return self.match.verdict

    def mend(self) -> int:
        """Do what is asked until the board agrees; how many steps that took."""
        for steps in range(200):
            verdict = self.match.verdict
            if isinstance(verdict, Agree) or self.match.outcome is not None:
                return steps
            if isinstance(verdict, Wait) and verdict.why == CONFIRM:
                assert self.match.confirm(self.now_us)
            elif isinstance(verdict, Wait):
                assert self.match.machine is not None
                for changed, _, kind in GAME.effects(
                    self.match.history.position, self.match.machine.move
                ):
                    self.put(changed, kind)
            else:
                assert isinstance(verdict, Refuse | Repair), verdict
                step = verdict.plan[0]
                self.put(step.cell, step.kind if step.do == "place" else Kind.EMPTY)
        raise AssertionError("the plan leads nowhere")


PICTURES = st.dictionaries(st.integers(0, 18), st.sampled_from([0, 1, 2, 3, 4, 5, 6]), max_size=19)
SEATS = st.sampled_from([("human", "human"), ("human", "bot:easy"), ("bot:easy", "human")])


def replayable(history: GameHistory, known: int) -> None:
    """Every move after the first `known` ones is a legal one."""
    position = history.positions[0]
    for number, move in enumerate(history.moves):
        if number >= known:
            assert GAME.why_not(position, move.side, move) is None
        position = GAME.play(position, move)
    assert position == history.position


@pytest.mark.slow
@settings(max_examples=examples(250))
@given(st.integers(0, 10_000), SEATS, st.integers(0, 14), PICTURES)
def test_from_any_mess_the_plan_ends_in_agreement(
    seed: int, seats: tuple[str, str], length: int, mess: dict[int, int]
) -> None:
    table = Tabletop(random_course(seed, seats, length))
    assert table.board.kinds is not None
    for where, kind in mess.items():
        table.board.kinds[where] = kind
    table.match.consider(0)
    assert table.mend() <= 2 * 19 + 2
    if table.match.outcome is None:
        should = GAME.pieces(table.match.history.position)
        # What people set before their turn waits for it.
        assert unmasked(table.match.judged_kinds, should) == should
    replayable(table.match.history, 0)


@settings(max_examples=examples(150))
@given(
    st.integers(0, 10_000),
    SEATS,
    st.lists(st.tuples(st.integers(0, 18), st.sampled_from([0, 1, 2, 1, 2, 0, 3, 4])), max_size=40),
)
def test_no_sequence_of_hands_commits_an_illegal_move(
    seed: int, seats: tuple[str, str], hands: list[tuple[int, int]]
) -> None:
    table = Tabletop(random_course(seed, seats, 6))
    for where, kind in hands:
        table.put(where, kind)
    replayable(table.match.history, 0)


@settings(max_examples=examples(100))
@given(st.integers(0, 10_000), SEATS, st.integers(1, 12), st.data())
def test_a_machines_move_is_the_only_one_that_is_played_while_it_pends(
    seed: int, seats: tuple[str, str], length: int, data: st.DataObject
) -> None:
    history = random_course(seed, seats, length)
    movers = GAME.movers(history.position)
    move = data.draw(st.sampled_from(GAME.moves(history.position, movers[0])))
    history.choose(move, 0.5, 1)
    table = Tabletop(history)
    before = len(history.played)
    hands = data.draw(st.lists(st.tuples(st.integers(0, 18), st.integers(0, 3)), max_size=12))
    for where, kind in hands:
        table.put(where, kind)
        if len(history.played) != before:
            assert history.played[before].move == move
            return
    table.match.consider(0)
    table.mend()
    assert history.played[before].move == move


@settings(max_examples=examples(150))
@given(st.integers(0, 10_000), st.integers(1, 16))
def test_undoing_the_last_move_is_never_the_picture_of_a_legal_move(seed: int, length: int) -> None:
    history = random_course(seed, ("human", "human"), length)
    if len(history.positions) > 1 and GAME.outcome(history.position) is None:
        undone = GAME.pieces(history.positions[-2])
        assert not isinstance(GAME.read(history.position, undone), Complete)


@settings(max_examples=examples(150))
@given(st.integers(0, 10_000), SEATS, st.integers(2, 14), st.data())
def test_any_stone_lifted_and_put_back_plays_nothing(
    seed: int, seats: tuple[str, str], length: int, data: st.DataObject
) -> None:
    """Not even one's own last stone, whose lifting takes moves back."""
    history = random_course(seed, seats, length)
    before = history.position
    if GAME.outcome(before) is not None:
        return
    standing = [c for c, kind in enumerate(GAME.pieces(before)) if kind]
    if not standing:
        return
    table = Tabletop(history)
    where = data.draw(st.sampled_from(standing))
    table.put(where, Kind.EMPTY)
    table.put(where, int(GAME.pieces(before)[where]))
    assert [str(move) for move in history.moves] == [str(move) for move in before.history]
    assert isinstance(table.match.verdict, Agree)
