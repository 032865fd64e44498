"""Seats that change hands, words that are said, and commands that are declined."""

from __future__ import annotations

import json

import pytest
from lumiban.errors import GameError
from lumiban.table import record
from lumiban.table.types import Finished
from session_bench import Bench, only, records, view


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


def test_without_a_board_nothing_is_played() -> None:
    bench = Bench()
    assert bench.command("move", side=0, text="a1")["id"] == "table.no-board"
    assert view(bench)["link"] == "connecting"
