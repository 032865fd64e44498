"""Hands over the board: they place and lift at human speeds, or carry what a person drags.

Each hand has a name and does one errand after the other; different hands work at the same time.
An errand is planned when its hand begins it, with chance from (seed, number of the errand), so
that neither the pace of the clock nor other hands change how a stone comes down.
"""

from __future__ import annotations

import random
from collections import deque

from lumiban_fw.wire import BLACK, EMPTY, NEUTRAL, WHITE

from lumiban_sim.errand import DONE, RECALLED, REFUSED, WORKING, Errand, Hand, Held
from lumiban_sim.motion import Leg, Place, straight
from lumiban_sim.spots import Spots
from lumiban_sim.ways import CARRY_MM, HUMAN, PLAIN, Manner, Tempo, across, down, later, up
from lumiban_sim.world import FOREVER, Piece, World

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
        """Errands that could not be done; whoever reads them clears the list."""
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
        """Ask a hand to take the topmost piece off a cell, whoever placed it."""
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
            found = self._spots.take(cell, self.now_us)
            if isinstance(found, str):
                return found
            hand.piece = found
            found.held, found.cell = name, -1
            here = found.at(self.now_us)
            rise = straight(self.now_us, here, here._replace(h=here.h + CLEAR_MM), RISE_SPEED)
            self.world.follow(found, self.now_us, (rise,))
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
        """What this hand was asked to do is void: it begins nothing else, and takes the stone that
        it is bringing back to its bowl, also when it has just set it down. A lift is finished."""
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
        """How many errands of a hand have not begun."""
        hand = self._hands.get(name)
        return len(hand.queue) if hand else 0

    def known(self, name: str) -> bool:
        """Whether a hand of this name is over the board."""
        return name in self._hands

    def named(self, prefix: str) -> int:
        """How many hands have names that begin so."""
        return sum(1 for name in self._hands if name.startswith(prefix))

    def leave(self, prefix: str) -> None:
        """Whoever moves the hands whose names begin so is gone.

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
        found = self._spots.take(errand.cell, self.now_us)
        if isinstance(found, str):
            return found
        speed = chance.uniform(*self._tempo.touch)
        goal = self._spots.seat(errand.to_cell, chance, self._tempo)
        legs = across(self.now_us, found.at(self.now_us), goal, speed)
        found.cell = errand.to_cell
        self.world.follow(found, self.now_us, legs)
        errand.kind = found.kind
        errand.touch_us = errand.end_us = hand.free_us = legs[-1].end_us
        return ""

    def _shove(self, hand: Hand, errand: Errand, chance: random.Random) -> str:
        found = self._spots.take(errand.cell, self.now_us)
        if isinstance(found, str):
            return found
        here = found.at(self.now_us)
        there = here._replace(x=here.x + errand.push_mm[0], y=here.y + errand.push_mm[1])
        leg = straight(self.now_us, here, there, chance.uniform(*self._tempo.touch))
        found.cell = self.world.nearest(there.x, there.y)[0]
        self.world.follow(found, self.now_us, (leg,))
        errand.kind = found.kind
        errand.touch_us = errand.end_us = hand.free_us = leg.end_us
        return ""

    def _pick(self, hand: Hand, errand: Errand, chance: random.Random) -> str:
        found = self._spots.take(errand.cell, self.now_us)
        if isinstance(found, str):
            return found
        here = found.at(self.now_us)
        reach_us = chance.randint(*self._tempo.pause_us)
        leaves = max(self.now_us + reach_us, errand.touch_at_us)
        legs = up(self._tempo, leaves, here, self._spots.bowl(found.kind), chance)
        found.held = hand.name
        self.world.follow(found, self.now_us, legs)
        hand.piece, hand.leaving_us = found, leaves
        errand.kind, errand.touch_us = found.kind, leaves
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
