"""The figures by which a game ended: those of its rules, and none where nothing was counted."""

from __future__ import annotations

import random

import pytest
from lumiban import games
from lumiban.games.base import Game, Position
from lumiban.games.kernel import group_sizes

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


def _of_size(game: games.Game, position: games.Position, kind: int, size: int) -> set[int]:
    """Cells of all groups of so many stones, found by walking from each cell."""
    pieces = game.kinds_on(position)
    found: set[int] = set()
    for cell in range(len(game.grid)):
        group, edge = {cell}, [cell]
        while edge:
            near = game.grid.neighbours[edge.pop()]
            fresh = [one for one in near if pieces[one] == pieces[cell] and one not in group]
            group.update(fresh)
            edge += fresh
        if pieces[cell] == kind and len(group) == size:
            found |= group
    return found


@pytest.mark.parametrize(
    ("slug", "options"),
    [("trivia", {"size": 4}), ("evening", {"size": 3}), ("evening", {"size": 3, "wins": "stones"})],
)
def test_groups_that_decided_are_the_winners_of_the_size_that_is_told(
    slug: str, options: dict[str, object]
) -> None:
    game = games.load(slug, **options)
    chance = random.Random(11)
    ranks = set()
    for _ in range(30):
        position = game.start(chance.randrange(1000))
        assert game.final_groups(position) is None
        position = played_on(game, position, chance)
        outcome, groups = game.outcome(position), game.final_groups(position)
        assert outcome is not None
        if outcome.reason not in ("full-board", "evening.larger-groups"):
            assert groups is None
            continue
        counts = game.final_counts(position)
        assert counts is not None
        assert outcome.winner is not None
        assert groups is not None
        rank, cells = groups
        size = counts[outcome.winner]
        assert set(cells) == _of_size(game, position, outcome.winner + 1, size)
        kinds = game.pieces(position)
        sizes = [group_sizes(game.grid.neighbours, kinds, kind) for kind in (1, 2)]
        assert sizes[0][: rank - 1] == sizes[1][: rank - 1]
        assert sizes[outcome.winner][rank - 1] == size
        ranks.add(rank)
    assert options.get("wins") == "stones" or len(ranks) > 1
