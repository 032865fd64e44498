"""What decided a game of SimpleGame's words, found in what its rule already says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from lumiban.games import mark_kinds
from lumiban.games.base import BLACK, WHITE, Mark, Outcome
from lumiban.games.grid_view import EMPTY, GridView

A_STEP = 5
"""Cells that hands count at a time."""


class Rule(Protocol):
    """The words that are asked: those of `SimpleRule`."""

    def ended(self, board: GridView) -> Outcome | None:
        """Outcome on this board, None to go on."""
        ...

    def points(self, board: GridView) -> tuple[float, float]:
        """Points of White and of Black."""
        ...

    def owned(self, board: GridView) -> Mapping[int, int]:
        """Side of each cell that a side controls."""
        ...


def decided(rule: Rule, board: GridView, over: Outcome) -> list[list[int]]:
    """The cells of each step: those that were counted, if the points are the number of a side's
    stones, of its `owned` cells or of both; else the fewest stones by which the winner still wins.
    [] where the rule's words do not tell."""
    if over.reason == "simple.points":
        return in_steps(_pointed(rule, board))
    if over.winner is None or not _still(rule, board, over):
        return []
    return in_steps([_in_order(board, _fewest(rule, board, over))])


def in_steps(sides: Iterable[Sequence[int]]) -> list[list[int]]:
    """Cells as hands count them: one side after the other, some more at each step.

    >>> in_steps([[1, 2, 3, 4, 5, 6], [9]])
    [[1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6, 9]]
    """
    lit, steps = list[int](), list[list[int]]()
    for cells in sides:
        for at in range(0, len(cells), A_STEP):
            lit += cells[at : at + A_STEP]
            steps.append(lit[:])
    return steps


def marked(
    rule: Rule, board: GridView, over: Outcome, steps: Iterable[Iterable[int]]
) -> tuple[tuple[Mark, ...], ...]:
    """The marks of these steps: each cell is its stone's, else that side's which the rule names,
    else the winner's."""
    owned = rule.owned(board)

    def side(cell: int) -> int | None:
        return board[cell] if board[cell] in (WHITE, BLACK) else owned.get(cell, over.winner)

    told = (tuple(Mark(c, mark_kinds.OWNED, side(c)) for c in dict.fromkeys(one)) for one in steps)
    return tuple(filter(None, told))


def _pointed(rule: Rule, board: GridView) -> list[list[int]]:
    """The cells that make up each side's points; [] where others do."""
    owned, points = rule.owned(board), [*rule.points(board)]
    stones = [board.of(side) for side in (WHITE, BLACK)]
    held = [[cell for cell, side in owned.items() if side == one] for one in (WHITE, BLACK)]
    both = [sorted({*own, *more}) for own, more in zip(stones, held, strict=True)]
    for cells in (both, held, stones):
        if [len(own) for own in cells] == points:
            return cells
    return []


def _still(rule: Rule, board: GridView, over: Outcome) -> bool:
    now = rule.ended(board)
    return now is not None and (now.winner, now.reason) == (over.winner, over.reason)


def _fewest(rule: Rule, board: GridView, over: Outcome) -> list[int]:
    """The winner's stones without which it would not have won, whichever of the others are gone."""
    left, winner = board.copied(), over.winner
    assert winner is not None
    for cell in board.of(winner):
        left.put(cell, EMPTY)
        try:
            wins = _still(rule, left, over)
        # No play makes this board, as without its last stone: there any rule may fail.
        except Exception:  # noqa: BLE001
            wins = False
        if not wins:
            left.put(cell, winner)
    return left.of(winner)


def _in_order(board: GridView, cells: list[int]) -> list[int]:
    """A chain from one of its ends on; cells apart from each other as they are."""
    left, out = set(cells), list[int]()
    while left:
        ends = sorted(left, key=lambda c: (len(left.intersection(board.neighbours(c))), c))
        row = [ends[0]]
        for cell in row:
            left.discard(cell)
            row += sorted(left.intersection(board.neighbours(cell)) - {*row})
        out += row
    return out
