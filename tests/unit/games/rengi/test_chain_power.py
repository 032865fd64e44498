"""The chain-power test: fair lists, what ends them, what is measured, what counts."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest
from each import each
from lumiban import games
from lumiban.errors import GameError
from lumiban.games import IllegalMove, Move, Position
from lumiban.games.rengi.arrays import FIELDS
from lumiban.games.rengi.chain_power import (
    HANDS,
    LISTS,
    ChainPower,
    ListResult,
    PowerResult,
    measured,
)
from lumiban.games.rengi.field import FIELD_SIZE, Chain, chain_of, parse
from places import TESTS

GOLDEN = json.loads((TESTS / "golden" / "rengi.json").read_text("utf-8"))
LETTERS = dict(zip("0145674", ".ORBYGR", strict=True)) | {"5": "B", "6": "Y", "7": "G"}


def nineteen(number: int) -> str:
    digits = GOLDEN["nineteen_chain_fields"][number]["url"].zfill(78)
    rows = [digits[at : at + 6] for at in range(0, 78, 6)]
    return "/".join("".join(LETTERS[digit] for digit in row) for row in rows)


class Unplaced(ChainPower):
    """A test whose hands only fire what stands there, so that a chain is the field's own."""

    def chain(self, position: Position, move: Move) -> Chain:
        return chain_of(list(position.state[FIELDS : FIELDS + FIELD_SIZE]))


def whole_test(game: ChainPower, seed: int, hands: int | None = None) -> list[Position]:
    """Random hands through all lists; with `hands` the word `next` after so many."""
    chance = random.Random(seed)
    positions = [game.start(seed)]
    made = 0
    while game.outcome(positions[-1]) is None:
        move = chance.choice(game.moves(positions[-1], 0))
        if made == hands:
            move, made = game.parse(positions[-1], "next"), -1
        made += 1
        positions.append(game.play(positions[-1], move))
    return positions


def every_second(positions: list[Position]) -> list[int]:
    return [1_000_000 * number for number in range(len(positions))]


@pytest.mark.parametrize("number", [0, 1])
def test_the_papers_table_of_nineteen_steps_is_measured_row_by_row(number: int) -> None:
    game = Unplaced()
    position = game.start()
    # Each step leaves a chain that is one shorter: all rows of the table, from the last one up.
    fields = [step.before for step in chain_of(parse(nineteen(number))).steps]
    for row, text in zip(reversed(GOLDEN["chain_table"]), fields, strict=True):
        field = parse(text)
        state = list(position.state)
        state[FIELDS : FIELDS + FIELD_SIZE] = field
        loaded = Position(tuple(state), seed=position.seed)
        after = Position(loaded.state, (game.parse(loaded, "RB1.0"),), seed=loaded.seed)
        result = measured(game, [loaded, after], [0])
        assert (result.length, result.points) == (row["n"], row["total"])


def test_every_list_is_fair_and_the_same_seed_gives_the_same_lists() -> None:
    game = ChainPower()
    seen = set()
    for seed in (1, 2):
        position = game.start(seed)
        for number in range(LISTS):
            assert game.list_number(position) == number
            pairs = position.state[-92:]
            assert Counter(pairs) == dict.fromkeys((1, 2, 3, 4), 23)
            assert len(set(pairs[:4])) <= 3
            seen.add(pairs)
            position = game.play(position, game.parse(position, "next"))
        assert game.outcome(position) is not None
    assert len(seen) == 2 * LISTS
    assert game.start(1) == game.start(1)


def test_a_day_gives_everybody_the_same_lists() -> None:
    today, tomorrow = ChainPower(day="20261123"), ChainPower(day="20261124")
    assert today.start(1).state == today.start(99).state
    assert today.start(1).state != tomorrow.start(1).state


@pytest.mark.slow
def test_a_list_ends_after_45_hands_or_a_lost_field_and_the_test_after_five() -> None:
    game = ChainPower()
    ended = Counter()
    for seed in range(4):
        positions = whole_test(game, seed)
        result = measured(game, positions, every_second(positions))
        assert len(result.lists) == LISTS
        for one in result.lists:
            assert one.hands <= HANDS
            ended[one.hands == HANDS] += 1
            assert one.seconds == one.hands - 1
        outcome = game.outcome(positions[-1])
        assert outcome is not None
        assert (outcome.winner, outcome.reason) == (0, "chain-power.done")
        assert {game.movers(position) for position in positions[:-1]} == {(0,)}
        # No ojama ever fall, and nobody else plays.
        assert all(game.forecast(p, side) == (0, 0) for p in positions for side in (0, 1))
        assert not any(any(row) for p in positions for row in game.field(p, 1))
    assert ended[True]
    assert ended[False]


def test_only_the_next_two_pairs_are_shown() -> None:
    game = ChainPower()
    position = game.start(5)
    seen = game.view(position, 0)
    assert len(game.next_pairs(position, 0)) == 3
    assert seen.state[-92:-86] == position.state[-92:-86]
    assert set(seen.state[-86:]) == {0}
    assert seen.seed == 0


def test_the_longest_chain_counts_then_its_points_then_the_time() -> None:
    assert ListResult(5, 4840, 45, 0.0).score == 500 + 48
    assert ListResult(5, 4840, 45, 99.9).score == 500 + 48 - 9
    assert ListResult(1, 40, 45, 3600.0).score == 0
    lists = tuple(ListResult(n, 0, 1, 0.0) for n in (1, 2, 3))
    assert PowerResult(lists).score == 600 // 5  # two lists were never begun
    game = ChainPower()
    positions = whole_test(game, 3)
    result = measured(game, positions, every_second(positions))
    moves = positions[-1].history
    best = max(
        (len(game.chain(before, move).steps), game.chain(before, move).points)
        for before, move in zip(positions, moves, strict=False)
    )
    assert result.length == best[0]
    assert best in [(one.length, one.points) for one in result.lists]


def test_a_clock_that_is_set_back_gives_no_time_away() -> None:
    game = ChainPower()
    positions = whole_test(game, 1, hands=4)
    times = every_second(positions)
    times[2] = -5_000_000
    result = measured(game, positions, times)
    assert [one.seconds for one in result.lists] == [3.0] * LISTS


def test_next_and_resign_are_words_and_other_words_are_none() -> None:
    game = ChainPower()
    position = game.start(1)
    assert game.words(position, 0) == ("next", "resign")
    assert game.words(position, 1) == ()
    over = game.play(position, game.parse(position, "resign"))
    outcome = game.outcome(over)
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (1, "resigned")
    assert game.words(over, 0) == ()
    for text in ("pass", "RR9.0"):
        with pytest.raises(IllegalMove):
            game.play(position, game.parse(position, text))


@each(
    ("options", "said"),
    [
        ({"day": "tomorrow"}, "day is none or a day as 20261123"),
        ({"day": "2026-11-23"}, "day is none or a day"),
        ({"day": "２０２６１１２３"}, "day is none or a day"),
        ({"rate": 1}, "the same rules for all"),
        ({"mode": "free"}, "the same rules for all"),
        ({"hands": 90}, "no option 'hands'"),
    ],
)
def test_the_rules_of_a_test_are_the_same_for_all(options: dict[str, int | str], said: str) -> None:
    with pytest.raises(GameError, match=said):
        games.load("chain-power", **options)


def test_a_test_begins_with_an_empty_field_and_no_other() -> None:
    with pytest.raises(GameError, match="begins with an empty field"):
        games.load("chain-power").setup({"a1": 1})
