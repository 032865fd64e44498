"""The watch that no table stands still: a hang is ended within 30 s."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from lumiban.boards.profile import load
from lumiban.games.base import Kind
from lumiban.i18n import text
from lumiban.table import phase, standstill
from lumiban.table.board_view import BoardView
from lumiban.table.limits import PICTURE_STILL_US
from lumiban.table.turn_play import TurnPlay
from lumiban.table.types import AskBot, Hung, Sensed, Settings
from lumiban_lab.demo_hours import GAMES as DEMOS
from lumiban_lab.demo_hours import show
from lumiban_sim.hands import BRISK
from lumiban_sim.rig import Rig
from unit.table.test_held_stones import GAMES, Flown, stand
from virtual_table import VirtualTable

BOTS = ("bot:easy", "bot:easy")
HEX3 = load("hex3")


class Watched(VirtualTable):
    """A table whose hangs are noted, with when."""

    def _set(self) -> None:
        self.hung: list[tuple[int, str]] = []

    def on_hung(self, why: str) -> None:
        self.hung.append((self.now_us, why))


def table(*seats: str, assists: Sequence[str] = (), hands: bool = False, **more: Any) -> Watched:
    made = Watched(
        seats=seats or ("human", "human"),
        settings=Settings(hands=hands),
        assists=assists,
        rig=Rig(HEX3, 1, tempo=BRISK),
        **more,
    )
    made.rest(1_000_000)
    return made


def found(made: Watched) -> set[str]:
    return {why for _, why in made.hung}


def test_bots_that_are_never_asked_break_the_law(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TurnPlay, "bot_turn", lambda match: None)
    made = table(*BOTS, assists=("machine",))
    made.rest(PICTURE_STILL_US + 2_000_000)
    assert found(made) == {standstill.NOBODY}


def held(monkeypatch: pytest.MonkeyPatch, cell: int) -> list[bool]:
    """The old fault: one board cell counts for nothing, though the board reads it."""
    readable, holds = BoardView.readable, [True]

    def unsure(board: BoardView, placing: Any) -> Sensed:
        sensed = readable(board, placing)
        at = placing.game[cell]
        kinds = list(sensed.kinds)
        if holds[0] and kinds[at]:
            kinds[at] = Kind.UNKNOWN
        return Sensed(tuple(kinds), sensed.turned)

    monkeypatch.setattr(BoardView, "readable", unsure)
    return holds


@pytest.mark.slow
def test_a_machine_s_stone_that_counts_for_nothing_breaks_the_law_and_the_hang_is_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = GAMES["control-hung-demo"]
    hung: list[tuple[int, str]] = []
    monkeypatch.setattr(Flown, "on_hung", lambda flown, why: hung.append((flown.now_us, why)))
    made = Flown(
        profile="hex5", seats=told["seats"], options={"size": told["size"]}, assists=(),
        rig=Rig(load("hex5"), 1, tempo=BRISK), settings=Settings(hands=True),
    )  # fmt: skip
    made.chosen = [what[1] for what in told["did"] if what[0] == "chose"]
    made.rest(1_000_000)
    *stones, last = [what[1:] for what in told["did"] if what[0] == "stone"]
    for cell, kind, _, unsure_us in stones:
        stand(made, cell, kind, unsure_us)
    holds = held(monkeypatch, last[0])
    stand(made, last[0], last[1], last[3])
    before, began = len(made.session.match.history.moves), made.now_us
    made.run(lambda flown: bool(hung), 30_000_000)
    assert hung[0][1] == standstill.NOBODY
    assert made.now_us - began < 30_000_000
    assert made.view["verdict"]["text"]["id"] == "table.hung"
    assert "flight" in text("table.hung", "en")
    holds[0] = False
    made.assists = ("machine", "mend")
    made.run(lambda flown: len(flown.session.match.history.moves) >= before + 10, 120_000_000)
    assert len(hung) == 1


@pytest.mark.slow
def test_a_bot_that_never_answers_is_asked_anew_within_thirty_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole, asked = VirtualTable._think, list[int]()

    def think(made: VirtualTable, question: AskBot) -> None:
        asked.append(made.now_us)
        if len(asked) != 3:
            whole(made, question)

    monkeypatch.setattr(VirtualTable, "_think", think)
    made = table(*BOTS, assists=("machine",), hands=True)
    made.run(lambda one: len(asked) >= 6, 60_000_000)
    assert [why for _, why in made.hung] == [standstill.STILL + phase.BOT]
    assert asked[3] - asked[2] < 30_000_000


@pytest.mark.slow
def test_a_bot_that_is_slow_to_start_is_given_twice_as_long_each_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its process begins anew with each hang: on a busy machine it would never get to an answer."""
    whole, asked = VirtualTable._think, list[int]()

    def think(made: VirtualTable, question: AskBot) -> None:
        asked.append(made.now_us)
        if len(asked) in (4, 6):
            whole(made, question)

    monkeypatch.setattr(VirtualTable, "_think", think)
    made = table(*BOTS, assists=("machine",), hands=True)
    made.run(lambda one: len(asked) >= 6, 240_000_000)
    gaps = [(later - one) / 1e6 for one, later in pairwise(asked)]
    assert [round(gap / 24) for gap in gaps] == [1, 2, 4, 0, 1], "after progress as at first"


def test_a_host_that_slept_finds_no_hang() -> None:
    made = table(*BOTS, hands=True)
    session, now_us = made.session, made.now_us + 1_000_000
    assert session.bots.question is not None or made.prompt.steps
    for _ in range(10):
        now_us += 60_000_000
        assert not [one for one in session.step(now_us) if isinstance(one, Hung)]


def test_a_board_that_cannot_order_hands_stays_so_in_the_next_game_and_after_a_hang() -> None:
    made = VirtualTable(game="evening", rig=Rig(HEX3, 1, tempo=BRISK))
    made.rest(1_000_000)
    made.session.match.is_ordered = False
    assert made.command("new") is None
    assert not made.session.match.is_ordered
    made.session.restart_turn(standstill.NOBODY)
    assert not made.session.match.is_ordered


def test_what_a_refused_stone_left_is_no_move_after_a_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    made = table()
    made.place("a1", 1)
    made.place("c3", 1)
    assert [str(move) for move in made.session.match.history.moves] == ["a1"]
    monkeypatch.setattr(standstill, "blocked_on", lambda table: frozenset())
    made.rest(PICTURE_STILL_US + 1_000_000)
    monkeypatch.undo()
    assert made.hung
    assert [str(move) for move in made.session.match.history.moves] == ["a1"]
    assert made.view["prompt"]["steps"][0]["do"] == "lift"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_minutes_of_demo_stand_nowhere_still(seed: int) -> None:
    shown = show(seed, 1.5)
    assert shown.hung == []
    assert shown.moves > 10
    assert shown.longest_us < 30_000_000


@pytest.mark.long
@pytest.mark.parametrize("like", range(len(DEMOS)))
def test_an_hour_of_each_demo_stands_nowhere_still_and_clears_its_board_in_eight_seconds(
    like: int,
) -> None:
    shown = show(2 * len(DEMOS) + like, 60)
    assert shown.hung == []
    assert shown.finished > 3
    assert shown.longest_us < 30_000_000  # the end is looked at, then the board cleared
    assert shown.longest_preparing_us < 8_000_000
    if like == 0:  # what demo plays by itself; games of half a minute are over sooner
        assert shown.in_play_us > 0.85 * shown.now_us
