"""The same seed gives the same moves with and without numba: every game, every search."""

from __future__ import annotations

import pytest
from lumiban import games
from lumiban.games.base import Position
from lumiban.search import jit
from lumiban.search.bot import think
from lumiban.search.tree_searches import KINDS, new_search

pytestmark = pytest.mark.skipif(not jit.available(), reason="numba is not installed")

PLAYED: list[tuple[str, dict[str, int | str]]] = [
    ("control", {"size": 4}),
    ("evening", {"size": 3, "turns": "trailing"}),
    ("trivia", {"size": 5}),
    ("doves", {}),
    ("rengi", {}),
]
FEW, MANY = 60, 1500
SEARCHES = [(slug, options, kind) for slug, options in PLAYED for kind in KINDS]


def agree(slug: str, options: dict[str, int | str], kind: str, iterations: int) -> None:
    """One tree of so many iterations at the start and at some later position, both ways."""
    game = games.load(slug, **options)
    position: Position = game.start()
    for seed in (3, 11):
        told = []
        for compiled in (False, True):
            search = new_search(game, position, seed, iterations, compiled=compiled, kind=kind)
            search.grow(iterations)
            assert search.compiled == compiled
            best = search.best()
            assert best is not None
            told.append((search.choices(), search.expected_moves(best.code), search.proof))
        assert told[0] == told[1]
        position = game.play(position, game.move_of(position, told[0][1][0]))


@pytest.mark.jit
@pytest.mark.parametrize(
    ("slug", "options", "kind"),
    [one for one in SEARCHES if one[2] == "uct"],  # GRAVE's words are compared in test_grave.py
)
def test_a_small_tree_is_the_same_with_and_without_numba(
    slug: str, options: dict[str, int | str], kind: str
) -> None:
    agree(slug, options, kind, FEW)


@pytest.mark.jit
@pytest.mark.parametrize("playouts", [FEW // 10, pytest.param(MANY // 10, marks=pytest.mark.long)])
@pytest.mark.parametrize("slug", ["doves", "rengi"])
def test_games_that_think_in_their_own_way_move_alike_with_and_without_numba(
    slug: str, playouts: int
) -> None:
    game = games.load(slug)
    position = game.start()
    for seed in (3, 11):
        plain, fast = (
            think(game, position, "strong", seed, playouts=playouts, compiled=compiled)
            for compiled in (False, True)
        )
        assert plain == fast
        position = game.play(position, plain.move)
