"""Small Trivia by a solver of its own says what ours says; side 4 is Black's."""

from __future__ import annotations

import pytest
from lumiban import games
from lumiban.search.solve import solve
from trivia_by_hand import SmallTrivia


def by_ours(side: int, cell: int, *, compiled: bool) -> str:
    game = games.load("trivia", size=side)
    start = game.start()
    names = game.grid.names
    found = solve(game, game.play(start, game.parse(start, names[cell])), compiled=compiled)
    assert found.winner is not None
    return game.sides[found.winner]


@pytest.mark.parametrize("side", [2, 3])
def test_two_solvers_agree_on_each_opening(side: int) -> None:
    by_hand = SmallTrivia(side)
    said = {cell: by_hand.winner(cell) for cell in by_hand.openings()}
    assert said == {cell: by_ours(side, cell, compiled=False) for cell in said}
    # The centre of side 3 is White's only winning opening; side 2 has none.
    assert [cell for cell, winner in said.items() if winner == "white"] == (
        [4] if side == 3 else []
    )


@pytest.mark.slow
def test_a_corner_of_side_4_loses() -> None:
    assert SmallTrivia(4).winner(0) == "black"


@pytest.mark.long
@pytest.mark.jit
def test_side_4_is_blacks_by_both_solvers() -> None:
    openings = SmallTrivia(4).openings()
    assert len(openings) == 3
    for cell in openings:
        assert SmallTrivia(4).winner(cell) == by_ours(4, cell, compiled=True) == "black"
