"""Rengi's kernel and games against the plain reference, on random fields and in random games."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from lumiban.games.rengi import field as kernel
from lumiban.games.rengi import placements as reach
from places import TESTS
from rengi_by_the_paper import (
    COLOURS,
    EMPTY,
    Field,
    copied,
    empty,
    from_rows,
    place,
    put,
    run_chain,
)
from rengi_by_the_paper_reach import one_way_of_two, placements

LETTERS = ".RBYGO"
GOLDEN: dict[str, Any] = json.loads((TESTS / "golden" / "rengi.json").read_text("utf-8"))


def on_board(of: Field) -> list[int]:
    """A field as the kernel keeps it."""
    board = [0] * kernel.FIELD_SIZE
    for row, letters in enumerate(of, 1):
        for column, letter in enumerate(letters):
            if letter != EMPTY:
                kernel.put(board, 0, column, row, LETTERS.index(letter))
    return board


def off_board(board: list[int]) -> Field:
    return [
        [LETTERS[kernel.colour_at(board, 0, column, row)] for column in range(6)]
        for row in range(1, 15)
    ]


# -- fields --


def random_field(rng: random.Random) -> Field:
    """Columns of random heights, few or many ojama, two to four colours."""
    made = empty()
    most = rng.choice((3, 6, 9, 12, 13))
    ojama = rng.choice((0.0, 0.05, 0.2, 0.6))
    colours = COLOURS[: rng.choice((2, 3, 4))]
    for column in range(1, 7):
        for row in range(1, rng.randint(0, most) + 1):
            put(made, (column, row), "O" if rng.random() < ojama else rng.choice(colours))
    return made


def disturbed(rng: random.Random) -> Field:
    """A field of 19 steps with a few blocks exchanged: chains of all lengths."""
    digits = rng.choice(GOLDEN["nineteen_chain_fields"])["url"]
    letters = digits.translate(str.maketrans("014567", ".ORBYG"))
    made = from_rows(*[letters[at : at + 6] for at in range(0, 78, 6)])
    for _ in range(rng.randint(0, 4)):
        column, row = rng.randint(1, 6), rng.randint(1, 13)
        if made[row - 1][column - 1] != EMPTY:
            put(made, (column, row), rng.choice(COLOURS + "O"))
    return made


def full(rng: random.Random) -> Field:
    """High columns, nothing ripe below row 11, ojama in the ghost row."""
    made = empty()
    for column in range(1, 7):
        for row in range(1, 11):
            put(made, (column, row), "RBYG"[(row // 2 + column) % 4])
        for row in range(11, rng.choice((12, 13, 14, 14))):
            put(made, (column, row), "O" if row == 13 else rng.choice("RB"))
    return made


def with_blocks_in_row_14(rng: random.Random, of: Field) -> Field:
    for column in rng.sample(range(1, 7), rng.randint(0, 3)):
        put(of, (column, 14), rng.choice(COLOURS))
    return of


def fields(seed: int, number: int) -> Iterator[Field]:
    rng = random.Random(seed)
    for turn in range(number):
        yield (disturbed, random_field, full, random_field)[turn % 4](rng)


def check_chain(of: Field, ghost_ojama: str) -> int:
    """Step by step and at once, both as the reference; the number of steps."""
    ended = copied(of)
    steps = run_chain(ended, ghost_ojama)
    board, out = on_board(of), [0] * kernel.OUT_SIZE
    length = kernel.resolve(board, 0, int(ghost_ojama == "C"), out)
    told = (length, *out[1:4])
    points = sum(step.points for step in steps)
    blocks, ojama = sum(sum(step.sizes) for step in steps), sum(step.ojama for step in steps)
    assert told == (len(steps), points, blocks, ojama), of
    assert off_board(board) == ended, of
    board = on_board(of)
    for step in steps:
        assert kernel.step(board, 0, int(ghost_ojama == "C"), out) == sum(step.sizes)
        assert (out[1], out[3]) == (step.ojama, step.colours), of
    assert kernel.step(board, 0, int(ghost_ojama == "C"), out) == 0
    assert off_board(board) == ended
    return len(steps)


@pytest.mark.parametrize("ghost_ojama", ["B", "C"])
def test_chains_run_as_in_the_reference(ghost_ojama: str) -> None:
    lengths = {check_chain(of, ghost_ojama) for of in fields(1, 160)}
    assert {0, 1, 2, 3, 19} <= lengths


@pytest.mark.long
@pytest.mark.parametrize("ghost_ojama", ["B", "C"])
def test_chains_run_as_in_the_reference_on_many_fields(ghost_ojama: str) -> None:
    lengths = {check_chain(of, ghost_ojama) for of in fields(2, 10_000)}
    assert lengths >= {*range(8), 19}


def test_blocks_that_stay_in_row_14_hang_there() -> None:
    rng = random.Random(8)
    for of in fields(8, 90):
        check_chain(with_blocks_in_row_14(rng, of), rng.choice("BC"))


@pytest.mark.slow
def test_pairs_reach_row_14_as_in_the_reference() -> None:
    rng = random.Random(9)
    seen = 0
    for of in skylines(9, 400):
        with_blocks_in_row_14(rng, of)
        plan = rng.choice((1, 2, 3))
        check_placements(of, plan, rng.random() < 0.5)
        for column, rotation in placements(of, plan):
            board, after = on_board(of), copied(of)
            kernel.place_pair(board, 0, 1, 2, column - 1, rotation, 1)
            place(after, "RB", column, rotation, "stay")
            assert off_board(board) == after, (of, column, rotation)
            seen += after[13] != of[13]
    assert seen > 100


# -- reach --


def skylines(seed: int, number: int) -> Iterator[Field]:
    """Every other one high all over, where columns are in each other's way."""
    rng = random.Random(seed)
    for turn in range(number):
        made = empty()
        for column in range(1, 7):
            high = (
                rng.choice((0, 6, 10, 11, 11, 12, 12, 13, 13)) if turn % 2 else rng.randint(0, 13)
            )
            for row in range(1, high + 1):
                put(made, (column, row), "O")
        yield made


def check_placements(of: Field, plan: int, quick_turn: bool) -> int:
    out = [0] * reach.OUT_SIZE
    board = on_board(of)
    ways = placements(of, plan, quick_turn)
    number = reach.placements(board, 0, plan, int(quick_turn), out)
    assert [(code // 4 + 1, code % 4) for code in out[:number]] == ways, of
    number = reach.placements_of_twins(board, 0, plan, int(quick_turn), out)
    assert [(code // 4 + 1, code % 4) for code in out[:number]] == one_way_of_two(ways), of
    return len(ways)


@pytest.mark.one_case
@pytest.mark.parametrize("plan", [1, 2, 3])
@pytest.mark.parametrize("quick_turn", [True, False])
def test_placements_are_those_a_pair_can_be_steered_to(plan: int, quick_turn: bool) -> None:
    numbers = {check_placements(of, plan, quick_turn) for of in skylines(5, 200)}
    assert {0, 22} <= numbers
    assert len(numbers) > 12


@pytest.mark.long
@pytest.mark.parametrize("plan", [1, 2, 3])
@pytest.mark.parametrize("quick_turn", [True, False])
def test_placements_on_20_000_skylines(plan: int, quick_turn: bool) -> None:
    for of in skylines(6, 20_000):
        check_placements(of, plan, quick_turn)
