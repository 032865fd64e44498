"""The laws of a game: each game that comes with lumiban keeps them, and a broken one is named."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

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
)
from lumiban.games.kernel import symmetries
from lumiban.games.registry import add_texts
from lumiban.games.simple import EMPTY, Act, GridView, SimpleGame, SimpleState
from lumiban.grid import hexagon, patch
from lumiban.search import jit
from lumiban.study.check import NAMES, Report, check
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
    ("trivia", {"size": 4, "cells": "hexagons"}),
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


LARGE = ("custodians", "gomoku", "mode,free", "mode,tsu", "neutral", "quiet", "cover", "tumbleweed")
"""Games of many plies, by words in their names here: slow."""


def named(cases: list[tuple[str, dict[str, int | str]]], *large: str) -> list[Any]:
    found = []
    for slug, options in cases:
        words = (",".join(map(str, pair)) for pair in options.items())
        name = " ".join((Path(slug).name, *words))
        is_slow = any(word in name for word in large)
        marks = [pytest.mark.slow] if is_slow else []
        found.append(pytest.param(slug, options, id=name, marks=marks))
    return found


@pytest.mark.parametrize(("slug", "options"), named(BUILT_IN, *LARGE))
def test_every_built_in_game_keeps_the_laws(
    slug: str, options: dict[str, int | str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUMIBAN_PLAIN", "1")
    sound(checked(slug, options, 1, 6))


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
        return replace(super().play(position, move), extra=(lambda: 0,))  # type: ignore[arg-type]  # no value


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


def test_a_game_tells_which_turns_of_the_board_keep_its_rules() -> None:
    assert len(symmetries(hexagon(4))) == 12
    assert len(symmetries(patch([(0, 0), (1, 0), (2, 0), (0, 1)]))) == 1
    assert len(games.load(CUSTODIANS, size=4).symmetries) == 2
    for cells in symmetries(hexagon(3)):
        near = hexagon(3).neighbours
        assert all({cells[n] for n in near[c]} == set(near[cells[c]]) for c in range(19))
