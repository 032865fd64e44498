"""Tests a board of switches with its builder: a cell glows, a piece is put there, and what answers
is held against what should.

    test = SwitchTest(driver)
    findings = test.run(progress, rows=[0])     # after each row that was wired

Light and switch of a cell are tried together, as a person sees them: where a whole row answers
mirrored its lights run the other way, where two rows answer for each other their wires are swapped.
Three pieces on the corners of a rectangle show whether each switch of a matrix has its diode.
`diagnose` names the wire from what was seen; it asks no board.

The lights come first, as all else follows them: a person is asked what glows (`look_at_lights`). Of
a panel without switches that is all (`ask_about_panel`). Then three corners are tried: they tell a
board that is turned, mirrored, transposed or shifted, before a person has tried 64 cells.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import hypot
from typing import Protocol

from lumiban_fw import wire

from lumiban.boards.client import BoardClient
from lumiban.boards.profile import Profile
from lumiban.boards.types import LightFrame
from lumiban.errors import LinkLost
from lumiban.maker.calibration import LIFT, SET, PlacePrompt, nobody, order
from lumiban.maker.doctor import BAD, GOOD, NOTE, Finding

PERSON_TIMEOUT_US = 30_000_000
"""Time in µs that a piece is waited for on one cell: a switch that does not answer is skipped
then."""
SETTLE_US = 300_000
"""After a first answer others are waited for so long."""
NEAR_PITCHES = 1.2
"""A neighbour that answers too is no farther."""
_DARK, _GLOW, _WRONG = range(3)
PALETTE = ((0, 0, 0), (255, 255, 255), (255, 60, 0))

Answers = Mapping[int, frozenset[int]]
"""The cells that answered, by the cell that glowed."""
COLOURS = {"red": (255, 0, 0), "green": (0, 255, 0), "blue": (0, 0, 255)}
YES_NO = ("yes", "no")


class Ask(Protocol):
    """Asks a person about the lights: the name of a question, its choices, what it speaks of."""

    def __call__(self, question: str, choices: Sequence[str] = YES_NO, **said: object) -> str:
        """The choice."""


class SwitchTest:
    """Leads a builder over the cells of a board by its lights; a button skips a cell.

    LinkLost when the board is gone.
    """

    def __init__(
        self,
        driver: BoardClient,
        hands: Callable[[PlacePrompt], None] = nobody,
        patience_us: int = PERSON_TIMEOUT_US,
        ask: Ask | None = None,
    ) -> None:
        self.driver = driver
        self._person = ask
        self.good: set[int] = set()
        """Cells that answered for themselves alone."""
        self.profile = driver.profile
        self._hands = hands
        self._patience_us = patience_us
        self._stuck: frozenset[int] = frozenset()

    def run(
        self, progress: Callable[[str, int, int], None], rows: Sequence[int] | None = None
    ) -> list[Finding]:
        """Try all cells, or those of these rows (from 0, the farthest); what was found.

        It ends early where what was found makes all else wrong.
        """
        profile = self.profile
        findings: list[Finding] = []
        is_cornered: bool | None = None
        if self._person is not None and profile.has_lights and rows is None:
            findings, is_cornered = look_at_lights(self.driver, self._person)
            if is_cornered is None:
                return findings
        self._clear()
        cells = [cell for cell in order(profile) if rows is None or profile.cells[cell].row in rows]
        probes = _probes(profile) if rows is None else []
        cells = [*probes, *(cell for cell in cells if cell not in probes)]
        answers: dict[int, frozenset[int]] = {}
        for done, cell in enumerate(cells):
            if probes and done == len(probes) and (found := _of_all(profile, answers, is_cornered)):
                self._show([])
                return [*findings, *found]
            progress("by-hand", done, len(cells))
            answers[cell] = self._try([cell])
            if answers[cell] == {cell}:
                self.good.add(cell)
        found = diagnose(profile, answers, self._stuck)
        if is_cornered is False and all(one.level != BAD for one in found):
            found.append(Finding("selftest.look.turned", BAD, {"cell": _name(profile, probes)}))
        findings += found
        corners = _corners(profile, [cell for cell in cells if answers[cell] == {cell}])
        if corners:
            seen = self._try(corners[:3])
            params = {"three": _names(profile, corners[:3]), "fourth": _name(profile, corners[3:])}
            ghost = "ghost" if corners[3] in seen else "diodes"
            if not seen >= set(corners[:3]):
                ghost = "untold"
            level = {"ghost": BAD, "diodes": GOOD}.get(ghost, NOTE)
            findings.append(Finding(f"selftest.switch.{ghost}", level, params))
        self._show([])
        self.driver.run(50_000)
        return findings

    def _clear(self) -> None:
        """Wait until nothing answers; what still does then is stuck."""
        asked: set[int] = set()
        end_us = self.driver.line.now_us + self._patience_us
        while (closed := self._closed()) and self.driver.line.now_us < end_us:
            self._show([(cell, _WRONG, wire.FAST_BLINK) for cell in closed])
            for cell in sorted(closed - asked):
                asked.add(cell)
                self._hands(PlacePrompt(LIFT, cell))
            self.driver.run(SETTLE_US)
        self._stuck = self._closed()

    def _try(self, cells: Sequence[int]) -> frozenset[int]:
        """Cells that answer when pieces stand on these; the pieces are lifted again."""
        self._show([(cell, _GLOW, wire.PULSE) for cell in cells])
        for cell in cells:
            self._hands(PlacePrompt(SET, cell, wire.WHITE))
        self._wait(lambda: len(self._closed()) >= len(cells))
        self.driver.run(SETTLE_US)
        answered = self._closed()
        self._show([(cell, _WRONG, wire.FAST_BLINK) for cell in cells])
        for cell in cells:
            self._hands(PlacePrompt(LIFT, cell))
        self._wait(lambda: not self._closed())
        return answered

    def _closed(self) -> frozenset[int]:
        kinds = enumerate(self.driver.kinds)
        return frozenset(cell for cell, kind in kinds if kind != wire.EMPTY) - self._stuck

    def _wait(self, done: Callable[[], bool]) -> None:
        """Until it is so, a button goes down or patience ends."""
        seen = len(self.driver.events)

        def over() -> bool:
            new = self.driver.events[seen:]
            return done() or any(event.pressed is not None for event in new)

        try:
            self.driver.until(over, self._patience_us)
        except LinkLost:
            if not self.driver.link.is_connected:
                raise

    def _show(self, lit: Iterable[tuple[int, int, int]]) -> None:
        _show(self.driver, lit)


WAYS = {
    (False, False): "left-to-right",
    (False, True): "serpentine",
    (True, False): "serpentine-from-right",
    (True, True): "right-to-left",
}
"""`[wiring] lights` by whether the first row of lights runs from the right, and the second."""


def look_at_lights(driver: BoardClient, ask: Ask) -> tuple[list[Finding], bool | None]:
    """Light all, then red, green, blue, then the near left corner, and ask a person what glows.

    Findings, and whether that corner glows; None when the lights are to be mended first.
    """
    profile = driver.profile
    lights = range(profile.lights)

    def glows(question: str, lit: Collection[int], choices: Sequence[str] = YES_NO) -> str:
        _fill(driver, lit, COLOURS.get(question, (255, 255, 255)))
        name = "colour" if question in COLOURS else question
        return ask(name, choices, lights=len(lights), cell=_name(profile, _probes(profile)))

    if glows("all", lights) == "no":
        low, high = 0, len(lights)
        while low < high:
            middle = (low + high) // 2
            if glows("one", [middle]) == "yes":
                low = middle + 1
            else:
                high = middle
        if low == len(lights):
            return [Finding("selftest.look.supply", BAD, {"lights": low})], None
        cells = [n for n, cell in enumerate(profile.cells) if cell.light == low]
        params = {"light": low + 1, "before": low, "cell": _names(profile, cells) or "–"}
        return [Finding("selftest.look.ends" if low else "selftest.look.dark", BAD, params)], None
    seen = [glows(name, lights, (*COLOURS, "other")) for name in COLOURS]
    findings = []
    if seen != list(COLOURS):
        id = "colours" if sorted(seen) == sorted(COLOURS) else "odd"
        findings.append(Finding(f"selftest.look.{id}", BAD))
    corner = _probes(profile)[0]
    return findings, glows("corner", [profile.cells[corner].light]) == "yes"


def look_first(driver: BoardClient, ask: Ask | None) -> tuple[list[Finding], bool]:
    """Look at the lights of a board that measures, where a person can be asked: findings, and
    whether the rest may be tested."""
    if ask is None or not driver.profile.has_lights:
        return [], True
    findings, is_cornered = look_at_lights(driver, ask)
    _fill(driver, (), (0, 0, 0))
    if is_cornered is False:
        params = {"cell": _name(driver.profile, _probes(driver.profile))}
        findings.append(Finding("selftest.look.corner", BAD, params))
    return findings, is_cornered is not None


def ask_about_panel(driver: BoardClient, ask: Ask) -> list[Finding]:
    """Look at the lights of a panel without sensors, then light its left edge and ask what glows;
    what was found.

    A row that runs the other way than the profile says has its light of the left edge at the right.
    """
    profile = driver.profile
    findings, is_whole = look_at_lights(driver, ask)
    if is_whole is None:
        return findings
    rows = {cell.row for cell in profile.cells}
    left = [
        min((cell for cell in profile.cells if cell.row == row), key=lambda cell: cell.x_mm).light
        for row in sorted(rows)
    ]
    _fill(driver, left, (255, 255, 255))
    if ask("left-edge") == "yes":
        finding = Finding("selftest.panel.good", GOOD)
    elif ask("right-edge") == "yes":
        finding = Finding("selftest.panel.right", BAD, {"lights": _ways(profile, True, True)})
    elif ask("zigzag") == "yes":
        has_first = ask("first-row") == "yes"
        lights = _ways(profile, not has_first, has_first)
        finding = Finding("selftest.panel.turns", BAD, {"lights": lights})
    else:
        finding = Finding("selftest.panel.other", BAD)
    _fill(driver, (), (0, 0, 0))
    return [*findings, finding]


def _fill(driver: BoardClient, lit: Collection[int], colour: tuple[int, int, int]) -> None:
    """Light these lights alone, by their numbers in the chain."""
    pairs = tuple((int(light in lit), wire.STEADY) for light in range(driver.profile.lights))
    driver.show(LightFrame(pairs, ((0, 0, 0), colour)))
    driver.run(SETTLE_US)


def _probes(profile: Profile) -> list[int]:
    """Cells at the near left, the near right and the far left corner, as a player sits, and one
    beside the first: two lines that are swapped look like a whole board at the corners alone."""
    cells = range(len(profile.cells))
    at = [(cell.x_mm, cell.y_mm) for cell in profile.cells]
    near = min(cells, key=lambda n: (-at[n][1], at[n][0]))
    inner = at[near][0] + profile.pitch_mm, at[near][1] - profile.pitch_mm
    probes = [
        near,
        min(cells, key=lambda n: (-at[n][1], -at[n][0])),
        min(cells, key=lambda n: (at[n][1], at[n][0])),
        min(cells, key=lambda n: hypot(at[n][0] - inner[0], at[n][1] - inner[1])),
    ]
    return list(dict.fromkeys(probes))


TURNS: dict[str, Callable[[float, float], tuple[float, float]]] = {
    "turned": lambda x, y: (-x, -y),
    "mirrored": lambda x, y: (-x, y),
    "upside-down": lambda x, y: (x, -y),
    "transposed": lambda x, y: (y, x),
    "quarter": lambda x, y: (y, -x),
    "quarter-left": lambda x, y: (-y, x),
    "quarter-mirrored": lambda x, y: (-y, -x),
}
"""Ways in which a whole board answers for another, by places about its middle, y to the player."""


def _of_all(profile: Profile, answers: Answers, is_cornered: bool | None) -> list[Finding]:
    """What is wrong with all of a board, by its corners; [] when nothing is."""
    if not any(answers.values()):
        return [Finding("selftest.switch.none", BAD)]
    moved = {cell: min(seen) for cell, seen in answers.items() if len(seen) == 1}
    if len(moved) < len(answers) or sum(cell != other for cell, other in moved.items()) < 2:
        return []
    name, params = _turn(profile, moved)
    if name and is_cornered is False:
        name = "look.elsewhere"
    return [Finding(f"selftest.{name}", BAD, params)] if name else []


def _turn(profile: Profile, moved: Mapping[int, int]) -> tuple[str, dict[str, object]]:
    """Sentence about a board of which each of these cells answers for the other; "" for none."""
    cells = profile.cells
    xs, ys = [cell.x_mm for cell in cells], [cell.y_mm for cell in cells]
    middle = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    at = [(round(x - middle[0]), round(y - middle[1])) for x, y in zip(xs, ys, strict=True)]
    for name, turn in TURNS.items():
        if all(turn(*at[cell]) == at[other] for cell, other in moved.items()):
            cell = _name(profile, list(moved))
            return f"switch.{name}", {"cell": cell, "lights": _ways(profile, True, True)}
    for line, along, across in (
        ("columns", [c.channel for c in cells], [c.row for c in cells]),
        ("rows", [c.row for c in cells], [c.channel for c in cells]),
    ):
        by = {(along[other] - along[cell]) % (max(along) + 1) for cell, other in moved.items()}
        if len(by) == 1 and all(across[a] == across[b] for a, b in moved.items()):
            return f"switch.shifted-{line}", {"count": by.pop()}
    return "", {}


def _name(profile: Profile, cells: Sequence[int]) -> str:
    return profile.grid.name(cells[0])


def _show(driver: BoardClient, lit: Iterable[tuple[int, int, int]]) -> None:
    """Light these cells: (cell, colour, effect)."""
    pairs = [(_DARK, wire.STEADY)] * driver.profile.lights
    for cell, colour, effect in lit:
        pairs[driver.profile.cells[cell].light] = (colour, effect)
    driver.show(LightFrame(tuple(pairs), PALETTE))


def diagnose(
    profile: Profile, answers: Answers, stuck: frozenset[int] = frozenset()
) -> list[Finding]:
    """Faults of a board whose cells answered so, wire by wire where it can be told.

    >>> from lumiban.boards.profile import load
    >>> board = load("breadboard8")
    >>> answers = {cell: frozenset((cell,)) for cell in range(64)}
    >>> answers[9] = frozenset()
    >>> [(found.id, dict(found.said)) for found in diagnose(board, answers)]
    [('selftest.switch.silent', {'cells': 'b7'}), ('selftest.switch.good', {'cells': 63})]
    """
    findings = []
    if stuck:
        findings.append(_named("stuck", profile, stuck))
    silent = {cell for cell, reported in answers.items() if not reported}
    several = {cell: reported for cell, reported in answers.items() if len(reported) > 1}
    moved = {
        cell: next(iter(reported))
        for cell, reported in answers.items()
        if len(reported) == 1 and cell not in reported
    }
    findings += _silent(profile, answers, silent - stuck)
    findings += _moved(profile, answers, moved)
    together, explained = _together(profile, answers)
    findings += together
    for cell in explained:
        several.pop(cell, None)
    for cell, reported in sorted(several.items()):
        others = reported - {cell}
        near = all(_pitches(profile, cell, other) <= NEAR_PITCHES for other in others)
        params = {"cell": profile.grid.name(cell), "others": _names(profile, others)}
        findings.append(Finding(f"selftest.switch.{'wide' if near else 'bridge'}", BAD, params))
    good = sum(reported == {cell} for cell, reported in answers.items())
    findings.append(Finding("selftest.switch.good", GOOD if good else NOTE, {"cells": good}))
    return findings


def _silent(profile: Profile, answers: Answers, silent: set[int]) -> list[Finding]:
    """Whole rows and columns that say nothing, then single switches."""
    findings = []
    left = set(silent)
    lines: list[tuple[str, Callable[[int], int]]] = [("row", lambda cell: profile.cells[cell].row)]
    if profile.switches is not None and profile.switches.is_matrix:
        lines.append(("column", lambda cell: profile.cells[cell].channel))
    for line, number_of in lines:
        for number in sorted({number_of(cell) for cell in answers}):
            cells = {cell for cell in answers if number_of(cell) == number}
            if len(cells) > 1 and cells <= silent:
                left -= cells
                findings.append(Finding(f"selftest.switch.{line}", BAD, {"number": number + 1}))
    if left:
        findings.append(_named("silent", profile, left))
    return findings


def _together(profile: Profile, answers: Answers) -> tuple[list[Finding], set[int]]:
    """Rows of a matrix of which each cell answers in the next row too, and the cells of them.

    Two rows whose wires touch answer for each other; a row that is let go too slowly is still low
    when the next one is read, and only that one answers too.
    """
    if profile.switches is None or not profile.switches.is_matrix:
        return [], set()
    at = {(cell.row, cell.channel): number for number, cell in enumerate(profile.cells)}
    tried: dict[int, list[int]] = {}
    for cell in answers:
        tried.setdefault(profile.cells[cell].row, []).append(cell)

    def also(row: int, other: int) -> bool:
        """True if each cell of a row answers, and the one of the same column in the other row."""
        both = [frozenset((c, at.get((other, profile.cells[c].channel), c))) for c in tried[row]]
        return len(both) > 1 and all(
            len(pair) == 2 and answers[cell] == pair
            for cell, pair in zip(tried[row], both, strict=True)
        )

    findings: list[Finding] = []
    explained: set[int] = set()
    for row in sorted(tried):
        if not also(row, row + 1):
            continue
        explained.update(tried[row])
        params = {"one": row + 1, "other": row + 2}
        if row + 1 not in tried:
            findings.append(Finding("selftest.switch.after", BAD, params))
        elif also(row + 1, row):
            explained.update(tried[row + 1])
            findings.append(Finding("selftest.switch.touch", BAD, params))
        else:
            findings.append(Finding("selftest.switch.late", BAD, params))
    return findings, explained


def _moved(profile: Profile, answers: Answers, moved: Mapping[int, int]) -> list[Finding]:
    """Cells that answer for others: lights the other way, lines swapped, or one by one."""
    if not moved:
        return []
    cells = profile.cells
    width = {row: [c.channel for c in cells if c.row == row] for row in {c.row for c in cells}}

    def mirrored(cell: int) -> bool:
        row, other = cells[cell].row, moved[cell]
        ends = min(width[row]) + max(width[row])
        return cells[other].row == row and cells[cell].channel + cells[other].channel == ends

    if all(map(mirrored, moved)):
        astray = {cells[cell].row for cell in moved}
        tried = {cells[cell].row for cell in answers}
        for odd in (True, False):
            others = {row for row in tried if row % 2 != odd}
            # Of one row alone it is the second that may turn: the first was found good before.
            if astray == tried - others and (others or odd):
                params = {"lights": _ways(profile, not odd, odd)}
                return [Finding("selftest.switch.turns", BAD, params)]
    name, said = _turn(profile, {c: min(seen) for c, seen in answers.items() if len(seen) == 1})
    if name:
        return [Finding(f"selftest.{name}", BAD, said)]
    rows = [at.row for at in cells]
    columns = [at.channel for at in cells]
    for line, one, same in (("rows", rows, columns), ("columns", columns, rows)):
        pairs = {(one[cell], one[other]) for cell, other in moved.items()}
        if all(same[cell] == same[other] for cell, other in moved.items()) and all(
            (b, a) in pairs for a, b in pairs
        ):
            return [
                Finding(f"selftest.switch.swapped-{line}", BAD, {"one": a + 1, "other": b + 1})
                for a, b in sorted(pairs)
                if a < b
            ]
    name_of = profile.grid.name
    return [
        Finding("selftest.switch.moved", BAD, {"cell": name_of(cell), "other": name_of(other)})
        for cell, other in sorted(moved.items())
    ]


def _ways(profile: Profile, first: bool, second: bool) -> str:
    """The value of `[wiring] lights` for a board whose first rows run otherwise than is said."""
    turned = []
    for row, is_wrong in enumerate((first, second)):
        along = sorted((c for c in profile.cells if c.row == row), key=lambda c: c.x_mm)
        turned.append((bool(along) and along[0].light > along[-1].light) != is_wrong)
    return WAYS[turned[0], turned[1]]


def _corners(profile: Profile, good: Sequence[int]) -> list[int]:
    """Four good cells of a matrix at the corners of a rectangle; [] where there are none."""
    if profile.switches is None or not profile.switches.is_matrix:
        return []
    at = {(profile.cells[cell].row, profile.cells[cell].channel): cell for cell in good}
    for top, left in sorted(at):
        for low, right in sorted(at):
            corners = [(top, left), (top, right), (low, left), (low, right)]
            # Far enough apart that no magnet closes another's switch.
            if low > top + 1 and right > left + 1 and all(corner in at for corner in corners):
                return [at[corner] for corner in corners]
    return []


def _pitches(profile: Profile, cell: int, other: int) -> float:
    a, b = profile.cells[cell], profile.cells[other]
    return hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) / profile.pitch_mm


def _names(profile: Profile, cells: Iterable[int]) -> str:
    return ", ".join(profile.grid.name(cell) for cell in sorted(cells))


def _named(what: str, profile: Profile, cells: Iterable[int]) -> Finding:
    return Finding(f"selftest.switch.{what}", BAD, {"cells": _names(profile, cells)})
