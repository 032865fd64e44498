"""Hands over the board: they place and lift at human speeds, or carry what a person drags.

Each hand has a name and does one errand after the other; different hands work at the same time.
An errand is planned when its hand begins it, with chance from (seed, number of the errand), so
that neither the pace of the clock nor other hands change how a stone comes down.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass
from math import cos, pi, sin, sqrt

from lumiban_fw.wire import BLACK, EMPTY, NEUTRAL, WHITE

from lumiban_sim.motion import Leg, Place, straight
from lumiban_sim.world import FOREVER, Piece, World

CARRY_MM = 45.0
"""Height at which stones travel; no sensor feels them there."""
LAST_MM = 10.0
"""The stretch above the seat that hands go with care."""
CLEAR_MM = 8.0
"""A carried stone stays above the stones that stand."""
HIGHEST_MM = 150.0
REACH_PITCHES = 0.72
"""A dropped stone slides into the nearest free cell within this many pitches."""
DRAG_SPEED = 2.5
"""m/s: the fastest that a dragged stone follows its person."""
STEP_US = 16_000
"""A dragged stone takes at least this long for each update."""

WAITING, WORKING, DONE, REFUSED = "waiting", "working", "done", "refused"


@dataclass(frozen=True, slots=True)
class Tempo:
    """How hands move: ranges of speed in m/s, of pauses in µs, and the error on landing in mm.

    `touch` is the speed of the last LAST_MM on the way down and the first on the way up; that
    speed changes by up to `waver` (a share of it) either way while it goes down. A stone starts
    upwards at a share `start` of it. Higher up hands are faster.
    """

    travel: float = 0.8
    touch: tuple[float, float] = (0.05, 0.4)
    waver: float = 0.1
    start: tuple[float, float] = (0.5, 1.0)
    pause_us: tuple[int, int] = (40_000, 120_000)
    error_mm: float = 1.0


HUMAN = Tempo()
BRISK = Tempo(travel=1.5, touch=(0.15, 0.4), pause_us=(20_000, 60_000))
"""Somebody who has played this before."""


@dataclass(slots=True, eq=False)
class Errand:
    """Something that a hand was asked to do, and how it went."""

    number: int
    hand: str
    what: str
    """`place` or `lift`."""
    cell: int
    kind: int
    at_us: int
    """Not to begin before."""
    touch_at_us: int = -1
    """When it should touch (or leave) the board, if that was asked for."""
    state: str = WAITING
    begin_us: int = -1
    touch_us: int = -1
    """The truth: when the piece touched its seat, or left it."""
    end_us: int = -1
    reason: str = ""
    """Why it was refused: `taken`, `empty` or `held`."""


@dataclass(slots=True)
class _Hand:
    name: str
    queue: deque[Errand]
    errand: Errand | None = None
    piece: Piece | None = None
    free_us: int = 0
    dragging: bool = False
    leaving_us: int = FOREVER
    """When the piece that it is lifting leaves its cell."""
    returning_us: int = FOREVER
    """When the piece in the air will be back in its bowl."""


@dataclass(frozen=True, slots=True)
class Held:
    """A hand as the page draws it; kind 0 when it holds nothing."""

    hand: str
    x: float
    y: float
    h: float
    kind: int


class Hands:
    """All hands over one world. Times are the world's; `advance` must be called as time goes."""

    def __init__(self, world: World, seed: int = 0, tempo: Tempo = HUMAN) -> None:
        self.world = world
        self.now_us = 0
        self.refused: list[Errand] = []
        """Errands that could not be done; whoever reads them clears the list."""
        self._seed = seed
        self._tempo = tempo
        self._count = 0
        self._hands: dict[str, _Hand] = {}
        cells = world.profile.cells
        self._edge_x = max(abs(cell.x_mm) for cell in cells) + 2.5 * world.profile.pitch_mm
        self._edge_y = max(abs(cell.y_mm) for cell in cells) + 2.5 * world.profile.pitch_mm

    # Errands.

    def place(
        self, cell: int, kind: int, *, hand: str = "right", at_us: int = -1, touch_us: int = -1
    ) -> Errand:
        """Ask a hand to set a piece from the bowl onto a cell.

        `at_us`: begin no sooner; `touch_us`: touch the seat exactly then, if there is time enough.
        ValueError for a cell or kind that does not exist.
        """
        if kind not in (WHITE, BLACK, NEUTRAL):
            raise ValueError(f"kind {kind} is no piece: 1 is white, 2 black, 3 neutral")
        return self._ask(hand, "place", cell, kind, at_us, touch_us)

    def lift(
        self, cell: int, *, hand: str = "right", at_us: int = -1, touch_us: int = -1
    ) -> Errand:
        """Ask a hand to take the topmost piece off a cell, whoever placed it."""
        return self._ask(hand, "lift", cell, EMPTY, at_us, touch_us)

    def _ask(self, name: str, what: str, cell: int, kind: int, at_us: int, touch_us: int) -> Errand:
        cells = len(self.world.profile.cells)
        if not 0 <= cell < cells:
            raise ValueError(f"cell {cell} does not exist: the board has 0 to {cells - 1}")
        self._count += 1
        errand = Errand(self._count, name, what, cell, kind, max(at_us, self.now_us), touch_us)
        self._hand(name).queue.append(errand)
        return errand

    def _hand(self, name: str) -> _Hand:
        hand = self._hands.get(name)
        if hand is None:
            hand = self._hands[name] = _Hand(name, deque())
        return hand

    @property
    def idle(self) -> bool:
        """Whether no hand has anything to do or to hold."""
        return all(
            hand.errand is None and hand.piece is None and not hand.queue
            for hand in self._hands.values()
        )

    # Dragging.

    def grab(self, name: str, *, kind: int = EMPTY, cell: int = -1) -> str:
        """A person takes a piece of this kind from its bowl, or the topmost one off a cell.

        Returns "" or why not: `busy` (the hand holds something), `empty`, `held`.
        """
        hand = self._hand(name)
        if hand.piece is not None or hand.errand is not None:
            return "busy"
        if cell >= 0:
            found = self._take(cell)
            if isinstance(found, str):
                return found
            hand.piece = found
            found.held, found.cell = name, -1
            self.world.follow(found, self.now_us, ())
        else:
            hand.piece = self.world.appear(kind, self._bowl(kind), held=name)
        hand.dragging = True
        return ""

    def carry(self, name: str, x: float, y: float, h: float) -> str:
        """A person drags what their hand holds to (x, y, h); returns "" or `nothing`."""
        hand = self._hands.get(name)
        if hand is None or hand.piece is None or not hand.dragging:
            return "nothing"
        there = Place(
            min(max(x, -self._edge_x), self._edge_x),
            min(max(y, -self._edge_y), self._edge_y),
            min(max(h, CLEAR_MM), HIGHEST_MM),
        )
        here = hand.piece.at(self.now_us)
        leg = straight(self.now_us, here, there, DRAG_SPEED, STEP_US)
        self.world.follow(hand.piece, self.now_us, (leg,))
        return ""

    def drop(self, name: str) -> str:
        """A person lets go: onto the nearest free cell within reach, else back to the bowl.

        Returns "" or `nothing`.
        """
        hand = self._hands.get(name)
        if hand is None or hand.piece is None or not hand.dragging:
            return "nothing"
        piece = hand.piece
        hand.dragging = False
        here = piece.at(self.now_us)
        cell = self._free_cell(here)
        chance = self._chance()
        if cell < 0:
            self._to_bowl(hand, piece, self.now_us, here)
            return ""
        over = self._seat(cell, chance)._replace(h=max(here.h, CLEAR_MM))
        aside = straight(self.now_us, here, over, self._tempo.travel)
        legs = (aside, *self._down(aside.end_us, over, chance))
        piece.cell, piece.held = cell, ""
        self.world.follow(piece, self.now_us, legs)
        hand.piece = None
        hand.free_us = legs[-1].end_us
        return ""

    def leave(self, prefix: str) -> None:
        """Persons whose hands' names begin so are gone: they drop what they hold."""
        for name in [name for name in self._hands if name.startswith(prefix)]:
            self.drop(name)

    def _free_cell(self, here: Place) -> int:
        cell, far = self.world.nearest(here.x, here.y)
        reach = REACH_PITCHES * self.world.profile.pitch_mm
        return cell if far <= reach and not self.world.on(cell) else -1

    # Time.

    def next_deadline(self) -> int:
        """When a hand begins or ends something next; FOREVER when none does."""
        soonest = FOREVER
        for hand in self._hands.values():
            soonest = min(soonest, hand.returning_us, hand.leaving_us)
            if hand.errand is not None:
                soonest = min(soonest, hand.errand.end_us)
            elif hand.queue and hand.piece is None:
                soonest = min(soonest, max(hand.free_us, hand.queue[0].at_us))
        return max(soonest, self.now_us)

    def advance(self, now_us: int) -> None:
        """Let time go on to `now_us`: end and begin what is due, in order of time."""
        while True:
            due = self.next_deadline()
            if due > now_us:
                break
            self.now_us = due
            for hand in self._hands.values():
                self._turn(hand)
        self.now_us = now_us

    def _turn(self, hand: _Hand) -> None:
        now = self.now_us
        if hand.leaving_us <= now and hand.piece is not None:
            hand.piece.cell, hand.leaving_us = -1, FOREVER
        if hand.returning_us <= now and hand.piece is not None:
            self.world.vanish(hand.piece, now)
            hand.piece, hand.returning_us = None, FOREVER
        errand = hand.errand
        if errand is not None and errand.end_us <= now:
            errand.state = DONE
            hand.errand = None
        while (
            hand.errand is None
            and hand.piece is None
            and hand.queue
            and max(hand.free_us, hand.queue[0].at_us) <= now
        ):
            self._begin(hand, hand.queue.popleft())

    def _begin(self, hand: _Hand, errand: Errand) -> None:
        chance = self._chance(errand.number)
        errand.begin_us = self.now_us
        errand.reason = (self._set if errand.what == "place" else self._pick)(hand, errand, chance)
        if errand.reason:
            errand.state, errand.end_us = REFUSED, self.now_us
            self.refused.append(errand)
        else:
            errand.state = WORKING
            hand.errand = errand

    def _set(self, hand: _Hand, errand: Errand, chance: random.Random) -> str:
        if self.world.on(errand.cell):
            return "taken"
        bowl = self._bowl(errand.kind)
        seat = self._seat(errand.cell, chance)
        over = seat._replace(h=CARRY_MM)
        trip = straight(0, bowl, over, self._tempo.travel)
        way = (trip, *self._down(trip.end_us, over, chance))
        start = max(self.now_us, errand.touch_at_us - way[-1].end_us)
        piece = self.world.appear(errand.kind, bowl, cell=errand.cell)
        legs = tuple(_later(leg, start) for leg in way)
        self.world.follow(piece, self.now_us, legs)
        errand.touch_us = legs[-1].end_us
        errand.end_us = errand.touch_us + chance.randint(*self._tempo.pause_us)
        hand.free_us = errand.end_us
        return ""

    def _pick(self, hand: _Hand, errand: Errand, chance: random.Random) -> str:
        found = self._take(errand.cell)
        if isinstance(found, str):
            return found
        here = found.at(self.now_us)
        reach_us = chance.randint(*self._tempo.pause_us)
        leaves = max(self.now_us + reach_us, errand.touch_at_us)
        speed = chance.uniform(*self._tempo.touch)
        free = here._replace(h=here.h + LAST_MM)
        over = here._replace(h=max(CARRY_MM, free.h + 1.0))
        start = chance.uniform(*self._tempo.start)
        first = Leg(leaves, leaves + _lasting(LAST_MM, speed), here, free, start, 2.0 - start)
        fast = _fast(speed)
        end_us = first.end_us + _lasting(over.h - free.h, fast)
        up = Leg(first.end_us, end_us, free, over, min(speed * (2.0 - start) / fast, 3.0), 0.5)
        home = straight(end_us, over, self._bowl(found.kind), self._tempo.travel)
        found.held = hand.name
        self.world.follow(found, self.now_us, (first, up, home))
        hand.piece, hand.leaving_us = found, leaves
        hand.returning_us = home.end_us
        errand.kind, errand.touch_us = found.kind, leaves
        errand.end_us = hand.free_us = home.end_us
        return ""

    def _take(self, cell: int) -> Piece | str:
        there = self.world.on(cell)
        if not there:
            return "empty"
        piece = there[-1]
        coming = piece.legs and piece.legs[-1].end_us > self.now_us
        return "held" if piece.held or coming else piece

    def _to_bowl(self, hand: _Hand, piece: Piece, start_us: int, here: Place) -> None:
        over = here._replace(h=max(here.h, CARRY_MM))
        up = straight(start_us, here, over, self._tempo.touch[1])
        home = straight(up.end_us, over, self._bowl(piece.kind), self._tempo.travel)
        self.world.follow(piece, start_us, (up, home))
        hand.returning_us = hand.free_us = home.end_us

    def _down(self, begin_us: int, over: Place, chance: random.Random) -> tuple[Leg, ...]:
        """Down onto the seat: swiftly from rest, then the last stretch at touching speed."""
        speed = chance.uniform(*self._tempo.touch)
        change = chance.uniform(-self._tempo.waver, self._tempo.waver)
        legs: list[Leg] = []
        near = over
        if over.h > LAST_MM:
            near = over._replace(h=LAST_MM)
            fast = _fast(speed)
            begin, begin_us = begin_us, begin_us + _lasting(over.h - LAST_MM, fast)
            arriving = speed * (1.0 + change) / fast
            legs.append(Leg(begin, begin_us, over, near, 0.0, arriving))
        end_us = begin_us + _lasting(near.h, speed)
        seat = over._replace(h=0.0)
        legs.append(Leg(begin_us, end_us, near, seat, 1.0 + change, 1.0 - change))
        return tuple(legs)

    def _seat(self, cell: int, chance: random.Random) -> Place:
        middle = self.world.profile.cells[cell]
        far = self._tempo.error_mm * sqrt(chance.random())
        turn = 2 * pi * chance.random()
        return Place(middle.x_mm + far * cos(turn), middle.y_mm + far * sin(turn), 0.0)

    def _bowl(self, kind: int) -> Place:
        side = {WHITE: -1.0, BLACK: 1.0}.get(kind, 0.0)
        return Place(side * self._edge_x, self._edge_y if side == 0.0 else 0.0, CARRY_MM)

    def _chance(self, number: int = 0) -> random.Random:
        if not number:
            self._count += 1
            number = self._count
        return random.Random(f"hand {self._seed} {number}")

    def shown(self) -> list[Held]:
        """The hands that hold a piece, or bring one, at this moment."""
        out = []
        for hand in self._hands.values():
            piece = hand.piece or self._brought(hand)
            if piece is not None:
                place = piece.at(self.now_us)
                out.append(Held(hand.name, place.x, place.y, place.h, piece.kind))
        return out

    def _brought(self, hand: _Hand) -> Piece | None:
        errand = hand.errand
        if errand is None or errand.what != "place" or self.now_us >= errand.touch_us:
            return None
        there = self.world.on(errand.cell)
        return there[-1] if there else None


def _later(leg: Leg, by_us: int) -> Leg:
    return Leg(
        leg.begin_us + by_us, leg.end_us + by_us, leg.start, leg.end, leg.leaving, leg.arriving
    )


def _lasting(way_mm: float, speed: float) -> int:
    """How many µs a way takes at a mean speed in m/s."""
    return max(round(way_mm / speed * 1000), 1)


def _fast(touch: float) -> float:
    """Mean speed high above the board of a hand that touches it at this speed."""
    return 1.5 * touch + 0.1
