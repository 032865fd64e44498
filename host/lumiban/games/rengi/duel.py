"""The two-player game between the fields: hands, passes, and all that happens until the next one.

What is to come stands in each side's numbers as times: the next step to credit, the end of the
chain, the moment in which ojama may fall, the next hand. `advance` takes the earliest, again and
again, until a side is to act or the game is over. Each is noted as it happens: kind, side, time,
three figures, and the forecasts A and B of both sides afterwards.

A chain's ojama go to bin A of the opponent if nothing was waiting there when it was fired, else to
bin B. Own ojama first cancel what waits for oneself: B before A with the interrupt on, A before B
without it. How many fall at once, and into which columns, is told here too.

Between the two fields of six columns lie cells to touch and to read:

    free supply          a loop or list
    n14  R  B  Y  G      child and axis in hand, 2 dark
    below: undo, pass, resign, forecast A, forecast B, next pair, pair after it, hands left
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from lumiban.games.base import Game
from lumiban.games.kernel import kernel, randint_below
from lumiban.games.rengi.arrays import (
    ALL_CLEARS,
    BEFORE,
    BEGINS,
    BIN,
    BONUS,
    BY_DEATH,
    BY_HANDS,
    BY_PASSES,
    BY_SECONDS,
    CAP,
    CARRIED,
    CARRY,
    CHAIN_RATE,
    CLOCK,
    DRAWN,
    DRAWN_GAME,
    ENDED,
    ENTRY,
    FALLEN,
    FIELDS,
    FIRES,
    FIRST_WON,
    FRAMES,
    GHOST_C,
    IN_A,
    IN_B,
    INTERRUPT,
    LAST,
    LAST_SIDE,
    LOG,
    LOG_ROOM,
    MADE,
    MARGINS,
    MIRRORED,
    MIXED,
    MIXED_FROM,
    MOVER,
    NOW,
    OFFSET,
    OTSURI,
    OVER,
    PACE,
    PASS,
    PASS_DRAW,
    PASSED,
    PASSES,
    PLACEMENTS,
    POINTS,
    RANDOM,
    RATE,
    RNG,
    SENT,
    SETTLE,
    SIDE_SIZE,
    SIDES,
    STAY14,
    STEP,
    STEPS,
    TIMES,
    TOTAL,
    UNIT,
    WHY,
    WORTHS,
    A,
    B,
)
from lumiban.games.rengi.clock import (
    HAND,
    PASS_COSTS,
    PREPARE_NEXT,
    SECOND,
    VANISH,
    fall_cost,
    grant,
    pair_cost,
    schedule,
    step_cost,
)
from lumiban.games.rengi.field import (
    ALL_CLEAR,
    COLUMNS,
    FIELD_SIZE,
    MARGIN,
    count,
    drop,
    is_dead,
    is_empty,
    ojama,
    place_pair,
    step,
    step_points,
)
from lumiban.games.rengi.field import OJAMA as OJAMA_COLOUR

CREDIT_FIRST, OVER_SECOND, SETTLE_THIRD, FIRE_FOURTH, ACT_LAST = 0, 1, 2, 3, 4


@kernel
def shape(code: int) -> int:
    """A number for what a hand puts where, the same for all codes of equal placements.

    The lower or left block counts as axis, so that only rotations 0 and 1 are left.
    """
    pair, placement = code // PLACEMENTS, code % PLACEMENTS
    if placement % 4 < 2:
        return code
    turned = 4 * (pair % 4) + pair // 4
    if placement % 4 == 2:
        return turned * PLACEMENTS + placement - 2
    return turned * PLACEMENTS + placement - 4 - 2


@kernel
def rate_of(plan: Any, board: Any, side: int) -> int:
    """Points for one ojama in a chain fired now: margin time counts up to its firing."""
    if plan[MARGINS] == BY_SECONDS:
        seconds = board[NOW] // SECOND
    elif plan[MARGINS] == BY_HANDS:
        seconds = (board[SIDES + side * SIDE_SIZE + MADE] - 1) * plan[PACE]
    else:
        seconds = 0
    rate: int = plan[RATE]
    for since, points in MARGIN[1:]:
        if seconds >= since:
            rate = min(plan[RATE], points)
    return rate


@kernel
def make_hand(plan: Any, board: Any, room: Any, code: int) -> None:
    """Place the mover's pair, run its chain, and set the times of what comes of it."""
    side = board[MOVER]
    own = SIDES + side * SIDE_SIZE
    at = FIELDS + side * FIELD_SIZE
    pair, column, rotation = code // PLACEMENTS, code % PLACEMENTS // 4, code % 4
    now = board[own + CLOCK]
    lands = now + (pair_cost(board, side, column, rotation) if plan[FRAMES] != 0 else 0)
    time = lands
    standing = count(board, at)
    place_pair(board, at, pair // 4 + 1, pair % 4 + 1, column, rotation, plan[STAY14])
    note(board, room, LOG_PLACED, side, now, code, standing + 2 - count(board, at), 0)
    steps = 0
    while True:
        for i in range(FIELD_SIZE):
            room[BEFORE + i] = board[at + i]
        blocks = step(board, at, plan[GHOST_C], room)
        if blocks == 0:
            break
        points = step_points(steps + 1, blocks, room[2], room[3])
        note(board, room, LOG_ERASED, side, now, blocks, room[1], points)
        if steps == 0:
            points += board[own + BONUS]
            board[own + BONUS] = 0
        board[own + WORTHS + steps] = points
        if plan[FRAMES] != 0:
            time += VANISH
            board[own + TIMES + steps] = time
            time += step_cost(room, BEFORE, room)
        steps += 1
    board[own + STEPS] = steps
    board[own + STEP] = 0
    board[own + MADE] += 1
    if plan[FRAMES] != 0:
        board[own + SETTLE] = time
        board[own + CLOCK] = time + PREPARE_NEXT
        if steps > 0:
            board[own + FIRES] = lands
            board[own + OVER] = time
    else:
        schedule(plan, board, side)
        if steps > 0:
            fire(plan, board, room, side)
    remember(board, side, shape(code))
    board[own + DRAWN] = board[own + CLOCK]
    board[own + FALLEN] = board[PASSES] = 0


@kernel
def fire(plan: Any, board: Any, room: Any, side: int) -> None:
    """Begin the chain whose steps are known: its bin, its rate, and what an empty field earns.

    By ticks that is at once, by frames as the pair comes to rest.
    """
    own = SIDES + side * SIDE_SIZE
    open_bin(board, side)
    board[own + FIRES] = -1
    board[own + SENT] = 0
    board[own + POINTS] = board[own + CARRIED]
    board[own + CARRIED] = 0
    board[own + CHAIN_RATE] = rate_of(plan, board, side)
    if plan[ALL_CLEARS] != 0 and is_empty(board, FIELDS + side * FIELD_SIZE):
        board[own + BONUS] = ALL_CLEAR
    note(board, room, LOG_FIRED, side, board[NOW], board[own + STEPS], board[own + BIN], 0)


@kernel
def remember(board: Any, side: int, made: int) -> None:
    """Keep the hand just made, and count hands in a row that copied the opponent's."""
    own = SIDES + side * SIDE_SIZE
    copied = side != board[BEGINS] and board[LAST_SIDE] == 1 - side and board[LAST] == made
    board[own + MIRRORED] = board[own + MIRRORED] + 1 if copied else 0
    board[LAST] = made
    board[LAST_SIDE] = side


@kernel
def make_pass(plan: Any, board: Any, room: Any) -> None:
    """The mover passes; too many ordinary passes in a row are a draw.

    By frames an ordinary pass waits until the opponent fires a chain or acts next, so that nobody
    can pass five times while the opponent cannot answer.
    """
    side = board[MOVER]
    own = SIDES + side * SIDE_SIZE
    enemy = SIDES + (1 - side) * SIDE_SIZE
    now = board[own + CLOCK]
    note(board, room, LOG_PASSED, side, now, 0, 0, 0)
    running = board[enemy + BIN] != 0
    board[own + SETTLE] = now
    if plan[FRAMES] == 0:
        board[own + CLOCK] = now + HAND
    else:
        board[own + CLOCK] = now + PASS_COSTS
        if board[enemy + FIRES] >= 0:
            board[own + CLOCK] = max(now + PASS_COSTS, board[enemy + FIRES] + 1)
        elif not running:
            board[own + CLOCK] = max(now + PASS_COSTS, board[enemy + CLOCK] + 1)
    board[LAST_SIDE] = -1
    board[own + MIRRORED] = board[own + FALLEN] = 0
    if running:
        board[own + PASSED] = 1
    else:
        board[PASSES] += 1
        if board[PASSES] >= plan[PASS_DRAW]:
            board[ENDED], board[WHY] = DRAWN_GAME, BY_PASSES


@kernel
def act(plan: Any, board: Any, room: Any, move: int) -> None:
    """Make a hand or pass of the mover, and let happen what follows."""
    if move == PASS:
        make_pass(plan, board, room)
    else:
        make_hand(plan, board, room, move)
    advance(plan, board, room)


@kernel
def advance(plan: Any, board: Any, room: Any) -> None:
    """Let happen what happens until a side is to act, or the game is over.

    At the same moment steps are credited first, then chains end, then ojama fall, then chains are
    fired, then one acts; the side that began goes before the other.
    """
    while board[ENDED] == 0:
        soonest = -1
        for turn in range(2):
            side = board[BEGINS] ^ turn
            own = SIDES + side * SIDE_SIZE
            kind, time = ACT_LAST, board[own + CLOCK]
            if board[own + FIRES] >= 0 and board[own + FIRES] <= time:
                kind, time = FIRE_FOURTH, board[own + FIRES]
            if board[own + SETTLE] >= 0 and board[own + SETTLE] <= time:
                kind, time = SETTLE_THIRD, board[own + SETTLE]
            if board[own + OVER] >= 0 and board[own + OVER] <= time:
                kind, time = OVER_SECOND, board[own + OVER]
            step_at = board[own + TIMES + board[own + STEP]]
            if board[own + STEP] < board[own + STEPS] and step_at <= time:
                kind, time = CREDIT_FIRST, step_at
            rank = 16 * time + 2 * kind + turn
            if soonest < 0 or rank < soonest:
                soonest = rank
        side = board[BEGINS] ^ (soonest & 1)
        kind = (soonest >> 1) & 7
        board[NOW] = soonest >> 4
        if kind == CREDIT_FIRST:
            credit_step(plan, board, room, side)
        elif kind == OVER_SECOND:
            end_chain(plan, board, room, side)
        elif kind == SETTLE_THIRD:
            settle(plan, board, room, side)
        elif kind == FIRE_FOURTH:
            fire(plan, board, room, side)
        else:
            board[MOVER] = side
            return


@kernel
def credit_step(plan: Any, board: Any, room: Any, side: int) -> None:
    """Count the points of a chain's next step, and the ojama that they make."""
    own = SIDES + side * SIDE_SIZE
    k = board[own + STEP]
    points = board[own + WORTHS + k]
    board[own + STEP] = k + 1
    board[own + POINTS] += points
    board[own + TOTAL] += points
    earned = ojama(board[own + POINTS], board[own + CHAIN_RATE], board[own + SENT])
    board[own + SENT] += earned
    credit(plan, board, side, earned)
    if k + 1 == board[own + STEPS] and plan[CARRY] != 0:
        board[own + CARRIED] = board[own + POINTS] % board[own + CHAIN_RATE]
    note(board, room, LOG_CREDITED, side, board[NOW], k + 1, points, earned)


@kernel
def end_chain(plan: Any, board: Any, room: Any, side: int) -> None:
    """A chain is over: its ojama may fall, in alternate turns at once on who waits for them."""
    enemy = SIDES + (1 - side) * SIDE_SIZE
    close_bin(board, side)
    note(board, room, LOG_OVER, side, board[NOW], 0, 0, 0)
    if plan[FRAMES] != 0:
        board[enemy + PASSED] = 0
        return
    if board[enemy + SETTLE] < 0:
        fall_on(plan, board, room, 1 - side)
    if board[ENDED] == 0:
        grant(plan, board, 1 - side)


@kernel
def settle(plan: Any, board: Any, room: Any, side: int) -> None:
    """A hand or chain has run out: ojama fall, which takes time by frames."""
    own = SIDES + side * SIDE_SIZE
    board[own + SETTLE] = -1
    frames = fall_on(plan, board, room, side)
    if plan[FRAMES] != 0:
        board[own + CLOCK] += frames
        if board[own + DRAWN] > board[NOW]:
            board[own + DRAWN] += frames


@kernel
def fall_on(plan: Any, board: Any, room: Any, side: int) -> int:
    """Let fall what may fall on a side, see whether it is dead; returns the frames it takes."""
    own = SIDES + side * SIDE_SIZE
    at = FIELDS + side * FIELD_SIZE
    falls = frames = 0
    if not is_dead(board, at):
        falls = falling(plan, due(board, side), board[own + FALLEN])
    if falls > 0:
        frames = fall_cost(board, side, falls)
        board[own + A] -= falls
        board[own + FALLEN] += falls
        lost = let_fall(plan, board, room, side, falls)
        if plan[OTSURI] != 0:
            board[own + A] += lost
        note(board, room, LOG_FELL, side, board[NOW], falls, lost, 0)
    if is_dead(board, at):
        board[ENDED], board[WHY] = FIRST_WON + 1 - side, BY_DEATH
        note(board, room, LOG_DIED, side, board[NOW], 0, 0, 0)
    return frames


ONES = (3, 1, 4, 0, 5, 2)
"""The columns, from 0, that get one more ojama first when they fall one by one."""
THREES = (1, 3, 4, 0, 2, 5)
"""The same in threes: columns 2, 4, 5 of the paper, then 1, 3, 6."""


@kernel
def amount(unit: int, mixed_from: int, most: int, waiting: int) -> int:
    """Number of waiting ojama that fall at once: at most `most`, in whole units.

    `unit` is 1, 3, 6 or MIXED: threes while no more than `mixed_from` wait, else whole rows.

    >>> amount(3, 18, 30, 32), amount(6, 18, 30, 13), amount(MIXED, 18, 30, 17)
    (30, 12, 15)
    """
    if unit == MIXED:
        unit = 3 if waiting <= mixed_from else 6
    falls = min(waiting, most)
    return falls - falls % unit


@kernel
def order(unit: int, place: int) -> int:
    """The column that comes at this place, from 0, in the fixed order."""
    return ONES[place] if unit == 1 else THREES[place]


@kernel
def falling(plan: Any, waiting: int, fallen: int) -> int:
    """Number of waiting ojama that fall at once, after this many have fallen in this turn."""
    count: int = amount(plan[UNIT], plan[MIXED_FROM], plan[CAP] - fallen, waiting)
    return count


@kernel
def chance(board: Any, room: Any, n: int) -> int:
    """A random number below n from the game's own chance, which moves on."""
    room[0] = board[RNG]
    number: int = randint_below(room, n)
    board[RNG] = room[0]
    return number


@kernel
def let_fall(plan: Any, board: Any, room: Any, side: int, count: int) -> int:
    """Let a number of ojama fall on a side, full rows first; returns how many found no room.

    The rest below a full row takes the fixed order, or random columns of which none twice.
    """
    at = FIELDS + side * FIELD_SIZE
    lost = 0
    for _ in range(count // COLUMNS):
        for column in range(COLUMNS):
            if drop(board, at, column, OJAMA_COLOUR, 0) == 0:
                lost += 1
    used = 0
    for place in range(count % COLUMNS):
        if plan[RANDOM] != 0:
            skip = chance(board, room, COLUMNS - place)
            column = 0
            while (used >> column) & 1 != 0 or skip > 0:
                if (used >> column) & 1 == 0:
                    skip -= 1
                column += 1
        else:
            column = order(plan[UNIT], place)
        used |= 1 << column
        if drop(board, at, column, OJAMA_COLOUR, 0) == 0:
            lost += 1
    return lost


CENTRE_COLUMN = 6
SECOND_COLUMN = 7
"""The grid's column, from 0, of the second player's column 1."""
ROWS = 14


class Role(IntEnum):
    """The cells between the fields, from above."""

    R = 0
    B = 1
    Y = 2
    G = 3
    UNDO = 4
    PASS = 5
    RESIGN = 6
    FORECAST_A = 7
    FORECAST_B = 8
    NEXT_CHILD = 9
    NEXT_AXIS = 10
    AFTER_CHILD = 11
    AFTER_AXIS = 12
    HANDS_LEFT = 13


HAND_CHILD, HAND_AXIS = Role.R, Role.B
"""Cells that show the pair in hand, when colours are not chosen."""
PALETTE = (Role.R, Role.B, Role.Y, Role.G)
BACK, ON = Role.Y, Role.G
"""Touched, they move the pairs shown below along the loop, when colours are not chosen."""


def centre(game: Game, role: int) -> int:
    """The cell of the grid that has this role."""
    return game.grid.at(CENTRE_COLUMN, role)


def role_at(game: Game, cell: int) -> Role | None:
    """The role of a cell between the fields, None in a field."""
    column, row = game.grid.cells[cell]
    return Role(row) if column == CENTRE_COLUMN else None


def field_at(game: Game, cell: int) -> tuple[int, int, int] | None:
    """(side, column from 0, row from 1) of a cell in a field, None between them."""
    column, row = game.grid.cells[cell]
    if column == CENTRE_COLUMN:
        return None
    side = 0 if column < CENTRE_COLUMN else 1
    return side, column - SECOND_COLUMN * side, ROWS - row


@kernel
def open_bin(board: Any, side: int) -> None:
    """Decide, as `side` fires a chain, which bin of the opponent it fills."""
    own = SIDES + side * SIDE_SIZE
    enemy = SIDES + (1 - side) * SIDE_SIZE
    board[own + BIN] = IN_A if board[enemy + A] + board[enemy + B] == 0 else IN_B


@kernel
def credit(plan: Any, board: Any, side: int, earned: int) -> None:
    """Count ojama of `side`'s running chain: offset first, the surplus goes across."""
    own = SIDES + side * SIDE_SIZE
    enemy = SIDES + (1 - side) * SIDE_SIZE
    if plan[OFFSET] != 0:
        first = B if plan[INTERRUPT] != 0 else A
        for bin_ in (first, A + B - first):
            cancelled = min(earned, board[own + bin_])
            board[own + bin_] -= cancelled
            earned -= cancelled
    board[enemy + (A if board[own + BIN] == IN_A else B)] += earned


@kernel
def close_bin(board: Any, side: int) -> None:
    """End `side`'s chain: what it put into bin B of the opponent joins A."""
    own = SIDES + side * SIDE_SIZE
    enemy = SIDES + (1 - side) * SIDE_SIZE
    board[enemy + A] += board[enemy + B]
    board[enemy + B] = 0
    board[own + BIN] = 0
    board[own + OVER] = -1


@kernel
def due(board: Any, side: int) -> int:
    """Number of ojama that may fall on `side`: those in A, unless a running chain still fills
    it."""
    enemy = SIDES + (1 - side) * SIDE_SIZE
    if board[enemy + BIN] == IN_A:
        return 0
    waiting: int = board[SIDES + side * SIDE_SIZE + A]
    return waiting


LOG_PLACED, LOG_ERASED, LOG_FIRED, LOG_CREDITED, LOG_OVER, LOG_FELL, LOG_DIED, LOG_PASSED = (
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
)


@kernel
def note(board: Any, room: Any, kind: int, side: int, time: int, x: int, y: int, z: int) -> None:
    """Write an entry, if a log is kept."""
    count = room[LOG]
    if count < 0 or count == LOG_ROOM:
        return
    at = LOG + 1 + ENTRY * count
    room[at], room[at + 1], room[at + 2] = kind, side, time
    room[at + 3], room[at + 4], room[at + 5] = x, y, z
    room[at + 6], room[at + 7] = board[SIDES + A], board[SIDES + B]
    room[at + 8], room[at + 9] = board[SIDES + SIDE_SIZE + A], board[SIDES + SIDE_SIZE + B]
    room[LOG] = count + 1
