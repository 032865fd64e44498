"""What Evening refuses and how the refusal is proven, with turns and without."""

from __future__ import annotations

from each import each
from lumiban.games import BLACK, WHITE
from lumiban.games.evening import Evening
from rulings import played, refused

# On size 3, c3 is the middle; its neighbours are c2, c4, b2, b3, d2 and d3.


def named(game: Evening, cells: tuple[int, ...]) -> set[str]:
    return {game.grid.name(cell) for cell in cells}


def test_a_stone_where_ones_own_groups_count_more_is_refused_and_they_prove_it() -> None:
    game = Evening(size=3)
    position = game.position(
        [{"a1": 1, "b1": 1, "c1": 1, "b3": -1}.get(name, 0) for name in game.grid.names]
    )
    refusal = refused(game, position, "wb2")
    assert refusal.rule == "evening.larger-sum"
    assert dict(refusal.params) == {"own": 3, "enemy": 1}
    # The whole group counts, though c1 does not touch b2.
    assert game.grid.cell("c1") not in game.grid.neighbours[game.grid.cell("b2")]
    assert named(game, refusal.cells) == {"a1", "b1", "c1", "b3"}
    assert game.why_not(position, BLACK, game.parse(position, "bb2")) is None


def test_equal_sums_close_a_cell_to_both() -> None:
    game = Evening(size=3)
    position = played(game, "wc3", "bc4")
    for text in ("wb3", "bb3"):
        refusal = refused(game, position, text)
        assert refusal.rule == "evening.equal-sums"
        assert dict(refusal.params) == {"sum": 1}
        assert named(game, refusal.cells) == {"c3", "c4"}


def test_a_cell_that_sees_no_stone_is_closed() -> None:
    game = Evening(size=3)
    position = played(game, "wa1")
    refusal = refused(game, position, "be3")
    assert refusal.rule == "evening.sees-nothing"
    assert named(game, refusal.cells) == {"e3"}
    # In line with a1 it is seen from afar.
    sight = Evening(size=3, sees="sight")
    assert sight.why_not(played(sight, "wa1"), BLACK, sight.parse(position, "be3", BLACK)) is None


def test_each_member_of_the_family_counts_what_it_sees() -> None:
    stones = {"a1": 1, "a2": 1, "a3": 1, "b4": -1}
    expected = {
        "groups": (3, 0, {"a1", "a2", "a3"}),
        "adjacent": (2, 0, {"a1", "a2"}),
        "sight": (2, 1, {"a1", "a2", "b4"}),
    }
    for sees, (own, enemy, proof) in expected.items():
        game = Evening(size=3, sees=sees)
        position = game.position([stones.get(name, 0) for name in game.grid.names])
        refusal = refused(game, position, "wb2")
        assert dict(refusal.params) == {"own": own, "enemy": enemy}
        assert named(game, refusal.cells) == proof


@each(
    ("texts", "text", "side", "rule"),
    [
        ((), "bc3", None, "white-opens"),
        ((), "stand w", None, "not-now"),
        (("wc3",), "bc3", None, "occupied"),
        (("wc3",), "wc3", None, "occupied"),
        (("wc3",), "bc4", WHITE, "not-your-stone"),
        (("wc3",), "resign b", WHITE, "other-player"),
        (("wc3",), "stand w", None, "already-stands"),
        (("wc3", "resign b"), "bc4", None, "over"),
        (("wc3",), "done", None, "not-now"),
        (("wc3",), "put wc4", None, "not-now"),
    ],
)
def test_what_else_is_refused(
    texts: tuple[str, ...], text: str, side: int | None, rule: str
) -> None:
    game = Evening(size=3)
    assert refused(game, played(game, *texts), text, side).rule == "evening." + rule


def test_with_turns_the_side_that_leads_waits_and_nobody_stands() -> None:
    game = Evening(size=3, turns="trailing")
    position = played(game, "wc3")
    assert game.movers(position) == (BLACK,)
    assert game.words(position, BLACK) == ("resign",)
    assert refused(game, position, "stand b").rule == "evening.no-stand"
    position = played(game, "wc3", "bc4")
    # Tied, Even leads: White is to move, and Black's cells wait.
    assert game.movers(position) == (WHITE,)
    assert game.open_cells(position, BLACK)
    open_to_black = game.grid.name(game.open_cells(position, BLACK)[0])
    assert refused(game, position, "b" + open_to_black).rule == "evening.not-your-turn"
