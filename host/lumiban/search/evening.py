"""Bots of Evening: trees, and beyond them when to wait and when to stand.

Whether a leader places before the other side does, or waits, is searched both ways. A stone of
one's own is seldom a gain while one leads: it spends a cell that will be needed when one trails. So
waiting gets most of the thought, which is also what the next question is about; a stone is looked
for only where waiting seems to lose, and must then do clearly better.

A bot's question may let its side stand (`Evening.bot_position`): who trails may once the other side
stands, which loses; who leads may always, which leaves the turn to the other side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lumiban.games.base import Position
from lumiban.games.evening.kernel import FIRST
from lumiban.search.engine import Engine, Question, Thought, value_for
from lumiban.search.levels import five_levels
from lumiban.search.tree import Choice, TreeSearch

MARGIN = 0.2
"""So much more than waiting a stone must be worth, where neither is certain."""
ENOUGH = 0.5
"""Worth of waiting from which on a side waits."""


class EveningEngine(Engine):
    """Trees that know what it is to lead."""

    levels = five_levels(400, 70, 500, 8_000, overlooks=(0.04, 0.0, 0.0, 0.0), gives_away=0.5)

    def search_move(self, question: Question, codes: Sequence[int] | None) -> Thought:
        """The best move; of a side that leads where hands race, a stone or its stand, which
        waits."""
        if not _is_race(question.position):
            return super().search_move(question, codes)
        return self._weigh(question)

    def may_stand(self, position: Position) -> bool:
        """True if the mover may do without a stone, though it has a cell."""
        return position.phase == "play" and position.state[-1] != 0

    def enough(self, position: Position, search: TreeSearch) -> Choice | None:
        """The stand, where it is certain that it does as well as the best stone; else None.

        So nobody stands for certain who would win by a stone, and who has lost for certain does not
        go on for nothing.
        """
        if not (search.is_proven and self.may_stand(position)):
            return None
        best = search.best()
        for choice in search.choices():
            if best is not None and self.game.move_of(position, choice.code).is_word:
                return choice if choice.certain == best.certain else None
        return None

    def _weigh(self, question: Question) -> Thought:
        """Choice of the leader, by searches of waiting, of its stones and of the best of them."""
        game, position = self.game, question.position
        leads = game.movers(position)[0]
        stand = next(
            game.parse(position, w, leads) for w in game.words(position, leads) if w != "resign"
        )
        waits_at = replace(position, state=(*position.state[:-1], 0))
        waiting = self.grown(question, waits_at, 0.8)
        worth = value_for(waiting, leads)
        waits = Thought(
            stand, worth, waiting.playouts, waiting.playouts, (stand,), waiting.is_proven
        )
        thought = waits if worth >= ENOUGH else self._raced(question, leads, waiting, waits)
        # What the next question is about, with the other side to place.
        if question.kept is not None:
            question.kept.keep(waiting)
        return thought

    def _raced(
        self, question: Question, leads: int, waiting: TreeSearch, waits: Thought
    ) -> Thought:
        """The leader's best stone, where it does clearly better than to wait."""
        game, position = self.game, question.position
        race = self.grown(question, position, 0.1)
        stones = [c for c in race.choices() if not game.move_of(position, c.code).is_word]
        stone = max(stones, key=lambda choice: choice.rank, default=None)
        if stone is None or stone.certain < 0:
            return waits
        move = game.move_of(position, stone.code)
        after = self.grown(question, game.play(position, move), 0.1)
        value = value_for(after, leads)
        if value == 1.0 or value > waits.value + MARGIN:
            total = waiting.playouts + race.playouts + after.playouts
            return Thought(move, value, after.playouts, total, (move,), after.is_proven)
        return waits


def _is_race(position: Position) -> bool:
    """True for the question of a side that leads: to place now, or to wait."""
    return position.phase == "play" and position.state[-1] == FIRST
