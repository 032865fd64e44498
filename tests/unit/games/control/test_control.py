"""Control against golden positions, a slow second implementation and the facts of its rules."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.games import BLACK, WHITE, Kind, Outcome, Position
from lumiban.games.control import Control
from lumiban.grid import HEX_STEPS, Grid
from places import TESTS
from thorough import examples

GOLDEN = json.loads((TESTS / "golden" / "control.json").read_text("utf-8"))
law = settings(max_examples=examples(40))
seeds = st.integers(0, 10**9)
sizes = st.integers(2, 5)
rule_sets = st.fixed_dictionaries(
    {
        "size": sizes,
        "opening": st.sampled_from(["perimeter", "free", "12*"]),
        "sees": st.sampled_from(["adjacent", "sight"]),
    }
)


@cache
def control(**options: int | str) -> Control:
    return Control(**options)


def random_game(game: Control, seed: int) -> Iterator[Position]:
    """All positions of a game played at random, from the first to the last."""
    rng = random.Random(seed)
    position = game.start()
    yield position
    while movers := game.movers(position):
        position = game.play(position, rng.choice(game.moves(position, movers[0])))
        yield position


def stones(game: Control, position: Position) -> dict[int, int]:
    """Cell -> +1 or −1, from what should stand on the board."""
    sign = {Kind.WHITE: 1, Kind.BLACK: -1}
    return {c: sign[k] for c, k in enumerate(game.pieces(position)) if k in sign}


# A second implementation, slow and by the letter of the rules.


@dataclass
class Plain:
    """Control on coordinates, recounted from scratch at every question."""

    cells: list[tuple[int, int]]
    opening: str
    sight: bool
    board: dict[tuple[int, int], int]
    turn: int = 1
    left: int = 1

    def seen(self, q: int, r: int) -> int:
        total = 0
        for dq, dr in HEX_STEPS:
            p, s = q + dq, r + dr
            while self.sight and (p, s) in self.cells and (p, s) not in self.board:
                p, s = p + dq, s + dr
            total += self.board.get((p, s), 0)
        return total

    def moves(self) -> set[tuple[str, int, int]]:
        if not self.board:
            free = self.opening != "perimeter"
            reach = max(q for q, _ in self.cells)
            return {
                ("+", q, r)
                for q, r in self.cells
                if free or max(abs(q), abs(r), abs(q + r)) == reach
            }
        placing = {
            ("+", q, r)
            for q, r in self.cells
            if (q, r) not in self.board and self.seen(q, r) * self.turn >= 0
        }
        removing = {
            ("x", q, r)
            for (q, r), stone in self.board.items()
            if stone == -self.turn and self.seen(q, r) * self.turn > 0
        }
        return placing | removing

    def play(self, what: str, q: int, r: int) -> None:
        if what == "+":
            self.board[q, r] = self.turn
        else:
            del self.board[q, r]
        self.left -= 1
        if self.left == 0:
            self.turn = -self.turn
            self.left = 2 if self.opening == "12*" else 1


@given(rule_sets, seeds)
@law
def test_a_slow_second_implementation_allows_the_same_moves(
    options: dict[str, Any], seed: int
) -> None:
    game = control(**options)
    cells = list(game.grid.cells)
    plain = Plain(cells, options["opening"], options["sees"] == "sight", {})
    for position in random_game(game, seed):
        if position.history:
            last = position.history[-1].text
            cell = game.grid.cell(last.removeprefix("x"))
            plain.play("x" if last.startswith("x") else "+", *cells[cell])
        assert {cells[c]: s for c, s in stones(game, position).items()} == plain.board
        if game.outcome(position) is None:
            side = WHITE if plain.turn == 1 else BLACK
            assert game.movers(position) == (side,)
            noted = {
                ("x" if m.text.startswith("x") else "+", *cells[m.code % len(cells)])
                for m in game.moves(position, side)
            }
            assert noted == plain.moves()
        else:
            assert not plain.moves()
            assert game.outcome(position) == Outcome(int(plain.turn == 1), "no-move")


# The golden positions.


def golden_game(entry: Mapping[str, Any], **options: str) -> tuple[Control, Position]:
    game = control(size=entry["size"], **options)
    names = game.grid.names
    placed = {names[game.grid.at(q, r)]: WHITE for q, r in entry["white"]}
    placed |= {names[game.grid.at(q, r)]: BLACK for q, r in entry["black"]}
    to_move = WHITE if entry["side_to_move"] == "w" else BLACK
    return game, game.setup(placed, to_move=to_move)


def coordinates(grid: Grid, cells: Iterator[int]) -> list[list[int]]:
    return sorted(list(grid.cells[cell]) for cell in cells)


golden = pytest.mark.parametrize("entry", GOLDEN["positions"])


@golden
def test_golden_positions_have_the_moves_they_should(entry: dict[str, Any]) -> None:
    game, position = golden_game(entry)
    side = WHITE if entry["side_to_move"] == "w" else BLACK
    moves = game.moves(position, side)
    cells = len(game.grid)
    assert len(moves) == entry["n_moves"]
    places = coordinates(game.grid, (m.code for m in moves if m.code < cells))
    removes = coordinates(game.grid, (m.code - cells for m in moves if m.code >= cells))
    assert places == entry["place"]
    assert removes == entry["remove"]


@golden
def test_golden_positions_are_controlled_as_they_should(entry: dict[str, Any]) -> None:
    game, position = golden_game(entry)
    whose = game.owned(game.grid_view(position))
    for side, name in ((WHITE, "white"), (BLACK, "black")):
        controlled = coordinates(game.grid, (c for c, s in whose.items() if s == side))
        assert controlled == entry[f"control_{name}"]


@golden
@pytest.mark.parametrize(
    ("scoring", "key"),
    [
        ("empty", "empty_controlled"),
        ("territory", "territory"),
        ("territory-empty", "territory_empty"),
    ],
)
def test_golden_positions_count_as_they_should(
    entry: dict[str, Any], scoring: str, key: str
) -> None:
    game, position = golden_game(entry, scoring=scoring)
    assert game.scores(position) == (
        (len(entry["white"]), entry[f"{key}_white"]),
        (len(entry["black"]), entry[f"{key}_black"]),
    )


@golden
def test_golden_positions_are_lost_when_they_should(entry: dict[str, Any]) -> None:
    game, position = golden_game(entry)
    outcome = game.outcome(position)
    if entry["loser"] is None:
        assert outcome is None
    else:
        assert outcome == Outcome(BLACK if entry["loser"] == "w" else WHITE, "no-move")


# The facts of the rules, in the adjacent game.


adjacent = st.fixed_dictionaries(
    {"size": sizes, "opening": st.sampled_from(["perimeter", "free", "12*"])}
)
