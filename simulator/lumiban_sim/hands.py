"""Hands over the board: they place and lift at human speeds, or carry what a person drags.

Each hand has a name and does one errand after the other; different hands work at the same time.
An errand is planned when its hand begins it, with chance from (seed, number of the errand), so
that neither the pace of the clock nor other hands change how a stone comes down.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from math import cos, pi, sin, sqrt

from lumiban_fw.wire import BLACK, EMPTY, NEUTRAL, WHITE

from lumiban_sim.world import FOREVER, Leg, Piece, Place, World, straight

# The motions of hands with a piece: down onto a seat and up from it, at human speeds.

CARRY_MM = 45.0
"""Height at which stones travel; no sensor feels them there."""
LAST_MM = 10.0
"""The stretch above the seat that hands go with care."""


@dataclass(frozen=True, slots=True)
class Tempo:
    """Movement of hands: ranges of speed in m/s, of pauses in µs, and the error on landing in mm.

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


@dataclass(frozen=True, slots=True)
class Manner:
    """Peculiarities of setting down one stone."""

    hover_mm: float = 0.0
    """At this height above its seat the hand hesitates …"""
    hover_us: int = 0
    """… for so long."""
    drop_mm: float = 0.0
    """At this height the hand lets go, and the stone falls; 0: it is set down."""


PLAIN = Manner()
SLIDE_MM = 2.5
"""A stone that slides from cell to cell goes over their rims at this height."""
FALL_MM_MS2 = 9.81e-3
HUMAN = Tempo()
BRISK = Tempo(travel=1.5, touch=(0.15, 0.4), pause_us=(20_000, 60_000))
"""Somebody who has played this before."""


def down(
    tempo: Tempo,
    begin_us: int,
    over: Place,
    chance: random.Random,
    manner: Manner = PLAIN,
) -> tuple[Leg, ...]:
    """Down from `over` onto the seat below: swiftly from rest, then at touching speed."""
    speed = chance.uniform(*tempo.touch)
    change = chance.uniform(-tempo.waver, tempo.waver)
    legs: list[Leg] = []
    near = over
    if over.h > LAST_MM:
        near = over._replace(h=LAST_MM)
        swift = _swift(speed)
        begin, begin_us = begin_us, begin_us + _lasting(over.h - LAST_MM, swift)
        legs.append(Leg(begin, begin_us, over, near, 0.0, speed * (1.0 + change) / swift))
    if manner.hover_us and manner.hover_mm < near.h:
        rest = near._replace(h=manner.hover_mm)
        rest_us = begin_us + 2 * _lasting(near.h - rest.h, speed)
        legs.append(Leg(begin_us, rest_us, near, rest, 1.5, 0.0))
        legs.append(Leg(rest_us, rest_us + manner.hover_us, rest, rest))
        begin_us, near = rest_us + manner.hover_us, rest
    if manner.drop_mm and manner.drop_mm < near.h:
        last = near._replace(h=manner.drop_mm)
        last_us = begin_us + _lasting(near.h - last.h, speed)
        legs.append(Leg(begin_us, last_us, near, last, 1.0, 0.0))
        begin_us, near = last_us, last
    if manner.drop_mm:
        legs.append(fall(begin_us, near))
        return tuple(legs)
    end_us = begin_us + _lasting(near.h, speed)
    legs.append(Leg(begin_us, end_us, near, over._replace(h=0.0), 1.0 + change, 1.0 - change))
    return tuple(legs)


def fall(begin_us: int, start: Place) -> Leg:
    """A stone let go falls onto its seat.

    >>> fall(0, Place(0, 0, 10)).end_us
    45152
    """
    lasting = round(sqrt(2 * start.h / FALL_MM_MS2) * 1000)
    return Leg(begin_us, begin_us + max(lasting, 1), start, start._replace(h=0.0), 0.0, 2.0)


def across(begin_us: int, seat: Place, goal: Place, speed: float) -> tuple[Leg, ...]:
    """A stone that slides from one seat into another, straight over the cells between, in m/s."""
    rim = seat._replace(h=seat.h + SLIDE_MM)
    end = goal._replace(h=goal.h + SLIDE_MM)
    rise = straight(begin_us, seat, rim, speed)
    slide = straight(rise.end_us, rim, end, speed)
    return rise, slide, straight(slide.end_us, end, goal, speed)


def up(
    tempo: Tempo, begin_us: int, seat: Place, bowl: Place, chance: random.Random
) -> tuple[Leg, ...]:
    """Up from where a piece lies, gathering speed, and over to the bowl."""
    speed = chance.uniform(*tempo.touch)
    start = chance.uniform(*tempo.start)
    near = seat._replace(h=seat.h + LAST_MM)
    over = seat._replace(h=max(CARRY_MM, near.h + 1.0))
    swift = _swift(speed)
    near_us = begin_us + _lasting(LAST_MM, speed)
    over_us = near_us + _lasting(over.h - near.h, swift)
    return (
        Leg(begin_us, near_us, seat, near, start, 2.0 - start),
        Leg(near_us, over_us, near, over, speed * (2.0 - start) / swift, 0.5),
        straight(over_us, over, bowl, tempo.travel),
    )


def later(leg: Leg, by_us: int) -> Leg:
    """The same leg, later by `by_us`."""
    return Leg(
        leg.begin_us + by_us, leg.end_us + by_us, leg.start, leg.end, leg.leaving, leg.arriving
    )


def _lasting(way_mm: float, speed: float) -> int:
    """Duration in µs of a way at a mean speed in m/s."""
    return max(round(way_mm / speed * 1000), 1)


def _swift(touch: float) -> float:
    """Mean speed high above the board of a hand that touches it at this speed, in m/s."""
    return 1.5 * touch + 0.1


CLEAR_MM = 8.0
"""A carried stone stays above the stones that stand."""
HIGHEST_MM = 150.0
DRAG_SPEED = 2.5
"""m/s: the fastest that a dragged stone follows its person."""
RISE_SPEED = 0.25
"""m/s: a stone that a person takes off its cell."""
STEP_US = 16_000
"""A dragged stone takes at least this long for each update."""


class Hands:
    """All hands over one world. Times are the world's; `advance` must be called as time goes."""

    def __init__(self, world: World, seed: int = 0, tempo: Tempo = HUMAN) -> None:
        self.world = world
        self.now_us = 0
        self.refused: list[Errand] = []
        """Errands that could not be done; reading them clears the list."""
        self._seed = seed
        self._tempo = tempo
        self._count = 0
        self._hands: dict[str, Hand] = {}
        self._spots = Spots(world)
        self._ways = {
            "place": self._set,
            "lift": self._pick,
            "hover": self._hold,
            "slide": self._push,
            "bump": self._shove,
        }

    # Errands.

    def place(
        self,
        cell: int,
        kind: int,
        *,
        hand: str = "right",
        at_us: int = -1,
        touch_us: int = -1,
        tempo: Tempo | None = None,
        manner: Manner = PLAIN,
    ) -> Errand:
        """Ask a hand to set a piece from the bowl onto a cell.

        `at_us`: begin no sooner; `touch_us`: touch the seat exactly then, if there is time enough;
        `tempo` and `manner`: move so this once. ValueError for a cell or kind that does not exist.
        """
        errand = self._ask(hand, "place", cell, _piece(kind), at_us, touch_us)
        errand.tempo, errand.manner = tempo, manner
        return errand

    def hover(
        self, cell: int, kind: int, height_mm: float, for_us: int, *, hand: str = "right"
    ) -> Errand:
        """Ask a hand to hold a piece so high above a cell for so long, and to take it away again.

        ValueError for a cell or kind that does not exist.
        """
        errand = self._ask(hand, "hover", cell, _piece(kind), -1, -1)
        errand.manner = Manner(height_mm, for_us)
        return errand

    def slide(self, cell: int, to_cell: int, *, hand: str = "right", at_us: int = -1) -> Errand:
        """Ask a hand to push the topmost piece of a cell straight over the board into another.

        ValueError for a cell that does not exist.
        """
        errand = self._ask(hand, "slide", cell, EMPTY, at_us, -1)
        errand.to_cell = self._real(to_cell)
        return errand

    def bump(self, cell: int, dx_mm: float, dy_mm: float, *, hand: str = "right") -> Errand:
        """Let a sleeve push the topmost piece of a cell aside, as it lies; ValueError."""
        errand = self._ask(hand, "bump", cell, EMPTY, -1, -1)
        errand.push_mm = (dx_mm, dy_mm)
        return errand

    def lift(
        self, cell: int, *, hand: str = "right", at_us: int = -1, touch_us: int = -1
    ) -> Errand:
        """Ask a hand to take the topmost piece off a cell, of either side."""
        return self._ask(hand, "lift", cell, EMPTY, at_us, touch_us)

    def _ask(self, name: str, what: str, cell: int, kind: int, at_us: int, touch_us: int) -> Errand:
        self._real(cell)
        self._count += 1
        errand = Errand(self._count, name, what, cell, kind, max(at_us, self.now_us), touch_us)
        self._hand(name).queue.append(errand)
        return errand

    def _real(self, cell: int) -> int:
        cells = len(self.world.profile.cells)
        if not 0 <= cell < cells:
            raise ValueError(f"cell {cell} does not exist: the board has 0 to {cells - 1}")
        return cell

    def _hand(self, name: str) -> Hand:
        hand = self._hands.get(name)
        if hand is None:
            hand = self._hands[name] = Hand(name, deque())
        hand.gone = False
        return hand

    @property
    def idle(self) -> bool:
        """True if no hand has anything to do or to hold."""
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
            piece = self._spots.take(cell, self.now_us)
            if isinstance(piece, str):
                return piece
            hand.piece = piece
            piece.held, piece.cell = name, -1
            here = piece.at(self.now_us)
            rise = straight(self.now_us, here, here._replace(h=here.h + CLEAR_MM), RISE_SPEED)
            self.world.follow(piece, self.now_us, (rise,))
        else:
            hand.piece = self.world.appear(kind, self._spots.bowl(kind), held=name)
        hand.dragging = True
        return ""

    def carry(self, name: str, x: float, y: float, h: float) -> str:
        """A person drags what their hand holds to (x, y, h); returns "" or `nothing`."""
        hand = self._hands.get(name)
        if hand is None or hand.piece is None or not hand.dragging:
            return "nothing"
        there = self._spots.within(x, y, min(max(h, CLEAR_MM), HIGHEST_MM))
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
        piece, hand.dragging = hand.piece, False
        here = piece.at(self.now_us)
        cell = self._spots.free_cell(here)
        chance = self._chance()
        if cell < 0:
            self._to_bowl(hand, piece, self.now_us, here)
            return ""
        over = self._spots.seat(cell, chance, self._tempo)._replace(h=max(here.h, CLEAR_MM))
        aside = straight(self.now_us, here, over, self._tempo.travel)
        legs = (aside, *down(self._tempo, aside.end_us, over, chance))
        piece.cell, piece.held = cell, ""
        self.world.follow(piece, self.now_us, legs)
        hand.piece = None
        hand.free_us = legs[-1].end_us
        return ""

    def recall(self, name: str) -> None:
        """Voids the errands of this hand: it begins nothing else, and takes the stone that it is
        bringing back to its bowl, also when it has just set it down. A lift is finished."""
        hand = self._hands.get(name, Hand(name, deque()))
        while hand.queue:
            hand.queue.popleft().state = RECALLED
        errand, piece = hand.errand, self._brought(hand)
        if errand is not None and piece is not None:
            errand.state, errand.end_us = RECALLED, self.now_us
            hand.errand, hand.piece = None, piece
            piece.cell, piece.held = -1, name
            self._to_bowl(hand, piece, self.now_us, piece.at(self.now_us))
        elif errand is not None and errand.what == "place":
            self.lift(errand.cell, hand=name)

    def waiting(self, name: str) -> int:
        """Number of errands of a hand that have not begun."""
        hand = self._hands.get(name)
        return len(hand.queue) if hand else 0

    def lay(self, pieces: Mapping[int, int]) -> None:
        """Let pieces of these kinds be on these cells at once, 0 for none; what a hand holds or
        brings stays with it. ValueError for a cell that does not exist."""
        for cell, kind in pieces.items():
            there = list(self.world.on(self._real(cell)))
            if [piece.kind for piece in there] == ([kind] if kind else []):
                continue
            if any(piece.held or self._comes(piece) for piece in there):
                continue
            for piece in there:
                self.world.vanish(piece, self.now_us)
            if kind:
                self.world.stand(kind, cell, self.now_us)

    def _comes(self, piece: Piece) -> bool:
        return bool(piece.legs) and piece.legs[-1].end_us > self.now_us

    def known(self, name: str) -> bool:
        """True if a hand of this name is over the board."""
        return name in self._hands

    def named(self, prefix: str) -> int:
        """Number of hands whose names begin so."""
        return sum(1 for name in self._hands if name.startswith(prefix))

    def leave(self, prefix: str) -> None:
        """Retire the hands whose names begin so: nobody moves them any more.

        They drop what they hold, end what they have begun and begin nothing else.
        """
        for name, hand in self._hands.items():
            if name.startswith(prefix):
                hand.queue.clear()
                hand.gone = True
                self.drop(name)
        for name, hand in list(self._hands.items()):
            if hand.gone and hand.piece is None and hand.errand is None:
                del self._hands[name]

    # Time.

    def next_deadline(self) -> int:
        """Time in µs at which a hand begins or ends something next; FOREVER when none does."""
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

    def _turn(self, hand: Hand) -> None:
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

    def _begin(self, hand: Hand, errand: Errand) -> None:
        chance = self._chance(errand.number)
        errand.begin_us = self.now_us
        errand.reason = self._ways[errand.what](hand, errand, chance)
        if errand.reason:
            errand.state, errand.end_us = REFUSED, self.now_us
            self.refused.append(errand)
        else:
            errand.state = WORKING
            hand.errand = errand

    def _set(self, hand: Hand, errand: Errand, chance: random.Random) -> str:
        if self.world.on(errand.cell):
            return "taken"
        bowl = self._spots.bowl(errand.kind)
        tempo = errand.tempo or self._tempo
        seat = self._spots.seat(errand.cell, chance, tempo)
        over = seat._replace(h=CARRY_MM)
        trip = straight(0, bowl, over, tempo.travel)
        way = (trip, *down(tempo, trip.end_us, over, chance, errand.manner))
        start = max(self.now_us, errand.touch_at_us - way[-1].end_us)
        piece = self.world.appear(errand.kind, bowl, cell=errand.cell)
        legs = tuple(later(leg, start) for leg in way)
        self.world.follow(piece, self.now_us, legs)
        errand.touch_us = legs[-1].end_us
        errand.end_us = errand.touch_us + chance.randint(*tempo.pause_us)
        hand.free_us = errand.end_us
        return ""

    def _hold(self, hand: Hand, errand: Errand, chance: random.Random) -> str:
        bowl = self._spots.bowl(errand.kind)
        over = self._spots.seat(errand.cell, chance, self._tempo)._replace(h=CARRY_MM)
        low = over._replace(h=max(errand.manner.hover_mm, 0.1))
        trip = straight(self.now_us, bowl, over, self._tempo.travel)
        sink = straight(trip.end_us, over, low, self._tempo.touch[1])
        wait = Leg(sink.end_us, sink.end_us + errand.manner.hover_us, low, low)
        rise = straight(wait.end_us, low, over, self._tempo.touch[1])
        home = straight(rise.end_us, over, bowl, self._tempo.travel)
        hand.piece = self.world.appear(errand.kind, bowl, held=hand.name)
        self.world.follow(hand.piece, self.now_us, (trip, sink, wait, rise, home))
        errand.end_us = hand.returning_us = hand.free_us = home.end_us
        return ""

    def _push(self, hand: Hand, errand: Errand, chance: random.Random) -> str:
        if self.world.on(errand.to_cell):
            return "taken"
        piece = self._spots.take(errand.cell, self.now_us)
        if isinstance(piece, str):
            return piece
        speed = chance.uniform(*self._tempo.touch)
        goal = self._spots.seat(errand.to_cell, chance, self._tempo)
        legs = across(self.now_us, piece.at(self.now_us), goal, speed)
        piece.cell = errand.to_cell
        self.world.follow(piece, self.now_us, legs)
        errand.kind = piece.kind
        errand.touch_us = errand.end_us = hand.free_us = legs[-1].end_us
        return ""

    def _shove(self, hand: Hand, errand: Errand, chance: random.Random) -> str:
        piece = self._spots.take(errand.cell, self.now_us)
        if isinstance(piece, str):
            return piece
        here = piece.at(self.now_us)
        there = here._replace(x=here.x + errand.push_mm[0], y=here.y + errand.push_mm[1])
        leg = straight(self.now_us, here, there, chance.uniform(*self._tempo.touch))
        piece.cell = self.world.nearest(there.x, there.y)[0]
        self.world.follow(piece, self.now_us, (leg,))
        errand.kind = piece.kind
        errand.touch_us = errand.end_us = hand.free_us = leg.end_us
        return ""

    def _pick(self, hand: Hand, errand: Errand, chance: random.Random) -> str:
        piece = self._spots.take(errand.cell, self.now_us)
        if isinstance(piece, str):
            return piece
        here = piece.at(self.now_us)
        reach_us = chance.randint(*self._tempo.pause_us)
        leaves = max(self.now_us + reach_us, errand.touch_at_us)
        legs = up(self._tempo, leaves, here, self._spots.bowl(piece.kind), chance)
        piece.held = hand.name
        self.world.follow(piece, self.now_us, legs)
        hand.piece, hand.leaving_us = piece, leaves
        errand.kind, errand.touch_us = piece.kind, leaves
        errand.end_us = hand.returning_us = hand.free_us = legs[-1].end_us
        return ""

    def _to_bowl(self, hand: Hand, piece: Piece, start_us: int, here: Place) -> None:
        over = here._replace(h=max(here.h, CARRY_MM))
        rise = straight(start_us, here, over, self._tempo.touch[1])
        home = straight(rise.end_us, over, self._spots.bowl(piece.kind), self._tempo.travel)
        self.world.follow(piece, start_us, (rise, home))
        hand.returning_us = hand.free_us = home.end_us

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

    def _brought(self, hand: Hand) -> Piece | None:
        errand = hand.errand
        if errand is None or errand.what != "place" or self.now_us >= errand.touch_us:
            return None
        there = self.world.on(errand.cell)
        return there[-1] if there else None


def _piece(kind: int) -> int:
    if kind not in (WHITE, BLACK, NEUTRAL):
        raise ValueError(f"kind {kind} is no piece: 1 is white, 2 black, 3 neutral")
    return kind


# Errands.

WAITING, WORKING, DONE, REFUSED = "waiting", "working", "done", "refused"
RECALLED = "recalled"


@dataclass(slots=True, eq=False)
class Errand:
    """Something that a hand was asked to do, and how it went."""

    number: int
    hand: str
    what: str
    """`place`, `lift`, `slide`, `hover` or `bump`."""
    cell: int
    kind: int
    at_us: int
    """Not to begin before."""
    touch_at_us: int = -1
    """Time in µs at which it should touch (or leave) the board, if that was asked for."""
    state: str = WAITING
    begin_us: int = -1
    touch_us: int = -1
    """The truth: when the piece touched its seat, or left it."""
    end_us: int = -1
    reason: str = ""
    """Reason of the refusal: `taken`, `empty` or `held`."""
    tempo: Tempo | None = None
    """Tempo of the hand this time, if not its usual one."""
    manner: Manner = PLAIN
    to_cell: int = -1
    """Of a slide: where it ends."""
    push_mm: tuple[float, float] = (0.0, 0.0)
    """Of a bump: how far the piece is pushed."""


@dataclass(slots=True)
class Hand:
    """A hand, what it has to do and what it holds."""

    name: str
    queue: deque[Errand]
    errand: Errand | None = None
    piece: Piece | None = None
    free_us: int = 0
    dragging: bool = False
    gone: bool = False
    leaving_us: int = FOREVER
    """Time in µs at which the piece that it is lifting leaves its cell."""
    returning_us: int = FOREVER
    """Time in µs at which the piece in the air will be back in its bowl."""


@dataclass(frozen=True, slots=True)
class Held:
    """A hand as the page draws it; kind 0 when it holds nothing."""

    hand: str
    x: float
    y: float
    h: float
    kind: int


# Places: the seats of cells, the bowls beside the board.

REACH_PITCHES = 0.72
"""A dropped stone slides into the nearest free cell within this many pitches."""


class Spots:
    """The places over one world's board, in mm."""

    def __init__(self, world: World) -> None:
        self._world = world
        cells = world.profile.cells
        aside = 2.5 * world.profile.pitch_mm
        self._edge_x = max(abs(cell.x_mm) for cell in cells) + aside
        self._edge_y = max(abs(cell.y_mm) for cell in cells) + aside

    def seat(self, cell: int, chance: random.Random, tempo: Tempo) -> Place:
        """A point on the seat of a cell, as near its middle as a hand of this tempo comes."""
        middle = self._world.profile.cells[cell]
        far = tempo.error_mm * sqrt(chance.random())
        turn = 2 * pi * chance.random()
        return Place(middle.x_mm + far * cos(turn), middle.y_mm + far * sin(turn), 0.0)

    def bowl(self, kind: int) -> Place:
        """Place from which pieces of a kind come."""
        side = {WHITE: -1.0, BLACK: 1.0}.get(kind, 0.0)
        return Place(side * self._edge_x, self._edge_y if side == 0.0 else 0.0, CARRY_MM)

    def within(self, x: float, y: float, h: float) -> Place:
        """The point, or the nearest one over the board and its rim."""
        x = min(max(x, -self._edge_x), self._edge_x)
        return Place(x, min(max(y, -self._edge_y), self._edge_y), h)

    def free_cell(self, here: Place) -> int:
        """The cell into which a piece dropped here slides, −1 when none is near or free."""
        cell, far = self._world.nearest(here.x, here.y)
        reach = REACH_PITCHES * self._world.profile.pitch_mm
        return cell if far <= reach and not self._world.on(cell) else -1

    def take(self, cell: int, now_us: int) -> Piece | str:
        """The topmost piece of a cell, or why no hand can have it: `empty`, `held`."""
        there = self._world.on(cell)
        if not there:
            return "empty"
        piece = there[-1]
        coming = piece.legs and piece.legs[-1].end_us > now_us
        return "held" if piece.held or coming else piece
