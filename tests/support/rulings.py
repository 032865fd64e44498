"""What the tests of all games ask of the rules: lines of play and refusals."""

from __future__ import annotations

import pytest
from lumiban import i18n
from lumiban.games import Game, IllegalMove, Position, Refusal


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
