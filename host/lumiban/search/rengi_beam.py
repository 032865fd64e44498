"""A beam through the fields that a side can build with the pairs to come, hand by hand.

At each level every kept field is tried with every placement, chains run at once, and the most
promising fields are kept, no two alike. What the chains on the way were worth is noted too.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lumiban.games.kernel import kernel
from lumiban.games.rengi.field import (
    ALL_CLEAR,
    FIELD_SIZE,
    field_key,
    is_dead,
    is_empty,
    place_pair,
)
from lumiban.games.rengi.placements import placements, placements_of_twins
from lumiban.games.rengi.rules import ALL_CLEARS, FREE, GHOST_C, PLACEMENTS, QUICK, STAY14, WALL
from lumiban.search.rengi_worth import FOUND, run_chain, worth

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

LEAST = -(1 << 40)
CHILD = 64
"""Where a child is made in the scratch room, whose first places `worth` and the rules use."""
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


@kernel
def begin(beam: Any, board: Any, at: int, extra: int) -> None:
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


@kernel
def expand(beam: Any, most: int) -> bool:
    """Try so many hands more; returns whether all is done."""
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
        beam.roots[3 * first + 2] = LEAST
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
    reach = room[FOUND]
    room[CHILD + EXTRA], room[CHILD + FIRST], room[CHILD + WORTH] = extra, first, value
    room[CHILD + KEY], room[CHILD + REACH] = key, reach
    keep(beam, parent, hand)


@kernel
def is_new(beam: Any, key: int) -> bool:
    """Whether a field with this key is tried for the first time on this level."""
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
    """What was kept becomes the level; the root's hands hear how far they came."""
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
