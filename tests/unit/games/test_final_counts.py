"""The figures by which a game ended: those of its rules, and none where nothing was counted."""

from __future__ import annotations

import random

import pytest
from lumiban import games
from lumiban.games.base import Game, Position

ENDS = ("full-board", "agreed-groups", "evening.larger-groups", "evening.more-stones", "agreed")


def played_on(game: Game, position: Position, chance: random.Random) -> Position:
    """The end of a game at random; who has no move says that play is over."""
    while game.outcome(position) is None:
        moves = [m for side in game.movers(position) for m in game.moves(position, side)]
        words = [
            game.parse(position, word, side)
            for side in game.movers(position)
            for word in game.words(position, side)
            if word in ("stand", "stop")
        ]
        position = game.play(position, chance.choice(moves or words))
    return position


@pytest.mark.parametrize(
    ("slug", "options"),
    [
        ("control", {"size": 3}),
        ("trivia", {"size": 3}),
        ("trivia", {"size": 4}),
        ("evening", {"size": 3, "turns": "turnless"}),
        ("evening", {"size": 3, "turns": "turnless", "wins": "stones"}),
    ],
)
def test_whoever_won_by_counting_has_the_larger_figure(
    slug: str, options: dict[str, object]
) -> None:
    game = games.load(slug, **options)
    chance = random.Random(7)
    seen = set()
    for _ in range(12):
        position = game.start(chance.randrange(1000))
        assert game.final_counts(position) is None
        position = played_on(game, position, chance)
        outcome, counts = game.outcome(position), game.final_counts(position)
        assert outcome is not None
        seen.add(outcome.reason)
        if outcome.reason in ENDS:
            assert counts is not None
            assert outcome.winner is not None
            assert counts[outcome.winner] > counts[1 - outcome.winner]
        else:
            assert counts is None
    assert seen
