"""Seats that change hands, words that are said, and commands that are declined."""

from __future__ import annotations

import json
from typing import Any

import pytest
from each import each
from lumiban.errors import GameError
from lumiban.table import record
from lumiban.table.types import Append, AskBot, BotMove, Finished, Publish
from session_bench import Bench, asked, only, records, view


def test_a_person_who_takes_a_seat_stops_the_bot_and_drops_its_move() -> None:
    bench = Bench("human", "bot:easy")
    ask = asked(bench)
    bench.step(BotMove(ask.ticket, "c3"))
    assert view(bench)["pending"] == {"move": "c3", "said": "c3", "due_ms": None}
    assert bench.command("seat", side=1, who="human") is None
    assert records(bench.out) == ["dropped", "seat"]
    assert view(bench)["pending"] is None
    bench.put("d3", 2)
    assert bench.moves == ["a1", "d3"]


def test_a_bot_does_not_stop_unless_it_wins_by_it() -> None:
    bench = Bench("human", "bot:easy")
    asked(bench)
    before = bench.moves
    error = bench.command("word", side=0, word="stop")
    assert error == {"id": "table.bot-plays-on", "params": {}}
    assert bench.moves == before
    lost = Bench("bot:easy", "human")
    lost.connect()
    (ask,) = only(AskBot, lost.out)
    lost.step(BotMove(ask.ticket, "a1"))
    lost.put("a1", 1)
    assert lost.command("word", side=1, word="stop") is None
    assert lost.match.outcome is not None
    assert lost.match.outcome.winner == 0


def test_a_move_goes_back_once_the_other_person_says_yes() -> None:
    bench = Bench()
    bench.connect()
    bench.put("a1", 1)
    assert bench.command("takeback", side=0) is None
    assert (bench.moves, view(bench)["back_asked"]) == (["a1"], {"side": 0, "declined": False})
    mine = bench.command("answer-back", side=0, yes=True)
    assert mine == {"id": "table.nobody-asks-back", "params": {}}
    assert bench.command("answer-back", side=1, yes=False) is None
    assert (bench.moves, view(bench)["back_asked"]) == (["a1"], {"side": 0, "declined": True})
    assert bench.command("answer-back", side=1, yes=True) is not None
    assert bench.command("takeback", side=0) is None
    assert bench.command("answer-back", side=1, yes=True) is None
    assert bench.moves == []
    assert "back_asked" not in view(bench)


def test_what_is_played_or_lifted_meanwhile_ends_the_question() -> None:
    bench = Bench()
    bench.connect()
    bench.put("a1", 1)
    bench.command("takeback", side=0)
    bench.put("c3", 2)
    assert "back_asked" not in view(bench)
    assert bench.command("answer-back", side=1, yes=True) is not None
    bench.put("c3", 0)
    bench.command("takeback", side=0)
    bench.put("a1", 0)  # hands at the board ask nobody
    assert (bench.moves, "back_asked" in view(bench)) == ([], False)
    bench.put("a1", 1)  # the same move again is another one
    assert "back_asked" not in view(bench)


def test_against_a_machine_nobody_is_asked() -> None:
    bench = Bench("human", "bot:easy")
    ask = asked(bench)
    assert bench.command("takeback", side=0) is None
    assert bench.moves == []
    assert ask.ticket
    assert "back_asked" not in view(bench)


def test_both_people_must_agree_to_stop() -> None:
    bench = Bench()
    bench.connect()
    bench.put("a1", 1)
    assert bench.command("word", side=1, word="stop") is None
    assert view(bench)["stop_offers"] == [1]
    bench.put("c3", 2)
    assert view(bench)["stop_offers"] == []


def test_resigning_finishes_the_game_with_a_record_that_replays() -> None:
    bench = Bench()
    bench.connect()
    for name, kind in (("a1", 1), ("c3", 2), ("b1", 1)):
        bench.put(name, kind)
    assert bench.command("word", side=1, word="resign") is None
    (finished,) = only(Finished, bench.out)
    document = json.loads(json.dumps(finished.record))
    assert document["result"] == {"winner": 0, "reason": "resigned"}
    assert [move["text"] for move in document["moves"]] == ["a1", "c3", "b1", "resign"]
    assert record.verify(document) == finished.outcome
    assert "end" in records(bench.out)
    assert view(bench)["outcome"]["winner"] == 0
    assert view(bench)["to_move"] == []
    with pytest.raises(GameError, match="the record says"):
        record.verify({**document, "result": {"winner": 1, "reason": "resigned"}})
    with pytest.raises(GameError, match="move 2"):
        record.verify({**document, "moves": [document["moves"][0]] * 2})


@each(
    ("do", "args", "id"),
    [
        ("dance", {}, "table.strange-command"),
        ("seat", {"side": 2, "who": "human"}, "table.no-such-side"),
        ("seat", {"side": True, "who": "human"}, "table.missing"),
        ("seat", {"side": 0, "who": "bot:divine"}, "table.no-such-seat"),
        ("seat", {"side": 0}, "table.missing"),
        ("word", {"side": 0, "word": "abracadabra"}, "table.no-such-word"),
        ("word", {"side": 1, "word": "resign"}, "table.not-a-person"),
        ("move", {"side": 0, "text": "d3"}, "refusal.control.opening-perimeter"),
        ("move", {"side": 1, "text": "a1"}, "table.not-a-person"),
        ("takeback", {}, "table.nothing-to-take-back"),
        ("confirm", {}, "table.nothing-to-confirm"),
        ("choose", {"text": "a1"}, "table.nothing-to-choose"),
        ("accept-board", {}, "table.board-agrees"),
        ("hint", {"level": "cheat"}, "table.no-such-hint"),
        ("theme", {"name": "neon"}, "table.no-such-theme"),
        ("new", {"game": "chess"}, "table.no-such-game"),
        ("new", {"game": "control", "options": {"size": 9}}, "table.no-such-game"),
        ("new", {"game": "control", "options": {"size": 8}}, "table.no-such-game"),
        ("new", {"game": "control", "seats": ["human"]}, "table.seats-count"),
        ("new", {"game": "control", "seats": ["human", "dog"]}, "table.no-such-seat"),
        ("new", {"game": 3}, "table.missing"),
    ],
)
def test_what_cannot_be_done_is_declined_and_changes_nothing(
    do: str, args: dict[str, Any], id: str
) -> None:
    bench = Bench("human", "bot:easy")
    bench.connect()
    error = bench.command(do, **args)
    assert error["id"] == id
    assert only(Append, bench.out) == []
    assert only(Publish, bench.out) == []


def test_without_a_board_nothing_is_played() -> None:
    bench = Bench()
    assert bench.command("move", side=0, text="a1")["id"] == "table.no-board"
    assert view(bench)["link"] == "connecting"


def test_two_machines_wait_between_their_moves_as_they_are_told_and_none_for_a_person() -> None:
    bench = Bench("bot:easy", "bot:easy")
    bench.connect()
    (ask,) = only(AskBot, bench.out)
    assert bench.command("reaction", ms=4000) is None
    assert view(bench)["reaction_ms"] == 4000
    bench.step(BotMove(ask.ticket, "a1"))
    assert only(AskBot, bench.put("a1", 1)) == []
    assert bench.session.next_deadline() == bench.now_us + 4_000_000
    assert only(AskBot, bench.wait(3_999_999)) == []
    (ask,) = only(AskBot, bench.wait(us=1))
    bench.step(BotMove(ask.ticket, "c3"))
    bench.put("c3", 2)
    assert bench.command("seat", side=1, who="human") is None
    assert len(only(AskBot, bench.out)) == 1, "a person is not made to wait"


def test_an_agreed_end_tells_the_figures_that_decided() -> None:
    bench = Bench()
    bench.connect()
    bench.put("a1", 1)
    bench.command("word", side=0, word="stop")
    bench.command("word", side=1, word="stop")
    outcome = view(bench)["outcome"]
    territories = [count["territory"] for count in view(bench)["counts"]]
    assert outcome["text"]["id"] == "outcome.agreed"
    assert outcome["counts"] == territories
    assert territories[outcome["winner"]] == max(territories)
    again = Bench()
    again.connect()
    again.put("a1", 1)
    again.command("word", side=1, word="resign")
    assert "counts" not in view(again)["outcome"], "nothing was counted"
