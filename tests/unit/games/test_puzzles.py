"""Every puzzle is solved by its one action, says who knows nothing of the product's rules.

Control is played out here by its rules' text, Evening by `evening_by_the_letter`, Tokyo Doves by a
program in C, Rengi's chains by `rengi_by_the_paper`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from evening_by_the_letter import BLACK, OTHER, WHITE, Plain
from lumiban import games, i18n
from lumiban.boards.profile import load
from lumiban.games.builtin_lessons import lesson_of
from lumiban.games.lessons import Lesson, Step, position_of
from lumiban.games.puzzles import puzzle_counts, puzzles_of
from lumiban.table.fitting import profile_for
from places import TESTS
from rengi_by_the_paper import copied, from_rows, place, run_chain
from rengi_by_the_paper_reach import placements

COLOURS = (WHITE, BLACK)
Cell = tuple[int, int]


def steps(slug: str) -> list[Any]:
    return [pytest.param(step, id=f"{slug}-{step.idea}") for step in puzzles_of(slug).steps]


def axial(name: str) -> Cell:
    """Place of a cell of the hexagon of side 3: rows from below, numbers from the left."""
    row = ord(name[0]) - ord("c")
    return int(name[1:]) - (3 if row > 0 else 3 + row), row


CELLS = {
    name: axial(name)
    for row, length in zip("abcde", (3, 4, 5, 4, 3), strict=True)
    for name in (f"{row}{number}" for number in range(1, length + 1))
}
NAMES = {cell: name for name, cell in CELLS.items()}
AROUND = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))


def near(cell: Cell) -> list[Cell]:
    x, y = cell
    return [(x + a, y + b) for a, b in AROUND if (x + a, y + b) in NAMES]


def test_the_cells_of_this_file_lie_as_the_boards_do() -> None:
    grid = games.load("control", size=3).grid
    for at, name in enumerate(grid.names):
        there = {grid.names[other] for other in grid.neighbours[at]}
        assert {NAMES[cell] for cell in near(CELLS[name])} == there


class ControlPlayed:
    """Control to its end, every way."""

    def __init__(self) -> None:
        self.known: dict[tuple[frozenset[tuple[Cell, int]], int], bool] = {}

    def actions(self, stones: dict[Cell, int], side: int) -> dict[str, dict[Cell, int]]:
        found = {}
        for cell, name in NAMES.items():
            seen = [stones[other] for other in near(cell) if other in stones]
            more = seen.count(side) - seen.count(1 - side)
            if cell not in stones and more >= 0:
                found[name] = {**stones, cell: side}
            elif stones.get(cell) == 1 - side and more > 0:
                found["x" + name] = {other: s for other, s in stones.items() if other != cell}
        return found

    def wins(self, stones: dict[Cell, int], side: int) -> bool:
        """True if the side to move does: whoever cannot move loses."""
        key = frozenset(stones.items()), side
        if key not in self.known:
            self.known[key] = any(
                not self.wins(after, 1 - side) for after in self.actions(stones, side).values()
            )
        return self.known[key]


def control_answers(step: Step) -> list[str]:
    played = ControlPlayed()
    stones = {CELLS[name]: side for name, side in step.stones.items()}
    after = played.actions(stones, step.to_move)
    return [text for text, then in after.items() if not played.wins(then, 1 - step.to_move)]


def evening_answers(step: Step) -> list[str]:
    board = Plain(set(NAMES))
    board.stones = {CELLS[name]: COLOURS[side] for name, side in step.stones.items()}
    known: dict[frozenset[tuple[Cell, str]], str] = {}

    def winner() -> str:
        """Of the game with turns: who would lose now places, and loses without a cell."""
        key = frozenset(board.stones.items())
        if key not in known:
            behind = OTHER[board.winner()]
            known[key] = behind if any(then == behind for then in tried(behind)) else OTHER[behind]
        return known[key]

    def tried(colour: str) -> Any:
        for cell in sorted(board.open_to(colour)):
            board.stones[cell] = colour
            then = winner()
            del board.stones[cell]
            yield then

    mover = COLOURS[step.to_move]
    assert board.winner() != mover, "who places is who would lose now"
    cells = sorted(board.open_to(mover))
    return [
        mover + NAMES[cell] for cell, then in zip(cells, tried(mover), strict=True) if then == mover
    ]


CI = bool(os.environ.get("LUMIBAN_CI"))


@pytest.mark.one_case
@pytest.mark.parametrize("step", steps("control"))
def test_a_puzzle_of_control_has_one_winning_action(step: Step) -> None:
    assert [tuple(control_answers(step))] == list(step.shown_by)


@pytest.mark.one_case
@pytest.mark.parametrize("step", steps("evening"))
def test_a_puzzle_of_evening_has_one_winning_cell(step: Step) -> None:
    assert [tuple(evening_answers(step))] == list(step.shown_by)


@pytest.fixture(scope="module")
def mates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program in C."""
    compiler = shutil.which("cc")
    if compiler is None:
        if CI:
            pytest.fail("a C compiler is missing")
        pytest.skip("there is no C compiler here")
    program = tmp_path_factory.mktemp("mates") / "doves_mates"
    source = TESTS / "support" / "doves_mates.c"
    subprocess.run([compiler, "-O2", "-o", program, source], check=True)
    return program


def dove_answers(program: Path, step: Step, within: int) -> list[str]:
    asked = [str(program), str(step.more["board"]), str(step.to_move), str(within), "strong"]
    done = subprocess.run(asked, check=True, capture_output=True, text=True)
    return str(done.stdout).split()


def check_doves(program: Path, step: Step) -> None:
    within = int(step.params["within"])
    assert [tuple(dove_answers(program, step, within))] == list(step.shown_by)
    if within > 1:
        assert dove_answers(program, step, within - 1) == [], "a shorter win"


@pytest.mark.one_case
@pytest.mark.parametrize("step", steps("doves")[:28])
def test_a_puzzle_of_doves_is_won_in_so_many_by_one_action(mates: Path, step: Step) -> None:
    check_doves(mates, step)


@pytest.mark.slow
@pytest.mark.parametrize("step", steps("doves")[28:])
def test_a_long_puzzle_of_doves_is_won_in_so_many_by_one_action(mates: Path, step: Step) -> None:
    check_doves(mates, step)


@pytest.mark.parametrize("step", steps("rengi"))
def test_a_puzzle_of_rengi_has_one_hand_for_its_chain(step: Step) -> None:
    pairs = str(puzzles_of("rengi").options["list"]).split(",")
    pair = pairs[int(step.more["made"][0])]
    field = from_rows(*step.more["fields"][0].split("/"))
    longest = {}
    for column, rotation in placements(field):
        after = copied(field)
        place(after, pair, column, rotation)
        longest[f"{pair}{column}.{rotation}"] = len(run_chain(after))
    most = int(step.params["steps"])
    assert max(longest.values()) == most
    assert [tuple(text for text, n in longest.items() if n == most)] == list(step.shown_by)


def laid(lesson: Lesson) -> games.Game:
    game = games.load(lesson.slug, **lesson.options)
    return game.laid_on(load(profile_for(game)).grid)


@pytest.mark.parametrize("slug", puzzle_counts())
def test_puzzles_are_positions_of_the_game_whose_answer_is_a_move_of_it(slug: str) -> None:
    lesson = lesson_of(f"{slug}/puzzles")
    game = laid(lesson)
    seen = set()
    for step in lesson.steps:
        position = position_of(game, step)
        assert game.outcome(position) is None
        assert game.to_act(position) == step.to_move
        texts = {move.text: move for move in game.moves(position, step.to_move)}
        (answers,) = step.shown_by
        assert [text for text, move in texts.items() if step.shows([move])] == list(answers)
        seen.add(tuple(position.state))
    assert len(seen) == len(lesson.steps)


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_what_a_puzzle_asks_is_told_in_both_languages(language: str) -> None:
    for slug in puzzle_counts():
        lesson = lesson_of(f"{slug}/puzzles")
        for number, step in enumerate(lesson.steps):
            for what in ("", "title", "right", "not"):
                told = i18n.text(lesson.text_id(number, what), language, **step.params)
                assert not re.search(r"[{}]|lesson\.[a-z]", told)
