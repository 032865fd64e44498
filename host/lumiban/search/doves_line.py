"""What all searches of Tokyo Doves share: a line of boards, one a ply, under the rules on bans.

A line remembers what the game has faced and what it faced itself, as the rule does: the actions
listed at its end are exactly those that are legal there. What a search remembers of a position
must hold on any line that leads to it. `relevant` is how: of what the line has faced it hashes
all that may be faced again within the plies that are left. Two lines that agree on it have the
same future, so that what is kept under position, hash and plies left is the same as a search
without memory finds (but for two sets of positions with one hash of 62 bits).
"""

from __future__ import annotations

from typing import Any

from lumiban.games.base import Position
from lumiban.games.doves import Doves, DovesState
from lumiban.games.doves.explain import barred
from lumiban.games.doves.kernel import (
    BOTH,
    BOTHS,
    DOVE,
    ENDED,
    FACED,
    FACES,
    FRAME,
    GREEN_SURROUNDED,
    LOSES,
    MOST,
    MOVER,
    NORMAL,
    RED_CELLS,
    RED_SURROUNDED,
    REPEAT,
    ROOM,
    STRONG,
    WEAK,
    WINS,
    act,
    edge,
    fresh,
    generate,
    key_of,
    walls,
)
from lumiban.games.kernel import kernel

GOES_ON, DRAW, ACTOR_WINS, ACTOR_LOSES = 0, 1, 2, 3
"""What an action has come to, for the side that did it."""


@kernel
def step(plan: Any, boards: Any, ply: int, code: int) -> int:
    """Put the board after an action below the board at `ply`; what that comes to.

    A side without any action left has lost too: that is found when its actions are listed.
    """
    size = FACES + boards[ply][FACED]
    boards[ply + 1][:size] = boards[ply][:size]
    act(plan, boards[ply + 1], code)
    return come_to(plan, boards[ply + 1])


@kernel
def come_to(plan: Any, board: Any) -> int:
    """What the last action has come to, for the side that did it."""
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
    key: int = key_of(board, -1, -1, board[MOVER], turned)
    return key


@kernel
def face(plan: Any, board: Any, key: int) -> None:
    """Note that the side to move faces this position."""
    if plan[REPEAT] >= NORMAL:
        board[FACES + board[FACED]] = key
        board[FACED] += 1


@kernel
def popcount(bits: int) -> int:
    """How many of 12 bits are set."""
    bits -= (bits >> 1) & 0x555
    bits = (bits & 0x333) + ((bits >> 2) & 0x333)
    return (bits + (bits >> 4) + (bits >> 8)) & 0xF


@kernel
def mixed(key: int) -> int:
    """A key's bits well mixed, 62 of them; sums of these stand for sets."""
    key ^= key >> 31
    key = (key * 0x2545F4914F6CDD1D) & 0x3FFFFFFFFFFFFFFF
    key ^= key >> 29
    key = (key * 0x1B03738712FAD5C9) & 0x3FFFFFFFFFFFFFFF
    return key ^ (key >> 32)


@kernel
def relevant(plan: Any, board: Any, key: int, known: int, left: int) -> int:
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
        other = board[i]
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
    """How many free edges the boss of `side` has."""
    cells = board[RED_CELLS] | board[RED_CELLS + 1]
    free = edge(1 << board[DOVE + side]) & FRAME & ~(cells | walls(cells))
    count = 0
    while free != 0:
        free &= free - 1
        count += 1
    return count


@kernel
def surrounding(plan: Any, boards: Any, ply: int, out: Any) -> int:
    """An action that wins at once by surrounding, or −1; uses the board below.

    One action takes two free edges at most: by a dove and a wall, or by two walls.
    """
    board = boards[ply]
    if air(board, 1 - board[MOVER]) > 2:
        return -1
    for i in range(generate(plan, board, out, MOST)):
        if step(plan, boards, ply, out[i]) == ACTOR_WINS:
            found: int = out[i]
            return found
    return -1


@kernel
def sticking(plan: Any, boards: Any, ply: int, out: Any, spare: Any) -> int:
    """An action after which the other side has none, or −1; uses the board below."""
    for i in range(generate(plan, boards[ply], out, MOST)):
        ended = step(plan, boards, ply, out[i])
        if ended == GOES_ON and generate(plan, boards[ply + 1], spare, 1) == 0:
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


def line_of(state: DovesState, plies: int) -> list[list[int]]:
    """Room for a line of so many plies below the board of `state`, which is the first."""
    used = FACES + state.board[FACED]
    room = used + min(plies + 2, ROOM)
    first = state.board[:used] + [0] * (room - used)
    return [list(first) for _ in range(plies + 2)]
