"""What one side of Rengi can build and fire from a field: a beam run to its end, read as plans."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from lumiban.games.rengi import RengiState
from lumiban.games.rengi.field import FIELD_SIZE
from lumiban.games.rengi.rules import MOST
from lumiban.search import jit
from lumiban.search.pace import next_portion
from lumiban.search.rengi_beam import (
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
    WIDTH,
    WORTH,
    Beam,
    begin,
    expand,
)
from lumiban.search.rengi_worth import WEIGHTS

_MOST_IN_SLICE = 1 << 13
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
    """What the field that it leaves is worth."""


@dataclass(frozen=True, slots=True)
class Root:
    """A first hand, and how far building on it came."""

    hand: int
    level: int
    """Hands after which something was still kept of it, less one; −1 when nothing was."""
    worth: int


@dataclass(frozen=True, slots=True)
class Plans:
    """What a beam has found."""

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
        compiled = compiled and jit.available()
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
        """So many fields in all are tried at most; then work pauses until there may be more."""

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
            most = self._portion if self.until is None else min(self._portion, self.left)
            if most > 0:
                began = time.monotonic_ns()
                done = self._expand(beam, most)
                took = (time.monotonic_ns() - began) // 1000
                tried = int(beam.meta[TRIED])
                self.tried += tried - before
                before = tried
                self._portion = next_portion(most, took, _MOST_IN_SLICE)
            yield
        return read(beam)

    @property
    def left(self) -> int:
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
                room(2 * SHOT * depth), room(3 * MOST), room(ROOM_SIZE),
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
            hands = _way(beam, level - 1, int(beam.shots[at + SHOT_PARENT]))
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
        lead = _way(beam, levels - 1, top)
        reach = int(beam.level[top * NODE + REACH])
        promised = int(beam.level[top * NODE + WORTH])
    roots = [
        Root(int(beam.roots[at]), int(beam.roots[at + 1]), int(beam.roots[at + 2]))
        for at in range(0, 3 * int(beam.meta[HANDS_FOUND]), 3)
    ]
    roots.sort(key=lambda root: (-root.level, -root.worth))
    return Plans(tuple(shots), lead, reach, promised, tuple(roots), int(beam.meta[TRIED]))


def _way(beam: Beam, level: int, place: int) -> tuple[int, ...]:
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
