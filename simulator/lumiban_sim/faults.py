"""Faults of a simulated board: plans, a broken world, a spoilt line.

A plan is a small text that says when what goes wrong:

    # A sensor that sticks, and a cable that comes loose.
    at 12s for 30s stuck e5
    at 1min for 2s cable of row 3
    at 90s toddler with 30 pieces

One fault a line; `#` begins a comment. `at` counts from the start of the world. With `for` a fault
ends; without, it stays, or happens once. `FORMS` lists them all. Cells are named as on the board,
whatever game is laid on it. `Acts` makes a plan's faults happen: in a `FaultyWorld`, to the chip,
the hands and the line.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Protocol

from lumiban.boards.limits import MIDDLE
from lumiban.boards.profile import Profile
from lumiban.errors import GameError, UsageError
from lumiban_fw.layout import REFERENCE
from lumiban_fw.wire import (
    B_HELLO,
    BLACK,
    FULL_MA,
    FULL_SCALE,
    H_HELLO,
    IDLE_MA,
    NEUTRAL,
    WHITE,
    frame,
    uncobs,
)

from lumiban_sim.built_board import BuiltBoard
from lumiban_sim.chip import BY_WATCHDOG, Chip
from lumiban_sim.hands import BRISK, Hands
from lumiban_sim.rails import Feed
from lumiban_sim.world import NOISE_UT, Piece, Place, World, straight

ONCE, LASTS, ENDS = "once", "lasts", "ends"
"""Has no end; may have one; must have one."""


@dataclass(frozen=True, slots=True)
class Form:
    """Form of writing a fault: words in capitals stand for what is named in `WORDS`."""

    words: str
    time: str
    what: str
    """Effect on the board, in a few words."""

    @property
    def name(self) -> str:
        """Its first word."""
        return self.words.split()[0]


FORMS = (
    Form("stuck CELL", LASTS, "the sensor keeps its present reading"),
    Form("dead CELL", LASTS, "the sensor reads next to nothing"),
    Form("cable of row ROW", LASTS, "the strip and its reference read next to nothing"),
    Form("loose plug of row ROW", ENDS, "the same, on and off every few milliseconds"),
    Form(
        "select line LINE",
        LASTS,
        "the multiplexers ignore a select line: channels read alike in pairs",
    ),
    Form("select line LINE of row ROW", LASTS, "the same for one strip's multiplexer"),
    Form("closed CELL", LASTS, "a switch stays closed, whatever stands there"),
    Form("joined CELL CELL", LASTS, "two switches share a pin: a piece on either shows on both"),
    Form("wide CELL CELL", LASTS, "the first cell's switch closes for the second's piece too"),
    Form("bare matrix", LASTS, "switches in a matrix have no diodes: three corners show a fourth"),
    Form("dark light CELL", LASTS, "the light fails, and with it the rest of its strip"),
    Form("brown-out to MILLIVOLTS", ENDS, "the 5 V rail sags to this voltage"),
    Form(
        "thin cable of OHMS", LASTS, "the 5 V cable has this resistance: lights make the rail sag"
    ),
    Form("spikes of MILLITESLA at RATE", ENDS, "single readings jump"),
    Form("warm by KELVIN", LASTS, "all sensors drift, each by its own amount"),
    Form("stacked CELL KIND", LASTS, "a second piece lies on the one standing there"),
    Form("between CELL CELL KIND", LASTS, "a piece lies in the middle between two cells"),
    Form("displaced CELL by MILLIMETRES", LASTS, "the piece there is pushed aside"),
    Form("flipped CELL", LASTS, "the piece there lies upside down"),
    Form("weak CELL to PERCENT", LASTS, "the magnet there has only this strength; 0%: it fell out"),
    Form("foreign CELL", LASTS, "a magnet that is not one of our pieces lies there"),
    Form("toddler with COUNT pieces", ONCE, "pieces within two seconds, then half swept off"),
    Form("reset", ONCE, "the board loses power, and it returns"),
    Form("hang", ONCE, "the firmware hangs, and the watchdog restarts it"),
    Form("unplug", ENDS, "the USB cable is out; a simulated port returns under another name"),
    Form("stall", ENDS, "the host reads nothing"),
    Form("noisy line PERCENT", ENDS, "this share of the line's bytes is changed or lost"),
    Form("kill host", ENDS, "the host is killed, and resumes from its journal"),
    Form("torn journal", ENDS, "the host loses power: its journal ends in half a line"),
)
"""Every fault that can be planned."""

OF_SWITCHES = frozenset({"closed", "joined", "wide", "bare"})
"""Faults that only boards of switches can have."""
OF_PIPE = frozenset({"stall", "noisy"})
"""Faults that only a line in memory can have."""
OF_HOST = frozenset({"kill", "torn"})
"""Faults of the host, which the program that runs it makes."""

_TIMES = {"us": 1, "ms": 1_000, "s": 1_000_000, "min": 60_000_000, "h": 3_600_000_000}
_KINDS = {"white": WHITE, "black": BLACK, "neutral": NEUTRAL}
_UNITS: dict[str, tuple[str, float, float, str]] = {
    "MILLIVOLTS": ("mV", 2_000, 5_200, "4200mV"),
    "OHMS": ("ohm", 0, 100, "0.8ohm"),
    "MILLITESLA": ("mT", 0, 100, "20mT"),
    "RATE": ("/s", 0, 500, "30/s"),
    "KELVIN": ("K", -40, 60, "15K"),
    "MILLIMETRES": ("mm", 0, 25, "5mm"),
    "PERCENT": ("%", 0, 100, "60%"),
    "COUNT": ("", 1, 100, "30"),
}
"""Unit, least, most and an example."""
_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)([A-Za-z%/]*)")
FOREVER = 1 << 62


class PlanError(UsageError):
    """A fault plan that cannot be read: `line` and `word` (from 1) say where."""

    def __init__(self, text: str, *, source: str, line: int, word: int) -> None:
        super().__init__(f"{source}, line {line}, word {word}: {text}")
        self.line = line
        self.word = word


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a plan; times are µs of the world, `until_us` is `FOREVER` without an end."""

    at_us: int
    until_us: int
    name: str
    args: tuple[float, ...]
    """Numbers of cells, rows, lines and kinds, or values in the unit of the form."""
    text: str
    line: int = 0

    def holds(self, t_us: int) -> bool:
        """True if it is there at a time."""
        return self.at_us <= t_us < self.until_us

    @property
    def cell(self) -> int:
        """The cell that it is about first."""
        return int(self.args[0])


@dataclass(frozen=True, slots=True)
class Plan:
    """Faults in order of time.

    >>> from lumiban.boards.profile import load
    >>> plan = parse("at 2s for 500ms stuck c3  # or d4", load("hex3"))
    >>> [(fault.name, fault.at_us, fault.until_us) for fault in plan.faults]
    [('stuck', 2000000, 2500000)]
    """

    faults: tuple[Fault, ...] = ()

    def without(self, names: frozenset[str]) -> Plan:
        """The same plan without the faults of these names."""
        return Plan(tuple(fault for fault in self.faults if fault.name not in names))

    def refuse(self, names: frozenset[str], why: str, source: str = "the plan") -> None:
        """PlanError if it has a fault of one of these names."""
        for fault in self.faults:
            if fault.name in names:
                raise PlanError(f"{fault.text!r}: {why}", source=source, line=fault.line, word=1)


def parse(text: str, profile: Profile, source: str = "the plan") -> Plan:
    """Read a plan for a board; PlanError names line and word of what is wrong."""
    faults = []
    for number, whole in enumerate(text.splitlines(), 1):
        words = whole.split("#", 1)[0].split()
        if words:
            faults.append(_Reader(words, profile, source, number).fault())
    return Plan(tuple(sorted(faults, key=lambda fault: fault.at_us)))


class _Reader:
    """Reads one line."""

    def __init__(self, words: Sequence[str], profile: Profile, source: str, line: int) -> None:
        self._words = words
        self._profile = profile
        self._source = source
        self._line = line
        self._at = 0

    def fault(self) -> Fault:
        at_us = self._time_after("at")
        lasts = self._time_after("for") if self._words[self._at : self._at + 1] == ["for"] else 0
        begun = self._at
        text = " ".join(self._words[begun:])
        forms = [form for form in FORMS if self._words[begun : begun + 1] == [form.name]]
        if not forms:
            self._wrong(f"no such fault; there are: {', '.join(_names())}")
        form = forms[0]
        if len(forms) > 1:
            form = next(
                (f for f in forms if len(f.words.split()) == len(self._words) - begun), form
            )
        args = tuple(
            value
            for wanted in form.words.split()
            if (value := self._take(wanted, form)) is not None
        )
        if self._at < len(self._words):
            self._wrong(f"nothing was expected here; the fault is written: {form.words}")
        self._at = begun
        if form.time == ONCE and lasts:
            self._wrong(f"{form.name} happens once: leave out `for`")
        if form.name in OF_SWITCHES and not self._profile.is_of_switches:
            self._wrong(f"{form.name} is a fault of switches; {self._profile.name} measures fields")
        if form.time == ENDS and not lasts:
            self._wrong(f"{form.name} must end: say for how long, as in `at 5s for 2s {text}`")
        until_us = at_us + lasts if lasts else FOREVER
        return Fault(at_us, until_us, form.name, args, text, self._line)

    def _word(self, wanted: str) -> str:
        if self._at >= len(self._words):
            self._wrong(f"{wanted} is missing")
        return self._words[self._at]

    def _wrong(self, text: str) -> None:
        word = self._words[self._at] if self._at < len(self._words) else ""
        message = f"{word!r}: {text}" if word else text
        raise PlanError(message, source=self._source, line=self._line, word=self._at + 1)

    def _time_after(self, word: str) -> int:
        if self._word(f"`{word}` and a time") != word:
            self._wrong(f"a line begins with `{word}` and a time, as in `at 12s for 3s stuck c3`")
        self._at += 1
        match = _NUMBER.fullmatch(self._word("a time"))
        if match is None or match[2] not in _TIMES or float(match[1]) < 0:
            self._wrong(f"a time is a number and one of {', '.join(_TIMES)}, as in 12s or 2.5min")
        assert match is not None
        self._at += 1
        return round(float(match[1]) * _TIMES[match[2]])

    def _take(self, wanted: str, form: Form) -> float | None:
        """The value of the next word; None for a word that only has to be there."""
        word = self._word(f"{wanted} (the fault is written: {form.words})")
        value: float | None = None
        if not wanted.isupper():
            if word != wanted:
                self._wrong(f"{wanted!r} was expected; the fault is written: {form.words}")
        elif wanted == "CELL":
            value = self._cell(word)
        elif wanted == "KIND":
            if word not in _KINDS:
                self._wrong(f"a piece is one of {', '.join(_KINDS)}")
            value = _KINDS[word]
        elif wanted == "ROW":
            value = self._number(word, self._profile.rows, "row")
        elif wanted == "LINE":
            value = self._number(word.removeprefix("S"), 4, "select line")
        else:
            value = self._quantity(word, wanted)
        self._at += 1
        return value

    def _cell(self, word: str) -> int:
        try:
            return self._profile.grid.cell(word)
        except GameError as error:
            self._wrong(str(error))
            raise

    def _number(self, word: str, count: int, what: str) -> int:
        if not word.isdecimal() or int(word) >= count:
            self._wrong(f"a {what} is a number from 0 to {count - 1}")
        return int(word)

    def _quantity(self, word: str, wanted: str) -> float:
        unit, least, most, example = _UNITS[wanted]
        match = _NUMBER.fullmatch(word)
        if match is None or match[2] != unit or not least <= float(match[1]) <= most:
            limits = f"from {least:g} to {most:g} {unit}".rstrip()
            self._wrong(f"a number {limits} was expected, as in {example}")
        assert match is not None
        return float(match[1])


def _names() -> list[str]:
    return list(dict.fromkeys(form.name for form in FORMS))


# The line.


class Spoiler(Protocol):
    """Spoils one direction of a line."""

    def spoil(self, data: bytes) -> bytes:
        """The bytes as they arrive."""


HELLOS = (H_HELLO, B_HELLO)


class LineFaults:
    """Spoils one direction of a line; the odds are per byte, from 0 to 1.

    The same seed spoils the same bytes, however they are cut into pieces.

    >>> LineFaults(1).spoil(b"safe")
    b'safe'
    """

    def __init__(
        self, seed: int, *, drop: float = 0.0, duplicate: float = 0.0, corrupt: float = 0.0
    ) -> None:
        self._odds = drop + duplicate + corrupt
        if min(drop, duplicate, corrupt) < 0 or self._odds > 1:
            raise ValueError("odds lie between 0 and 1, and so does their sum")
        self._drop, self._duplicate = drop, duplicate
        self._dice = random.Random(f"line {seed}")
        self.spoilt = 0
        """Faults made so far."""
        self._clean = self._gap()

    def _gap(self) -> int:
        """Bytes until the next fault."""
        if self._odds <= 0:
            return 1 << 62
        if self._odds >= 1:
            return 0
        return int(log(1.0 - self._dice.random()) / log(1.0 - self._odds))

    def spoil(self, data: bytes) -> bytes:
        """The bytes as they arrive."""
        if self._clean >= len(data):
            self._clean -= len(data)
            return data
        out = bytearray()
        at = 0
        while self._clean < len(data) - at:
            bad = at + self._clean
            out += data[at:bad]
            out += self._bad(data[bad])
            at = bad + 1
            self._clean = self._gap()
        self._clean -= len(data) - at
        return bytes(out + data[at:])

    def _bad(self, byte: int) -> bytes:
        self.spoilt += 1
        which = self._dice.random() * self._odds
        if which < self._drop:
            return b""
        if which < self._drop + self._duplicate:
            return bytes((byte, byte))
        return bytes((byte ^ (1 << self._dice.randrange(8)),))


class Forger:
    """Changes frames on their way and their checksums with them; `odds` are per frame.

    One byte of the payload is another, or the payload ends early. HELLO of either side stays as it
    is: a board that calls itself another one is a trouble of its own.

    >>> forger = Forger(1, 1.0)
    >>> sent = frame(0x21, b"abc")
    >>> forger.spoil(sent[:3]) + forger.spoil(sent[3:]) == sent, forger.forged
    (False, 1)
    """

    def __init__(self, seed: int, odds: float) -> None:
        self._dice = random.Random(f"forger {seed}")
        self._odds = odds
        self._held = bytearray()
        self.forged = 0
        """Frames changed so far."""

    def spoil(self, data: bytes) -> bytes:
        """The bytes as they arrive: whole frames."""
        self._held += data
        *wholes, rest = bytes(self._held).split(b"\0")
        self._held = bytearray(rest)
        return b"".join(self._frame(whole) for whole in wholes)

    def _frame(self, whole: bytes) -> bytes:
        dice = self._dice
        try:
            body = uncobs(whole) if whole and dice.random() < self._odds else b""
        except ValueError:
            body = b""
        payload = bytearray(body[4:-2])
        if not payload or body[0] in HELLOS:
            return whole + b"\0"
        self.forged += 1
        if dice.random() < 0.2:
            del payload[dice.randrange(len(payload)) :]
        else:
            payload[dice.randrange(len(payload))] ^= dice.randrange(1, 256)
        return frame(body[0], bytes(payload), body[1] & 0x0F, body[2], body[3])


# The board.

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
READ_BY_ALL = (
    frozenset({"stuck", "dead", "cable", "loose", "select", "brown-out", "thin", "spikes", "warm"})
    | OF_SWITCHES
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
        # A switch whose wire is off is open.
        self._nothing = NOTHING if self.contacts is None else MIDDLE

    # Faults come and go.

    def breaks(self, fault: Fault, now_us: int) -> None:
        """A fault begins."""
        self.broken.append(fault)
        self._rewire()
        self._look(fault, now_us)
        self._resupply(now_us)
        self._relight(now_us)

    def mends(self, fault: Fault, now_us: int) -> None:
        """A fault is over."""
        self.broken.remove(fault)
        self._rewire()
        self._stuck.pop(fault, None)
        self._looks[fault] = (now_us - CALM_US, now_us + CALM_US)
        self._resupply(now_us)
        self._relight(now_us)

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

    def _rewire(self) -> None:
        """Applies the present faults to the wiring of the switches."""
        if self.contacts is None:
            return
        pairs = {
            name: tuple((f.cell, int(f.args[1])) for f in self.broken if f.name == name)
            for name in ("wide", "joined")
        }
        self.contacts.wide, self.contacts.joined = pairs["wide"], pairs["joined"]
        self.contacts.stuck = {f.cell for f in self.broken if f.name == "closed"}
        self.contacts.is_bare = any(f.name == "bare" for f in self.broken)

    def _resupply(self, now_us: int) -> None:
        """Applies the present faults to the supply and its wires."""
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
                counts[fault.cell] = self._nothing
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
        if self.contacts is None:
            references[row] = NOTHING
        for number, cell in enumerate(self.profile.cells):
            if cell.row == row:
                counts[number] = self._nothing

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
        self._relight(now_us)

    def _relight(self, now_us: int) -> None:
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


# A plan, carried out.

SWEEP_US = 2_000_000
"""A toddler puts all pieces within so long, and takes half of them within so long again."""
WATCHDOG_US = 2_000_000
"""Time after which a chip whose firmware hangs restarts."""
FIRST_TOUCH_US = 700_000
"""A hand takes so long to come."""


class FaultyLine(Protocol):
    """A line in memory as a plan's faults need it (`rig.Pipe`)."""

    unplugged: bool
    stalled: bool
    to_host_faults: Spoiler | None
    to_board_faults: Spoiler | None


class Acts:
    """Makes the faults of `plan` happen to a world, its chip, hands and line.

    Times are the world's; call `advance` as time goes.
    """

    def __init__(
        self, world: FaultyWorld, chip: Chip, hands: Hands, line: FaultyLine, plan: Plan, seed: int
    ) -> None:
        self.plan = plan
        self.happened: list[tuple[int, str]] = []
        """(µs, what) of all that began or ended, in order."""
        self.for_host: list[Fault] = []
        """Faults of the host whose time has come; who makes them clears the list."""
        self.plug: Callable[[bool], None] = self._plug_pipe
        """Puts the USB cable in, or pulls it."""
        self._world = world
        self._chip = chip
        self._hands = hands
        self._line = line
        self._seed = seed
        self._coming = list(plan.faults)
        self._holding: list[Fault] = []
        self._pieces: dict[Fault, Piece] = {}

    @property
    def active(self) -> tuple[Fault, ...]:
        """The faults that hold now."""
        return tuple(self._holding)

    def next_deadline(self) -> int:
        """Time in µs at which a fault begins or ends next; FOREVER when none does."""
        soonest = self._coming[0].at_us if self._coming else FOREVER
        return min([soonest, *(fault.until_us for fault in self._holding)])

    def advance(self, now_us: int) -> None:
        """Begin and end what is due."""
        for fault in [f for f in self._holding if f.until_us <= now_us]:
            self._holding.remove(fault)
            self.happened.append((now_us, f"over: {fault.text}"))
            self._end(fault, now_us)
        while self._coming and self._coming[0].at_us <= now_us:
            fault = self._coming.pop(0)
            self.happened.append((now_us, fault.text))
            if fault.name in OF_HOST:
                self.for_host.append(fault)
                continue
            if fault.name == "hang":
                fault = replace(fault, until_us=now_us + WATCHDOG_US)
            if fault.name not in ("toddler", "reset"):
                self._holding.append(fault)
            self._begin(fault, now_us)

    def end_all(self) -> None:
        """All is mended now, and nothing else will happen."""
        now_us = self._chip.now_us
        self._coming.clear()
        for fault in self._holding:
            self.happened.append((now_us, f"over: {fault.text}"))
            self._end(fault, now_us)
        self._holding.clear()

    def add(self, fault: Fault) -> None:
        """One more fault, not planned before."""
        self._coming.append(fault)
        self._coming.sort(key=lambda one: one.at_us)

    # One fault.

    def _begin(self, fault: Fault, now_us: int) -> None:
        if fault.name == "reset":
            self._chip.reset()
        elif fault.name == "hang":
            self._chip.hangs = True
        elif fault.name == "unplug":
            self.plug(False)
        elif fault.name == "stall":
            self._line.stalled = True
        elif fault.name == "noisy":
            odds = fault.args[0] / 200
            for way, seed in (("to_host_faults", 1), ("to_board_faults", 2)):
                spoilt = LineFaults(2 * self._seed + seed, drop=odds, corrupt=odds)
                setattr(self._line, way, spoilt)
        elif fault.name == "toddler":
            self._toddler(int(fault.args[0]), now_us)
        elif not self._begin_on_pieces(fault, now_us):
            self._world.breaks(fault, now_us)

    def _begin_on_pieces(self, fault: Fault, now_us: int) -> bool:
        """True if it was a fault of pieces on the board; it is none where nothing lies."""
        world = self._world
        there = world.topmost(fault.cell) if fault.args else None
        piece: Piece | None = None
        if fault.name == "stacked":
            piece = world.stand(int(fault.args[1]), fault.cell, now_us) if there else None
        elif fault.name == "between":
            one, other, kind = map(int, fault.args)
            piece = world.between(one, other, kind, now_us)
        elif fault.name == "foreign":
            piece = world.foreign(fault.cell, now_us)
        elif fault.name == "displaced" and there:
            there_now = there.at(now_us)
            world.push(there, there_now.x + fault.args[1], there_now.y, now_us)
            piece = there
        elif fault.name == "flipped" and there:
            world.turn(there, now_us)
            piece = there
        elif fault.name == "weak" and there:
            world.weaken(there, max(fault.args[1] / 100, 1e-6), now_us)
            piece = there
        elif fault.name not in ("displaced", "flipped", "weak"):
            return False
        if piece is not None:
            self._pieces[fault] = piece
        return True

    def _end(self, fault: Fault, now_us: int) -> None:
        world, line = self._world, self._line
        if fault.name == "hang":
            self._chip.reset(BY_WATCHDOG)
        elif fault.name == "unplug":
            self.plug(True)
        elif fault.name == "stall":
            line.stalled = False
        elif fault.name == "noisy":
            line.to_host_faults = line.to_board_faults = None
        elif fault in world.broken:
            world.mends(fault, now_us)
        else:
            piece = self._pieces.pop(fault, None)
            if piece is not None and piece.number in world.pieces and not piece.held:
                self._mend_piece(fault, piece, now_us)

    def _mend_piece(self, fault: Fault, piece: Piece, now_us: int) -> None:
        world = self._world
        if fault.name in ("stacked", "between", "foreign"):
            world.vanish(piece, now_us)
        elif fault.name == "flipped":
            world.turn(piece, now_us)
        elif fault.name == "weak":
            world.weaken(piece, 1.0 / max(fault.args[1] / 100, 1e-6), now_us)
        elif piece.cell >= 0:
            middle = world.profile.cells[piece.cell]
            world.push(piece, middle.x_mm, middle.y_mm, now_us)

    def _plug_pipe(self, plugged: bool) -> None:
        self._line.unplugged = not plugged

    def _toddler(self, count: int, now_us: int) -> None:
        """Many pieces within two seconds; then half of them, and of what stood there, are gone."""
        world, hands = self._world, self._hands
        dice = random.Random(f"toddler {self._seed} {now_us}")
        taken = {piece.cell for piece in world.pieces.values()}
        free = [cell for cell in range(len(world.profile.cells)) if cell not in taken]
        dice.shuffle(free)
        swept_us = now_us + FIRST_TOUCH_US + SWEEP_US
        for number, cell in enumerate(free[:count]):
            hand = f"toddler {number}"
            touch = now_us + FIRST_TOUCH_US + dice.randrange(SWEEP_US)
            kind = dice.choice((WHITE, BLACK, NEUTRAL))
            hands.place(cell, kind, hand=hand, touch_us=touch, tempo=BRISK)
            if number % 2:
                hands.lift(cell, hand=hand, at_us=swept_us + dice.randrange(SWEEP_US))
