"""Shortest wins of Tokyo Doves against a search without memory, and puzzles made of them."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import doves_plainly as plainly
import pytest
from lumiban import cli
from lumiban.errors import GameError
from lumiban.games.base import Position
from lumiban.games.doves import Doves
from lumiban.search import jit
from lumiban.search.doves.mate import Puzzles, candidate, find_mate

needs_numba = pytest.mark.skipif(not jit.available(), reason="numba is not installed")

RULES: tuple[dict[str, str], ...] = (
    {},
    {"repetition": "normal", "initial": "allowed"},
    {"repetition": "weak"},
    {"repetition": "off", "both": "draw"},
    {"remove": "off", "both": "mover-wins"},
)


@cache
def doves(**options: str) -> Doves:
    return Doves(**options)


def compare(rules: dict[str, str], seed: int, plies: int, longest: int) -> int:
    """Hold one position against the plain search; the plies of its win, 0 for none."""
    game = doves(**rules)
    position = plainly.wander(game, seed, plies)
    return 0 if position is None else held_against(game, position, longest)


def held_against(game: Doves, position: Position, longest: int) -> int:
    state = plainly.start_of(game, position)
    found = find_mate(game, position, longest)
    for length in range(1, longest + 1, 2):
        codes = plainly.winning(state, length)
        if codes:
            assert found.plies == length
            assert {move.code for move in found.moves} == set(codes)
            return length
    assert (found.plies, found.moves, found.searched) == (0, (), longest)
    return 0


@pytest.mark.jit
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_wins_in_one_and_three_are_those_of_a_plain_search(rules: dict[str, str]) -> None:
    lengths = [compare(rules, seed, 9 + seed % 11, 3) for seed in range(8)]
    assert len(lengths) == 8


@pytest.mark.jit
@needs_numba
def test_plain_and_compiled_find_the_same_wins_with_as_many_nodes() -> None:
    game = doves()
    for seed in range(4):
        position = candidate(game, 3, seed)
        if position is not None:
            plain, fast = (find_mate(game, position, 3, compiled=way) for way in (False, True))
            assert plain == fast


@pytest.mark.jit
@needs_numba
def test_wins_in_seven_and_nine_hold_against_every_reply() -> None:
    game = doves()
    position = game.setup(board="amHy/..h./MBA./YT.b", to_move="red")
    mate = find_mate(game, position, 9)
    assert (mate.plies, [move.text for move in mate.moves]) == (7, ["AE2"])
    position = game.play(position, mate.moves[0])
    slowest = 0
    for reply in game.moves(position, position.state[0]):
        after = game.play(position, reply)
        if game.outcome(after) is None:
            slowest = max(slowest, find_mate(game, after, 5).plies)
            assert find_mate(game, after, 5).plies > 0
    assert slowest == 5


@pytest.mark.jit
@pytest.mark.parametrize(
    ("board", "to_move", "first", "only_reply"),
    [
        ("mMh./.At./.B../b.Yy", 0, "AW1", "-y"),
        (".b.a/BY.y/..Th/tA.H", 0, "TN1E2", "bE2"),
        ("m..y/a.b./..YM/BHAT", 1, "+tN2E1", "BN1"),
    ],
)
def test_a_ban_on_the_only_reply_that_holds_makes_a_win(
    board: str, to_move: int, first: str, only_reply: str
) -> None:
    game = doves()
    position = game.setup(board=board, to_move=to_move)
    assert find_mate(game, position, 3, compiled=False).plies == 0
    after = game.play(position, game.parse(position, first))
    held = game.play(after, game.parse(after, only_reply)).state[-1]
    state = (*position.state[:-1], held, position.state[-1])
    faced = replace(position, state=state)
    for compiled in (False, True):
        found = find_mate(game, faced, 3, compiled=compiled)
        assert (found.plies, first in [move.text for move in found.moves]) == (3, True)
    assert plainly.wins_within(plainly.start_of(game, faced), 3)


def test_an_ended_search_says_how_far_it_is_certain() -> None:
    game = doves()
    told = find_mate(game, game.start(), 9, compiled=False, most_nodes=3_000)
    assert (told.plies, told.moves) == (0, ())
    assert 1 <= told.searched < 9
    assert find_mate(game, game.start(), 5, compiled=False, stop=lambda: True).searched == 0


def test_only_lengths_that_can_be_are_looked_for() -> None:
    game = doves()
    with pytest.raises(GameError, match="1 to 9"):
        find_mate(game, game.start(), 10)
    with pytest.raises(GameError, match="1, 3, 5, 7 or 9"):
        Puzzles(game, 4, 0)


@pytest.mark.jit
@needs_numba
def test_puzzles_are_the_same_for_a_seed_and_go_on_where_the_file_ends(tmp_path: Path) -> None:
    game = doves()
    whole = list(Puzzles(game, 3, 7).search(3))
    file = tmp_path / "puzzles.jsonl"
    assert list(Puzzles(game, 3, 7, file).search(2)) == whole[:2]
    with file.open("a", encoding="utf-8") as torn:
        torn.write('{"puzzle": {"boa')
    tried: list[int] = []
    again = Puzzles(game, 3, 7, file).search(3, lambda found, number: tried.append(number))
    assert list(again) == whole
    assert tried[0] == whole[1].candidate + 1
    told = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert [line["puzzle"]["board"] for line in told if "puzzle" in line] == [
        puzzle.board for puzzle in whole
    ]
    with pytest.raises(GameError, match="another search"):
        Puzzles(game, 5, 7, file)


@pytest.mark.parametrize("text", ["", "[]\n", '{"game": "doves"}\n', "nonsense\n"])
def test_a_file_of_something_else_is_told_and_kept(tmp_path: Path, text: str) -> None:
    file = tmp_path / "other.txt"
    file.write_text(text, "utf-8")
    if not text:
        assert Puzzles(doves(), 3, 7, file).found == []
        return
    with pytest.raises(GameError, match=r"other\.txt"):
        Puzzles(doves(), 3, 7, file)
    assert file.read_text("utf-8") == text


@pytest.mark.jit
@needs_numba
def test_puzzles_are_told_in_words_and_as_lines_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["study", "puzzles", "doves", "--mate", "1", "--count", "2", "--answers"]) == 0
    told = capsys.readouterr().out
    assert "Puzzle 2:" in told
    assert "Answer:" in told
    assert cli.run(["study", "puzzles", "doves", "--mate", "1", "--count", "2", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["plies"] for line in lines] == [1, 1]
    assert all(line["board"] in told for line in lines)
    assert cli.run(["study", "puzzles", "control"]) == 2
    assert cli.run(["study", "puzzles", "--mate", "2"]) == 2
