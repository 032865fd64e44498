"""Tests a board of switches with its builder: a cell glows, a piece is put there, and what answers
is held against what should.

    test = SwitchTest(driver)
    findings = test.run(progress, rows=[0])     # after each row that was wired

Light and switch of a cell are tried together, as a person sees them: where a whole row answers
mirrored its lights run the other way, where two rows answer for each other their wires are swapped.
Three pieces on the corners of a rectangle show whether each switch of a matrix has its diode.
`diagnose` names the wire from what was seen; it asks no board. Of a panel without switches a person
is asked what glows (`ask_about_panel`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import hypot

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


class SwitchTest:
    """Leads a builder over the cells of a board by its lights; a button skips a cell.

    LinkLost when the board is gone.
    """

    def __init__(
        self,
        driver: BoardClient,
        hands: Callable[[PlacePrompt], None] = nobody,
        patience_us: int = PERSON_TIMEOUT_US,
    ) -> None:
        self.driver = driver
        self.profile = driver.profile
        self._hands = hands
        self._patience_us = patience_us
        self._stuck: frozenset[int] = frozenset()

    def run(
        self, progress: Callable[[str, int, int], None], rows: Sequence[int] | None = None
    ) -> list[Finding]:
        """Try all cells, or those of these rows (from 0, the farthest); what was found."""
        self._clear()
        cells = [
            cell
            for cell in order(self.profile)
            if rows is None or self.profile.cells[cell].row in rows
        ]
        answers = {}
        for done, cell in enumerate(cells):
            progress("by-hand", done, len(cells))
            answers[cell] = self._try([cell])
        findings = diagnose(self.profile, answers, self._stuck)
        corners = _corners(self.profile, [cell for cell in cells if answers[cell] == {cell}])
        if corners:
            fourth = corners[3]
            ghost = fourth in self._try(corners[:3])
            names = [self.profile.grid.name(cell) for cell in corners]
            params = {"three": ", ".join(names[:3]), "fourth": names[3]}
            findings.append(Finding("selftest.switch.ghost", BAD, params) if ghost else
                         Finding("selftest.switch.diodes", GOOD, params))  # fmt: skip
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


def ask_about_panel(driver: BoardClient, answers: Callable[[str], bool]) -> list[Finding]:
    """Light the left edge of a panel without sensors and ask what glows; what was found.

    `answers` is asked by the names of questions. A row that runs the other way than the profile
    says has its light of the left edge at the right.
    """
    profile = driver.profile
    rows = {cell.row for cell in profile.cells}
    left = [
        min((n for n, cell in enumerate(profile.cells) if cell.row == row),
            key=lambda n: profile.cells[n].x_mm)
        for row in sorted(rows)
    ]  # fmt: skip
    _show(driver, [(cell, _GLOW, wire.STEADY) for cell in left])
    driver.run(SETTLE_US)
    if answers("left-edge"):
        finding = Finding("selftest.panel.good", GOOD)
    elif answers("right-edge"):
        finding = Finding("selftest.panel.right", BAD, {"lights": _ways(profile, True, True)})
    elif answers("zigzag"):
        has_first = answers("first-row")
        lights = _ways(profile, not has_first, has_first)
        finding = Finding("selftest.panel.turns", BAD, {"lights": lights})
    else:
        finding = Finding("selftest.panel.other", BAD)
    _show(driver, [])
    driver.run(50_000)
    return [finding]


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
        if astray == tried:
            cell = min(moved)
            params = {"cell": profile.grid.name(cell), "lights": _ways(profile, True, True)}
            return [Finding("selftest.switch.mirrored", BAD, params)]
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
    name = profile.grid.name
    return [
        Finding("selftest.switch.moved", BAD, {"cell": name(cell), "other": name(other)})
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
