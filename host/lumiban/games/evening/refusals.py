"""Why a move of Evening is not allowed: the rule, and the stones that prove it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lumiban.games.api import BLACK, WHITE, Move, Position, Refusal
from lumiban.games.evening import opening
from lumiban.games.groups import groups_of
from lumiban.games.majority import seen_from

if TYPE_CHECKING:
    from lumiban.games.evening.game import Evening

RESIGN, STAND = "resign", "stand"
LETTERS = "wb"


def why_not(game: Evening, position: Position, side: int, move: Move) -> Refusal | None:
    """The rule that forbids `side` this move or word in this position, or None."""
    if game.outcome(position) is not None:
        return Refusal("evening.over")
    if side not in (WHITE, BLACK):
        return Refusal("evening.not-your-turn")
    if move.is_word:
        return _no_word(game, position, side, move)
    cells = len(game.grid)
    if move.code >= 2 * cells:
        return Refusal("evening.unreadable", params=(("text", move.text),))
    if position.phase != "play":
        return Refusal("evening.pie-first")
    if move.code // cells != side:
        return Refusal("evening.not-your-stone")
    return _no_placement(game, position, side, move.code % cells)


def _no_word(game: Evening, position: Position, side: int, move: Move) -> Refusal | None:
    word, _, letter = move.text.partition(" ")
    if word in (RESIGN, STAND) and letter in ("w", "b"):
        if LETTERS.index(letter) != side:
            return Refusal("evening.other-player")
        if word == RESIGN:
            return None
        return no_stand(game, position, side)
    if opening.is_word(game, move.text):
        return opening.why_not(game, position, side, move)
    return Refusal("evening.unreadable", params=(("text", move.text),))


def no_stand(game: Evening, position: Position, side: int) -> Refusal | None:
    """Why `side` may not stand now, or None; with turns only in a bot's question."""
    asked = position.state[-1] != 0 and side in game.movers(position)
    if not game.turnless and not asked:
        return Refusal("evening.no-stand")
    if position.phase != "play" or not any(game.stones(position)):
        return Refusal("evening.not-now", params=(("word", STAND),))
    if side in game.stands(position):
        return Refusal("evening.already-stands")
    return None


def _no_placement(game: Evening, position: Position, side: int, cell: int) -> Refusal | None:
    stones = game.stones(position)
    if stones[cell] != 0:
        return Refusal("evening.occupied", (cell,))
    if not any(stones):
        return Refusal("evening.white-opens") if side == BLACK else None
    if side not in game.movers(position):
        return Refusal("evening.not-your-turn")
    own, enemy, proof = seen(game, position, side, cell)
    if own < enemy:
        return None
    if not proof:
        return Refusal("evening.sees-nothing", (cell,))
    if own == enemy:
        return Refusal("evening.equal-sums", proof, (("sum", own),))
    return Refusal("evening.larger-sum", proof, (("own", own), ("enemy", enemy)))


def seen(
    game: Evening, position: Position, side: int, cell: int
) -> tuple[int, int, tuple[int, ...]]:
    """The sums that an empty cell sees of `side` and of the enemy, and the stones that make them:
    every stone of a group that it touches, or those next to it or in sight."""
    stones = game.stones(position)
    if game.sees == "groups":
        near = set(game.grid.neighbours[cell])
        groups = groups_of(game.grid.neighbours, stones)
        proof = tuple(sorted(c for group in groups if near & set(group) for c in group))
    else:
        proof = seen_from(game.grid, stones, cell, sight=game.sees == "sight")
    sign = 1 if side == WHITE else -1
    own = sum(stones[c] == sign for c in proof)
    return own, len(proof) - own, proof
