"""Analysis of Tokyo Doves: forced wins first, then all actions side by side, depth by depth.

Alpha-beta tells the worth of one action and that the others are no better; here each action's
position is searched by itself, so that all have a worth, and all to the same depth. From some
depth on only the better half goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from lumiban.games.base import Game, Move, Position
from lumiban.search.analysis import DRAW, LOSS, OPEN, WIN, Line, Looking
from lumiban.search.doves_ahead import SURE
from lumiban.search.doves_ahead import WIN as SCORE_OF_WIN
from lumiban.search.doves_mate import Hunter, Mate, main_line
from lumiban.search.doves_think import Search, chance, warm

if TYPE_CHECKING:
    from lumiban.games.doves import Doves

LONGEST_HUNT = 5
"""Wins within so many plies are hunted for before anything else."""
HUNT_SHARE = 4
"""The hunt takes this part of the budget at most."""
ALL_UNTIL, KEEP = 2, 8
"""Up to this depth all actions are searched; then the better half, but so many at least."""
DEEPEST = 24
TABLE_BITS = 12
"""Of the table of each action's search: with many actions these take the most memory."""


@dataclass(slots=True)
class _Action:
    """One action and what is known of it."""

    move: Move
    search: Search | None
    """None where the action ends the game."""
    value: float = 0.5
    proof: str = OPEN
    plies: int = 0
    """Of what is proven: until the end, this action included; 0 where that is not known."""
    kept: int = 0
    """How often it was among the better half."""
    visits: int = 0
    line: tuple[Move, ...] = field(default=())

    @property
    def rank(self) -> tuple[int, int, int, float]:
        certain = {WIN: 1, LOSS: -1}.get(self.proof, 0)
        # A shorter win and a longer loss are better.
        sooner = -self.plies if self.proof == WIN else self.plies if self.proof == LOSS else 0
        return certain, sooner, 0 if certain else self.kept, self.value


class DovesLooking(Looking):
    """All actions of a position; counts positions."""

    unit = "positions"

    def __init__(
        self,
        game: Game,
        position: Position,
        seed: int,
        budget: int,
        *,
        compiled: bool = True,
        late: Callable[[], bool] | None = None,
    ) -> None:
        super().__init__(game, position)
        self._most_hunted, self._late = budget // HUNT_SHARE, late
        self._doves = doves = cast("Doves", game)
        self._compiled = compiled
        side = position.state[0]
        self._hunter = Hunter(doves, position, compiled=compiled)
        self._hunted = 1
        self._actions = []
        for move in game.moves(position, side):
            after = game.play(position, move)
            over = game.outcome(after)
            if over is None:
                search = Search(
                    doves, after, seed, compiled=compiled, deepest=1, table_bits=TABLE_BITS
                )
                self._actions.append(_Action(move, search, line=(move,)))
                continue
            proof = {side: WIN, None: DRAW}.get(over.winner, LOSS)
            value = {WIN: 1.0, DRAW: 0.5, LOSS: 0.0}[proof]
            self._actions.append(_Action(move, None, value, proof, 1, line=(move,)))
        self._depth = 1
        self._open = [action for action in self._actions if action.search is not None]
        self._next = 0

    def warm(self) -> None:
        """A very short thought compiles all that is used."""
        if self._compiled:
            warm(self._doves)

    def grow(self, portion: int) -> int:
        """Look at about so many positions more."""
        if self._hunted <= LONGEST_HUNT:
            return self._hunt(portion)
        until = self.looked + portion
        while self.looked < until:
            if self._next == len(self._open):
                self._deeper()
                if not self._open:
                    return max(0, portion - max(0, until - self.looked))
            action = self._open[self._next]
            search = action.search
            assert search is not None
            before = search.nodes
            search.deepest = self._depth
            search.go_on(until - self.looked)
            self.looked += search.nodes - before
            action.visits += search.nodes - before
            if search.done:
                self._hear(action, search)
                self._next += 1
        return portion

    def _hunt(self, portion: int) -> int:
        """One length of forced wins, whole: short ones are quick."""
        before = self._hunter.nodes
        winning = self._hunter.winning(self._hunted, self._late, self._most_hunted)
        codes = {move.code for move in winning or ()}
        for action in self._actions:
            if action.move.code in codes and action.proof != WIN:
                action.value, action.proof, action.plies = 1.0, WIN, self._hunted
        self._tell_line()
        # Longer ones take longer: who did not finish this length begins no other.
        self._hunted = LONGEST_HUNT + 1 if winning is None else self._hunted + 2
        self._open = [action for action in self._open if not action.proof]
        self.looked += self._hunter.nodes - before
        return portion

    def _tell_line(self) -> None:
        """How the first of the wins found goes on when the other side holds out."""
        first = next((action for action in self._actions if action.proof == WIN), None)
        if first is not None and len(first.line) < first.plies:
            mate = Mate(first.plies, (first.move,), first.plies, 0)
            line = main_line(self._doves, self.position, mate, compiled=self._compiled)
            first.line = line or first.line

    def _hear(self, action: _Action, search: Search) -> None:
        """What the search of an action's position has come to."""
        action.line = (action.move, *search.moves())
        action.value = 1.0 - chance(search.score)
        if abs(search.score) > SURE:
            action.proof = LOSS if search.score > 0 else WIN
            action.plies = 1 + SCORE_OF_WIN - abs(search.score)

    def _deeper(self) -> None:
        """Go on to the next depth with those actions that are not decided."""
        self._open = [
            action for action in self._open if not action.proof and action.search is not None
        ]
        if self._depth >= ALL_UNTIL and len(self._open) > KEEP:
            self._open.sort(key=lambda action: action.rank, reverse=True)
            self._open = self._open[: max(KEEP, len(self._open) // 2)]
            for action in self._open:
                action.kept += 1
        self._depth += 1
        self._next = 0
        if self._depth > DEEPEST or any(action.proof == WIN for action in self._actions):
            self._open = []

    def found(self) -> list[Line]:
        """All actions, best first."""
        ranked = sorted(self._actions, key=lambda action: action.rank, reverse=True)
        return [
            Line(
                action.move,
                action.value,
                action.visits,
                action.line,
                action.proof,
                (action.plies + 1) // 2 if action.proof == WIN else 0,
            )
            for action in ranked
            if action.visits or action.proof
        ]
