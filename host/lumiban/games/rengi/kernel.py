"""Rengi's kernel: the rules on flat int arrays, one text for CPython and for the compiler.

A move is a hand's code or `PASS`; `arrays` says where everything lies. After each move all
happens that comes before a player's next decision: a State always stands at a hand or an end.

A random game plays of a few hands the one that looks best, and not for ever. What happened between
two hands is told event by event for pages, boards and records.

For measurements and tests fields with long chains are built backwards from a seed: four blocks of
one colour are slipped into a field so that it falls back into place when they go. What then stands
is a chain one step longer. `step` itself judges whether it came out so.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from lumiban.games.kernel import copy_words, kernel, randint_below
from lumiban.games.rengi.arrays import (
    BEFORE,
    ENDED,
    ENTRY,
    FACED,
    FACES,
    FIELDS,
    GHOST_C,
    LOG,
    MOVER,
    PASS,
    PLACEMENTS,
    STAY14,
    key_of,
)
from lumiban.games.rengi.duel import act
from lumiban.games.rengi.field import (
    COLUMNS,
    DEATH_COLUMN,
    FIELD_SIZE,
    OUT_SIZE,
    VISIBLE,
    colour_at,
    height,
    is_dead,
    place_pair,
    put,
    resolve,
    step,
)
from lumiban.games.rengi.placements import face, generate


class RengiState(NamedTuple):
    """One position of Rengi. Few arrays, since compiled calls pay for each of them."""

    plan: Any
    """Constant: rules, hand table, supply."""
    board: Any
    """The position."""
    room: Any
    """Room for what kernels hand on, and for the log of a move."""
    scratch: Any
    """Room for moves; holds nothing between calls."""

    def assign(self, other: Any) -> None:
        """Become a copy of `other`, a State of the same game and supply."""
        used = FACES + other.board[FACED]
        copy_words(self.board, other.board, 0, used)

    def mover(self) -> int:
        """The side to act."""
        side: int = self.board[MOVER]
        return side

    def moves(self, out: Any) -> int:
        """Write all hands into `out`, by pair and placement, then a pass; return how many."""
        n: int = generate(self.plan, self.board, self.room, out)
        return n

    def play(self, move: int) -> None:
        """Make a legal hand or pass; let happen what follows; remember the position."""
        plan, board, room = self.plan, self.board, self.room
        act(plan, board, room, move)
        if board[ENDED] == 0:
            face(plan, board)

    def outcome(self) -> int:
        """−1 while the game runs, 0 draw, 1 the first side has won, 2 the second; −2: no room to
        remember."""
        ended = self.board[ENDED]
        code: int = ended - 1
        return code

    def playout(self, rng: Any, trace: Any) -> int:
        """Play on to the end, or for so long that it is called a draw; moves go to `trace`."""
        plan, board, room = self.plan, self.board, self.room
        code: int = play_out(plan, board, room, self.scratch, rng, trace)
        return code

    def key(self) -> int:
        """A 63-bit hash of the position without its history."""
        hashed: int = key_of(self.plan, self.board)
        return hashed


MAX_PLIES = 240
"""Plies after which a playout is called a draw."""
TRIES = 4
"""Hands that are looked at before one is made."""
SMALL = 300
"""Points below which a chain is a waste of blocks rather than an attack."""


@kernel
def play_out(plan: Any, board: Any, room: Any, moves: Any, rng: Any, trace: Any) -> int:
    """Play at random until the game is over; returns the outcome's code, 0 when it goes on.

    Nobody passes who has a hand, and positions are not remembered: chance repeats none four times.
    """
    for _ in range(MAX_PLIES):
        n = generate(plan, board, room, moves)
        if n == 0:
            break
        if n > 1 and moves[n - 1] == PASS:
            n -= 1
        move = moves[randint_below(rng, n)]
        if move != PASS:
            best = promise(plan, board, room, move)
            for _ in range(TRIES - 1):
                other = moves[randint_below(rng, n)]
                worth = promise(plan, board, room, other)
                if worth > best:
                    best = worth
                    move = other
        trace[0] += 1
        trace[trace[0]] = move
        act(plan, board, room, move)
    code: int = board[ENDED] - 1
    return max(code, 0)


@kernel
def promise(plan: Any, board: Any, room: Any, code: int) -> int:
    """Quick value of a hand of the mover: points of its chain, a low and even field."""
    at = FIELDS + board[MOVER] * FIELD_SIZE
    for i in range(FIELD_SIZE):
        room[BEFORE + i] = board[at + i]
    pair, column, rotation = code // PLACEMENTS, code % PLACEMENTS // 4, code % 4
    place_pair(room, BEFORE, pair // 4 + 1, pair % 4 + 1, column, rotation, plan[STAY14])
    worth: int = 0
    if resolve(room, BEFORE, plan[GHOST_C], room) > 0:
        worth = room[1] if room[1] >= SMALL else -SMALL // 4
    if is_dead(room, BEFORE):
        return -1000000
    for column in range(COLUMNS):
        high = height(room, BEFORE, column)
        worth -= high * high * (2 if column == DEATH_COLUMN else 1)
    return worth


NINETEEN = (
    ".B.GRB/BGRRYR/RRYYGY/RBYRGR/YBYRGY/YBGBYR/BRGBYR/GRGYGY/RYYGYY/GRGYGR/GBGYRR/YBGBGB/RGBGBB",
    "B..RYG/GYGYGB/GRRRBR/GBRYBG/RRGGYG/YYGYRR/YGRBRB/RBBGYG/RGGYRR/RBGRGR/YBYRBB/RRYGGB/RBBYRY",
)
"""Two known fields with the longest chain there is (golden/rengi.json)."""
SHAPES = (
    ((4,),),
    ((1, 3), (3, 1), (2, 2)),
    ((1, 1, 2), (2, 1, 1), (1, 2, 1)),
    ((1, 1, 1, 1),),
)
"""Ways to share out four blocks among neighbouring columns, by the number of columns."""
_PATIENCE = 400


def build(length: int, seed: int) -> list[int]:
    """A field whose chain has this many steps of four blocks each, from 1 to about 16.

    Long ones take a while: the builder starts over where it gets stuck.

    >>> from lumiban.games.rengi.field import resolve
    >>> resolve(build(5, 1), 0, 0, [0] * OUT_SIZE)
    5
    """
    random = Random(f"{length} {seed}")
    while True:
        field = [0] * FIELD_SIZE
        for _ in range(length):
            grown = longer(field, random)
            if grown is None:
                break
            field = grown
        else:
            return field


def longer(field: list[int], random: Random) -> list[int] | None:
    """A field that becomes this one in one step of four blocks; None when none was found."""
    columns = [
        [colour_at(field, 0, column, row) for row in range(1, height(field, 0, column) + 1)]
        for column in range(COLUMNS)
    ]
    out = [0] * OUT_SIZE
    for _ in range(_PATIENCE):
        shares = random.choice(random.choice(SHAPES))
        left = random.randrange(COLUMNS - len(shares) + 1)
        colour = random.randint(1, 4)
        grown = [list(column) for column in columns]
        floor = random.randrange(VISIBLE)
        for column, share in enumerate(shares, left):
            at = max(0, floor - random.randrange(share))
            grown[column][at:at] = [colour] * share
        if max(map(len, grown)) > VISIBLE:
            continue
        before = field_of(grown)
        after = list(before)
        if step(after, 0, 0, out) == 4 and after == field:
            return before
    return None


def field_of(columns: list[list[int]]) -> list[int]:
    """The field with these columns, each a list of colours from below."""
    field = [0] * FIELD_SIZE
    for column, colours in enumerate(columns):
        for row, colour in enumerate(colours, 1):
            put(field, 0, column, row, colour)
    return field


KINDS = ("placed", "erased", "fired", "credited", "chain-over", "fell", "died", "passed")
"""Names of the log's kinds of entries, by number."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened, and the forecasts right after it.

    `placed`: `vanished` blocks of the pair found no room. `erased`: a step of the chain was found
    at its firing, with its `blocks`, `ojama` and `points` (without bonus points). `fired`: a chain
    of `steps`. `credited`: step number `steps` counts now, with `points` and the `ojama` they
    make. `chain-over`. `fell`: `ojama` fell, `vanished` of them found no room. `died`, `passed`.
    """

    kind: str
    side: int
    time: int
    """Half ticks, or frames in the modes by frames."""
    steps: int = 0
    blocks: int = 0
    points: int = 0
    ojama: int = 0
    vanished: int = 0
    forecast: tuple[tuple[int, int], tuple[int, int]] = ((0, 0), (0, 0))
    """(A, B) against the first side, then against the second."""


def events_of_move(state: RengiState, move: int) -> tuple[Event, ...]:
    """Play a legal move on a State and tell what happens until a player's next decision."""
    room = state.room
    room[LOG] = 0
    state.play(move)
    events = []
    for number in range(room[LOG]):
        at = LOG + 1 + ENTRY * number
        kind, side, time, x, y, z, *waiting = room[at : at + ENTRY]
        name = KINDS[kind]
        figures = {
            "placed": {"blocks": 2, "vanished": y},
            "erased": {"blocks": x, "ojama": y, "points": z},
            "fired": {"steps": x},
            "credited": {"steps": x, "points": y, "ojama": z},
            "fell": {"ojama": x, "vanished": y},
        }.get(name, {})
        first, second = (waiting[0], waiting[1]), (waiting[2], waiting[3])
        events.append(Event(name, side, time, forecast=(first, second), **figures))
    room[LOG] = -1
    return tuple(events)
