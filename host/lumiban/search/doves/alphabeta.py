"""Alpha-beta for Tokyo Doves: deeper and deeper, exact under the rules on repetition.

The worth of a position depends on what was faced on the way to it. So what is remembered holds only
for lines that have faced the same, as far as it may come again: the table cuts off exactly what a
search without one would find, to the last point. The best action of a position is remembered for
any line, since it only says what to try first.

A line of boards, one a ply, which all searches of Tokyo Doves share, remembers what the game has
faced and what it faced itself, as the rule does: the actions listed at its end are exactly those
that are legal there. `relevant` hashes, of what the line has faced, all that may be faced again
within the plies that are left. Two lines that agree on it have the same future, so that what is
kept under position, hash and plies left is the same as a search without memory finds (but for two
sets of positions with one hash of 62 bits).

What a position seems to be worth is looked at and not searched.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lumiban.games.base import Position
from lumiban.games.doves import Doves, DovesState
from lumiban.games.doves.kernel import (
    BOTH,
    BOTHS,
    CELLS,
    ENDED,
    FACED,
    FACES,
    FRAME,
    GREEN_SURROUNDED,
    LOSES,
    MAX_ACTIONS,
    MOVER,
    MOVES,
    NORMAL,
    RED_CELLS,
    RED_SURROUNDED,
    REPEAT,
    STRONG,
    WEAK,
    WINS,
    act,
    edge,
    fresh,
    generate,
    homes,
    key_of,
    lowest,
    place_in,
    targets,
    walls,
)
from lumiban.games.doves.refusals import barred
from lumiban.games.kernel import Rows, entry_of, kernel, popcount, wrapped

WIN_SCORE = 1_000_000
"""A win at the root; one less for each ply on the way."""
SURE = WIN_SCORE - 1_000
"""From here on a score tells a forced win."""
DEEPEST = 30
TABLE_BITS = 17
CODES = 448
"""More than the numbers of actions."""

EXACT, AT_LEAST, AT_MOST = 1, 2, 3
"""Kinds of a remembered score."""
DEPTH, PLY, NODES, KNOWN = 0, 1, 2, 3
"""Places in `meta`."""


class Ahead(NamedTuple):
    """A search of one position; rows by ply."""

    plan: Any
    boards: Rows
    past: Any
    """What was faced on the line: each board tells how much of it before its ply."""
    weights: Any
    """Weights of the parts of a position's worth."""
    listed: Any
    """The actions at each ply, best first, each with as much room as MAX_ACTIONS."""
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
    last = edge(1 << place_in(board, 1 - mover)) & FRAME & ~(occupied | walls(occupied))
    if last & (last - 1) == 0:
        to = lowest(last)
        for kind in range(6):
            place = place_in(board, 2 * kind + mover)
            if place >= 0 and targets(plan, occupied & ~(1 << place), kind, place) & last != 0:
                code = MOVES + kind * CELLS + to - 2 * (to >> 3)
                if step(plan, ahead.boards, ply, code) == ACTOR_WINS:
                    return WIN_SCORE - ply - 1
    score: int = worth(plan, board, ahead.weights)
    return score


@kernel
def list_actions(ahead: Any, ply: int, key: int) -> int:
    """List the actions at `ply`, most promising first; the score if that decides it, else WIN + 1.

    Actions that lose at once are left out, and one that draws at once is noted as the best.
    """
    board = ahead.boards[ply]
    total = generate(ahead.plan, board, ahead.past, ahead.out, MAX_ACTIONS)
    if total == 0:
        return ply - WIN_SCORE
    base, kept = ply * MAX_ACTIONS, 0
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
            return WIN_SCORE - ply - 1
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
        return max(score, ply + 1 - WIN_SCORE)
    return WIN_SCORE + 1


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
    ahead.best[ply] = -WIN_SCORE - 1
    ahead.move[ply] = -1
    ahead.floor[ply] = ahead.alpha[ply]
    if ply > 0:
        face(ahead.plan, board, ahead.past, key)
        if left > 1:
            path = relevant(ahead.plan, board, ahead.past, key, ahead.meta[KNOWN], left)
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
    code = ahead.listed[ply * MAX_ACTIONS + ahead.at[ply]]
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


@entry_of(DovesState)
def look(ahead: Ahead, nodes: int) -> bool:
    """Search a number of nodes further; whether the search to this depth is complete."""
    meta = ahead.meta
    until = meta[NODES] + nodes
    ply = meta[PLY]
    if ply < 0:
        ply = 0
        score = enter(ahead, 0)
        if score <= WIN_SCORE:
            ahead.best[0] = score
            meta[PLY] = -1
            return True
    while meta[NODES] < until:
        ahead.at[ply] += 1
        if ahead.at[ply] < ahead.count[ply]:
            step(ahead.plan, ahead.boards, ply, ahead.listed[ply * MAX_ACTIONS + ahead.at[ply]])
            ahead.alpha[ply + 1] = -ahead.beta[ply]
            ahead.beta[ply + 1] = -max(ahead.alpha[ply], ahead.best[ply])
            score = enter(ahead, ply + 1)
            if score > WIN_SCORE:
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


GOES_ON, DRAW, ACTOR_WINS, ACTOR_LOSES = 0, 1, 2, 3
"""Results of an action, for the side that did it."""


@kernel
def step(plan: Any, boards: Any, ply: int, code: int) -> int:
    """Put the board after an action below the board at `ply`; what that comes to.

    A side without any action left has lost too: that is found when its actions are listed.
    """
    act(boards[ply], boards[ply + 1], code)
    return come_to(plan, boards[ply + 1])


@kernel
def come_to(plan: Any, board: Any) -> int:
    """Result of the last action, for the side that did it."""
    ended = board[ENDED]
    if ended == 0:
        return GOES_ON
    if ended == RED_SURROUNDED + GREEN_SURROUNDED:
        if plan[BOTH] == LOSES:
            return ACTOR_LOSES
        return ACTOR_WINS if plan[BOTH] == WINS else DRAW
    return ACTOR_WINS if ended == RED_SURROUNDED + board[MOVER] else ACTOR_LOSES


@kernel
def name(plan: Any, board: Any) -> int:
    """The key under which a position is remembered: that of the rule on repetition."""
    turned = plan[REPEAT] == STRONG or plan[REPEAT] < NORMAL
    key: int = key_of(board, board[MOVER], turned)
    return key


@kernel
def face(plan: Any, board: Any, past: Any, key: int) -> None:
    """Note that the side to move faces this position."""
    if plan[REPEAT] >= NORMAL:
        past[FACES + board[FACED]] = key
        board[FACED] += 1


@kernel
def mixed(key: int) -> int:
    """A key's bits well mixed, 62 of them; sums of these stand for sets."""
    key ^= key >> 31
    key = wrapped(key, 0x2545F4914F6CDD1D, 0) & 0x3FFFFFFFFFFFFFFF
    key ^= key >> 29
    key = wrapped(key, 0x1B03738712FAD5C9, 0) & 0x3FFFFFFFFFFFFFFF
    return key ^ (key >> 32)


@kernel
def relevant(plan: Any, board: Any, past: Any, key: int, known: int, left: int) -> int:
    """A hash of what was faced on this line and may be faced again within `left` plies.

    The first `known` positions faced are the game's, the same for all lines, and count for
    nothing; so does the position itself, which `key` names. Each action brings or takes one dove
    of its side at most: that tells of most positions that they are too far away.
    """
    found = 0
    if plan[REPEAT] < NORMAL:
        return found
    mover = board[MOVER]
    mine = 0x555 << (1 - mover)
    for i in range(FACES + known, FACES + board[FACED]):
        other = past[i]
        if other == key:
            continue
        differ = ((other ^ key) >> 48) & 0xFFF
        same = other >> 60 == mover
        theirs = left >> 1 if same else (left - 1) >> 1
        ours = left >> 1 if same else (left + 1) >> 1
        if popcount(differ & mine) <= ours and popcount(differ & ~mine) <= theirs:
            found ^= mixed(other)
    return found


@kernel
def air(board: Any, side: int) -> int:
    """Number of free edges of the boss of `side`."""
    cells = board[RED_CELLS] | board[RED_CELLS + 1]
    free = edge(1 << place_in(board, side)) & FRAME & ~(cells | walls(cells))
    count = 0
    while free != 0:
        free &= free - 1
        count += 1
    return count


@kernel
def surrounding(plan: Any, boards: Any, past: Any, ply: int, out: Any) -> int:
    """An action that wins at once by surrounding, or −1; uses the board below.

    One action takes two free edges at most: by a dove and a wall, or by two walls.
    """
    board = boards[ply]
    if air(board, 1 - board[MOVER]) > 2:
        return -1
    for i in range(generate(plan, board, past, out, MAX_ACTIONS)):
        if step(plan, boards, ply, out[i]) == ACTOR_WINS:
            found: int = out[i]
            return found
    return -1


@kernel
def sticking(plan: Any, boards: Any, past: Any, ply: int, out: Any, spare: Any) -> int:
    """An action after which the other side has none, or −1; uses the board below."""
    for i in range(generate(plan, boards[ply], past, out, MAX_ACTIONS)):
        ended = step(plan, boards, ply, out[i])
        if ended == GOES_ON and generate(plan, boards[ply + 1], past, spare, 1) == 0:
            found: int = out[i]
            return found
    return -1


def state_of(game: Doves, position: Position) -> DovesState:
    """The State of a position for searching, where a repetition that may be claimed is barred.

    Claiming takes a choice from the other side and costs nothing: who can claim does.
    """
    mover, *rest = position.state
    return fresh(
        rest[:12],
        mover,
        repeat=NORMAL if game.repeat == WEAK else game.repeat,
        no_initial=game.options["initial"] == "forbidden",
        remove=game.options["remove"] == "on",
        both=BOTHS.index(str(game.options["both"])),
        faced=rest[12:],
        barred=barred(position),
    )


def line_of(state: DovesState, plies: int) -> tuple[list[list[int]], list[int]]:
    """Room for a line of a number of plies: boards, of which that of `state` is the first, and what
    was faced."""
    faced = state.past[: FACES + state.board[FACED]]
    return [list(state.board) for _ in range(plies + 2)], [*faced, *([0] * (plies + 2))]


AIR, NEAR, REACH, ON_BOARD, HOMES, AIM, TURN = 0, 5, 6, 7, 8, 9, 12
"""Places in the weights: by free edges of a boss; own doves' reach in cells; doves on the board;
cells to put on; free edges of the enemy boss that an own dove can move to (0, 1, 2 or more); to be
the side to move."""

WEIGHTS = [-400, -75, 0, 45, 75, 0, 4, 20, 3, 0, 40, 90, 30]
"""Tuned a little by games against itself at 3 000 positions a move: air half as dear as it was at
first won 48.5 of 70; other changes of one weight told nothing for certain."""


@kernel
def bits_of(cells: int) -> int:
    """Number of cells in a set."""
    return popcount(cells & 0xFFFFFFFFFFFF)


@kernel
def side_worth(plan: Any, board: Any, weights: Any, side: int) -> int:
    """Worth of the position's features for `side`."""
    occupied = board[RED_CELLS] | board[RED_CELLS + 1]
    wall = walls(occupied)
    air = edge(1 << place_in(board, side)) & FRAME & ~(occupied | wall)
    theirs = edge(1 << place_in(board, 1 - side)) & FRAME & ~(occupied | wall)
    reach, present = 0, 0
    for kind in range(6):
        place = place_in(board, 2 * kind + side)
        if place >= 0:
            present += 1
            reach |= targets(plan, occupied & ~(1 << place), kind, place)
    score = weights[AIR + bits_of(air)] + weights[REACH] * bits_of(reach)
    score += weights[ON_BOARD] * present
    if present < 6:
        score += weights[HOMES] * bits_of(homes(plan, board, side))
    aim = reach & theirs
    if aim != 0:
        score += weights[AIM + 1] if aim & (aim - 1) == 0 else weights[AIM + 2]
    total: int = score
    return total


@kernel
def worth(plan: Any, board: Any, weights: Any) -> int:
    """Estimated worth for the side to move, less that for the other."""
    mover = board[MOVER]
    mine = side_worth(plan, board, weights, mover) + weights[TURN]
    total: int = mine - side_worth(plan, board, weights, 1 - mover)
    return total
