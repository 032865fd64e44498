"""Why a hand or a word of Rengi is not allowed: the rule, and the cells that prove it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lumiban.games.api import Move, Position, Refusal
from lumiban.games.rengi.duel import shape
from lumiban.games.rengi.field import FIELD_SIZE, height
from lumiban.games.rengi.hands import can_pass, too_often
from lumiban.games.rengi.notation import RESIGN, fits, hand_of, pair_text, read_hand
from lumiban.games.rengi.plan import BIN, FIELDS, FREE, MIRROR, MOST, MOVER, PASS, SIDE_SIZE, SIDES
from lumiban.games.rengi.reach import columns_at, why_unreachable

if TYPE_CHECKING:
    from lumiban.games.rengi.game import Rengi
    from lumiban.games.rengi.state import RengiState


def why_not(game: Rengi, position: Position, side: int, move: Move) -> Refusal | None:
    """The rule that forbids `side` this hand or word in this position, or None."""
    if game.outcome(position) is not None:
        return Refusal("rengi.over")
    if side not in game.movers(position) or move.side != side:
        return Refusal("rengi.not-your-turn")
    if move.text == RESIGN:
        return None
    state = game.known(position)
    if move.code == PASS:
        return _no_pass(state)
    if read_hand(move.text) != move.code:
        return Refusal("rengi.unreadable", params=(("text", move.text),))
    out = [0] * MOST
    if move.code in out[: state.moves(out)]:
        return None
    return _no_hand(game, position, state, move.code)


def _no_pass(state: RengiState) -> Refusal | None:
    if can_pass(state.plan, state.board):
        return None
    running = state.board[SIDES + (1 - state.board[MOVER]) * SIDE_SIZE + BIN] != 0
    return Refusal("rengi.no-chain-pass" if running else "rengi.no-pass")


def _no_hand(game: Rengi, position: Position, state: RengiState, code: int) -> Refusal:
    plan, board = state.plan, state.board
    side = board[MOVER]
    pair, column, rotation = hand_of(code)
    if plan[FREE] == 0:
        mine = game.next_pairs(position, side)[0]
        if pair != mine:
            return Refusal("rengi.other-pair", params=(("pair", pair_text(mine)),))
    if not fits(code):
        return Refusal("rengi.outside", params=(("column", column + 1),))
    at = FIELDS + side * FIELD_SIZE
    heights = [height(board, at, c) for c in range(6)]
    stops = why_unreachable(
        heights,
        game.rule("wall_cross"),
        game.on("quick_turn"),
        column,
        rotation,
        hanging=columns_at(board, at, 14),
    )
    if stops >= 0:
        filled = tuple(game.cell(side, stops, row) for row in range(1, heights[stops] + 1))
        return Refusal("rengi.unreachable", filled, (("column", stops + 1),))
    if shape(code) == too_often(plan, board):
        return Refusal("rengi.mirror", params=(("limit", plan[MIRROR]),))
    return Refusal("rengi.twice", params=(("text", game.move_of(position, shape(code)).text),))
