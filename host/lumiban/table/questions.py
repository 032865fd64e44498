"""Questions to those who think: bots, one at a time, asked again when no answer comes; the coach.

The coach says what a bot would do on a person's turn, for all who sit at the table to see. At the
hint level `coach` it speaks on every turn of a person's; at any other level once, when it is asked.
It knows what that person may know (`game.view`). Between two people it is silent until they have
agreed on it. A question is void as soon as the position is another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from lumiban.errors import LumibanError
from lumiban.games.base import (
    HINT_LEVELS,
    Game,
    IllegalMove,
    Mark,
    Move,
    MoveEffect,
    Position,
    Refusal,
)
from lumiban.games.types import TAKES
from lumiban.scene.draw import advised
from lumiban.table import types
from lumiban.table.board_view import UP
from lumiban.table.history import GameHistory, is_floating
from lumiban.table.turn_play import TurnPlay
from lumiban.table.types import (
    Advice,
    AskBot,
    AskCoach,
    BotMove,
    BotTurn,
    CommandRefused,
    Ponder,
    StopBot,
)
from lumiban.table.view_fields import CoachShown, SentenceShown, TipShown

TRIES = 3
PAUSE_US = 1_000_000
"""Pause between a failure and the next try."""

MIN_THINKING_US = 150_000
"""Least thinking time, even if the time to act has come."""
LEVELS = frozenset({"hard", "strong"})
"""Levels of bots that think on the opponent's time."""


class ForbiddenMove(Struct, frozen=True):
    """A bot's move that the game refuses, and by which rule."""

    move: str
    why: Refusal


class Bots:
    """Question for a bot, if any; `trouble` is why the last one failed: a reason in words, or the
    move that it may not play; "" where none failed."""

    def __init__(self) -> None:
        self.question: AskBot | None = None
        self.trouble: str | ForbiddenMove = ""
        self.after_us = 0
        self.pondering: Ponder | None = None
        """Question that a bot ponders on a person's time."""
        self._about: Position | None = None
        self._pondered: tuple[Position, tuple[str, ...]] | None = None
        self._tickets = 0
        self._failures = 0

    @property
    def is_exhausted(self) -> bool:
        """True if it failed so often that only a person can help."""
        return self._failures >= TRIES

    def ask(
        self, history: GameHistory, turn: BotTurn, board_now_us: int, most_us: int | None = None
    ) -> AskBot:
        """The question for the bot whose turn it is; it sees what its side may know. `most_us` is
        what its clock lets it think."""
        self._about = history.position
        due_us = turn.until_us
        within_us = None if due_us is None else max(MIN_THINKING_US, due_us - board_now_us)
        most_us = most_us if within_us is None else min(within_us, most_us or within_us)
        self.question = AskBot(*self._put(history, turn.side, turn.asked), most_us)
        return self.question

    def _put(
        self, history: GameHistory, side: int, asked: tuple[Game, Position] | None = None
    ) -> tuple[int, int, Game, Position, int, str]:
        """The fields of the next question to the bot of this side, about what it may know."""
        level = history.bot_level(side)
        assert level is not None
        self._tickets += 1
        seed = types.thought_seed(history.seed, len(history.played))
        seen = asked or _seen(history.game, history.position, side)
        return self._tickets, side, *seen, seed, level

    def ponder(self, history: GameHistory, side: int) -> Ponder:
        """Let the bot of this side think on the other's time about what it may know."""
        self._pondered = (history.position, tuple(history.seats))
        self.pondering = Ponder(*self._put(history, side))
        return self.pondering

    def has_pondered(self, history: GameHistory) -> bool:
        """True if this turn has been thought about, or is just now."""
        last = self._pondered
        return last is not None and last[0] is history.position and last[1] == tuple(history.seats)

    def ponders_about(self, history: GameHistory) -> bool:
        """True if the game that is being thought about is the game as it is."""
        return self.pondering is not None and self.has_pondered(history)

    def stop_pondering(self) -> StopBot | None:
        """Stop pondering: the other side's time is over."""
        pondering, self.pondering = self.pondering, None
        return None if pondering is None else StopBot(pondering.ticket)

    def stop(self) -> StopBot | None:
        """The question is void."""
        question, self.question = self.question, None
        return None if question is None else StopBot(question.ticket)

    def is_asked(self, ticket: int) -> bool:
        """True if an answer with this ticket is waited for."""
        return self.question is not None and self.question.ticket == ticket

    def is_stale(self, history: GameHistory) -> bool:
        """True if the position has changed since the question was put."""
        return self._about is not history.position

    def move_in(self, answer: BotMove, history: GameHistory, now_us: int) -> Move | None:
        """The move of an answer that was waited for; None when it is none, which counts as a
        failure."""
        question = self.question
        assert question is not None
        try:
            move = history.game.parse(history.position, answer.text, question.side)
        except IllegalMove as error:
            why = error.refusal
            forbidden = None if why is None else ForbiddenMove(answer.text, why)
            self.failed(forbidden or str(error), now_us)
            return None
        refusal = history.game.why_not(history.position, question.side, move)
        if refusal is not None:
            self.failed(ForbiddenMove(answer.text, refusal), now_us)
            return None
        self.question = None
        return move

    def failed(self, reason: str | ForbiddenMove, now_us: int) -> None:
        """No answer came; after a pause it may be asked again."""
        self.question = None
        self._failures += 1
        self.after_us = now_us + PAUSE_US
        self.trouble = reason

    def forgive(self) -> None:
        """Past failures no longer count: the position or the bot is another one."""
        self._failures = 0
        self.after_us = 0
        self.trouble = ""


def _seen(game: Game, position: Position, side: int) -> tuple[Game, Position]:
    """The game and what this side may know of a position, as if laid nowhere."""
    known = game.view(position, side)
    return (game.inner, game.unlaid(known)) if is_floating(game) else (game, known)


COACH = HINT_LEVELS[-1]
"""The hint level at which the coach speaks on every turn."""
UNANSWERED = Advice(0, done=False)
"""Before any answer."""
MAX_LINE_MOVES = 6
"""Number of moves of a line that it shows."""


class Coach:
    """Last question to the coach, and its answers; `agreed`: two people want to hear it."""

    def __init__(self) -> None:
        self.agreed = False
        self.question: AskCoach | None = None
        self.tips: tuple[TipShown, ...] = ()
        self.answer = UNANSWERED
        self.wished: Position | None = None
        """The position in which somebody asked, whatever the hint level."""
        self._about: Position | None = None
        self._tickets = 0

    def may_speak(self, match: TurnPlay) -> bool:
        """True if the coach may be heard here: not between two people who did not agree."""
        people = match.history.people
        return len(people) == 1 or (len(people) > 1 and self.agreed)

    def wish(self, agree: bool | None, match: TurnPlay, link: str) -> None:
        """Somebody asks about this position, or says that two people `agree`; CommandRefused."""
        if agree is not None:
            self.agreed = agree
            return
        if match.outcome is not None:
            raise CommandRefused("table.game-over")
        if not self.may_speak(match):
            people = match.history.people
            raise CommandRefused("table.coach-not-agreed" if people else "table.coach-for-people")
        if _subject(match, link) is None:
            raise CommandRefused("table.coach-not-now")
        self.wished = match.position

    def follow(
        self, match: TurnPlay, link: str, hint: str
    ) -> tuple[StopBot | None, AskCoach | None]:
        """The question to be taken back, as the position is another one; and the one now due."""
        history = match.history
        wanted = hint == COACH or self.wished is history.position
        open_still = match.outcome is None and match.waiting is None
        wanted = wanted and open_still and self.may_speak(match)
        if wanted and self.question is not None and self._about is history.position:
            return None, None
        stop = None if self.question is None else StopBot(self.question.ticket)
        subject = _subject(match, link) if wanted else None
        self.tips, self.answer = (), UNANSWERED
        self.question, self._about = None, history.position
        if subject is not None:
            self._tickets -= 1  # below 0, apart from those of bots
            seed = types.thought_seed(history.seed, len(history.played))
            self.question = AskCoach(self._tickets, *subject, seed)
        return stop, self.question

    def hear(self, advice: Advice, match: TurnPlay) -> bool:
        """Take in an answer of the coach, perhaps not its last; return True if it was asked for."""
        if self.question is None or self.question.ticket != advice.ticket:
            return False
        self.answer = advice
        self.tips = tuple(_tip(match, self.question.side, line) for line in advice.lines)
        return True

    def marks(self) -> list[Mark]:
        """Return marks where the best moves act."""
        if self.question is None:
            return []
        return advised(self.question.side, [tip.cells for tip in self.tips])

    def shown(self, match: TurnPlay, link: str) -> CoachShown:
        """The view's field `coach` (docs/page.md)."""
        people = len(match.history.people)
        question = self.question
        return CoachShown(
            for_two=people > 1,
            agreed=self.agreed,
            may_ask=self.may_speak(match) and _subject(match, link) is not None,
            side=None if question is None else question.side,
            done=self.answer.done,
            looked=self.answer.looked,
            unit=self.answer.unit,
            reason=self.answer.reason,
            moves=list(self.tips),
        )


def _subject(match: TurnPlay, link: str) -> tuple[int, Game, Position] | None:
    """(side, game, view) of what a person might do now, None where there is nothing to ask."""
    if match.outcome is not None or match.waiting is not None or link != UP:
        return None
    people = (side for side in match.movers if match.history.bot_level(side) is None)
    return subject(match.game, match.position, people)


def subject(
    game: Game, position: Position, sides: Iterable[int]
) -> tuple[int, Game, Position] | None:
    """(side, game, what it may know) of the first of these sides that could do something there."""
    for side in sides:
        if game.is_free_play(position):
            known = game.bot_position(position, side)
            if known is not None:
                return side, *known
        elif game.listed_moves(position, side) or TAKES.keys() & game.words(position, side):
            return side, *_seen(game, position, side)
    return None


def _tip(match: TurnPlay, side: int, line: Mapping[str, Any]) -> TipShown:
    """A line on the table's own game: cells on the board, moves as people say them."""
    game, position = match.game, match.position
    words = tuple(
        MoveEffect(word["what"], tuple(word["cells"]), tuple(sorted(word["params"].items())))
        for word in line["does"]
    )
    if is_floating(game):
        words = game.laid_words(position, words)
    move = game.parse(position, line["moves"][0], side)
    spoken: list[str] = []
    for number, text in enumerate(line["moves"][:MAX_LINE_MOVES]):
        try:
            then = game.parse(position, text, None if number else side)
            spoken.append(game.display_text(position, then))
            position = game.play(position, then)
        except LumibanError:  # the board is too small for it, or a race has another order
            break
    figures = {key: line[key] for key in ("value", "percent", "visits", "proof", "wins_in")}
    return TipShown(
        move=move.text,
        said=spoken[0],
        **figures,
        cells=list(game.aims(match.position, move)),
        line=spoken,
        does=[SentenceShown(one.text_id, list(one.cells), dict(one.params)) for one in words],
    )
