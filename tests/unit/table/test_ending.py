"""The end explained in light: what is lit at each step, by game, and when it stops."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

import pytest
from lumiban import games
from lumiban.games.base import Game, Kind, Outcome, Position
from lumiban.study.check import check
from lumiban.table import ending, limits
from lumiban.table.result import result_text
from own_games import EXAMPLES, clean, own, written
from session_bench import Bench

__all__ = ["clean", "written"]

S = limits.END_STEP_US


def by_side(step: tuple[Any, ...], side: int | None) -> set[int]:
    return {mark.cell for mark in step if mark.side == side}


def ended(slug: str, moves: str, **options: int | str) -> tuple[Game, Position]:
    game = games.load(slug, **options)
    position = game.start(1)
    for text in moves.split(", "):
        side = next(iter(game.movers(position)))
        position = game.play(position, game.parse(position, text, side))
    return game, position


@pytest.mark.parametrize("slug", ["trivia", "evening"])
def test_groups_are_counted_by_rank_and_the_last_step_decided(slug: str) -> None:
    options: dict[str, Any] = {"size": 3} | ({"turns": "turnless"} if slug == "evening" else {})
    game, chance, seen = games.load(slug, **options), Random(3), 0
    for _ in range(10):
        position = game.start(chance.randrange(99))
        while game.outcome(position) is None:
            moves = [m for s in game.movers(position) for m in game.moves(position, s)]
            said = [
                game.parse(position, "stand", s)
                for s in game.movers(position)
                if "stand" in game.words(position, s)
            ]
            position = game.play(position, chance.choice(moves or said))
        decided, counts = game.final_groups(position), game.final_counts(position)
        steps = game.final_steps(position)
        if decided is None or counts is None:
            continue
        seen += 1
        assert len(steps) == decided[0]
        pieces = game.pieces(position)
        for step in steps:
            assert all(pieces[mark.cell] == Kind((mark.side or 0) + 1) for mark in step)
        for step in steps[:-1]:
            assert len(by_side(step, 0)) == len(by_side(step, 1))
        assert tuple(len(by_side(steps[-1], side)) for side in (0, 1)) == counts
    assert seen


def lit(bench: Bench) -> set[str]:
    """The meanings on cells that the page shows now."""
    view = bench.session.shown.view
    assert view is not None
    return {mark.meaning for mark in view.marks}


def test_doves_lights_the_surrounded_boss_and_then_what_surrounds_it() -> None:
    game = games.load("doves")
    chance, seen = Random(2), 0
    while not seen:
        position = game.start(1)
        for _ in range(60):
            if game.outcome(position) is not None:
                break
            moves = game.moves(position, game.movers(position)[0])
            position = game.play(position, chance.choice(moves))
        steps = game.final_steps(position)
        if game.outcome(position) is None or not steps:
            continue
        seen += 1
        assert steps[0][0].side is not None
        assert len(steps[0]) <= 2
        pieces = game.pieces(position)
        assert all(set(a) < set(b) for a, b in pairwise(steps))
        if len(steps[0]) == 1:
            beside = game.grid.neighbours[steps[0][0].cell]
            assert {m.cell for m in steps[-1]} == {steps[0][0].cell, *beside}
        assert all(pieces[m.cell] for m in steps[-1] if m.meaning == "owned")


def by_chance(game: Game, seed: int) -> Position:
    """A game at random to an end that is no draw; who has no move passes."""
    chance, position = Random(seed), game.start(seed)
    while game.outcome(position) is None:
        side = game.movers(position)[0]
        moves = game.moves(position, side)
        words = set(game.words(position, side)) - {"resign", "stop"}
        said = [game.parse(position, word, side) for word in sorted(words)]
        late = [move for move in said if len(position.history) > 150]
        position = game.play(position, chance.choice(late or moves or said))
    return position


@pytest.mark.parametrize("example", ["hex", "y", "gomoku"])
def test_of_a_game_of_somebodys_own_the_fewest_stones_that_won_are_lit(example: str) -> None:
    game, seen = games.load(own(EXAMPLES / f"{example}.py")), 0
    for seed in range(4):
        position = by_chance(game, seed)
        over = game.outcome(position)
        assert over is not None
        steps = game.final_steps(position)
        assert bool(steps) == (over.winner is not None)
        if not steps:
            continue
        seen += 1
        lit, pieces = {mark.cell for mark in steps[-1]}, game.pieces(position)
        assert {mark.side for mark in steps[-1]} == {over.winner}
        assert all(pieces[cell] == Kind((over.winner or 0) + 1) for cell in lit)
        if example == "gomoku":
            assert len(lit) == 5
            continue
        # One chain, with no stone that a shorter one could do without: two of them are its ends.
        near = [len(lit & {*game.grid.neighbours[cell]}) for cell in lit]
        assert min(near) >= 1
        assert example == "y" or (sorted(near)[:2] == [1, 1] and max(near) == 2)
    assert seen


@pytest.mark.parametrize("slug", ["stigmergy", "tumpletore", "tumbleweed", "reversi"])
def test_points_are_counted_where_stones_and_owned_cells_make_them_up(slug: str) -> None:
    game = games.load(own(EXAMPLES / "reversi.py") if slug == "reversi" else slug)
    position = by_chance(game, 2)
    steps = game.final_steps(position)
    assert tuple(len(by_side(steps[-1], side)) for side in (0, 1)) == game.final_counts(position)
    assert all(set(a) < set(b) for a, b in pairwise(steps))


ITS_OWN = """
class Corner(SimpleGame):
    '''Whoever holds the first cell has won.'''
    sizes = (3,)
    texts = Texts(en={"name": "Corner"}, ja={"name": "Corner"})

    def ended(self, board):
        return self.win(board[0]) if board[0] != EMPTY else None

    def decided(self, board, over):
        return SAYS
"""


def test_a_rule_may_say_itself_what_decided_and_a_faulty_one_leaves_the_end_as_it_is(
    written: Any,
) -> None:
    game = games.load(written(ITS_OWN.replace("SAYS", "[[0], [0, 1]]"), name="says.py"))
    first = game.grid.names[0]
    end = game.play(game.start(), game.parse(game.start(), first))
    assert [[(m.cell, m.side) for m in one] for one in game.final_steps(end)] == [
        [(0, 0)],
        [(0, 0), (1, 0)],
    ]
    game = games.load(written(ITS_OWN.replace("SAYS", "[[1 // 0]]"), name="fails.py"))
    bench = Bench(game=game)
    bench.connect()
    bench.put(first, 1)
    bench.wait(4 * S)
    assert bench.session.outcome is not None
    assert bench.session.fault is None
    assert ending.due_us(bench.match, "legal", 0) is None
    found = check(game, 1).breaches
    assert any("ZeroDivisionError" in str(breach) for breach in found)


TOLD = [
    ("control", Outcome(1, "resigned"), "Black wins. Resigned.", "黒の勝ち。投了しました。"),
    (
        "control",
        Outcome(0, "time"),
        "White wins. Black's time is up.",
        "白の勝ち。黒の時間切れです。",
    ),
    ("control", Outcome(0, "of-a-package"), "White wins.", "白の勝ち。"),
    ("control", Outcome(None, "of-a-package"), "A draw.", "引き分け。"),
    ("chain-power", Outcome(0, "resigned"), "Resigned.", "投了しました。"),
    (
        "strands",
        Outcome(0, "strands.groups"),
        "White wins. The larger groups win. 30 to 13.",
        "白の勝ち。大きいグループを持つ側の勝ちです。30対13。",
    ),
    (
        "strands",
        Outcome(1, "strands.groups"),
        "Black wins. The larger groups win. 13 to 30.",
        "黒の勝ち。大きいグループを持つ側の勝ちです。13対30。",
    ),
    (
        "strands",
        Outcome(None, "simple.repeated"),
        "The position has come again: a draw.",
        "同じ局面がもう一度現れたため、引き分けです。",
    ),
    (
        "strands",
        Outcome(1, "time"),
        "Black wins. White's time is up.",
        "黒の勝ち。白の時間切れです。",
    ),
]


def test_the_end_is_told_in_both_languages_with_the_winners_figures_first() -> None:
    game = games.load("strands", size=5)
    end = by_chance(game, 1)
    for slug, outcome, *told in TOLD:
        of = game if slug == "strands" else games.load(slug)
        position = end if slug == "strands" else of.start(1)
        assert [result_text(of, position, outcome, one) for one in ("en", "ja")] == told
    assert result_text(of, position, outcome) == told[0]
