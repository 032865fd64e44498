"""Tables of Tokyo Doves with fewer kinds: the numbers known, and every position by its moves."""

from __future__ import annotations

import itertools
import json
import random
from functools import cache

import pytest
from lumiban import cli
from lumiban.errors import GameError
from lumiban.games.base import Move, Position
from lumiban.games.doves import Doves
from lumiban.search import jit
from lumiban.search.doves.mate import find_mate
from lumiban.search.doves.tables import Tables, build
from places import TESTS

pytestmark = pytest.mark.jit


needs_numba = pytest.mark.skipif(not jit.available(), reason="numba is not installed")
GOLDEN = json.loads((TESTS / "golden" / "doves.json").read_text("utf-8"))


@cache
def table(kinds: str, initial: str = "allowed") -> Tables:
    return build(kinds, initial=initial)


@cache
def free_play(initial: str = "allowed", remove: str = "on") -> Doves:
    return Doves(repetition="off", initial=initial, remove=remove)


def figures(told: Tables) -> tuple[int, int, int, int, int]:
    return told.positions, told.wins, told.losses, told.draws, told.longest


def actions(game: Doves, position: Position, kinds: str) -> list[Move]:
    """The actions with a boss or one of these kinds."""
    listed = game.moves(position, position.state[0])
    return [move for move in listed if move.text.strip("+-")[0].upper() in "B" + kinds]


def met(game: Doves, kinds: str, seed: int) -> list[Position]:
    """Positions of a random game with these kinds."""
    rng = random.Random(seed)
    position, found = game.start(), []
    for _ in range(60):
        if game.outcome(position) is not None:
            break
        found.append(position)
        own = [
            m
            for m in game.moves(position, position.state[0])
            if m.text.strip("+-")[0].upper() in "B" + kinds
        ]
        position = game.play(position, rng.choice(own))
    return found


def test_one_kind_has_as_many_positions_as_the_golden_counts_say() -> None:
    two, three, four = (GOLDEN["static_counts"][n]["all"] for n in "234")
    for kind in "AYMTH"[: 5 if jit.available() else 1]:
        told = build(kind)
        assert told.positions == two + 2 * three // 10 + four // 45
        assert (told.wins, told.losses, told.start) == (0, 0, 0)


@needs_numba
def test_plain_and_compiled_fill_the_same_table() -> None:
    assert figures(build("A", compiled=False)) == figures(table("A"))


@needs_numba
@pytest.mark.parametrize("kinds", ["".join(pair) for pair in itertools.combinations("AYMTH", 2)])
def test_two_kinds_a_side_are_a_draw(kinds: str) -> None:
    told = table(kinds)
    assert told.start == 0
    assert told.wins + told.losses + told.draws < told.positions


@needs_numba
@pytest.mark.parametrize(
    ("kinds", "initial"), [("AT", "allowed"), ("TH", "allowed"), ("AT", "forbidden")]
)
def test_a_position_is_worth_what_its_actions_lead_to(kinds: str, initial: str) -> None:
    game, told = free_play(initial), table(kinds, initial)
    seen = set()
    for seed in range(40):
        for position in met(game, kinds, seed)[-3:]:
            worth, plies = told.look(position)
            after = []
            for move in actions(game, position, kinds):
                after.append(told.look(game.play(position, move)))
            lost = [length for value, length in after if value == -1]
            if lost:
                assert (worth, plies) == (1, 1 + min(lost))
            elif all(value == 1 for value, _ in after):
                assert (worth, plies) == (-1, 1 + max(length for _, length in after))
            else:
                assert worth == 0
            seen.add(worth)
    assert seen >= {0, 1}


@needs_numba
def test_with_two_doves_a_side_neither_both_nor_the_initial_rule_matters() -> None:
    told = figures(table("AT"))
    for rules in ({"both": "mover-wins"}, {"both": "draw"}, {"initial": "forbidden"}):
        assert figures(build("AT", **rules)) == told
    # Without taking back a few draws are decided.
    assert figures(build("AT", remove=False)) == (298_414, 13_400, 154, 278_052, 7)


@needs_numba
@pytest.mark.parametrize("initial", ["allowed", "forbidden"])
@pytest.mark.parametrize("remove", ["on", "off"])
def test_with_few_kinds_nobody_is_without_an_action(initial: str, remove: str) -> None:
    game = free_play(initial, remove)
    for seed in range(40):
        for position in met(game, "MH", seed):
            assert actions(game, position, "MH")


@needs_numba
@pytest.mark.parametrize("kinds", ["AT", "YT"])
def test_the_table_and_the_search_for_wins_agree(kinds: str) -> None:
    game, told = free_play(), table(kinds)
    lengths = set()
    for seed in range(40):
        for position in met(game, kinds, seed)[-2:]:
            worth, plies = told.look(position)
            found = find_mate(game, position, 5, kinds=kinds)
            assert found.plies == (plies if worth == 1 and plies <= 5 else 0)
            lengths.add(found.plies)
    assert {0, 1} <= lengths


@needs_numba
def test_a_table_says_what_it_does_not_know() -> None:
    game, told = free_play(), table("AT")
    with pytest.raises(GameError, match="B and AT only"):
        told.look(game.setup(board="b./BH"))
    assert told.look(game.setup(board="b./BA")) == (0, 0)


@pytest.mark.parametrize("hands", ["", "AA", "AX", "ATHY", "B"])
def test_hands_that_are_none_are_told(hands: str) -> None:
    with pytest.raises(GameError, match="hands of"):
        build(hands)


@needs_numba
def test_solve_tells_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["study", "solve", "doves", "--hands", "ta", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["hands"] == "AT"
    assert told["winner"] is None
    assert (told["positions"], told["wins"]) == (table("AT").positions, table("AT").wins)
    assert cli.run(["study", "solve", "doves", "--hands", "AT"]) == 0
    assert "a draw" in capsys.readouterr().out
    assert cli.run(["study", "solve", "doves", "--hands", "AT", "-o", "initial=forbidden"]) == 0
    assert "13,371" in capsys.readouterr().out
    assert cli.run(["study", "solve", "doves", "--hands", "AT", "-o", "repetition=weak"]) == 2
    assert cli.run(["study", "solve", "control", "--hands", "AT"]) == 2


@pytest.mark.long
@needs_numba
def test_three_kinds_a_side_are_a_draw_with_wins_of_nineteen_plies() -> None:
    """About three minutes and 1 GB."""
    assert figures(build("ATH")) == (66_298_363, 10_713_131, 174_017, 48_038_476, 19)
