"""A game as a file for other people: whole in text, and in pictures of each of its moments."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from library_games import fill, game_document
from lumiban.errors import UsageError
from lumiban.library.export import WIDTH, exported, tables
from lumiban.library.library import opened
from lumiban.table import record

LONG = game_document(5, "control", size=4, opening="free")
"""Ends with a resignation."""


@pytest.mark.parametrize("document", [LONG, game_document(2, "trivia", size=2)])
def test_text_holds_who_played_each_move_and_the_result(document: dict[str, object]) -> None:
    moves, result = record.replay(document)[1][-1].history, document["result"]
    text = exported(document, "txt", players=("Aya", None))
    head, told, end = text.split("\n\n")
    lines = head.splitlines()
    assert lines[0] == f"Game: {document['game']}"
    assert lines[1].startswith("Options: size=")
    assert lines[2:] == ["White: Aya", "Black: human", f"Seed: {document['seed']}"]
    numbered = re.findall(r"(\d+)\. ([wb]):(.+?)(?:  |$)", told, re.MULTILINE)
    assert numbered == [
        (str(number), "wb"[move.side], move.text) for number, move in enumerate(moves, 1)
    ]
    rows = told.splitlines()
    assert max(map(len, rows)) <= WIDTH
    assert all(len(row) > WIDTH - 20 for row in rows[:-1])
    assert isinstance(result, dict)
    assert end == f"Result: {('white', 'black')[result['winner']]} won ({result['reason']})\n"


def test_a_game_that_is_not_over_has_no_result_and_a_dealt_one_says_where_it_began() -> None:
    moves = LONG["moves"][:3]
    text = exported(LONG | {"moves": moves, "result": None}, "txt")
    assert "Result" not in text
    assert "From" not in text


def test_a_picture_marks_what_the_last_move_changed() -> None:
    _, positions = record.replay(LONG)
    assert positions[-1].history[-1].is_word
    end = len(positions) - 1
    begun, first, last, resigned = (exported(LONG, "svg", at=at) for at in (0, 1, end - 1, end))
    assert exported(LONG, "svg") == resigned
    assert begun.count("<") < first.count("<")
    assert resigned.count("<") < last.count("<"), "who resigns sets no stone"
    assert [one.count('class="case"') for one in (begun, first, last, resigned)] == [0, 1, 1, 0]


def test_tables_have_a_row_a_game_with_who_sat_where_and_a_row_a_move(tmp_path: Path) -> None:
    (name,) = fill(tmp_path, 1)
    with opened(tmp_path) as library:
        game = library.seat(name, ("Aya", None))
        document = library.document(name)
    games, moves = (list(csv.DictReader(text.splitlines())) for text in tables([(game, document)]))
    assert games == [{
        "name": name, "slug": "control", "winner": str(game.winner), "reason": game.reason,
        "moves": str(len(moves)), "seconds": str(game.seconds), "verdict": game.verdict,
        "fault": "", "first_seat": "human", "first_player": "Aya", "second_seat": "human",
        "second_player": "",
        **{f"option_{option}": str(value) for option, value in game.options.items()},
    }]  # fmt: skip
    told = [{"name": name, "number": str(n), **one} for n, one in enumerate(document["moves"], 1)]
    assert moves == [{key: str(value) for key, value in one.items()} for one in told]


def test_json_is_the_record() -> None:
    assert json.loads(exported(LONG, "json")) == LONG
    with pytest.raises(UsageError, match="json, txt, svg"):
        exported(LONG, "pdf")
