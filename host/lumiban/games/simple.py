"""A game in plain Python: its designer says what the rule is, and all the rest follows.

    class Snort(SimpleGame):
        sizes = (4, 3, 5)

        def may_place(self, board: GridView, side: int, cell: int) -> bool | Refusal:
            return not board.touching(cell, 1 - side)

That is a whole game: moves, notation, reading the board, refusals, lights, set-up and the bots'
State come from here. By default sides take turns, a stone goes on any empty cell, nothing is
lifted, and who cannot move loses. A rule looks at a `GridView` and at what a side does on it; the
State is one list of ints, played by the rule's own methods. `./run new-game` writes a file that
shows the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from lumiban.errors import GameError
from lumiban.games import meanings
from lumiban.games.base import (
    BLACK,
    NEUTRAL,
    WHITE,
    Effect,
    Game,
    IllegalMove,
    Kind,
    Mark,
    Move,
    MoveEffect,
    Option,
    Outcome,
    Position,
    Refusal,
    by_pieces,
    move_effect,
)
from lumiban.games.kernel import randint_below
from lumiban.games.registry import telling
from lumiban.grid import Grid, hexagon, rectangle

__all__ = ["EMPTY", "Act", "Board", "GridView", "SimpleGame"]

RESIGN = "resign"
LONGEST = 4
"""Moves a cell after which a game is drawn, where it does not say itself."""


class SimpleGame(Game):
    """A game of two sides in plain Python; override what your rule changes.

    >>> class Gap(SimpleGame):
    ...     slug = "gap"
    ...     def may_place(self, board, side, cell):
    ...         return not board.touching(cell, side)
    >>> game = Gap(size=2)
    >>> position = game.play(game.start(), game.parse(game.start(), "b2"))
    >>> [str(move) for move in game.moves(position, BLACK)]
    ['c1', 'c2', 'b1', 'b3', 'a1', 'a2']
    """

    geometry: ClassVar[str] = "hex"
    """`hex` or `square`."""
    sizes: ClassVar[tuple[int, ...]] = (4, 2, 3, 5, 6, 7, 8)
    """Cells along an edge that may be chosen; the first is the usual one."""
    longest: ClassVar[int] = 0
    """Moves after which the game is drawn; 0 for four a cell."""
    keeps_last: ClassVar[bool] = False
    """True if `board.last` is kept. Solving is slower with it: more positions are different."""

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        if "accepts" not in cls.__dict__:
            cls.accepts = (Option("size", cls.sizes[0], tuple(sorted(cls.sizes))),)
        if cls.may_block is not SimpleGame.may_block:
            cls.kinds = (Kind.WHITE, Kind.BLACK, Kind.NEUTRAL)

    def __init__(self, **options: int | str) -> None:
        super().__init__(**options)
        self.grid = self.make_grid(int(self.options.get("size", self.sizes[0])))
        kind = type(self)
        self._lifts = kind.may_lift is not SimpleGame.may_lift
        self._blocks = kind.may_block is not SimpleGame.may_block
        self._slides = kind.slides is not SimpleGame.slides
        self.only_places = not (self._lifts or self._blocks or self._slides)
        """True if stones are only ever placed."""
        self._most = self.longest or LONGEST * len(self.grid)

    # What a rule says

    def make_grid(self, size: int) -> Grid:
        """The board: a hexagon or a square with `size` cells along an edge."""
        if self.geometry not in ("hex", "square"):
            name = type(self).__name__
            raise GameError(f"{name}.geometry is {self.geometry!r}: it is 'hex' or 'square'")
        return hexagon(size) if self.geometry == "hex" else rectangle(size, size)

    def opening(self) -> Mapping[str, int]:
        """Stones at the start: cell name -> WHITE, BLACK or NEUTRAL."""
        return {}

    def may_place(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        """True if `side` may put a stone of its own on this empty cell; False, or a Refusal that
        says why, if not."""
        return True

    def may_lift(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        """True if `side` may take the stone from this cell, whoever's it is."""
        return False

    def may_block(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        """True if `side` may put a neutral stone on this empty cell."""
        return False

    def slides(self, board: GridView, side: int, start: int) -> Iterable[int]:
        """The empty cells to which `side` may move its stone from `start`."""
        return ()

    def then(self, board: GridView, side: int, act: Act) -> Mapping[int, int]:
        """Further changes of an act: cell -> its piece afterwards (EMPTY for a captured one).

        The board already shows the act itself; `board.mover` is still `side`.
        """
        return {}

    def next_side(self, board: GridView, side: int, act: Act) -> int:
        """Side that moves after this act of `side`."""
        return 1 - side

    def ended(self, board: GridView) -> Outcome | None:
        """Outcome on this board (`self.win(side)`, `self.draw()`), or None to go on."""
        return None

    def stuck(self, board: GridView) -> Outcome:
        """Outcome when the mover has no move: by default the mover loses."""
        return Outcome(1 - board.mover, "no-move")

    def owned(self, board: GridView) -> Mapping[int, int]:
        """For the hint level `control`: whose each cell is, where it is somebody's."""
        return {}

    def means(self, before: GridView, after: GridView, act: Act) -> Iterable[MoveEffect]:
        """For the coach: what an act does beyond pieces that come and go, by `self.tell`."""
        return ()

    # What a rule may use

    def tell(self, what: str, *cells: int, **params: str | int) -> MoveEffect:
        """Something a move does, with a text of your own (`said.<what>`); `{cells}` in the text
        names the cells."""
        return move_effect(f"{self.slug}.{what}", cells, **params)

    def no(self, rule: str, *cells: int) -> Refusal:
        """A refusal with a text of your own (`refusal.<rule>`), and the cells that prove it."""
        return Refusal(f"{self.slug}.{rule}", cells)

    def win(self, side: int, reason: str = "") -> Outcome:
        """`side` has won; a reason of your own is a text `outcome.<reason>`."""
        return Outcome(side, f"{self.slug}.{reason}" if reason else "simple.won")

    def draw(self, reason: str = "") -> Outcome:
        """Nobody has won."""
        return Outcome(None, f"{self.slug}.{reason}" if reason else "simple.drawn")

    # What follows from it

    def codes(self, board: GridView) -> Iterator[int]:
        """All acts of the mover as numbers, ascending; the game must not be over."""
        cells, side = len(self.grid), board.mover
        stones = list(board)
        for cell in range(cells):
            if stones[cell] == EMPTY and self.may_place(board, side, cell) is True:
                yield cell
        if self._lifts:
            for cell in range(cells):
                if stones[cell] != EMPTY and self.may_lift(board, side, cell) is True:
                    yield cells + cell
        if self._blocks:
            for cell in range(cells):
                if stones[cell] == EMPTY and self.may_block(board, side, cell) is True:
                    yield 2 * cells + cell
        if self._slides:
            for cell in range(cells):
                if stones[cell] == side:
                    ends = set(self.slides(board, side, cell))
                    yield from ((3 + cell) * cells + to for to in sorted(ends))

    def apply(self, values: list[int], code: int) -> None:
        """Do a legal act on the list of a position."""
        cells, board = len(self.grid), GridView(self.grid, values)
        act, side = act_of(code, cells), board.mover
        values[act.cell] = {LIFT: EMPTY, BLOCK: NEUTRAL}.get(act.do, side)
        if act.do == SLIDE:
            values[act.start] = EMPTY
        for cell, holds in self.then(board, side, act).items():
            values[cell] = holds
        values[cells + PLAYED] += 1
        values[cells + LAST] = code if self.keeps_last else -1
        values[cells + MOVER] = self.next_side(board, side, act)

    def verdict(self, board: GridView) -> Outcome | None:
        """Outcome without a look at the moves: by the rule, or by the game's length."""
        over = self.ended(board)
        if over is None and board.played >= self._most:
            return Outcome(None, "simple.too-long")
        return over

    def ending(self, board: GridView) -> Outcome | None:
        """Outcome on this board, None while the game runs."""
        over = self.verdict(board)
        if over is None and next(self.codes(board), -1) < 0:
            return self.stuck(board)
        return over

    def grid_view(self, position: Position) -> GridView:
        """A position as the rule sees it."""
        return GridView(self.grid, position.state)

    def start(self, seed: int = 0) -> Position:
        """The first position; there is no chance in it."""
        bare = self.setup(self.opening())
        return replace(bare, state=(*bare.state[: len(self.grid)], WHITE, 0, -1), seed=seed)

    def setup(self, stones: Mapping[str, int], *, to_move: int = WHITE, **more: Any) -> Position:
        """A position with these stones (cell name -> WHITE, BLACK or NEUTRAL); GameError."""
        if more:
            raise GameError(f"only stones and to_move are set up, not {', '.join(sorted(more))}")
        if to_move not in (WHITE, BLACK):
            raise GameError(f"to_move is 0 (White) or 1 (Black), not {to_move!r}")
        holds = [EMPTY] * len(self.grid)
        for name, side in stones.items():
            if side not in (WHITE, BLACK, NEUTRAL):
                raise GameError(f"on {name} stands 0 (White), 1 (Black) or 2, not {side!r}")
            holds[self.grid.cell(name)] = side
        # A set-up counts as moves, as if each stone had been placed.
        return Position((*holds, to_move, min(len(stones), self._most - 1), -1))

    def state(self, position: Position) -> SimpleState:
        """A fresh State."""
        return SimpleState(self, list(position.state))

    def pieces(self, position: Position) -> tuple[Kind, ...]:
        """Kind of piece that belongs on each cell."""
        return tuple(Kind(holds + 1) for holds in position.state[: len(self.grid)])

    def outcome(self, position: Position) -> Outcome | None:
        """Outcome of the game, or None while it runs."""
        return position.over or self.ending(self.grid_view(position))

    def movers(self, position: Position) -> tuple[int, ...]:
        """The side to move."""
        return () if self.outcome(position) is not None else (self.grid_view(position).mover,)

    def moves(self, position: Position, side: int) -> list[Move]:
        """All acts: placements, lifts, neutral stones, slides, each by cell."""
        board = self.grid_view(position)
        if position.over is not None or side != board.mover or self.verdict(board) is not None:
            return []
        return [self.move_of(position, code) for code in self.codes(board)]

    def words(self, position: Position, side: int) -> tuple[str, ...]:
        """`resign`, at any time."""
        return () if self.outcome(position) is not None else (RESIGN,)

    def move_of(self, position: Position, code: int) -> Move:
        """The Move of an act's number."""
        return self.noted(self.grid_view(position).mover, act_of(code, len(self.grid)))

    def noted(self, side: int, act: Act) -> Move:
        """An act as a Move."""
        return Move(side, text_of(act, self.grid), act.code(len(self.grid)))

    def parse(self, position: Position, text: str, side: int | None = None) -> Move:
        """The move that `text` notes, legal or not; IllegalMove when it notes none."""
        noted = " ".join(text.lower().split())
        side = self.grid_view(position).mover if side is None else side
        if noted == RESIGN:
            return Move(side, noted)
        act = act_in(noted, self.grid)
        if act is not None:
            return self.noted(side, act)
        raise IllegalMove(
            f"{text!r} is not a move: write a cell (c4), a lift (xc4), a slide (c4-c6), block and a"
            " cell for a neutral stone, or resign",
            Refusal("simple.unreadable", params=(("text", text),)),
        )

    def why_not(self, position: Position, side: int, move: Move) -> Refusal | None:
        """The rule that forbids `side` this move, or None when it may be made."""
        if self.outcome(position) is not None:
            return Refusal("simple.over")
        if move.text == RESIGN and side in (WHITE, BLACK):
            return None
        cells, board = len(self.grid), self.grid_view(position)
        if not 0 <= move.code < (3 + cells) * cells:
            return Refusal("simple.unreadable", params=(("text", move.text),))
        if side != board.mover or move.side != side:
            return Refusal("simple.not-your-turn")
        return self._forbids(board, side, act_of(move.code, cells))

    def _forbids(self, board: GridView, side: int, act: Act) -> Refusal | None:
        if act.do == SLIDE:
            if board[act.start] != side:
                return Refusal("simple.not-yours", (act.start,))
            if board[act.cell] != EMPTY:
                return Refusal("simple.occupied", (act.cell,))
            reached = act.cell in self.slides(board, side, act.start)
            return None if reached else Refusal("simple.no-slide", (act.cell,))
        if act.do == LIFT and board[act.cell] == EMPTY:
            return Refusal("simple.empty-cell", (act.cell,))
        if act.do != LIFT and board[act.cell] != EMPTY:
            return Refusal("simple.occupied", (act.cell,))
        ask = {PLACE: self.may_place, LIFT: self.may_lift, BLOCK: self.may_block}[act.do]
        answer = ask(board, side, act.cell)
        if isinstance(answer, Refusal):
            return answer
        return None if answer else Refusal(f"simple.no-{act.do}", (act.cell,))

    def play(self, position: Position, move: Move) -> Position:
        """The position after a move or word; IllegalMove carries the refusal."""
        refusal = self.why_not(position, move.side, move)
        if refusal is not None:
            raise IllegalMove(f"{move}: the rules forbid this ({refusal.rule})", refusal)
        history = (*position.history, move)
        if move.text == RESIGN:
            return replace(position, history=history, over=Outcome(1 - move.side, "resigned"))
        values = list(position.state)
        self.apply(values, move.code)
        return replace(position, state=tuple(values), history=history)

    def explain(self, position: Position, move: Move) -> tuple[MoveEffect, ...]:
        """Meanings that the rule gives a move (`means`), then the pieces that come and go."""
        after = self.grid_view(self.play(position, move))
        act = act_of(move.code, len(self.grid))
        return (*self.means(self.grid_view(position), after, act), *by_pieces(self, position, move))

    # What follows: the board's picture and its lights

    def effects(self, position: Position, move: Move) -> tuple[Effect, ...]:
        """The cells that a legal move changes."""
        if move.is_word:
            return ()
        before, values = position.state, list(position.state)
        self.apply(values, move.code)
        return tuple(
            (cell, Kind(before[cell] + 1), Kind(values[cell] + 1))
            for cell in range(len(self.grid))
            if before[cell] != values[cell]
        )

    def looks_like(self, position: Position, changes: Mapping[int, int]) -> Move | None:
        """A stone more is a placement, one less a lift, one gone and one come a slide."""
        meant = act_like(self.grid_view(position), changes)
        return None if meant is None else self.noted(*meant)

    def marks(self, position: Position, level: str) -> tuple[Mark, ...]:
        """Cells on which the mover may place and from which it may lift or slide; from `control` on
        what is `owned`."""
        if level == "none":
            return ()
        marks: dict[Mark, None] = {}
        if level != "legal":
            marks = {
                Mark(c, meanings.OWNED, s): None
                for c, s in self.owned(self.grid_view(position)).items()
            }
        for side in self.movers(position):
            for move in self.moves(position, side):
                act = act_of(move.code, len(self.grid))
                if act.do in (PLACE, BLOCK):
                    marks[
                        Mark(act.cell, meanings.MAY_PLACE, side if act.do == PLACE else NEUTRAL)
                    ] = None
                else:
                    taken = act.cell if act.do == LIFT else act.start
                    marks[Mark(taken, meanings.REMOVABLE, side)] = None
        return tuple(marks)

    @property
    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """Those of the grid that leave what stands at the start in place."""
        stones = self.start().state[: len(self.grid)]
        return tuple(
            cells
            for cells in super().symmetries
            if all(stones[cell] == stones[to] for cell, to in enumerate(cells))
        )

    @property
    def capacity(self) -> tuple[int, int]:
        """All acts there are, as far as the rule knows them; the longest game."""
        cells = len(self.grid)
        rows = 1 + self._lifts + self._blocks + (cells if self._slides else 0)
        return rows * cells, self._most


EMPTY = -1
"""Value of `board[cell]` for an empty cell; else WHITE, BLACK or NEUTRAL."""

PLACE, LIFT, BLOCK, SLIDE = "place", "lift", "block", "slide"

MOVER, PLAYED, LAST = 0, 1, 2
"""Places behind the cells: the side to move, moves made, the code of the last one (or −1)."""


@dataclass(frozen=True, slots=True)
class Act:
    """Act of a side: `do` is place, lift, block (a neutral stone) or slide.

    A slide goes from `start` to `cell`; the others happen on `cell`.
    """

    do: str
    cell: int
    start: int = -1

    def code(self, cells: int) -> int:
        """Its number among all acts on a board with so many cells.

        >>> [act_of(Act("slide", 4, 2).code(7), 7), act_of(9, 7)]
        [Act(do='slide', cell=4, start=2), Act(do='lift', cell=2, start=-1)]
        """
        if self.do == SLIDE:
            return (3 + self.start) * cells + self.cell
        return (PLACE, LIFT, BLOCK).index(self.do) * cells + self.cell


def act_of(code: int, cells: int) -> Act:
    """The act with this number."""
    row, cell = divmod(code, cells)
    return Act((PLACE, LIFT, BLOCK)[row], cell) if row < 3 else Act(SLIDE, cell, row - 3)


_NOTED = {BLOCK: "block ", LIFT: "x", PLACE: ""}


def text_of(act: Act, grid: Grid) -> str:
    """The notation of an act: `c4`, `xc4` (lift), `block c4`, `c4-c6` (slide)."""
    name = grid.names[act.cell]
    return f"{grid.names[act.start]}-{name}" if act.do == SLIDE else _NOTED[act.do] + name


def act_in(text: str, grid: Grid) -> Act | None:
    """The act that a text notes, None when it notes none."""
    start, dash, end = text.partition("-")
    if dash and start in grid.names and end in grid.names:
        return Act(SLIDE, grid.cell(end), grid.cell(start))
    for do, before in _NOTED.items():
        if text.startswith(before) and text[len(before) :] in grid.names:
            return Act(do, grid.cell(text[len(before) :]))
    return None


def act_like(board: GridView, changes: Mapping[int, int]) -> tuple[int, Act] | None:
    """(side, act) that changes of cells (cell -> kind sensed) look like, legal or not; or None."""
    gone = [cell for cell, kind in changes.items() if kind == Kind.EMPTY]
    come = [cell for cell in changes if cell not in gone]
    if len(gone) == 1 and not come:
        return board.mover, Act(LIFT, gone[0])
    if len(come) != 1 or len(gone) > 1 or board[come[0]] != EMPTY:
        return None
    holds = changes[come[0]] - 1
    if gone:
        slid = holds == board[gone[0]] and holds != NEUTRAL
        return (holds, Act(SLIDE, come[0], gone[0])) if slid else None
    if holds == NEUTRAL:
        return board.mover, Act(BLOCK, come[0])
    return (holds, Act(PLACE, come[0])) if holds in (WHITE, BLACK) else None


class GridView:
    """The board as a rule sees it: `board[cell]` is EMPTY, WHITE, BLACK or NEUTRAL.

    Cells are numbers; `grid.names` has their names.
    """

    __slots__ = ("_values", "grid")

    def __init__(self, grid: Grid, values: Sequence[int]) -> None:
        self.grid = grid
        self._values = values

    def __getitem__(self, cell: int) -> int:
        return self._values[cell]

    def __len__(self) -> int:
        return len(self.grid)

    def __iter__(self) -> Iterator[int]:
        return iter(self._values[: len(self.grid)])

    @property
    def mover(self) -> int:
        """The side to move."""
        return self._values[len(self.grid) + MOVER]

    @property
    def played(self) -> int:
        """Number of moves made."""
        return self._values[len(self.grid) + PLAYED]

    @property
    def last(self) -> Act | None:
        """Last act, where the game `keeps_last`; else None."""
        code = self._values[len(self.grid) + LAST]
        return None if code < 0 else act_of(code, len(self.grid))

    def neighbours(self, cell: int) -> tuple[int, ...]:
        """The cells next to this one."""
        return self.grid.neighbours[cell]

    near = neighbours
    """Its name in rules written before it had this one."""

    def touching(self, cell: int, what: int) -> list[int]:
        """The cells next to this one that hold `what`: a side, NEUTRAL or EMPTY."""
        values = self._values
        return [near for near in self.grid.neighbours[cell] if values[near] == what]

    def of(self, what: int) -> list[int]:
        """All cells that hold `what`."""
        return [cell for cell in range(len(self.grid)) if self._values[cell] == what]

    def group(self, cell: int) -> list[int]:
        """The cells connected with this one that hold the same, itself first."""
        group, seen = [cell], {cell}
        for at in group:
            for near in self.touching(at, self._values[cell]):
                if near not in seen:
                    seen.add(near)
                    group.append(near)
        return group

    def sees(self, cell: int) -> list[int]:
        """The nearest stone along each line from this cell, as cells."""
        values = self._values
        nearest = (
            next((at for at in ray if values[at] != EMPTY), -1) for ray in self.grid.rays[cell]
        )
        return [at for at in nearest if at >= 0]

    def free_line(self, cell: int) -> list[int]:
        """The empty cells along each line from this cell, up to the first stone."""
        values, free = self._values, []
        for ray in self.grid.rays[cell]:
            for at in ray:
                if values[at] != EMPTY:
                    break
                free.append(at)
        return free

    def __str__(self) -> str:
        """The stones in words: `White c3, d4; Black a1; White to move`."""
        rows = []
        for what, name in ((WHITE, "White"), (BLACK, "Black"), (NEUTRAL, "neutral")):
            cells = self.of(what)
            if cells:
                rows.append(f"{name} {', '.join(self.grid.names[cell] for cell in cells)}")
        rows.append(f"{('White', 'Black')[self.mover]} to move")
        return "; ".join(rows)


Board = GridView
"""Its name in rules written before it had this one."""


class SimpleState:
    """One position: by cell what stands there, then the mover, the moves made, the last of them.

    It has the methods that every State has. The search runs it as it is and compiles nothing.
    """

    __slots__ = ("board", "game", "values")

    def __init__(self, game: SimpleGame, values: list[int]) -> None:
        self.game = game
        self.values = values
        self.board = GridView(game.grid, values)

    def __iter__(self) -> Iterator[list[int]]:
        return iter((self.values,))

    def assign(self, other: SimpleState) -> None:
        """Become a copy of `other`."""
        self.values[:] = other.values

    def mover(self) -> int:
        """The side to move."""
        return self.values[len(self.game.grid) + MOVER]

    def moves(self, out: Any) -> int:
        """Write all moves into `out` and return how many there are; none once it is over."""
        with telling(self.game, self.board):
            if self.game.verdict(self.board) is not None:
                return 0
            n = 0
            for code in self.game.codes(self.board):
                out[n] = code
                n += 1
            return n

    def play(self, move: int) -> None:
        """Make a legal move."""
        with telling(self.game, self.board):
            self.game.apply(self.values, move)

    def outcome(self) -> int:
        """−1 while the game runs, 0 for a draw, 1 when White has won, 2 when Black has."""
        with telling(self.game, self.board):
            over = self.game.ending(self.board)
        if over is None:
            return -1
        return 0 if over.winner is None else over.winner + 1

    def playout(self, rng: Any, trace: Any) -> int:
        """Play on at random, evenly among the moves, to the end; returns the outcome's code."""
        game, board = self.game, self.board
        with telling(game, board):
            while (over := game.verdict(board)) is None:
                code = self._any_code(rng)
                if code < 0:
                    over = game.stuck(board)
                    break
                trace[0] += 1
                trace[trace[0]] = code
                game.apply(self.values, code)
        return 0 if over.winner is None else over.winner + 1

    def _any_code(self, rng: Any) -> int:
        """One of the mover's acts, each as likely as another, −1 when there is none."""
        game, board = self.game, self.board
        if not game.only_places:
            codes = list(game.codes(board))
            return codes[randint_below(rng, len(codes))] if codes else -1
        side, empty = board.mover, board.of(EMPTY)
        while empty:
            at = randint_below(rng, len(empty))
            cell, empty[at] = empty[at], empty[-1]
            empty.pop()
            if game.may_place(board, side, cell) is True:
                return cell
        return -1

    def key(self) -> int:
        """A 61-bit hash of the whole list."""
        return hash(tuple(self.values)) & 0x7FFFFFFFFFFFFFFF
