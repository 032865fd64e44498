"""Control: territory by adjacent majority, with removals, by Takuro Kawasaki."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from lumiban.games.base import (
    BLACK,
    WHITE,
    ImpossiblePosition,
    Kind,
    Mark,
    Move,
    MoveEffect,
    Option,
    Outcome,
    Position,
    Refusal,
    Supply,
    hurried,
    lead_changes,
    move_effect,
    resolve_options,
)
from lumiban.games.counting import counted_cells
from lumiban.games.simple import EMPTY, Act, Change, GridView, SimpleGame, Start
from lumiban.grid import MAX_HEXAGON, Grid, hexagon

DONE = "done"
LETTERS = "wb"
REFUSED_BY_COUNT = ("control.enemy-cell", "control.not-yours-to-remove")


class Control(SimpleGame):
    """A stone goes on an empty cell that the enemy does not control; an enemy stone on a cell that
    one controls may be taken. A side that cannot act loses.

    A cell is controlled by the colour with more stones next to it or, under sight, with more of the
    nearest stones along its lines; the stone on the cell itself does not count.

    >>> game = Control(size=3)
    >>> position = game.start()
    >>> for text in ("a1", "c3", "e3"):
    ...     position = game.play(position, game.parse(position, text))
    >>> game.why_not(position, BLACK, game.parse(position, "xa1")).rule
    'control.not-yours-to-remove'
    """

    slug = "control"
    accepts = (
        Option("size", 5, tuple(range(2, MAX_HEXAGON + 1))),
        Option("opening", "perimeter", ("perimeter", "free", "pie2", "12*")),
        Option("scoring", "empty", ("empty", "territory", "territory-empty")),
        Option("sees", "adjacent", ("adjacent", "sight")),
    )
    memory: ClassVar[Mapping[str, int]] = {"left": 1}
    accelerator = "lumiban.games.control.kernel:ControlKernel"
    _leant: tuple[tuple[int, ...], list[int]] = (), []

    def __init__(self, **options: int | str) -> None:
        self.sight = options.get("sees") == "sight"
        self.repetition = "draw" if self.sight else ""  # type: ignore[misc]  # an option's rule
        self.actions = 2 if options.get("opening") == "12*" else 1
        self.puts: dict[str, tuple[int, int]] = {}
        """The words that set a stone in the opening `pie2`: its side and its cell."""
        if options.get("opening") == "pie2":
            size = resolve_options(self.slug, self.accepts, options)["size"]
            names = self.make_grid(int(size)).names
            for side, letter in enumerate(LETTERS):
                self.puts |= {f"put {letter}{n}": (side, c) for c, n in enumerate(names)}
            self.pie, self.spoken = DONE, (*self.puts, DONE)
        super().__init__(**options)
        pairs = sum(map(len, self.grid.neighbours)) // 2
        self.longest = 1 << 20 if self.sight else 4 * pairs + len(self.grid)

    def make_grid(self, size: int) -> Grid:
        """A hexagon."""
        return hexagon(size)

    def at_start(self, seed: int) -> Start:
        """One action is left in White's first turn; none while a pie is set up."""
        return {"left": 0 if self.pie else 1}

    # What may be done

    def lean(self, board: GridView, cell: int) -> int:
        """White minus black stones that a cell sees."""
        white, black, _ = board.seen(cell) if self.sight else board.around(cell)
        return white - black

    def leans(self, board: GridView) -> list[int]:
        """How every cell leans; asked are those that see what changed since the last board."""
        stones, (was, leans) = tuple(board), self._leant
        if was != stones:
            cells, near = range(len(board)), self.grid.neighbours
            changed = [cell for cell in cells if not was or board[cell] != was[cell]]
            asked = {at for cell in changed for at in (cells if self.sight else near[cell])}
            leans = [self.lean(board, cell) if cell in asked else leans[cell] for cell in cells]
            self._leant = stones, leans
        return leans

    def may_place(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        """Not where the enemy controls; the first stone of `perimeter` on the perimeter."""
        if not board.left:
            return self.no("pie-first")
        if not board.played and self.options["opening"] == "perimeter":
            return cell in self.grid.perimeter or self.no("opening-perimeter", *self.grid.perimeter)
        if self.lean(board, cell) * (1 - 2 * side) >= 0:
            return True
        return self.no("enemy-cell")

    def may_lift(self, board: GridView, side: int, cell: int) -> bool | Refusal:
        """An enemy stone on a cell that one controls."""
        if not board.left:
            return self.no("pie-first")
        if board[cell] == side:
            return self.no("own-stone", cell)
        if self.lean(board, cell) * (1 - 2 * side) > 0:
            return True
        return self.no("not-yours-to-remove")

    def why_not(self, position: Position, side: int, move: Move) -> Refusal | None:
        """The rule that forbids a move, with the stones that its cell sees."""
        refusal = super().why_not(position, side, move)
        if refusal is None or refusal.rule not in REFUSED_BY_COUNT:
            return refusal
        board, cell = self.grid_view(position), self.act(move.code).cell
        near = board.sees(cell) if self.sight else board.neighbours(cell)
        proof = [c for c in near if board[c] != EMPTY]
        own = sum(board[c] == side for c in proof)
        return Refusal(refusal.rule, tuple(proof), (("enemy", len(proof) - own), ("own", own)))

    def remember(self, board: GridView, side: int, act: Act) -> Change:
        """Actions left in the turn; play begins when a pie's stones are set."""
        if act.word:
            return {"left": int(act.word == DONE)}
        return {"left": board.left - 1 or self.actions}

    def next_side(self, board: GridView, side: int, act: Act) -> int:
        """The other one, once a turn's actions are done; after a pie White."""
        return side if act.word or board.left < self.actions else 1 - side

    # The opening `pie2`: White's player sets a white and a black stone by words, and may move them

    def may_say(self, board: GridView, side: int, word: str) -> bool | Refusal:
        """`put wc4` on any empty cell, `done` with one stone of each colour."""
        if board.left:
            return self.no("not-now", word=word)
        if word == DONE:
            return bool(board.of(WHITE) and board.of(BLACK)) or self.no("pie-incomplete")
        _, cell = self.puts[word]
        return board[cell] == EMPTY or self.no("occupied", cell)

    def then_said(self, board: GridView, side: int, act: Act) -> Mapping[int, int]:
        """The one stone of a colour, which goes from where it was."""
        if act.word not in self.puts:
            return {}
        colour, cell = self.puts[act.word]
        return {**dict.fromkeys(board.of(colour), EMPTY), cell: colour}

    def at_setup(self, board: GridView) -> Mapping[str, int]:
        """Every action gains its side one stone or costs the other one, so that the difference of
        the stones tells whose turn it is, and how much of it is left."""
        white, black, first = board.count(WHITE), board.count(BLACK), board.of(WHITE)[:1]
        side = "side.white" if board.mover == WHITE else "side.black"
        if white + black == 0:
            raise ImpossiblePosition("setup.control.empty", side=side)
        behind = (black - white) * (1 - 2 * board.mover)
        if behind not in ((board.mover,), (0, 1))[self.actions - 1]:
            rule = "setup.control.counts" + "-12" * (self.actions - 1)
            raise ImpossiblePosition(rule, white=white, black=black, side=side)
        on_edge = self.options["opening"] != "perimeter" or {*first} <= {*self.grid.perimeter}
        if (white, black) == (1, 0) and not on_edge:
            raise ImpossiblePosition("setup.control.perimeter", cell=self.grid.names[first[0]])
        return {"left": 1 + behind if self.actions == 2 else 1}

    # What it comes to

    def repeated(self, board: GridView) -> Outcome:
        """A draw: stones may come round under sight."""
        return Outcome(None, "repetition")

    @property
    def may_repeat(self) -> bool:
        """Only under sight: else each move raises V or the number of stones."""
        return self.sight

    def owned(self, board: GridView) -> Mapping[int, int]:
        """Whose each cell is."""
        return {cell: int(lean < 0) for cell, lean in enumerate(self.leans(board)) if lean}

    def territories(self, board: GridView) -> list[list[int]]:
        """Cells that count for each side, by the option `scoring`."""
        owned, found = self.owned(board), []
        for side in (WHITE, BLACK):
            counts = {cell for cell, owner in owned.items() if owner == side}
            if self.options["scoring"] != "territory":
                counts &= {*board.of(EMPTY)}
            if self.options["scoring"] != "empty":
                counts |= {*board.of(side)}
            found.append(sorted(counts))
        return found

    def points(self, board: GridView) -> tuple[float, float]:
        """The sizes of the territories."""
        white, black = self.territories(board)
        return len(white), len(black)

    def agreed(self, board: GridView) -> Outcome | None:
        """More territory wins; if it is alike, the side whose turn it is not."""
        white, black = self.points(board)
        if white == black:
            return Outcome(1 - board.mover, "agreed-tie")
        return Outcome(int(black > white), "agreed")

    def final_counts(self, position: Position) -> tuple[int, ...] | None:
        """The territories, where both agreed to count them."""
        over = self.outcome(position)
        if over is None or not over.reason.startswith("agreed"):
            return None
        return tuple(territory for _, territory in self.scores(position))

    def final_steps(self, position: Position) -> tuple[tuple[Mark, ...], ...]:
        """The cells of either side's territory, where both agreed to count them."""
        if self.final_counts(position) is None:
            return ()
        return counted_cells(self.territories(self.grid_view(position)))

    def pieces_needed(self) -> Supply:
        """Half the cells for each side: after every action they differ by one stone at most."""
        enough = (len(self.grid) + 1) // 2
        return Supply({Kind.WHITE: enough, Kind.BLACK: enough}, is_exact=False)

    # What is said of it

    def explain(self, position: Position, move: Move) -> tuple[MoveEffect, ...]:
        """Cells that a move gains and frees, stones that it takes, threatens and saves."""
        after, sign = self.play(position, move), 1 - 2 * move.side
        before, then, act = self.grid_view(position), self.grid_view(after), self.act(move.code)
        was, now = ([lean * sign for lean in self.leans(one)] for one in (before, then))
        kept = {*before.of(move.side)}
        cells = {
            "captures": [] if before[act.cell] == EMPTY else [act.cell],
            "threatens": [c for c in then.of(1 - move.side) if now[c] > 0 >= was[c]],
            "saves": [c for c in then.of(move.side) if c in kept and was[c] < 0 <= now[c]],
            "gains": [c for c in then.of(EMPTY) if now[c] > 0 >= was[c]],
            "frees": [c for c in then.of(EMPTY) if now[c] == 0 > was[c]],
        }
        told = [move_effect(what, some, n=len(some)) for what, some in cells.items() if some]
        return (*told, *hurried(self, after, 1 - move.side))

    def counted(self, positions: Sequence[Position], moves: Sequence[Move]) -> dict[str, float]:
        """`lead_changes` by stones and territory together; of games that were played on to their
        end, `counts_at_half` and `counts_at_nine_tenths`: 1 where counting after that share of the
        moves would have named the winner, else 0."""
        totals = [[sum(counts) for counts in self.scores(position)] for position in positions]
        leads = lead_changes([white - black for white, black in totals])
        figures: dict[str, float] = {"lead_changes": leads}
        outcome = self.outcome(positions[-1])
        if outcome is not None and outcome.reason == "no-move":
            for name, tenths in (("half", 5), ("nine_tenths", 9)):
                then = self.agreed(self.grid_view(positions[len(moves) * tenths // 10]))
                named = then is not None and then.winner == outcome.winner
                figures[f"counts_at_{name}"] = int(named)
        return figures
