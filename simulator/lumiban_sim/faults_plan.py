"""Fault plans: small texts that say when what goes wrong with a board.

    # A sensor that sticks, and a cable that comes loose.
    at 12s for 30s stuck e5
    at 1min for 2s cable of row 3
    at 90s toddler with 30 pieces

One fault a line; `#` begins a comment. `at` counts from the start of the world. With `for` a fault
ends; without, it stays, or happens once. `FORMS` lists them all. Cells are named as on the board,
whatever game is laid on it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lumiban.boards.profile import Profile
from lumiban.errors import GameError, UsageError
from lumiban_fw.wire import BLACK, NEUTRAL, WHITE

ONCE, LASTS, ENDS = "once", "lasts", "ends"
"""Has no end; may have one; must have one."""


@dataclass(frozen=True, slots=True)
class Form:
    """How a fault is written: words in capitals stand for what is named in `WORDS`."""

    words: str
    time: str
    what: str
    """What it does to the board, in a few words."""

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

OF_PIPE = frozenset({"stall", "noisy"})
"""Faults that only a line in memory can have."""
OF_HOST = frozenset({"kill", "torn"})
"""Faults of the host: whoever runs it makes them."""

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
        """Whether it is there at a time."""
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
    found = []
    for number, whole in enumerate(text.splitlines(), 1):
        words = whole.split("#", 1)[0].split()
        if words:
            found.append(_Reader(words, profile, source, number).fault())
    return Plan(tuple(sorted(found, key=lambda fault: fault.at_us)))


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
        told = f"{word!r}: {text}" if word else text
        raise PlanError(told, source=self._source, line=self._line, word=self._at + 1)

    def _time_after(self, word: str) -> int:
        if self._word(f"`{word}` and a time") != word:
            self._wrong(f"a line begins with `{word}` and a time, as in `at 12s for 3s stuck c3`")
        self._at += 1
        found = _NUMBER.fullmatch(self._word("a time"))
        if found is None or found[2] not in _TIMES or float(found[1]) < 0:
            self._wrong(f"a time is a number and one of {', '.join(_TIMES)}, as in 12s or 2.5min")
        assert found is not None
        self._at += 1
        return round(float(found[1]) * _TIMES[found[2]])

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
        found = _NUMBER.fullmatch(word)
        if found is None or found[2] != unit or not least <= float(found[1]) <= most:
            limits = f"from {least:g} to {most:g} {unit}".rstrip()
            self._wrong(f"a number {limits} was expected, as in {example}")
        assert found is not None
        return float(found[1])


def _names() -> list[str]:
    return list(dict.fromkeys(form.name for form in FORMS))
