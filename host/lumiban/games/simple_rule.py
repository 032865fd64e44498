"""The words of a rule in plain Python: what a designer says, and what each says by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import ClassVar

from lumiban.errors import GameError, RuleError
from lumiban.games import deciding_cells
from lumiban.games.accelerated import Accelerated
from lumiban.games.act import Act
from lumiban.games.base import BLACK, WHITE, MoveEffect, Outcome, Refusal, move_effect
from lumiban.games.grid_view import GridView
from lumiban.games.shapes import SHAPES, shaped
from lumiban.grid import Grid

Start = Mapping[str, int | Mapping[str, int]]
"""What `at_start` says: name -> number, or name -> {cell name: number}."""
Change = Mapping[str, int | Mapping[int, int]]
"""What `remember` says: name -> number, or name -> {cell: number}."""


class SimpleRule(Accelerated):
    """A rule of two sides by its words alone; `SimpleGame` makes a game of it."""

    geometry: ClassVar[str] = "hex"
    """`hex` or `square`."""
    shape: ClassVar[str] = ""
    """Outline: hexagon, rhombus, triangle, rectangle or star; by default a hexagon of hexagons, a
    rectangle of squares. Any other set of cells is a patch: `make_grid`."""
    sizes: ClassVar[tuple[int, ...]] = (4, 2, 3, 5, 6, 7, 8)
    """Cells along an edge that may be chosen; the first is the usual one."""
    longest: int = 0
    """Moves after which the game is drawn; 0 for four a cell."""
    keeps_last: ClassVar[bool] = False
    """True if `board.last` is kept. Solving is slower with it: more positions are different."""
    written: ClassVar[Mapping[str, str]] = {}
    """What is written before the cell of an act, where it is not the usual: {"block": "red "}."""
    pie: int | str = 0
    """Acts after which the other player chooses a side; 1 (or True) for the usual pie. Or the one
    of the words `spoken` by which White's player ends a set-up made of words."""
    sets_up: int = 0
    """Acts at the start that White's player makes alone; then White begins."""
    spoken: tuple[str, ...] = ()
    """Acts without a stone, each a word: see `may_say`. `pass` needs no mention."""
    passes_to_end: ClassVar[int] = 2
    """Passes in succession that end the game; 0: they never do."""
    repetition: ClassVar[str] = ""
    """`draw` if a position that comes again ends the game, `forbidden` if no act may bring one
    back."""
    symmetry: ClassVar[str] = "all"
    """Turns and reflections of the board that change nothing in the rule: `all`, `turns`,
    `half-turn`, `none`."""
    memory: ClassVar[Mapping[str, int]] = {}
    """Numbers that the game remembers beside the cells, and what they are at the start; `board`
    has them by their names, `remember` changes them."""
    cell_memory: ClassVar[Mapping[str, int]] = {}
    """The same for numbers of which each cell has one: `board.height[cell]`."""
    shows: ClassVar[str] = ""
    """The number on cells that players see."""
    signs: ClassVar[Mapping[int, str]] = {}
    """Signs of one or two letters that players see in place of these numbers; of 0, nothing."""

    # What a rule says

    def make_grid(self, size: int) -> Grid:
        """The board: `shape` with `size` cells along an edge."""
        try:
            return shaped(self.geometry, self.shape, size)
        except GameError as error:
            name = type(self).__name__
            word = "sizes" if self.shape in ("", *SHAPES) else "shape"
            raise RuleError(f"{name}.{word}: {error}", word=f"{name}.{word}") from None

    def opening(self) -> Mapping[str, int]:
        """Stones at the start: cell name -> WHITE, BLACK or NEUTRAL."""
        return {}

    def at_start(self, seed: int) -> Start:
        """What is remembered at the start where `memory` and `cell_memory` do not say it: name ->
        number, or name -> {cell name: number}. Chance comes from `seed`."""
        return {}

    def at_setup(self, board: GridView) -> Mapping[str, int]:
        """What is remembered where these stones are set up, if they tell, and by `mover` whose turn
        it is; raises `ImpossiblePosition` where no game comes to them."""
        return {}

    def may_place(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        """True if `side` may put a stone of its own on this empty cell; False, or a Refusal that
        says why, if not."""
        return True

    def may_lift(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        """True if `side` may take the stone from this cell, of either side."""
        return False

    def may_block(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        """True if `side` may put a neutral stone on this empty cell."""
        return False

    def may_lend(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        """True if `side` may put a stone of the other side on this empty cell."""
        return False

    def may_replace(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        """True if `side` may put a stone of its own in place of the other stone on this cell."""
        return False

    def may_grow(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        """True if `side` may act on its own stone on this cell, which stays."""
        return False

    def slides(self, board: GridView, side: int, start: int) -> Iterable[int]:
        """The empty cells to which `side` may move its stone from `start`."""
        return ()

    def may_pass(self, board: GridView, side: int) -> bool | Refusal:
        """True if `side` may pass."""
        return False

    def may_say(self, board: GridView, side: int, word: str) -> bool | Refusal:
        """True if `side` may act by this word, one of those `spoken`."""
        return False

    def then(self, board: GridView, side: int, act: Act) -> Mapping[int, int]:
        """Further changes of an act: cell -> its piece afterwards (EMPTY for a captured one).

        The board already shows the act itself; `board.mover` is still `side`, and what is
        remembered is as it was.
        """
        return {}

    def then_said(self, board: GridView, side: int, act: Act) -> Mapping[int, int]:
        """Stones that change when a word of `spoken` is said, where `then` is about other acts."""
        return {}

    def remember(self, board: GridView, side: int, act: Act) -> Change:
        """What an act changes in `memory` and `cell_memory`: name -> number, or name -> {cell:
        number}. The board shows the act and what `then` said."""
        return {}

    def next_side(self, board: GridView, side: int, act: Act) -> int:
        """Side that moves after this act of `side`; the board shows all that the act changes."""
        return WHITE if board.played <= self.sets_up else 1 - side

    def owes(self, board: GridView) -> int | tuple[int, int]:
        """Stones that the present turn still needs, for turns of several; 0 if one does. Of a turn
        with neutral stones the own and the neutral ones."""
        return 0

    def ended(self, board: GridView) -> Outcome | None:
        """Outcome on this board (`self.win(side)`, `self.draw()`, `self.by_points(board)`), or
        None to go on. Asked before each act, with the board as the last one left it."""
        return None

    def passed_out(self, board: GridView) -> Outcome:
        """Outcome when `passes_to_end` passes have ended the game: by points, if there are any."""
        return self.by_points(board)

    def repeated(self, board: GridView) -> Outcome:
        """Outcome when a position comes again, where `repetition` is `draw`."""
        return Outcome(None, "simple.repeated")

    def agreed(self, board: GridView) -> Outcome | None:
        """Outcome if both sides say `stop` here; None where they may not. A rule that leaves it
        out knows no `stop`."""
        return None

    def stuck(self, board: GridView) -> Outcome:
        """Outcome when the mover has no move: by default the mover loses."""
        return Outcome(1 - board.mover, "no-move")

    def points(self, board: GridView) -> tuple[float, float]:
        """Points of White and of Black."""
        return (0, 0)

    def owned(self, board: GridView) -> Mapping[int, int]:
        """For the hint level `control`: the side that controls each cell that has one."""
        return {}

    def means(self, before: GridView, after: GridView, act: Act) -> Iterable[MoveEffect]:
        """For the coach: what an act does beyond pieces that come and go, by `self.tell`."""
        return ()

    def decided(self, board: GridView, over: Outcome) -> Iterable[Iterable[int]]:
        """For the end in light: the cells that are lit at each step, the last of which decided. By
        default those that were counted, or the fewest stones by which the winner still wins."""
        return deciding_cells.decided(self, board, over)

    # What a rule may use

    def tell(self, what: str, *cells: int, **params: str | int) -> MoveEffect:
        """Something a move does, with a text of your own (`said.<what>`); `{cells}` in the text
        names the cells."""
        return move_effect(f"{self.slug}.{what}", cells, **params)

    def no(
        self, rule: str, *cells: int | Callable[[], Iterable[int]], **params: str | int
    ) -> Refusal:
        """A refusal with a text of your own (`refusal.<rule>`), the cells that prove it, and what
        the text names in braces. A function gives its cells only when they are read."""
        proof = [c for one in cells for c in (one() if callable(one) else (one,))]
        return Refusal(f"{self.slug}.{rule}", tuple(proof), tuple(sorted(params.items())))

    def win(self, side: int, reason: str = "") -> Outcome:
        """`side` has won; a reason of your own is a text `outcome.<reason>`."""
        if side not in (WHITE, BLACK):
            raise RuleError(f"who wins is WHITE or BLACK, not {side!r}")
        return Outcome(side, f"{self.slug}.{reason}" if reason else "simple.won")

    def draw(self, reason: str = "") -> Outcome:
        """Nobody has won."""
        return Outcome(None, f"{self.slug}.{reason}" if reason else "simple.drawn")

    def by_points(self, board: GridView) -> Outcome:
        """The side with more `points` has won; equal ones are a draw."""
        white, black = self.points(board)
        if white == black:
            return Outcome(None, "simple.drawn")
        return Outcome(WHITE if white > black else BLACK, "simple.points")
