"""Alpha-beta for Tokyo Doves: deeper and deeper, exact under the rules on repetition.

The worth of a position depends on what was faced on the way to it. So what is remembered holds
only for lines that have faced the same, as far as it may come again (`doves_line.relevant`): the
table cuts off exactly what a search without one would find, to the last point. The best action of
a position is remembered for any line, since it only says what to try first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lumiban.games.doves.kernel import (
    CELLS,
    DOVE,
    FRAME,
    MOST,
    MOVER,
    MOVES,
    PLACE,
    RED_CELLS,
    edge,
    generate,
    targets,
    walls,
)
from lumiban.games.kernel import kernel
from lumiban.search.doves_line import (
    ACTOR_LOSES,
    ACTOR_WINS,
    DRAW,
    face,
    mixed,
    name,
    relevant,
    step,
)
from lumiban.search.doves_worth import worth

WIN = 1_000_000
"""A win at the root; one less for each ply on the way."""
SURE = WIN - 1_000
"""From here on a score tells a forced win."""
DEEPEST = 30
TABLE_BITS = 17
CODES = 448
"""More than the numbers of actions."""

EXACT, AT_LEAST, AT_MOST = 1, 2, 3
"""What a remembered score is."""
DEPTH, PLY, NODES, KNOWN = 0, 1, 2, 3
"""Places in `meta`."""


class Ahead(NamedTuple):
    """A search of one position; rows by ply."""

    plan: Any
    boards: Any
    weights: Any
    """What the worth of a position is made of."""
    listed: Any
    """The actions at each ply, best first, each with as much room as MOST."""
    order: Any
    """Scratch: why they stand in this order."""
    count: Any
    at: Any
    alpha: Any
    beta: Any
    floor: Any
    """The alpha that the ply began with."""
    best: Any
    move: Any
    """The best score and action so far."""
    keys: Any
    paths: Any
    killer: Any
    """By ply, the two actions that last cut off."""
    history: Any
    """By side and action, how often it cut off."""
    table_keys: Any
    table_paths: Any
    table_says: Any
    """Plies left and kind of score."""
    table_scores: Any
    first_keys: Any
    first_moves: Any
    """The best action by position alone."""
    lines: Any
    """The expected line from each ply on, and how long it is."""
    line_length: Any
    out: Any
    meta: Any


@kernel
def slot_of(ahead: Any, key: int, path: int, left: int) -> int:
    """The place in the table for this position, line and plies left."""
    return mixed(key ^ path ^ (left << 40)) & (len(ahead.table_keys) - 1)


@kernel
def leaf(ahead: Any, ply: int) -> int:
    """The score of a position at the horizon, judged rather than searched.

    A dove that takes the enemy boss's last free edge is seen; a wall that does so is not.
    """
    plan, board = ahead.plan, ahead.boards[ply]
    mover = board[MOVER]
    occupied = board[RED_CELLS] | board[RED_CELLS + 1]
    last = edge(1 << board[DOVE + 1 - mover]) & FRAME & ~(occupied | walls(occupied))
    if last & (last - 1) == 0:
        to = plan[PLACE + last % 53]
        for kind in range(6):
            place = board[DOVE + 2 * kind + mover]
            if place >= 0 and targets(plan, occupied & ~(1 << place), kind, place) & last != 0:
                code = MOVES + kind * CELLS + to - 2 * (to >> 3)
                if step(plan, ahead.boards, ply, code) == ACTOR_WINS:
                    return WIN - ply - 1
    score: int = worth(plan, board, ahead.weights)
    return score


@kernel
def list_actions(ahead: Any, ply: int, key: int) -> int:
    """List the actions at `ply`, most promising first; the score if that decides it, else WIN + 1.

    Actions that lose at once are left out, and one that draws at once is noted as the best.
    """
    board = ahead.boards[ply]
    total = generate(ahead.plan, board, ahead.out, MOST)
    if total == 0:
        return ply - WIN
    base, kept = ply * MOST, 0
    history = board[MOVER] * CODES
    first = -1
    at = mixed(key) & (len(ahead.first_keys) - 1)
    if ahead.first_keys[at] == key:
        first = ahead.first_moves[at]
    for i in range(total):
        code = ahead.out[i]
        ended = step(ahead.plan, ahead.boards, ply, code)
        if ended == ACTOR_WINS:
            ahead.move[ply] = code
            ahead.line_length[ply] = 1
            ahead.lines[ply * DEEPEST] = code
            return WIN - ply - 1
        if ended == ACTOR_LOSES:
            if ahead.move[ply] < 0:
                ahead.move[ply] = code
            continue
        if ended == DRAW:
            if ahead.best[ply] < 0:
                ahead.best[ply] = 0
                ahead.move[ply] = code
            continue
        value = ahead.history[history + code]
        if code == first:
            value = 1 << 60
        elif code == ahead.killer[2 * ply]:
            value = 1 << 59
        elif code == ahead.killer[2 * ply + 1]:
            value = 1 << 58
        j = kept
        while j > 0 and ahead.order[j - 1] < value:
            ahead.order[j] = ahead.order[j - 1]
            ahead.listed[base + j] = ahead.listed[base + j - 1]
            j -= 1
        ahead.order[j] = value
        ahead.listed[base + j] = code
        kept += 1
    ahead.count[ply] = kept
    ahead.at[ply] = -1
    if kept == 0:
        score: int = ahead.best[ply]
        return max(score, ply + 1 - WIN)
    return WIN + 1


@kernel
def enter(ahead: Any, ply: int) -> int:
    """Come to the position at `ply`; its score where that is known at once, else WIN + 1."""
    ahead.meta[NODES] += 1
    ahead.line_length[ply] = 0
    left = ahead.meta[DEPTH] - ply
    if left == 0:
        return leaf(ahead, ply)
    board = ahead.boards[ply]
    key = name(ahead.plan, board)
    ahead.keys[ply] = key
    ahead.best[ply] = -WIN - 1
    ahead.move[ply] = -1
    ahead.floor[ply] = ahead.alpha[ply]
    if ply > 0:
        face(ahead.plan, board, key)
        if left > 1:
            path = relevant(ahead.plan, board, key, ahead.meta[KNOWN], left)
            ahead.paths[ply] = path
            at = slot_of(ahead, key, path, left)
            says = ahead.table_says[at]
            if ahead.table_keys[at] == key and ahead.table_paths[at] == path and says >> 2 == left:
                score: int = ahead.table_scores[at]
                if score > SURE:
                    score -= ply
                elif score < -SURE:
                    score += ply
                kind = says & 3
                if kind == EXACT:
                    return score
                if kind == AT_LEAST and score >= ahead.beta[ply]:
                    return score
                if kind == AT_MOST and score <= ahead.alpha[ply]:
                    return score
    return list_actions(ahead, ply, key)


@kernel
def leave(ahead: Any, ply: int) -> int:
    """Remember what was found at `ply`, all that matters having been tried; its score."""
    score: int = ahead.best[ply]
    left = ahead.meta[DEPTH] - ply
    at = mixed(ahead.keys[ply]) & (len(ahead.first_keys) - 1)
    ahead.first_keys[at] = ahead.keys[ply]
    ahead.first_moves[at] = ahead.move[ply]
    if ply > 0 and left > 1:
        at = slot_of(ahead, ahead.keys[ply], ahead.paths[ply], left)
        kind = EXACT
        if score >= ahead.beta[ply]:
            kind = AT_LEAST
        elif score <= ahead.floor[ply]:
            kind = AT_MOST
        ahead.table_keys[at] = ahead.keys[ply]
        ahead.table_paths[at] = ahead.paths[ply]
        ahead.table_says[at] = left << 2 | kind
        ahead.table_scores[at] = score
        if score > SURE:
            ahead.table_scores[at] = score + ply
        elif score < -SURE:
            ahead.table_scores[at] = score - ply
    return score


@kernel
def take(ahead: Any, ply: int, score: int) -> None:
    """Hear what the action at hand is worth for the side to move at `ply`."""
    code = ahead.listed[ply * MOST + ahead.at[ply]]
    if score > ahead.best[ply]:
        ahead.best[ply] = score
        ahead.move[ply] = code
        if score > ahead.alpha[ply]:
            ahead.alpha[ply] = score
            base, below = ply * DEEPEST, (ply + 1) * DEEPEST
            ahead.lines[base] = code
            length = ahead.line_length[ply + 1]
            for i in range(length):
                ahead.lines[base + 1 + i] = ahead.lines[below + i]
            ahead.line_length[ply] = length + 1
    if ahead.alpha[ply] >= ahead.beta[ply]:
        left = ahead.meta[DEPTH] - ply
        ahead.history[ahead.boards[ply][MOVER] * CODES + code] += left * left
        if ahead.killer[2 * ply] != code:
            ahead.killer[2 * ply + 1] = ahead.killer[2 * ply]
            ahead.killer[2 * ply] = code
        ahead.count[ply] = ahead.at[ply] + 1


def look(ahead: Any, nodes: int) -> bool:
    """Go on for so many nodes; whether the search to this depth is complete."""
    meta = ahead.meta
    until = meta[NODES] + nodes
    ply = meta[PLY]
    if ply < 0:
        ply = 0
        score = enter(ahead, 0)
        if score <= WIN:
            ahead.best[0] = score
            meta[PLY] = -1
            return True
    while meta[NODES] < until:
        ahead.at[ply] += 1
        if ahead.at[ply] < ahead.count[ply]:
            step(ahead.plan, ahead.boards, ply, ahead.listed[ply * MOST + ahead.at[ply]])
            ahead.alpha[ply + 1] = -ahead.beta[ply]
            ahead.beta[ply + 1] = -max(ahead.alpha[ply], ahead.best[ply])
            score = enter(ahead, ply + 1)
            if score > WIN:
                ply += 1
            else:
                take(ahead, ply, -score)
            continue
        score = leave(ahead, ply)
        if ply == 0:
            meta[PLY] = -1
            return True
        ply -= 1
        take(ahead, ply, -score)
    meta[PLY] = ply
    return False
