"""Reversi on hexagons, a game in one file: ./run play examples/reversi.py"""

from __future__ import annotations

from collections.abc import Mapping

from lumiban.games import BLACK, WHITE, Refusal, Texts
from lumiban.games.simple import Act, GridView, SimpleGame


class Reversi(SimpleGame):
    """Enemy stones in a row between a new stone and another of yours turn to your side.

    A stone must turn one at least. Who can turn none passes; when both do, more stones win.
    """

    sizes = (5, 3, 4)
    symmetry = "turns"
    texts = Texts(
        en={
            "name": "Reversi",
            "option.size": "Board size",
            "refusal.turns-none": "This stone would turn no enemy stone.",
            "refusal.can-move": "You can turn a stone, so you cannot pass.",
        },
        ja={
            "name": "リバーシ",
            "rule": "新しい石と自分の石ではさんだ敵の石を裏返します。石の多い側の勝ちです。",
            "option.size": "盤の大きさ",
            "refusal.turns-none": "裏返せる敵の石がありません。",
            "refusal.can-move": "裏返せる石があるので、パスはできません。",
        },
    )

    def opening(self) -> Mapping[str, int]:
        """Three stones of each side, in turns around the middle."""
        middle = len(self.grid) // 2
        around = self.grid.neighbours[middle]
        return {self.grid.names[cell]: (WHITE, BLACK)[at % 2] for at, cell in enumerate(around)}

    def may_place(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        """Only where a stone turns another."""
        return True if board.flanked(cell, side) else self.no("turns-none", cell)

    def may_pass(self, board: GridView, side: int) -> bool | Refusal:
        """Only when no stone can be turned."""
        return self.no("can-move") if self.has_move(board, side) else True

    def then(self, board: GridView, side: int, act: Act) -> Mapping[int, int]:
        """The flanked stones change sides; a pass turns none."""
        return {} if act.word else dict.fromkeys(board.flanked(act.cell, side), side)

    def points(self, board: GridView) -> tuple[float, float]:
        """Stones count."""
        return board.count(WHITE), board.count(BLACK)
