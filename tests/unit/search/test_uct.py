"""UCT: the same moves plain and compiled, wins taken, bounds kept; levels and thoughts."""

from __future__ import annotations

import math

import pytest
from lumiban import games
from lumiban.errors import GameError
from lumiban.games.base import Position
from lumiban.games.simple import GridView, SimpleGame
from lumiban.search import uct
from lumiban.search.bot import Thought, think
from lumiban.search.perft import perft
from lumiban.search.proof_number import prove
from lumiban.search.solve import solve
from lumiban.search.tree import EXPLORATION, TABLE, reach, spread, tables
from lumiban.search.uct import Uct


def test_the_tables_follow_the_formula() -> None:
    table = tables(False)
    for n in (1, 2, 3, 100, TABLE - 1):
        assert reach(table, n) == EXPLORATION * math.sqrt(math.log(n))
        assert spread(table, n) == 1 / math.sqrt(n)
    for n in (TABLE, 3 * TABLE + 5, 10**7, 10**12):
        assert reach(table, n) == pytest.approx(EXPLORATION * math.sqrt(math.log(n)), rel=0.05)
        assert spread(table, n) == pytest.approx(1 / math.sqrt(n), rel=0.002)


def test_a_stop_ends_the_thought_with_what_it_has() -> None:
    game = games.load("control", size=5)
    asked = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) == 3

    thought = think(game, game.start(), "strong", 1, compiled=False, stop=stop)
    assert len(asked) == 3
    assert 0 < thought.playouts < 500


def test_progress_is_told_in_playouts() -> None:
    game = games.load("control", size=4)
    told: list[tuple[int, int]] = []
    think(
        game,
        game.start(),
        "easy",
        1,
        playouts=200,
        compiled=False,
        progress=lambda done, of: told.append((done, of)),
    )
    assert told[-1] == (200, 200)
    assert told == sorted(told)


@pytest.mark.slow
def test_the_tree_stays_within_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uct, "MAX_NODES", 200)
    game = games.load("control", size=5)
    search = Uct(game, game.start(), 1, 500, compiled=False)
    assert search.grow(500) == 500
    assert len(search.tree.move) == 200
    assert search.tree.meta[0] <= 200
    assert search.tree.visits[0] == 500


def test_there_is_nothing_to_think_about_when_the_game_is_over() -> None:
    game = games.load("control", size=2)
    position = game.play(game.start(), game.parse(game.start(), "resign"))
    with pytest.raises(GameError, match="over"):
        think(game, position, "easy", 1)


def test_a_pie_is_set_and_a_side_taken_in_words() -> None:
    game = games.load("control", size=3, opening="pie2")
    position = game.start()
    said: list[str] = []
    while position.phase != "play":
        thought = think(game, position, "easy", len(said), playouts=60, compiled=False)
        said.append(thought.move.text)
        position = game.play(position, thought.move)
        assert len(said) < 30
    assert said[-2] == "done"
    assert said[-1] in ("take white", "take black")


class Noughts(SimpleGame):
    """Noughts and crosses: three in a row win, a full board is a draw."""

    slug = "noughts"
    geometry = "square"
    sizes = (3,)
    keeps_last = True

    def ended(self, board: GridView) -> games.Outcome | None:
        act = board.last
        if act is not None and any(len(row) >= 3 for row in board.runs(act.cell)):
            return self.win(board[act.cell], "row")
        return None

    def stuck(self, board: GridView) -> games.Outcome:
        return self.draw()


def noughts(text: str) -> tuple[Noughts, Position]:
    """A position from nine of `.`, `x` (first) and `o`, by rows."""
    game = Noughts()
    stones = {game.grid.names[at]: "xo".index(mark) for at, mark in enumerate(text) if mark != "."}
    return game, game.setup(stones, to_move=text.count("x") - text.count("o"))


def test_a_draw_is_proven_as_half() -> None:
    game, position = noughts("xox.o....")
    search = Uct(game, position, 1, 20_000, compiled=False)
    search.grow(20_000)
    assert search.is_proven
    best = search.best()
    assert best is not None
    assert best.value == 0.5


def test_a_threat_is_parried_even_for_a_draw() -> None:
    game, position = noughts("x.x.o....")
    thought: Thought = think(game, position, "strong", 1, playouts=500, compiled=False)
    assert thought.move.text == "b3"


@pytest.mark.parametrize(
    ("text", "winner", "best"),
    [("x........", None, "b2"), ("x.x.o....", None, "b3"), ("xo.......", 0, None)],
)
def test_an_own_game_in_plain_python_is_solved_draws_too(
    text: str, winner: int | None, best: str | None
) -> None:
    game, position = noughts(text)
    found = solve(game, position, compiled=False)
    assert found.winner == winner
    assert best in (None, str(found.best))
    for side in (0, 1):
        assert prove(game, position, side, 10_000, compiled=False).answer == (side == winner)


def test_perft_counts_games_that_end_early() -> None:
    assert perft(Noughts(), 6, compiled=False) == [9, 72, 504, 3024, 15120, 54720]
