"""Duel of Rengi: the plans of both sides held against each other.

What one side can build and fire from a field is a beam run to its end, read as plans. All times and
ojama come from the game's own State: while a chain runs the other side plays its hands in a row, up
to a chain that answers; then the first one answers that, and so on. Where nothing is under way any
more the fields are weighed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from lumiban.games.kernel import State, entry_of, kernel
from lumiban.games.rengi import RengiState
from lumiban.games.rengi.arrays import (
    BIN,
    BONUS,
    CAP,
    CARRIED,
    CHAIN_RATE,
    CLOCK,
    ENDED,
    FALLEN,
    FIELDS,
    FIRES,
    FRAMES,
    FREE,
    GHOST_C,
    MADE,
    MAX_MOVES,
    MOVER,
    NOW,
    OFFSET,
    OVER,
    PAIRS,
    PASS,
    POINTS,
    SENT,
    SIDE_SIZE,
    SIDES,
    STEP,
    STEPS,
    SUPPLY,
    WORTHS,
    A,
    B,
)
from lumiban.games.rengi.duel import rate_of
from lumiban.games.rengi.field import COLUMNS, DEATH_COLUMN, DEATH_ROW, FIELD_SIZE, height
from lumiban.search import jit
from lumiban.search.rengi.beam import (
    BY_POINTS,
    BY_REST,
    DEPTH,
    FORMER,
    HANDS_FOUND,
    LEVEL,
    META_SIZE,
    NODE,
    NOISE,
    REACH,
    ROOM_SIZE,
    SHOT,
    SHOT_HAND,
    SHOT_LEFT,
    SHOT_PARENT,
    SHOT_POINTS,
    SHOT_STEPS,
    TRIED,
    WEIGHTS,
    WIDTH,
    WORTH,
    Beam,
    begin,
    expand,
    worth,
)
from lumiban.search.tree import next_portion

_MAX_IN_SLICE = 1 << 13
_FIRST_SLICE = 8

T = TypeVar("T")
Steps = Generator[None, None, T]
"""Work that pauses after each slice, so that one can stop it there, and returns its result."""


def finished(steps: Steps[T]) -> T:
    """The result of such work, done without a pause."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: T = end.value
            return found


@dataclass(frozen=True, slots=True)
class Shot:
    """A chain that can be fired: its hands, the last of which fires it."""

    hands: tuple[int, ...]
    points: int
    steps: int
    left: int
    """Worth of the field that it leaves."""


@dataclass(frozen=True, slots=True)
class Root:
    """A first hand, and how far building on it came."""

    hand: int
    level: int
    """Hands after which something was still kept of it, less one; −1 when nothing was."""
    worth: int


@dataclass(frozen=True, slots=True)
class Plans:
    """Plans found by a beam."""

    shots: tuple[Shot, ...]
    """Two of each number of hands at most, the quickest first."""
    lead: tuple[int, ...]
    """The hands to the most promising field of the last level; () when every way is lost."""
    reach: int
    """Steps of the best chain in reach there."""
    worth: int
    roots: tuple[Root, ...]
    """The first hands, the best for building first."""
    tried: int


class Beams:
    """Runs beams for one game's rules, plain or compiled, one at a time; their arrays are used
    again."""

    def __init__(
        self,
        plan: Sequence[int],
        *,
        weights: Sequence[int] = WEIGHTS,
        seed: int = 0,
        compiled: bool = True,
    ) -> None:
        compiled = compiled and jit.has_kernels(RengiState)
        self._pack: Callable[[Sequence[int]], Any] = jit.ints if compiled else list
        self._room: Callable[[int], Any] = jit.zeros if compiled else _zeros
        self._begin: Callable[..., Any] = begin
        self._expand: Callable[..., Any] = expand
        if compiled:
            self._begin = jit.compiled(begin, RengiState)
            self._expand = jit.compiled(expand, RengiState)
        self._plan = self._pack(list(plan))
        self.weights = self._pack(list(weights))
        self._seed = seed & 0xFFFF
        self._made: dict[tuple[int, int], Beam] = {}
        self._portion = _FIRST_SLICE
        self.tried = 0
        """Fields tried in all."""
        self.until: int | None = None
        """Number of fields tried in all at most; then work pauses until there may be more."""

    def run(
        self, field: Sequence[int], pairs: Sequence[int], extra: int, width: int, depth: int
    ) -> Plans:
        """The plans from a field whose next pairs are these (any, where the supply is free) and
        whose next chain gets `extra` points."""
        return finished(self.steps(field, pairs, extra, width, depth))

    def steps(
        self, field: Sequence[int], pairs: Sequence[int], extra: int, width: int, depth: int
    ) -> Steps[Plans]:
        """The same in slices of a few milliseconds."""
        beam = self._of(width, depth, pairs)
        self._begin(beam, self._pack(list(field)), 0, extra)
        done = False
        before = 0
        while not done:
            most = self._portion if self.until is None else min(self._portion, self.fields_to_try)
            if most > 0:
                began = time.monotonic_ns()
                done = self._expand(beam, most)
                took = (time.monotonic_ns() - began) // 1000
                tried = int(beam.meta[TRIED])
                self.tried += tried - before
                before = tried
                self._portion = next_portion(most, took, _MAX_IN_SLICE)
            yield
        return read(beam)

    @property
    def fields_to_try(self) -> int:
        """Fields that may still be tried where there is a bound."""
        return 0 if self.until is None else max(0, self.until - self.tried)

    def _of(self, width: int, depth: int, pairs: Sequence[int]) -> Beam:
        key = width, depth
        if key not in self._made:
            buckets = 64
            while buckets < 12 * width:
                buckets *= 2
            room = self._room
            self._made[key] = Beam(
                self._plan, self._pack([0, 0]), self.weights, room(META_SIZE), room(width * NODE),
                room(width * NODE), room(buckets), room(width * depth), room(width * depth),
                room(2 * SHOT * depth), room(3 * MAX_MOVES), room(ROOM_SIZE),
            )  # fmt: skip
        beam = self._made[key]._replace(pairs=self._pack(list(pairs) or [1, 1]))
        beam.meta[WIDTH], beam.meta[DEPTH], beam.meta[NOISE] = width, depth, self._seed
        return beam


def read(beam: Beam) -> Plans:
    """The plans that a beam holds."""
    levels, kept = int(beam.meta[LEVEL]), int(beam.meta[FORMER])
    shots: list[Shot] = []
    for level in range(int(beam.meta[DEPTH])):
        for way in (BY_POINTS, BY_REST):
            at = (2 * level + way) * SHOT
            if beam.shots[at + SHOT_POINTS] < 0:
                continue
            hands = _hands_to(beam, level - 1, int(beam.shots[at + SHOT_PARENT]))
            shot = Shot(
                (*hands, int(beam.shots[at + SHOT_HAND])),
                int(beam.shots[at + SHOT_POINTS]),
                int(beam.shots[at + SHOT_STEPS]),
                int(beam.shots[at + SHOT_LEFT]),
            )
            if way == BY_POINTS or shot != shots[-1]:
                shots.append(shot)
    lead: tuple[int, ...] = ()
    reach, promised = 0, 0
    if kept:
        top = max(range(kept), key=lambda place: int(beam.level[place * NODE + WORTH]))
        lead = _hands_to(beam, levels - 1, top)
        reach = int(beam.level[top * NODE + REACH])
        promised = int(beam.level[top * NODE + WORTH])
    roots = [
        Root(int(beam.roots[at]), int(beam.roots[at + 1]), int(beam.roots[at + 2]))
        for at in range(0, 3 * int(beam.meta[HANDS_FOUND]), 3)
    ]
    roots.sort(key=lambda root: (-root.level, -root.worth))
    return Plans(tuple(shots), lead, reach, promised, tuple(roots), int(beam.meta[TRIED]))


def _hands_to(beam: Beam, level: int, place: int) -> tuple[int, ...]:
    """The hands that led to a kept field."""
    hands = []
    width = int(beam.meta[WIDTH])
    while level >= 0:
        hands.append(int(beam.hands[level * width + place]))
        place = int(beam.links[level * width + place])
        level -= 1
    return tuple(reversed(hands))


def _zeros(length: int) -> list[int]:
    return [0] * length


EMPTY = (0,) * FIELD_SIZE
"""An empty field."""


HAND_FRAMES = 56
"""About how long a hand lasts by frames."""
HANDS_A_STEP = 2
"""About how many hands a step of a chain lasts."""
SCALE = 3_000.0
"""The difference in worth at which the better side wins about three games of four."""
WAITING, MAX_WAITING = 150, 90
"""Price of an ojama on its way, and the largest number that is counted."""
BURIED, LATER, LATEST = 30_000, 2_000, 12
"""Price of more ojama on their way than column 3 has room for, less so much for each hand that is
left until then, and the number of them that count."""


@entry_of(RengiState)
@kernel
def follow(state: State, hands: Any, count: int) -> int:
    """Play hands of the mover in a row as long as it is its turn and nothing has fallen on it;
    returns how many were played."""
    board = state.board
    side = board[MOVER]
    own = SIDES + side * SIDE_SIZE
    for i in range(count):
        state.play(hands[i])
        if board[ENDED] != 0 or board[MOVER] != side or board[own + FALLEN] > 0:
            return i + 1
    return count


@entry_of(RengiState)
@kernel
def weigh(state: State, weights: Any, room: Any, out: Any) -> None:
    """Write into `out` what each side's field is worth, the rows that its column 3 is short of
    death, the ojama on their way to it, those of running chains counted, and the time from now in
    which they can begin to fall."""
    board, plan = state.board, state.plan
    for side in range(2):
        at = FIELDS + side * FIELD_SIZE
        out[side] = worth(board, at, weights, plan[GHOST_C], room)
        out[2 + side] = DEATH_ROW - height(board, at, DEATH_COLUMN)
        own, enemy = SIDES + side * SIDE_SIZE, SIDES + (1 - side) * SIDE_SIZE
        out[6 + side] = max(board[own + CLOCK], board[enemy + OVER]) - board[NOW]
    coming0, coming1 = coming(board, 1), coming(board, 0)
    out[4] = board[SIDES + A] + board[SIDES + B] + coming0
    out[5] = board[SIDES + SIDE_SIZE + A] + board[SIDES + SIDE_SIZE + B] + coming1


@kernel
def coming(board: Any, side: int) -> int:
    """The ojama that this side's chain will still make, before any offset."""
    own = SIDES + side * SIDE_SIZE
    if board[own + STEP] >= board[own + STEPS]:
        return 0
    points = board[own + CARRIED] if board[own + FIRES] >= 0 else board[own + POINTS]
    sent = 0 if board[own + FIRES] >= 0 else board[own + SENT]
    for k in range(board[own + STEP], board[own + STEPS]):
        points += board[own + WORTHS + k]
    more: int = points // board[own + CHAIN_RATE] - sent
    return more


@dataclass(frozen=True, slots=True)
class Reading:
    """Depth and breadth to which a duel is read."""

    width: int
    """Fields that a beam keeps at each level where the root's side builds."""
    depth: int
    """Hands that it looks ahead."""
    answers: int
    """The same width for what is answered, further down."""
    ahead: int
    """Hands looked ahead there, where no window says."""
    builds: int
    """First hands for building that are held against the answers."""
    exchanges: int
    """Turns of the duel that are read; 0 sees no threat."""


class Duel:
    """Reads one position of a duel; the side to move at the root decides."""

    def __init__(self, state: RengiState, beams: Beams, compiled: bool) -> None:
        self._compiled = compiled and jit.has_kernels(RengiState)
        self._beams = beams
        self._follow: Callable[..., Any] = follow
        self._weigh: Callable[..., Any] = weigh
        self._pack: Callable[[Sequence[int]], Any] = list
        if self._compiled:
            self._follow = jit.compiled(follow, RengiState)
            self._weigh = jit.compiled(weigh, RengiState)
            self._pack = jit.ints
            state = jit.compiled_state(state)
        self.root = state
        self._room = self._pack([0] * ROOM_SIZE)
        self._out = self._pack([0] * 8)
        self._known: dict[tuple[Any, ...], Plans] = {}
        self.used = 0
        """Fields tried in all the plans that were asked for, those known already counted again."""

    def fork(self, state: RengiState) -> RengiState:
        """A State to play on; room and scratch are shared, since they hold nothing."""
        board = jit.copied(state.board) if self._compiled else list(state.board)
        return state._replace(board=board)

    def play(self, state: RengiState, hands: Sequence[int]) -> tuple[RengiState, int]:
        """A State in which the mover has played these hands, as far as nothing came between."""
        after = self.fork(state)
        played = int(self._follow(after, self._pack(list(hands)), len(hands)))
        return after, played

    def plans(self, state: RengiState, side: int, width: int, depth: int) -> Steps[Plans]:
        """Plans that a side can build and fire in its next hands, if nothing falls on it."""
        board, plan = state.board, state.plan
        at, own = FIELDS + side * FIELD_SIZE, SIDES + side * SIDE_SIZE
        field = tuple(int(word) for word in board[at : at + FIELD_SIZE])
        pairs: tuple[int, ...] = ()
        made = 0
        if not plan[FREE]:
            count = int(plan[PAIRS])
            made = int(board[own + MADE]) % count
        extra = int(board[own + BONUS])
        key = (field, made, extra, width, depth)
        if key not in self._known:
            if not plan[FREE]:
                places = [SUPPLY + 2 * ((made + k) % count) for k in range(depth)]
                pairs = tuple(int(plan[place + i]) for place in places for i in (0, 1))
            self._known[key] = yield from self._beams.steps(field, pairs, extra, width, depth)
        self.used += self._known[key].tried
        return self._known[key]

    def window(self, state: RengiState, most: int) -> int:
        """Hands of the mover before ojama can fall on it, `most` if none are on their way."""
        board = state.board
        side = int(board[MOVER])
        own, enemy = SIDES + side * SIDE_SIZE, SIDES + (1 - side) * SIDE_SIZE
        if board[enemy + OVER] >= 0:
            left = int(board[enemy + OVER] - board[own + CLOCK])
            hand = HAND_FRAMES if state.plan[FRAMES] else 2
            return max(1, min(most, -(-left // hand)))
        return 1 if board[own + A] + board[own + B] > 0 else most

    def is_under_fire(self, state: RengiState) -> bool:
        """True if the chain of the mover's opponent runs."""
        enemy = SIDES + (1 - int(state.board[MOVER])) * SIDE_SIZE
        return bool(state.board[enemy + OVER] >= 0)

    def is_busy(self, state: RengiState) -> bool:
        """True if a chain runs or ojama wait."""
        board = state.board
        return any(
            board[own + BIN] != 0 or board[own + FIRES] >= 0 or board[own + A] + board[own + B] > 0
            for own in (SIDES, SIDES + SIDE_SIZE)
        )

    def value(
        self, state: RengiState, reading: Reading, exchanges: int, plies: int
    ) -> Steps[tuple[float, tuple[int, ...]]]:
        """Worth of the position for its mover, from 0 to 1, and the hands expected."""
        board = state.board
        side = int(board[MOVER])
        if board[ENDED] != 0:
            return ended(int(board[ENDED]), side, plies), ()
        if exchanges <= 0 or plies >= 3 * reading.exchanges + 3:
            return self.weighed(state, side), ()
        best: tuple[float, tuple[int, ...]] = (-1.0, ())
        busy = self.is_busy(state)
        for hands in (yield from self.options(state, reading)):
            yield
            after, played = self.play(state, hands)
            if int(after.board[ENDED]) != 0:
                found = ended(int(after.board[ENDED]), side, plies)
                line: tuple[int, ...] = ()
            else:
                # What is under way is read on, up to a bound; building costs an exchange.
                fewer = exchanges - (0 if busy and self.is_busy(after) and plies < 4 else 1)
                found, line = yield from self.value(after, reading, fewer, plies + 1)
                if int(after.board[MOVER]) != side:
                    found = 1.0 - found
            if found > best[0]:
                best = found, (*hands[:played], *line)
        return best

    def options(self, state: RengiState, reading: Reading) -> Steps[list[tuple[int, ...]]]:
        """Options that the mover considers, as hands in a row."""
        board = state.board
        side = int(board[MOVER])
        own = SIDES + side * SIDE_SIZE
        running = self.is_under_fire(state)
        window = self.window(state, reading.depth if running else reading.ahead)
        plans = yield from self.plans(state, side, reading.answers, window)
        options: list[tuple[int, ...]] = []
        shots = plans.shots
        if running:
            threat = int(board[own + A] + board[own + B]) + coming(board, 1 - side)
            offset = bool(state.plan[OFFSET])
            rate = int(rate_of(state.plan, board, side))
            by_points = sorted(shots, key=lambda shot: -shot.points)
            options += [shot.hands for shot in by_points[:1]]
            if offset:
                enough = [shot for shot in shots if shot.points >= threat * rate]
                options += [max(enough, key=lambda shot: shot.left).hands] if enough else []
            else:
                # What cannot be answered can be forestalled: who is buried first has lost.
                burial = self.burial(state, plans)
                options += [burial.hands] if burial else []
            options += [plans.lead or tuple(root.hand for root in plans.roots[:1])]
        else:
            options += [shot.hands for shot in shots if len(shot.hands) == 1]
            if plans.lead:
                options.append(plans.lead[:1])
            elif plans.roots:
                options.append((plans.roots[0].hand,))
        options = list(dict.fromkeys(hands for hands in options if hands))
        return options or [(PASS,)]

    def burial(self, state: RengiState, plans: Plans) -> Shot | None:
        """Of the mover's chains the one that buries the other side soonest, if any does and no
        offset can answer it."""
        if state.plan[OFFSET]:
            return None
        side = int(state.board[MOVER])
        room = COLUMNS * self.rows_left(state, 1 - side)
        rate = int(rate_of(state.plan, state.board, side))
        enough = [shot for shot in plans.shots if shot.points >= room * rate]
        return min(enough, key=_until_over) if enough else None

    def rows_left(self, state: RengiState, side: int) -> int:
        """Rows that a side's column 3 is short of death."""
        at = FIELDS + side * FIELD_SIZE
        field = [int(word) for word in state.board[at : at + FIELD_SIZE]]
        return DEATH_ROW - height(field, 0, DEATH_COLUMN)

    def weighed(self, state: RengiState, side: int) -> float:
        """Promise of both fields, and of the ojama on their way, for `side`, from 0 to 1."""
        self._weigh(state, self._beams.weights, self._room, self._out)
        worths = [int(number) for number in self._out]
        net = min(worths[4], worths[5]) if state.plan[OFFSET] else 0
        weights = []
        for who in (0, 1):
            waiting = worths[4 + who] - net
            promise = worths[who] - WAITING * min(waiting, MAX_WAITING)
            rows = worths[2 + who]
            if waiting // COLUMNS >= rows:
                hand = HAND_FRAMES if state.plan[FRAMES] else 2
                falls = (rows - 1) // max(1, int(state.plan[CAP]) // COLUMNS)
                promise -= BURIED - LATER * min(LATEST, worths[6 + who] // hand + falls)
            weights.append(promise)
        return 1.0 / (1.0 + math.exp(-(weights[side] - weights[1 - side]) / SCALE))


def _until_over(shot: Shot) -> int:
    """About how many hands pass until a chain is built, fired and over."""
    return len(shot.hands) + HANDS_A_STEP * shot.steps


def ended(end: int, side: int, plies: int) -> float:
    """The worth of a game that is over for `side`; a quick win is better than a slow one."""
    if end == 1:
        return 0.5
    late = 0.001 * min(plies, 50)
    return 1.0 - late if end == side + 2 else late
