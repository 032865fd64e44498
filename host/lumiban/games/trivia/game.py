"""Trivia as the table sees it: notation, turns of three stones, set-up and what cells mean.

A Position's `state` holds the stones (a `Kind` by cell), the mover, the own and the red stones
still owed in the turn; its `extra` who offers to stop (1 White, 2 Black).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
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
    ImpossiblePosition,
    Kind,
    Mark,
    Move,
    MoveEffect,
    Option,
    Outcome,
    Position,
    Refusal,
    SearchHints,
    Supply,
    grown,
    lead_changes,
    longer,
    move_effect,
)
from lumiban.games.counting import counted_groups
from lumiban.games.kernel import cascade, deciding_groups, deciding_sizes, group_sizes, groups_of
from lumiban.games.trivia.kernel import (
    MOVER,
    ORDERED,
    OWN,
    RED,
    STONE,
    TURN_OWN,
    TURN_RED,
    TriviaState,
    fresh,
    plan_of,
    supply_of,
    turn_after,
)
from lumiban.grid import LONGEST_HEXAGON, LONGEST_RECTANGLE, hexagon, rectangle

RED_NOTED = "red "
LIFT_NOTED = "x"

RESIGN, STOP = "resign", "stop"

SQUARES, HEXAGONS = "squares", "hexagons"
HEX_SIDES = tuple(range(2, LONGEST_HEXAGON + 1))
HEX_SIDE = 5
"""The side of a hexagon where none is told: that of our own board."""


class Trivia(Game):
    """Trivia with its options resolved, on squares or, as its author began, on hexagons.

    `size` is the number of cells along an edge; told nothing, 9 on squares and 5 on hexagons.

    >>> game = Trivia(size=3)
    >>> position = game.start()
    >>> for text in ("b2", "a1", "red c3"):
    ...     position = game.play(position, game.parse(position, text))
    >>> game.owed(position)
    (1, 0)
    >>> game.why_not(position, BLACK, game.parse(position, "red a2")).rule
    'trivia.own-is-left'
    >>> len(Trivia(cells="hexagons").grid)
    61
    """

    slug: ClassVar[str] = "trivia"
    accepts: ClassVar[tuple[Option, ...]] = (
        Option("size", 9, tuple(range(2, LONGEST_RECTANGLE + 1))),
        Option("cells", SQUARES, (SQUARES, HEXAGONS)),
    )
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.WHITE, Kind.BLACK, Kind.NEUTRAL)

    def __init__(self, **options: int | str) -> None:
        on_hexagons = options.get("cells") == HEXAGONS
        super().__init__(**{"size": HEX_SIDE, **options} if on_hexagons else options)
        self.side_length = int(self.options["size"])
        if on_hexagons and self.side_length not in HEX_SIDES:
            raise GameError(
                f"trivia on hexagons has {HEX_SIDES[0]} to {HEX_SIDES[-1]} cells a side,"
                f" not {self.side_length}"
            )
        side = self.side_length
        self.grid = hexagon(side) if on_hexagons else rectangle(side, side)
        self.plan = plan_of(self.grid)
        self.supply = supply_of(len(self.grid))
        """White, black and red stones that every game of this size takes."""
        self._last: tuple[Position, TriviaState] | None = None

    # Positions

    def start(self, seed: int = 0) -> Position:
        """The empty board; Trivia knows no chance."""
        return self.position((Kind.EMPTY,) * len(self.grid), (WHITE, 1, 0), seed=seed)

    def position(
        self, stones: Sequence[int], turn: tuple[int, int, int], *, seed: int = 0
    ) -> Position:
        """A position without history, from a kind a cell; `turn` is (mover, own stones owed, red
        stones owed)."""
        return Position((*map(int, stones), *turn), seed=seed, extra=(0,))

    def setup(self, stones: Mapping[str, int], *, to_move: int = WHITE, **more: Any) -> Position:
        """A position with these stones (cell name -> WHITE, BLACK or NEUTRAL), if a game may
        reach it; GameError says what is impossible.

        The counts tell how much of the turn is left.
        """
        if more:
            raise GameError(
                f"trivia sets up stones and to_move only, not {', '.join(sorted(more))}"
            )
        if to_move not in (WHITE, BLACK):
            raise GameError(f"to_move is 0 (White) or 1 (Black), not {to_move!r}")
        kinds = [int(Kind.EMPTY)] * len(self.grid)
        for name, side in stones.items():
            if side not in (WHITE, BLACK, NEUTRAL):
                raise GameError(f"on {name} stands 0 (White), 1 (Black) or 2 (red), not {side!r}")
            kinds[self.grid.cell(name)] = side + 1
        counts = [kinds.count(side + 1) for side in (WHITE, BLACK, NEUTRAL)]
        turn = turn_after(len(kinds), *counts)
        if turn is None:
            raise self._unreached(counts)
        if to_move != turn[0] and sum(counts) < len(kinds):
            sides = ("side.white", "side.black")
            params = {"side": sides[to_move], "other": sides[turn[0]]}
            raise ImpossiblePosition("setup.trivia.turn", **_counted(counts), **params)
        return self.position(kinds, turn)

    def state(self, position: Position) -> TriviaState:
        """A fresh State on lists."""
        cells = len(self.grid)
        return fresh(self.plan, position.state[:cells], position.state[cells:])

    def stones(self, position: Position) -> tuple[int, ...]:
        """The kind on each cell."""
        return position.state[: len(self.grid)]

    def pieces(self, position: Position) -> tuple[Kind, ...]:
        """Kind of piece that belongs on each cell."""
        return tuple(map(Kind, self.stones(position)))

    def pieces_needed(self) -> Supply:
        """The stones that every game of this size takes."""
        kinds = (Kind.WHITE, Kind.BLACK, Kind.NEUTRAL)
        return Supply(dict(zip(kinds, self.supply, strict=True)), is_exact=True)

    # Turns

    def owed(self, position: Position) -> tuple[int, int]:
        """Own and red stones that the mover still has to place in this turn, as two counts."""
        own, red = position.state[len(self.grid) + 1 :]
        return own, red

    def pieces_owed(self, position: Position) -> tuple[tuple[Kind, int], ...]:
        """The stones that the turn still takes, own ones first.

        >>> game = Trivia(size=3)
        >>> after = game.play(game.start(), game.parse(game.start(), "b2"))
        >>> [(kind.name, count) for kind, count in game.pieces_owed(after)]
        [('BLACK', 2), ('NEUTRAL', 1)]
        """
        if self.outcome(position) is not None:
            return ()
        kinds = (Kind(position.state[len(self.grid)] + 1), Kind.NEUTRAL)
        owed = zip(kinds, self.owed(position), strict=True)
        return tuple((kind, count) for kind, count in owed if count)

    def into_turn(self, position: Position) -> int:
        """Number of stones placed in the turn under way."""
        placed = len(self.grid) - self.stones(position).count(Kind.EMPTY)
        return (placed - 1) % 3 if placed else 0

    # Moves and words

    def movers(self, position: Position) -> tuple[int, ...]:
        """The side to move, until the board is full."""
        if self.outcome(position) is not None:
            return ()
        return (position.state[len(self.grid)],)

    def moves(self, position: Position, side: int) -> list[Move]:
        """All placements, own stones before red ones, by cell number."""
        if side not in self.movers(position):
            return []
        stones = self.stones(position)
        empty = [cell for cell, kind in enumerate(stones) if kind == Kind.EMPTY]
        own, red = self.owed(position)
        codes = [*(empty if own else ()), *((c + len(stones) for c in empty) if red else ())]
        return [self.move_of(position, code) for code in codes]

    def move_of(self, position: Position, code: int) -> Move:
        """The Move of a cell number (own stone) or of cells + cell number (red stone)."""
        cells = len(self.grid)
        side = position.state[cells]
        if code < cells:
            return Move(side, self.grid.names[code], code)
        return Move(side, RED_NOTED + self.grid.names[code - cells], code)

    def words(self, position: Position, side: int) -> tuple[str, ...]:
        """`resign` at any time, `stop` while somebody leads."""
        if self.outcome(position) is not None:
            return ()
        may_stop = side not in self.offers(position) and self.leader(position) is not None
        return (STOP, RESIGN) if may_stop else (RESIGN,)

    def parse(self, position: Position, text: str, side: int | None = None) -> Move:
        """The move that `text` notes, legal or not; IllegalMove when it notes none.

        Without a side it is the mover's; a `stop` that answers the mover's own is the other's.
        """
        noted = " ".join(text.lower().split())
        if side is None:
            side = next(iter(self.movers(position)), WHITE)
            if noted == STOP and side in self.offers(position):
                side = 1 - side
        if noted in (RESIGN, STOP):
            return Move(side, noted)
        cells = len(self.grid)
        # The lifts are no moves, but a hand may try them and is told why not.
        for start, code in ((RED_NOTED, cells), (LIFT_NOTED, 2 * cells), ("", 0)):
            if noted.startswith(start) and noted[len(start) :] in self.grid.names:
                return Move(side, noted, code + self.grid.cell(noted[len(start) :]))
        raise IllegalMove(
            f"{text!r} is not a move of Trivia: write a cell for a stone of your own (e5), red and"
            f" a cell for a red one (red c3) or a word (resign, stop)",
            Refusal("trivia.unreadable", params=(("text", text),)),
        )

    def why_not(self, position: Position, side: int, move: Move) -> Refusal | None:
        """The rule that forbids `side` this move, with the stones that prove it, or None."""
        if self.outcome(position) is not None:
            return Refusal("trivia.over")
        if side not in (0, 1):
            return Refusal("trivia.not-your-turn")
        if move.text == RESIGN:
            return None
        if move.text == STOP:
            return self._no_stop(position, side)
        cells = len(self.grid)
        if not 0 <= move.code < 3 * cells:
            return Refusal("trivia.unreadable", params=(("text", move.text),))
        cell = move.code % cells
        if move.code >= 2 * cells:
            return self._no_lift(position, cell)
        if side not in self.movers(position):
            return Refusal("trivia.not-your-turn", self._placed_now(position))
        if self.stones(position)[cell] != Kind.EMPTY:
            return Refusal("trivia.occupied", (cell,))
        if move.code < cells:
            return None if self.owed(position)[0] else self._own_are_placed(position)
        return None if self.owed(position)[1] else self._no_red(position)

    def play(self, position: Position, move: Move) -> Position:
        """The position after a move or word; IllegalMove carries the refusal."""
        self.must_allow(position, move)
        history = (*position.history, move)
        if move.text == RESIGN:
            return replace(position, history=history, over=Outcome(1 - move.side, "resigned"))
        if move.text == STOP:
            offered = position.extra[0] | (1 << move.side)
            if offered != 3:
                return replace(position, history=history, extra=(offered,))
            over = Outcome(self.leader(position), "agreed-groups")
            return replace(position, history=history, extra=(0,), over=over)
        last = self._last
        if last is not None and last[0] is position:
            state = TriviaState(self.plan, [*last[1].board], [0] * len(last[1].scratch))
        else:
            state = self.state(position)
        state.play(move.code)
        board = state.board
        content = (*board[STONE : STONE + len(self.grid)], board[MOVER], board[OWN], board[RED])
        after = replace(position, state=content, history=history, extra=(0,))
        self._last = (after, state)
        return after

    # What it comes to

    def counted(self, positions: Sequence[Position], moves: Sequence[Move]) -> dict[str, float]:
        """`lead_changes` by the largest group; `margin`: how much larger the winner's was."""
        largest = [[counts[1] for counts in self.scores(position)] for position in positions]
        leads = [white - black for white, black in largest]
        return {"lead_changes": lead_changes(leads), "margin": abs(leads[-1])}

    def outcome(self, position: Position) -> Outcome | None:
        """Outcome of the game: full-board, resigned or agreed-groups."""
        if position.over is not None:
            return position.over
        if Kind.EMPTY in self.stones(position):
            return None
        return Outcome(self.leader(position), "full-board")

    def final_counts(self, position: Position) -> tuple[int, ...] | None:
        """The first sizes of groups that differ."""
        outcome = self.outcome(position)
        if outcome is None or outcome.reason not in ("full-board", "agreed-groups"):
            return None
        return deciding_sizes(*self.sizes(position))

    def final_groups(self, position: Position) -> tuple[int, tuple[int, ...]] | None:
        """The first of the winner's groups that is larger than the other side's."""
        outcome = self.outcome(position)
        if outcome is None or outcome.reason not in ("full-board", "agreed-groups"):
            return None
        kinds = (Kind.WHITE, Kind.BLACK) if outcome.winner == WHITE else (Kind.BLACK, Kind.WHITE)
        return deciding_groups(self.grid.neighbours, self.stones(position), *kinds)

    def final_steps(self, position: Position) -> tuple[tuple[Mark, ...], ...]:
        """Both sides' groups by rank, down to the one that decided."""
        decided = self.final_groups(position)
        if decided is None:
            return ()
        kinds = (int(Kind.WHITE), int(Kind.BLACK))
        return counted_groups(self.grid.neighbours, self.stones(position), kinds, decided[0])

    def sizes(self, position: Position) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The sizes of White's groups and of Black's, largest first."""
        stones, near = self.stones(position), self.grid.neighbours
        return group_sizes(near, stones, Kind.WHITE), group_sizes(near, stones, Kind.BLACK)

    def leader(self, position: Position) -> int | None:
        """The side that wins the cascade of groups as the board stands, None while it is tied."""
        ahead = cascade(*self.sizes(position))
        return None if ahead == 0 else WHITE if ahead > 0 else BLACK

    def offers(self, position: Position) -> tuple[int, ...]:
        """Sides that have said `stop` since the last move."""
        return tuple(side for side in (WHITE, BLACK) if position.extra[0] >> side & 1)

    def scores(self, position: Position) -> tuple[tuple[int, int], ...]:
        """(stones, size of the largest group) of each side."""
        return tuple((sum(sizes), max(sizes, default=0)) for sizes in self.sizes(position))

    def marks(self, position: Position, level: str) -> tuple[Mark, ...]:
        """Cells on which the mover may place what is still owed: `may-place` for own stones,
        `may-place-neutral` for the red one; from `control` on each side's largest groups."""
        if level == "none":
            return ()
        marks = [] if level == "legal" else self._largest(position)
        for side in self.movers(position):
            empty = [c for c, kind in enumerate(self.stones(position)) if kind == Kind.EMPTY]
            own, red = self.owed(position)
            marks += [Mark(cell, meanings.MAY_PLACE, side) for cell in empty if own]
            marks += [Mark(cell, meanings.MAY_PLACE_NEUTRAL, side) for cell in empty if red]
        return tuple(marks)

    def _largest(self, position: Position) -> list[Mark]:
        stones = self.stones(position)
        groups = groups_of(self.grid.neighbours, stones)
        marks = []
        for side in (WHITE, BLACK):
            own = [group for group in groups if stones[group[0]] == side + 1]
            most = max(map(len, own), default=0)
            marks += [
                Mark(cell, meanings.OWNED, side)
                for group in own
                if len(group) == most
                for cell in group
            ]
        return marks

    def explain(self, position: Position, move: Move) -> tuple[MoveEffect, ...]:
        """Groups that a stone lets grow or keeps apart, and what the turn still owes."""
        cells = len(self.grid)
        me, cell = move.side, move.code % cells
        after = self.play(position, move)
        stones, then = self.stones(position), self.stones(after)
        effects = []
        if self.leader(position) != me and self.leader(after) == me:
            effects.append(move_effect("leads"))
        if move.code < cells:
            effects += grown(self.grid.neighbours, stones, then, cell)
            effects += longer(self.sizes(position)[me], self.sizes(after)[me])
        effects += self._hindered(stones, cell, Kind(2 - me))
        if me in self.movers(after):
            own, red = self.owed(after)
            for what, count in (("owes-own", own), ("owes-red", red)):
                if count:
                    effects.append(move_effect(what, n=count))
        return tuple(effects)

    # The board's picture

    def effects(self, position: Position, move: Move) -> tuple[Effect, ...]:
        """The one cell of a placement."""
        cells = len(self.grid)
        if move.is_word:
            return ()
        kind = Kind(move.side + 1) if move.code < cells else Kind.NEUTRAL
        return ((move.code % cells, Kind.EMPTY, kind),)

    def looks_like(self, position: Position, changes: Mapping[int, int]) -> Move | None:
        """One stone more is a placement of its colour's side, a red one the mover's; one less is
        a lift, which no rule allows."""
        if len(changes) != 1:
            return None
        ((cell, kind),) = changes.items()
        cells = len(self.grid)
        name = self.grid.names[cell]
        mover = position.state[cells]
        if kind == Kind.EMPTY:
            return Move(mover, LIFT_NOTED + name, 2 * cells + cell)
        if self.stones(position)[cell] != Kind.EMPTY:
            return None
        if kind == Kind.NEUTRAL:
            return Move(mover, RED_NOTED + name, cells + cell)
        if kind in (Kind.WHITE, Kind.BLACK):
            return Move(int(kind) - 1, name, cell)
        return None

    @property
    def zobrist_keys(self) -> Sequence[int]:
        """One for each white, each black and each red stone."""
        return tuple(self.plan[-3 * len(self.grid) :])

    def search_state(self, position: Position) -> TriviaState:
        """Own stones before the red one: every turn can be played so."""
        state = self.state(position)
        state.board[ORDERED] = 1
        return state

    def search_hints(self, position: Position) -> SearchHints:
        """Stones stay where they are, so that GRAVE learns from all of a random game."""
        mover = position.state[len(self.grid)]
        left = sum(self.owed(position))
        sides = []
        for _ in range(self.capacity[1] + 2):
            sides.append(mover)
            left -= 1
            if left == 0:
                mover, left = 1 - mover, TURN_OWN + TURN_RED
        return SearchHints("grave", codes=2 * len(self.grid), sides=sides, commutes=True)

    @property
    def capacity(self) -> tuple[int, int]:
        """An own or a red stone on any cell; as many moves as there are cells."""
        return 2 * len(self.grid), len(self.grid)

    # Why a move of Trivia is not allowed: the rule, and the stones that prove it

    def _no_stop(self, position: Position, side: int) -> Refusal | None:
        if side in self.offers(position):
            return Refusal("trivia.already-offered")
        if self.leader(position) is None:
            return Refusal("trivia.stop-tied")
        return None

    def _no_lift(self, position: Position, cell: int) -> Refusal:
        if self.stones(position)[cell] == Kind.EMPTY:
            return Refusal("trivia.empty-cell", (cell,))
        return Refusal("trivia.stones-stay", (cell,))

    def _own_are_placed(self, position: Position) -> Refusal:
        own = self.stones(position)
        placed = tuple(c for c in self._placed_now(position) if own[c] != Kind.NEUTRAL)
        return Refusal("trivia.red-is-left", placed)

    def _no_red(self, position: Position) -> Refusal:
        stones = self.stones(position)
        if not any(stones):
            return Refusal("trivia.first-is-white")
        empty = tuple(c for c, kind in enumerate(stones) if kind == Kind.EMPTY)
        placed = self._placed_now(position)
        if len(empty) + self.into_turn(position) == 2:
            # A whole turn with room for two only: both are the mover's own.
            return Refusal("trivia.short-turn", empty)
        return Refusal("trivia.own-is-left", tuple(c for c in placed if stones[c] == Kind.NEUTRAL))

    def _placed_now(self, position: Position) -> tuple[int, ...]:
        """The cells filled in the turn under way, as far as the history reaches."""
        cells = len(self.grid)
        into = self.into_turn(position)
        filled = [move.code % cells for move in position.history if not move.is_word]
        return tuple(sorted(filled[-into:])) if into else ()

    # What a stone of Trivia does: groups that grow, groups kept apart, what the turn still owes

    def _hindered(self, stones: tuple[int, ...], cell: int, enemy: Kind) -> list[MoveEffect]:
        """Groups of the other side that this cell would have joined or let grow."""
        near = self.grid.neighbours
        beside = [
            group
            for group in groups_of(near, stones)
            if stones[group[0]] == enemy and set(group) & set(near[cell])
        ]
        if len(beside) > 1:
            whole = sorted(c for group in beside for c in group)
            return [move_effect("parts", whole, n=len(beside), size=len(whole) + 1)]
        if not beside:
            return []
        (group,) = beside
        free = {c for at in group for c in near[at] if stones[c] == Kind.EMPTY and c != cell}
        what = "hems-in" if free else "stops"
        return [move_effect(what, group, size=len(group), **({"n": len(free)} if free else {}))]

    # Setting up a position of Trivia, and telling those that no game reaches
    #
    # Every turn is the same three stones, so the counts tell whose turn it is and what it still
    # owes.

    def _unreached(self, counts: list[int]) -> ImpossiblePosition:
        """Reason why these counts cannot happen in a game, and counts that can."""
        for kind, (count, supply) in enumerate(zip(counts, self.supply, strict=True), 1):
            if count > supply:
                return ImpossiblePosition(f"setup.supply.{kind}", count=count, supply=supply)
        total = sum(counts)
        possible = [
            (white, black, total - white - black)
            for white in range(total + 1)
            for black in range(total + 1 - white)
            if turn_after(len(self.grid), white, black, total - white - black)
        ]
        # Within a turn of two colours either may come first.
        first, *second = possible
        params: dict[str, str | int] = {"total": total, "listed": "setup.trivia.one"}
        params |= _counted(first, "1")
        if second:
            params |= {"listed": "setup.trivia.two", **_counted(second[0], "2")}
        return ImpossiblePosition("setup.trivia.counts", **_counted(counts), **params)


def _counted(counts: tuple[int, ...] | list[int], which: str = "") -> dict[str, int]:
    return {f"{name}{which}": n for name, n in zip(("white", "black", "red"), counts, strict=True)}
