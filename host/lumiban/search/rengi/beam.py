"""A beam through the fields that a side can build with the pairs to come, hand by hand.

At each level every kept field is tried with every placement, chains run at once, and the most
promising fields are kept, no two alike. What the chains on the way were worth is noted too. A field
promises the chain that a few blocks more would fire, and something by its shape (`worth`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lumiban.games.kernel import entry_of, kernel
from lumiban.games.rengi.arrays import ALL_CLEARS, FREE, GHOST_C, PLACEMENTS, QUICK, STAY14, WALL
from lumiban.games.rengi.field import (
    ALL_CLEAR,
    COLUMNS,
    FIELD_SIZE,
    colour_at,
    count_bits,
    drop,
    field_key,
    height,
    is_dead,
    is_empty,
    links,
    place_pair,
    resolve,
)
from lumiban.games.rengi.kernel import RengiState
from lumiban.games.rengi.placements import around_spawn, columns_at, placements, placements_of_twins

EXTRA, FIRST, WORTH, KEY, REACH, NODE = 6, 7, 8, 9, 10, 11
"""Places in a kept field's numbers behind the field itself: points that its next chain gets on top,
the first hand's place among the root's, what it is worth, its key, the steps of its best chain in
reach; and how many numbers that are."""

LEVEL, PARENT, KEPT, FORMER, TRIED, WIDTH, DEPTH, HANDS_FOUND, NOISE, NEXT = range(10)
"""Places in `meta`: levels done, next parent to expand, fields kept for the next level, fields in
this one, fields tried in all, most fields kept, most levels, root hands, a
seed, and the next hand to try on that parent."""
META_SIZE = 12

SHOT_POINTS, SHOT_STEPS, SHOT_PARENT, SHOT_HAND, SHOT_LEFT, SHOT = 0, 1, 2, 3, 4, 5
"""A chain's points and steps, its field's place in the level before, its hand, what the field that
it leaves is worth; and how many numbers that are."""
BY_POINTS, BY_REST = 0, 1
"""Of each level two chains are kept: the one worth most, and one that leaves most standing."""
REST_COUNTS = 60
"""Ojama that a chain must send to be kept for what it leaves."""

WORST = -(1 << 40)
CHILD = 64
"""Index in the scratch room at which a child is made, whose first places `worth` and the rules
use."""
LISTED = CHILD + NODE
ROOM_SIZE = LISTED + PLACEMENTS


class Beam(NamedTuple):
    """All that a beam holds, in flat arrays."""

    plan: Any
    """The game's rules as numbers."""
    pairs: Any
    """The pairs to come as axis and child, two numbers a pair; none where supply is free."""
    weights: Any
    meta: Any
    level: Any
    """The fields of this level."""
    heap: Any
    """Those kept for the next one, the least first as heaps have it."""
    seen: Any
    """Keys of the fields tried for the next level, by hash."""
    links: Any
    """Each kept field's parent, by level."""
    hands: Any
    """And the hand that made it."""
    shots: Any
    """Chains fired, two of each level."""
    roots: Any
    """For each hand of the root: code, level that it reached last, the best worth there."""
    room: Any


@entry_of(RengiState)
@kernel
def begin(beam: Beam, board: Any, at: int, extra: int) -> None:
    """Start with the field that lies in `board`, whose next chain gets `extra` points."""
    meta, level = beam.meta, beam.level
    for i in range(FIELD_SIZE):
        level[i] = board[at + i]
    level[EXTRA] = extra
    level[FIRST] = -1
    meta[LEVEL] = meta[PARENT] = meta[KEPT] = meta[TRIED] = meta[HANDS_FOUND] = meta[NEXT] = 0
    meta[FORMER] = 1
    for i in range(len(beam.shots)):
        beam.shots[i] = -1
    for i in range(len(beam.seen)):
        beam.seen[i] = 0


@entry_of(RengiState)
@kernel
def expand(beam: Beam, most: int) -> bool:
    """Try a number of hands more; returns whether all is done."""
    meta = beam.meta
    until = meta[TRIED] + most
    while meta[LEVEL] < meta[DEPTH] and meta[FORMER] > 0:
        while meta[PARENT] < meta[FORMER]:
            if not expand_one(beam, meta[PARENT], until):
                return False
            meta[PARENT] += 1
            meta[NEXT] = 0
        next_level(beam)
    return True


@kernel
def expand_one(beam: Any, parent: int, until: int) -> bool:
    """Try the hands on one field that were not tried yet; returns whether all were."""
    plan, meta, room = beam.plan, beam.meta, beam.room
    place = parent * NODE
    axis, child, pairs = 1, 1, 16
    if plan[FREE] == 0:
        which = 2 * (meta[LEVEL] % (len(beam.pairs) // 2))
        axis, child, pairs = beam.pairs[which], beam.pairs[which + 1], 1
    if axis == child:
        n = placements_of_twins(beam.level, place, plan[WALL], plan[QUICK], room)
    else:
        n = placements(beam.level, place, plan[WALL], plan[QUICK], room)
    for i in range(n):
        room[LISTED + i] = room[i]
    pair = 0 if plan[FREE] != 0 else 4 * (axis - 1) + child - 1
    while meta[NEXT] < n * pairs:
        if meta[TRIED] >= until:
            return False
        hand = (pair + meta[NEXT] // n) * PLACEMENTS + room[LISTED + meta[NEXT] % n]
        meta[NEXT] += 1
        expand_hand(beam, parent, hand)
    return True


@kernel
def expand_hand(beam: Any, parent: int, hand: int) -> None:
    """Try one hand on one field."""
    plan, meta, level, room = beam.plan, beam.meta, beam.level, beam.room
    at = parent * NODE
    meta[TRIED] += 1
    for i in range(FIELD_SIZE):
        room[CHILD + i] = level[at + i]
    pair, column, rotation = hand // PLACEMENTS, hand % PLACEMENTS // 4, hand % 4
    place_pair(room, CHILD, pair // 4 + 1, pair % 4 + 1, column, rotation, plan[STAY14])
    steps = run_chain(room, CHILD, plan[GHOST_C], room)
    points = room[1]
    first = level[at + FIRST]
    if first < 0:
        first = meta[HANDS_FOUND]
        meta[HANDS_FOUND] += 1
        beam.roots[3 * first] = hand
        beam.roots[3 * first + 1] = -1
        beam.roots[3 * first + 2] = WORST
    if is_dead(room, CHILD):
        return
    extra = level[at + EXTRA]
    if steps > 0:
        points += extra
        extra = ALL_CLEAR if plan[ALL_CLEARS] != 0 and is_empty(room, CHILD) else 0
    key = field_key(room, CHILD) ^ extra
    fresh = is_new(beam, key)
    if not fresh and steps == 0:
        return
    value = worth(room, CHILD, beam.weights, plan[GHOST_C], room)
    if steps > 0:
        note_shot(beam, parent, hand, steps, points, value)
    if not fresh:
        return
    value += extra // 4 + ((key >> 20) ^ meta[NOISE]) % 8
    reach = room[BEST_CHAIN_AT]
    room[CHILD + EXTRA], room[CHILD + FIRST], room[CHILD + WORTH] = extra, first, value
    room[CHILD + KEY], room[CHILD + REACH] = key, reach
    keep(beam, parent, hand)


@kernel
def is_new(beam: Any, key: int) -> bool:
    """True if a field with this key is tried for the first time on this level."""
    size = len(beam.seen)
    place = key & (size - 1)
    stamp = key | 1
    for _ in range(8):
        if beam.seen[place] == stamp:
            return False
        if beam.seen[place] == 0:
            beam.seen[place] = stamp
            return True
        place = (place + 1) & (size - 1)
    return True


@kernel
def note_shot(beam: Any, parent: int, hand: int, steps: int, points: int, left: int) -> None:
    """Note a chain if it is the level's best one in either way."""
    shots = beam.shots
    at = beam.meta[LEVEL] * 2 * SHOT
    if points > shots[at + SHOT_POINTS]:
        write_shot(shots, at, parent, hand, steps, points, left)
    at += SHOT
    if points >= REST_COUNTS * 7 and (shots[at + SHOT_POINTS] < 0 or left > shots[at + SHOT_LEFT]):
        write_shot(shots, at, parent, hand, steps, points, left)


@kernel
def write_shot(
    shots: Any, at: int, parent: int, hand: int, steps: int, points: int, left: int
) -> None:
    """Write down a chain."""
    shots[at + SHOT_POINTS], shots[at + SHOT_STEPS] = points, steps
    shots[at + SHOT_PARENT], shots[at + SHOT_HAND], shots[at + SHOT_LEFT] = parent, hand, left


@kernel
def keep(beam: Any, parent: int, hand: int) -> None:
    """Keep the child in the scratch room if it is among the best; a heap with the least on top.

    LINKS and HANDS of a level are written in the order of the heap and follow its moves.
    """
    meta, heap, room = beam.meta, beam.heap, beam.room
    base = meta[LEVEL] * meta[WIDTH]
    value = room[CHILD + WORTH]
    if meta[KEPT] < meta[WIDTH]:
        place = meta[KEPT]
        meta[KEPT] += 1
        while place > 0 and heap[((place - 1) >> 1) * NODE + WORTH] > value:
            above = (place - 1) >> 1
            move_kept(beam, base, above, place)
            place = above
    else:
        if value <= heap[WORTH]:
            return
        place = 0
        while 2 * place + 1 < meta[KEPT]:
            under = 2 * place + 1
            if (
                under + 1 < meta[KEPT]
                and heap[(under + 1) * NODE + WORTH] < heap[under * NODE + WORTH]
            ):
                under += 1
            if heap[under * NODE + WORTH] >= value:
                break
            move_kept(beam, base, under, place)
            place = under
    for i in range(NODE):
        heap[place * NODE + i] = room[CHILD + i]
    beam.links[base + place] = parent
    beam.hands[base + place] = hand


@kernel
def move_kept(beam: Any, base: int, source: int, target: int) -> None:
    """Move a kept field to another place of the heap."""
    heap = beam.heap
    for i in range(NODE):
        heap[target * NODE + i] = heap[source * NODE + i]
    beam.links[base + target] = beam.links[base + source]
    beam.hands[base + target] = beam.hands[base + source]


@kernel
def next_level(beam: Any) -> None:
    """Makes the kept fields the level; the root's hands hear how far they came."""
    meta, level, heap, roots = beam.meta, beam.level, beam.heap, beam.roots
    for i in range(meta[KEPT] * NODE):
        level[i] = heap[i]
    for i in range(len(beam.seen)):
        beam.seen[i] = 0
    for place in range(meta[KEPT]):
        root = 3 * level[place * NODE + FIRST]
        value = level[place * NODE + WORTH]
        if roots[root + 1] < meta[LEVEL] or value > roots[root + 2]:
            roots[root + 1], roots[root + 2] = meta[LEVEL], value
    meta[FORMER] = meta[KEPT]
    meta[LEVEL] += 1
    meta[PARENT] = meta[KEPT] = 0


CHAIN, NEED, ALTITUDE, SECOND, LINK, OJAMA, BUMP, HOLLOW, EDGE, TALL, POINTS = range(11)
"""Places in the weights: a step of the best chain in reach; each block that it still needs beyond
the first; each row of its trigger; a step of the best chain fired in another column; a pair of
neighbours of one colour; an ojama; a row between two neighbouring columns beyond the first; a
column lower than both its neighbours, a row; each row by which edges are below the middle; a row
of column 3 above the eighth; and 1000 points of that chain."""

WEIGHTS = (1000, 98, 15, 65, 36, -120, -20, -30, 0, -195, 0)

MAX_NEEDED = 2
"""Blocks of one colour that are tried in a column."""
TRIAL = 32
"""Index in the scratch room at which a field is tried."""
HIGH = TRIAL + FIELD_SIZE
"""Index in the scratch room of the columns' heights."""
BEST_CHAIN_AT = HIGH + COLUMNS
"""Index at which `worth` leaves the steps of the best chain in reach, its points and the blocks it
needs; the room ends four later."""


@kernel
def run_chain(board: Any, at: int, ghost_c: int, out: Any) -> int:
    """`resolve`, called rather than compiled into its callers."""
    steps: int = resolve(board, at, ghost_c, out)
    return steps


@kernel
def worth(board: Any, at: int, weights: Any, ghost_c: int, room: Any) -> int:
    """Promise of the field at rest that lies in `board` from `at` on, by these weights.

    For each column and each colour beside its top blocks of that colour are let fall until
    something goes. `room` then says at FOUND which chain was the best.
    """
    for column in range(COLUMNS):
        room[HIGH + column] = height(board, at, column)
    total = weights[LINK] * linked(board, at)
    total += weights[OJAMA] * count_bits(board[at + 2] & ~board[at], board[at + 3] & ~board[at + 1])
    total += shape(weights, room)
    best, second = 0, 0
    room[BEST_CHAIN_AT] = room[BEST_CHAIN_AT + 1] = room[BEST_CHAIN_AT + 2] = 0
    within = around_spawn(~columns_at(board, at, 12) & 63)
    for column in range(COLUMNS):
        if (within >> column) & 1 == 0:
            continue
        row = room[HIGH + column] + 1
        tried = 1
        here = 0
        for look in range(5):
            colour = 0
            if look == 0:
                if row > 1:
                    colour = colour_at(board, at, column, row - 1)
            else:
                beside = column + (1 if look & 1 else -1)
                level = row + (look - 1) // 2
                if 0 <= beside < COLUMNS and level <= 12:
                    colour = beside_colour(board, at, beside, level)
            if colour > 4 or (tried >> colour) & 1 != 0:
                continue
            tried |= 1 << colour
            for i in range(FIELD_SIZE):
                room[TRIAL + i] = board[at + i]
            steps = 0
            need = 0
            while steps == 0 and need < MAX_NEEDED and row + need <= 12:
                need += 1
                drop(room, TRIAL, column, colour, 0)
                steps = run_chain(room, TRIAL, ghost_c, room)
            if steps == 0:
                continue
            score = weights[CHAIN] * steps - weights[NEED] * (need - 1) + weights[ALTITUDE] * row
            score += weights[POINTS] * room[1] // 1000
            if score > max(here, best):
                room[BEST_CHAIN_AT], room[BEST_CHAIN_AT + 1], room[BEST_CHAIN_AT + 2] = (
                    steps,
                    room[1],
                    need,
                )
            here = max(here, score)
        if here > best:
            second = best
            best = here
        elif here > second:
            second = here
    total += best + weights[SECOND] * second // 1000
    result: int = total
    return result


@kernel
def beside_colour(board: Any, at: int, column: int, row: int) -> int:
    """The colour of a cell that may be empty: then 0."""
    half = at + column // 3
    shift = 16 * (column % 3) + row - 1
    if ((board[half] | board[half + 2]) >> shift) & 1 == 0:
        return 0
    colour: int = colour_at(board, at, column, row)
    return colour


@kernel
def linked(board: Any, at: int) -> int:
    """Number of pairs of neighbours of one colour."""
    above0, above1, right0, right1 = links(
        board[at], board[at + 1], board[at + 2], board[at + 3], board[at + 4], board[at + 5]
    )
    pairs: int = count_bits(above0, above1) + count_bits(right0, right1)
    return pairs


@kernel
def shape(weights: Any, room: Any) -> int:
    """Worth of the heights of the columns."""
    total = 0
    for column in range(COLUMNS - 1):
        between = abs(room[HIGH + column] - room[HIGH + column + 1])
        if between > 1:
            total += weights[BUMP] * (between - 1)
    for column in range(COLUMNS):
        left = room[HIGH + column - 1] if column > 0 else 14
        right = room[HIGH + column + 1] if column < COLUMNS - 1 else 14
        deep = min(left, right) - room[HIGH + column]
        if deep > 1:
            total += weights[HOLLOW] * (deep - 1)
    middle = room[HIGH + 2] + room[HIGH + 3]
    edges = room[HIGH] + room[HIGH + 5]
    total += weights[EDGE] * max(0, middle - edges)
    if room[HIGH + 2] > 8:
        total += weights[TALL] * (room[HIGH + 2] - 8)
    result: int = total
    return result
