"""The check of a game's laws: it passes what is sound, and names each law that is broken."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import pytest
from lumiban import games
from lumiban.errors import GameError
from lumiban.games import (
    BLACK,
    WHITE,
    Game,
    Mark,
    Move,
    Outcome,
    Position,
    Refusal,
    registry,
    rule_limits,
)
from lumiban.games.kernel import symmetries
from lumiban.games.registry import add_texts
from lumiban.games.simple import EMPTY, Act, GridView, SimpleGame, SimpleState
from lumiban.grid import hexagon, patch
from lumiban.search import jit
from lumiban.study.check import GAMES, NAMES, Report, check
from own_games import CUSTODIANS, EXAMPLES, SNORT, Written, clean, own, written

__all__ = ["clean", "written"]

needs_numba = pytest.mark.skipif(not jit.available(), reason="numba is not installed")

BUILT_IN: list[tuple[str, dict[str, int | str]]] = [
    ("control", {"size": 3}),
    ("control", {"size": 3, "opening": "pie2"}),
    ("control", {"size": 3, "sees": "sight", "scoring": "territory"}),
    ("evening", {"size": 3}),
    ("evening", {"size": 3, "turns": "trailing", "tie": "odd-even"}),
    ("evening", {"size": 3, "sees": "adjacent", "wins": "stones"}),
    ("evening", {"preset": "evening-odd-even", "size": 3}),
    ("evening", {"preset": "interleave", "size": 3}),
    ("evening", {"cells": "0,0 1,0 0,1 2,0 3,-1", "turns": "trailing"}),
    ("trivia", {"size": 3}),
    ("trivia", {"size": 4}),
    ("doves", {}),
    ("doves", {"preset": "article"}),
    ("doves", {"preset": "people"}),
    ("doves", {"repetition": "off", "initial": "allowed", "remove": "off"}),
    ("rengi", {"mode": "free"}),
    ("rengi", {"mode": "open"}),
    ("rengi", {"mode": "tsu"}),
    ("rengi", {"mode": "open-shodai"}),
    ("stigmergy", {"size": 3, "komi": 3}),
    ("stigmergy", {"size": 3, "opening": "komi"}),
    ("tumpletore", {"size": 3}),
    ("tumbleweed", {"size": 3}),
    ("tumbleweed", {"size": 3, "neutral": "free"}),
    ("tumbleweed", {"size": 3, "opening": "fixed", "delay": "on", "quiet": 20}),
    ("strands", {"size": 3, "layout": "rings"}),
    ("strands", {"size": 5, "cover": "up-to"}),
    (SNORT, {"size": 3}),
    (CUSTODIANS, {"size": 4}),
    (str(EXAMPLES / "hex.py"), {"size": 3}),
    (str(EXAMPLES / "y.py"), {"size": 4}),
    (str(EXAMPLES / "gomoku.py"), {"size": 9}),
    (str(EXAMPLES / "reversi.py"), {"size": 3}),
]


@pytest.mark.slow
def test_stones_that_grow_and_take_the_same_stone_are_told_apart_in_the_mirror(
    written: Written,
) -> None:
    path = written(
        """
class Mine(SimpleGame):
    sizes = (3,)
    cell_memory = {"height": 0}
    def may_grow(self, board, side, cell):
        return board.height[cell] < 4
    def then(self, board, side, act):
        height = board.height[act.cell] + 1
        near = board.touching(act.cell, 1 - side)
        return {cell: EMPTY for cell in near if board.height[cell] < height}
    def remember(self, board, side, act):
        taken = {cell: 0 for cell in board.touching(act.cell, EMPTY)}
        return {"height": {**taken, act.cell: board.height[act.cell] + 1}}
"""
    )
    sound(check(games.load(path), 6))


def sound(report: Report) -> None:
    """Nothing is broken, and every law was asked."""
    assert report.ok, "\n".join(map(str, report.breaches))
    asked = {name for name in NAMES if report.asked[name]}
    assert asked >= set(NAMES) - {"compiled", "symmetry", "undo"}


def checked(slug: str, options: dict[str, int | str], number: int, seed: int) -> Report:
    game = games.load(own(slug), **options)
    return check(game, number, seed)


def named(cases: list[tuple[str, dict[str, int | str]]]) -> list[Any]:
    return [
        pytest.param(slug, options, id=f"{Path(slug).name}-{','.join(map(str, options.values()))}")
        for slug, options in cases
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("slug", "options"), named(BUILT_IN))
def test_every_built_in_game_keeps_the_laws(
    slug: str, options: dict[str, int | str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUMIBAN_PLAIN", "1")
    sound(checked(slug, options, 1 if slug in ("doves", "rengi") else 2, 5))


@pytest.mark.jit
@needs_numba
@pytest.mark.parametrize(
    "slug", ["control", *(pytest.param(s, marks=pytest.mark.long) for s in ("evening", "doves"))]
)
def test_compiled_playouts_equal_plain_ones(slug: str) -> None:
    report = checked(slug, {}, 1, 1) if slug == "doves" else checked(slug, {"size": 3}, 1, 1)
    sound(report)
    assert report.asked["compiled"] > 0


@pytest.mark.long
@pytest.mark.parametrize(("slug", "options"), named(BUILT_IN))
def test_every_built_in_game_keeps_the_laws_for_long(
    slug: str, options: dict[str, int | str]
) -> None:
    sound(checked(slug, options, 60, 0))


@pytest.mark.long
@pytest.mark.parametrize(
    ("slug", "options"),
    named(
        [("control", {}), ("evening", {}), ("evening", {"preset": "interleave"}), ("trivia", {})]
    ),
)
def test_the_usual_sizes_keep_the_laws(slug: str, options: dict[str, int | str]) -> None:
    sound(checked(slug, options, 10, 0))


@pytest.mark.slow
def test_the_same_seed_plays_the_same_games() -> None:
    first, again = (checked(SNORT, {"size": 3}, 3, 4) for _ in range(2))
    assert (first.asked, first.positions) == (again.asked, again.positions)
    assert checked(SNORT, {"size": 3}, 3, 5).asked != first.asked


# Toys, each of which breaks one law.


class Toy(SimpleGame):
    """Put a stone anywhere; who cannot move loses."""

    slug = "toy"
    sizes = (2,)


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> Callable[[type[Game]], type[Game]]:
    """Makes a toy known by its slug, with its texts."""

    def know(kind: type[Game]) -> type[Game]:
        monkeypatch.setitem(registry._OURS, "toy", f"{kind.__module__}:{kind.__name__}")
        add_texts(kind)
        return kind

    return know


Known = Callable[[type[Game]], type[Game]]


def breaches(kind: type[Game], number: int = 3) -> dict[str, str]:
    return {breach.law: str(breach) for breach in check(kind(), number).breaches}


def test_the_toy_itself_is_sound(known: Known) -> None:
    assert breaches(known(Toy)) == {}


class ReadsWrong(Toy):
    def parse(self, position: Position, text: str, side: int | None = None) -> Move:
        return super().parse(position, "a2" if text == "a1" else text, side)


class RefusesListed(Toy):
    def why_not(self, position: Position, side: int, move: Move) -> Refusal | None:
        return (
            Refusal("simple.occupied") if move.code == 3 else super().why_not(position, side, move)
        )


class PlaysNoListed(Toy):
    def play(self, position: Position, move: Move) -> Position:
        if move.code == 3:
            raise games.IllegalMove("not that one")
        return super().play(position, move)


class ListsTooFew(Toy):
    def moves(self, position: Position, side: int) -> list[Move]:
        return super().moves(position, side)[1:]


class PlaysRefused(Toy):
    def play(self, position: Position, move: Move) -> Position:
        return position


class TellsNoEffects(Toy):
    def effects(self, position: Position, move: Move) -> tuple[games.Effect, ...]:
        return super().effects(position, move)[1:]


class MovesForBoth(Toy):
    def moves(self, position: Position, side: int) -> list[Move]:
        return [replace(move, side=side) for move in super().moves(position, WHITE)]


class TalksAfterTheEnd(Toy):
    def words(self, position: Position, side: int) -> tuple[str, ...]:
        return ("resign",)


class SaysWhatNobodyReads(Toy):
    def words(self, position: Position, side: int) -> tuple[str, ...]:
        return (*super().words(position, side), "hello") if self.movers(position) else ()


class Glitters(Toy):
    def marks(self, position: Position, level: str) -> tuple[Mark, ...]:
        return (Mark(0, "glitter"),)


class LightsBesideTheBoard(Toy):
    def marks(self, position: Position, level: str) -> tuple[Mark, ...]:
        return (Mark(99, "may-place"),) if level == "coach" else super().marks(position, level)


class HoldsALambda(Toy):
    def play(self, position: Position, move: Move) -> Position:
        return replace(super().play(position, move), extra=(lambda: 0,))  # type: ignore[arg-type]


class SeesMoreEachTime(Toy):
    def view(self, position: Position, side: int | None) -> Position:
        return replace(position, seed=position.seed + 1)


class SetsUpNothing(Toy):
    def setup(self, stones: Any, *, to_move: int = WHITE, **more: Any) -> Position:
        if stones:
            raise GameError("impossible")
        return super().setup(stones, to_move=to_move, **more)


class LosesItsTexts(Toy):
    def may_place(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        return True if cell else self.no("nowhere-written")


class EndsWithoutAWord(Toy):
    def stuck(self, board: GridView) -> Outcome:
        return self.win(1 - board.mover, "nowhere-written")


def of_kind(kind: type[SimpleState], state: SimpleState) -> SimpleState:
    """A state of a game that behaves otherwise."""
    state.__class__ = kind
    return state


class _Swapped(SimpleState):
    __slots__ = ()

    def mover(self) -> int:
        return 1 - super().mover()


class KernelMovesOther(Toy):
    def state(self, position: Position) -> SimpleState:
        return of_kind(_Swapped, super().state(position))


class _Wins(SimpleState):
    __slots__ = ()

    def playout(self, rng: Any, trace: Any) -> int:
        return 3 - super().playout(rng, trace)


class PlaysOutWrong(Toy):
    def state(self, position: Position) -> SimpleState:
        return of_kind(_Wins, super().state(position))


class _Forgets(SimpleState):
    __slots__ = ()

    def key(self) -> int:
        return id(self)


class KeysDiffer(Toy):
    def state(self, position: Position) -> SimpleState:
        return of_kind(_Forgets, super().state(position))


class PrefersACorner(Toy):
    def may_place(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        return cell != 0


class CapturesToTheRight(Toy):
    def then(self, board: GridView, side: int, act: Act) -> dict[int, int]:
        return {cell: EMPTY for cell in board.touching(act.cell, 1 - side) if cell > act.cell}


class CountsTooLittle(Toy):
    @property
    def capacity(self) -> tuple[int, int]:
        return 7, 5


class ListsTooMany(Toy):
    @property
    def capacity(self) -> tuple[int, int]:
        return 2, 28


class StartsAnew(Toy):
    begun: ClassVar[Iterator[int]] = itertools.count()

    def start(self, seed: int = 0) -> Position:
        cell = next(self.begun) % len(self.grid)
        return self.setup({self.grid.names[cell]: BLACK})


class HintsUnasked(Toy):
    def marks(self, position: Position, level: str) -> tuple[Mark, ...]:
        return (Mark(0, "may-place"),) if level == "none" else super().marks(position, level)


class HintsAfterTheEnd(Toy):
    def marks(self, position: Position, level: str) -> tuple[Mark, ...]:
        return () if level == "none" else (Mark(0, "may-place"),)


class Stumbles(Toy):
    def may_place(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        return bool(1 // (3 - board.played)) or True


BROKEN: list[tuple[type[Game], str, str]] = [
    (ReadsWrong, "notation", "its notation is read as"),
    (RefusesListed, "allowed", "listed, but why_not says simple.occupied"),
    (PlaysNoListed, "allowed", "play refuses it: not that one"),
    (ListsTooFew, "forbidden", "why_not allows it, but it is not listed"),
    (PlaysRefused, "allowed", "the last of its history"),
    (TellsNoEffects, "effects", "effects says nothing changes, but"),
    (MovesForBoth, "turns", "has moves but is not to move"),
    (TalksAfterTheEnd, "turns", "somebody may still act"),
    (SaysWhatNobodyReads, "words", "“hello” is not a move"),
    (Glitters, "marks", "'glitter': no light does"),
    (LightsBesideTheBoard, "marks", "at level coach a mark lies on cell 99"),
    (HintsUnasked, "marks", "at level none there are hints: may-place"),
    (HintsAfterTheEnd, "marks", "the game is over, but marks hint at moves: may-place"),
    (HoldsALambda, "values", "pickle"),
    (SeesMoreEachTime, "views", "changes when it is looked at again"),
    (SetsUpNothing, "setup", "refuses a position that was reached: impossible"),
    (LosesItsTexts, "texts", "texts have no 'refusal.nowhere-written'"),
    (EndsWithoutAWord, "texts", "texts have no 'outcome.nowhere-written'"),
    (KernelMovesOther, "state", "the State says that side 1 moves"),
    (KeysDiffer, "state", "another key"),
    (PlaysOutWrong, "playout", "a playout said"),
    (PrefersACorner, "symmetry", "the position has other moves"),
    (CapturesToTheRight, "symmetry", ", which changes other cells"),
    (CountsTooLittle, "length", "the game took 7 moves, capacity allows 5"),
    (ListsTooMany, "state", "more moves than capacity allows"),
    (StartsAnew, "record", "record: after"),
    (Stumbles, "moves", "ZeroDivisionError"),
]


@pytest.mark.parametrize(("kind", "law", "said"), BROKEN, ids=lambda value: str(value)[:40])
def test_a_broken_law_is_named(kind: type[Game], law: str, said: str, known: Known) -> None:
    found = breaches(known(kind))
    assert law in found
    assert said in found[law]


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


def test_a_game_tells_which_turns_of_the_board_keep_its_rules() -> None:
    assert len(symmetries(hexagon(4))) == 12
    assert len(symmetries(patch([(0, 0), (1, 0), (2, 0), (0, 1)]))) == 1
    assert len(games.load(CUSTODIANS, size=4).symmetries) == 2
    for cells in symmetries(hexagon(3)):
        near = hexagon(3).neighbours
        assert all({cells[n] for n in near[c]} == set(near[cells[c]]) for c in range(19))


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
