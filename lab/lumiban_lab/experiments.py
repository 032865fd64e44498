"""Experiments on simulated boards: races, answers by light, boards full of pieces.

Everything is as at a table, but for the host: hands over the simulated board, the field of their
pieces with noise and crosstalk, the firmware on CPython, its frames on the line. A race tells for
each piece the moment at which it touched and the time and uncertainty that were told; an answer
how long a stone's way to the host and that of the light back take in virtual time. A board full of
pieces is powered on as they stand: does the firmware tell every kind? Parts, lids and magnets are
off as far as their tolerances go, and pieces lie up to 1 mm beside the middle of their cells; the
board was calibrated when it was empty, and nothing else helps it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import cos, hypot, pi, sin, sqrt

from lumiban.boards import profile as profiles
from lumiban.boards.link import Link
from lumiban.boards.messages import events_base, framed, packed, unpack_events
from lumiban.boards.profile import Profile
from lumiban.boards.types import Changed, LightFrame
from lumiban_fw import wire
from lumiban_fw.wire import BLACK, EMPTY, NEUTRAL, UNKNOWN, WHITE
from lumiban_sim.built_board import GAP_MM, BuiltBoard, Climate, built, exact
from lumiban_sim.hands import HUMAN, Tempo
from lumiban_sim.rig import Rig
from lumiban_sim.world import Place

CROWD = 12
"""With more stones than this the board is cleared before the next race."""
REST_US = 400_000
"""At least so long the board is left alone before hands set out."""
EVENT_TIMEOUT_US = 1_500_000
"""So long after contact an event that was not told is missing."""
WARMING = Climate(rise_k=15.0, within_us=300_000_000)
"""From a cool room to a warm one, under lights."""
ROUGH_WAVER = 0.25
NOTHING = (-1, -1, 0)
"""Number, time and uncertainty of what was not told."""


@dataclass(frozen=True, slots=True)
class Runner:
    """Piece that a hand brings, and its speed when set down, in m/s over the last 10 mm."""

    strong: bool
    speed: float


@dataclass(frozen=True, slots=True)
class Arrival:
    """One piece: when it touched its seat, and what the board told of it.

    Board time, µs; `number` and `t_us` are -1 when nothing was told.
    """

    touch_us: int
    number: int
    t_us: int
    uncertainty_us: int


Race = tuple[Arrival, Arrival]


class _Track:
    """A board with hands, and a host that only listens and lets all lights blink."""

    def __init__(self, profile: Profile, seed: int, board: BuiltBoard) -> None:
        self.rig = Rig(profile, seed, board=board)
        self.told: dict[int, tuple[int, int, int]] = {}
        """By cell: (number, time, uncertainty) of the newest placement that was told."""
        self._decoder = wire.Decoder()
        self._known = 0
        self._beat_us = 0
        self.rig.from_host(b"\0" + framed(wire.H_HELLO, wire.MAJOR, wire.MINOR, 1))
        self._blink(profile.lights)
        self.go(REST_US)

    def _blink(self, lights: int) -> None:
        """White at full, on and off: the most that light can do to the senses."""
        frames = (
            (wire.H_PALETTE, packed(wire.H_PALETTE, 1, tail=[(255, 255, 255)])),
            *(
                (
                    wire.H_LAYER,
                    packed(wire.H_LAYER, 0, first, tail=[(1, wire.BLINK)] * wire.LIGHTS_A_FRAME),
                )
                for first in range(0, lights, wire.LIGHTS_A_FRAME)
            ),
            (wire.H_COMMIT, packed(wire.H_COMMIT, 0)),
        )
        for seq, (kind, payload) in enumerate(frames):
            self.rig.from_host(wire.frame(kind, payload, wire.RELIABLE, seq))

    def go(self, until_us: int) -> None:
        """Let time go on, beating and acknowledging as a host does."""
        rig = self.rig
        while rig.now_us < until_us:
            if rig.now_us >= self._beat_us:
                self._beat_us = rig.now_us + 1_000_000
                rig.from_host(framed(wire.H_BEAT, wire.BEAT_US))
            rig.run(min(until_us, self._beat_us))
            for kind, flags, _, _, payload in self._decoder.feed(rig.to_host()):
                if kind == wire.B_EVENTS:
                    self._hear(flags, payload)

    def _hear(self, flags: int, payload: bytes) -> None:
        first, low, _, events = unpack_events(payload)
        base = events_base(low, flags, self.rig.now_us)
        for n, (cell, kind, dt, uncertainty) in enumerate(events, first):
            if n >= self._known and kind & wire.KIND != wire.EMPTY:
                self.told[cell] = (n, base + dt, uncertainty)
        self._known = max(self._known, first + len(events))
        self.rig.from_host(framed(wire.H_ACK, self._known))

    def race(
        self, runners: tuple[Runner, Runner], apart_us: int, waver: float, dice: random.Random
    ) -> Race:
        """One race, from a board at rest to a board at rest."""
        rig = self.rig
        cells = dice.sample([cell for cell, kind in enumerate(rig.kinds) if not kind], 2)
        slowest = min(runner.speed for runner in runners)
        touch_us = rig.now_us + round(45_000 / slowest) + REST_US + dice.randrange(1000)
        first = dice.randrange(2)
        errands = []
        for n, (runner, cell) in enumerate(zip(runners, cells, strict=True)):
            at_us = touch_us + (0 if n == first else apart_us)
            kind = dice.choice((WHITE, BLACK)) if runner.strong else NEUTRAL
            tempo = Tempo(touch=(runner.speed, runner.speed), waver=waver)
            hand = f"hand {n}"
            errands.append(rig.hands.place(cell, kind, hand=hand, touch_us=at_us, tempo=tempo))
        self.go(touch_us + 60_000)
        until_us = touch_us + EVENT_TIMEOUT_US
        while not all(cell in self.told for cell in cells) and rig.now_us < until_us:
            self.go(rig.now_us + 20_000)
        one, other = (
            Arrival(errand.touch_us - rig.chip.epoch_us, *self.told.get(errand.cell, NOTHING))
            for errand in errands
        )
        return one, other

    def clear(self) -> None:
        """Take all pieces off, out of the world."""
        rig = self.rig
        for piece in list(rig.world.pieces.values()):
            rig.world.vanish(piece, rig.now_us)
        self.go(rig.now_us + 100_000)
        self.told.clear()


def heat(
    profile: Profile,
    runners: tuple[Runner, Runner],
    apart_us: int,
    seed: int,
    races: int,
    *,
    rough: bool = False,
) -> list[Race]:
    """Race two pieces against each other, again and again; a coin says which touches first.

    Each race takes two free cells at random, `apart_us` lies between the two contacts, up to 1 mm
    between a stone and the middle of its cell, and a hand's speed changes by up to 10 % on its
    way down. Stones stay until the board is crowded. All lights blink at full, so that the strips'
    grounds shift, the board warms up by 15 kelvin within five minutes, and each cell drifts with
    it in its own way; magnets differ as they do. `rough`: the lid is up to 0.5 mm off and sensors
    are up to some percent wrong, which the firmware does not know, and speeds change by up to
    25 %. The same arguments give the same races.
    """
    dice = random.Random(f"heat {seed}")
    board = built(profile, seed, gap_mm=GAP_MM, common_gap=True, climate=WARMING)
    if not rough:
        parts = exact(profile)
        board = replace(board, gaps_mm=parts.gaps_mm, gains=parts.gains)
    waver = ROUGH_WAVER if rough else HUMAN.waver
    track = _Track(profile, seed, board)
    out: list[Race] = []
    for _ in range(races):
        if len(track.rig.world.pieces) > CROWD:
            track.clear()
        out.append(track.race(runners, apart_us, waver, dice))
    return out


# Answers by light.

ANSWER_TIMEOUT_US = 2_000_000
SPEED_US = 600_000
"""From the order to the contact: a hand has that long to come."""
COLOURS = ((0, 0, 0), (255, 255, 255))


@dataclass(frozen=True, slots=True)
class Answer:
    """One placement, µs after its contact: when the host heard of it, and when light answered."""

    heard_us: int
    lit_us: int


def answers(profile: Profile, seed: int, count: int) -> list[Answer]:
    """Let a hand set stones, each answered by the light of its cell; the line takes no time.

    AssertionError when a stone is not answered within two seconds. The same arguments give the
    same answers.
    """
    dice = random.Random(f"answers {seed}")
    rig = Rig(profile, seed)
    link = Link(profile, seed + 1)
    link.opened(rig.now_us)
    heard: dict[int, int] = {}

    def go(until_us: int) -> None:
        while rig.now_us < until_us:
            rig.from_host(link.take_output())
            rig.run(max(rig.now_us, min(until_us, link.next_deadline() or until_us)))
            now = rig.now_us
            for event in link.receive(rig.to_host(), now) + link.poll(now):
                if isinstance(event, Changed):
                    for one in event.events:
                        heard.setdefault(one.cell, now)
                        link.show(_one_light(profile, one.cell))
                        link.acknowledge(one.number + 1)

    go(REST_US)
    out: list[Answer] = []
    while len(out) < count:
        free = [cell for cell, kind in enumerate(rig.kinds) if not kind]
        if len(free) < len(profile.cells) // 2:
            for piece in list(rig.world.pieces.values()):
                rig.world.vanish(piece, rig.now_us)
            go(rig.now_us + REST_US)
            continue
        cell = dice.choice(free)
        heard.clear()
        touch_us = rig.now_us + SPEED_US + dice.randrange(1000)
        errand = rig.hands.place(cell, dice.choice((1, 2, 3)), touch_us=touch_us)
        lamp = 3 * profile.cells[cell].light
        while not (cell in heard and rig.light[lamp]):
            assert rig.now_us < touch_us + ANSWER_TIMEOUT_US, f"cell {cell} was not answered"
            go(rig.now_us + 1_000)
        out.append(Answer(heard[cell] - errand.touch_us, rig.now_us - errand.touch_us))
        go(rig.now_us + REST_US)
    return out


def _one_light(profile: Profile, cell: int) -> LightFrame:
    lamp = profile.cells[cell].light
    return LightFrame(tuple((int(n == lamp), 0) for n in range(profile.lights)), COLOURS)


# Boards full of pieces.

LATERAL_MM = 1.0
ODDS = ((EMPTY, 25), (WHITE, 30), (BLACK, 30), (NEUTRAL, 15))
"""Odds in 100 of each piece on a cell."""
SETTLED_US = 400_000
"""After so long a board has told all that it can."""
AROUND_PITCHES = 2.1
"""The 18 nearest neighbours lie within this."""


@dataclass(frozen=True, slots=True)
class KindReport:
    """Reports of one board on its cells."""

    cells: int
    wrong: tuple[tuple[int, int, int], ...]
    """(cell, kind that stands there, kind told)."""
    unknown: int
    """Cells of which it says that it does not know."""
    margins_ut: dict[int, int]
    """By kind: how near the field of such a cell came to a threshold, without noise."""


def random_board(profile: Profile, seed: int) -> KindReport:
    """A board of random parts with random pieces; the seed says which."""
    dice = random.Random(f"crowded {seed}")
    kinds, weights = zip(*ODDS, strict=True)
    stands = dice.choices(kinds, weights, k=len(profile.cells))
    aside = [LATERAL_MM * sqrt(dice.random()) for _ in stands]
    return report_kinds(profile, stands, aside, built(profile, seed), seed)


def worst_board(profile: Profile, kind: int, around: int, seed: int) -> KindReport:
    """The middle cell with `kind` far under its lid and off centre, and 18 neighbours of the kind
    `around` in the middle of their cells and near their sensors."""
    cells = len(profile.cells)
    middle = cells // 2
    gaps, aside = [-GAP_MM] * cells, [0.0] * cells
    gaps[middle], aside[middle] = GAP_MM, LATERAL_MM
    board = replace(built(profile, seed), gaps_mm=tuple(gaps))
    return report_kinds(profile, ring_of_kinds(profile, middle, kind, around), aside, board, seed)


def ring_of_kinds(profile: Profile, middle: int, kind: int, around: int) -> list[int]:
    """Kinds by cell: one in the middle, another on the cells within reach of it, else nothing."""
    here = profile.cells[middle]
    reach = AROUND_PITCHES * profile.pitch_mm
    return [
        kind
        if number == middle
        else around
        if hypot(cell.x_mm - here.x_mm, cell.y_mm - here.y_mm) <= reach
        else EMPTY
        for number, cell in enumerate(profile.cells)
    ]


def report_kinds(
    profile: Profile, stands: Sequence[int], aside_mm: Sequence[float], board: BuiltBoard, seed: int
) -> KindReport:
    """Power on a board on which these kinds stand, so far beside the middle, and listen."""
    rig = Rig(profile, seed, board=board)
    dice = random.Random(f"aside {seed}")
    for cell, (kind, far) in enumerate(zip(stands, aside_mm, strict=True)):
        if kind != EMPTY:
            middle, turn = profile.cells[cell], 2 * pi * dice.random()
            x, y = middle.x_mm + far * cos(turn), middle.y_mm + far * sin(turn)
            rig.world.appear(kind, Place(x, y, 0.0), cell=cell)
    rig.chip.reset()
    rig.run(rig.now_us + SETTLED_US)
    kinds = rig.chip.board.sense.kinds
    wrong = [
        (cell, kind, kinds[cell])
        for cell, kind in enumerate(stands)
        if kinds[cell] != kind and kinds[cell] != UNKNOWN
    ]
    return KindReport(len(stands), tuple(wrong), kinds.count(UNKNOWN), _margins(rig, stands))


def _margins(rig: Rig, stands: Sequence[int]) -> dict[int, int]:
    profile = rig.profile
    out: dict[int, int] = {}
    for cell, ut in enumerate(rig.world.field_ut(rig.now_us)):
        strength, kind = abs(round(ut)), stands[cell]
        if kind == EMPTY:
            margin = profile.on_ut - strength
        elif kind == NEUTRAL:
            margin = min(strength - profile.on_ut, profile.strong_ut - strength)
        else:
            margin = min(strength - profile.strong_ut, profile.foreign_ut - strength)
        out[kind] = min(margin, out.get(kind, margin))
    return out


def races(
    profile: str,
    strong: tuple[bool, bool],
    speeds: tuple[float, float],
    apart_us: int,
    seed: int,
    count: int,
    *,
    rough: bool = False,
) -> list[Race]:
    """Let two simulated hands race on a simulated board; see `heat`.

    `strong` and `speeds` (m/s) are of the two pieces. ProfileError for a bad profile.
    """
    one, other = (Runner(*runner) for runner in zip(strong, speeds, strict=True))
    return heat(profiles.load(profile), (one, other), apart_us, seed, count, rough=rough)


def crowded_boards(profile: str, seed: int, count: int) -> list[KindReport]:
    """Power on random boards full of pieces. ProfileError for a bad profile."""
    board = profiles.load(profile)
    return [random_board(board, seed + number) for number in range(count)]


def worst_boards(profile: str, kind: int, around: int, seed: int, count: int) -> list[KindReport]:
    """Power on boards on which one piece stands amid 18 neighbours of a kind, with the worst lids.

    ProfileError for a bad profile.
    """
    board = profiles.load(profile)
    return [worst_board(board, kind, around, seed + number) for number in range(count)]
