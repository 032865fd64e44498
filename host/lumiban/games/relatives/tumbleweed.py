"""Tumbleweed: stacks as high as the own stacks they see, by Mike Zapawa (2020)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from lumiban.errors import GameError
from lumiban.games.base import BLACK, NEUTRAL, WHITE, Kind, Option, Outcome, Position, Refusal
from lumiban.games.simple import EMPTY, Act, Change, GridView, SimpleGame, Start


class Tumbleweed(SimpleGame):
    """Choose a cell that sees more of your stacks than the stack there is high: a stack of yours as
    high as that stands there then. Stacks, and empty cells that see more of yours, count.

    >>> game = Tumbleweed(size=3, opening="fixed")
    >>> position = game.play(game.start(), game.parse(game.start(), "d1"))
    >>> [number for number in game.numbers(position) if number]
    ['1', '1', '2', '1']
    """

    slug = "tumbleweed"
    accepts = (
        Option("size", 5, tuple(range(3, 9))),
        Option("opening", "pie", ("pie", "fixed")),
        Option("neutral", "centre", ("centre", "free")),
        Option("delay", "off", ("off", "on")),
        Option("quiet", 0, (0, 20)),
    )
    kinds = (Kind.WHITE, Kind.BLACK, Kind.NEUTRAL)
    cell_memory: ClassVar[Mapping[str, int]] = {"height": 0}
    shows = "height"
    memory: ClassVar[Mapping[str, int]] = {
        "to_set": 0, "opens": 1, "recent": -1, "calm": 0, "white": 0, "black": 0,
    }  # fmt: skip

    def __init__(self, **options: int | str) -> None:
        super().__init__(**options)
        self._quiet = int(self.options["quiet"])
        fixed, free = self.options["opening"] == "fixed", self.options["neutral"] == "free"
        if fixed and free:
            raise GameError("with opening=fixed the neutral stack stands in the centre")
        self.pie = self.sets_up = 0 if fixed else 2 + free
        names, middle = self.grid.names, [c for c, (_, r) in enumerate(self.grid.cells) if r == 0]
        self._stands = {} if free else {names[len(names) // 2]: NEUTRAL}
        if fixed:
            self._stands |= {names[middle[0]]: WHITE, names[middle[-1]]: BLACK}
        # A move raises its cell's height, to the number of its lines at most, and one pass may
        # follow each: the rule itself ends every game before that.
        self.longest = 2 * (sum(map(len, self.grid.neighbours)) + 4)

    def opening(self) -> Mapping[str, int]:
        """The neutral stack; with `fixed` one of each side at the ends of the middle row."""
        return self._stands

    def at_start(self, seed: int) -> Start:
        """Heights, and what is left to set."""
        first = GridView(self.grid, [self._stands.get(name, EMPTY) for name in self.grid.names])
        heights = self._heights(self._stands)
        return {"height": heights, "to_set": self.sets_up, **self.at_setup(first)}

    def _heights(self, stones: Mapping[str, int]) -> dict[str, int]:
        return {name: 2 if side == NEUTRAL else 1 for name, side in stones.items()}

    def setup(self, stones: Mapping[str, int], *, to_move: int = WHITE, **more: Any) -> Position:
        """As every set-up; heights left out are 1, of the neutral stack 2."""
        height = {**self._heights(stones), **more.pop("height", {})}
        return super().setup(stones, to_move=to_move, **{"to_set": 0, **more, "height": height})

    def at_setup(self, board: GridView) -> Mapping[str, int]:
        """The points that the first move may change."""
        return dict(zip(("white", "black"), self.points(board), strict=True)) if self._quiet else {}

    def _may(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        """The cell sees more own stacks than the stack on it is high."""
        if board.to_set:
            return board[cell] == EMPTY or self.no("set-first")
        if cell == board.recent:
            return self.no("just-played", cell)
        own = board.seen(cell)[side]
        if own > board.height[cell]:
            return True
        return self.no("sees-too-few", lambda: [c for c in board.sees(cell) if board[c] == side])

    may_place = may_replace = may_grow = _may

    def may_pass(self, board: GridView, side: int) -> bool | Refusal:
        """At any time but in White's first turn."""
        return self.no("no-pass-yet") if board.to_set or board.opens else True

    def then(self, board: GridView, side: int, act: Act) -> Mapping[int, int]:
        """Of the stacks that are set first, the second is Black's, the third neutral."""
        return {act.cell: self.sets_up - board.to_set} if board.to_set else {}

    def remember(self, board: GridView, side: int, act: Act) -> Change:
        """The height of the stack, and what the options ask about."""
        now: dict[str, int | Mapping[int, int]] = {}
        if board.to_set:
            height = 2 if board[act.cell] == NEUTRAL else 1
            now |= {"height": {act.cell: height}, "to_set": board.to_set - 1}
        else:
            now["opens"] = 0
        if act.cell >= 0 and not board.to_set:
            now["height"] = {act.cell: board.seen(act.cell)[side]}
        if self.options["delay"] == "on" and not board.to_set:
            now["recent"] = act.cell
        if self._quiet:
            white, black = self.points(board)
            is_calm = (white, black) == (board.white, board.black) and not board.to_set
            calm = board.calm + 1 if is_calm else 0
            now |= {"calm": calm, "white": white, "black": black}
        return now

    def points(self, board: GridView) -> tuple[int, int]:
        """Stacks, and empty cells that see more of a side's."""
        seen = [board.seen(cell) for cell in board.of(EMPTY)]
        white = sum(white > black for white, black, _ in seen)
        black = sum(black > white for white, black, _ in seen)
        return board.count(WHITE) + white, board.count(BLACK) + black

    def ended(self, board: GridView) -> Outcome | None:
        """With `quiet`, the end after that number of moves without a change of points."""
        return self.by_points(board) if self._quiet and board.calm >= self._quiet else None

    def owned(self, board: GridView) -> Mapping[int, int]:
        """The empty cells that see more of a side's stacks."""
        seen = {cell: board.seen(cell) for cell in board.of(EMPTY)}
        return {cell: int(b > w) for cell, (w, b, _) in seen.items() if w != b}
