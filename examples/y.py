"""Y, a game in one file: ./run play examples/y.py

Y is by Claude Shannon, and by Craige Schensted and Charles Titus.
"""

from __future__ import annotations

from lumiban.games import BLACK, WHITE, Outcome, Texts
from lumiban.games.simple import GridView, SimpleGame


class Y(SimpleGame):
    """Join all three edges of the triangle by one group; a corner belongs to two edges.

    Stones go on any empty cell and stay. After White's first stone the other player chooses a
    side. There are no draws.
    """

    shape = "triangle"
    sizes = (7, 4, 5, 6, 8, 9)
    pie = True
    texts = Texts(
        en={"name": "Y", "option.size": "Board size", "outcome.joined": "The edges are joined."},
        ja={
            "name": "ワイ",
            "rule": "三つの辺を一つのグループでつなげば勝ちです。",
            "option.size": "盤の大きさ",
            "outcome.joined": "三つの辺がつながりました。",
        },
    )

    def ended(self, board: GridView) -> Outcome | None:
        for side in (WHITE, BLACK):
            if any(len(board.edges_of(group[0])) == 3 for group in board.groups(side)):
                return self.win(side, "joined")
        return None
