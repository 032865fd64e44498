"""Why a move of Control is not allowed: the rule, and the stones that prove it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lumiban.games.api import WHITE, Move, Position, Refusal
from lumiban.games.control import opening
from lumiban.games.majority import seen_from

if TYPE_CHECKING:
    from lumiban.games.control.game import Control


def why_not(game: Control, position: Position, side: int, move: Move) -> Refusal | None:
    """The rule that forbids `side` this move or word in this position, or None."""
    if game.outcome(position) is not None:
        return Refusal("control.over")
    if side not in (0, 1):
        return Refusal("control.not-your-turn")
    if move.text == "resign":
        return None
    if move.text == "stop":
        return _no_stop(game, position, side)
    if move.is_word:
        if not opening.is_word(game, move.text):
            return Refusal("control.unreadable", params=(("text", move.text),))
        return opening.why_not(game, position, side, move)
    if position.phase != "play":
        return Refusal("control.pie-first")
    if side not in game.movers(position):
        return Refusal("control.not-your-turn")
    cells = len(game.grid)
    if move.code >= 2 * cells:
        return Refusal("control.unreadable", params=(("text", move.text),))
    if move.code < cells:
        return _no_placement(game, position, side, move.code)
    return _no_removal(game, position, side, move.code - cells)


def _no_stop(game: Control, position: Position, side: int) -> Refusal | None:
    if position.phase != "play":
        return Refusal("control.not-now", params=(("word", "stop"),))
    if side in game.offers(position):
        return Refusal("control.already-offered")
    return None


def _no_placement(game: Control, position: Position, side: int, cell: int) -> Refusal | None:
    stones = game.stones(position)
    if stones[cell] != 0:
        return Refusal("control.occupied", (cell,))
    if not any(stones):
        if game.opening == "perimeter" and cell not in game.grid.perimeter:
            return Refusal("control.opening-perimeter", game.grid.perimeter)
        return None
    own, enemy, proof = seen(game, position, side, cell)
    if enemy > own:
        return Refusal("control.enemy-cell", proof, (("enemy", enemy), ("own", own)))
    return None


def _no_removal(game: Control, position: Position, side: int, cell: int) -> Refusal | None:
    stone = game.stones(position)[cell]
    if stone == 0:
        return Refusal("control.empty-cell", (cell,))
    if stone == (1 if side == WHITE else -1):
        return Refusal("control.own-stone", (cell,))
    own, enemy, proof = seen(game, position, side, cell)
    if own <= enemy:
        return Refusal("control.not-yours-to-remove", proof, (("enemy", enemy), ("own", own)))
    return None


def seen(
    game: Control, position: Position, side: int, cell: int
) -> tuple[int, int, tuple[int, ...]]:
    """How many stones of `side` and of the enemy a cell sees, and the cells of all of them."""
    stones = game.stones(position)
    proof = seen_from(game.grid, stones, cell, sight=game.sight)
    sign = 1 if side == WHITE else -1
    own = sum(stones[c] == sign for c in proof)
    return own, len(proof) - own, proof
