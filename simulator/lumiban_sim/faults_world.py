"""A world whose board is broken: planned faults in what the sensors read and the lights show."""

from __future__ import annotations

import random

from lumiban.boards.profile import Profile
from lumiban_fw.layout import REFERENCE
from lumiban_fw.wire import BLACK, FULL_MA, FULL_SCALE, IDLE_MA, WHITE

from lumiban_sim.built import BuiltBoard
from lumiban_sim.faults_plan import Fault
from lumiban_sim.motion import Place, straight
from lumiban_sim.rails import Feed
from lumiban_sim.world import NOISE_UT, Piece, World

NOTHING = 60
"""Counts of a line that is broken: the ADC's input is pulled low."""
LOOK_US = 15_000_000
"""Skipped time is looked at frame by frame for so long after a fault begins: what a firmware
notices by itself it has noticed then."""
CALM_US = 200_000
"""… and for so long around its beginning and end."""
LOOSE_US = 20_000
"""A loose plug has contact, or none, for so long."""
WARMTH_UT = 15.0
"""Standard deviation of a sensor's drift, µT a kelvin."""
PUSH_SPEED = 0.2
"""m/s at which a piece is pushed aside."""
FOREIGN = 3.0
"""A foreign magnet is so much stronger than a piece's."""
"""The multiplexer's channel of the reference."""
READ_BY_ALL = frozenset(
    {"stuck", "dead", "cable", "loose", "select", "brown-out", "thin", "spikes", "warm"}
)
"""Faults that change readings."""


class FaultyWorld(World):
    """A `World` in which `broken` holds the faults that hold now; a seed fixes their chance."""

    def __init__(
        self,
        profile: Profile,
        seed: int = 0,
        *,
        noise_ut: float = NOISE_UT,
        board: BuiltBoard | None = None,
        feed: Feed | None = None,
    ) -> None:
        self.broken: list[Fault] = []
        super().__init__(profile, seed, noise_ut=noise_ut, board=board, feed=feed)
        dice = random.Random(f"faults {seed}")
        self._fault_seed = seed
        self._drift = [dice.gauss(0.0, WARMTH_UT) for _ in profile.cells]
        self._stuck: dict[Fault, int] = {}
        self._looks: dict[Fault, tuple[int, int]] = {}
        self._by_channel = {(c.row, c.channel): n for n, c in enumerate(profile.cells)}
        self._given = self.light

    # Faults come and go.

    def breaks(self, fault: Fault, now_us: int) -> None:
        """A fault begins."""
        self.broken.append(fault)
        self._look(fault, now_us)
        self._feed_anew(now_us)
        self._shine_anew(now_us)

    def mends(self, fault: Fault, now_us: int) -> None:
        """A fault is over."""
        self.broken.remove(fault)
        self._stuck.pop(fault, None)
        self._looks[fault] = (now_us - CALM_US, now_us + CALM_US)
        self._feed_anew(now_us)
        self._shine_anew(now_us)

    def _look(self, fault: Fault, now_us: int) -> None:
        if fault.name in READ_BY_ALL:
            lasts = CALM_US if fault.name == "warm" else LOOK_US
            self._looks[fault] = (now_us - CALM_US, min(now_us + lasts, fault.until_us + CALM_US))

    def next_interesting_us(self, after_us: int) -> int:
        """The first time from `after_us` on at which readings change; FOREVER if never."""
        soonest = super().next_interesting_us(after_us)
        for fault, (begin, end) in list(self._looks.items()):
            if end < after_us:
                del self._looks[fault]
            else:
                soonest = min(soonest, max(begin, after_us))
        return soonest

    # What is read.

    def _feed_anew(self, now_us: int) -> None:
        """What the supply gives, and through which wires."""
        sags = [int(fault.args[0]) for fault in self.broken if fault.name == "brown-out"]
        self.rails.supply(min([self.rails.feed.supply_mv, *sags]), now_us)
        self._draw(now_us)
        self._fed(now_us)

    def _draw(self, now_us: int) -> None:
        thin = sum(fault.args[0] for fault in self.broken if fault.name == "thin")
        if thin or self.electrics is None:
            self.rails.draw(self._drawn_ma() if thin else 0.0, now_us, 1000 * thin)
            self._fed(now_us)
        else:
            self.rails.draw(self.electrics.drawn_ma, now_us)
            self._fed(now_us)

    def _drawn_ma(self) -> float:
        return len(self.light) / 3 * IDLE_MA + FULL_MA * sum(self.light) / 255

    def sample(self, frame: int, t_us: int, counts: list[int], references: list[int]) -> None:
        """The ADC's counts of a frame, as the broken board reads them."""
        super().sample(frame, t_us, counts, references)
        for fault in self.broken:
            if fault.name == "stuck":
                counts[fault.cell] = self._stuck.setdefault(fault, counts[fault.cell])
            elif fault.name == "dead":
                counts[fault.cell] = NOTHING
            elif fault.name == "cable" or (
                fault.name == "loose" and (t_us - fault.at_us) // LOOSE_US % 2 == 0
            ):
                self._cut(int(fault.args[0]), counts, references)
            elif fault.name == "select":
                self._mirror(fault, counts, references)
            elif fault.name == "spikes":
                self._spike(fault, frame, counts)
            elif fault.name == "warm":
                for cell, ut in enumerate(self._drift):
                    counts[cell] += round(ut * fault.args[0] / self._ut_a_count)

    def _cut(self, row: int, counts: list[int], references: list[int]) -> None:
        references[row] = NOTHING
        for number, cell in enumerate(self.profile.cells):
            if cell.row == row:
                counts[number] = NOTHING

    def _mirror(self, fault: Fault, counts: list[int], references: list[int]) -> None:
        bit = 1 << int(fault.args[0])
        rows = {int(row) for row in fault.args[1:]} or set(range(self.profile.rows))
        true = counts[:]
        for (row, channel), cell in self._by_channel.items():
            if row in rows and channel & bit:
                other = self._by_channel.get((row, channel & ~bit))
                counts[cell] = NOTHING if other is None else true[other]
        for row in rows:
            other = self._by_channel.get((row, REFERENCE & ~bit))
            references[row] = NOTHING if other is None else true[other]

    def _spike(self, fault: Fault, frame: int, counts: list[int]) -> None:
        size_mt, rate = fault.args
        dice = random.Random(f"spike {self._fault_seed} {frame}")
        if dice.random() < rate / self.profile.scan_hz:
            by = round(size_mt * 1000 / self._ut_a_count)
            cell = dice.randrange(len(counts))
            counts[cell] = min(max(counts[cell] + dice.choice((-by, by)), 0), FULL_SCALE)

    # What is lit.

    def shine(self, rgb: bytes, now_us: int = 0) -> None:
        """Show a frame, as far as the lights do."""
        if self.rails.lights_listen(now_us):
            self._given = rgb
        self._shine_anew(now_us)

    def _shine_anew(self, now_us: int) -> None:
        rgb = self._given
        for fault in self.broken:
            if fault.name == "dark":
                first = self.profile.cells[fault.cell].light
                strip = self.profile.strips[first]
                shown = bytearray(rgb)
                for light in range(first, len(self.profile.strips)):
                    if self.profile.strips[light] == strip:
                        shown[3 * light : 3 * light + 3] = b"\0\0\0"
                rgb = bytes(shown)
        super().shine(rgb, now_us)

    def _forget_light(self) -> None:
        self._given = bytes(len(self._given))
        super()._forget_light()

    # What lies there.

    def topmost(self, cell: int) -> Piece | None:
        """The piece that stands on top of a cell, if no hand has it."""
        there = [piece for piece in self.on(cell) if not piece.held and not piece.legs]
        return there[-1] if there else None

    def turn(self, piece: Piece, now_us: int) -> None:
        """A piece lies the other way up: its magnet points the other way, a white one is black.

        It stays the same piece, so that what else is wrong with it ends when it should.
        """
        piece.kind = {WHITE: BLACK, BLACK: WHITE}.get(piece.kind, piece.kind)
        self._remagnetise(piece, -1.0, now_us)

    def weaken(self, piece: Piece, share: float, now_us: int) -> None:
        """A piece's magnet has this share of what it had; above 1 it is stronger."""
        self._remagnetise(piece, share, now_us)

    def _remagnetise(self, piece: Piece, by: float, now_us: int) -> None:
        piece.sign *= by
        piece.felt_at = None
        if piece.number not in self._moving:  # else it stands where its way ends
            self._forget(piece)
            self._stand(piece)
            self._jolt(piece, now_us)

    def foreign(self, cell: int, now_us: int) -> Piece:
        """A magnet of no piece lies on a cell."""
        piece = self.stand(WHITE, cell, now_us)
        self.weaken(piece, FOREIGN, now_us)
        return piece

    def between(self, one: int, other: int, kind: int, now_us: int) -> Piece:
        """A piece lies in the middle between two cells, on none."""
        a, b = self.profile.cells[one], self.profile.cells[other]
        place = Place((a.x_mm + b.x_mm) / 2, (a.y_mm + b.y_mm) / 2, 0.0)
        piece = self.appear(kind, place)
        self._jolt(piece, now_us)
        return piece

    def push(self, piece: Piece, x_mm: float, y_mm: float, now_us: int) -> None:
        """Push a piece over the board to a point; it still belongs to its cell."""
        here = piece.at(now_us)
        leg = straight(now_us, here, here._replace(x=x_mm, y=y_mm), PUSH_SPEED)
        self.follow(piece, now_us, (leg,))
