"""Rengi's chain-power test: alone, five lists of pairs, 45 hands each; a score from what was built.

The paper wants a test that measures the time used, the length of a chain and its points, and gives
a first rating. The numbers are ours: of each list counts the longest chain (of equally long ones
the one with more points); its score is 100 for each step and 1 for each 100 points of the chain,
less 1 for each 10 s from the list's first hand to its last; the test's score, which can be declared
as a first rating, is the mean of five.

Everything is Rengi's by turns, open rules, with the next two pairs shown. The second player's seat
stays empty: its clock stands so far ahead that its turn never comes, and no ojama are made. The
lists come from the seed, or from a day that all players share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from lumiban.errors import GameError
from lumiban.games.base import Move, Option, Outcome, Position, Refusal
from lumiban.games.rengi import arrays, options
from lumiban.games.rengi.arrays import (
    CLOCK,
    ENDED,
    FACED,
    FACES,
    MADE,
    MIRRORED,
    PAIRS,
    RATE,
    SIDE_SIZE,
    SIDES,
    Pair,
    bare_board,
    plan_of,
)
from lumiban.games.rengi.field import Chain
from lumiban.games.rengi.game import Rengi
from lumiban.games.rengi.kernel import RengiState
from lumiban.games.rengi.notation import RESIGN

LISTS = 5
HANDS = 45
LOOP = 46
"""Pairs drawn for a list: an even number, so that colours come equally often; the last stays."""
NEXT = "next"
"""The word that ends a list before its last hand."""
DONE = "chain-power.done"
NEVER = 1 << 40
"""A clock that is never reached."""
NO_OJAMA = 1 << 40
"""A rate that no chain's points reach."""
OTHER = SIDES + SIDE_SIZE
"""Numbers of the seat that stays empty; its MIRRORED is the number of the list, from 0."""

STEP_SCORE = 100
POINTS_A_SCORE = 100
SECONDS_A_SCORE = 10

_CHANGED: dict[str, int | str] = {
    "mode": "open",
    "loop": LOOP,
    "visible_next": 2,
    "begins": "first",
    "all_clear": "off",
    "mirror_limit": "off",
    "chain_pass": "off",
    "clock": "none",
}
FIXED = options.resolved(_CHANGED)
"""Rengi's options as the test has them."""


@dataclass(frozen=True, slots=True)
class ListResult:
    """Result of one list of pairs."""

    length: int
    """Steps of its longest chain."""
    points: int
    """Points of that chain."""
    hands: int
    seconds: float
    """From the list's first hand to its last."""

    @property
    def score(self) -> int:
        """Score of the list, from 0.

        >>> ListResult(19, 175_080, 45, 300.0).score, ListResult(0, 0, 45, 100.0).score
        (3620, 0)
        """
        earned = STEP_SCORE * self.length + self.points // POINTS_A_SCORE
        return max(0, earned - int(self.seconds) // SECONDS_A_SCORE)


@dataclass(frozen=True, slots=True)
class PowerResult:
    """Result of a whole test."""

    lists: tuple[ListResult, ...]

    @property
    def score(self) -> int:
        """The mean of all five lists, of which those that were not begun count nothing."""
        return sum(one.score for one in self.lists) // LISTS

    @property
    def length(self) -> int:
        """The longest chain of all."""
        return max((one.length for one in self.lists), default=0)

    @property
    def points(self) -> int:
        """Points of the best chains, in all."""
        return sum(one.points for one in self.lists)

    @property
    def seconds(self) -> float:
        """Time used for all lists."""
        return sum(one.seconds for one in self.lists)


class ChainPower(Rengi):
    """The chain-power test as a game for one.

    >>> game = ChainPower(day="20261123")
    >>> position = game.start(1)
    >>> game.movers(position), len(game.next_pairs(position, 0))
    ((0,), 3)
    >>> position = game.play(position, game.parse(position, "next"))
    >>> game.list_number(position)
    1
    """

    slug: ClassVar[str] = "chain-power"
    accepts: ClassVar[tuple[Option, ...]] = (Option("day", "none", ("none",), free=True),)
    """Options that may be chosen; a record names the rules too, which are the same for all."""

    def __init__(self, **given: int | str) -> None:
        day = str(given.pop("day", "none"))
        if day != "none" and not (day.isascii() and day.isdigit() and len(day) == 8):
            raise GameError(
                f"chain-power option day is none or a day as 20261123, not {day[:40]!r}"
            )
        for name, value in given.items():
            if name not in FIXED:
                raise GameError(f"chain-power has no option {name!r}: it has day")
            if str(value) != str(FIXED[name]):
                raise GameError(
                    f"chain-power has {name}={FIXED[name]}: a test has the same rules for all"
                )
        super().__init__(**FIXED)
        self.options = {"day": day, **FIXED}

    @classmethod
    def remarks(cls, language: str) -> tuple[str, ...]:
        """Nothing: its options are fixed."""
        return ()

    def start(self, seed: int = 0) -> Position:
        """The first list, empty fields."""
        return replace(self._list(0, seed), seed=seed)

    def list_number(self, position: Position) -> int:
        """Number of the list that is being played, from 0."""
        return position.state[OTHER + MIRRORED]

    def _list(self, number: int, seed: int) -> Position:
        base = seed if self.options["day"] == "none" else int(self.options["day"])
        pairs = arrays.drawn(LOOP, LISTS * base + number)
        plan = plan_of(self.options, pairs)
        plan[RATE] = NO_OJAMA
        board = bare_board(plan, 0, LISTS * base + number + 1, 0)
        board[OTHER + CLOCK] = NEVER
        board[OTHER + MIRRORED] = number
        used = board[:FACES]
        return Position((*used, *plan[len(plan) - 2 * plan[PAIRS] :]))

    def state(self, position: Position) -> RengiState:
        """A fresh State, in which points make no ojama."""
        state = super().state(position)
        state.plan[RATE] = NO_OJAMA
        return state

    def setup(
        self, stones: Mapping[str, int] | None = None, *, to_move: int | str = 0, **more: Any
    ) -> Position:
        """GameError: a test begins with empty fields."""
        raise GameError("a chain-power test begins with an empty field")

    def view(self, position: Position, side: int | None) -> Position:
        """Position as it may be known: the pairs shown so far of this list, and no seed."""
        seen = super().view(position, side)
        return seen if seen is not position else replace(position, seed=0)

    def pairs_ahead(self, position: Position, side: int) -> tuple[Pair, ...]:
        """The player's; nobody sits in the second seat."""
        return super().pairs_ahead(position, side) if side == 0 else ()

    def words(self, position: Position, side: int) -> tuple[str, ...]:
        """`next` ends the list, `resign` the test."""
        return () if side not in self.movers(position) else (NEXT, RESIGN)

    def parse(self, position: Position, text: str, side: int | None = None) -> Move:
        """The hand or word that `text` notes; IllegalMove when it notes none."""
        if text.strip().lower() == NEXT:
            return Move(position.state[arrays.MOVER] if side is None else side, NEXT)
        return super().parse(position, text, side)

    def why_not(self, position: Position, side: int, move: Move) -> Refusal | None:
        """The rule that forbids this hand or word, or None."""
        if move.text == NEXT and move.side == side and side in self.movers(position):
            return None
        return super().why_not(position, side, move)

    def play(self, position: Position, move: Move) -> Position:
        """The position after a hand; after a list's last one, or a lost field, the next list."""
        self.must_allow(position, move)
        history = (*position.history, move)
        if move.text == RESIGN:
            return replace(position, history=history, over=Outcome(1, "resigned"))
        if move.text != NEXT:
            state = self.state(position)
            state.play(move.code)
            board = state.board
            if not board[ENDED] and board[SIDES + MADE] < HANDS:
                flat = (*board[: FACES + board[FACED]], *_supply(state.plan))
                return replace(position, state=flat, history=history)
        number = self.list_number(position) + 1
        if number == LISTS:
            return replace(position, history=history, over=Outcome(0, DONE))
        begun = self._list(number, position.seed)
        return replace(begun, history=history, seed=position.seed)

    def page_figures(self, position: Position) -> dict[str, Any]:
        """Rengi's figures without the empty seat's, and how far the test is."""
        figures = super().page_figures(position)
        figures["clock"] = [figures["clock"][0], 0]
        figures["test"] = {
            "list": self.list_number(position) + 1,
            "lists": LISTS,
            "hand": min(position.state[SIDES + MADE] + 1, HANDS),
            "hands": HANDS,
        }
        return figures


def measured(
    game: ChainPower, positions: Sequence[Position], times_us: Sequence[int]
) -> PowerResult:
    """The result of a test from its positions, the first one included, and when moves were made.

    Times are the board's, in µs, one a move; a time before the one it follows counts as it, so that
    no clock that was set back gives time away.
    """
    by_list: dict[int, list[tuple[Chain, int]]] = {}
    now = 0
    moves = positions[-1].history[len(positions[0].history) :]
    for before, move, at_us in zip(positions, moves, times_us, strict=False):
        now = max(now, at_us)
        if not move.is_word:
            by_list.setdefault(game.list_number(before), []).append((game.chain(before, move), now))
    lists = []
    for number in range(max(by_list, default=-1) + 1):
        hands = by_list.get(number, [])
        length, points = max(
            ((len(chain.steps), chain.points) for chain, _ in hands), default=(0, 0)
        )
        seconds = (hands[-1][1] - hands[0][1]) / 1e6 if hands else 0.0
        lists.append(ListResult(length, points, len(hands), seconds))
    return PowerResult(tuple(lists))


def _supply(plan: Sequence[int]) -> tuple[int, ...]:
    return tuple(plan[len(plan) - 2 * plan[PAIRS] :])
