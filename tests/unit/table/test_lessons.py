"""A lesson at a table: each step is told, shown by moves, tried again, and left for a game."""

from __future__ import annotations

from typing import Any

import pytest
from clumsy_table import SECOND_US, ClumsyTable
from lumiban.games.base import Move
from lumiban.games.builtin_lessons import LESSONS
from lumiban.games.lessons import Lesson, Step
from lumiban.table.lesson_play import MAX_SHOWN, SHOWN_AFTER

NO_STEP = {"id": "table.no-lesson-step", "params": {}}


def legal(table: ClumsyTable) -> list[Move]:
    """Moves and words of whoever may act, in the rules' order."""
    match = table.session.match
    game, position = match.game, match.position
    sides = range(len(game.sides))
    found = [move for side in game.movers(position) for move in game.moves(position, side)]
    return found + [
        game.parse(position, word, side) for side in sides for word in game.words(position, side)
    ]


def make(table: ClumsyTable, move: Move) -> None:
    """By the page, whose hands bring its pieces; without turns by one's own hand."""
    match = table.session.match
    if move.is_word:
        assert table.ask("word", side=move.side, word=move.text.split(" ")[0]) is None
    elif match.is_free:
        for cell, _, kind in match.game.effects(match.position, move):
            table.place(cell, int(kind))
    else:
        assert table.ask("move", side=move.side, text=move.text) is None
    table.wait(2 * SECOND_US)
    assert table.stand(6 * SECOND_US, 200 * SECOND_US)


def told(table: ClumsyTable) -> tuple[Any, ...]:
    shown = table.view.lesson
    assert shown
    return shown.step, shown.text.id, shown.said and shown.said.id, shown.is_right


def shows(table: ClumsyTable, step: Step) -> list[Move]:
    played = table.session.match.history.moves
    return [move for move in legal(table) if step.shows([*played, move])]


@pytest.mark.parametrize("lesson", LESSONS.values(), ids=list(LESSONS))
def test_each_step_is_told_and_shown_and_leads_to_the_next(lesson: Lesson) -> None:
    table = ClumsyTable(lesson.slug, lesson=True)
    assert table.stand(6 * SECOND_US, 200 * SECOND_US)
    assert table.ask("lesson", go="back") == NO_STEP
    for number, step in enumerate(lesson.steps):
        shown = table.view.lesson
        assert shown
        assert (shown.game, shown.steps) == (lesson.slug, len(lesson.steps))
        assert shown.title.id == lesson.text_id(number, "title")
        assert told(table) == (number + 1, lesson.text_id(number), None, False)
        assert table.view.hint == step.hint
        for _ in step.shown_by:
            make(table, shows(table, step)[0])
        right = lesson.text_id(number, "right")
        assert told(table) == (number + 1, lesson.text_id(number), right, True)
        answer = table.ask("lesson", go="next")
        assert table.stand(6 * SECOND_US, 200 * SECOND_US)
    assert answer == NO_STEP
    assert table.ask("lesson", go="again") is None
    assert told(table)[1:] == (lesson.text_id(number), None, False)


@pytest.mark.parametrize("slug", LESSONS)
def test_another_idea_is_taken_back_and_after_two_tries_the_cells_are_shown(slug: str) -> None:
    table = ClumsyTable(slug, lesson=True)
    lesson = LESSONS[slug]
    number, step = next((n, one) for n, one in enumerate(lesson.steps) if one.beside)
    assert table.ask("lesson", go="begin", step=number + 1) is None
    assert table.stand(6 * SECOND_US, 200 * SECOND_US)
    match, before = table.session.match, table.lying()
    for tried in range(1, SHOWN_AFTER + 1):
        aims = {match.game.aims(match.position, move)[-1] for move in shows(table, step)}
        make(table, next(move for move in legal(table) if move.text in step.beside))
        wrong = lesson.text_id(number, "not")
        assert told(table) == (number + 1, lesson.text_id(number), wrong, False)
        assert match.history.moves == []
        advised = {mark.cell for mark in table.view.marks if mark.meaning == "advice"}
        assert advised == (aims if tried == SHOWN_AFTER and len(aims) <= MAX_SHOWN else set())
    assert match.is_free or table.lying() == before, "hands put it back"
