"""Searches of Tokyo Doves without any memory, to hold the quick ones against.

They play on States, whose rules remember all that was faced, and know no table and no order.
"""

from __future__ import annotations

import random

from lumiban.games.base import Position
from lumiban.games.doves import Doves, DovesState
from lumiban.games.doves.kernel import (
    BOTH,
    BOTHS,
    CELLS,
    ENDED,
    FACED,
    FACES,
    MAX_ACTIONS,
    MOVES,
    REMOVES,
    place_in,
    places_in,
)
from lumiban.search.doves.alphabeta import WEIGHTS, WIN_SCORE, state_of, worth


def after(state: DovesState, code: int) -> DovesState:
    child = DovesState(state.plan, list(state.board), list(state.past), [0] * MAX_ACTIONS)
    child.play(code)
    return child


def actions(state: DovesState) -> list[int]:
    out = [0] * MAX_ACTIONS
    return out[: state.moves(out)]


def wins_within(state: DovesState, plies: int) -> bool:
    """Whether the side to move forces a win within so many plies."""
    mover = state.mover()
    for code in actions(state):
        child = after(state, code)
        ended = child.outcome()
        if ended == mover + 1:
            return True
        if ended == -1 and plies >= 3 and loses_within(child, plies - 1):
            return True
    return False


def loses_within(state: DovesState, plies: int) -> bool:
    enemy = 1 - state.mover()
    for code in actions(state):
        child = after(state, code)
        ended = child.outcome()
        if ended == enemy + 1:
            continue
        if ended != -1 or not wins_within(child, plies - 1):
            return False
    return True


def winning(state: DovesState, plies: int) -> list[int]:
    """All first actions that win within so many plies."""
    found = []
    for code in actions(state):
        child = after(state, code)
        ended = child.outcome()
        if ended == state.mover() + 1 or (ended == -1 and loses_at(child, plies - 1)):
            found.append(code)
    return found


def loses_at(state: DovesState, plies: int) -> bool:
    return plies > 0 and loses_within(state, plies)


def minimax(state: DovesState, depth: int, ply: int = 0) -> int:
    """The score that alpha-beta must find, every line looked at."""
    mover = state.mover()
    if depth == 0:
        return horizon(state, ply)
    listed = actions(state)
    if not listed:
        return ply - WIN_SCORE
    best = -WIN_SCORE
    for code in listed:
        child = after(state, code)
        if child.board[ENDED] == 0:
            score = -minimax(child, depth - 1, ply + 1)
        else:
            ended = child.outcome()
            score = 0 if ended == 0 else (WIN_SCORE - ply - 1) * (1 if ended == mover + 1 else -1)
        best = max(best, score)
    return best


def horizon(state: DovesState, ply: int) -> int:
    """What a position at the horizon is worth: a dove on the enemy boss's last free edge wins."""
    mover = state.mover()
    game = Doves(repetition="off", initial="allowed", both=BOTHS[state.plan[BOTH]])
    shown = game.position(places_in(state.board), mover)
    if game.scores(shown)[1 - mover][1] == 1:
        free = game.state(shown)
        for code in actions(free):
            if MOVES <= code < REMOVES and after(free, code).outcome() == mover + 1:
                boss = 1 - mover
                if _fills(free, code, boss):
                    return WIN_SCORE - ply - 1
    return worth(state.plan, state.board, list(WEIGHTS))


def _fills(state: DovesState, code: int, side: int) -> bool:
    """Whether a move ends beside the boss of `side`, by edge: not a wall, a dove takes its air."""
    cell = code % CELLS
    place = cell + 2 * (cell // 6)
    boss = place_in(state.board, side)
    found: bool = abs((place >> 3) - (boss >> 3)) + abs((place & 7) - (boss & 7)) == 1
    return found


def wander(game: Doves, seed: int, plies: int) -> Position | None:
    """A position that many random actions into a game, with its history; None if it ended."""
    rng = random.Random(seed)
    position = game.start()
    for _ in range(plies):
        position = game.play(position, rng.choice(game.moves(position, position.state[0])))
        if game.outcome(position) is not None:
            return None
    return position


def start_of(game: Doves, position: Position) -> DovesState:
    """The State to search from, with room for what is to come."""
    state = state_of(game, position)
    used = FACES + state.board[FACED]
    return DovesState(state.plan, state.board, state.past[: used + 16], [0] * MAX_ACTIONS)
