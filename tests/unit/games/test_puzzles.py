"""Every puzzle is solved by its one action and no other.

Control is played out here by its rules' text, Evening by `evening_by_the_letter`, Rengi's chains by
`rengi_by_the_paper`; Tokyo Doves by searches, which golden positions and a plain one hold.
"""

from __future__ import annotations

import re
from typing import Any

import doves_plainly as plainly
import pytest
from evening_by_the_letter import BLACK, OTHER, WHITE, Plain
from lumiban import games, i18n
from lumiban.boards.profile import load
from lumiban.games.builtin_lessons import lesson_of
from lumiban.games.doves import Doves
from lumiban.games.lessons import Lesson, Step, position_of
from lumiban.games.puzzles import puzzle_counts, puzzles_of
from lumiban.search.doves.mate import find_mate
from lumiban.table.fitting import profile_for
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


@pytest.mark.one_case
@pytest.mark.parametrize("step", steps("control"))
def test_a_puzzle_of_control_has_one_winning_action(step: Step) -> None:
    assert [tuple(control_answers(step))] == list(step.shown_by)


@pytest.mark.one_case
@pytest.mark.parametrize("step", steps("evening"))
def test_a_puzzle_of_evening_has_one_winning_cell(step: Step) -> None:
    assert [tuple(evening_answers(step))] == list(step.shown_by)


@pytest.mark.jit
@pytest.mark.parametrize("step", steps("doves"))
def test_a_puzzle_of_doves_is_won_in_so_many_by_one_action(step: Step) -> None:
    """The bot's search says how soon; in three plies one that remembers nothing says the same."""
    game = Doves(**puzzles_of("doves").options)
    position = position_of(game, step)
    plies = 2 * int(step.params["within"]) - 1
    mate = find_mate(game, position)
    assert (mate.plies, [(move.text,) for move in mate.moves]) == (plies, list(step.shown_by))
    if plies <= 3:
        found = plainly.winning(plainly.start_of(game, position), plies)
        assert found == [move.code for move in mate.moves]


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
