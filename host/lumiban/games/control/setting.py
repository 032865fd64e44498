"""Setting up a position of Control, and telling those that no game reaches.

Every action gains its side one stone or costs the other one, so the difference of the stones
tells whose turn it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lumiban.errors import GameError
from lumiban.games.api import BLACK, WHITE, Position

if TYPE_CHECKING:
    from lumiban.games.control.game import Control


def place(
    game: Control, stones: Mapping[str, int], to_move: int, more: Mapping[str, object]
) -> Position:
    """The position with these stones; GameError says why there is none."""
    if more:
        raise GameError(f"control sets up stones and to_move only, not {', '.join(sorted(more))}")
    if to_move not in (WHITE, BLACK):
        raise GameError(f"to_move is 0 (White) or 1 (Black), not {to_move!r}")
    cells = [0] * len(game.grid)
    for name, side in stones.items():
        if side not in (WHITE, BLACK):
            raise GameError(f"on {name} stands 0 (White) or 1 (Black), not {side!r}")
        cells[game.grid.cell(name)] = 1 if side == WHITE else -1
    white, black = cells.count(1), cells.count(-1)
    for count, colour in ((white, "white"), (black, "black")):
        if count > game.supply:
            raise GameError(f"{count} {colour} stones: a game of this size has {game.supply}")
    if not stones and to_move == WHITE:
        return game.start()
    left = _left(game, white, black, to_move)
    _check_opening(game, cells, white, black)
    return game.position(cells, to_move, left)


def _left(game: Control, white: int, black: int, to_move: int) -> int:
    """Actions left in the turn, if these counts may occur with this side to move."""
    ahead = white - black
    said = f"{white} white and {black} black stones with {_name(to_move)} to move"
    if white + black == 0:
        raise GameError(f"{said}: the empty board is White's to open and never comes again")
    if game.actions == 1:
        if ahead != (0 if to_move == WHITE else 1):
            raise GameError(
                f"{said}: no game comes to this; White has as many stones as Black before"
                " White's turn and one more before Black's"
            )
        return 1
    if ahead == 0:
        return 1
    if ahead == (-1 if to_move == WHITE else 1):
        return 2
    raise GameError(
        f"{said}: no game comes to this; before a turn of two actions the other side is one"
        " stone ahead, in its middle the sides are equal"
    )


def _check_opening(game: Control, cells: list[int], white: int, black: int) -> None:
    if game.opening == "perimeter" and (white, black) == (1, 0):
        cell = cells.index(1)
        if cell not in game.grid.perimeter:
            raise GameError(
                f"a first stone on {game.grid.names[cell]}: with this opening it is on the"
                " perimeter, and it cannot have moved"
            )


def _name(side: int) -> str:
    return "White" if side == WHITE else "Black"
