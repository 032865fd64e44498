"""GRAVE: the same tree plain and compiled, wins proven, memory bounded, turns in one order."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lumiban import games
from lumiban.errors import UsageError
from lumiban.games.base import Game, Position
from lumiban.search import grave, jit
from lumiban.search.bot import think
from lumiban.search.grave import (
    AGAIN,
    NODE,
    PLAYS,
    SCORE,
    TABLES,
    VISITS_OF_TABLE,
    Grave,
    is_due,
)
from lumiban.search.solve import solve
from lumiban.search.tree import MAX_THREADS, USED, Room, TreeSearch, thread_count, tree_room
from lumiban.search.tree_searches import KINDS, RootParallelSearch, kind_of
from lumiban.search.uct import Uct

needs_numba = pytest.mark.skipif(not jit.available(), reason="numba is not installed")


def after(game: Game, moves: int, seed: int) -> Position:
    """A position some random moves into a game."""
    choice = random.Random(seed)
    position = game.start()
    for _ in range(moves):
        position = game.play(
            position, choice.choice(game.moves(position, game.movers(position)[0]))
        )
    return position


GAMES: list[tuple[str, dict[str, Any], int]] = [
    ("control", {"size": 5}, 1),
    ("control", {"size": 4, "opening": "12*"}, 6),
    ("trivia", {"size": 9}, 1),
    ("trivia", {"size": 5}, 14),
    ("evening", {"size": 5, "turns": "trailing"}, 1),
    ("doves", {}, 4),
]


@pytest.mark.jit
@needs_numba
@pytest.mark.parametrize("playouts", [400, pytest.param(1500, marks=pytest.mark.long)])
@pytest.mark.parametrize(("slug", "options", "moves"), GAMES)
def test_plain_and_compiled_grow_the_same_tree(
    slug: str, options: dict[str, Any], moves: int, playouts: int
) -> None:
    game = games.load(slug, **options)
    position = after(game, moves, seed=moves)
    plain, fast = (Grave(game, position, 11, playouts, compiled) for compiled in (False, True))
    assert plain.grow(playouts) == fast.grow(playouts)
    assert fast.compiled
    for one, other in zip(plain.wood, fast.wood, strict=True):
        assert list(one) == list(other)
    best = plain.best()
    assert best is not None
    assert best == fast.best()
    assert plain.expected_moves(best.code) == fast.expected_moves(best.code)


@pytest.mark.one_case
@pytest.mark.parametrize(("slug", "options", "moves"), GAMES)
def test_each_playout_is_counted_once_at_the_root_and_once_in_its_table(
    slug: str, options: dict[str, Any], moves: int
) -> None:
    game = games.load(slug, **options)
    search = Grave(game, after(game, moves, 2), 5, 200, compiled=False)
    assert search.grow(200) == 200
    nodes = search.wood.nodes
    assert nodes[PLAYS] == 200
    assert sum(choice.visits for choice in search.choices()) == 200
    assert sum(choice.score for choice in search.choices()) == nodes[SCORE]
    # From the visit on that made the root's table, each playout noted the root's move at least.
    moves_noted = sum(told >> 16 for told in search.wood.tables[: 2 * search.wood.rule[0] + 2])
    assert moves_noted >= 200 - VISITS_OF_TABLE


@pytest.mark.parametrize(
    ("kind", "again"), [(Grave, AGAIN), (Grave, 0), pytest.param(Uct, 0, marks=pytest.mark.slow)]
)
def test_what_the_tree_proves_is_what_the_solver_finds(
    kind: type[TreeSearch], again: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `again` 0 a node hardly ever compares its children, unless the one chosen is lost."""
    monkeypatch.setattr(grave, "AGAIN", again)
    for slug, options in (("control", {"size": 2}), ("trivia", {"size": 3})):
        game = games.load(slug, **options)
        for moves in range(1 if slug == "control" else 4, 6):
            position = after(game, moves, moves)
            if game.outcome(position) is not None:
                continue
            search = kind(game, position, 1, 60_000, compiled=False)
            search.grow(60_000)
            best = search.best()
            assert search.is_proven
            assert best is not None
            winner = solve(game, position, compiled=False).winner
            assert best.value == float(winner == best.side)


@pytest.mark.slow
def test_the_tree_stays_within_its_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    game = games.load("control", size=4)
    monkeypatch.setattr(grave, "MAX_NODES", 100)
    search = Grave(game, game.start(), 1, 3000, compiled=False, room=Room(1 << 16))
    assert search.grow(3000) == 3000
    assert search.wood.meta[USED] <= len(search.wood.nodes) // NODE <= 100
    assert search.wood.meta[TABLES] * 2 * (search.wood.rule[0] + 1) <= len(search.wood.tables)
    assert 4 * (len(search.wood.nodes) + len(search.wood.tables)) <= 1 << 16
    assert search.wood.nodes[PLAYS] == 3000


@given(st.integers(0, 1 << 20), st.integers(5, 12))
def test_children_are_compared_again_before_visits_grow_by_their_part(
    visits: int, again: int
) -> None:
    ahead = range(visits, visits + max(1, visits >> again))
    assert any(is_due(later, again) for later in ahead)
    assert is_due(visits, again) or visits >= 2 << again


@pytest.mark.parametrize("kind", KINDS.values())
def test_slices_do_not_change_a_forest(kind: type[TreeSearch]) -> None:
    game = games.load("control", size=3)
    whole, sliced = (
        RootParallelSearch(kind, 3, game, game.start(), 2, 301, compiled=False) for _ in range(2)
    )
    assert whole.grow(301) == 301
    for portion in (1, 7, 92, 201):
        assert sliced.grow(portion) == portion
    assert [tree.playouts for tree in whole.trees] == [101, 100, 100]
    assert whole.choices() == sliced.choices()
    assert sum(choice.visits for choice in whole.choices()) == 301


@pytest.mark.jit
@needs_numba
def test_threads_grow_the_trees_that_the_plain_path_grows() -> None:
    game = games.load("control", size=5)
    plain, fast = (
        think(game, game.start(), "strong", 4, playouts=900, compiled=compiled, threads=2)
        for compiled in (False, True)
    )
    assert plain == fast
    assert plain.playouts == 900


def test_a_forest_is_sure_of_what_one_of_its_trees_has_proven() -> None:
    game = games.load("control", size=2)
    position = after(game, 2, 1)
    found = set()
    for portion in (40, 5000):
        forest = RootParallelSearch(Uct, 2, game, position, 3, 20_000, compiled=False)
        while not forest.is_proven:
            forest.grow(portion)
        found.add(forest.best())
    assert len(found) == 1


def test_each_game_says_which_search_plays_it_best() -> None:
    control, evening = games.load("control"), games.load("evening", turns="trailing")
    assert kind_of(control, control.start()) is Grave
    assert kind_of(evening, evening.start()) is Uct
    assert kind_of(control, control.start(), "uct") is Uct
    with pytest.raises(UsageError, match=", ".join(KINDS)):
        kind_of(control, control.start(), "guess")


def test_the_environment_bounds_threads_and_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUMIBAN_THREADS", "3")
    monkeypatch.setenv("LUMIBAN_SEARCH_MB", "16")
    assert thread_count() == 3
    assert tree_room() == Room(16 << 20)
    monkeypatch.delenv("LUMIBAN_THREADS")
    monkeypatch.delenv("LUMIBAN_SEARCH_MB")
    assert 1 <= thread_count() <= MAX_THREADS
    assert tree_room() == Room()
    monkeypatch.setenv("LUMIBAN_THREADS", "0")
    with pytest.raises(UsageError, match="LUMIBAN_THREADS=0"):
        thread_count()
    monkeypatch.setenv("LUMIBAN_SEARCH_MB", "much")
    with pytest.raises(UsageError, match="LUMIBAN_SEARCH_MB=much"):
        tree_room()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_thoughts_trees_share_one_room(kind: str) -> None:
    game = games.load("trivia", size=5)
    room = Room(1 << 20)
    forest = RootParallelSearch(KINDS[kind], 2, game, game.start(), 1, 1_000_000, False, room)
    assert forest.grow(400) == 400
    taken = 0
    for tree in forest.trees:
        if isinstance(tree, Grave):
            taken += 4 * (len(tree.wood.nodes) + len(tree.wood.tables))
        elif isinstance(tree, Uct):
            taken += 8 * sum(len(part) for part in tree.tree)
    assert room.bytes // 3 < taken <= room.bytes + 64
