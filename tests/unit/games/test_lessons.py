"""Every move that a lesson names is what the rules say of it."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
from lumiban import games, i18n
from lumiban.boards.profile import load
from lumiban.games.base import Game, Move, Outcome, Position
from lumiban.games.builtin_lessons import LESSONS
from lumiban.games.lessons import Lesson, Step, position_of
from lumiban.table.fitting import profile_for

STEPS = [
    pytest.param(lesson, number, id=f"{lesson.slug}-{step.idea}")
    for lesson in LESSONS.values()
    for number, step in enumerate(lesson.steps)
]


def laid(lesson: Lesson) -> Game:
    """The lesson's game as its usual board plays it."""
    game = games.load(lesson.slug, **lesson.options)
    return game.laid_on(load(profile_for(game)).grid)


def parsed(game: Game, position: Position, text: str, sides: tuple[int, ...]) -> Move:
    """A move of whichever side may make it."""
    tried = [game.parse(position, text, side) for side in sides]
    legal = [one for one in tried if game.why_not(position, one.side, one) is None]
    return (legal or tried)[0]


def legal(game: Game, position: Position) -> list[Move]:
    found = [one for side in game.movers(position) for one in game.moves(position, side)]
    for side in range(len(game.sides)):
        found += [game.parse(position, word, side) for word in game.words(position, side)]
    return found


def made(position: Position) -> list[Move]:
    """The learner's moves: a position that was set up has none before them."""
    return list(position.history)


def ways(game: Game, step: Step) -> list[Position]:
    """Positions after the moves that show the idea, one for each first move."""
    found = [position_of(game, step)]
    for number in range(len(step.shown_by)):
        after = []
        for position in found:
            fitting = [
                move for move in legal(game, position) if step.shows([*made(position), move])
            ]
            assert fitting, (step.idea, number)
            after += [
                game.play(position, move) for move in (fitting if not number else fitting[:1])
            ]
        found = after
    return found


@pytest.mark.parametrize(("lesson", "number"), STEPS)
def test_an_idea_can_be_shown_and_each_way_named_is_legal(lesson: Lesson, number: int) -> None:
    game, step = laid(lesson), lesson.steps[number]
    position = position_of(game, step)
    assert game.outcome(position) is None
    assert ways(game, step)
    texts = [move.text for move in legal(game, position)]
    for pattern in step.shown_by[0]:
        assert any(fnmatchcase(text, pattern) for text in texts), pattern


@pytest.mark.parametrize(("lesson", "number"), STEPS)
def test_a_refused_move_is_refused_and_one_beside_the_idea_is_legal(
    lesson: Lesson, number: int
) -> None:
    game, step = laid(lesson), lesson.steps[number]
    position = position_of(game, step)
    sides = (0, 1) if game.turnless else game.movers(position)
    for text in step.refused:
        move = parsed(game, position, text, sides)
        assert game.why_not(position, move.side, move) is not None, text
    for text in step.beside:
        move = parsed(game, position, text, sides)
        assert game.why_not(position, move.side, move) is None, text
        assert not step.shows([move]), text
    alone = all(step.shows([move]) or move.is_word for move in legal(game, position))
    assert step.beside or alone, "a move beside the idea that no test tries"


@pytest.mark.parametrize("lesson", LESSONS.values(), ids=lambda lesson: lesson.slug)
def test_a_lesson_has_five_to_eight_ideas_told_in_both_languages(lesson: Lesson) -> None:
    assert 5 <= len(lesson.steps) <= 8
    wanted = {
        lesson.text_id(number, what)
        for number in range(len(lesson.steps))
        for what in ("", "title", "right", "not")
    }
    for language in i18n.LANGUAGES:
        there = {
            id for id in i18n.areas(language)["lesson"] if id.startswith(f"lesson.{lesson.slug}.")
        }
        assert there == wanted


def test_the_tie_that_ends_controls_lesson_is_lost_by_whoever_is_to_move() -> None:
    lesson = LESSONS["control"]
    game, step = laid(lesson), lesson.steps[-1]
    (then,) = {after.over: after for after in ways(game, step)}.values()
    assert game.outcome(then) == Outcome(1, "agreed-tie")
    assert game.final_counts(then) == (5, 5)
