"""Layout of Rengi's flat arrays, the supply of its pairs, and the keys of its positions.

Time counts in half ticks where turns alternate (the first player acts at even ones, the second at
odd ones), in frames of 1/60 s in the modes by frames.

The constant array, the plan, tells the rules as numbers, then the hand table (T(n) at HANDS + n),
then the supply, two ints a pair. The board holds what the whole game needs, a block of numbers for
each side (its clock, its chain, what is forecast against it), both fields, then the keys of
positions faced: a hash of the whole state, times as seen from now.

A pair is (axis, child), colours 1 R, 2 B, 3 Y, 4 G. Pairs come from a loop drawn from the seed, a
given list, or the player's choice; both players read the same loop, each with an own index. A
hand's code is pair · 24 + column · 4 + rotation, where the pair is 4 · (axis − 1) + child − 1;
`PASS` is the next number.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from lumiban.errors import GameError
from lumiban.games.kernel import kernel, wrapped
from lumiban.games.rengi.field import FIELD_SIZE, LETTERS

# Places in the plan.
FRAMES, FREE, PAIRS, WALL, QUICK, GHOST_C, STAY14, OTSURI = 0, 1, 2, 3, 4, 5, 6, 7
OFFSET, INTERRUPT, ALL_CLEARS, UNIT, MIXED_FROM, RANDOM, CAP = 8, 9, 10, 11, 12, 13, 14
CARRY, RATE, MARGINS, PACE, CHAIN_PASS, NORMAL_PASS, PASS_PLAN = 15, 16, 17, 18, 19, 20, 21
MIRROR, REPEAT, PASS_DRAW = 22, 23, 24
HANDS = 25
SUPPLY = HANDS + 20

MIXED = 0
"""Value of UNIT beside 1, 3 and 6."""
BY_SECONDS, BY_HANDS = 1, 2
"""Values of MARGINS beside 0."""

# Places in the board.
NOW, MOVER, ENDED, WHY, PASSES, LAST, LAST_SIDE, BEGINS, RNG, FACED = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
SIDES = 10
"""Index at which the first side's numbers begin."""

# Places in a side's numbers.
CLOCK = 0
"""Time at which this side acts next."""
SETTLE = 1
"""Time at which its last hand or chain has run out and ojama may fall on it; −1 when that is
done."""
OVER = 2
"""Time at which its chain is over for the opponent; −1 when none runs."""
STEPS, STEP = 3, 4
"""Steps of its last chain, and how many of them are credited."""
POINTS, SENT, CHAIN_RATE = 5, 6, 7
"""Points credited in this chain and carried into it, ojama made of them, points for one ojama."""
BIN = 8
"""The bin of the opponent's forecast that its running chain fills: IN_A, IN_B, 0 when none runs."""
A, B = 9, 10
"""The ojama forecast against this side."""
PASSED = 11
"""1 if the player has passed while the opponent's chain runs."""
MADE = 12
"""Hands it has made."""
BONUS = 13
"""Points that the next erasure pays: all clear, komi."""
CARRIED, TOTAL, DRAWN, MIRRORED = 14, 15, 16, 17
"""Points kept for the next chain, points in all, when the pair in hand was drawn, hands in a row
that copied the opponent's."""
TIMES, WORTHS = 18, 38
"""Time at which each step of its chain is credited, and the step's points."""
FALLEN = 58
"""Ojama that have fallen on this side since its last hand: the cap is for one turn."""
FIRES = 59
"""Time at which its pair lands and fires the chain found, by frames; −1 when that is done."""
SIDE_SIZE = 60

FIELDS = SIDES + 2 * SIDE_SIZE
FACES = FIELDS + 2 * FIELD_SIZE
"""Index at which the keys of the positions faced begin."""

IN_A, IN_B = 1, 2

# What ENDED says: 1 + the outcome's code; and WHY.
DRAWN_GAME, FIRST_WON, SECOND_WON, FORGOTTEN = 1, 2, 3, -1
BY_DEATH, BY_REPETITION, BY_PASSES = 1, 2, 3

PLACEMENTS = 24
PASS = 16 * PLACEMENTS
MAX_MOVES = 16 * 11 + 1
"""The most moves in any position: 16 ordered pairs by 11 shapes, and a pass."""
ROOM = 1024
"""Plies that a State can be played on."""

# The scratch room of the kernels: placements or what a step erased, a field, the log of a hand.
BEFORE = PLACEMENTS
"""Index at which a field is kept while a step changes it."""
LOG = BEFORE + FIELD_SIZE
"""Index at which the log begins: its number of entries, −1 when none is kept."""
ENTRY = 10
LOG_ROOM = 160
ROOM_SIZE = LOG + 1 + ENTRY * LOG_ROOM

HAND_TABLES = {
    "A": (1, 2, 3, 4, 6, 7, 9, 10, 12, 13, 15, 16, 18, 19, 21, 22, 24, 25, 27),
    "B": (2, 3, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22, 23, 25, 26, 28),
    "C": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19),
    "D": (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20),
}
"""By name: how many hands the opponent has during a chain of 1, 2, … steps."""


def plan_of(options: Mapping[str, int | str], supply: Sequence[Pair]) -> list[int]:
    """The plan for these options, each with its value, and these pairs (none in free supply)."""
    return [*_rules(tuple(options.items()), len(supply)), *(c for pair in supply for c in pair)]


@lru_cache(maxsize=32)
def _rules(items: tuple[tuple[str, int | str], ...], pairs: int) -> tuple[int, ...]:
    options = dict(items)

    def on(name: str) -> int:
        return int(options[name] == "on")

    unit, limit = options["ojama_unit"], options["mirror_limit"]
    return (
        int(options["turn"] == "frame"),
        int(options["supply"] == "free"),
        pairs,
        int(options["wall_cross"]),
        on("quick_turn"),
        int(options["ghost_ojama"] == "C"),
        int(options["row14"] == "stay"),
        on("otsuri"),
        on("offset"),
        on("interrupt"),
        on("all_clear"),
        MIXED if unit == "mixed" else int(unit),
        int(options["mixed_from"]),
        int(options["ojama_order"] == "random"),
        6 * int(options["cap_rows"]),
        on("carry_remainder"),
        int(options["rate"]),
        ("off", "seconds", "hands").index(str(options["margin"])),
        int(options["margin_pace"]),
        on("chain_pass"),
        on("normal_pass"),
        int(options["pass_plan"]),
        -1 if limit == "off" else int(limit),
        int(options["repetition"]),
        int(options["pass_draw"]),
        0,
        *HAND_TABLES[str(options["hand_table"])],
    )


def bare_board(plan: Sequence[int], begins: int, rng: int, komi: int) -> list[int]:
    """The board of a game's start: empty fields, the side that begins to act at time 0."""
    board = [0] * FACES
    board[MOVER] = board[BEGINS] = begins
    board[LAST] = board[LAST_SIDE] = -1
    board[RNG] = rng
    for side in (0, 1):
        own = SIDES + side * SIDE_SIZE
        board[own + SETTLE] = board[own + OVER] = board[own + FIRES] = -1
        board[own + CHAIN_RATE] = plan[RATE]
    second = SIDES + (1 - begins) * SIDE_SIZE
    board[second + CLOCK] = 0 if plan[FRAMES] else 1
    board[second + BONUS] = komi
    return board


@kernel
def mixed(key: int, number: int) -> int:
    """The key with one more number in it, 63 bits."""
    key = wrapped(key ^ number, 0x2545F4914F6CDD1D, 0x14057B7EF767814F)
    return key ^ (key >> 31)


@kernel
def key_of(plan: Any, board: Any) -> int:
    """A hash of fields, forecasts, chains, clocks, supply and mover; no history, no totals."""
    key = mixed(1, board[MOVER])
    now = board[NOW]
    for i in range(FIELDS, FIELDS + 2 * FIELD_SIZE):
        key = mixed(key, board[i])
    for side in range(2):
        own = SIDES + side * SIDE_SIZE
        key = mixed(key, board[own + A] * 65536 + board[own + B])
        key = mixed(key, board[own + CLOCK] - now)
        key = mixed(key, board[own + BONUS])
        key = mixed(key, board[own + CARRIED] * 2 + board[own + PASSED])
        if plan[FREE] == 0:
            key = mixed(key, board[own + MADE] % plan[PAIRS])
        if board[own + SETTLE] >= 0:
            key = mixed(key, board[own + SETTLE] - now)
        if board[own + FIRES] >= 0:
            key = mixed(key, board[own + FIRES] - now)
        if board[own + OVER] >= 0:
            key = mixed(key, board[own + OVER] - now)
            key = mixed(key, board[own + BIN])
            key = mixed(key, board[own + POINTS] - board[own + SENT] * board[own + CHAIN_RATE])
            key = mixed(key, board[own + CHAIN_RATE])
            key = mixed(key, board[own + FALLEN])
        for k in range(board[own + STEP], board[own + STEPS]):
            key = mixed(key, board[own + TIMES + k] - now)
            key = mixed(key, board[own + WORTHS + k])
    return key


COLOURS = (1, 2, 3, 4)
FIRST_COLOURS = 3
"""The most colours among the first two pairs of a loop."""

Pair = tuple[int, int]


def drawn(pairs: int, seed: int) -> tuple[Pair, ...]:
    """A loop of an even number of pairs: all colours equally often, shuffled, drawn again until the
    first two pairs hold at most three colours.

    >>> loop = drawn(12, seed=1)
    >>> [sum(pair.count(colour) for pair in loop) for colour in COLOURS]
    [6, 6, 6, 6]
    """
    rng = random.Random(f"rengi {pairs} {seed}")
    blocks = [colour for colour in COLOURS for _ in range(pairs // 2)]
    while True:
        rng.shuffle(blocks)
        if len(set(blocks[:4])) <= FIRST_COLOURS:
            return tuple(zip(blocks[::2], blocks[1::2], strict=True))


def read_list(text: str) -> tuple[Pair, ...]:
    """The pairs of a given list, `RB,YG,…`; GameError says what is wrong with it.

    Any list will do: its colours need not come equally often.

    >>> read_list("RB,YG")
    ((1, 2), (3, 4))
    """
    pairs = []
    for number, noted in enumerate(text.upper().replace(" ", "").split(","), 1):
        for letter in noted:
            if letter not in "RBYG":
                raise GameError(
                    f"pair {number} of the list, {noted!r}, has an unknown letter {letter!r}:"
                    " the colours are R, B, Y, G"
                )
        if len(noted) != 2:
            raise GameError(
                f"pair {number} of the list is {noted!r}: write two letters, axis and child, and"
                " commas between pairs, RB,YG,…"
            )
        pairs.append((LETTERS.index(noted[0]), LETTERS.index(noted[1])))
    if len(pairs) > 256:
        raise GameError(f"the list has {len(pairs)} pairs: at most 256")
    return tuple(pairs)


def completed(known: tuple[Pair, ...], pairs: int, seed: int) -> tuple[Pair, ...]:
    """A loop that begins with the pairs known, the rest a guess at what may follow.

    What a player may know of a hidden loop is its beginning and that the colours are equal. A given
    list may have other numbers: what equal colours leave empty is then filled with any of them.
    """
    rng = random.Random(f"rengi guess {seed}")
    rest = [c for c in COLOURS for _ in range(pairs // 2 - sum(p.count(c) for p in known))]
    rng.shuffle(rest)
    places = 2 * (pairs - len(known))
    rest = rest[:places] + [rng.choice(COLOURS) for _ in range(places - len(rest))]
    return (*known, *zip(rest[::2], rest[1::2], strict=True))
