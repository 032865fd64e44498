"""Hex, a game in one file: ./run play examples/hex.py

Hex is by Piet Hein (1942) and John Nash.
"""

from __future__ import annotations

from lumiban.games import BLACK, WHITE, Outcome, Texts
from lumiban.games.simple import GridView, SimpleGame


class Hex(SimpleGame):
    """White joins the top edge with the bottom one, Black the left edge with the right one.

    Stones go on any empty cell and stay. After White's first stone the other player chooses a
    side. There are no draws.
    """

    shape = "rhombus"
    sizes = (5, 3, 4, 6, 7)
    pie = True
    symmetry = "half-turn"
    texts = Texts(
        en={
            "name": "Hex",
            "option.size": "Board size",
            "outcome.joined": "The edges are joined.",
        },
        ja={
            "name": "ヘックス",
            "rule": "白は上下の辺を、黒は左右の辺を自分の石でつなげば勝ちです。",
            "option.size": "盤の大きさ",
            "outcome.joined": "辺がつながりました。",
        },
    )

    def ended(self, board: GridView) -> Outcome | None:
        """A chain of one side that joins its two edges wins."""
        for side, (one, other) in ((WHITE, (0, 2)), (BLACK, (1, 3))):
            if board.connects(side, board.edge(one), board.edge(other)):
                return self.win(side, "joined")
        return None
