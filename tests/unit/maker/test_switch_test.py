"""The test of a board of switches names the wire that is wrong, from pieces on glowing cells."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import count

import pytest
from each import each
from hypothesis import given
from hypothesis import strategies as st
from lumiban.boards.profile import Profile, load, read
from lumiban.cli.board import ask_at_board
from lumiban.i18n import text
from lumiban.maker.doctor import BAD, GOOD, NOTE, Finding
from lumiban.maker.switch_test import ask_about_panel, diagnose, look_first
from lumiban_sim.rig import Rig
from rig_line import driven

BOARD = load("breadboard8")
HEX = load("reed-hex3")
SMALL = """
name = "small"
[board]
geometry = "rectangle"
size = [3, 3]
pitch_mm = 32.0
[current]
limit_ma = 500
strip_limit_ma = 500
[switches]
wiring = "matrix"
drive = [4, 5, 6]
sense = [12, 13, 16]
"""
PANEL = (
    SMALL.split("[switches]", maxsplit=1)[0]
    + """
[wiring]
lights = "serpentine"
[switches]
wiring = "none"
"""
)


def ids(found: list[Finding]) -> list[str]:
    return [one.id.removeprefix("selftest.switch.") for one in found]


WAYS = ("serpentine", "left-to-right", "serpentine-from-right", "right-to-left")


def asked(panel_runs: str, profile_says: str) -> list[Finding]:
    """What a person's answers make of a panel that runs so."""
    board, real = (
        read(PANEL.replace("serpentine", way), "panel.toml") for way in (profile_says, panel_runs)
    )
    rig = Rig(board, 1)
    where = {cell.light: n for n, cell in enumerate(real.cells)}

    def answers(question: str, choices: Sequence[str] = (), **said: object) -> str:
        glows = {where[n] for n in range(9) if any(rig.light[3 * n : 3 * n + 3])}
        left, right = {0, 3, 6}, {2, 5, 8}
        for tongue in ("en", "ja"):
            assert "{" not in text(f"selftest.look.ask-{question}", tongue, **said)
        if question == "colour":
            return choices[next(n % 3 for n, level in enumerate(rig.light) if level)]
        is_so = {
            "all": len(glows) == 9,
            "corner": glows == {6},
            "left-edge": glows == left,
            "right-edge": glows == right,
            "zigzag": glows in ({0, 5, 6}, {2, 3, 8}),
            "first-row": 0 in glows,
        }[question]
        return "yes" if is_so else "no"

    found = ask_about_panel(driven(board, rig), answers)
    for language in ("en", "ja"):
        assert all("{" not in text(one.id, language, **one.said) for one in found)
    return found


@pytest.mark.parametrize("says", WAYS)
@pytest.mark.parametrize("runs", WAYS)
def test_a_panel_that_runs_another_way_is_found_by_questions_of_light(runs: str, says: str) -> None:
    (found,) = asked(runs, says)
    assert (found.id == "selftest.panel.good") == (runs == says)
    assert runs == says or (found.level, found.said) == (BAD, {"lights": runs})


# Of a board that measures.


@pytest.mark.parametrize("fault", ["", "dark", "turned"])
def test_a_board_that_measures_is_looked_at_before_it_is_measured(fault: str) -> None:
    board, asked = load("hex3"), []
    rig = Rig(board, 1)

    def answers(question: str, choices: Sequence[str] = (), **said: object) -> str:
        asked.append(question)
        lit = [n for n in range(board.lights) if any(rig.light[3 * n : 3 * n + 3])]
        if question == "colour":
            return choices[next(n % 3 for n, level in enumerate(rig.light) if level)]
        if question == "corner":
            assert [board.grid.name(n) for n, c in enumerate(board.cells) if c.light in lit] == [
                "a1"
            ]
        is_dark = fault == "dark" and max(lit) > 7
        return "no" if is_dark or (fault, question) == ("turned", "corner") else "yes"

    found, may_go_on = look_first(driven(board, rig), answers)
    for language in ("en", "ja"):
        assert all("{" not in text(one.id, language, **one.said) for one in found)
    told = {"": [], "dark": ["selftest.look.ends"], "turned": ["selftest.look.corner"]}
    assert ids(found) == told[fault]
    assert may_go_on == (fault != "dark")
    assert fault != "dark" or found[0].said["light"] == 9
    assert asked[0] == "all"
    assert look_first(driven(board, Rig(board, 1)), None) == ([], True), "where nobody answers"


@pytest.mark.parametrize(("presses", "choice"), [(1, "red"), (2, "green"), (4, "other")])
def test_a_question_is_answered_by_presses_of_a_board_s_only_button(
    monkeypatch: pytest.MonkeyPatch, presses: int, choice: str
) -> None:
    rig, silent = Rig(BOARD, 1), os.pipe()
    driver = driven(BOARD, rig)
    looks, run = count(), driver.run

    def pressing(us: int) -> None:
        """A button that is down for two looks of four."""
        look = next(looks)
        rig.world.press(0, look < 4 * presses and look % 4 in (1, 2))
        run(us)

    monkeypatch.setattr(driver, "run", pressing)
    with os.fdopen(silent[0]) as nobody_types, os.fdopen(silent[1], "w"):
        monkeypatch.setattr("sys.stdin", nobody_types)
        assert ask_at_board(driver, "colour", ("red", "green", "blue", "other")) == choice


# By what was seen.


def answers(move: Callable[[int], set[int]], profile: Profile = BOARD) -> dict[int, frozenset[int]]:
    return {cell: frozenset(move(cell)) for cell in range(len(profile.cells))}


def swapped(one: int, other: int, value: int) -> int:
    return {one: other, other: one}.get(value, value)


ALIKE = {"cell": "a8", "lights": "serpentine-from-right"}
CASES: dict[str, tuple[Callable[[int], set[int]], dict[str, object]]] = {
    "row": (lambda c: set() if c // 8 == 2 else {c}, {"number": 3}),
    "column": (lambda c: set() if c % 8 == 5 else {c}, {"number": 6}),
    "silent": (lambda c: set() if c == 9 else {c}, {"cells": "b7"}),
    "mirrored": (lambda c: {c // 8 * 8 + 7 - c % 8}, ALIKE),
    "upside-down": (lambda c: {56 - c // 8 * 8 + c % 8}, ALIKE),
    "turned": (lambda c: {63 - c}, ALIKE),
    "transposed": (lambda c: {c % 8 * 8 + c // 8}, ALIKE),
    "quarter": (lambda c: {56 - c % 8 * 8 + c // 8}, ALIKE),
    "quarter-left": (lambda c: {c % 8 * 8 + 7 - c // 8}, ALIKE),
    "quarter-mirrored": (lambda c: {63 - (c % 8 * 8 + c // 8)}, ALIKE),
    "shifted-rows": (lambda c: {(c + 24) % 64}, {"count": 3}),
    "shifted-columns": (lambda c: {c // 8 * 8 + (c + 7) % 8}, {"count": 7}),
    "turns": (
        lambda c: {c // 8 * 8 + 7 - c % 8} if c // 8 % 2 else {c}, {"lights": "left-to-right"}
    ),
    "swapped-rows": (lambda c: {swapped(2, 5, c // 8) * 8 + c % 8}, {"one": 3, "other": 6}),
    "swapped-columns": (lambda c: {c // 8 * 8 + swapped(0, 1, c % 8)}, {"one": 1, "other": 2}),
    "moved": (lambda c: {c} if c != 9 else {30}, {"cell": "b7", "other": "g5"}),
    "wide": (lambda c: {c, c + 1} if c == 9 else {c}, {"cell": "b7", "others": "c7"}),
    "bridge": (lambda c: {c, c + 3, c + 2} if c == 9 else {c}, {"cell": "b7", "others": "d7, e7"}),
    "late": (lambda c: {c, c + 8} if c // 8 == 2 else {c}, {"one": 3, "other": 4}),
    "touch": (lambda c: {c, swapped(2, 3, c // 8) * 8 + c % 8}, {"one": 3, "other": 4}),
}  # fmt: skip


@each("fault", CASES)
def test_each_fault_has_its_own_finding(fault: str) -> None:
    moves, said = CASES[fault]
    seen = answers(moves)
    *bad, good = diagnose(BOARD, seen)
    assert [(one.level, *ids([one]), one.said) for one in bad] == [(BAD, fault, said)]
    right = sum(told == {cell} for cell, told in seen.items())
    assert good == Finding("selftest.switch.good", GOOD if right else NOTE, {"cells": right})


def test_a_row_that_is_tried_alone_is_not_called_bridged_before_the_next_is_tried() -> None:
    alone = {cell: frozenset((cell, cell + 8)) for cell in range(16, 24)}
    bad = [one for one in diagnose(BOARD, alone) if one.level == BAD]
    assert ids(bad) == ["after"]
    assert dict(bad[0].said) == {"one": 3, "other": 4}


@given(st.sets(st.integers(0, 18)))
def test_every_cell_that_does_not_answer_is_told_and_no_other(silent: set[int]) -> None:
    told = answers(lambda cell: set() if cell in silent else {cell}, HEX)
    named: set[int] = set()
    for one in diagnose(HEX, told):
        if one.id.endswith(".silent"):
            named |= {HEX.grid.cell(name) for name in str(one.said["cells"]).split(", ")}
        if one.id.endswith(".row"):
            row = int(one.said["number"]) - 1
            named |= {cell for cell, at in enumerate(HEX.cells) if at.row == row}
    assert named == silent
