"""Rengi's hands of a record, played by the kernel alone: the game's own positions, no others."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from lumiban import games
from lumiban.errors import GameError
from lumiban.games.rengi.options import MODES
from lumiban.library import library as library_module
from lumiban.library.library import opened
from lumiban.search import jit
from lumiban.search.rengi.replaying import positions_ahead
from lumiban.table import record
from lumiban.table.clocks import control_of
from lumiban.table.history import GameHistory
from rengi_at_random import random_options

PLIES = 30


def played(seed: int, mode: str) -> dict[str, Any]:
    """A random game with a clock, resigned after so many plies."""
    chance = random.Random(seed)
    game = games.load("rengi", **random_options(chance, mode))
    course = GameHistory(game, ["human", "human"], seed=seed, control=control_of("hand:10m+30s+5m"))
    while (outcome := course.outcome) is None:
        (side,) = game.movers(course.position)
        moves = game.moves(course.position, side)
        goes_on = moves and len(course.played) < PLIES
        move = chance.choice(moves) if goes_on else game.parse(course.position, "resign", side)
        course.play(move, 5_000_000 * len(course.played), "page", 0, 5_000)
    return record.make(course, outcome)


def in_plain_python(game: Any, position: Any, moves: Any) -> Any:
    return positions_ahead(game, position, moves, compiled=False)


def assert_same_positions(document: dict[str, Any], *, compiled: bool) -> None:
    game, positions = record.replay(document)
    ahead = positions_ahead(game, positions[0], document["moves"], compiled=compiled)
    hands = len(document["moves"]) - (document["result"]["reason"] == "resigned")
    assert len(ahead) == hands > 10
    for mine, its in zip(ahead, positions[1:], strict=False):
        assert (mine, mine.history) == (its, its.history)
        assert {type(number) for number in mine.state} == {int}


@pytest.mark.parametrize("mode", MODES)
def test_the_positions_are_those_of_the_game(mode: str) -> None:
    for seed in (1, 2):
        document = played(seed, mode)
        assert_same_positions(document, compiled=False)
        assert record.verify(document, ahead=in_plain_python) == record.verify(document)


@pytest.mark.long
@pytest.mark.skipif(not jit.available(), reason="numba is not installed")
@pytest.mark.parametrize("mode", MODES)
def test_compiled_they_are_the_same(mode: str) -> None:
    for seed in range(3, 23):
        assert_same_positions(played(seed, mode), compiled=True)


HARMS: dict[str, dict[str, Any]] = {
    "another pair": {"text": "RR1.0"},
    "outside": {"text": "RB6.1"},
    "no hand": {"text": "hello"},
    "the other side": {"side": 1},
    "no side": {"side": 7},
    "a side that is none": {"side": "first"},
    "no text": {"text": None},
    "resigned too early": {"text": "resign"},
    "a pass": {"text": "pass"},
}


@pytest.fixture(scope="module")
def sound() -> dict[str, Any]:
    """A game that the first player began; its 5th move is the first player's."""
    return next(one for one in map(of_first, range(50)) if one["moves"][4]["side"] == 0)


def of_first(seed: int) -> dict[str, Any]:
    return played(seed, "open")


@pytest.mark.parametrize("harm", HARMS)
def test_what_may_not_be_played_is_left_to_the_game(sound: dict[str, Any], harm: str) -> None:
    moves = [{**move} for move in sound["moves"]]
    moves[4].update(HARMS[harm])
    document = {**sound, "moves": moves}
    game, positions = record.replay(sound)
    ahead = positions_ahead(game, positions[0], moves, compiled=False)
    assert ahead == positions[1:5]
    with pytest.raises(GameError) as slowly:
        record.verify(document)
    with pytest.raises(GameError) as quickly:
        record.verify(document, ahead=in_plain_python)
    assert str(quickly.value) == str(slowly.value)


def test_a_hand_after_the_end_is_left_to_the_game() -> None:
    document = next(
        one for one in map(of_first, range(100, 200)) if one["result"]["reason"] == "rengi.dead"
    )
    more = [*document["moves"], {**document["moves"][0]}]
    game, positions = record.replay(document)
    ahead = positions_ahead(game, positions[0], more, compiled=False)
    assert ahead == positions[1:]
    with pytest.raises(GameError, match=f"move {len(more)} "):
        record.verify({**document, "moves": more}, ahead=in_plain_python)


def test_what_is_no_move_at_all_is_left_to_the_game(sound: dict[str, Any]) -> None:
    game, positions = record.replay(sound)
    for strange in (None, 3, "RB1.0", [0, "RB1.0"], {}):
        moves = [*sound["moves"][:3], strange]
        assert positions_ahead(game, positions[0], moves, compiled=False) == positions[1:4]


@pytest.mark.parametrize("slug", ["control", "chain-power"])
def test_other_games_play_for_themselves(slug: str) -> None:
    game = games.load(slug)
    position = game.start(1)
    text = game.moves(position, 0)[0].text
    assert positions_ahead(game, position, [{"side": 0, "text": text}], compiled=False) == []


@pytest.mark.long
@pytest.mark.skipif(not jit.available(), reason="numba is not installed")
def test_a_library_built_by_compiled_rules_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(12):
        record.keep(tmp_path / "records", f"20261123-{seed:06d}-rengi", played(seed, "open"))
    wrong = played(20, "open")
    wrong["moves"][3]["text"] = "RR1.0"
    record.keep(tmp_path / "records", "20261123-000012-rengi", wrong)
    with opened(tmp_path) as library:
        before = library.rows()
        for name in ("WORTH_PROCESSES", "WORTH_COMPILED", "SHARE"):
            monkeypatch.setattr(library_module, name, 2)
        assert library.rebuild(jobs=2, ahead=positions_ahead) == 13
        assert library.rows() == before
        assert [game.fault != "" for game in library.games()] == [True, *[False] * 12]
