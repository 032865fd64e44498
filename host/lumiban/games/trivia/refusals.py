"""Why a move of Trivia is not allowed: the rule, and the stones that prove it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lumiban.games.api import Kind, Move, Position, Refusal

if TYPE_CHECKING:
    from lumiban.games.trivia.game import Trivia

RESIGN, STOP = "resign", "stop"


def why_not(game: Trivia, position: Position, side: int, move: Move) -> Refusal | None:
    """The rule that forbids `side` this move or word in this position, or None."""
    if game.outcome(position) is not None:
        return Refusal("trivia.over")
    if side not in (0, 1):
        return Refusal("trivia.not-your-turn")
    if move.text == RESIGN:
        return None
    if move.text == STOP:
        return _no_stop(game, position, side)
    cells = len(game.grid)
    if not 0 <= move.code < 3 * cells:
        return Refusal("trivia.unreadable", params=(("text", move.text),))
    cell = move.code % cells
    if move.code >= 2 * cells:
        return _no_lift(game, position, cell)
    if side not in game.movers(position):
        return Refusal("trivia.not-your-turn", _placed_now(game, position))
    if game.stones(position)[cell] != Kind.EMPTY:
        return Refusal("trivia.occupied", (cell,))
    if move.code < cells:
        return None if game.owed(position)[0] else _own_are_placed(game, position)
    return None if game.owed(position)[1] else _no_red(game, position)


def _no_stop(game: Trivia, position: Position, side: int) -> Refusal | None:
    if side in game.offers(position):
        return Refusal("trivia.already-offered")
    if game.leader(position) is None:
        return Refusal("trivia.stop-tied")
    return None


def _no_lift(game: Trivia, position: Position, cell: int) -> Refusal:
    if game.stones(position)[cell] == Kind.EMPTY:
        return Refusal("trivia.empty-cell", (cell,))
    return Refusal("trivia.stones-stay", (cell,))


def _own_are_placed(game: Trivia, position: Position) -> Refusal:
    own = game.stones(position)
    placed = tuple(c for c in _placed_now(game, position) if own[c] != Kind.NEUTRAL)
    return Refusal("trivia.red-is-left", placed)


def _no_red(game: Trivia, position: Position) -> Refusal:
    stones = game.stones(position)
    if not any(stones):
        return Refusal("trivia.first-is-white")
    empty = tuple(c for c, kind in enumerate(stones) if kind == Kind.EMPTY)
    placed = _placed_now(game, position)
    if len(empty) + game.into_turn(position) == 2:
        # A whole turn with room for two only: both are the mover's own.
        return Refusal("trivia.short-turn", empty)
    return Refusal("trivia.own-is-left", tuple(c for c in placed if stones[c] == Kind.NEUTRAL))


def _placed_now(game: Trivia, position: Position) -> tuple[int, ...]:
    """The cells filled in the turn under way, as far as the history reaches."""
    cells = len(game.grid)
    into = game.into_turn(position)
    filled = [move.code % cells for move in position.history if not move.is_word]
    return tuple(sorted(filled[-into:])) if into else ()
