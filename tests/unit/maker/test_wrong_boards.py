"""A table of wrong boards, each wired so on a simulated Pi, and what selftest says of it.

A person looks at the lights, puts a piece where one glows, and answers what is asked. Boards that
nobody can tell apart that way stand under one sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import pytest
from lumiban.boards.gpio.pins import Pins, of_profile
from lumiban.boards.profile import read
from lumiban.i18n import text
from lumiban.maker.calibration import PlacePrompt
from lumiban.maker.doctor import GOOD, Finding
from lumiban.maker.switch_test import SwitchTest
from lumiban_sim.rig import Rig
from rig_line import driven
from simulated_pi import PiBoard
from thorough import some

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


class Person:
    """Sees what glows, answers, and puts pieces there."""

    def __init__(self, rig: Rig, board: Wrong) -> None:
        self.rig = rig
        self.board = board
        self.cell = {cell.light: number for number, cell in enumerate(BOARD.cells)}
        self.steps = 0

    def __call__(self, ask: PlacePrompt) -> None:
        """Do what a glowing cell asks for."""
        self.steps += 1
        cell = self.board.glows_at(ask.cell)
        if ask.do == "set":
            self.rig.hands.place(cell, ask.kind)
        else:
            self.rig.hands.lift(cell)

    def glowing(self) -> dict[int, int]:
        """Colour (0 to 2, 3: white) of each cell that is seen to glow."""
        seen = {}
        for light in range(self.board.lights):
            levels = self.rig.light[3 * light : 3 * light + 3]
            lit = [number for number, level in enumerate(levels) if level]
            if lit:
                colour = 3 if len(lit) == 3 else self.board.takes[lit[0]]
                seen[self.board.glows_at(self.cell[light])] = colour
        return {} if self.board.weak and len(seen) > 8 else seen

    def answer(self, question: str, choices: Sequence[str] = (), **said: object) -> str:
        for language in ("en", "ja"):
            assert "{" not in text(f"selftest.look.ask-{question}", language, **said)
        seen = self.glowing()
        if question == "colour":
            return choices[min(seen.values())]
        wanted = {"all": len(seen) == 16, "one": len(seen) == 1, "corner": set(seen) == {12}}
        return "yes" if wanted[question] else "no"


def examined(board: Wrong) -> tuple[list[Finding], int]:
    """What selftest finds, and how often it asked for a piece to be set or lifted."""
    rig = Rig(BOARD, 1, body=partial(PiBoard, wires=board.wires))
    rig.chip.body.pi.switches.has_diodes = board.diodes  # type: ignore[attr-defined]
    contacts = rig.world.contacts
    assert contacts is not None
    contacts.missing |= board.missing
    contacts.stuck |= board.stuck
    contacts.joined, contacts.wide = board.joined, board.wide
    person = Person(rig, board)
    test = SwitchTest(driven(BOARD, rig), person, 2_000_000, person.answer)
    found = test.run(lambda *_: None)
    for one in found:
        assert all("{" not in text(one.id, language, **one.said) for language in ("en", "ja"))
    return found, person.steps


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in EARLY else pytest.mark.slow) for name in BOARDS],
)
def test_each_wrong_board_has_its_sentence_and_no_other(name: str) -> None:
    found, _ = examined(BOARDS[name])
    bad = [one.id.removeprefix("selftest.") for one in found if one.level not in (GOOD, "note")]
    assert tuple(bad) == BOARDS[name].says


@pytest.mark.parametrize("name", some(EARLY, 4))
def test_what_makes_all_else_wrong_is_told_after_four_cells(name: str) -> None:
    _, steps = examined(BOARDS[name])
    assert steps <= 8
