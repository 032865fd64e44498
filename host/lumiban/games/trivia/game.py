"""Trivia: two own stones and a red one a turn; the largest group wins. By Takuro
Kawasaki."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from lumiban.errors import GameError
from lumiban.games.base import (
    BLACK,
    NEUTRAL,
    WHITE,
    ImpossiblePosition,
    Kind,
    Move,
    MoveEffect,
    Option,
    Outcome,
    Position,
    Refusal,
    Supply,
    grown,
    lead_changes,
    longer,
    move_effect,
)
from lumiban.games.simple import EMPTY, Act, Change, GridView, SimpleGame
from lumiban.grid import MAX_HEXAGON, MAX_RECTANGLE, Grid, hexagon, rectangle

NAMES = ("white", "black", "red")


class Trivia(SimpleGame):
    """On squares or, as its author began, on hexagons: White's first turn is one stone, every
    other two own ones and a red one in any order. The full board is won by the largest group or,
    of like ones, the next largest.

    `size` is the number of cells along an edge; told nothing, 9 on squares and 5 on hexagons.

    >>> game = Trivia(size=3)
    >>> position = game.start()
    >>> for text in ("b2", "a1", "red c3"):
    ...     position = game.play(position, game.parse(position, text))
    >>> game.pieces_owed(position)
    ((<Kind.BLACK: 2>, 1),)
    >>> game.why_not(position, BLACK, game.parse(position, "red a2")).rule
    'trivia.own-is-left'
    """

    slug = "trivia"
    accepts = (
        Option("size", 9, tuple(range(2, MAX_RECTANGLE + 1))),
        Option("cells", "squares", ("squares", "hexagons")),
    )
    memory: ClassVar[Mapping[str, int]] = {"own": 1, "red": 0}
    by_groups = ("full-board", "agreed-groups")
    written: ClassVar[Mapping[str, str]] = {"block": "red "}
    accelerator = "lumiban.games.trivia.kernel:TriviaKernel"

    def __init__(self, **options: int | str) -> None:
        self.hexagons = options.get("cells") == "hexagons"
        super().__init__(**{"size": 5, **options} if self.hexagons else options)

    def make_grid(self, size: int) -> Grid:
        """The board; GameError where hexagons would be too many."""
        if self.hexagons and size > MAX_HEXAGON:
            raise GameError(f"trivia on hexagons has 2 to {MAX_HEXAGON} cells a side, not {size}")
        return hexagon(size) if self.hexagons else rectangle(size, size)

    # Turns

    def may_place(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        """Two own stones a turn."""
        return board.own > 0 or self.no("red-is-left")

    def may_block(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        """A red stone a turn, if there is room for three."""
        if board.red:
            return True
        empty = board.of(EMPTY)
        if len(empty) == len(self.grid):
            return self.no("first-is-white")
        if len(self.grid) % 3 == 0 and len(empty) <= 2:
            return self.no("short-turn", *empty)
        return self.no("own-is-left")

    def remember(self, board: GridView, side: int, act: Act) -> Change:
        """What the turn still owes, or the next one."""
        own, empty = board[act.cell] != NEUTRAL, board.count(EMPTY)
        if board.own + board.red > 1:
            return {"own": board.own - own, "red": board.red - (not own)}
        return {"own": min(2, empty), "red": int(empty > 2)}

    def next_side(self, board: GridView, side: int, act: Act) -> int:
        """The other one after the first stone, and after three more."""
        empty = board.count(EMPTY)
        return side if empty and (len(self.grid) - empty - 1) % 3 else 1 - side

    def owes(self, board: GridView) -> tuple[int, int]:
        """Own and red stones of the turn."""
        return board.own, board.red

    def why_not(self, position: Position, side: int, move: Move) -> Refusal | None:
        """The rule that forbids a move; stones of this turn prove that others are left."""
        refusal = super().why_not(position, side, move)
        if refusal is None or refusal.rule not in ("trivia.red-is-left", "trivia.own-is-left"):
            return refusal
        board, red = self.grid_view(position), refusal.rule == "trivia.own-is-left"
        placed = [c for c in self.of_turn(position) if (board[c] == NEUTRAL) == red]
        return Refusal(refusal.rule, tuple(sorted(placed)))

    def schedule(self) -> Iterator[tuple[int, int, int]]:
        """(side, own stones, red stones) of every turn of a game.

        >>> list(Trivia(size=2).schedule())
        [(0, 1, 0), (1, 2, 1)]
        """
        yield WHITE, 1, 0
        side, left = BLACK, len(self.grid) - 1
        while left > 0:
            own = min(2, left)
            red = min(1, left - own)
            yield side, own, red
            side, left = 1 - side, left - own - red

    def pieces_needed(self) -> Supply:
        """The stones that every game of this size takes."""
        counts = dict.fromkeys((Kind.WHITE, Kind.BLACK, Kind.NEUTRAL), 0)
        for side, own, red in self.schedule():
            counts[Kind(side + 1)] += own
            counts[Kind.NEUTRAL] += red
        return Supply(counts, is_exact=True)

    def _turn_after(self, counts: Sequence[int]) -> tuple[int, int, int] | None:
        """(side, own stones, red stones) owed at these numbers of white, black and red stones; None
        where no game comes to such counts."""
        left = list(counts)
        side = WHITE
        for side, own, red in self.schedule():
            if sum(left) < own + red:
                own, red = own - left[side], red - left[NEUTRAL]
                return (side, own, red) if min(own, red, *left) >= 0 == left[1 - side] else None
            left[side] -= own
            left[NEUTRAL] -= red
        return None if any(left) else (1 - side, 0, 0)

    def at_setup(self, board: GridView) -> Mapping[str, int]:
        """Every turn is the same three stones: the counts tell whose turn it is, and what it still
        owes."""
        counts = [board.count(what) for what in (WHITE, BLACK, NEUTRAL)]
        turn = self._turn_after(counts)
        told: dict[str, str | int] = dict(zip(NAMES, counts, strict=True))
        if turn is None:
            for kind, most in self.pieces_needed().counts.items():
                if (count := counts[kind - 1]) > most:
                    raise ImpossiblePosition(f"setup.supply.{kind}", count=count, supply=most)
            total = sum(counts)
            some = [(w, b, total - w - b) for w in range(total + 1) for b in range(total + 1 - w)]
            could = [one for one in some if self._turn_after(one)]
            for at, one in enumerate((could[0], could[-1]), 1):
                told |= {f"{name}{at}": n for name, n in zip(NAMES, one, strict=True)}
            listed = "setup.trivia.one" if len(could) == 1 else "setup.trivia.two"
            raise ImpossiblePosition("setup.trivia.counts", **told, total=total, listed=listed)
        if board.mover != turn[0] and board.count(EMPTY):
            sides = ("side.white", "side.black")
            told |= {"side": sides[board.mover], "other": sides[turn[0]]}
            raise ImpossiblePosition("setup.trivia.turn", **told)
        return {"mover": turn[0], "own": turn[1], "red": turn[2]}

    # What it comes to

    def ended(self, board: GridView) -> Outcome | None:
        """On the full board."""
        return None if board.count(EMPTY) else Outcome(self.leader(board), "full-board")

    def agreed(self, board: GridView) -> Outcome | None:
        """While one side leads."""
        leads = self.leader(board)
        return None if leads is None else Outcome(leads, "agreed-groups")

    def leader(self, board: GridView) -> int | None:
        """The side whose first group that has no like is larger, None while all are alike."""
        white, black = board.sizes(WHITE), board.sizes(BLACK)
        return None if white == black else int(black > white)

    def points(self, board: GridView) -> tuple[float, float]:
        """The sizes of the largest groups."""
        white, black = (max(board.sizes(side), default=0) for side in (WHITE, BLACK))
        return white, black

    def owned(self, board: GridView) -> Mapping[int, int]:
        """Each side's largest groups."""
        both = [board.groups(side) for side in (WHITE, BLACK)]
        return {c: side for side, groups in enumerate(both)
                for group in groups if len(group) == len(groups[0]) for c in group}  # fmt: skip

    # What is said of it

    def counted(self, positions: Sequence[Position], moves: Sequence[Move]) -> dict[str, float]:
        """`lead_changes` by the largest group; `margin`: how much larger the winner's was."""
        leads = [int(w - b) for w, b in (self.points(self.grid_view(one)) for one in positions)]
        return {"lead_changes": lead_changes(leads), "margin": abs(leads[-1])}

    def explain(self, position: Position, move: Move) -> tuple[MoveEffect, ...]:
        """Groups that a stone lets grow or keeps apart, and what the turn still owes."""
        me, cell, after = move.side, self.act(move.code).cell, self.play(position, move)
        board, then = self.grid_view(position), self.grid_view(after)
        told = []
        if self.leader(board) != me and self.leader(then) == me:
            told.append(move_effect("leads"))
        if then[cell] == me:
            before, now = self.kinds_on(position), self.kinds_on(after)
            told += grown(self.grid.neighbours, before, now, cell)
            told += longer(board.sizes(me), then.sizes(me))
        told += self._hindered(board, cell, 1 - me)
        if me in self.movers(after):
            owed = zip(("owes-own", "owes-red"), self.owes(then), strict=True)
            told += [move_effect(what, n=count) for what, count in owed if count]
        return tuple(told)

    def _hindered(self, board: GridView, cell: int, enemy: int) -> list[MoveEffect]:
        """Groups of the other side that this cell would have joined or let grow."""
        beside = {min(group): group for group in map(board.group, board.touching(cell, enemy))}
        whole = sorted(c for group in beside.values() for c in group)
        if len(beside) > 1:
            return [move_effect("parts", whole, n=len(beside), size=len(whole) + 1)]
        if not beside:
            return []
        free = {*board.liberties(whole[0])} - {cell}
        more = {"n": len(free)} if free else {}
        return [move_effect("hems-in" if free else "stops", whole, size=len(whole), **more)]
