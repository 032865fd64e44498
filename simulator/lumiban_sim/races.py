"""Races: two hands set down two pieces almost at once, and the board says which was first.

Everything is as at a table, but for the host: hands over the simulated board, the field of their
pieces with noise and crosstalk, the firmware on CPython, its EVENTS frames on the line. What comes
out is, for each piece, the moment at which it touched and the time and uncertainty that were told.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from lumiban.boards.profile import Profile
from lumiban_fw import wire
from lumiban_fw.wire import BLACK, NEUTRAL, WHITE

from lumiban_sim.built import GAP_MM, BuiltBoard, Climate, built, exact
from lumiban_sim.rig import Rig
from lumiban_sim.ways import HUMAN, Tempo

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
    """What a hand brings, and how fast it sets it down, in m/s over the last 10 mm."""

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
        self.rig.from_host(b"\0" + wire.frame(wire.H_HELLO, wire.pack_host_hello(1)))
        self._blink(profile.lights)
        self.go(REST_US)

    def _blink(self, lights: int) -> None:
        """White at full, on and off: the most that light can do to the senses."""
        frames = (
            (wire.H_PALETTE, wire.pack_palette(1, [(255, 255, 255)])),
            (wire.H_MASK, wire.pack_mask(0, 1, wire.BLINK, list(range(lights)))),
            (wire.H_COMMIT, wire.pack_u32(0)),
        )
        for seq, (kind, payload) in enumerate(frames):
            self.rig.from_host(wire.frame(kind, payload, wire.RELIABLE, seq))

    def go(self, until_us: int) -> None:
        """Let time go on, beating and acknowledging as a host does."""
        rig = self.rig
        while rig.now_us < until_us:
            if rig.now_us >= self._beat_us:
                self._beat_us = rig.now_us + 1_000_000
                rig.from_host(wire.frame(wire.H_BEAT, wire.pack_u32(wire.BEAT_US)))
            rig.run(min(until_us, self._beat_us))
            for kind, flags, _, _, payload in self._decoder.feed(rig.to_host()):
                if kind == wire.B_EVENTS:
                    self._hear(flags, payload)

    def _hear(self, flags: int, payload: bytes) -> None:
        first, low, _, events = wire.unpack_events(payload)
        base = wire.events_base(low, flags, self.rig.now_us)
        for n, (cell, kind, dt, uncertainty) in enumerate(events, first):
            if n >= self._known and kind & wire.KIND != wire.EMPTY:
                self.told[cell] = (n, base + dt, uncertainty)
        self._known = max(self._known, first + len(events))
        self.rig.from_host(wire.frame(wire.H_ACK, wire.pack_u32(self._known)))

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
