"""Each position of a table lists its moves once and makes its marks once a hint level."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from lumiban import games
from lumiban.boards.types import BoardTime
from lumiban.games.base import Game
from lumiban.games.types import Position
from lumiban.table.fitting import profile_for
from session_bench import Bench

STONES = 4


class Asked:
    """Questions that a table puts to its game while it steps."""

    def __init__(self, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
        self.listed: Counter[tuple[int, int]] = Counter()
        self.marked: Counter[tuple[int, str]] = Counter()
        self.positions: list[Position] = []
        """Held, so that no two of them can have one `id`."""
        kind = type(bench.match.game)
        self.moves, marks = kind.moves, kind.marks

        def moves(game: Any, position: Position, side: int) -> list[Any]:
            self.positions.append(position)
            self.listed[id(position), side] += 1
            return self.moves(game, position, side)

        def marks_(game: Any, position: Position, level: str) -> tuple[Any, ...]:
            self.positions.append(position)
            self.marked[id(position), level] += 1
            return marks(game, position, level)

        monkeypatch.setattr(kind, "moves", moves)
        monkeypatch.setattr(kind, "marks", marks_)


def table(game: Game, hint: str) -> Bench:
    """A table whose board shows the first position."""
    bench = Bench("human", "human", game=game, profile=profile_for(game), hint=hint)
    kinds = [0] * len(bench.profile.cells)
    for cell, kind in enumerate(bench.match.game.kinds_on(bench.match.position)):
        kinds[bench.match.placing.board[cell]] = kind
    bench.game = bench.match.game
    bench.connect(kinds=kinds)
    return bench


def stone(bench: Bench, asked: Asked) -> None:
    """The first listed move, by hand: pieces are lifted first, then put, each with its own step."""
    game, position = bench.match.game, bench.match.position
    side = bench.match.movers[len(bench.moves) % len(bench.match.movers)]
    effects = game.effects(position, asked.moves(game, position, side)[0])
    for cell, _, after in sorted(effects, key=lambda effect: effect[2] != 0):
        bench.put(game.grid.name(cell), int(after))
    bench.now_us += 400_000
    bench.step(BoardTime(bench.now_us, bench.now_us, False))


@pytest.mark.parametrize("hint", ["legal", "control", "coach"])
@pytest.mark.parametrize(
    ("slug", "options"),
    [
        ("control", {"size": 5}),
        ("evening", {"turns": "turnless"}),
        ("evening", {"turns": "trailing"}),
        ("trivia", {}),
        ("doves", {}),
    ],
)
def test_a_table_lists_the_moves_of_a_position_once(
    slug: str, options: dict[str, Any], hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = table(games.load(slug, **options), hint)
    asked = Asked(bench, monkeypatch)
    for _ in range(STONES):
        stone(bench, asked)
    assert len(bench.moves) == STONES
    assert len(asked.listed) >= STONES - 1
    assert set(asked.listed.values()) == {1}
    assert set(asked.marked.values()) == {1}
