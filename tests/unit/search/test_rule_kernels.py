"""Rules in plain Python as kernels: they play as the plain ones do, or tell a line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from lumiban import games
from lumiban.search import jit
from lumiban.search.rule_kernels import state_of, why_plain
from own_games import EXAMPLES, Written, clean, own, written

__all__ = ["clean", "written"]

OWN: list[tuple[str, dict[str, Any]]] = [
    *((str(EXAMPLES / f"{name}.py"), {}) for name in ("snort", "hex", "y", "gomoku")),
    *((str(EXAMPLES / f"{name}.py"), {}) for name in ("reversi", "custodians")),
    ("stigmergy", {"komi": 3}),
    ("stigmergy", {"size": 6}),
    ("stigmergy", {"size": 3, "opening": "komi"}),
    ("tumpletore", {}),
    ("tumbleweed", {}),
    ("tumbleweed", {"neutral": "free"}),
    ("tumbleweed", {"opening": "fixed", "delay": "on", "quiet": 20}),
    ("strands", {"cover": "up-to"}),
]
IN_CI = OWN[:1]
"""What is compiled in CI: numba takes seconds for each."""


@pytest.mark.one_case
@pytest.mark.parametrize(("slug", "options"), OWN, ids=str)
def test_a_compiled_rule_plays_the_same_games_as_the_plain_one(
    slug: str, options: dict[str, Any]
) -> None:
    same(games.load(own(slug), **options))


@pytest.mark.slow
def test_stones_of_any_colour_are_compiled_too(written: Written) -> None:
    path = written(
        """
class Mine(SimpleGame):
    cell_memory = {"age": 0}
    def may_lend(self, board, side, cell):
        return not board.touching(cell, 1 - side)
    def may_block(self, board, side, cell):
        white, black, neutral = board.around(cell)
        return board.count(NEUTRAL) < 3 + white - black + neutral * board.around(cell)[side]
    def may_pass(self, board, side):
        return board.played > 9
    def remember(self, board, side, act):
        return {} if act.word else {"age": {act.cell: 1 if act.do == "lend" else 2}}
"""
    )
    same(games.load(path, size=3))


def same(game: games.Game) -> None:
    """A compiled State and the plain one play the same games, move by move."""
    assert why_plain(game) == ""
    for seed in range(3):
        plain = told_of(game, seed, game.state)
        assert plain == told_of(game, seed, lambda start: state_of(game, start))
        assert plain[0][0] >= 0


def told_of(
    game: games.Game,
    seed: int,
    state: Callable[[games.Position], Any],
    run: Callable[..., int] | None = None,
    ints: Callable[[Any], Any] = list,
) -> list[list[int]]:
    """What a State of the start says of a random game, its chance afterwards and its moves."""
    branches, plies = game.capacity
    room = ([seed], [0] * (plies + 2), [0] * (branches + 1), [0] * (4 * plies + 5))
    rng, trace, out, told = map(ints, room)
    states = (state(game.start()), state(game.start()))
    count = (run or replayed)(*states, rng, trace, out, told)
    return [list(told)[:count], list(rng), list(trace)]


def replayed(root: Any, state: Any, rng: Any, trace: Any, out: Any, told: Any) -> int:
    """Play a random game, then its moves one by one; writes how it ended and what the State says
    before each move, and returns how many numbers that are."""
    state.assign(root)
    trace[0] = 0
    told[0] = state.playout(rng, trace)
    state.assign(root)
    at = 1
    for i in range(trace[0] + 1):
        told[at] = state.outcome()
        told[at + 1] = state.mover()
        told[at + 2] = state.moves(out)
        told[at + 3] = 0
        for k in range(told[at + 2]):
            told[at + 3] = (told[at + 3] * 31 + out[k] + 1) & 0xFFFFFFFF
        at += 4
        if i < trace[0]:
            state.play(trace[i + 1])
    return at


@pytest.mark.jit
@pytest.mark.skipif(not jit.available(), reason="numba is not installed")
@pytest.mark.parametrize(
    ("slug", "options"),
    [one if one in IN_CI else pytest.param(*one, marks=pytest.mark.long) for one in OWN],
    ids=str,
)
def test_a_rule_through_numba_plays_the_plain_ones_games_move_by_move(
    slug: str, options: dict[str, Any]
) -> None:
    game = games.load(own(slug), **options)
    run = jit.compiled(replayed, type(state_of(game, game.start())))

    def compiled(start: games.Position) -> Any:
        return jit.compiled_state(state_of(game, start))

    for seed in range(20):
        plain = told_of(game, seed, game.state)
        assert plain == told_of(game, seed, compiled, run, jit.ints)
        assert plain[0][0] >= 0


@pytest.mark.slow
def test_a_dict_that_is_filled_by_a_loop_is_told_by_the_name_that_its_designer_gave(
    written: Written,
) -> None:
    path = written(
        """
class Mine(SimpleGame):
    cell_memory = {"height": 0}
    def remember(self, board, side, act):
        heights = {act.cell: 1}
        for cell in board.neighbours(act.cell):
            if board[cell] != side:
                heights[cell] = 2
        return {"height": heights}
"""
    )
    told = why_plain(games.load(path))
    assert told.startswith(f"{path}, line 12, in remember: heights is filled before: return it as")


@pytest.mark.one_case
@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("    while True:\n            pass", 8),
        ("    return open('x') is None", 8),
        ("    return self.asked.setdefault(cell, True)", 8),
        ("    return side ** cell > 3", 8),
        ("    return cell", 8),
    ],
)
def test_what_cannot_be_compiled_is_told_with_its_line(
    rule: str, line: int, written: Written
) -> None:
    path = written(
        f"""
class Mine(SimpleGame):
    asked = {{}}
    def may_place(self, board, side, cell):
    {rule}
"""
    )
    game = games.load(path)
    assert why_plain(game).startswith(f"{path}, line {line}, in may_place: ")
    assert state_of(game, game.start()).__class__ is game.state(game.start()).__class__


@pytest.mark.slow
def test_a_rule_that_leaves_the_board_is_a_fault_and_no_stone_elsewhere(written: Written) -> None:
    path = written(
        """
class Mine(SimpleGame):
    def then(self, board, side, act):
        return {act.cell + 30: side}
"""
    )
    game = games.load(path)
    state = state_of(game, game.start())
    assert state.playout([1], [0] * 200) < 0
