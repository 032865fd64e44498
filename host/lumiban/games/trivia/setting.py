"""Setting up a position of Trivia, and telling those that no game reaches.

Every turn is the same three stones, so the counts tell whose turn it is and what it still owes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lumiban.errors import GameError
from lumiban.games.api import BLACK, NEUTRAL, WHITE, Kind, Position
from lumiban.games.trivia.plan import turn_after

if TYPE_CHECKING:
    from lumiban.games.trivia.game import Trivia

COLOURS = ("white", "black", "red")


def place(
    game: Trivia, stones: Mapping[str, int], to_move: int, more: Mapping[str, object]
) -> Position:
    """The position with these stones; GameError says why there is none.

    On a full board it is nobody's turn, whatever `to_move` says.
    """
    if more:
        raise GameError(f"trivia sets up stones and to_move only, not {', '.join(sorted(more))}")
    if to_move not in (WHITE, BLACK):
        raise GameError(f"to_move is 0 (White) or 1 (Black), not {to_move!r}")
    kinds = [int(Kind.EMPTY)] * len(game.grid)
    for name, side in stones.items():
        if side not in (WHITE, BLACK, NEUTRAL):
            raise GameError(f"on {name} stands 0 (White), 1 (Black) or 2 (red), not {side!r}")
        kinds[game.grid.cell(name)] = side + 1
    counts = [kinds.count(side + 1) for side in (WHITE, BLACK, NEUTRAL)]
    turn = turn_after(len(kinds), *counts)
    if turn is None:
        raise GameError(f"{_said(counts)}: {_reason(game, counts)}")
    if to_move != turn[0] and sum(counts) < len(kinds):
        names = ("White", "Black")
        raise GameError(
            f"{_said(counts)} with {names[to_move]} to move: no game comes to this; with these"
            f" stones it is {names[turn[0]]}'s turn"
        )
    return game.position(kinds, turn)


def _reason(game: Trivia, counts: list[int]) -> str:
    """Why no game comes to these counts, and which it would."""
    for count, supply, colour in zip(counts, game.supply, COLOURS, strict=True):
        if count > supply:
            return f"a game of this size has {supply} {colour} stones"
    total = sum(counts)
    possible = [
        (white, black, total - white - black)
        for white in range(total + 1)
        for black in range(total + 1 - white)
        if turn_after(len(game.grid), white, black, total - white - black)
    ]
    listed = " or ".join(_said(found) for found in possible)
    return f"no game comes to this; {total} stones are {listed}"


def _said(counts: tuple[int, ...] | list[int]) -> str:
    white, black, red = counts
    return f"{white} white, {black} black and {red} red"
