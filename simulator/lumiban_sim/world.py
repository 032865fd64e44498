"""The physical board: pieces with magnets, the field they make on each cell, and the light.

Time is µs since the world began. Nothing here runs: a piece moves by legs, one after the other,
each from one place to the next, and a question about a time is answered with the field of that
time. The world also says when something will happen next, so that quiet time can be skipped.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from functools import lru_cache
from math import hypot
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple

from lumiban.boards.limits import MIDDLE
from lumiban.boards.profile import Profile
from lumiban_fw.buffers import RUN
from lumiban_fw.wire import BLACK, EMPTY, NEUTRAL, STACKED, WHITE
from lumiban_hw.magnetics import (
    HEIGHT_MM,
    STEP_MM,
    STRONG,
    WEAK,
    Column,
    FieldTable,
    along,
    field_table,
)

from lumiban_sim.built_board import HIGHEST, LOWEST, BuiltBoard, Electrics
from lumiban_sim.rails import PHANTOM, Feed, Rails

if TYPE_CHECKING:
    from lumiban_sim.switches import Contacts

FOREVER = 1 << 62
"""A time that never comes."""
REACH_PITCHES = 2.1
"""A magnet is felt on cells within this many pitches; further off it is below one count."""
FAINT_UT = 400
"""A moving magnet that makes less than this on every cell is no reason to look."""
PIECE_MM = 6.0
"""Height of a piece."""
NOISE_UT = 300
"""Standard deviation of one sample: the ADC's nine good bits."""
BUTTONS = 4
"""Two a seat."""
_POOL = 16384
OPEN = 60
"""Counts of an analog line that leads nowhere."""
_LIGHT, _SUPPLY = 0, -1
"""No piece has these numbers: they stand for lights, and for a supply, that move readings."""
_NOTICE_MV = 50
"""A rail that changes by less is not looked at for it."""
_NOTICED_US = 120_000
"""A rail that has changed is looked at for so long."""


@dataclass(slots=True, eq=False)
class Piece:
    """One piece, standing, moving or held; made by `World.appear`."""

    number: int
    kind: int
    sign: float
    """Above 0 when the field counts up: a south pole looks down, as in white pieces. 1 or −1, and
    a little more or less where magnets differ."""
    place: Place
    """Place of the piece when it does not move."""
    cell: int = -1
    """The board cell that it stands on, or comes down to; −1 in the air."""
    held: str = ""
    """The hand that holds it."""
    legs: tuple[Leg, ...] = ()
    felt: list[tuple[int, Column]] = field(default_factory=list)
    """On an upright leg: (cell, field along that line) of the cells that feel it."""
    felt_at: tuple[float, float] | None = None
    """Place for which `felt` was made."""

    def at(self, t_us: int) -> Place:
        """Place at `t_us`."""
        leg = self.leg(t_us)
        return leg.at(t_us) if leg else self.place

    def leg(self, t_us: int) -> Leg | None:
        """The leg that it is on at `t_us`: the last that has begun, else the first."""
        now = None
        for leg in self.legs:
            if now is not None and leg.begin_us > t_us:
                break
            now = leg
        return now


@lru_cache(maxsize=16)
def _noise_pool(seed: int, sigma: float, length: int) -> tuple[tuple[int, ...], Any]:
    """Noise of a world in counts, and the state of its dice after that."""
    dice = random.Random(f"world {seed}")
    return tuple(round(dice.gauss(0.0, sigma)) for _ in range(length)), dice.getstate()


class World:
    """The board of a profile and what lies on it.

    The seed fixes the noise and which way up neutral pieces lie; noise of a sample depends on
    (seed, frame, cell) only, so that skipped frames change nothing. `noise_ut` 0 is a still world.
    `board` says how its parts differ from their data sheets; None is a board that does not. `feed`
    is its supply: as the board's wires say, unless given.
    """

    def __init__(
        self,
        profile: Profile,
        seed: int = 0,
        *,
        noise_ut: float = NOISE_UT,
        board: BuiltBoard | None = None,
        feed: Feed | None = None,
    ) -> None:
        self.profile = profile
        wires = board.wires if board else None
        if feed is None and wires is not None:
            feed = Feed(wires.supply_mv, wires.cable_uohm / 1000)
        self.rails = Rails(feed, profile.rows)
        self.pulled: frozenset[int] = frozenset()
        """Strips that are not plugged in."""
        self._noticed_mv = self.rails.level_mv
        self.light = bytes(3 * profile.lights)
        """The frame that shines now: r, g, b of each light."""
        self.light_frames = 0
        """Number of different frames shown."""
        self.pieces: dict[int, Piece] = {}
        self.buttons = 0
        self._ut_a_count = profile.gain_q16 / 65536
        self._centres = [(cell.x_mm, cell.y_mm) for cell in profile.cells]
        self._reach = REACH_PITCHES * profile.pitch_mm
        self._squares: dict[tuple[int, int], list[tuple[int, float, float]]] = {}
        """The cells around each square that a piece was over."""
        nearest = min(0.0, *board.gaps_mm) if board else 0.0
        gap_mm = profile.gap_mm + nearest
        self._tables: dict[int, FieldTable] = {
            WHITE: field_table(STRONG, gap_mm),
            BLACK: field_table(STRONG, gap_mm),
            NEUTRAL: field_table(WEAK, gap_mm),
        }
        cells = len(profile.cells)
        self.contacts = _contacts(profile, seed) if profile.is_of_switches else None
        """The switches of a board that has them in place of sensors that measure."""
        self._above = [gap - nearest for gap in board.gaps_mm] if board else [0.0] * cells
        self.electrics = Electrics(profile, board) if board else None
        """Electrics between field and counts; None where there are none."""
        if self.electrics is not None:
            self.rails.draw(self.electrics.drawn_ma, 0)
            self._noticed_mv = self.rails.level_mv
        self._remanence = board.remanence if board else 0.0
        self._low = {kind: _faint_height(table) for kind, table in self._tables.items()}
        self._moving: dict[int, Piece] = {}
        self._shares: list[dict[int, float]] = [{} for _ in range(cells)]
        self._still = [0.0] * cells
        self._still_counts = [MIDDLE] * cells
        self._uncounted = False
        """Light has changed what all cells read since they were last counted."""
        self._steady = [MIDDLE] * profile.rows
        self._busy: dict[int, list[tuple[int, int]]] = {}
        self._lead_us = 4 * 1_000_000 // profile.scan_hz
        run_us = RUN * 1_000_000 // profile.scan_hz
        self._tail_us = max(profile.settle_us, run_us) + self._lead_us
        """After a motion frames go on until the firmware has seen it, slow as its scan may be."""
        self._made = 0
        self._dice = random.Random(f"world {seed}")
        self._noise: tuple[int, ...] = ()
        if noise_ut > 0:
            length = _POOL + cells + profile.rows
            self._noise, state = _noise_pool(seed, noise_ut / self._ut_a_count, length)
            self._dice.setstate(state)
        self._noise_from = self._dice.getrandbits(48)
        if board:
            self._total(list(range(cells)))

    def zeros(self) -> tuple[int, ...]:
        """Calibration of each cell; () where the board has none."""
        if self.electrics is None or self.contacts is not None:
            return ()
        return tuple(self.electrics.zeros())

    # Pieces.

    def nearest(self, x: float, y: float) -> tuple[int, float]:
        """The cell whose middle is nearest to a point, and how far off it is in mm."""
        far = [hypot(x - cx, y - cy) for cx, cy in self._centres]
        cell = far.index(min(far))
        return cell, far[cell]

    def on(self, cell: int) -> list[Piece]:
        """Pieces that stand on a cell or come down to it, the lowest first."""
        there = [p for p in self.pieces.values() if p.cell == cell]
        return sorted(there, key=lambda p: p.legs[-1].end.h if p.legs else p.place.h)

    def kinds(self, now_us: int) -> tuple[int, ...]:
        """True content of each cell; STACKED where pieces lie upon each other."""
        out = [EMPTY] * len(self._centres)
        for piece in self.pieces.values():
            coming = piece.legs and not piece.held and piece.legs[-1].end_us > now_us
            if piece.cell >= 0 and not coming:
                out[piece.cell] = STACKED if out[piece.cell] else piece.kind
        return tuple(out)

    def appear(self, kind: int, place: Place, *, cell: int = -1, held: str = "") -> Piece:
        """A new piece at a place, out of nowhere; ValueError for a kind that is no piece."""
        if kind not in self._tables:
            raise ValueError(f"kind {kind} is no piece: 1 is white, 2 black, 3 neutral")
        either = self._dice.choice((1, -1)) if kind == NEUTRAL else 1
        sign = float(-1 if kind == BLACK else either)
        if self._remanence:
            sign *= self._dice.uniform(1.0 - self._remanence, 1.0 + self._remanence)
        self._made += 1
        piece = Piece(self._made, kind, sign, place, cell, held)
        self.pieces[piece.number] = piece
        self._stand(piece)
        return piece

    def stand(self, kind: int, cell: int, now_us: int = 0) -> Piece:
        """A new piece, standing in the middle of a cell (on top of what stands there)."""
        x, y = self._centres[cell]
        piece = self.appear(kind, Place(x, y, PIECE_MM * len(self.on(cell))), cell=cell)
        self._jolt(piece, now_us)
        return piece

    def vanish(self, piece: Piece, now_us: int) -> None:
        """Take a piece out of the world (it lies in its bowl)."""
        del self.pieces[piece.number]
        low = piece.at(now_us).h < self._low[piece.kind]
        self._moving.pop(piece.number, None)
        self._forget(piece)
        if low:
            self._jolt(piece, now_us)

    def _jolt(self, piece: Piece, now_us: int) -> None:
        self._busy[piece.number] = [(now_us - self._lead_us, now_us + self._tail_us)]

    def follow(self, piece: Piece, now_us: int, legs: tuple[Leg, ...]) -> None:
        """Let a piece go a way from now on; what it was about to do is dropped."""
        piece.place = piece.at(now_us)
        piece.legs = legs
        self._forget(piece)
        self._moving[piece.number] = piece
        before = [
            (begin, min(end, now_us + self._tail_us))
            for begin, end in self._busy.get(piece.number, ())
            if begin <= now_us <= end
        ]
        low = self._low[piece.kind]
        felt = [leg.when_low(low) for leg in legs if self._over_board(leg)]
        felt_spans = [(s[0] - self._lead_us, s[1] + self._tail_us) for s in felt if s]
        self._busy.pop(piece.number, None)
        if before or felt_spans:
            self._busy[piece.number] = before + felt_spans

    def _over_board(self, leg: Leg) -> bool:
        x, y = (leg.start.x + leg.end.x) / 2, (leg.start.y + leg.end.y) / 2
        half = hypot(leg.end.x - leg.start.x, leg.end.y - leg.start.y) / 2
        return self.nearest(x, y)[1] <= self._reach + half

    # Time.

    def next_interesting_us(self, after_us: int) -> int:
        """The first time from `after_us` on at which fields change or settle; FOREVER if never.

        A field counts as changing from shortly before it does until a sensor should have settled.
        """
        soonest = FOREVER
        over = []
        for number, spans in self._busy.items():
            for begin, end in spans:
                if end >= after_us and begin < soonest:
                    soonest = begin
            if spans[-1][1] < after_us:
                over.append(number)
        for number in over:
            del self._busy[number]
        return soonest if soonest > after_us else after_us

    def moves(self, now_us: int) -> bool:
        """True if any piece is under way, felt or not."""
        return any(piece.legs[-1].end_us > now_us for piece in self._moving.values() if piece.legs)

    # Power.

    @property
    def rail_mv(self) -> int:
        """The board's 5 V rail once it is steady, mV."""
        return self.rails.level_mv

    def power(self, on: bool, now_us: int) -> None:
        """The firmware switches the strips' 5 V on or off (GP18)."""
        self.rails.switch(on, now_us)
        self._fed(now_us)

    def power_up(self, now_us: int) -> None:
        """The board's supply goes and comes back: all begins without power."""
        self.rails.power_up(now_us)
        self._forget_light()
        self._fed(now_us)

    def restart(self, now_us: int) -> None:
        """The chip restarts while the supply stays: the strips lose theirs."""
        self.rails.restart(now_us)
        self._fed(now_us)

    def supply(self, mv: int, now_us: int) -> None:
        """The supply gives so much from now on; 0 is none."""
        self.rails.supply(mv, now_us)
        self._fed(now_us)

    def mend_supply(self, mv: int, now_us: int) -> None:
        """Somebody takes another supply, and puts in a new fuse if the old one has blown."""
        self.rails.mend()
        self.supply(mv, now_us)

    def pull_strip(self, row: int, now_us: int) -> None:
        """A strip is pulled out of its socket: it reads nothing and is dark, and the lights behind
        it in the chain hear no more."""
        self.pulled |= {row}
        self._show(self._without_pulled(self.light))
        self._busy[_SUPPLY] = [(now_us, now_us + _NOTICED_US)]

    def plug_strip(self, row: int, now_us: int) -> None:
        """A strip is plugged in, whether its socket has power or not; its lights are dark until
        they are sent a picture."""
        self.pulled -= {row}
        self.rails.plug(now_us)
        self._busy[_SUPPLY] = [(now_us, now_us + _NOTICED_US)]
        self._fed(now_us)

    def _without_pulled(self, rgb: bytes) -> bytes:
        """Lit part of a picture: nothing on a strip that is pulled."""
        if not self.pulled:
            return rgb
        strips = enumerate(self.profile.strips)
        shown = [b"\0\0\0" if row in self.pulled else rgb[3 * n : 3 * n + 3] for n, row in strips]
        return b"".join(shown)

    def _heard(self, rgb: bytes) -> bytes:
        """Picture on the lights once one is sent: lights behind a pulled strip keep theirs."""
        if not self.pulled:
            return rgb
        strips = self.profile.strips
        ends = next((n for n, row in enumerate(strips) if row in self.pulled), len(strips))
        return self._without_pulled(rgb[: 3 * ends] + self.light[3 * ends :])

    def _fed(self, now_us: int) -> None:
        """The rails have changed: what the lights and the sensors make of it."""
        rails = self.rails
        if not rails.lights_keep():
            self._forget_light()
        far = abs(rails.level_mv - self._noticed_mv) >= _NOTICE_MV
        if far or rails.steady_us > now_us:
            self._noticed_mv = rails.level_mv
            until = max(rails.steady_us + self._tail_us, now_us + _NOTICED_US)
            self._busy[_SUPPLY] = [(now_us, until)]

    # Fields.

    def field_ut(self, t_us: int) -> list[float]:
        """The field on each cell at `t_us`, in µT; times may go back by less than a leg only."""
        moving = self._under_way(t_us)
        out = self._still[:]
        for piece in moving:
            for cell, ut in self._share(piece, t_us):
                out[cell] += ut
        return out

    def sample(self, frame: int, t_us: int, counts: list[int], references: list[int]) -> None:
        """The ADC's counts of frame number `frame`, taken at `t_us`: of all cells and all rows.

        Both lists are filled in place.
        """
        if self.contacts is not None:
            self._sample_fed(frame, t_us, counts, references)
            self.contacts.replace(t_us, counts, references)
            return
        rails = self.rails
        if t_us < rails.steady_us or not rails.sound:
            self._sample_starved(frame, t_us, counts, references)
            return
        self._sample_fed(frame, t_us, counts, references)
        if self.pulled:
            self._sample_pulled(counts, references)

    def _sample_pulled(self, counts: list[int], references: list[int]) -> None:
        """A strip that is not there leaves its analog line open."""
        for row in self.pulled:
            references[row] = OPEN
        for number, cell in enumerate(self.profile.cells):
            if cell.row in self.pulled:
                counts[number] = OPEN

    def _sample_starved(
        self, frame: int, t_us: int, counts: list[int], references: list[int]
    ) -> None:
        """`sample` while the strips' 3.3 V is not what it should be, or about to change."""
        self._sample_fed(frame, t_us, counts, references)
        share = self.rails.share(t_us)
        if share <= 0.0:
            counts[:] = [count // PHANTOM for count in counts]
            references[:] = [count // PHANTOM for count in references]
        elif share < 1.0:
            counts[:] = [int(count * share) for count in counts]
            references[:] = [int(count * share) for count in references]
        if self.pulled:
            self._sample_pulled(counts, references)

    def _sample_fed(self, frame: int, t_us: int, counts: list[int], references: list[int]) -> None:
        moving = self._under_way(t_us)
        cells = len(counts)
        steady = self._steady
        if self.electrics is not None:
            if self.electrics.at(t_us) or self._uncounted:
                self._uncounted = False
                self._still_counts = self.electrics.counts(self._still)
            steady = self.electrics.references
        if self._noise:
            at = _scatter(frame + self._noise_from) % _POOL
            noise = self._noise[at : at + cells + len(references)]
            counts[:] = map(add, self._still_counts, noise)
            references[:] = map(add, steady, noise[cells:])
        else:
            counts[:] = self._still_counts
            references[:] = steady
        if moving:
            extra: dict[int, float] = {}
            for piece in moving:
                for cell, ut in self._share(piece, t_us):
                    extra[cell] = extra.get(cell, 0.0) + ut
            still, still_counts = self._still, self._still_counts
            for cell, ut in extra.items():
                counts[cell] += self._count(cell, still[cell] + ut) - still_counts[cell]
        if self.electrics is not None and self.electrics.chopping is not None:
            self.electrics.chopping.ripple(t_us, counts, references)

    def _count(self, cell: int, ut: float) -> int:
        if self.electrics is not None:
            return self.electrics.count(cell, ut)
        count = MIDDLE + round(ut / self._ut_a_count)
        return LOWEST if count < LOWEST else HIGHEST if count > HIGHEST else count

    def _under_way(self, t_us: int) -> list[Piece]:
        """Pieces that move at `t_us`; those that came to rest by then are put down for good."""
        if not self._moving:
            return []
        rested = [p for p in self._moving.values() if not p.legs or p.legs[-1].end_us <= t_us]
        for piece in rested:
            piece.place = piece.at(t_us)
            piece.legs = ()
            del self._moving[piece.number]
            self._stand(piece)
        return list(self._moving.values())

    def _share(self, piece: Piece, t_us: int) -> list[tuple[int, float]]:
        """Field that a moving piece adds to the cells near it, as (cell, µT)."""
        leg = piece.leg(t_us)
        place = leg.at(t_us) if leg else piece.place
        if place.h >= HEIGHT_MM:
            return []
        if leg is None or not leg.upright:
            return self._around(piece, place)
        if piece.felt_at != place[:2]:
            piece.felt_at = place[:2]
            piece.felt = self._lines(piece, place)
        at = place.h / STEP_MM
        node = int(at)
        part = at - node
        return [
            (cell, line[node] + part * (line[node + 1] - line[node])) for cell, line in piece.felt
        ]

    def _neighbours(self, place: Place) -> list[tuple[int, float]]:
        x, y, reach = place.x, place.y, self._reach
        square = int(x // reach), int(y // reach)
        around = self._squares.get(square)
        if around is None:
            around = self._squares[square] = self._within(*square)
        far = [(cell, hypot(x - cx, y - cy)) for cell, cx, cy in around]
        return [pair for pair in far if pair[1] <= reach]

    def _within(self, column: int, row: int) -> list[tuple[int, float, float]]:
        """The cells, with their middles, that a piece over a square of `_reach` may reach."""
        reach = self._reach
        return [
            (cell, cx, cy)
            for cell, (cx, cy) in enumerate(self._centres)
            if column - 1 <= cx // reach <= column + 1 and row - 1 <= cy // reach <= row + 1
        ]

    def _lines(self, piece: Piece, place: Place) -> list[tuple[int, Column]]:
        table, sign = self._tables[piece.kind], piece.sign
        out = []
        for cell, offset in self._neighbours(place):
            line = table.column(offset)
            above = self._above[cell]
            if above:
                line = tuple([along(line, node * STEP_MM + above) for node in range(len(line))])
            out.append((cell, line if sign == 1.0 else tuple([sign * ut for ut in line])))
        return out

    def _around(self, piece: Piece, place: Place) -> list[tuple[int, float]]:
        table, sign = self._tables[piece.kind], piece.sign
        above = self._above
        return [
            (cell, sign * table.at_ut(place.h + above[cell], offset))
            for cell, offset in self._neighbours(place)
        ]

    def _stand(self, piece: Piece) -> None:
        near = self._around(piece, piece.place) if piece.place.h < HEIGHT_MM else []
        for cell, ut in near:
            self._shares[cell][piece.number] = ut
        self._total([cell for cell, _ in near])

    def _forget(self, piece: Piece) -> None:
        touched = [cell for cell, share in enumerate(self._shares) if piece.number in share]
        for cell in touched:
            del self._shares[cell][piece.number]
        self._total(touched)

    def _total(self, cells: list[int]) -> None:
        """Sum the standing pieces again, in order of number: the history must not show in it."""
        for cell in cells:
            share = self._shares[cell]
            self._still[cell] = sum(share[number] for number in sorted(share))
            if not self._uncounted:
                self._still_counts[cell] = self._count(cell, self._still[cell])

    # Light and buttons.

    def shine(self, rgb: bytes, now_us: int = 0) -> None:
        """Show a frame: r, g, b of each light; lost on lights without power."""
        rgb = self._heard(rgb)
        if rgb != self.light and self.rails.lights_listen(now_us):
            if self._show(rgb):
                self._busy[_LIGHT] = [(now_us, now_us + self._tail_us)]
            self._draw(now_us)

    def _show(self, rgb: bytes) -> bool:
        """Let the lights shine so; whether a sensor may notice."""
        self.light = rgb
        self.light_frames += 1
        if self.electrics is None or not self.electrics.set_lights(rgb):
            return False
        self._uncounted = True
        return self.electrics.shifted()

    def _draw(self, now_us: int) -> None:
        """The lights' current flows through the supply's wires."""
        if self.electrics is not None:
            self.rails.draw(self.electrics.drawn_ma, now_us)
            self._fed(now_us)

    def _forget_light(self) -> None:
        """The lights have lost their power, and their picture with it."""
        if any(self.light):
            self.light = bytes(len(self.light))
            self.light_frames += 1
            if self.electrics is not None and self.electrics.set_lights(self.light):
                self._uncounted = True

    def press(self, button: int, down: bool) -> None:
        """Press or release a button, 0 to 3; ValueError for another."""
        if not 0 <= button < BUTTONS:
            raise ValueError(f"button {button} does not exist: a board has {BUTTONS}, from 0")
        bit = 1 << button
        self.buttons = self.buttons | bit if down else self.buttons & ~bit


def _scatter(n: int) -> int:
    """A number far from that of n − 1 and n + 1 (the finishing steps of splitmix64)."""
    n = (n * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    n = ((n ^ (n >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    return n ^ (n >> 31)


def _faint_height(table: FieldTable) -> float:
    """The height above which a magnet is too faint to look at."""
    line = table.column(0.0)
    return next(i for i, ut in enumerate(line) if ut < FAINT_UT) * STEP_MM


# How a piece moves. Heights are of its underside above its seat. A leg says how fast it leaves and
# arrives, so that a stone can be set down with some speed left, as people do.


class Place(NamedTuple):
    """A point over the board, in mm: x to the right, y down from the middle, h above the seat."""

    x: float
    y: float
    h: float


@dataclass(frozen=True, slots=True)
class Leg:
    """One stretch of a way, from `begin_us` to `end_us`.

    `leaving` and `arriving` are the speeds at its ends as multiples of its mean speed, each from
    0 (from rest, to rest) to 3.
    """

    begin_us: int
    end_us: int
    start: Place
    end: Place
    leaving: float = 1.0
    arriving: float = 1.0

    @property
    def upright(self) -> bool:
        """True if only the height changes."""
        return self.start.x == self.end.x and self.start.y == self.end.y

    def share(self, t_us: int) -> float:
        """The part of the way that is done at `t_us`, 0 to 1.

        >>> here, there = Place(0, 0, 40), Place(0, 0, 0)
        >>> leg = Leg(0, 100, here, there, leaving=0.0, arriving=0.0)
        >>> leg.share(-5), leg.share(50), leg.share(100)
        (0.0, 0.5, 1.0)
        """
        if t_us <= self.begin_us:
            return 0.0
        if t_us >= self.end_us:
            return 1.0
        u = (t_us - self.begin_us) / (self.end_us - self.begin_us)
        bend = self.leaving + self.arriving - 2.0
        return u * (self.leaving + u * (3.0 - 2.0 * self.leaving - self.arriving + u * bend))

    def at(self, t_us: int) -> Place:
        """Place of the piece at `t_us`."""
        s = self.share(t_us)
        if s >= 1.0:
            return self.end
        a, b = self.start, self.end
        return Place(a.x + s * (b.x - a.x), a.y + s * (b.y - a.y), a.h + s * (b.h - a.h))

    def when_low(self, height_mm: float) -> tuple[int, int] | None:
        """First and last µs of the part that lies below a height; None when there is none."""
        low, high = sorted((self.start.h, self.end.h))
        if low >= height_mm:
            return None
        if high <= height_mm:
            return self.begin_us, self.end_us
        early, late = self.begin_us, self.end_us
        falling = self.start.h > self.end.h
        while late - early > 1:
            middle = (early + late) // 2
            if (self.at(middle).h < height_mm) == falling:
                late = middle
            else:
                early = middle
        return (late, self.end_us) if falling else (self.begin_us, early)


def straight(begin_us: int, start: Place, end: Place, speed: float, at_least_us: int = 0) -> Leg:
    """A leg at an even speed in m/s (that is, mm a ms), taking `at_least_us`."""
    way = hypot(end.x - start.x, end.y - start.y, end.h - start.h)
    return Leg(begin_us, begin_us + max(round(way / speed * 1000), at_least_us, 1), start, end)


def _contacts(profile: Profile, seed: int) -> Contacts:
    from lumiban_sim.switches import Contacts  # most boards measure, and start without it

    return Contacts(profile, seed=seed)
