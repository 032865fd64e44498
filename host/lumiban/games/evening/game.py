"""Evening as the table sees it: options, notation, stands, the end, and what cells mean.

A Position's `state` holds the stones (+1 White, −1 Black, 0 empty, by cell) and who stands by
word (1 White, 2 Black; 4 only in questions); its `extra` whether a pie swapped the sides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from lumiban.errors import GameError
from lumiban.games.api import (
    BLACK,
    WHITE,
    Bent,
    Effect,
    Game,
    IllegalMove,
    Kind,
    Mark,
    Move,
    Option,
    Outcome,
    Position,
    Reading,
    Refusal,
)
from lumiban.games.evening import opening, refusals, said, setting
from lumiban.games.evening.patches import NO_CHESSBOARD, patch_from, words_for
from lumiban.games.evening.plan import (
    FIRST,
    NEAR,
    SEES,
    STANDS,
    STONES,
    TIES,
    WINS,
    plan_of,
)
from lumiban.games.evening.refusals import LETTERS, RESIGN, STAND
from lumiban.games.evening.state import EveningState, fresh, has_cell, leader, list_cells
from lumiban.games.groups import cascade, group_sizes, groups_of
from lumiban.games.reading import read_picture
from lumiban.grid import hexagon

KIND_OF = {0: Kind.EMPTY, 1: Kind.WHITE, -1: Kind.BLACK}
SIGN_OF = {WHITE: 1, BLACK: -1}
SIDES = (WHITE, BLACK)


class Evening(Game):
    """Evening, or another member of its family, with its options resolved.

    `cells` is `hexagon`, whose side is `size`, or a list of axial coordinates: any patch of hex
    cells, for which `size` means nothing.

    >>> game = Evening(size=3)
    >>> position = game.play(game.start(), game.parse(game.start(), "wc3"))
    >>> game.movers(position), game.decided(position)
    ((0, 1), None)
    >>> game.why_not(position, WHITE, game.parse(position, "wc4")).rule
    'evening.larger-sum'
    >>> Evening(preset="interleave") == Evening(sees="sight", size=4, opening="pie")
    True
    """

    slug: ClassVar[str] = "evening"
    accepts: ClassVar[tuple[Option, ...]] = (
        Option("size", 5, (2, 3, 4, 5, 6, 7, 8)),
        Option("cells", "hexagon", ("hexagon",), free=True),
        Option("turns", "turnless", ("turnless", "trailing")),
        Option("sees", "groups", SEES),
        Option("wins", "cascade", WINS),
        Option("tie", "even", TIES),
        Option("opening", "single", ("single", "pie")),
    )
    presets: ClassVar[Mapping[str, Mapping[str, int | str]]] = {
        "evening": {},
        "evening-odd-even": {"tie": "odd-even"},
        "interleave": {"sees": "sight", "size": 4, "opening": "pie"},
    }

    def __init__(self, **options: int | str) -> None:
        if "grid" in options and options["grid"] != "hexagon":
            raise GameError(NO_CHESSBOARD)
        super().__init__(**options)
        self.grid = hexagon(int(self.options["size"]))
        if self.options["cells"] != "hexagon":
            self.grid = patch_from(str(self.options["cells"]))
            self.options = {**self.options, "cells": words_for(self.grid)}
        self.sees = str(self.options["sees"])
        self.opening = str(self.options["opening"])
        self.plan = plan_of(
            self.grid,
            turnless=self.turnless,
            sees=self.sees,
            wins=str(self.options["wins"]),
            tie=str(self.options["tie"]),
        )
        self._last: tuple[tuple[int, ...], EveningState] | None = None
        self._trailing: Evening | None = None

    # Positions

    def start(self, seed: int = 0) -> Position:
        """The empty board; Evening knows no chance."""
        phase = opening.SETTING if self.opening == "pie" else "play"
        return replace(self.position((0,) * len(self.grid)), seed=seed, phase=phase)

    def position(self, stones: Sequence[int], stands: int = 0) -> Position:
        """A position in play without history, from stones (+1, −1, 0 a cell)."""
        return Position((*stones, stands), extra=(0,))

    def setup(self, stones: Mapping[str, int], *, to_move: int = WHITE, **more: Any) -> Position:
        """A position with these stones (cell name -> WHITE or BLACK), if a game may reach it.

        The stones tell who may move; `to_move` says nothing here. GameError says why a position
        is impossible. One with very many orders of play is let pass before all were tried.
        """
        return setting.place(self, stones, more)

    def state(self, position: Position) -> EveningState:
        """A fresh State on lists; in a pie's opening that of the stones set so far."""
        *stones, stands = position.state
        return fresh(self.plan, stones, stands)

    def known(self, position: Position) -> EveningState:
        """The State of a position, to look at and not to change; the last one is kept."""
        if self._last is None or self._last[0] is not position.state:
            self._last = (position.state, self.state(position))
        return self._last[1]

    def stones(self, position: Position) -> tuple[int, ...]:
        """+1, −1 or 0 for each cell."""
        return position.state[:-1]

    def pieces(self, position: Position) -> tuple[Kind, ...]:
        """What should stand on each cell."""
        return tuple(KIND_OF[stone] for stone in self.stones(position))

    # Moves and words

    @property
    def turnless(self) -> bool:
        """Whether either player may place at any time."""
        return self.options["turns"] == "turnless"

    def free(self, position: Position) -> bool:
        """Always in the turnless form, once a pie's stones are set and chosen."""
        return self.turnless and position.phase == "play"

    def with_turns(self) -> Evening | None:
        """The trailing form."""
        if self._trailing is None and self.turnless:
            self._trailing = Evening(**{**self.options, "turns": "trailing"})
        return self._trailing

    def pressed(self, position: Position, side: int) -> str | None:
        """The button stands."""
        return STAND if STAND in self.words(position, side) else None

    def question(self, position: Position, side: int) -> tuple[Evening, Position] | None:
        """As if turns went on from here by who would lose: that side places, and may stand where
        the other one does; who leads is asked as if it had the turn, and may leave it. None: there
        is nothing to place, or to stand is to win.
        """
        form = self.with_turns()
        opens = not any(self.stones(position)) and side == WHITE
        leads = not opens and side == self.leader(position)
        stood = 1 - side in self.stands(position)
        may = opens or self.open_cells(position, side)
        if form is None or side not in self.movers(position) or not may or (leads and stood):
            return None
        said = FIRST if leads else stood << (1 - side)
        placed = tuple(move for move in position.history if not move.is_word)
        return form, replace(form.position(self.stones(position), said), history=placed)

    def movers(self, position: Position) -> tuple[int, ...]:
        """Both sides, or in the trailing form the one that would lose now; White opens.

        In a pie White sets the stones and Black chooses.
        """
        if self.outcome(position) is not None:
            return ()
        if position.phase == opening.CHOOSING:
            return (BLACK,)
        if position.phase == opening.SETTING or not any(self.stones(position)):
            return (WHITE,)
        leads = bool(position.state[-1] & FIRST)
        return SIDES if self.turnless else (int(leads) ^ 1 - self.leader(position),)

    def moves(self, position: Position, side: int) -> list[Move]:
        """All placements of a side, by cell number; none while a pie is being set."""
        if position.phase != "play" or side not in self.movers(position):
            return []
        cells = len(self.grid)
        return [self.move_of(position, side * cells + c) for c in self.open_cells(position, side)]

    def open_cells(self, position: Position, side: int) -> tuple[int, ...]:
        """Cells where a side might place now, its turn or not."""
        out = [0] * len(self.grid)
        state = self.known(position)
        count = list_cells(state.plan, state.board, side, out)
        return tuple(code % len(self.grid) for code in out[:count])

    def move_of(self, position: Position, code: int) -> Move:
        """The Move of a cell number (white), cells + cell (black) or twice the cells + side."""
        side, cell = divmod(code, len(self.grid))
        if side > BLACK:
            return Move(cell, f"{STAND} {LETTERS[cell]}")
        return Move(side, LETTERS[side] + self.grid.names[cell], code)

    def words(self, position: Position, side: int) -> tuple[str, ...]:
        """`resign` at any time, `stand` for who does not stand yet; a pie's words."""
        if self.outcome(position) is not None:
            return ()
        said = opening.words(self, position, side)
        if refusals.no_stand(self, position, side) is None:
            said = (*said, STAND)
        return (*said, RESIGN)

    def parse(self, position: Position, text: str, side: int | None = None) -> Move:
        """The move that `text` notes, legal or not; IllegalMove when it notes none.

        A colour may be left out, of cells (`c4`) and of words (`stand`), where the side is given
        or only one may move.
        """
        noted = " ".join(text.lower().split())
        movers = self.movers(position)
        if opening.is_word(self, noted):
            chooses = position.phase == opening.CHOOSING
            return Move((BLACK if chooses else WHITE) if side is None else side, noted)
        own = side if side is not None else movers[0] if len(movers) == 1 else None
        word, _, letter = noted.partition(" ")
        if word in (RESIGN, STAND):
            if letter == "" and own in SIDES:
                return Move(own, f"{word} {LETTERS[own]}")
            if letter in ("w", "b"):
                return Move(LETTERS.index(letter) if side is None else side, noted)
        elif noted in self.grid.names and own in SIDES:
            return self.move_of(position, own * len(self.grid) + self.grid.cell(noted))
        elif noted[:1] in ("w", "b") and noted[1:] in self.grid.names:
            colour = LETTERS.index(noted[0])
            code = colour * len(self.grid) + self.grid.cell(noted[1:])
            return Move(colour if side is None else side, noted, code)
        raise IllegalMove(
            f"{text!r} is not a move of Evening: write colour and cell (wc4, bc4), stand w or"
            " resign b"
            if position.phase == "play"
            else f"{text!r} is not understood: write put wc4, lift c4, done or take white",
            Refusal("evening.unreadable", params=(("text", text),)),
        )

    def why_not(self, position: Position, side: int, move: Move) -> Refusal | None:
        """The rule that forbids `side` this move, with the stones that prove it, or None."""
        return refusals.why_not(self, position, side, move)

    def play(self, position: Position, move: Move) -> Position:
        """The position after a move or word; IllegalMove carries the refusal."""
        self.must_allow(position, move)
        after = replace(position, history=(*position.history, move))
        if move.text.startswith(RESIGN):
            return replace(after, over=Outcome(1 - move.side, "resigned"))
        stones = list(self.stones(position))
        if move.text.startswith(STAND):
            stands = position.state[-1]
            stands = 0 if stands & FIRST else stands | 1 << move.side
            return replace(after, state=(*stones, stands))
        if move.is_word:
            return opening.play(self, after, move)
        stones[move.code % len(stones)] = SIGN_OF[move.side]
        return replace(after, state=(*stones, 0))

    # What it comes to

    def leader(self, position: Position) -> int:
        """The side that would win if the game ended now."""
        state = self.known(position)
        return leader(state.plan, state.board)

    def stands(self, position: Position) -> tuple[int, ...]:
        """Sides that stand: by word, or by rule where they have no cell; turnless play only."""
        state = self.known(position)
        if not self.turnless or position.phase != "play" or state.board[STONES] == 0:
            return ()
        return tuple(
            side
            for side in SIDES
            if state.board[STANDS] >> side & 1 or not has_cell(state.plan, state.board, side)
        )

    def decided(self, position: Position) -> int | None:
        """The side that has won as soon as it stands: the other one would lose and has no cell."""
        if position.phase != "play" or not any(self.stones(position)):
            return None
        ahead, state = self.leader(position), self.known(position)
        return None if has_cell(state.plan, state.board, 1 - ahead) else ahead

    def outcome(self, position: Position) -> Outcome | None:
        """How the game ended: no-move (trailing), resigned, or by what counts when both stand."""
        if position.over is not None or position.phase != "play":
            return position.over
        code = self.known(position).outcome()
        if code < 0:
            return None
        if not self.turnless:
            return Outcome(code - 1, "no-move")
        stones = self.stones(position)
        if self.options["wins"] == "stones" and sum(stones) != 0:
            return Outcome(code - 1, "evening.more-stones")
        if self.options["wins"] == "cascade" and cascade(*self.sizes(position)) != 0:
            return Outcome(code - 1, "evening.larger-groups")
        if self.options["tie"] == "even":
            return Outcome(code - 1, "evening.tie")
        odd = stones.count(1) % 2 == 1
        return Outcome(code - 1, "evening.tie-odd") if odd else Outcome(BLACK, "evening.tie-even")

    def swapped(self, position: Position) -> bool:
        """Whether the chooser of a pie took White, so that the two players changed sides."""
        return bool(position.extra[0])

    def groups(self, position: Position) -> list[tuple[int, ...]]:
        """All groups of both colours, each as its cells."""
        return groups_of(self.grid.neighbours, self.stones(position))

    def sizes(self, position: Position) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The sizes of White's and of Black's groups, largest first."""
        near, stones = self.grid.neighbours, self.stones(position)
        return group_sizes(near, stones, 1), group_sizes(near, stones, -1)

    def counts(self, position: Position) -> tuple[tuple[int, int], ...]:
        """(stones, cells open to it) of each side."""
        stones = self.stones(position)
        return tuple(
            (stones.count(SIGN_OF[side]), len(self.open_cells(position, side))) for side in SIDES
        )

    def marks(self, position: Position, level: str) -> tuple[Mark, ...]:
        """Where who may move may place; from `control` on to whom each cell is open."""
        if level == "none":
            return ()
        if position.phase != "play":
            empty = [cell for cell, stone in enumerate(self.stones(position)) if stone == 0]
            setting_now = position.phase == opening.SETTING and position.over is None
            return tuple(Mark(cell, "may-place") for cell in empty) if setting_now else ()
        marks = []
        if level != "legal" and any(self.stones(position)):
            marks = [
                Mark(cell, "owned", side)
                for side in SIDES
                for cell in self.open_cells(position, side)
            ]
        for side in self.movers(position):
            marks += [Mark(c, "may-place", side) for c in self.open_cells(position, side)]
        return tuple(marks)

    def says(self, position: Position, move: Move) -> tuple[said.Said, ...]:
        """Groups that a stone lets grow, and cells that it opens and closes to whom."""
        return said.says(self, position, move)

    # The board's picture

    def effects(self, position: Position, move: Move) -> tuple[Effect, ...]:
        """The one cell of a placement or of a pie's word."""
        if move.is_word:
            return opening.effects(self, position, move)
        side, cell = divmod(move.code, len(self.grid))
        return ((cell, Kind.EMPTY, KIND_OF[SIGN_OF[side]]),)

    def read(self, position: Position, sensed: Sequence[int]) -> Reading:
        """What the picture means; while a pie is set, stones on the board are its words."""
        if position.phase == opening.SETTING and position.over is None:
            return read_picture(self, position, sensed, opening.changes(self, position))
        return read_picture(self, position, sensed)

    def looks_like(self, position: Position, changes: Mapping[int, int]) -> Move | None:
        """One stone more is its owner's placement; a stone that is lifted is nothing."""
        if len(changes) != 1:
            return None
        ((cell, kind),) = changes.items()
        if kind not in (Kind.WHITE, Kind.BLACK):
            return None
        return self.move_of(position, (kind - 1) * len(self.grid) + cell)

    @property
    def key_numbers(self) -> Sequence[int]:
        """One for each white stone, each black stone and, in turnless play, each stand."""
        first = NEAR + 6 * len(self.grid)
        return tuple(self.plan[first : first + 2 * len(self.grid) + 2 * self.turnless])

    def bent(self, position: Position) -> Bent:
        """A move's code tells its side."""
        return Bent("uct", codes=2 * len(self.grid) + 2)

    @property
    def capacity(self) -> tuple[int, int]:
        """Cells and a stand; each cell once, in turnless play after a stand perhaps."""
        cells = len(self.grid)
        return (cells + 1, 2 * cells + 2) if self.turnless else (cells, cells)
