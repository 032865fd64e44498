"""Tokyo Doves in short: a position from its picture, lines of play, refusals and their proof."""

from __future__ import annotations

import pytest
from lumiban import i18n
from lumiban.games import IllegalMove, Position
from lumiban.games.doves import Doves
from lumiban.games.doves.floating import DovesOnBoard
from lumiban.grid import rectangle

FREE = {"repetition": "off", "initial": "allowed"}


def at(game: Doves, board: str, to_move: str = "red") -> Position:
    return game.setup(board=board, to_move=to_move)


def played(game: Doves, position: Position, *texts: str) -> Position:
    for text in texts:
        position = game.play(position, game.parse(position, text))
    return position


def refused(game: Doves, position: Position, text: str) -> tuple[str, set[str]]:
    """The rule that forbids it, and the names of the cells that prove it."""
    move = game.parse(position, text)
    refusal = game.why_not(position, position.state[0], move)
    assert refusal is not None
    for language in i18n.LANGUAGES:
        assert i18n.text(refusal.text_id, language, **dict(refusal.params))
    with pytest.raises(IllegalMove) as caught:
        game.play(position, move)
    assert caught.value.refusal == game.why_not(position, move.side, move)
    return refusal.rule.removeprefix("doves."), {game.grid.names[cell] for cell in refusal.cells}


def refusal_of(game: Doves, position: Position, text: str) -> str | None:
    move = game.parse(position, text)
    refusal = game.why_not(position, move.side, move)
    return None if refusal is None else refusal.rule


def laid(columns: int, rows: int, **options: str) -> DovesOnBoard:
    """The game as a rectangle of cells plays it."""
    game = Doves(**options).laid_on(rectangle(columns, rows))
    assert isinstance(game, DovesOnBoard)
    return game
