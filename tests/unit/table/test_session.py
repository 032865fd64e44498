"""The session machine: what is journalled and acknowledged, when a bot is asked, and how fast."""

from __future__ import annotations

import random
from functools import partial
from statistics import median

import pace
from lumiban.boards.profile import load
from lumiban.boards.types import Changed
from lumiban.games import load as load_game
from lumiban.table.history import GameHistory
from lumiban.table.questions import Bots
from lumiban.table.types import (
    Acknowledge,
    Append,
    AskBot,
    BotMove,
    BotTurn,
    Durable,
    Prompt,
    Show,
)
from session_bench import Bench, asked, only, records, view

HEX3 = load("hex3")


def test_light_answers_at_once_and_the_board_forgets_only_what_is_on_disk() -> None:
    bench = Bench()
    bench.connect()
    out = bench.put("a1", 1, durable=False)
    assert isinstance(out[0], Show)
    assert records(out) == ["events", "move"]
    assert only(Acknowledge, out) == []
    first, second = (append.number for append in only(Append, out))
    assert second == first + 1
    assert bench.step(Durable(first - 1), durable=False) == []
    assert bench.step(Durable(first), durable=False) == [Acknowledge(1)]
    assert bench.step(Durable(second), durable=False) == []


def test_after_a_boot_of_the_board_no_number_of_before_is_acknowledged() -> None:
    bench = Bench()
    bench.connect()
    first, _ = (append.number for append in only(Append, bench.put("a1", 1, durable=False)))
    bench.next_event = 0
    bench.connect(boot=6, durable=False)
    assert only(Acknowledge, bench.step(Durable(first), durable=False)) == []
    # Nor does a moment of the old clock say how long a move may still be put right.
    assert bench.match.trail().grace_until_us == 0


def test_a_bot_is_asked_only_when_all_is_on_disk_and_the_grace_is_over() -> None:
    bench = Bench("human", "bot:easy")
    bench.connect()
    out = bench.put("a1", 1, durable=False)
    assert only(AskBot, out) == []
    written = only(Append, out)[-1].number
    assert bench.session.next_deadline() is None
    assert only(AskBot, bench.step(Durable(written), durable=False)) == []
    assert bench.session.next_deadline() == bench.now_us + 400_000
    bench.now_us += 399_999
    assert only(AskBot, bench.step()) == []
    bench.now_us += 1
    (ask,) = only(AskBot, bench.step())
    assert (ask.side, ask.level, ask.position) == (1, "easy", bench.match.history.position)
    assert view(bench)["seats"][1]["thinking"] is True


def test_hands_are_asked_for_a_bots_stone_when_its_choice_is_on_disk() -> None:
    bench = Bench("human", "bot:easy")
    ask = asked(bench)
    out = bench.step(BotMove(ask.ticket, "c3", 0.7, 90), durable=False)
    assert records(out) == ["chosen"]
    assert isinstance(out[0], Show), "eyes do not wait"
    assert only(Prompt, out) == []
    (prompt,) = only(Prompt, bench.step(Durable(only(Append, out)[0].number)))
    (step,) = prompt.steps
    assert (prompt.wait, step.do, bench.game.grid.name(step.cell)) == ("machine", "place", "c3")
    out = bench.put("c3", 2)
    assert bench.moves == ["a1", "c3"]
    assert only(Prompt, out) == [Prompt(())]


def test_a_bot_is_asked_about_what_its_side_may_know() -> None:
    game = load_game("rengi", mode="tsu")
    history = GameHistory(game, ["human", "bot:easy"], seed=3)
    known = game.view(history.position, 1)
    assert known != history.position
    assert Bots().ask(history, BotTurn(1, 0), 0).position == known
    assert Bots().ponder(history, 1).position == known


def test_a_step_from_event_to_light_takes_less_than_three_units() -> None:
    chance = random.Random(3)
    bench = Bench(profile="hex5", size=5, hint="control")
    bench.connect()
    took = []
    while bench.match.outcome is None:
        side = bench.match.movers[0]
        move = chance.choice(bench.game.moves(bench.match.history.position, side))
        ((cell, _, kind),) = bench.game.effects(bench.match.history.position, move)
        happened = Changed((bench.event(bench.game.grid.name(cell), int(kind)),))
        step = partial(bench.session.step, bench.now_us, [happened])
        out, spent = pace.timed(step)
        took.append(spent)
        assert isinstance(out[0], Show)
        if kind == 0:
            bench.command("confirm")
    assert median(took) < 3, median(took)
