"""Evening against golden positions, an implementation by the letter, and the facts of its rules."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest
from evening_by_the_letter import Plain
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.games import BLACK, WHITE, Kind, Outcome, Position
from lumiban.games.evening import Evening
from lumiban.games.kernel import cascade
from lumiban.grid import Grid
from places import TESTS
from thorough import examples

GOLDEN = json.loads((TESTS / "golden" / "evening.json").read_text("utf-8"))
law = settings(max_examples=examples(30))
seeds = st.integers(0, 10**9)
PATCHES = (
    "0,0 1,0 2,0 0,1 1,1 -1,2 0,2 1,2 -1,3",  # a lump
    "0,0 1,0 2,0 3,0 0,1 3,1 -1,2 3,2 -1,3 0,3 1,3 2,3",  # a ring with a hole
    "0,0 1,0 0,1 5,5 6,5 5,6",  # two islands
)
looks = {
    "sees": st.sampled_from(["groups", "adjacent", "sight"]),
    "wins": st.sampled_from(["cascade", "stones"]),
    "tie": st.sampled_from(["even", "odd-even"]),
    "turns": st.sampled_from(["turnless", "trailing"]),
}
hexagons = st.fixed_dictionaries({"size": st.integers(2, 4), **looks})
boards = hexagons | st.fixed_dictionaries({"cells": st.sampled_from(PATCHES), **looks})


@cache
def evening(**options: int | str) -> Evening:
    return Evening(**options)


def random_game(game: Evening, seed: int) -> Iterator[Position]:
    """All positions of a game with one white stone first, then stones of anybody who may; in
    turnless play until no cell is open to anybody."""
    rng = random.Random(seed)
    position = game.start()
    yield position
    while moves := [m for side in game.movers(position) for m in game.moves(position, side)]:
        position = game.play(position, rng.choice(moves))
        yield position


def plain_twin(game: Evening, position: Position) -> Plain:
    cells = game.grid.cells
    options = {name: str(game.options[name]) for name in ("sees", "wins", "tie")}
    letters = {Kind.WHITE: "w", Kind.BLACK: "b"}
    pieces = enumerate(game.pieces(position))
    stones = {cells[c]: letters[kind] for c, kind in pieces if kind in letters}
    return Plain(set(cells), stones=stones, **options)


def coordinates(grid: Grid, cells: tuple[int, ...]) -> list[list[int]]:
    return sorted(list(grid.cells[cell]) for cell in cells)


# The second implementation.


@given(boards, seeds)
@law
def test_an_implementation_by_the_letter_says_the_same(options: dict[str, Any], seed: int) -> None:
    game = evening(**options)
    for position in random_game(game, seed):
        agree(game, position)


@given(boards, seeds, st.floats(0.1, 0.9))
@law
def test_it_says_the_same_of_stones_set_anyhow(
    options: dict[str, Any], seed: int, full: float
) -> None:
    game = evening(**{**options, "opening": "pie"})
    rng = random.Random(seed)
    stones = [rng.choice((1, -1)) if rng.random() < full else 0 for _ in range(len(game.grid))]
    stones[rng.randrange(len(stones))] = 1
    agree(game, game.position(stones))


def agree(game: Evening, position: Position) -> None:
    plain = plain_twin(game, position)
    grid = game.grid
    for side, letter in ((WHITE, "w"), (BLACK, "b")):
        opened = {grid.cells[c] for c in game.open_cells(position, side)}
        assert opened == plain.open_to(letter)
        assert list(game.sizes(position)[side]) == plain.sizes(letter)
        if side in game.movers(position):
            assert [m.text for m in game.moves(position, side)] == [
                letter + name
                for cell, name in zip(grid.cells, grid.names, strict=True)
                if cell in opened
            ]
        else:
            assert game.moves(position, side) == []
    ahead = WHITE if plain.winner() == "w" else BLACK
    if not plain.stones:
        assert game.movers(position) == (WHITE,)
        return
    assert game.leader(position) == ahead
    trails_open = plain.open_to("wb"[1 - ahead])
    assert game.decided(position) == (None if trails_open else ahead)
    if not game.turnless:
        assert game.movers(position) == ((1 - ahead,) if trails_open else ())
        over = None if trails_open else Outcome(ahead, "no-move")
        assert game.outcome(position) == over
    else:
        stand = tuple(s for s in (WHITE, BLACK) if not plain.open_to("wb"[s]))
        assert game.declined_to_move(position) == stand
        outcome = game.outcome(position)
        assert game.movers(position) == ((WHITE, BLACK) if outcome is None else ())
        if len(stand) < 2:
            assert outcome is None
        else:
            assert outcome is not None
            assert outcome.winner == ahead
            assert plain.tied() == outcome.reason.startswith("evening.tie")


# The golden positions.


def golden_game(entry: Mapping[str, Any], **options: str) -> tuple[Evening, Position]:
    game = evening(size=entry["size"], **options)
    names = game.grid.names
    placed = {names[game.grid.at(q, r)]: WHITE for q, r in entry["white"]}
    placed |= {names[game.grid.at(q, r)]: BLACK for q, r in entry["black"]}
    return game, game.setup(placed)


golden = pytest.mark.parametrize("entry", GOLDEN["positions"])


@golden
@pytest.mark.parametrize("tie", ["even", "odd-even"])
def test_golden_positions_are_open_where_they_should(entry: dict[str, Any], tie: str) -> None:
    game, position = golden_game(entry, tie=tie)
    for side, colour in ((WHITE, "white"), (BLACK, "black")):
        assert (
            coordinates(game.grid, game.open_cells(position, side)) == entry[f"placeable_{colour}"]
        )
        moves = game.moves(position, side)
        cells = tuple(move.code % len(game.grid) for move in moves)
        assert coordinates(game.grid, cells) == entry[f"placeable_{colour}"]


@pytest.mark.one_case
@golden
def test_golden_positions_have_the_groups_and_winners_they_should(entry: dict[str, Any]) -> None:
    for tie, key in (("even", "winner_basic"), ("odd-even", "winner_oddeven")):
        game, position = golden_game(entry, tie=tie)
        white, black = game.sizes(position)
        assert [list(white), list(black)] == [entry["groups_white"], entry["groups_black"]]
        assert cascade(white, black) == entry["cascade"]
        if entry[key] is not None:
            assert "wb"[game.leader(position)] == entry[key]


@golden
def test_golden_positions_in_the_trailing_form(entry: dict[str, Any]) -> None:
    game = evening(size=entry["size"], turns="trailing", tie="odd-even")
    _, there = golden_game(entry)
    position = game.position(game.stones(there))
    mover = "wb".index(entry["tb_mover"])
    moves = game.moves(position, mover)
    cells = tuple(move.code % len(game.grid) for move in moves)
    assert coordinates(game.grid, cells) == entry["tb_moves"]
    if entry["tb_over"]:
        assert game.outcome(position) == Outcome(1 - mover, "no-move")
    else:
        assert game.outcome(position) is None
        assert game.movers(position) == (mover,)


@golden
def test_golden_histories_lead_to_their_positions(entry: dict[str, Any]) -> None:
    game, expected = golden_game(entry)
    position = game.start()
    for colour, q, r in entry["history"]:
        text = colour + game.grid.name(game.grid.at(q, r))
        position = game.play(position, game.parse(position, text))
    assert position == expected


# The facts of the rules.


@given(st.integers(2, 5), st.sampled_from(["groups", "adjacent", "sight"]), seeds)
@law
def test_counting_stones_by_odd_and_even_is_the_12_protocol(
    size: int, sees: str, seed: int
) -> None:
    game = evening(size=size, sees=sees, wins="stones", tie="odd-even", turns="trailing")
    *_, last = random_game(game, seed)
    order = [move.side for move in last.history]
    assert order == [(WHITE, BLACK, BLACK, WHITE)[n % 4] for n in range(len(order))]
