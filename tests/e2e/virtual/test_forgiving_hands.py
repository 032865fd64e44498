"""What people do that nobody expects of them, each as it was tried: the table goes on."""

from __future__ import annotations

import pytest
from clumsy_table import SECOND_US, ClumsyTable
from lumiban.games.base import Position
from lumiban.table.types import AskBot, BotMove

WHITE, BLACK, RED = 1, 2, 3
RENGI = {"begins": "first", "mode": "free", "supply": "loop", "list": "RB,YG"}


def moves(table: ClumsyTable) -> list[str]:
    return [move.text for move in table.view.moves]


def machine_plays(table: ClumsyTable, *texts: str) -> None:
    """The machine's answers from now on, in this order."""
    left = list(texts)

    def answer(question: AskBot) -> None:
        if left:
            table.step(BotMove(question.ticket, left.pop(0), 0.5, 10))

    table._answer = answer  # type: ignore[method-assign]


def test_two_closed_cells_of_a_lesson_one_after_the_other_are_cleared_by_hands() -> None:
    table = ClumsyTable("control", lesson=True)
    table.ask("lesson", go="next")
    assert table.stand(3 * SECOND_US, 30 * SECOND_US)
    table.place(table.cell("d3"), WHITE)
    table.wait(SECOND_US // 2)
    assert (table.view.verdict.kind, table.prompt.by) == ("refuse", "person")
    table.place(table.cell("d4"), WHITE)
    asked = table.prompt
    assert (table.view.verdict.kind, asked.by) == ("repair", "hands")
    table.wait(5 * SECOND_US)
    assert table.brought[-2:] == [("lift", table.cell("d3")), ("lift", table.cell("d4"))]
    assert (table.view.verdict.kind, table.hung) == ("agree", [])


def test_hands_that_were_not_told_are_asked_again_after_three_seconds() -> None:
    table = ClumsyTable("control", lesson=True)
    table.has_hands = False  # the prompt is lost on its way
    table.ask("lesson", go="next")
    table.wait(SECOND_US)
    table.has_hands = True
    assert not any(table.lies)
    table.wait(9 * SECOND_US)
    assert sum(map(bool, table.lies)) == 2
    assert not table.hung


@pytest.mark.parametrize("early_us", [100_000, 600_000])
def test_a_stone_set_before_the_machine_s_lies_there_is_the_next_move(early_us: int) -> None:
    table = ClumsyTable("control", ("human", "bot:easy"), options={"size": 3})
    machine_plays(table, "c3")
    table.place(table.cell("a1"), WHITE)
    table.wait(early_us)
    table.place(table.cell("e3"), WHITE)
    table.wait(10 * SECOND_US)
    assert moves(table) == ["a1", "c3", "e3"]
    assert ("lift", table.cell("e3")) not in table.brought


def test_an_early_stone_that_the_machine_s_move_forbids_is_refused_then() -> None:
    table = ClumsyTable("control", ("human", "bot:easy"), options={"size": 3})
    machine_plays(table, "c3")
    table.place(table.cell("a1"), WHITE)
    table.wait(600_000)
    table.place(table.cell("d3"), WHITE)
    table.wait(3 * SECOND_US)
    assert moves(table) == ["a1", "c3"]
    assert (table.view.verdict.kind, table.prompt.by) == ("refuse", "person")
    table.lift(table.cell("d3"))
    assert table.view.verdict.kind == "agree"


def test_all_three_stones_of_a_turn_may_lie_before_the_machine_has_set_its_own() -> None:
    table = ClumsyTable("trivia", ("human", "bot:easy"), options={"size": 3})
    machine_plays(table, "b2", "c2", "red a3")
    table.place(table.cell("a1"), WHITE)
    table.wait(300_000)
    for name, kind in (("c3", WHITE), ("b3", RED), ("c1", WHITE)):
        table.place(table.cell(name), kind)
        table.wait(200_000)
    table.wait(12 * SECOND_US)
    assert moves(table)[:4] == ["a1", "b2", "c2", "red a3"]
    assert sorted(moves(table)[4:]) == ["c1", "c3", "red b3"]


def by_hand(table: ClumsyTable, position: Position, side: int, text: str) -> None:
    """Lift what a move lifts, then set what it sets."""
    game = table.session.game
    effects = game.effects(position, game.parse(position, text, side))
    for cell, _, after in effects:
        if not after:
            table.lift(cell)
    for cell, _, after in effects:
        if after:
            table.place(cell, int(after))


def test_a_dove_moved_before_the_machine_s_is_the_next_move() -> None:
    table = ClumsyTable("doves", ("human", "bot:easy"))
    table.wait(60 * SECOND_US)
    game, start = table.session.game, table.session.match.position
    first, *_ = game.moves(start, 0)
    after = game.play(start, first)
    answer, *_ = game.moves(after, 1)
    machine_plays(table, answer.text)
    by_hand(table, start, 0, first.text)
    table.wait(800_000)
    assert table.prompt.wait == "machine"
    then = game.play(after, answer)
    mine = next(m for m in game.moves(then, 0) if m.text[0] == "+")
    by_hand(table, then, 0, mine.text)
    table.wait(10 * SECOND_US)
    assert moves(table) == [first.text, answer.text, mine.text]


def test_a_marker_set_while_the_machine_thinks_says_what_it_says() -> None:
    table = ClumsyTable("rengi", ("human", "bot:easy"), options=RENGI)
    machine_plays(table, "RB4.1")
    for name in ("c5", "c6"):
        table.place(table.cell(name), WHITE)
    for name in ("c5", "c6"):
        table.lift(table.cell(name))
    for name in ("d5", "d6"):
        table.place(table.cell(name), WHITE)
    assert table.view.verdict.kind == "agree"
    table.wait(5 * SECOND_US)
    assert [text[:2] for text in moves(table)] == ["RB", "RB"]
    for name in ("d5", "d6"):
        table.lift(table.cell(name))
    assert len(moves(table)) == 3


def doves(seats: tuple[str, str] = ("human", "human"), *, has_hands: bool) -> ClumsyTable:
    """Doves at their start, two people's unless it is said whose."""
    table = ClumsyTable("doves", seats, has_hands=has_hands)
    for cell, kind in enumerate(table.session.game.kinds_on(table.session.match.position)):
        if kind:
            table.place(cell, int(kind))
    table.wait(SECOND_US)
    assert table.view.verdict.kind == "agree"
    return table


def two_in_the_air(table: ClumsyTable) -> tuple[int, int, int]:
    """T and M are lifted, and one is put where M may go; the cells of T, of M, and that one."""
    game, labels = table.session.game, table.view.labels
    tower, zigzag = labels.index("T"), labels.index("M")
    put = next(m for m in game.moves(table.session.match.position, 0) if m.text.startswith("+M"))
    goal = next(cell for cell, _, after in game.effects(table.session.match.position, put) if after)
    for cell in (tower, zigzag):
        table.lift(cell)
        table.wait(100_000)
    table.place(goal, WHITE)
    table.wait(100_000)
    return tower, zigzag, goal


def test_the_question_which_piece_is_which_names_cells_and_move_as_they_will_be() -> None:
    table = doves(has_hands=False)
    tower, zigzag, goal = two_in_the_air(table)
    names = table.session.game.grid.names
    told = table.view.verdict.text
    assert told is not None
    assert (told.id, told.params) == (
        "table.mend-place-named", {"name": "T", "cell": names[tower]},
    )  # fmt: skip
    table.place(zigzag, WHITE)
    table.wait(100_000)
    told = table.view.verdict.text
    assert told is not None
    assert told.id == "table.names-move"
    assert told.params["pieces"] == f"T {names[goal]}, M {names[zigzag]}"
    lit = {mark.cell for mark in table.view.marks if mark.meaning == "pending"}
    assert lit == {goal, zigzag}
    assert table.ask("confirm") is None
    assert [f"+T{names[goal]}"] == [move.said for move in table.view.moves]
    assert told.params["move"] == table.view.moves[0].said


def test_a_dove_in_doubt_that_is_up_on_the_machine_s_turn_is_asked_for_before_any_name() -> None:
    table = doves(("human", "bot:easy"), has_hands=False)
    start = table.session.match.position
    first = table.session.game.moves(start, 0)
    by_hand(table, start, 0, next(m.text for m in first if m.text.startswith("+A")))
    assert len(table.view.moves) == 1
    labels, names = table.view.labels, table.session.game.grid.names
    up = [labels.index("T"), labels.index("M")]
    for cell in up:
        table.lift(cell)
    table.wait(5 * SECOND_US)
    for left in (2, 1):
        steps = table.view.prompt.steps
        assert len(table.view.moves) == 1
        assert [(step.do, step.cell in up) for step in steps[:1]] == [("place", True)], left
        told = table.view.verdict.text
        assert told is not None
        assert told.id == "table.mend-place-named"
        table.place(steps[0].cell, WHITE)
        table.wait(5 * SECOND_US)
    told = table.view.verdict.text
    assert told is not None
    assert (told.id, told.params["pieces"]) == (
        "table.names-check", ", ".join(f"{labels[cell]} {names[cell]}" for cell in sorted(up)),
    )  # fmt: skip
    assert table.ask("confirm") is None
    assert table.stand(3 * SECOND_US, 30 * SECOND_US)
    assert table.view.pending is not None  # the machine's dove is asked for


def test_at_a_simulated_board_nobody_is_asked_which_piece_is_which() -> None:
    table = doves(has_hands=True)
    tower, _, goal = two_in_the_air(table)
    table.wait(3 * SECOND_US)
    assert table.brought[-1] == ("place", tower)
    assert [move.text[:2] for move in table.view.moves] == ["+M"]
    assert table.view.labels[goal] == "M"


def test_a_stone_of_the_game_before_is_not_asked_away_where_a_told_move_wants_it() -> None:
    table = ClumsyTable("evening", has_hands=False, options={"size": 3})
    table.place(table.cell("c4"), BLACK)
    assert table.ask("new") is None
    assert [step.do for step in table.view.prompt.steps] == ["lift"]
    table.place(table.cell("b4"), WHITE)
    table.wait(SECOND_US)
    assert table.ask("move", side=1, text="bc4") is None
    table.wait(5 * SECOND_US)
    assert moves(table)[:2] == ["wb4", "bc4"]
    assert table.view.prompt.steps == []


@pytest.mark.parametrize("slug", ["control", "evening", "trivia", "doves", "rengi"])
def test_everything_is_put_back_by_one_button(slug: str) -> None:
    table = doves(has_hands=True) if slug == "doves" else ClumsyTable(slug)
    table.wait(20 * SECOND_US)
    before = table.lying()
    empty = [cell for cell, kind in enumerate(before) if not kind]
    for cell, kind in ((empty[-1], BLACK), (empty[-3], RED), (empty[-4], RED)):
        table.place(cell, kind)
    assert table.lying() != before
    assert table.ask("put-back") is None
    assert table.prompt.by == "hands"
    table.wait(15 * SECOND_US)
    assert table.lying() == before
    assert moves(table) == []
    assert table.ask("put-back") == {"id": "table.nothing-to-put-back", "params": {}}
