"""The coach goes through a finished game: what each position was worth, and the moves that decided.

It looks at one position after the other, for a short time each, and then longer at those around
the largest changes. It asks the process that bots think in, one question at a time, and only while
nobody plays here: another game takes the question back.
"""

from __future__ import annotations

from collections import deque

from msgspec import UNSET, Struct, UnsetType

from lumiban.errors import LumibanError
from lumiban.games.base import Game, Move, MoveEffect, Position, explain_move
from lumiban.table import types
from lumiban.table.course import beginning, next_position
from lumiban.table.questions import subject
from lumiban.table.requests import GameCourse
from lumiban.table.turn_play import TurnPlay
from lumiban.table.types import Advice, AskCoach, CommandRefused, StopBot
from lumiban.table.view_fields import NamedSentenceShown, ReviewShown, TurningShown

FIRST_US = 12_000_000
"""Time for the first look at a whole game, shared by its positions."""
MIN_SHARE_US, MAX_SHARE_US = 50_000, 500_000
"""And the bounds of a position's share."""
SECOND_US = 800_000
"""Time for the second look at a position beside a move that may have decided."""
DECIDED = 3
"""Number of moves that are told."""
LOOKED_AT_AGAIN = 5
"""Number of moves among which they are looked for."""
MIN_CHANGE = 0.08
"""Least change of a side's chances that is worth telling."""
TOLD_EFFECTS = 3
"""Effects of a move that are told."""
TICKETS = -(1 << 40)
"""Its questions have tickets below this: the coach's in play are below 0."""
MAX_FAILURES = 3
"""Number of questions in a row without an answer after which no more are asked."""


class Look(Struct, frozen=True):
    """What the coach found in a position: whose moves, their worth, and the best of them."""

    side: int
    value: float
    best: Move
    unit: str


class Review:
    """One game looked through; `name` is that of its record, "" for the table's own game."""

    def __init__(self, name: str, course: GameCourse, game: Game) -> None:
        self.name, self.course, self.game = name, course, game
        self.positions: list[Position] = [beginning(game, course)]
        self.looks: dict[int, Look] = {}
        self.reason = ""
        self.is_stopped = False
        count = len(course.moves) + 1
        share = max(MIN_SHARE_US, min(MAX_SHARE_US, FIRST_US // count))
        self.queue = deque((at, share) for at in range(count))
        self.asked: tuple[int, int] | None = None
        """The position that is being looked at, and the ticket of the question."""
        self._is_second = False
        self._failures = 0

    @property
    def is_done(self) -> bool:
        """True if nothing more is looked at."""
        return self.is_stopped or (self.asked is None and not self.queue)

    def next_question(self, ticket: int) -> AskCoach | None:
        """The question about the next position in which somebody could move; None at the end."""
        while self.asked is None and not self.is_done:
            at, within_us = self.queue.popleft()
            found = self._subject(at)
            if found is not None:
                side, game, seen = found
                self.asked = at, ticket
                seed = types.thought_seed(self.course.seed, at)
                return AskCoach(ticket, side, game, seen, seed, within_us=within_us)
            self._look_again_at_the_end()
        return None

    def _subject(self, at: int) -> tuple[int, Game, Position] | None:
        """(side, game, what it may know) of a position; None where there is nothing to ask."""
        while len(self.positions) <= at and not self.is_stopped:
            number = len(self.positions) - 1
            try:
                after = next_position(self.game, self.positions[-1], self.course, number)
            except CommandRefused as error:
                self.stop(str(error))
                return None
            self.positions.append(after)
        if self.is_stopped:
            return None
        position = self.positions[at]
        return subject(self.game, position, self.game.movers(position))

    def hear(self, advice: Advice) -> bool:
        """Take in an answer, perhaps not its last; return True if anything is known now that was
        not before."""
        if self.asked is None or self.asked[1] != advice.ticket or not advice.done:
            return False
        at, self.asked = self.asked[0], None
        if advice.lines:
            self._failures = 0
            self._found(at, advice)
        else:
            self._failures += 1
            self.reason = self.reason or advice.reason
            if self._failures >= MAX_FAILURES:
                self.stop(advice.reason)
        self._look_again_at_the_end()
        return True

    def _found(self, at: int, advice: Advice) -> None:
        position, best = self.positions[at], advice.lines[0]
        found = self._subject(at)
        assert found is not None, "it was asked about"
        side = found[0]
        try:
            move = self.game.parse(position, best["moves"][0], side)
        except LumibanError:  # a race has another order in the form with turns
            return
        self.looks[at] = Look(side, float(best["value"]), move, advice.unit)

    def _look_again_at_the_end(self) -> None:
        """After the first look at all positions: the second at those where most has changed."""
        if self._is_second or self.queue or self.asked is not None or self.is_stopped:
            return
        self._is_second = True
        numbers = self._largest(LOOKED_AT_AGAIN)
        again = sorted({at for n in numbers for at in (n - 1, n)} & set(self.looks))
        self.queue.extend((at, SECOND_US) for at in again)

    def stop(self, reason: str = "") -> None:
        """Look at nothing more."""
        self.is_stopped = True
        self.queue.clear()
        self.asked = None
        self.reason = reason or self.reason

    # What it found.

    def share(self, at: int) -> float | None:
        """The share of wins that the first side could expect after `at` moves; None: not known."""
        if at in self.looks:
            look = self.looks[at]
            return look.value if look.side == 0 else 1 - look.value
        if at == len(self.course.moves) and len(self.positions) > at:
            over = self.game.outcome(self.positions[at])
            if over is not None:
                return 0.5 if over.winner is None else 1.0 - over.winner
        return None

    def change(self, number: int) -> float | None:
        """By how much the move of this number, from 1, changed its side's chances."""
        if len(self.positions) <= number:
            return None
        move = self.positions[number].history[-1]
        before, after = self.share(number - 1), self.share(number)
        if move.is_word or before is None or after is None:
            return None
        return after - before if move.side == 0 else before - after

    def _largest(self, count: int) -> list[int]:
        """The numbers of the moves that changed most, in the order of the game."""
        changes = {n: self.change(n) for n in range(1, len(self.positions))}
        worth = {
            n: abs(by) for n, by in changes.items() if by is not None and abs(by) >= MIN_CHANGE
        }
        return sorted(sorted(worth, key=lambda n: (-worth[n], n))[:count])

    def shown(self) -> ReviewShown:
        """The view's field `review` (docs/page.md)."""
        count = len(self.course.moves)
        shares = [self.share(at) for at in range(count + 1)]
        return ReviewShown(
            name=self.name,
            done=self.is_done,
            stopped=self.is_stopped,
            reason=self.reason,
            looked=len(self.looks),
            second=self._is_second and not self.is_done,
            percent=[None if one is None else round(100 * one) for one in shares],
            turning=[self._turning(n) for n in self._largest(DECIDED)],
        )

    def _turning(self, number: int) -> TurningShown:
        game, before, after = self.game, self.positions[number - 1], self.positions[number]
        move = after.history[-1]
        was, now = self.share(number - 1), self.share(number)
        assert was is not None
        assert now is not None
        if move.side:
            was, now = 1 - was, 1 - now
        look = self.looks.get(number - 1)
        better = None
        if now < was and look is not None and look.side == move.side and look.best != move:
            better = game.display_text(before, look.best)
        return TurningShown(
            n=number,
            side=move.side,
            said=game.display_text(before, move),
            before=round(100 * was),
            after=round(100 * now),
            better=better,
            does=self._effects(before, move),
        )

    def _effects(self, before: Position, move: Move) -> list[NamedSentenceShown]:
        """What a move did, in the coach's words; cells by their names."""
        try:
            effects = explain_move(self.game, before, move)
        except LumibanError:
            return []
        return [_named(self.game, effect) for effect in effects[:TOLD_EFFECTS]]


def _named(game: Game, effect: MoveEffect) -> NamedSentenceShown:
    names = [game.grid.name(cell) for cell in effect.cells if cell >= 0]
    return NamedSentenceShown(effect.text_id, names, dict(effect.params))


class Reviewer:
    """Looks through one game at a time, as the page asks."""

    def __init__(self) -> None:
        self.review: Review | None = None
        self._tickets = TICKETS
        self._void: int | None = None
        """The ticket of a question that is not to be answered any more."""
        self._shown: ReviewShown | None = None
        """As it was shown last, until more is known."""

    def begin(self, name: str, course: GameCourse, game: Game) -> None:
        """Look through another game, or go on with one that was interrupted."""
        before = self.review
        if before is not None and before.course == course and not before.is_stopped:
            before.name, self._shown = name, None
            return
        review = Review(name, course, game)
        self.stop()
        self.review, self._shown = review, None

    def stop(self) -> None:
        """Interrupt it: what was found stays."""
        if self.review is not None and not self.review.is_done:
            if self.review.asked is not None:
                self._void = self.review.asked[1]
            self.review.stop()

    def leave(self) -> None:
        """Another game begins here: the one before it is looked through no more."""
        self.stop()
        if self.review is not None and not self.review.name:
            self.review = None

    def follow(self, match: TurnPlay) -> tuple[StopBot | None, AskCoach | None]:
        """The question to be taken back, and the one now due."""
        if match.outcome is None and match.history.played:
            self.stop()
        void, self._void = self._void, None
        if void is not None:
            self._shown = None
        asks = None
        if self.review is not None and self.review.asked is None and not self.review.is_done:
            self._tickets -= 1
            asks = self.review.next_question(self._tickets)
            if asks is None:
                self._shown = None
        return None if void is None else StopBot(void), asks

    def hear(self, advice: Advice) -> bool:
        """Take in an answer; return True if it was asked for."""
        heard = self.review is not None and self.review.hear(advice)
        self._shown = None if heard else self._shown
        return heard

    def shown(self) -> ReviewShown | UnsetType:
        """The view's field `review`; UNSET where no game is looked through."""
        if self.review is None:
            return UNSET
        if self._shown is None:
            self._shown = self.review.shown()
        return self._shown
