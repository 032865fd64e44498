"""A player who copies: what the other side just did, reflected through the middle of the board.

In Rengi, where both fields are alike, the same hand; elsewhere the same move on the opposite cell.
"""

from __future__ import annotations

from lumiban.games.base import Game, Move, Position
from lumiban.games.light_game import LightGame


def copied(game: Game, position: Position, side: int) -> Move | None:
    """The other side's last move as this side can make it; None where there is none to copy, or
    where the copy is not allowed.

    >>> from lumiban import games
    >>> game = games.load("control", size=3)
    >>> after = game.play(game.start(), game.parse(game.start(), "a1"))
    >>> copied(game, after, 1).text
    'e3'
    """
    if not position.history or position.history[-1].side == side:
        return None
    seen = position.history[-1].text
    if isinstance(game, LightGame):
        return next((move for move in game.moves(position, side) if move.text == seen), None)
    cells = len(game.grid)
    opposite = tuple(reversed(range(cells)))  # cells are numbered row by row
    if opposite not in game.symmetries:
        return None
    name = _cell_in(game, seen)
    if name is None:
        return None
    wish = game.grid.names[opposite[game.grid.cell(name)]]
    # What stands before the cell says what is done there: a colour, or that a stone is removed.
    does = len(seen) - len(name)
    for move in game.moves(position, side):
        if _cell_in(game, move.text) == wish and len(move.text) - len(wish) == does:
            return move
    return None


def _cell_in(game: Game, text: str) -> str | None:
    """The cell at the end of a move's text."""
    for start in range(len(text)):
        if text[start:] in game.grid.names:
            return text[start:]
    return None
