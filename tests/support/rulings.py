"""What the tests of all games ask of the rules: lines of play, refusals, symmetries."""

from __future__ import annotations

import pytest
from lumiban import i18n
from lumiban.games import Game, IllegalMove, Position, Refusal
from lumiban.grid import Grid


def played(game: Game, *texts: str) -> Position:
    """The position after these moves from the start."""
    position = game.start()
    for text in texts:
        position = game.play(position, game.parse(position, text))
    return position


def refused(game: Game, position: Position, text: str, side: int | None = None) -> Refusal:
    """The refusal of a move, which `play` must agree with and every language can say."""
    move = game.parse(position, text, side)
    refusal = game.why_not(position, move.side, move)
    assert refusal is not None
    with pytest.raises(IllegalMove) as caught:
        game.play(position, move)
    assert caught.value.refusal == refusal
    for language in i18n.LANGUAGES:
        assert "{" not in i18n.text(refusal.text_id, language, **dict(refusal.params))
    return refusal


def symmetries(grid: Grid) -> list[list[int]]:
    """The twelve symmetries of a hexagon, each as a permutation of its cells."""
    found = []
    for mirrored in (False, True):
        for turns in range(6):
            permutation = []
            for q, r in grid.cells:
                p, s = (r, q) if mirrored else (q, r)
                for _ in range(turns):
                    p, s = p + s, -p
                permutation.append(grid.at(p, s))
            found.append(permutation)
    return found
