"""SNORT on hexagons, a game in one file: ./run play examples/snort.py

SNORT is by Simon Norton (Winning Ways, chapter 5), there on any map of countries.
"""

from __future__ import annotations

from lumiban.games import Refusal, Texts
from lumiban.games.simple import GridView, SimpleGame


class Snort(SimpleGame):
    """Put a stone on an empty cell that touches no enemy stone; who cannot move loses.

    White begins on any cell. Stones are never moved or taken, so that every stone keeps the
    cells around it free of the enemy for the rest of the game.
    """

    geometry = "hex"
    sizes = (4, 2, 3, 5)
    texts = Texts(
        en={
            "name": "Snort",
            "option.size": "Board size",
            "refusal.enemy-near": "An enemy stone stands next to this cell.",
        },
        ja={
            "name": "スノート",
            "rule": "敵の石に接しない空きマスに石を置きます。置けなくなった側が負けです。",
            "rules": (
                "白から始め、好きなマスに石を置きます。石は動かさず、取りません。"
                "敵の石に接するマスには置けません。置けなくなった側が負けです。"
            ),
            "option.size": "盤の大きさ",
            "refusal.enemy-near": "このマスの隣に敵の石があります。",
        },
    )

    def may_place(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        """An empty cell is open to a side unless an enemy stone touches it."""
        enemies = board.touching(cell, 1 - side)
        return self.no("enemy-near", *enemies) if enemies else True

    def owned(self, board: GridView) -> dict[int, int]:
        """At the hint level `control`: the empty cells that only one side may still use."""
        sides = {}
        for cell in board.of(-1):
            near = {board[at] for at in board.neighbours(cell)} & {0, 1}
            if len(near) == 1:
                sides[cell] = near.pop()
        return sides
