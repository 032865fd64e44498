"""Evening as the table sees it: options, notation, stands, the end, and what cells mean.

A Position's `state` holds the stones (+1 White, −1 Black, 0 empty, by cell) and who stands by word
(1 White, 2 Black; 4 only in questions); its `extra` whether a pie swapped the sides.

Its board may be any patch of hex cells, told as a list in words, and no others. On squares and
triangles the cells fall into two classes that alternate like a chessboard's. The first stone would
settle the colour that every cell may take, no two like stones would ever touch, and the order of
play would not matter: there would be no game.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from lumiban.errors import GameError
from lumiban.games import mark_kinds
from lumiban.games.base import (
    BLACK,
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
    Reading,
    Refusal,
    SearchHints,
    grown,
    lead_changes,
    longer,
    move_effect,
    read_picture,
)
from lumiban.games.counting import counted_cells
from lumiban.games.evening.kernel import (
    FIRST,
    NEIGHBOURS,
    SEES,
    STANDS,
    STONE,
    STONES,
    TIES,
    WINS,
    EveningState,
    fresh,
    has_cell,
    leader,
    list_cells,
    plan_of,
)
from lumiban.games.kernel import (
    cascade,
    group_sizes,
    groups_of,
    seen_from,
)
from lumiban.grid import MAX_HEXAGON, Grid, hexagon, patch
from lumiban.system import size_limits

KIND_OF = {0: Kind.EMPTY, 1: Kind.WHITE, -1: Kind.BLACK}
SIGN_OF = {WHITE: 1, BLACK: -1}
SIDES = (WHITE, BLACK)

SETTING, CHOOSING = "set", "choose"
"""The phases of a pie before `play`."""
DONE, TAKE_WHITE, TAKE_BLACK = "done", "take white", "take black"
_STONE = {"w": 1, "b": -1}
_KIND = {0: Kind.EMPTY, 1: Kind.WHITE, -1: Kind.BLACK}
RESIGN, STAND = "resign", "stand"
LETTERS = "wb"


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
        Option("size", 5, tuple(range(2, MAX_HEXAGON + 1))),
        Option("cells", "hexagon", ("hexagon",), free=True),
        Option("turns", "turnless", ("turnless", "trailing")),
        Option("sees", "groups", SEES),
        Option("wins", "cascade", WINS),
        Option("tie", "even", TIES),
        Option("opening", "single", ("single", "pie")),
    )
    by_groups = ("evening.larger-groups",)
    presets: ClassVar[Mapping[str, Mapping[str, int | str]]] = {
        "evening": {},
        "evening-odd-even": {"tie": "odd-even"},
        "interleave": {"sees": "sight", "size": 4, "opening": "pie"},
        "ludii": {"turns": "trailing", "tie": "odd-even"},
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
        self._last: tuple[tuple[int, ...], EveningState, dict[int, tuple[int, ...]]] | None = None
        self._trailing: Evening | None = None

    # Positions

    def start(self, seed: int = 0) -> Position:
        """The empty board; Evening knows no chance."""
        phase = SETTING if self.opening == "pie" else "play"
        return replace(self.position((0,) * len(self.grid)), seed=seed, phase=phase)

    def position(self, stones: Sequence[int], stands: int = 0) -> Position:
        """A position in play without history, from stones (+1, −1, 0 a cell)."""
        return Position((*stones, stands), extra=(0,))

    def setup(self, stones: Mapping[str, int], *, to_move: int = WHITE, **more: Any) -> Position:
        """A position with these stones (cell name -> WHITE or BLACK), one of them white; GameError.

        The stones tell who may move; `to_move` says nothing here. Where only neighbours are seen
        they hang together, but for a pie's.
        """
        if more:
            raise GameError(f"evening sets up stones only, not {', '.join(sorted(more))}")
        cells = [0] * len(self.grid)
        for name, side in stones.items():
            if side not in (WHITE, BLACK):
                raise GameError(f"on {name} stands 0 (White) or 1 (Black), not {side!r}")
            cells[self.grid.cell(name)] = 1 if side == WHITE else -1
        if not stones:
            return self.start()
        if 1 not in cells:
            raise ImpossiblePosition("setup.evening.no-white")
        if self.opening == "single":
            self._check_patch(cells)
        return self.position(cells)

    def state(self, position: Position) -> EveningState:
        """A fresh State on lists; in a pie's opening that of the stones set so far."""
        *stones, stands = position.state
        return fresh(self.plan, stones, stands)

    def known(self, position: Position) -> EveningState:
        """The State of a position, to look at and not to change; the last one is kept."""
        return self._known_last(position)[1]

    def _known_last(
        self, position: Position
    ) -> tuple[tuple[int, ...], EveningState, dict[int, tuple[int, ...]]]:
        """(content, State, open cells of each side once listed) of a position; the last is kept."""
        if self._last is None or self._last[0] is not position.state:
            self._last = (position.state, self.state(position), {})
        return self._last

    def stones(self, position: Position) -> tuple[int, ...]:
        """+1, −1 or 0 for each cell."""
        return position.state[:-1]

    def pieces(self, position: Position) -> tuple[Kind, ...]:
        """Kind of piece that belongs on each cell."""
        return tuple(KIND_OF[stone] for stone in self.stones(position))

    # Moves and words

    @property
    def turnless(self) -> bool:
        """True if either player may place at any time."""
        return self.options["turns"] == "turnless"

    def is_free_play(self, position: Position) -> bool:
        """Always in the turnless form, once a pie's stones are set and chosen."""
        return self.turnless and position.phase == "play"

    def with_turns(self) -> Evening | None:
        """The trailing form."""
        if self._trailing is None and self.turnless:
            self._trailing = Evening(**{**self.options, "turns": "trailing"})
        return self._trailing

    def button_word(self, position: Position, side: int) -> str | None:
        """The button stands."""
        return STAND if STAND in self.words(position, side) else None

    def bot_position(self, position: Position, side: int) -> tuple[Evening, Position] | None:
        """As if turns went on from here by who would lose: that side places, and may stand where
        the other one does; who leads is asked as if it had the turn, and may leave it. None: there
        is nothing to place, or to stand is to win.
        """
        form = self.with_turns()
        opens = not any(self.stones(position)) and side == WHITE
        leads = not opens and side == self.leader(position)
        stood = 1 - side in self.declined_to_move(position)
        may = opens or self.open_cells(position, side)
        if form is None or side not in self.movers(position) or not may or (leads and stood):
            return None
        words = FIRST if leads else stood << (1 - side)
        placed = tuple(move for move in position.history if not move.is_word)
        return form, replace(form.position(self.stones(position), words), history=placed)

    def movers(self, position: Position) -> tuple[int, ...]:
        """Both sides, or in the trailing form the one that would lose now; White opens.

        In a pie White sets the stones and Black chooses.
        """
        if self.outcome(position) is not None:
            return ()
        if position.phase == CHOOSING:
            return (BLACK,)
        if position.phase == SETTING or not any(self.stones(position)):
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
        _, state, listed = self._known_last(position)
        if side not in listed:
            out = [0] * len(self.grid)
            count = list_cells(state.plan, state.board, side, out)
            listed[side] = tuple(code % len(self.grid) for code in out[:count])
        return listed[side]

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
        words = self._pie_words(position, side)
        if self._no_stand(position, side) is None:
            words = (*words, STAND)
        return (*words, RESIGN)

    def parse(self, position: Position, text: str, side: int | None = None) -> Move:
        """The move that `text` notes, legal or not; IllegalMove when it notes none.

        A colour may be left out, of cells (`c4`) and of words (`stand`), where the side is given
        or only one may move.
        """
        noted = " ".join(text.lower().split())
        movers = self.movers(position)
        if self._is_pie_word(noted):
            chooses = position.phase == CHOOSING
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
        if self.outcome(position) is not None:
            return Refusal("evening.over")
        if side not in (WHITE, BLACK):
            return Refusal("evening.not-your-turn")
        if move.is_word:
            return self._no_word(position, side, move)
        cells = len(self.grid)
        if move.code >= 2 * cells:
            return Refusal("evening.unreadable", params=(("text", move.text),))
        if position.phase != "play":
            return Refusal("evening.pie-first")
        if move.code // cells != side:
            return Refusal("evening.not-your-stone")
        return self._no_placement(position, side, move.code % cells)

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
            return self._play_pie_word(after, move)
        stones[move.code % len(stones)] = SIGN_OF[move.side]
        after = replace(after, state=(*stones, 0))
        if position.phase == "play":
            known = self.known(position)
            state = EveningState(known.plan, [*known.board], [0] * len(known.scratch))
            state.play(move.code % len(stones) + move.side * len(stones))
            self._last = (after.state, state, {})
        return after

    # What it comes to

    def leader(self, position: Position) -> int:
        """The side that would win if the game ended now."""
        state = self.known(position)
        return leader(state.plan, state.board)

    def declined_to_move(self, position: Position) -> tuple[int, ...]:
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

    def counted(self, positions: Sequence[Position], moves: Sequence[Move]) -> dict[str, float]:
        """`lead_changes` by stones; `narrowest`: the fewest cells open to a side to move."""
        stones = [[counts[0] for counts in self.scores(position)] for position in positions]
        open_cells = [
            len(self.moves(position, self.to_act(position))) for position in positions[:-1]
        ]
        return {
            "lead_changes": lead_changes([white - black for white, black in stones]),
            "narrowest": min(open_cells, default=0),
        }

    def outcome(self, position: Position) -> Outcome | None:
        """Outcome of the game: no-move (trailing), resigned, or by what counts when both stand."""
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

    def final_counts(self, position: Position) -> tuple[int, ...] | None:
        """The first sizes of groups that differ, or the stones, where they decided."""
        outcome = self.outcome(position)
        if outcome is not None and outcome.reason == "evening.more-stones":
            stones = self.stones(position)
            return stones.count(1), stones.count(-1)
        return super().final_counts(position)

    def final_steps(self, position: Position) -> tuple[tuple[Mark, ...], ...]:
        """Both sides' groups by rank, down to the one that decided; or their stones."""
        outcome, stones = self.outcome(position), self.stones(position)
        if outcome is not None and outcome.reason == "evening.more-stones":
            return counted_cells(
                [[c for c, stone in enumerate(stones) if stone == sign] for sign in (1, -1)]
            )
        return super().final_steps(position)

    def swapped(self, position: Position) -> bool:
        """True if the chooser of a pie took White, so that the two players changed sides."""
        return bool(position.extra[0])

    def groups(self, position: Position) -> list[tuple[int, ...]]:
        """All groups of both colours, each as its cells."""
        return groups_of(self.grid.neighbours, self.stones(position))

    def sizes(self, position: Position) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The sizes of White's and of Black's groups, largest first."""
        near, stones = self.grid.neighbours, self.stones(position)
        return group_sizes(near, stones, 1), group_sizes(near, stones, -1)

    def scores(self, position: Position) -> tuple[tuple[int, int], ...]:
        """(stones, cells open to it) of each side."""
        stones = self.stones(position)
        return tuple(
            (stones.count(SIGN_OF[side]), len(self.open_cells(position, side))) for side in SIDES
        )

    def marks(self, position: Position, level: str) -> tuple[Mark, ...]:
        """Cells on which those who may move may place; from `control` on the side to which each
        cell is open."""
        if level == "none":
            return ()
        if position.phase != "play":
            empty = [cell for cell, stone in enumerate(self.stones(position)) if stone == 0]
            setting_now = position.phase == SETTING and position.over is None
            return tuple(Mark(cell, mark_kinds.MAY_PLACE) for cell in empty) if setting_now else ()
        marks = []
        if level != "legal" and any(self.stones(position)):
            marks = [
                Mark(cell, mark_kinds.OWNED, side)
                for side in SIDES
                for cell in self.open_cells(position, side)
            ]
        for side in self.movers(position):
            marks += [Mark(c, mark_kinds.MAY_PLACE, side) for c in self.open_cells(position, side)]
        return tuple(marks)

    def explain(self, position: Position, move: Move) -> tuple[MoveEffect, ...]:
        """Groups that a stone lets grow, and cells that it opens and closes to whom."""
        me, other = move.side, 1 - move.side
        cell = move.code % len(self.grid)
        after = self.play(position, move)
        stones, then = self.stones(position), self.stones(after)
        effects = []
        if any(stones) and self.leader(position) != me and self.leader(after) == me:
            effects.append(move_effect("leads"))
        effects += grown(self.grid.neighbours, stones, then, cell)
        effects += longer(self.sizes(position)[me], self.sizes(after)[me])
        if not any(stones):
            return tuple(effects)
        for side, whose in ((me, "own"), (other, "other")):
            was, now = (set(self.open_cells(at, side)) - {cell} for at in (position, after))
            for what, changed in (("opens", now - was), ("closes", was - now)):
                if changed:
                    effects.append(move_effect(f"{what}-{whose}", sorted(changed), n=len(changed)))
        if not self.open_cells(after, other) and self.outcome(after) is None:
            effects.append(move_effect("shuts-out"))
        return tuple(effects)

    # The board's picture

    def effects(self, position: Position, move: Move) -> tuple[Effect, ...]:
        """The one cell of a placement or of a pie's word."""
        if move.is_word:
            return self._pie_effects(position, move)
        side, cell = divmod(move.code, len(self.grid))
        return ((cell, Kind.EMPTY, KIND_OF[SIGN_OF[side]]),)

    def read(self, position: Position, sensed: Sequence[int]) -> Reading:
        """Meaning of the picture; while a pie is set, stones on the board are its words."""
        if position.phase == SETTING and position.over is None:
            return read_picture(self, position, sensed, self._pie_changes(position))
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
    def stones_at(self) -> int:
        """The kernel's place for them."""
        return STONE

    @property
    def zobrist_keys(self) -> Sequence[int]:
        """One for each white stone, each black stone and, in turnless play, each stand."""
        first = NEIGHBOURS + 6 * len(self.grid)
        return tuple(self.plan[first : first + 2 * len(self.grid) + 2 * self.turnless])

    def search_hints(self, position: Position) -> SearchHints:
        """A move's code tells its side."""
        return SearchHints("uct", codes=2 * len(self.grid) + 2)

    @property
    def capacity(self) -> tuple[int, int]:
        """Cells and a stand; each cell once, in turnless play after a stand perhaps."""
        cells = len(self.grid)
        return (cells + 1, 2 * cells + 2) if self.turnless else (cells, cells)

    # The pie of the opening `pie`, in words: one player sets up stones, the other takes a colour
    #
    # White's seat says `put wc4` and `put bc4` for any number of stones, `lift c4` to take one
    # off again, and `done` once there is a white one; then Black's seat says `take white` or
    # `take black`. Who takes White there has swapped sides.

    def pie_follows(self, position: Position) -> bool:
        """True while White sets up."""
        return position.phase == SETTING

    def _is_pie_word(self, text: str) -> bool:
        """True if this is a word of the pie, said at the right time or not."""
        return text in (DONE, TAKE_WHITE, TAKE_BLACK) or self._change(text) is not None

    def _pie_words(self, position: Position, side: int) -> tuple[str, ...]:
        """The words of the pie that `side` may say now."""
        if position.phase == SETTING and side == WHITE:
            changes = tuple(move.text for move in self._pie_changes(position))
            return (*changes, DONE) if 1 in self.stones(position) else changes
        if position.phase == CHOOSING and side == BLACK:
            return (TAKE_WHITE, TAKE_BLACK)
        return ()

    def _pie_changes(self, position: Position) -> list[Move]:
        """`put` for each colour and empty cell, `lift` for each stone."""
        stones = self.stones(position)
        changes = [
            Move(WHITE, f"put {letter}{name}")
            for letter in _STONE
            for cell, name in enumerate(self.grid.names)
            if stones[cell] == 0
        ]
        lifts = [name for cell, name in enumerate(self.grid.names) if stones[cell] != 0]
        return changes + [Move(WHITE, f"lift {name}") for name in lifts]

    def _pie_refusal(self, position: Position, side: int, move: Move) -> Refusal | None:
        """Reason why this word of the pie may not be said by `side` now."""
        change = self._change(move.text)
        sets = change is not None or move.text == DONE
        if position.phase != (SETTING if sets else CHOOSING):
            return Refusal("evening.not-now", params=(("word", move.text),))
        if side != (WHITE if sets else BLACK):
            return Refusal("evening.other-player")
        if change is not None:
            stone, cell = change
            there = self.stones(position)[cell]
            if stone != 0 and there != 0:
                return Refusal("evening.occupied", (cell,))
            if stone == 0 and there == 0:
                return Refusal("evening.empty-cell", (cell,))
        if move.text == DONE and 1 not in self.stones(position):
            return Refusal("evening.pie-needs-white")
        return None

    def _play_pie_word(self, position: Position, move: Move) -> Position:
        """The position after a word of the pie that is allowed."""
        change = self._change(move.text)
        if change is not None:
            stone, cell = change
            state = list(position.state)
            state[cell] = stone
            return replace(position, state=tuple(state))
        if move.text == DONE:
            return replace(position, phase=CHOOSING)
        return replace(position, phase="play", extra=(int(move.text == TAKE_WHITE),))

    def _pie_effects(self, position: Position, move: Move) -> tuple[Effect, ...]:
        """`put` and `lift` change one cell, other words none."""
        change = self._change(move.text)
        if change is None:
            return ()
        stone, cell = change
        return ((cell, _KIND[self.stones(position)[cell]], _KIND[stone]),)

    def _change(self, text: str) -> tuple[int, int] | None:
        """(stone, cell) of `put wc4` or, with 0 for the stone, of `lift c4`; None for others."""
        word, _, rest = text.partition(" ")
        stone = 0
        if word == "put" and rest[:1] in _STONE:
            stone, rest = _STONE[rest[0]], rest[1:]
        elif word != "lift":
            return None
        return (stone, self.grid.cell(rest)) if rest in self.grid.names else None

    # Why a move of Evening is not allowed: the rule, and the stones that prove it

    def _no_word(self, position: Position, side: int, move: Move) -> Refusal | None:
        word, _, letter = move.text.partition(" ")
        if word in (RESIGN, STAND) and letter in ("w", "b"):
            if LETTERS.index(letter) != side:
                return Refusal("evening.other-player")
            if word == RESIGN:
                return None
            return self._no_stand(position, side)
        if self._is_pie_word(move.text):
            return self._pie_refusal(position, side, move)
        return Refusal("evening.unreadable", params=(("text", move.text),))

    def _no_stand(self, position: Position, side: int) -> Refusal | None:
        """Reason why `side` may not stand now, or None; with turns only in a bot's question."""
        asked = position.state[-1] != 0 and side in self.movers(position)
        if not self.turnless and not asked:
            return Refusal("evening.no-stand")
        if position.phase != "play" or not any(self.stones(position)):
            return Refusal("evening.not-now", params=(("word", STAND),))
        if side in self.declined_to_move(position):
            return Refusal("evening.already-stands")
        return None

    def _no_placement(self, position: Position, side: int, cell: int) -> Refusal | None:
        stones = self.stones(position)
        if stones[cell] != 0:
            return Refusal("evening.occupied", (cell,))
        if not any(stones):
            return Refusal("evening.white-opens") if side == BLACK else None
        if side not in self.movers(position):
            return Refusal("evening.not-your-turn")
        own, enemy, proof = self._seen(position, side, cell)
        if own < enemy:
            return None
        if not proof:
            return Refusal("evening.sees-nothing", (cell,))
        if own == enemy:
            return Refusal("evening.equal-sums", proof, (("sum", own),))
        return Refusal("evening.larger-sum", proof, (("own", own), ("enemy", enemy)))

    def _seen(self, position: Position, side: int, cell: int) -> tuple[int, int, tuple[int, ...]]:
        """The sums that an empty cell sees of `side` and of the enemy, and the stones that make
        them: every stone of a group that it touches, or those next to it or in sight."""
        stones = self.stones(position)
        if self.sees == "groups":
            near = set(self.grid.neighbours[cell])
            groups = groups_of(self.grid.neighbours, stones)
            proof = tuple(sorted(c for group in groups if near & set(group) for c in group))
        else:
            proof = seen_from(self.grid, stones, cell, sight=self.sees == "sight")
        sign = 1 if side == WHITE else -1
        own = sum(stones[c] == sign for c in proof)
        return own, len(proof) - own, proof

    # Setting up a position of Evening; with the opening `pie` any stones may be set.

    def _check_patch(self, stones: list[int]) -> None:
        """Every stone but the first is set next to another, where only neighbours are seen."""
        if self.sees == "sight":
            return
        reached = {next(cell for cell, stone in enumerate(stones) if stone)}
        todo = list(reached)
        for cell in todo:
            more = [n for n in self.grid.neighbours[cell] if stones[n] and n not in reached]
            reached.update(more)
            todo += more
        for cell, stone in enumerate(stones):
            if stone and cell not in reached:
                raise ImpossiblePosition(
                    "setup.evening.apart",
                    cell=self.grid.name(cell),
                    other=self.grid.name(todo[0]),
                )


MAX_ROWS = 26
"""Rows are named by one letter, so that `wc4` is never anything but white on c4."""
MAX_CELLS = 217

NO_CHESSBOARD = (
    "evening needs hex cells: squares and triangles alternate like a chessboard's, so that the"
    " first stone settles the colour of every cell and no two like stones ever touch"
)

_OTHER_GRIDS = re.compile(r"squar|rectang|triang|chess|\bgo\b", re.IGNORECASE)
_PAIR = re.compile(r"(-?\d{1,3}),(-?\d{1,3})")


def patch_from(text: str) -> Grid:
    """The patch of these axial coordinates: `q,r` by spaces, a line each, or a JSON list of pairs.

    GameError says what is wrong with the list.

    >>> patch_from("0,0 1,0 0,1").names, len(patch_from("[[0, 0], [1, 0]]"))
    (('b1', 'b2', 'a1'), 2)
    >>> patch_from("square")
    Traceback (most recent call last):
    lumiban.errors.GameError: evening needs hex cells: squares and triangles alternate like a \
chessboard's, so that the first stone settles the colour of every cell and no two like stones \
ever touch
    """
    if _OTHER_GRIDS.search(text):
        raise GameError(NO_CHESSBOARD)
    cells = _listed(text) if text.lstrip().startswith("[") else _written(text)
    if len(cells) > MAX_CELLS:
        raise GameError(f"evening option cells: {len(cells)} cells are more than {MAX_CELLS}")
    if len({r for _, r in cells}) > MAX_ROWS:
        raise GameError(f"evening option cells: there are more than {MAX_ROWS} rows")
    try:
        return patch(cells)
    except GameError as reason:
        raise GameError(f"evening option cells: {reason}") from None


def words_for(grid: Grid) -> str:
    """A patch as it stands among a game's options, the same for the same cells.

    >>> words_for(patch_from("[[0,1], [1,0], [0,0]]"))
    '0,0 1,0 0,1'
    """
    return " ".join(f"{q},{r}" for q, r in grid.cells)


def _listed(text: str) -> list[tuple[int, int]]:
    try:
        listed = size_limits.from_json(text)
    except size_limits.Unreadable as reason:
        raise GameError(f"evening option cells is no list of pairs: {reason}") from None
    cells = []
    for entry in listed:
        whole = isinstance(entry, list) and all(type(n) is int for n in entry)
        if not whole or len(entry) != 2:
            raise _no_cell(json.dumps(entry))
        cells.append((entry[0], entry[1]))
    return cells


def _written(text: str) -> list[tuple[int, int]]:
    cells = []
    for line in re.split(r"[;\n]", re.sub(r"\s*,\s*", ",", text)):
        entries = line.partition("#")[0].split()
        if len(entries) == 2 and not any("," in entry for entry in entries):
            entries = [",".join(entries)]
        for entry in entries:
            match = _PAIR.fullmatch(entry)
            if match is None:
                raise _no_cell(entry)
            cells.append((int(match[1]), int(match[2])))
    return cells


def _no_cell(entry: str) -> GameError:
    return GameError(
        f"evening option cells: {entry[:40]} is no hex cell: write hexagon, or cells as two axial"
        " numbers each, such as 0,0 1,0 0,1"
    )
