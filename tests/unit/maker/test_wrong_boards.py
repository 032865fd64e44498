"""A table of wrong boards, each wired so on a simulated Pi, and what selftest says of it.

A person looks at the lights, puts a piece where one glows, and answers what is asked. Boards that
nobody can tell apart that way stand under one sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from lumiban.boards.gpio.pins import Pins, of_profile
from lumiban.boards.profile import read
from lumiban.boards.types import LightFrame
from lumiban.errors import LinkLost
from lumiban.maker.calibration import PlacePrompt
from lumiban.maker.doctor import BAD, Finding
from lumiban.maker.switch_test import SwitchTest

BOARD = read(
    """
name = "four"
[board]
geometry = "rectangle"
size = [4, 4]
pitch_mm = 32.0
[current]
limit_ma = 800
strip_limit_ma = 400
[switches]
wiring = "matrix"
drive = [4, 5, 6, 7]
sense = [12, 13, 16, 17]
[wiring]
lights = "serpentine"
""",
    "four.toml",
)
PINS = of_profile(BOARD)
ALL = frozenset(range(16))


def shifted(pins: tuple[int, ...]) -> tuple[int, ...]:
    return (*pins[1:], pins[0])


@dataclass(frozen=True)
class Wrong:
    """What is wrong in the wires, and the sentences that name it."""

    says: tuple[str, ...]
    wires: Pins = PINS
    diodes: bool = True
    missing: frozenset[int] = frozenset()
    stuck: frozenset[int] = frozenset()
    joined: tuple[tuple[int, int], ...] = ()
    wide: tuple[tuple[int, int], ...] = ()
    glows_at: Callable[[int], int] = lambda cell: cell
    """Where a person sees the light of a cell."""
    lights: int = 16
    """So many lights of the chain work."""
    takes: tuple[int, int, int] = (0, 1, 2)
    """Colours that each light shows for red, green and blue."""
    weak: bool = field(default=False)
    """The supply gives way to more than eight lights."""


def row_of(cell: int, change: Callable[[int, int], tuple[int, int]]) -> int:
    row, column = change(*divmod(cell, 4))
    return 4 * row + column


def line(says: str, **what: object) -> Wrong:
    return Wrong((f"switch.{says}",), replace(PINS, **what))  # type: ignore[arg-type]


BOARDS = {
    "sound": Wrong(()),
    "chain ends at its sixth light": Wrong(("look.ends",), lights=5),
    "no light at all": Wrong(("look.dark",), lights=0),
    "supply too weak": Wrong(("look.supply",), weak=True),
    "red and green exchanged": Wrong(("look.colours",), takes=(1, 0, 2)),
    "colours turned round": Wrong(("look.colours",), takes=(1, 2, 0)),
    "lights that show white for a colour": Wrong(("look.odd",), takes=(3, 3, 3)),
    "strip begins at the right": Wrong(
        ("look.elsewhere",), glows_at=lambda c: row_of(c, lambda r, k: (r, 3 - k))
    ),
    "every second row of lights the other way": Wrong(
        ("switch.turns",), glows_at=lambda c: row_of(c, lambda r, k: (r, 3 - k if r % 2 else k))
    ),
    "lights transposed": Wrong(
        ("look.elsewhere",), glows_at=lambda c: row_of(c, lambda r, k: (k, r))
    ),
    "board turned by half": Wrong(
        ("look.turned",),
        replace(PINS, drive=PINS.drive[::-1], sense=PINS.sense[::-1]),
        glows_at=lambda cell: 15 - cell,
    ),
    "both plugs the wrong way round": line(
        "turned", drive=PINS.drive[::-1], sense=PINS.sense[::-1]
    ),
    "plug of the rows the wrong way round": line("upside-down", drive=PINS.drive[::-1]),
    "plug of the columns the wrong way round": line("mirrored", sense=PINS.sense[::-1]),
    "plug of the rows shifted": line("shifted-rows", drive=shifted(PINS.drive)),
    "plug of the columns shifted": line("shifted-columns", sense=shifted(PINS.sense)),
    "two rows exchanged": line("swapped-rows", drive=(4, 6, 5, 7)),
    "two columns exchanged": line("swapped-columns", sense=(12, 13, 17, 16)),
    "plugs exchanged (as: all diodes reversed)": line("none", drive=PINS.sense, sense=PINS.drive),
    "all diodes reversed (as: plugs exchanged)": Wrong(("switch.none",), missing=ALL),
    "no diodes": Wrong(("switch.ghost",), diodes=False),
    "a row's wire broken": Wrong(("switch.row",), missing=frozenset(range(4, 8))),
    "a column's wire broken": Wrong(("switch.column",), missing=frozenset(range(1, 16, 4))),
    "a diode reversed (as: a dead reed)": Wrong(("switch.silent",), missing=frozenset({6})),
    "a reed stuck": Wrong(("switch.stuck",), stuck=frozenset({6})),
    "two wires touch": Wrong(("switch.bridge", "switch.bridge"), joined=((0, 6),)),
    "a magnet that reaches its neighbour": Wrong(("switch.wide",), wide=((5, 6),)),
}


EARLY = [
    name
    for name, board in BOARDS.items()
    if board.says
    and (
        board.says[0].startswith(("switch.shifted", "switch.none", "look.e", "look.dark", "look.s"))
        or board.says[0] in ("switch.turned", "switch.upside-down", "switch.mirrored")
    )
]
"""Boards of which four cells, or none, tell enough; the others take all sixteen."""


class Desk:
    """A driver of the same board without a Pi: the switches that its lines would tell, at once."""

    def __init__(self, board: Wrong, stands: Sequence[int] = ()) -> None:
        self.board, self.profile = board, BOARD
        self.line, self.link = self, SimpleNamespace(is_connected=True)
        self.now_us = 0
        self.events: list[SimpleNamespace] = []
        self.placed = set(stands)
        self.steps: list[tuple[str, int]] = []
        self.cell = {cell.light: number for number, cell in enumerate(BOARD.cells)}
        self.shown = LightFrame(((0, 0),) * 16, ((0, 0, 0),))

    @property
    def kinds(self) -> list[int]:
        """By the schematics: a row's line, a closed switch with its diode, a column's line."""
        board = self.board
        closed = self.placed | board.stuck
        closed |= {one for one, other in board.wide if other in closed}
        closed |= {cell for pair in board.joined if closed & {*pair} for cell in pair}
        closed -= board.missing
        at = {divmod(cell, 4) for cell in closed}
        rows, columns = board.wires.drive, board.wires.sense
        told = {(rows[row], columns[column]) for row, column in at}
        if not board.diodes:
            told |= {(r, c) for r, b in told for a, c in told if (a, b) in told}
        pairs = ((row, column) for row in PINS.drive for column in PINS.sense)
        return [int(pair in told) for pair in pairs]

    def show(self, frame: LightFrame) -> None:
        self.shown = frame

    def run(self, us: int) -> None:
        self.now_us += us

    def until(self, done: Callable[[], bool], patience_us: int) -> None:
        if not done():
            self.now_us += patience_us
            raise LinkLost("nothing came")

    def glowing(self) -> dict[int, tuple[int, ...]]:
        """The colour of each cell that a person sees glow."""
        lit = [self.shown.palette[colour] for colour, _ in self.shown.lights[: self.board.lights]]
        seen = {self.cell[n]: colour for n, colour in enumerate(lit) if any(colour)}
        seen = {self.board.glows_at(cell): colour for cell, colour in seen.items()}
        return {} if self.board.weak and len(seen) > 8 else seen

    def hands(self, ask: PlacePrompt) -> None:
        self.steps.append((ask.do, ask.cell))
        cell = self.board.glows_at(ask.cell)
        assert self.glowing()[cell] == ((255, 255, 255) if ask.do == "set" else (255, 60, 0))
        (self.placed.add if ask.do == "set" else self.placed.discard)(cell)

    def answer(self, question: str, choices: Sequence[str] = ("yes", "no"), **said: object) -> str:
        seen = self.glowing()
        if question == "colour":
            level = min(self.board.takes[colour.index(255)] for colour in seen.values())
            told = choices[level]
        else:
            assert tuple(choices) == ("yes", "no")
            wanted = {"all": len(seen) == 16, "one": len(seen) == 1, "corner": set(seen) == {12}}
            told = "yes" if wanted[question] else "no"
        assert told in choices
        return told


def tried(desk: Desk, **rows: Any) -> list[Finding]:
    """What selftest finds at a desk; no light is left on."""
    told: list[tuple[str, int, int]] = []
    test = SwitchTest(cast(Any, desk), desk.hands, 2_000_000, desk.answer)
    found = test.run(lambda *step: told.append(step), **rows)
    assert told == [("by-hand", n, told[-1][2]) for n in range(len(told))]
    if desk.steps:
        assert desk.glowing() == {}
    return found


@pytest.mark.parametrize("name", BOARDS)
def test_each_wrong_board_has_its_sentence_and_no_other(name: str) -> None:
    desk = Desk(BOARDS[name])
    bad = [one.id.removeprefix("selftest.") for one in tried(desk) if one.level == BAD]
    assert tuple(bad) == BOARDS[name].says
    assert name not in EARLY or len(desk.steps) <= 8, "four cells tell what makes all else wrong"
