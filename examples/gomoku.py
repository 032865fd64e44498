"""Gomoku on squares, a game in one file: ./run play examples/gomoku.py"""

from __future__ import annotations

from lumiban.games import Outcome, Texts
from lumiban.games.simple import GridView, SimpleGame


class Gomoku(SimpleGame):
    """Five stones of yours in a row, straight or diagonal, win. A full board is a draw."""

    geometry = "square"
    sizes = (9, 6, 7, 8)
    keeps_last = True
    texts = Texts(
        en={"name": "Gomoku", "option.size": "Board size", "outcome.five": "Five in a row."},
        ja={
            "name": "五目並べ",
            "rule": "縦、横、斜めのどれかに自分の石を五つ並べれば勝ちです。",
            "option.size": "盤の大きさ",
            "outcome.five": "五つ並びました。",
        },
    )

    def ended(self, board: GridView) -> Outcome | None:
        act = board.last
        if act is not None and any(len(row) >= 5 for row in board.runs(act.cell)):
            return self.win(board[act.cell], "five")
        return None

    def stuck(self, board: GridView) -> Outcome:
        return self.draw()
