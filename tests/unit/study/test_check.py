"""The check of a game: its games by a seed, what it tells of a breach, when it has seen enough."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import pytest
from lumiban import games
from lumiban.games import (
    WHITE,
    Position,
    Refusal,
    rule_limits,
)
from lumiban.games.simple import GridView
from lumiban.study.check import GAMES, check
from own_games import SNORT, Written, clean, written
from unit.games.test_checked_laws import (
    Known,
    TellsNoEffects,
    Toy,
    breaches,
    checked,
    known,
    needs_numba,
    sound,
)

__all__ = ["clean", "known", "written"]


@pytest.mark.jit
@needs_numba
@pytest.mark.parametrize(
    "slug", ["control", *(pytest.param(s, marks=pytest.mark.long) for s in ("evening", "doves"))]
)
def test_compiled_playouts_equal_plain_ones(slug: str) -> None:
    report = checked(slug, {}, 1, 1) if slug == "doves" else checked(slug, {"size": 3}, 1, 1)
    sound(report)
    assert report.asked["compiled"] > 0


@pytest.mark.slow
def test_the_same_seed_plays_the_same_games() -> None:
    first, again = (checked(SNORT, {"size": 3}, 3, 4) for _ in range(2))
    assert (first.asked, first.positions) == (again.asked, again.positions)
    assert checked(SNORT, {"size": 3}, 3, 5).asked != first.asked


def test_a_breach_tells_position_move_and_game(known: Known) -> None:
    (breach,) = check(known(TellsNoEffects)(), 1).breaches[:1]
    assert breach.law == "effects"
    game = Toy()
    position = game.start()
    for text in breach.moves:
        position = game.play(position, game.parse(position, text))
    assert breach.move in {str(move) for move in game.moves(position, game.movers(position)[0])}
    assert breach.number == 0


def test_one_mistake_is_told_once_with_the_laws_that_it_stops(written: Written) -> None:
    rule = "class Mine(SimpleGame):\n    sizes = (2,)\n    def then(self, board, side, act):\n"
    game = games.load(written(rule + "        return {board.nowhere: act.cell}\n"))
    (breach,) = check(game, 4).breaches
    assert breach.law == "allowed"
    assert {"effects", "marks", "state", "playout"} <= {*breach.stopped}
    assert "line 7, in then" in breach.text


def test_a_rule_that_loops_is_waited_for_once(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rule_limits, "LIMIT_S", 0.1)
    rule = "asked = []\nclass Mine(SimpleGame):\n    sizes = (2,)\n"
    rule += "    def remember(self, board, side, act):\n        asked.append(act)\n"
    game = games.load(written(rule + "        while True:\n            pass\n"))
    report = check(game, 4)
    assert len(sys.modules[type(game).__module__].asked) == 1
    (breach,) = report.breaches
    assert report.is_cut_short
    assert breach.stopped == ()
    assert "in remember: it takes more than 0.1 seconds" in breach.text


class Retraces(Toy):
    longest = 12

    def may_lift(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        return board[cell] == 1 - side


def test_a_move_that_looks_like_undoing_is_noted_and_no_breach(known: Known) -> None:
    report = check(known(Retraces)(), 2)
    assert report.ok, report.breaches
    (note,) = report.notes
    assert "the table asks which is meant" in note


class OverflowState(NamedTuple):
    """A State whose playout needs more than 64 bits: numba wraps where Python does not."""

    board: Any

    def assign(self, other: Any) -> None:
        self.board[0] = other.board[0]

    def mover(self) -> int:
        side: int = self.board[0]
        return side

    def moves(self, out: Any) -> int:
        out[0] = 0
        return 1

    def play(self, move: int) -> None:
        self.board[0] = 1 - self.board[0]

    def outcome(self) -> int:
        return -1

    def playout(self, rng: Any, trace: Any) -> int:
        rng[0] = (rng[0] * 6364136223846793005) % 1000003
        return 1

    def key(self) -> int:
        side: int = self.board[0]
        return side


class Overflows(Toy):
    def state(self, position: Position) -> Any:
        return OverflowState([position.state[-2]])


@pytest.mark.jit
@needs_numba
def test_a_compiled_state_that_plays_otherwise_is_named(known: Known) -> None:
    found = breaches(known(Overflows), 1)
    assert "compiled and plain playouts are different" in found["compiled"]


class PrefersSeldom(Toy):
    """One cell is closed, and only after so many moves."""

    sizes = (3,)

    def may_place(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        return not (
            cell == 0 and board.played == 7 and board.count(WHITE) > 3 and board[4] == WHITE
        )


@pytest.mark.slow
def test_a_check_goes_on_until_each_law_has_seen_enough(known: Known) -> None:
    report = check(known(PrefersSeldom)())
    assert report.games >= GAMES
    assert "symmetry" in {breach.law for breach in report.breaches}
    few = check(known(Toy)(), 1)
    assert not few.has_seen_enough
    assert few.games == 1
