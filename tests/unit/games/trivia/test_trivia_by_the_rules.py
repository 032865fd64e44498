"""Trivia against a second implementation, written from the text of the rules alone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product, zip_longest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_perft import perft_judged
from lumiban import games
from lumiban.errors import GameError
from lumiban.games import BLACK, WHITE, Kind, Outcome
from lumiban.games.trivia import Trivia
from lumiban.search.perft import perft
from thorough import examples

Cell = tuple[int, int, int]
TURNED = ((1, -1, 0), (1, 0, -1), (0, 1, -1), (-1, 1, 0), (-1, 0, 1), (0, -1, 1))
BESIDE = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0))


def squares(side: int) -> dict[str, Cell]:
    """Name -> column, row and nothing."""
    reach = range(side)
    return {f"{chr(97 + column)}{row + 1}": (column, row, 0) for column in reach for row in reach}


def cubes(side: int) -> dict[str, Cell]:
    """Name -> cube coordinates (x + y + z = 0): rows from the bottom, cells from the left."""
    reach = range(1 - side, side)
    named = {}
    for letter, z in zip("abcdefghijklmno", reversed(reach), strict=False):
        row = sorted(x for x in reach if -x - z in reach)
        named |= {f"{letter}{n}": (x, -x - z, z) for n, x in enumerate(row, 1)}
    return named


@dataclass
class ByTheRules:
    """A game as the text of the rules tells it: stones by cell, and what the turn still takes."""

    side: int
    stones: dict[Cell, str] = field(default_factory=dict)
    mover: str = "white"
    left: list[str] = field(default_factory=lambda: ["white"])
    on: str = "hexagons"

    def __post_init__(self) -> None:
        is_hex = self.on == "hexagons"
        self.cells = cubes(self.side) if is_hex else squares(self.side)
        self.around = TURNED if is_hex else BESIDE

    def moves(self) -> list[str]:
        """All placements that the turn still takes."""
        empty = [name for name, cell in self.cells.items() if cell not in self.stones]
        own = empty if self.mover in self.left else []
        return [*own, *(f"red {name}" for name in empty if "red" in self.left)]

    def play(self, text: str) -> ByTheRules:
        """The game after a placement."""
        colour = "red" if text.startswith("red ") else self.mover
        stones = {**self.stones, self.cells[text.removeprefix("red ")]: colour}
        left = list(self.left)
        left.remove(colour)
        mover, room = self.mover, len(self.cells) - len(stones)
        if not left:
            mover = "black" if mover == "white" else "white"
            left = [mover, mover, "red"] if room > 2 else [mover] * room
        return ByTheRules(self.side, stones, mover, left, self.on)

    def groups(self, colour: str) -> list[int]:
        """The sizes of a colour's groups, largest first."""
        waiting = {cell for cell, stone in self.stones.items() if stone == colour}
        sizes = []
        while waiting:
            edge, size = [waiting.pop()], 0
            while edge:
                x, y, z = edge.pop()
                size += 1
                near = {(x + dx, y + dy, z + dz) for dx, dy, dz in self.around} & waiting
                waiting -= near
                edge += near
            sizes.append(size)
        return sorted(sizes, reverse=True)

    def winner(self) -> int | None:
        """Whose groups are larger: one after the other, and whoever runs out first has lost."""
        # A list that is another's beginning is the lesser one, as a side that runs out first.
        white, black = self.groups("white"), self.groups("black")
        return None if white == black else WHITE if white > black else BLACK


def positions(on: str, side: int, seed: int) -> Iterator[tuple[ByTheRules, games.Position]]:
    """The positions of a game at random, told by both."""
    game = Trivia(cells=on, size=side)
    plain, position, rng = ByTheRules(side, on=on), game.start(), random.Random(seed)
    yield plain, position
    while game.outcome(position) is None:
        text = rng.choice(plain.moves())
        plain, position = plain.play(text), game.play(position, game.parse(position, text))
        yield plain, position


@given(st.sampled_from(["hexagons", "squares"]), st.integers(2, 6), st.integers(0, 10**9))
@settings(max_examples=examples(40))
def test_a_game_is_what_the_rules_say(on: str, side: int, seed: int) -> None:
    game = Trivia(cells=on, size=side)
    colours = {Kind.WHITE: "white", Kind.BLACK: "black", Kind.NEUTRAL: "red"}
    for plain, position in positions(on, side, seed):
        there = zip(game.grid.names, game.pieces(position), strict=True)
        stones = {plain.cells[name]: colours[kind] for name, kind in there if kind != Kind.EMPTY}
        assert stones == plain.stones
        told = [str(m) for side in (WHITE, BLACK) for m in game.moves(position, side)]
        assert sorted(told) == sorted(plain.moves())
        owed = [colours[kind] for kind, count in game.pieces_owed(position) for _ in range(count)]
        assert sorted(owed) == sorted(plain.left)
        white, black = (game.grid_view(position).sizes(side) for side in (WHITE, BLACK))
        assert [list(white), list(black)] == [plain.groups("white"), plain.groups("black")]
        assert game.leader(game.grid_view(position)) == plain.winner()
        over = game.outcome(position)
        full = len(stones) == len(game.grid)
        assert over == (Outcome(plain.winner(), "full-board") if full else None)
        pairs = [*zip_longest(plain.groups("white"), plain.groups("black"), fillvalue=0)]
        rank = next((n for n, (ours, theirs) in enumerate(pairs) if ours != theirs), -1)
        assert game.final_counts(position) == (pairs[rank] if full else None)
        decided = game.final_groups(position)
        assert (decided and decided[0]) == (rank + 1 if full else None)
        for mover in game.movers(position):
            assert mover == (WHITE, BLACK)[plain.mover == "black"]
            assert game.setup(game.stones_of(position), to_move=mover) == position
            with pytest.raises(GameError, match="this cannot happen in a game"):
                game.setup(game.stones_of(position), to_move=1 - mover)


def counted(plain: ByTheRules, depth: int) -> tuple[list[int], list[int]]:
    """Positions after each placement, by sequences, and those of them that are full boards."""
    total, full = [0] * depth, [0] * depth
    level = [plain]
    for ply in range(depth):
        level = [game.play(text) for game in level for text in game.moves()]
        total[ply] = len(level)
        full[ply] = sum(len(game.stones) == len(game.cells) for game in level)
    return total, full


@pytest.mark.parametrize(
    ("side", "depth"), [(2, 4), (3, 2), pytest.param(2, 7, marks=pytest.mark.long)]
)
def test_perft_on_hexagons_is_that_of_the_second_implementation(side: int, depth: int) -> None:
    game = games.load("trivia", cells="hexagons", size=side)
    total, full = counted(ByTheRules(side), depth)
    assert perft_judged(game, depth, compiled=False) == (total, full)
    assert perft(game, depth, compiled=False) == total


@pytest.mark.parametrize("searching", [False, True])
def test_random_games_of_the_search_on_hexagons_end_as_the_rules_say(searching: bool) -> None:
    for side, seed in product((2, 3, 4, 5), range(6)):
        game = Trivia(cells="hexagons", size=side)
        state = (game.search_state if searching else game.state)(game.start())
        trace = [0] * (game.capacity[1] + 1)
        code = state.playout([seed], trace)
        plain = ByTheRules(side)
        for move in trace[1 : trace[0] + 1]:
            cell = game.grid.names[move % len(game.grid)]
            text = cell if move < len(game.grid) else f"red {cell}"
            assert text in plain.moves()
            plain = plain.play(text)
        assert (WHITE, BLACK)[code - 1] == plain.winner()


def test_a_side_that_no_hexagon_has_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(GameError, match="on hexagons has 2 to 12 cells a side, not 13"):
        games.load("trivia", cells="hexagons", size=13)
    assert games.load("trivia", cells="hexagons").options == {"size": 5, "cells": "hexagons"}
    assert games.load("trivia").options == {"size": 9, "cells": "squares"}
