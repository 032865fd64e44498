"""The coach after a game: what it asks, what it finds, when it stops; and a game continued."""

from __future__ import annotations

import random
from typing import Any

import pytest
from lumiban import games
from lumiban.games.base import Game
from lumiban.library.rows import columns
from lumiban.table import record
from lumiban.table.course import course_of
from lumiban.table.history import BY_CONTINUED, GameHistory
from lumiban.table.requests import request_of
from lumiban.table.review import DECIDED, TICKETS
from lumiban.table.types import Advice, Append, AskCoach, Command
from unit.table.test_coach import Table, questions

GAMES: dict[str, dict[str, Any]] = {
    "control": {"size": 3, "opening": "free"},
    "evening": {"size": 3},
    "trivia": {"size": 4},
    "doves": {},
    "rengi": {},
}


def by_chance(game: Game, history: GameHistory, most: int = 400, seed: int = 1) -> None:
    """Play on to the end, or for so many moves."""
    rng = random.Random(seed)
    for number in range(most):
        position = history.position
        if history.outcome is not None:
            return
        listed = [
            move
            for side in game.movers(position)
            for move in game.moves(position, side)
            if _on_board(game, position, move)
        ]
        for side in () if listed else game.movers(position):
            words = [w for w in game.words(position, side) if w in ("done", "stand", "take white")]
            listed += [game.parse(position, word, side) for word in words]
        if not listed:
            return
        history.play(rng.choice(listed), number, "board")


def _on_board(game: Game, position: Any, move: Any) -> bool:
    return not hasattr(game, "reaches") or game.reaches(position, move)


def resigned(history: GameHistory) -> None:
    game, position = history.game, history.position
    side = game.movers(position)[0]
    history.play(game.parse(position, "resign", side), 0, "page")


def ended(
    slug: str, moves: int = 400, seed: int = 1, seats: tuple[str, ...] = (), **more: Any
) -> Table:
    """A table whose game has been played by chance, and given up where it is not over."""
    table = Table(slug, "human", "human", hint="legal", **{**GAMES.get(slug, {}), **more})
    game = table.session.game
    history = GameHistory(
        game, seats or ("human", "human"), seed=seed, profile=table.profile.name, board="uid"
    )
    by_chance(game, history, moves, seed)
    if history.outcome is None:
        resigned(history)
    table.session.start(history)
    table.out = table.step()
    return table


def told(question: AskCoach, value: float) -> Advice:
    """The first move of the position, of this worth to its mover."""
    (best, *_) = question.game.moves(question.position, question.side)
    line = {
        "value": value, "percent": 50, "visits": 90, "proof": None, "wins_in": None,
        "moves": [best.text], "does": [],
    }  # fmt: skip
    return Advice(question.ticket, (line,), 100, "playouts", True)


def gone_through(table: Table, out: list[Any], worth: Any) -> list[AskCoach]:
    """Answer all questions of a review; `worth` tells what the first side expects of a position by
    its number of moves."""
    asked: list[AskCoach] = []
    while found := questions(out):
        (question,) = found
        asked.append(question)
        share = worth(len(question.position.history))
        out = table.step(told(question, share if question.side == 0 else 1 - share))
    return asked


@pytest.mark.one_case
@pytest.mark.parametrize("slug", GAMES)
def test_every_game_of_ours_is_gone_through_to_its_end(slug: str) -> None:
    table = ended(slug)
    assert "review" not in table.view
    error, out = table.asks("review")
    assert error is None
    worth = random.Random(3)
    seen: dict[int, float] = {}
    asked = gone_through(table, out, lambda n: seen.setdefault(n, worth.random()))
    review = table.view["review"]
    played = len(table.session.history.played)
    assert review["done"]
    assert not review["stopped"]
    assert len(review["percent"]) == played + 1
    assert len(asked) > played // 2
    # The coach in play counts down from 0, and never so far.
    assert all(question.ticket < min(TICKETS, -1_000_000_000) for question in asked)
    assert len(review["turning"]) == DECIDED
    changes = [abs(one["after"] - one["before"]) for one in review["turning"]]
    assert min(changes) >= 8
    # What lies before the end of a race or of a pie has no worth of its own: gaps, not guesses.
    assert review["percent"][-1] in (0, 50, 100)


def test_the_moves_that_decided_are_those_that_changed_most_and_tell_what_was_better() -> None:
    table = ended("control", moves=10)
    _, out = table.asks("review")
    shares = [50, 50, 20, 20, 22, 90, 90, 85, 85, 85, 85]
    gone_through(table, out, lambda n: shares[n] / 100)
    turning = table.view["review"]["turning"]
    assert [(one["n"], one["side"]) for one in turning] == [(2, 1), (5, 0)]
    assert [(one["before"], one["after"]) for one in turning] == [(50, 80), (22, 90)]
    assert [one["better"] for one in turning] == [None, None]
    # The same changes the other way round are mistakes, and tell the better move.
    table = ended("control", moves=10)
    _, out = table.asks("review")
    gone_through(table, out, lambda n: 1 - shares[n] / 100)
    turning = table.view["review"]["turning"]
    assert [(one["before"], one["after"]) for one in turning] == [(50, 20), (78, 10)]
    assert all(one["better"] for one in turning)
    assert all(effect["id"].startswith("said.") for one in turning for effect in one["does"])
    assert table.view["review"]["percent"][:4] == [50, 50, 80, 80]


def test_the_time_is_bounded_for_the_whole_game_and_for_each_position() -> None:
    table = ended("evening")
    _, out = table.asks("review")
    asked = gone_through(table, out, lambda n: 0.9 if n % 5 < 2 else 0.1)
    assert all(question.within_us is not None for question in asked)
    assert sum(question.within_us or 0 for question in asked) <= 25_000_000


def test_a_game_without_an_analysis_says_why_and_asks_no_further() -> None:
    table = ended("control", moves=8)
    _, out = table.asks("review")
    count = 0
    while found := questions(out):
        count += 1
        out = table.step(Advice(found[0].ticket, reason="the bot's process died"))
    review = table.view["review"]
    assert (count, review["stopped"], review["reason"]) == (3, True, "the bot's process died")


def test_a_course_that_cannot_be_played_says_at_which_move() -> None:
    table = ended("control", moves=6)
    course = course_of(table.session.history)
    broken = request_of(
        "review",
        {"name": "x", "course": {
            "game": "control", "options": dict(course.options), "seed": 1,
            "moves": [[0, "a1"], [1, "a1"]], "winner": 0,
        }},
    )  # fmt: skip
    out = table.step(Command(broken, 1))
    gone_through(table, out, lambda n: 0.5)
    assert table.view["review"]["stopped"]
    assert "a1" in table.view["review"]["reason"]


@pytest.mark.parametrize("slug", GAMES)
def test_a_game_is_continued_from_a_move_and_its_record_holds_all_of_it(slug: str) -> None:
    table = ended(slug)
    old = table.session.history
    count = len(old.played) // 2
    before = old.positions[count]
    error, out = table.asks("new", after=count)
    assert error is None
    history = table.session.history
    assert history is not old
    assert history.outcome is None
    game = history.game
    assert game.stones_of(history.position) == game.stones_of(before) or slug == "doves"
    assert sorted(game.labels(history.position)) == sorted(game.labels(before))
    assert game.movers(history.position) == game.movers(before)
    by_chance(game, history)
    if history.outcome is None:
        resigned(history)
    document = record.make(history, history.outcome)  # type: ignore[arg-type]
    if slug != "doves":
        assert record.verify(document).reason
        assert {move["by"] for move in document["moves"][:count]} == {BY_CONTINUED}
    # Such a game is not rated: its players did not play all of it.
    assert columns(document)["is_set_up"]
    # What the journal keeps leads to the same position again.
    kept = [one.record for one in out if isinstance(one, Append)]
    assert kept[0]["t"] == "head"


def test_after_a_pie_the_players_keep_their_seats_in_journal_and_game() -> None:
    game = games.load("control", size=3, opening="pie2")
    history = GameHistory(game, ("human", "bot:easy"))
    for text in ("put wa1", "put bc3", "done", "take white"):
        history.play(game.parse(history.position, text), 0, "board")
    assert history.seats == ["bot:easy", "human"]
    again = GameHistory(game, history.seats)
    for kept in history.retold():
        again.apply(kept)
    assert again.seats == history.seats
