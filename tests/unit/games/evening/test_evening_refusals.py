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
