"""Strands: a largest-group game on a board of numbers, by Nick Bentley (2022)."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import ClassVar

from lumiban.errors import GameError
from lumiban.games.base import BLACK, WHITE, Option, Outcome, Refusal
from lumiban.games.simple import EMPTY, Act, Change, GridView, SimpleGame, Start

FIXED = {
    5: "64446/433334/4222224/43222234/632212236/43222234/4222224/433334/64446",
    6: "644446/4333334/43222234/432222234/4322222234/63222122236/4322222234/432222234/43222234"
    "/4333334/644446",
    7: "6655566/64333346/533222335/5322222235/53222222235/632222122246/6432211122346/642221222236"
    "/53222222235/5322222235/533222335/64333346/6655566",
}
"""The published layouts, rows from the top."""
RINGS = {
    6: ((1,), (1, 1, *[2] * 4), (*[2] * 11, 3), (*[2] * 12, *[3] * 6), (*[3] * 22, 4, 4),
        (*[4] * 10, *[5] * 20)),
    7: ((1,), (1, 1, 1, 2, 2, 2), (*[1] * 5, *[2] * 7), (1, *[2] * 17), (*[2] * 15, *[3] * 9),
        (*[3] * 28, 4, 4), (*[4] * 8, *[5] * 28)),
}  # fmt: skip
"""The numbers of each ring of random layouts, ascending; its corners get the highest."""


class Strands(SimpleGame):
    """Each cell has a number. Put as many stones as the number that you choose on empty cells with
    that number. On the full board the largest group wins; if they are alike, the next largest.

    >>> game = Strands(size=2, layout="rings")
    >>> position = game.play(game.start(), game.parse(game.start(), "b3"))
    >>> position = game.play(position, game.parse(position, "a1"))
    >>> game.movers(position), game.pieces_owed(position)
    ((1,), ((<Kind.BLACK: 2>, 1),))
    """

    slug = "strands"
    accepts = (
        Option("size", 5, tuple(range(2, 8))),
        Option("layout", "fixed", ("fixed", "low", "random", "rings"), free=True),
        Option("cover", "all", ("all", "up-to")),
    )
    spoken = ("done",)
    by_groups = ("strands.groups", "agreed-groups")
    cell_memory: ClassVar[Mapping[str, int]] = {"number": 0}
    shows = "number"
    memory: ClassVar[Mapping[str, int]] = {"now": 0, "owed": 0}

    def __init__(self, **options: int | str) -> None:
        small = str(options.get("size", 5)) in ("2", "3", "4")
        super().__init__(**{"layout": "rings", **options} if small else options)
        self._layout(0)

    def at_start(self, seed: int) -> Start:
        """The layout."""
        return {"number": dict(zip(self.grid.names, self._layout(seed), strict=True))}

    def _layout(self, seed: int) -> list[int]:
        """The number of each cell; GameError if the side has no such layout."""
        size, name = int(self.options["size"]), str(self.options["layout"])
        q0, r0 = self.grid.cells[len(self.grid) // 2]
        off = [(q - q0, r - r0, q0 + r0 - q - r) for q, r in self.grid.cells]
        rings = [max(map(abs, steps)) for steps in off]
        if name == "rings":
            return [ring + 1 for ring in rings]
        if name == "low" and size == 6:
            return [1 if ring == 0 else 3 if ring == 5 else 2 for ring in rings]
        if name == "random" and size in RINGS:
            chance, numbers = Random(seed), dict[int, int]()
            for ring, given in enumerate(RINGS[size]):
                cells = [cell for cell, at in enumerate(rings) if at == ring]
                chance.shuffle(cells)
                cells.sort(key=lambda cell: 0 in off[cell])
                numbers |= zip(cells, given, strict=True)
            return [numbers[cell] for cell in range(len(rings))]
        rows = (FIXED.get(size, "") if name == "fixed" else name).split("/")
        digits = "".join(rows)
        lengths = [2 * size - 1 - abs(row - size + 1) for row in range(2 * size - 1)]
        if [*map(len, rows)] != lengths or not {"2"} <= {*digits} <= {*"123456789"}:
            raise GameError(
                f"strands of side {size} has no layout {name!r}: rings fits all, fixed 5 to 7,"
                " random 6 and 7, low 6; any other is written, rows of digits with / between"
            )
        return [int(digit) for digit in digits]

    def may_place(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        """Any cell begins a turn, White's first a 2; the others go on with its number."""
        now = board.now if board.played else 2
        return True if now in (0, board.number[cell]) else self.no("other-number", n=now)

    def may_say(self, board: GridView, side: int, word: str) -> bool | Refusal:
        """With `up-to` a turn may end early."""
        ends = self.options["cover"] == "up-to" and board.now
        return True if ends else self.no("not-done")

    def remember(self, board: GridView, side: int, act: Act) -> Change:
        """The number of the turn, and the stones that it still owes."""
        if act.word:
            return {"now": 0, "owed": 0}
        number, owed = board.number[act.cell], board.owed - 1
        if not board.now:
            left = sum(board.number[cell] == number for cell in board.of(EMPTY))
            owed = min(number - 1, left) if board.played else 0
        return {"now": number if owed else 0, "owed": owed}

    def next_side(self, board: GridView, side: int, act: Act) -> int:
        """The other one, once nothing is owed."""
        return side if board.owed else 1 - side

    def owes(self, board: GridView) -> int:
        """Stones that the turn still owes."""
        return int(board.owed) if board.played else 1

    def agreed(self, board: GridView) -> Outcome | None:
        """The groups decide too where both sides stop, unless they are alike."""
        white, black = board.sizes(WHITE), board.sizes(BLACK)
        return None if white == black else Outcome(int(black > white), "agreed-groups")

    def ended(self, board: GridView) -> Outcome | None:
        """On the full board the sizes of the groups decide, largest first."""
        if board.count(EMPTY):
            return None
        return self.win(WHITE if board.sizes(WHITE) > board.sizes(BLACK) else BLACK, "groups")
