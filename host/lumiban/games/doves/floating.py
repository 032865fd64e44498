"""Tokyo Doves on a board with fixed cells: where the frame lies, the hands' tray, the picture.

A Position's `extra` begins with the board's column and row of the frame's first cell; the rest is
the inner game's. With a tray the board's first and last row hold the doves in hand, one cell a
kind, so that a hand says by itself which dove it takes.

Sensors tell colours only. In a picture a move is a dove of one colour gone here and come there; a
put is one more dove, named by its cell of the tray or else to be asked for; a removal is a lift
that a button confirms, or that ends on the dove's own cell of the tray. While anything is in the
air nothing is judged: the cells lit are those of the dove lifted.

Doves that have drifted are brought back to the middle, on a way and in an order told here. The
rules are suspended meanwhile: it is no turn, and positions faced mean the same wherever they lie.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from lumiban.errors import GameError
from lumiban.games import mark_kinds
from lumiban.games.base import (
    NOT_A_MOVE,
    UNREADABLE,
    Ambiguous,
    Complete,
    Effect,
    Game,
    Idle,
    Kind,
    Mark,
    Move,
    Option,
    Outcome,
    Partial,
    Position,
    Reading,
    Refusal,
    Wrong,
    differences,
)
from lumiban.games.doves.game import Doves
from lumiban.games.doves.kernel import KINDS, SIDE
from lumiban.games.doves.notation import LETTERS, MOVE, PUT, REMOVE, action, cell_of
from lumiban.games.floating_game import FloatingGame, Shift
from lumiban.games.types import ImpossiblePosition
from lumiban.grid import Grid

MIN_SIDE = SIDE
"""All that a legal action reaches lies in the doves' box grown by one: 6×6 cells are enough."""
IN_TRAY = len(KINDS) - 1
"""Cells of one hand's tray: a boss is never in hand."""

TARGET, RESTORE = mark_kinds.LIFT_TARGET, mark_kinds.MEND
MAX_IN_AIR = 3
"""More doves off their cells at once were swept off, not brushed."""
Changes = Mapping[int, int]


class DovesOnBoard(FloatingGame):
    """Tokyo Doves laid on a rectangle of cells.

    >>> from lumiban import games
    >>> from lumiban.grid import rectangle
    >>> game = games.load("doves", tray="off").laid_on(rectangle(9, 9))
    >>> start = game.start()
    >>> [game.grid.name(cell) for cell, name in enumerate(game.labels(start)) if name]
    ['e6', 'e5']
    >>> game.display_text(start, game.parse(start, "+Td4"))
    '+Td4'
    """

    slug: ClassVar[str] = "doves"
    sides: ClassVar[tuple[str, ...]] = ("red", "green")
    accepts: ClassVar[tuple[Option, ...]] = ()
    lifts_by_button: ClassVar[bool] = True

    inner: Doves

    def __init__(self, inner: Doves, grid: Grid) -> None:
        self.inner = inner
        self.options = inner.options
        self.grid = grid
        columns, rows = grid.size
        wish = inner.options["tray"]
        roomy = columns >= MIN_SIDE and rows >= MIN_SIDE + 2
        if wish == "on" and not roomy:
            raise GameError(
                f"a tray for the doves in hand takes two rows more than the {MIN_SIDE}×{MIN_SIDE}"
                f" cells of play, and this board has {columns}×{rows}: choose tray=off"
            )
        if columns < MIN_SIDE or rows < MIN_SIDE:
            raise GameError(
                f"Tokyo Doves needs {MIN_SIDE}×{MIN_SIDE} cells, as all legal actions lie within"
                f" one cell around 4×4, and this board has {columns}×{rows}"
            )
        self.tray = wish != "off" and roomy
        self.first_row = 1 if self.tray else 0
        self.rows = rows - 2 * self.first_row
        self.columns = columns
        self.slots = self._slots()
        self._last: tuple[Position, Position] | None = None

    def _slots(self) -> dict[int, int]:
        """The tray's cell of each dove (2·kind + side): Green's on the first row, Red's on the
        last."""
        if not self.tray:
            return {}
        left = (self.columns - IN_TRAY) // 2
        last = self.grid.size[1] - 1
        return {
            2 * kind + side: self.grid.at(left + kind - 1, 0 if side else last)
            for kind in range(1, len(KINDS))
            for side in (0, 1)
        }

    @property
    def trays(self) -> tuple[tuple[int, ...], ...]:
        """Red's cells and Green's, one a dove."""
        sides = [[cell for dove, cell in self.slots.items() if dove % 2 == s] for s in (0, 1)]
        return tuple(map(tuple, sides)) if self.tray else ()

    def __reduce__(self) -> tuple[Any, ...]:
        return DovesOnBoard, (self.inner, self.grid)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DovesOnBoard):
            return NotImplemented
        return self.inner == other.inner and self.grid == other.grid

    def __hash__(self) -> int:
        return hash((self.inner, self.grid.size))

    def __repr__(self) -> str:
        return f"{self.inner!r}.laid_on({self.grid.shape}{self.grid.size})"

    # Where it lies.

    def unlaid(self, position: Position) -> Position:
        """The position of the inner game; the last one is kept, as the inner game keeps what it
        found out of it."""
        if self._last is None or self._last[0] is not position:
            self._last = (position, replace(position, extra=position.extra[2:]))
        return self._last[1]

    def lay(self, inner: Position, left: int, top: int) -> Position:
        """A position of the inner game, its frame's first cell at this column and row."""
        return replace(inner, extra=(left, top, *inner.extra))

    def _in_the_middle(self, inner: Position) -> Position:
        low, high = self._box(inner)
        left = middle(0, self.columns, high[0] - low[0] + 1)[0] - low[0]
        top = middle(self.first_row, self.rows, high[1] - low[1] + 1)[0] - low[1]
        return self.lay(inner, left, top)

    def _box(self, inner: Position) -> tuple[Shift, Shift]:
        """The first and last column and row of the doves in the frame."""
        places = [place for place in self.inner.places(inner) if place >= 0]
        columns, rows = [p & 7 for p in places], [p >> 3 for p in places]
        return (min(columns), min(rows)), (max(columns), max(rows))

    def on_board(self, position: Position, cell: int) -> int:
        """The board's cell of a cell of the frame, −1 where the field ends."""
        row, column = divmod(cell, SIDE)
        return self._field(position.extra[0] + column, position.extra[1] + row)

    def in_frame(self, position: Position, cell: int) -> int:
        """The frame's cell of a cell of the board, −1 outside the frame."""
        column, row = self.grid.cells[cell]
        c, r = column - position.extra[0], row - position.extra[1]
        on_field = self._field(column, row) >= 0
        return SIDE * r + c if on_field and 0 <= c < SIDE and 0 <= r < SIDE else -1

    def _field(self, column: int, row: int) -> int:
        inside = 0 <= row - self.first_row < self.rows
        return self.grid.find(column, row) if inside else -1

    def on_field(self, cell: int) -> bool:
        """True if this cell is in no row of the tray."""
        return self._field(*self.grid.cells[cell]) >= 0

    def at(self, position: Position) -> dict[int, int]:
        """Cell of the board -> the dove there (2·kind + side), those in the tray too."""
        places = {}
        for dove, place in enumerate(self.inner.places(position)):
            cell = self.slots.get(dove, -1)
            if place >= 0:
                cell = self.on_board(position, cell_of(place))
            if cell >= 0:
                places[cell] = dove
        return places

    def drift(self, position: Position) -> Shift:
        """The way to the middle of the field."""
        low, high = self._box(position)
        left, top = position.extra[:2]
        return (
            way_back(left + low[0], high[0] - low[0] + 1, 0, self.columns),
            way_back(top + low[1], high[1] - low[1] + 1, self.first_row, self.rows),
        )

    def corner(self, position: Position) -> Shift:
        """The left and the top of its frame."""
        left, top, *_ = position.extra
        return left, top

    def relaid(self, position: Position, way: Shift) -> Position:
        """The same position that many columns and rows further on."""
        left, top, *rest = position.extra
        return replace(position, extra=(left + way[0], top + way[1], *rest))

    def slides(self, position: Position) -> tuple[tuple[int, int], ...]:
        """Dove by dove to the middle, farthest along the way first."""
        doves = [
            self.grid.cells[cell]
            for cell, dove in self.at(position).items()
            if cell != self.slots.get(dove)
        ]
        return tuple(
            (self.grid.at(*start), self.grid.at(*end))
            for start, end in slides(doves, self.drift(position))
        )

    def reaches(self, position: Position, move: Move) -> bool:
        """True if the cell that an action leads to lies on the field."""
        if move.is_word:
            return True
        act, _, cell = action(move.code)
        return act not in (PUT, MOVE) or self.on_board(position, cell) >= 0

    def is_crowded(self, position: Position) -> bool:
        """True if some legal action leads off the field."""
        return any(
            not self.reaches(position, move)
            for side in self.movers(position)
            for move in self.listed_moves(position, side)
        )

    def settled(self, position: Position) -> Position:
        """The position where it lies, or in the middle if some dove would be off the field."""
        missing = any(
            place >= 0 and self.on_board(position, cell_of(place)) < 0
            for place in self.inner.places(position)
        )
        return self.relaid(position, self.drift(position)) if missing else position

    def is_unseen(self, position: Position, move: Move) -> bool:
        """A put without a tray, with more than one dove in hand."""
        put = not move.is_word and action(move.code)[0] == PUT
        return put and not self.tray and len(self.in_hand(position)[move.side]) > 1

    def alike(self, position: Position, cells: Sequence[int]) -> frozenset[int]:
        """The cells of doves of one colour, where there are two or more."""
        doves = self.at(position)
        interchangeable: frozenset[int] = frozenset()
        for side in (0, 1):
            own = [cell for cell in cells if cell in doves and doves[cell] % 2 == side]
            if len(own) > 1:
                interchangeable |= frozenset(own)
        return interchangeable

    # The rules, asked of the inner game.

    def laid_on(self, grid: Grid) -> Game:
        """The inner game on another board."""
        return self.inner.laid_on(grid)

    def start(self, seed: int = 0) -> Position:
        """The two bosses in the middle."""
        return self._in_the_middle(self.inner.start(seed))

    def setup(self, stones: Mapping[str, Any], *, to_move: int = 0, **more: Any) -> Position:
        """A position by the board's cells (name -> letter), lying where they say; GameError."""
        inner = self.inner.setup(stones, to_move=to_move, **more)
        if not stones:
            return self._in_the_middle(inner)
        cells = [self.grid.cells[self.grid.cell(name)] for name in stones]
        low, _ = self._box(inner)
        left, top = min(c for c, _ in cells) - low[0], min(r for _, r in cells) - low[1]
        position = self.lay(inner, left, top)
        outside = [
            name for name, (c, r) in zip(stones, cells, strict=True) if self._field(c, r) < 0
        ]
        if outside:
            raise ImpossiblePosition("setup.doves.tray", cell=outside[0])
        return position

    def movers(self, position: Position) -> tuple[int, ...]:
        """The side to move."""
        return self.inner.movers(self.unlaid(position))

    def moves(self, position: Position, side: int) -> list[Move]:
        """All actions, also those that lead off the board."""
        return self.inner.moves(self.unlaid(position), side)

    def move_of(self, position: Position, code: int) -> Move:
        """The Move of a kernel's number."""
        return self.inner.move_of(self.unlaid(position), code)

    def words(self, position: Position, side: int) -> tuple[str, ...]:
        """Words that `side` may say now."""
        return self.inner.words(self.unlaid(position), side)

    def parse(self, position: Position, text: str, side: int | None = None) -> Move:
        """The action that `text` notes, stored or with this board's cells; IllegalMove."""

        def frame_cell(name: str) -> int:
            if name not in self.grid.names:
                return -1
            return self.in_frame(position, self.grid.cell(name))

        return self.inner.parse(self.unlaid(position), text, side, frame_cell)

    def why_not(self, position: Position, side: int, move: Move) -> Refusal | None:
        """The rule that forbids it, with the board's cells that prove it."""
        refusal = self.inner.why_not(self.unlaid(position), side, move)
        return None if refusal is None else self.refusal_on_board(position, refusal)

    def refusal_on_board(self, position: Position, refusal: Refusal) -> Refusal:
        """A refusal of the inner game with the board's cells."""
        cells = tuple(self.on_board(position, cell) for cell in refusal.cells)
        return replace(refusal, cells=tuple(cell for cell in cells if cell >= 0))

    def play(self, position: Position, move: Move) -> Position:
        """The position after an action or word; the frame goes along."""
        inner = self.unlaid(position)
        after = self.inner.play(inner, move)
        columns, rows = self.inner.shift(inner, move, after)
        return self.lay(after, position.extra[0] - columns, position.extra[1] - rows)

    def outcome(self, position: Position) -> Outcome | None:
        """Outcome of the game, or None."""
        return self.inner.outcome(self.unlaid(position))

    def final_steps(self, position: Position) -> tuple[tuple[Mark, ...], ...]:
        """What surrounds a boss, on the board's cells."""
        steps = self.inner.final_steps(self.unlaid(position))
        return tuple(self._laid_marks(position, step) for step in steps)

    def scores(self, position: Position) -> tuple[tuple[int, int], ...]:
        """(doves on the board, free sides of the boss) of each side."""
        return self.inner.scores(self.unlaid(position))

    def state(self, position: Position) -> Any:
        """The kernel's State."""
        return self.inner.state(self.unlaid(position))

    @property
    def capacity(self) -> tuple[int, int]:
        """As the inner game's."""
        return self.inner.capacity

    @property
    def may_repeat(self) -> bool:
        """As the inner game."""
        return self.inner.may_repeat

    # What people see.

    def labels(self, position: Position) -> tuple[str, ...]:
        """The letter of the dove on each cell, in the tray too."""
        doves = self.at(position)
        return tuple(LETTERS[doves[c]] if c in doves else "" for c in range(len(self.grid)))

    def in_hand(self, position: Position) -> tuple[tuple[str, ...], ...]:
        """The letters of the doves in each hand."""
        return tuple(self.inner.hand(position, side) for side in (0, 1))

    def display_text(
        self, position: Position, move: Move, name: Callable[[int], str] | None = None
    ) -> str:
        """`+Ab3`, `Tc2-c5`, `-H` with this board's cells."""

        def named(cell: int) -> str:
            board_cell = self.on_board(position, cell)
            return self.grid.name(board_cell) if board_cell >= 0 else "…"

        return self.inner.display_text(self.unlaid(position), move, name or named)

    def marks(self, position: Position, level: str) -> tuple[Mark, ...]:
        """Meanings of the cells; those beyond the board are left out."""
        return self._laid_marks(position, self.inner.marks(self.unlaid(position), level))

    def targets(self, position: Position, cell: int) -> tuple[Mark, ...]:
        """Cells to which the dove on a cell of the field may move, and those that only a ban
        forbids."""
        inner = self.in_frame(position, cell)
        return self._laid_marks(position, self.inner.targets(self.unlaid(position), inner))

    def _laid_marks(self, position: Position, marks: Sequence[Mark]) -> tuple[Mark, ...]:
        laid = (replace(mark, cell=self.on_board(position, mark.cell)) for mark in marks)
        return tuple(mark for mark in laid if mark.cell >= 0)

    # The board's picture.

    def pieces(self, position: Position) -> tuple[Kind, ...]:
        """Red doves as white, green ones as black, on the field and in the tray."""
        kinds = [Kind.EMPTY] * len(self.grid)
        for cell, dove in self.at(position).items():
            kinds[cell] = Kind.BLACK if dove % 2 else Kind.WHITE
        return tuple(kinds)

    def effects(self, position: Position, move: Move) -> tuple[Effect, ...]:
        """Changes on the board; with a tray a hand's cell too."""
        if move.is_word:
            return super().effects(position, move)
        act, kind, _ = action(move.code)
        effects = [
            (self.on_board(position, cell), before, after)
            for cell, before, after in self.inner.effects(self.unlaid(position), move)
        ]
        own = Kind.BLACK if move.side else Kind.WHITE
        if act != MOVE and self.tray:
            slot = self.slots[2 * kind + move.side]
            leaves, enters = (own, Kind.EMPTY), (Kind.EMPTY, own)
            effects.append((slot, *(leaves if act == PUT else enters)))
        return tuple(effect for effect in effects if effect[0] >= 0)

    def read(self, position: Position, sensed: Sequence[int]) -> Reading:
        """Meaning of the picture (`doves/floating.py`)."""
        changes = differences(self, position, sensed)
        if not changes:
            return Idle()
        strange = tuple(cell for cell, kind in changes.items() if kind in UNREADABLE)
        if strange:
            return Wrong(Refusal(UNREADABLE[Kind(changes[strange[0]])], strange))
        actions = [
            move
            for side in self.movers(position)
            for move in self.listed_moves(position, side)
            if self.reaches(position, move)
        ]
        actions_made = self._actions_of(position, changes, actions)
        if actions_made:
            return self._done(position, changes, actions_made)
        lifted = [cell for cell, kind in changes.items() if kind == Kind.EMPTY]
        if len(lifted) == len(changes):
            return self._in_air(position, lifted, actions)
        brushed = self._beside_an_action(position, changes, lifted, actions)
        if brushed:
            return Partial(tuple(Mark(cell, RESTORE) for cell in brushed))
        return self._wrong(position, changes, lifted)

    def looks_like(self, position: Position, changes: Mapping[int, int]) -> Move | None:
        """The action that a hand probably meant by changes on the field."""
        cells = {self.in_frame(position, cell): kind for cell, kind in changes.items()}
        return None if -1 in cells else self.inner.looks_like(self.unlaid(position), cells)

    # What a picture of the board means in Tokyo Doves: which action, or what is in the air
    #
    # Sensors tell colours only. A move is a dove of one colour gone here and come there; a put is
    # one more dove, named by its cell of the tray or else to be asked for; a removal is a lift
    # that a button confirms, or that ends on the dove's own cell of the tray. While anything is
    # in the air nothing is judged: the cells lit are those of the dove lifted.

    def _actions_of(
        self, position: Position, changes: Changes, actions: Sequence[Move]
    ) -> list[Move]:
        """The actions after which the board looks like this."""
        return [
            move
            for move in actions
            if {cell: after for cell, _, after in self.effects(position, move)} == changes
        ]

    def _done(self, position: Position, changes: Changes, moves: Sequence[Move]) -> Reading:
        move = moves[0]
        act = action(move.code)[0]
        if act == PUT and not self.tray and len(self.in_hand(position)[move.side]) > 1:
            return Ambiguous(tuple(moves))
        if act == REMOVE and not self.tray:
            cell = next(iter(changes))
            return Complete(move, confirm=True, marks=self.targets(position, cell))
        return Complete(move, confirm=self._loses(position, move))

    def _loses(self, position: Position, move: Move) -> bool:
        """True if this move loses at once for the side that makes it: allowed, but asked about."""
        outcome = self.outcome(self.play(position, move))
        return outcome is not None and outcome.winner == 1 - move.side

    def _in_air(
        self, position: Position, lifted: Sequence[int], actions: Sequence[Move]
    ) -> Reading:
        """Doves are off their cells and none has come down elsewhere."""
        doves = self.at(position)
        movers = self.movers(position)
        own = [cell for cell in lifted if doves[cell] % 2 in movers]
        if len(lifted) > MAX_IN_AIR or not own:
            return self._wrong(position, dict.fromkeys(lifted, Kind.EMPTY), lifted)
        back = tuple(Mark(cell, RESTORE) for cell in lifted if len(own) > 1 or cell not in own)
        if len(own) > 1:
            return Partial(back)
        cell = own[0]
        where = self._goals(position, cell, actions)
        if not where and cell in self.slots.values():
            return Partial((Mark(cell, RESTORE), *back))
        if not where and not back:
            return self._wrong(position, {cell: Kind.EMPTY}, lifted)
        return Partial((*where, *back))

    def _goals(self, position: Position, cell: int, actions: Sequence[Move]) -> tuple[Mark, ...]:
        """Cells to which the dove lifted from this cell of field or tray may go."""
        marks = dict.fromkeys(self.targets(position, cell))
        for move in actions:
            does = self.effects(position, move)
            if any(c == cell and after == Kind.EMPTY for c, _, after in does):
                for c, _, after in does:
                    if after != Kind.EMPTY:
                        marks[Mark(c, TARGET, move.side)] = None
        return tuple(marks)

    def _beside_an_action(
        self,
        position: Position,
        changes: Changes,
        lifted: Sequence[int],
        actions: Sequence[Move],
    ) -> tuple[int, ...]:
        """Doves brushed off beside an action that is done otherwise; () when there is none such."""
        if len(lifted) > MAX_IN_AIR:
            return ()
        for move in actions:
            does = {cell: after for cell, _, after in self.effects(position, move)}
            if Kind.EMPTY not in does.values() and len(self.in_hand(position)[move.side]) > 1:
                continue  # a dove more while others are up: nobody knows yet whose place it takes
            if all(changes.get(cell) == after for cell, after in does.items()):
                rest = tuple(cell for cell in changes if cell not in does)
                if rest and all(changes[cell] == Kind.EMPTY for cell in rest):
                    return rest
        return ()

    def _wrong(self, position: Position, changes: Changes, lifted: Sequence[int]) -> Reading:
        """The rule that the changes break; `whole` when they are one action's."""
        come = [cell for cell in changes if cell not in lifted]
        if len(come) > 1 or len(lifted) > 1:
            return Wrong(Refusal(NOT_A_MOVE, tuple(changes)))
        refusal = self._unlike_any(position, changes, lifted, come)
        if refusal is None:
            on_field = self._on_field(changes)
            meant = self.looks_like(position, on_field) if on_field else None
            if meant is not None:
                refusal = self.why_not(position, meant.side, meant)
            elif come and self.pieces(position)[come[0]] == Kind.EMPTY:
                refusal = Refusal("doves.out-of-board", tuple(come))
        if refusal is None:
            return Wrong(Refusal(NOT_A_MOVE, tuple(changes)))
        return Wrong(refusal, whole=True)

    def _on_field(self, changes: Changes) -> Changes:
        """The changes without the tray's cells."""
        slots = set(self.slots.values())
        return {cell: kind for cell, kind in changes.items() if cell not in slots}

    def _unlike_any(
        self,
        position: Position,
        changes: Changes,
        lifted: Sequence[int],
        come: Sequence[int],
    ) -> Refusal | None:
        """Refusal that only the tray and the empty hand give: the inner game knows neither."""
        doves = self.at(position)
        owner = {cell: dove for dove, cell in self.slots.items()}
        gone = doves[lifted[0]] if lifted else None
        kind = changes[come[0]] if come else None
        side = None if kind is None else 0 if kind == Kind.WHITE else 1
        if come and come[0] in owner and gone is not None:
            if owner[come[0]] != gone:
                slot = self.slots.get(gone)
                cells = () if slot is None else (slot,)
                return Refusal("doves.wrong-slot", cells, (("dove", LETTERS[gone]),))
            return self._removal(position, gone)
        if gone is None and side is not None:
            if not self.in_hand(position)[side]:
                return Refusal("doves.hand-empty", tuple(come))
            if self.tray:
                slots = tuple(self.slots[dove] for dove in self.slots if dove % 2 == side)
                full = tuple(cell for cell in slots if cell in doves)
                return Refusal("doves.from-tray", full)
        if gone is not None and lifted[0] in owner and come:
            return self._put(position, gone, come[0])
        if gone is not None and gone % 2 not in self.movers(position):
            return Refusal("doves.not-your-turn", tuple(lifted))
        return None

    def _put(self, position: Position, dove: int, cell: int) -> Refusal | None:
        """Reason why a dove taken from the tray may not be put here."""
        return self._why_not(position, dove, PUT, self.in_frame(position, cell), cell)

    def _removal(self, position: Position, dove: int) -> Refusal | None:
        """Reason why a dove may not go back to its cell of the tray."""
        return self._why_not(position, dove, REMOVE, 0, self.slots[dove])

    def _why_not(
        self, position: Position, dove: int, act: str, cell: int, shown: int
    ) -> Refusal | None:
        if cell < 0:
            return Refusal("doves.out-of-board", (shown,))
        kind, side = divmod(dove, 2)
        meant = self.inner.noted(act, kind, side, cell, self.unlaid(position))
        return self.why_not(position, side, meant)


Place = tuple[int, int]
"""Column and row on the board."""


def middle(first: int, count: int, width: int) -> tuple[int, int]:
    """The lowest and highest line at which a box of `width` lines lies in the middle of `count`.

    >>> middle(0, 9, 4), middle(1, 7, 3)
    ((2, 3), (3, 3))
    """
    spare = count - width
    return first + spare // 2, first + (spare + 1) // 2


def way_back(low: int, width: int, first: int, count: int) -> int:
    """By how many lines a box that begins at `low` goes to lie in the middle.

    >>> way_back(0, 4, 0, 9), way_back(3, 4, 0, 9), way_back(5, 4, 0, 9)
    (2, 0, -2)
    """
    lowest, highest = middle(first, count, width)
    return lowest - low if low < lowest else highest - low if low > highest else 0


def slides(doves: Iterable[Place], way: Place) -> tuple[tuple[Place, Place], ...]:
    """Start and goal of each dove, farthest along the way first.

    A dove's goal is free then: a dove on it would be farther along, and has gone already.

    >>> slides([(0, 0), (1, 0)], (1, 0))
    (((1, 0), (2, 0)), ((0, 0), (1, 0)))
    """
    columns, rows = way
    if way == (0, 0):
        return ()
    ordered = sorted(doves, key=lambda dove: (-(dove[0] * columns + dove[1] * rows), dove))
    return tuple(((c, r), (c + columns, r + rows)) for c, r in ordered)
