"""Stigmergy and Tumpletore: territory by lines of sight, without draws.

Stigmergy is by Steve Metzger and Luis Bolaños Mures (2021).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from lumiban.errors import GameError
from lumiban.games.base import BLACK, WHITE, Option, Outcome, Position, Refusal, resolve_options
from lumiban.games.simple import EMPTY, Act, Change, GridView, SimpleGame, Start

ON_TABLE, ABSENT = 0, 3
"""Where the button is, beside 1 (White has it) and 2 (Black)."""
KOMI = Option("komi", 0, tuple(range(-9, 10)), free=True)
UNNAMED = 998
"""The komi while nobody has named it."""


class Stigmergy(SimpleGame):
    """A stone goes on an empty cell that the enemy does not control; on a cell that you control,
    an enemy stone may be exchanged for your own. Stones and empty cells that one controls count.

    >>> game = Stigmergy(size=2)
    >>> position = game.play(game.start(), game.parse(game.start(), "b2"))
    >>> game.scores(position)
    ((1, 1), (0, 0))
    """

    slug = "stigmergy"
    accepts = (
        Option("size", 5, tuple(range(2, 9))),
        Option("share", "half", ("half", "most")),
        KOMI,
        Option("opening", "plain", ("plain", "komi")),
    )
    memory: ClassVar[Mapping[str, int]] = {"button": ABSENT, "komi": 0}

    def __init__(self, **options: int | str) -> None:
        given = {**options, "komi": str(options.get("komi", 0))}
        resolved = resolve_options(self.slug, self.accepts, given)
        self.pie = self.sets_up = int(resolved["opening"] == "komi")
        most = max(9, len(self.make_grid(int(resolved["size"]))) + 1)
        offers = {f"komi {points}": points for points in range(-most, most + 1)}
        self.named = offers if self.pie else {}
        self.spoken = ("button", *self.named)
        super().__init__(**given)
        komi = offers.get(f"komi {self.options['komi']}")
        if komi is None:
            told = f"one of {-most} to {most} on this board, not {self.options['komi']!r}"
            raise GameError(f"{self.slug} option komi is {told}")
        self.options = {**self.options, "komi": komi}
        if self.pie and komi:
            told = f"komi={komi} and opening=komi exclude each other"
            raise GameError(f"{self.slug}: {told}: there a player names the komi")
        # An exchange raises V (like pairs in sight less unlike ones) by 2 or more; a stone that is
        # placed lowers it by 9 at most; V lies within 3 a cell. One pass may follow each act.
        self.longest = 2 * (1 + 6 + 3) * len(self.grid)
        half = self.options["share"] == "half"
        self._least = [len(near) // 2 + 1 if half else 1 for near in self.grid.neighbours]

    def at_start(self, seed: int) -> Start:
        """An odd komi brings the button; White's player may have to name it first."""
        komi = UNNAMED if self.pie else int(self.options["komi"])
        return {"button": ON_TABLE if komi % 2 else ABSENT, "komi": komi}

    def controls(self, board: GridView, cell: int) -> int:
        """The side with the greater part of a cell's lines, EMPTY where nobody has it."""
        white, black, _ = board.seen(cell)
        if max(white, black) < self._least[cell] or white == black:
            return EMPTY
        return WHITE if white > black else BLACK

    def may_place(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        """Not where the enemy is in control."""
        if board.komi == UNNAMED:
            return self.no("komi-first")
        if self.controls(board, cell) == 1 - side:
            return self.no("controlled", lambda: [c for c in board.sees(cell) if board[c] != side])
        return True

    def may_replace(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        """An enemy stone on a cell that one controls."""
        if self.controls(board, cell) != side:
            return self.no("not-controlled", lambda: board.sees(cell))
        return True

    def may_pass(self, board: GridView, side: int) -> bool | Refusal:
        """Once all empty cells are controlled, and the button is taken."""
        if board.button == ON_TABLE:
            return self.no("button-first")
        if all(self.controls(board, cell) != EMPTY for cell in board.of(EMPTY)):
            return True
        return self.no("open-cells", lambda: set(board.of(EMPTY)) - set(self.owned(board)))

    def may_say(self, board: GridView, side: int, word: str) -> bool | Refusal:
        """Take the button, while it lies on the table; name the komi before all else."""
        if word == "button":
            return True if board.button == ON_TABLE else self.no("no-button")
        return board.komi == UNNAMED or self.no("komi-named")

    def remember(self, board: GridView, side: int, act: Act) -> Change:
        """Who has taken the button, and the komi that was named."""
        if self.pie and board.komi == UNNAMED:
            komi = self.named[act.word]
            return {"komi": komi, "button": ON_TABLE if komi % 2 else ABSENT}
        return {"button": side + 1} if act.word == "button" else {}

    def points(self, board: GridView) -> tuple[float, float]:
        """Stones, and the empty cells that a side controls."""
        empty = [self.controls(board, cell) for cell in board.of(EMPTY)]
        return board.count(WHITE) + empty.count(WHITE), board.count(BLACK) + empty.count(BLACK)

    def scores(self, position: Position) -> tuple[tuple[int, int], ...]:
        """(stones, points with the komi) of each side."""
        board = self.grid_view(position)
        komi = 0 if board.komi == UNNAMED else board.komi
        white, black = self.points(board)
        points = int(white) + max(0, -komi), int(black) + max(0, komi)
        return (board.count(WHITE), points[WHITE]), (board.count(BLACK), points[BLACK])

    def passed_out(self, board: GridView) -> Outcome:
        """The points with the komi decide; equal ones leave it to half a point for the button."""
        white, black = self.points(board)
        lead = white - black - board.komi
        if lead == 0:
            return self.win(WHITE if board.button == 1 else BLACK, "button")
        return Outcome(WHITE if lead > 0 else BLACK, "simple.points")

    def owned(self, board: GridView) -> Mapping[int, int]:
        """The empty cells that are controlled."""
        sides = {cell: self.controls(board, cell) for cell in board.of(EMPTY)}
        return {cell: side for cell, side in sides.items() if side != EMPTY}


class Tumpletore(Stigmergy):
    """Stigmergy in which more lines than the enemy's suffice."""

    slug = "tumpletore"
    accepts = (Option("size", 5, tuple(range(2, 9))), Option("share", "most", ("most",)),
               KOMI, Option("opening", "plain", ("plain", "komi")))  # fmt: skip
