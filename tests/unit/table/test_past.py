"""Looking back: the host tells any earlier position of the game under way, whatever happened."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any, cast

import pytest
from lumiban import games
from lumiban.table.history import GameHistory
from lumiban.table.past import position_after
from lumiban.table.state import TableState

OVER = [
    ("control", {"size": 3, "opening": "free"}),
    ("evening", {"size": 3}),
    ("trivia", {"size": 3}),
    ("doves", {}),
    ("rengi", {"mode": "free"}),
]


@pytest.mark.parametrize(("slug", "options"), OVER)
def test_the_moves_of_a_game_that_is_over_lead_there_again_when_they_are_tried(
    slug: str, options: dict[str, Any]
) -> None:
    chance = random.Random(slug)
    history = GameHistory(games.load(slug, **options), ["human", "human"], seed=5)
    game = history.game
    for _ in range(5):
        moves = [m for side in (0, 1) for m in game.listed_moves(history.position, side)]
        if moves:
            history.play(chance.choice(moves), 1, "page")
    count = len(history.played)
    assert count >= 4
    made = SimpleNamespace(history=history, outcome=None, lesson=None, hint="legal")
    table = cast("TableState", made)
    line = [(move.side, move.text) for move in history.moves]
    assert position_after(table, 1, line[1:2]) is None, "it is still played"
    for n, position in enumerate(history.positions):
        at = position_after(table, n)
        assert at is not None
        assert at["pieces"] == list(game.pieces(position))
        assert at["labels"] == list(game.labels(position))
        assert [tuple(one.values()) for one in at["counts"]] == list(game.scores(position))
        meant = {mark["meaning"] for mark in at["marks"]}
        assert meant.isdisjoint(("may-place", "may-place-neutral", "removable"))
        last = {(mark["cell"], mark["side"]) for mark in at["marks"] if mark["meaning"] == "last"}
        before = game.pieces(history.positions[max(n - 1, 0)])
        changed = [cell for cell, kind in enumerate(before) if kind != at["pieces"][cell]]
        assert last == {(cell, history.moves[n - 1].side) for cell in changed}
    assert position_after(table, -1) is position_after(table, count + 1) is None
    loser = game.movers(history.position)[0]
    resigned = game.play(history.position, game.parse(history.position, "resign", loser))
    made.outcome = game.outcome(resigned)
    for start, end in ((0, 1), (1, 1), (1, count), (count - 1, count), (count, count)):
        found, told = position_after(table, start, line[start:end]), position_after(table, end)
        assert found is not None
        assert told is not None
        assert found | {"n": 0} == found | told | {"n": 0}
        position = history.positions[end]
        assert [(one["side"], one["text"]) for one in found["line"]] == line[start:end]
        assert [one["said"] for one in found["line"]] == [
            game.display_text(history.positions[n], history.moves[n]) for n in range(start, end)
        ]
        assert found["to_move"] == list(game.movers(position))
        legal = {
            (
                move.side,
                move.text,
                game.display_text(position, move),
                tuple(game.aims(position, move)),
            )
            for side in game.movers(position)
            for move in (
                *game.listed_moves(position, side),
                *(
                    game.parse(position, word, side)
                    for word in game.words(position, side)
                    if word not in ("resign", "stop", "claim")
                ),
            )
        }
        may = [(m["side"], m["text"], m["said"], tuple(m["cells"])) for m in found["may"]]
        assert (set(may), len(may)) == (legal, len(legal))
        assert found["ends"] is None
    broken = position_after(table, 1, [line[1], (line[1][0], "nonsense"), *line[2:]])
    assert broken is not None
    assert [(one["side"], one["text"]) for one in broken["line"]] == line[1:2]
    ended = position_after(table, count, [(loser, "resign"), line[0]])
    assert ended is not None
    outcome = made.outcome
    assert ended["ends"] == {"id": outcome.text_id, "params": outcome.params(game.sides)}
    assert (ended["to_move"], ended["may"], len(ended["line"])) == ([], [], 1)
    made.lesson = object()
    assert position_after(table, 1, line[1:2]) is None
