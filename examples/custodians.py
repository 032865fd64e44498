"""Custodians, a game on squares with moves and captures, in one file.

./run play examples/custodians.py -o size=5
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lumiban.games import BLACK, WHITE, Outcome, Refusal, Texts
from lumiban.games.simple import EMPTY, Act, GridView, SimpleGame


class Custodians(SimpleGame):
    """Slide a stone like a rook; enemies caught between it and another of yours are taken.

    Each side starts with a full row on its own edge. A stone that moves between two enemies is
    safe. Who has one stone left, or cannot move, has lost.
    """

    geometry = "square"
    sizes = (6, 4, 5, 7, 8)
    longest = 200
    texts = Texts(
        en={
            "name": "Custodians",
            "option.size": "Board size",
            "refusal.no-new": "No stones come in: slide one of your own.",
            "outcome.captured": "One stone is not enough: its side loses.",
        },
        ja={
            "name": "はさみ石",
            "rule": "石を縦横に動かし、敵の石を自分の石ではさんで取ります。",
            "option.size": "盤の大きさ",
            "refusal.no-new": "新しい石は置けません。自分の石を動かしてください。",
            "outcome.captured": "残りが一つになった側の負けです。",
        },
    )

    def opening(self) -> Mapping[str, int]:
        names, (columns, _) = self.grid.names, self.grid.size
        return {
            **dict.fromkeys(names[-columns:], WHITE),
            **dict.fromkeys(names[:columns], BLACK),
        }

    def may_place(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        return self.no("no-new")

    def slides(self, board: GridView, side: int, start: int) -> Iterable[int]:
        return board.free_line(start)

    def then(self, board: GridView, side: int, act: Act) -> Mapping[int, int]:
        rays = self.grid.rays[act.cell]
        caught = [ray[0] for ray in rays if len(ray) > 1 and board[ray[0]] == 1 - side
                  and board[ray[1]] == side]  # fmt: skip
        return dict.fromkeys(caught, EMPTY)

    def ended(self, board: GridView) -> Outcome | None:
        for side in (WHITE, BLACK):
            if len(board.of(side)) < 2:
                return self.win(1 - side, "captured")
        return None
