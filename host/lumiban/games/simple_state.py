"""State of a game in plain Python: its rule's own methods, as a search asks for them."""

from __future__ import annotations

from typing import Any

from lumiban.errors import RuleError
from lumiban.games.act import BLOCK, GROW, LEND, LIFT, ON_CELLS, PLACE, REPLACE, SAY
from lumiban.games.grid_view import EMPTY, GridView
from lumiban.games.kernel import randint_below
from lumiban.games.registry import telling
from lumiban.games.types import BLACK, NEUTRAL, WHITE, Outcome


def note_draws(game: Any) -> None:
    """Note with a game what its random games draw from: acts by cell, then words."""
    cells = len(game.grid)
    on: dict[tuple[int, int], list[str]] = {}
    for side in (WHITE, BLACK):
        for holds in (EMPTY, WHITE, BLACK, NEUTRAL):
            does = {
                PLACE: holds == EMPTY,
                LIFT: game._lifts and holds != EMPTY,
                BLOCK: game._blocks and holds == EMPTY,
                REPLACE: game._replaces and holds in (1 - side, NEUTRAL),
                GROW: game._grows and holds == side,
                LEND: game._lends and holds == EMPTY,
            }
            on[side, holds] = [do for do in ON_CELLS if does[do]]
    game.kinds_a_cell = max(map(len, on.values()))
    """Acts on one cell among which one draws at most."""
    game.places = cells * game.kinds_a_cell
    """What is drawn below this is an act on a cell, else a word."""
    game.slots = range(game.places + len(game.said))
    game.slot_cells = [slot // game.kinds_a_cell for slot in range(game.places)]
    game.asked_at = tuple(
        [
            [
                (
                    game._asked[on[side, holds][at]],
                    game._firsts[on[side, holds][at]] + cell,
                )
                if at < len(on[side, holds])
                else None
                for holds in (WHITE, BLACK, NEUTRAL, EMPTY)
            ]
            for cell in range(cells)
            for at in range(game.kinds_a_cell)
        ]
        for side in (WHITE, BLACK)
    )
    """By side, by what is drawn, by what stands there (EMPTY, −1, comes last): what to ask, and
    the act's number."""


class SimpleState:
    """One position, played on by the rule's own methods.

    It has the methods that every State has. The search runs it as it is and compiles nothing.
    """

    __slots__ = ("board", "game")

    def __init__(self, game: Any, board: GridView) -> None:
        self.game = game.searching
        """The SimpleGame whose rule it is."""
        self.board = board

    def assign(self, other: SimpleState) -> None:
        """Become a copy of `other`."""
        self.board.become(other.board)

    def mover(self) -> int:
        """The side to move."""
        return self.board.mover

    def moves(self, out: Any) -> int:
        """Write all moves into `out` and return how many there are; none once it is over."""
        with telling(self.game, self.board, is_limited=True):
            codes = self.game.look(self.board)[1]
        for at, code in enumerate(codes):
            out[at] = code
        return len(codes)

    def play(self, move: int) -> None:
        """Make a legal move."""
        with telling(self.game, self.board, is_limited=True):
            self.game.apply(self.board, move)

    def outcome(self) -> int:
        """−1 while the game runs, 0 for a draw, 1 when White has won, 2 when Black has."""
        with telling(self.game, self.board, is_limited=True):
            if self.board.looked is not None:
                over = self.board.looked[0]
            else:
                over = self.game.verdict(self.board)
                if over is None and not self.game._any(self.board):
                    over = self.game.stuck(self.board)
        return -1 if over is None else _code(over)

    def playout(self, rng: Any, trace: Any) -> int:
        """Play on at random, evenly among the moves, to the end; returns the outcome's code."""
        with telling(self.game, self.board, is_limited=True):
            return _code(self._play_out(rng, trace))

    def key(self) -> int:
        """A 61-bit hash of the whole position."""
        board = self.board
        return hash((board.content(), board.played, board.code)) & 0x7FFFFFFFFFFFFFFF

    def _play_out(self, rng: Any, trace: Any) -> Any:
        """Play on to the end: what `SimpleGame.verdict` and `apply` say, written out."""
        game, board = self.game, self.board
        slots = list(game.slots)
        places, tables, most = game.places, game.asked_at, len(slots)
        cells, slides, apply = game.slot_cells, game._slides, game.apply
        forbids = game.repetition == "forbidden"
        while (over := game.verdict(board)) is None:
            if forbids:
                codes = game.codes(board)
                if not codes:
                    return game.stuck(board)
                code = codes[randint_below(rng, len(codes))]
            else:
                side = board.mover
                asked_at = tables[side]
                slid = game.slid(board, side) if slides else []
                more = sum([len(ends) for _, ends in slid])
                left, s = most, rng[0]
                # Drawn from all that might be, until one is allowed: that asks about few.
                while True:
                    count = left + more
                    if not count:
                        rng[0] = s
                        return game.stuck(board)
                    # `randint_below`, written out: half of the time would go into its calls.
                    s = (s * 6364136223846793005 + 1442695040888963407) & 0x7FFFFFFFFFFFFFFF
                    at = (s >> 31) * count >> 32
                    if at >= left:
                        at -= left
                        for first, ends in slid:
                            if at < len(ends):
                                code = first + ends[at]
                                break
                            at -= len(ends)
                        break
                    slot = slots[at]
                    if slot < places:
                        cell = cells[slot]
                        asked = asked_at[slot][board[cell]]
                        if asked is not None:
                            ask, code = asked
                            if ask(board, side, cell) is True:
                                break
                    elif game._may_say(board, side, game.said[slot - places]) is True:
                        code = game._firsts[SAY] + slot - places
                        break
                    left -= 1
                    slots[at] = slots[left]
                    slots[left] = slot
                rng[0] = s
            trace[0] += 1
            trace[trace[0]] = code
            apply(board, code)
        return over


def _code(over: Outcome) -> int:
    """An outcome's number; RuleError for what is none."""
    if not isinstance(over, Outcome):
        word = "stuck" if over is None else "ended"
        raise RuleError(f"{word} says {over!r}: it is self.win(side) or self.draw()")
    return 0 if over.winner is None else over.winner + 1
