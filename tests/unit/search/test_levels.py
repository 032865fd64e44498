"""Levels: five a game, named in both languages, each with more to think than the one below."""

from __future__ import annotations

import json
import random
import zlib
from itertools import pairwise

import pytest
from lumiban import games
from lumiban.arguments import seat
from lumiban.cli import run
from lumiban.errors import UsageError
from lumiban.games.base import Game, Move, Position
from lumiban.i18n import texts
from lumiban.search import engine as thinking
from lumiban.search.bot import think
from lumiban.search.levels import (
    NAMES,
    level_of,
    name_of,
    plays_to_lose,
)
from lumiban.search.registry import engine_of
from lumiban.search.rengi.bot import STRENGTHS
from lumiban.table.types import Settings

ALL = [engine_of(games.load(slug)).levels for slug in games.available()]


def test_there_are_five_levels_by_name_and_by_number_at_table_and_terminal() -> None:
    assert Settings().levels == NAMES
    assert [name_of(str(number)) for number in range(1, 6)] == list(NAMES)
    assert [seat(f"bot:{number}") for number in range(1, 6)] == [f"bot:{name}" for name in NAMES]
    for wrong in ("0", "6", "", "godlike", "²"):
        with pytest.raises(UsageError, match=r"1 \(gentle\).*5 \(strong\)"):
            level_of(wrong)


def test_every_level_has_its_name_and_what_it_is_in_both_languages() -> None:
    for language in ("en", "ja"):
        names = {texts(language)[f"level.{name}"] for name in NAMES}
        abouts = {texts(language)[f"level.{name}.about"] for name in NAMES}
        assert len(names) == len(abouts) == 5


def test_each_level_has_more_to_think_than_the_one_below() -> None:
    for levels in ALL:
        _, *clean = (levels[name] for name in NAMES)
        assert all(one.playouts < next_.playouts for one, next_ in pairwise(clean))
        assert all(level.gives_away == 0.0 for level in clean)
        assert all(one.overlooks >= next_.overlooks for one, next_ in pairwise(clean))
        assert clean[-1].overlooks == 0.0
        assert levels["gentle"].longest_us <= 300_000
        assert levels["strong"].longest_us <= 2_000_000


def begun(text: str) -> Position:
    return Position((), tuple(Move(side % 2, word, 0) for side, word in enumerate(text.split())))


def test_games_are_given_away_as_often_as_the_level_says_and_from_begin_to_end() -> None:
    chance = random.Random(1)
    given = 0
    for _ in range(2_000):
        first = " ".join(str(chance.randrange(60)) for _ in range(4))
        now = plays_to_lose(begun(first), 0.55)
        assert plays_to_lose(begun(first + " 5 6 7"), 0.55) == now
        assert now == (zlib.crc32(first.encode()) % 1000 < 550)
        given += now
    assert given / 2_000 == pytest.approx(0.55, abs=0.04)
    assert not plays_to_lose(begun("1 2"), 0.0)


def win_in_one() -> tuple[Game, Position, set[str]]:
    """A position of Control on side 2 whose mover can win at once, four moves or more played."""
    game = games.load("control", size=2)
    for seed in range(200):
        chance = random.Random(seed)
        position = game.start()
        while game.outcome(position) is None:
            (side,) = game.movers(position)
            moves = game.moves(position, side)
            wins = {
                move.text
                for move in moves
                if (end := game.outcome(game.play(position, move))) and end.winner == side
            }
            others = len(moves) - len(wins)
            if wins and others and len(position.history) >= 4 and not plays_to_lose(position, 0.55):
                return game, position, wins
            position = game.play(position, chance.choice(moves))
    raise AssertionError("no such position")


def test_only_the_gentle_level_overlooks_a_win_in_one() -> None:
    game, position, wins = win_in_one()
    for name in NAMES[1:]:
        assert think(game, position, name, 1, playouts=20, compiled=False).move.text in wins
    thoughts = [think(game, position, "gentle", s, playouts=2, compiled=False) for s in range(300)]
    missed = sum(thought.move.text not in wins for thought in thoughts)
    assert 0 < missed < 60


def test_a_level_ends_at_its_time_by_whatever_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0]

    def clock() -> int:
        now[0] += 100_000
        return now[0]

    monkeypatch.setattr(thinking, "_now_us", clock)
    game = games.load("control", size=3)
    for name in NAMES:
        now[0] = 0
        think(game, game.start(), name, 1, compiled=False)
        assert now[0] <= level_of(name).longest_us + 300_000
    now[0] = 0
    think(game, game.start(), "strong", 1, longest_us=900_000, compiled=False)
    assert 900_000 <= now[0] <= 1_200_000


def test_more_time_is_for_full_strength_alone() -> None:
    game = games.load("control", size=2)
    position = game.start()
    budget = level_of("gentle").playouts
    thought = think(game, position, "gentle", 1, longest_us=60_000_000, compiled=False)
    assert thought.playouts <= budget


def test_games_tell_what_their_levels_get(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["games", "trivia", "doves", "rengi", "--json"]) == 0
    trivia, doves, rengi = json.loads(capsys.readouterr().out)["games"]
    assert [level["name"] for level in trivia["levels"]] == list(NAMES)
    assert trivia["levels"][4]["playouts"] == engine_of(games.load("trivia")).level("5").playouts
    assert doves["levels"][4]["positions"] > doves["levels"][3]["positions"]
    bounds = [1e6 * level["seconds"] for level in rengi["levels"]]
    assert bounds == [strength.longest_us for strength in STRENGTHS.values()]
    assert run(["games", "trivia"]) == 0
    assert "bot:hard  hard" in capsys.readouterr().out
