"""Trees kept from one move to the next."""

from __future__ import annotations

import pytest
from lumiban import games
from lumiban.games.base import Game, Position
from lumiban.search import jit
from lumiban.search.grave import LEFT, NODE, PLAYS, SCORE, TABLE, Grave, reroot
from lumiban.search.tree import UNKNOWN, USED, Room
from lumiban.search.tree_searches import TreeReuse
from lumiban.search.uct import Uct, onward_uct

GAMES = [("control", {"size": 4}), ("trivia", {"size": 4})]


def searched(
    game: Game, compiled: bool = False, room: Room | None = None
) -> tuple[Grave, list[int], Position]:
    """A tree, the two moves it expects, and the position after them."""
    start = game.play(game.start(), game.moves(game.start(), 0)[0])
    search = Grave(game, start, 3, 2000, compiled, room)
    search.grow(2000)
    best = search.best()
    assert best is not None
    codes = search.expected_moves(best.code)[:2]
    position = start
    for code in codes:
        position = game.play(position, game.move_of(position, code))
    return search, codes, position


@pytest.mark.slow
@pytest.mark.parametrize(("slug", "options"), GAMES)
def test_a_later_tree_begins_with_all_that_is_known(slug: str, options: dict[str, int]) -> None:
    search, codes, position = searched(games.load(slug, **options))
    later = reroot(search, codes, position, 5, 300)
    assert later is not None
    node = 0
    for code in codes:
        node = next(c for c in search._children(node) if search._choice(c).code == code)
    known = [search._choice(child) for child in search._children(node)]
    assert known
    assert later.choices() == known
    for at in (PLAYS, SCORE):
        assert later.wood.nodes[at] == search.wood.nodes[NODE * node + at]
    pairs = [(node, 0)]
    count = 0
    while pairs:
        one, other = pairs.pop()
        count += 1
        if other:
            assert search._choice(one) == later._choice(other)
            assert search.wood.nodes[NODE * one + LEFT] == later.wood.nodes[NODE * other + LEFT]
            tabled = [t.wood.nodes[NODE * n + TABLE] for t, n in ((search, one), (later, other))]
            assert (tabled[0] < 0) == (tabled[1] < 0)
        pairs += zip(search._children(one), later._children(other), strict=True)
    assert later.wood.meta[USED] == count
    before = later.wood.nodes[PLAYS]
    later.grow(300)
    assert later.is_proven or later.wood.nodes[PLAYS] == before + 300


@pytest.mark.slow
def test_a_small_room_keeps_the_nearest_and_stays_sound() -> None:
    search, codes, position = searched(games.load("control", size=4))
    search.room = Room(1 << 12)
    later = reroot(search, codes, position, 5, 300)
    assert later is not None
    assert later.wood.meta[USED] == len(later.wood.nodes) // NODE == 64
    visits = later.wood.nodes[PLAYS]
    later.grow(300)
    assert later.wood.nodes[PLAYS] == visits + 300
    assert later.proof == UNKNOWN


@pytest.mark.jit
@pytest.mark.skipif(not jit.available(), reason="numba is not installed")
def test_plain_and_compiled_keep_the_same() -> None:
    trees = []
    for compiled in (False, True):
        search, codes, position = searched(games.load("trivia", size=4), compiled)
        later = reroot(search, codes, position, 5, 300)
        assert later is not None
        later.grow(300)
        trees.append([list(map(int, part)) for part in later.wood[:3]])
    assert trees[0] == trees[1]


@pytest.mark.jit
@pytest.mark.parametrize("compiled", [False, True])
def test_a_tree_of_uct_goes_on_too(compiled: bool) -> None:
    if compiled and not jit.available():
        pytest.skip("numba is not installed")
    game = games.load("evening", size=4, turns="trailing")
    start = game.play(game.start(), game.parse(game.start(), "wd4"))
    search = Uct(game, start, 3, 600, compiled)
    search.grow(600)
    best = search.best()
    assert best is not None
    codes = [best.code]
    now = start
    for code in codes:
        now = game.play(now, game.move_of(now, code))
    later = onward_uct(search, codes, now, 5, 300)
    assert later is not None
    # The branch is the same to its last leaf.
    node = 0
    for code in codes:
        node = next(n for n in search._children(node) if search.tree.move[n] == code)
    pairs = [(node, 0)]
    while pairs:
        one, other = pairs.pop()
        assert search.choices(one) == later.choices(other)
        pairs += zip(search._children(one), later._children(other), strict=True)
    known = later.tree.visits[0]
    assert known == search.tree.visits[node] > 5
    later.grow(300)
    assert later.is_proven or later.tree.visits[0] == known + 300
    assert onward_uct(search, [codes[0], 10_000], now, 5, 300) is None


def test_nothing_is_kept_for_another_game_or_line() -> None:
    game = games.load("control", size=4)
    one, other = (game.play(game.start(), move) for move in game.moves(game.start(), 0)[:2])
    after = game.play(other, game.moves(other, 1)[0])
    kept = TreeReuse()
    for kind, where in ((Grave, after), (Uct, after)):
        search = kind(game, one, 1, 100, False)
        search.grow(100)
        kept.keep(search)
        assert kept.next(game, where, 1, 100) is None
    kept.keep(Grave(game, one, 1, 100, False))
    assert kept.next(games.load("control", size=5), one, 1, 100) is None
