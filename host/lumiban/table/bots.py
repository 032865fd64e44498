"""When a session asks its bots, and what it does with their answers.

One question is open at a time; it is asked again a few times when no answer comes. On the
opponent's time a bot may think once a turn of a person's, until they have moved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lumiban.games.base import Game, IllegalMove, Move, Position
from lumiban.games.floating_game import FloatingGame
from lumiban.table import types
from lumiban.table.history import BY_LIGHT, BY_MACHINE, GameHistory
from lumiban.table.sensing import UP
from lumiban.table.types import AskBot, BotMove, Ponder, StopBot

if TYPE_CHECKING:
    from lumiban.table.session import Session


TRIES = 3
PAUSE_US = 1_000_000
"""Between a failure and the next try."""

LEAST_US = 150_000
"""Every thought gets at least so long, even if the time to act has come."""


@dataclass(frozen=True, slots=True)
class BotTurn:
    """A side whose bot should act from a board time on: think about what is `ask` (None: the
    game as it is), or do without thinking what it `says`."""

    side: int
    at_us: int
    asked: tuple[Game, Position] | None = None
    says: Move | None = None
    until_us: int | None = None
    """Board time by which it should have thought; None: as long as its level may."""
    spare: bool = False
    """Whether it may as well do nothing."""


class Bots:
    """What is asked of a bot now, if anything; `trouble` is why the last one failed."""

    def __init__(self) -> None:
        self.question: AskBot | None = None
        self.trouble = ""
        self.after_us = 0
        self.pondering: Ponder | None = None
        """What is thought about on a person's time."""
        self._about: Position | None = None
        self._pondered: tuple[Position, tuple[str, ...]] | None = None
        self._tickets = 0
        self._failures = 0

    @property
    def exhausted(self) -> bool:
        """Whether it failed so often that only a person can help."""
        return self._failures >= TRIES

    def ask(self, course: GameHistory, turn: BotTurn, board_now_us: int) -> AskBot:
        """The question for the bot whose turn it is; it sees what its side may know."""
        side, asked = turn.side, turn.asked
        level = types.level_of(course.seats[side])
        assert level is not None
        self._tickets += 1
        game, position = _seen(course, side) if asked is None else asked
        self._about = course.position
        self.question = AskBot(
            self._tickets,
            side,
            level,
            game,
            position,
            types.thought_seed(course.seed, len(course.played)),
            None if turn.until_us is None else max(LEAST_US, turn.until_us - board_now_us),
        )
        return self.question

    def ponder(self, course: GameHistory, side: int) -> Ponder:
        """Let the bot of this side think on the other's time about what it may know."""
        level = types.level_of(course.seats[side])
        assert level is not None
        self._tickets += 1
        self._pondered = (course.position, tuple(course.seats))
        game, position = _seen(course, side)
        seed = types.thought_seed(course.seed, len(course.played))
        self.pondering = Ponder(self._tickets, side, level, game, position, seed)
        return self.pondering

    def has_pondered(self, course: GameHistory) -> bool:
        """Whether this turn has been thought about, or is just now."""
        last = self._pondered
        return last is not None and last[0] is course.position and last[1] == tuple(course.seats)

    def ponders_about(self, course: GameHistory) -> bool:
        """Whether what is being thought about is the game as it is."""
        return self.pondering is not None and self.has_pondered(course)

    def stop_pondering(self) -> StopBot | None:
        """The other's time is over."""
        pondering, self.pondering = self.pondering, None
        return None if pondering is None else StopBot(pondering.ticket)

    def stop(self) -> StopBot | None:
        """The question is void."""
        question, self.question = self.question, None
        return None if question is None else StopBot(question.ticket)

    def is_asked(self, ticket: int) -> bool:
        """Whether an answer with this ticket is waited for."""
        return self.question is not None and self.question.ticket == ticket

    def is_stale(self, course: GameHistory) -> bool:
        """Whether the position has changed since the question was put."""
        return self._about is not course.position

    def move_in(self, answer: BotMove, course: GameHistory, now_us: int) -> Move | None:
        """The move of an answer that was waited for; None when it is none, which counts as a
        failure."""
        question = self.question
        assert question is not None
        try:
            move = course.game.parse(course.position, answer.text, question.side)
        except IllegalMove as error:
            self.failed(str(error), now_us)
            return None
        refusal = course.game.why_not(course.position, question.side, move)
        if refusal is not None:
            self.failed(refusal.rule, now_us)
            return None
        self.question = None
        return move

    def failed(self, reason: str, now_us: int) -> None:
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


def _seen(course: GameHistory, side: int) -> tuple[Game, Position]:
    """The game and what this side may know of its position, as if laid nowhere."""
    game, position = course.game, course.game.view(course.position, side)
    if isinstance(game, FloatingGame):
        return game.inner, game.unlaid(position)
    return game, position


def turn(session: Session) -> BotTurn | None:
    """The bot that should think or act as soon as its pause has passed; bots wait until all is
    on disk. While one thinks, another may do only what it has thought out."""
    bots = session.bots
    if session.sight.link != UP or bots.exhausted or not session.all_durable:
        return None
    if bots.question is not None and not session.match.free:
        return None
    waits = session.match.bot_turn()
    if bots.question is not None and waits is not None and waits.says is None:
        return None
    return waits


def due_us(session: Session) -> int | None:
    """Host time at which `ask` has something to do, None for never."""
    waits = turn(session)
    if waits is None:
        return None
    return max(session.sight.host_time(waits.at_us), session.bots.after_us)


def ask(session: Session, now_us: int) -> None:
    """Put the question to the bot whose turn it is, or let it say its word."""
    match = session.match
    follow(session)
    if match.free and session.bots.question is not None and session.bots.is_stale(match.course):
        session.stop_bot()
    waits = turn(session)
    if waits is None or now_us < session.bots.after_us or session.board_now() < waits.at_us:
        return
    if waits.says is not None:
        session.match.tell_at(waits.says, session.board_now(), BY_MACHINE)
        session.match.consider(session.board_now())
    else:
        session.put(session.bots.ask(match.course, waits, session.board_now()))
    session.look_again()


def answered(session: Session, item: BotMove, now_us: int) -> None:
    """A bot's move is to be set on the board, its word or its stone in light counts at once; in
    free play both when its time has come."""
    bots, match = session.bots, session.match
    if not bots.is_asked(item.ticket):
        return
    session.look_again()
    if match.free and bots.is_stale(match.course):
        session.stop_bot()
        return
    move = bots.move_in(item, match.course, now_us)
    if move is None:
        return
    if match.free:
        bots.forgive()
        match.intend(move)
        return
    if match.in_light or (move.is_word and not match.changed_by(move)):
        by = BY_MACHINE if move.is_word else BY_LIGHT
        match.play(move, session.board_now(), by)
    else:
        match.choose(move, item.value, item.visits)
        session.chose()
    match.consider(session.board_now())


LEVELS = frozenset({"hard", "strong"})
"""Levels of bots that do."""


def follow(session: Session) -> None:
    """Begin as a person's turn begins, and stop as soon as anything has changed.

    In free play a bot thinks at any time anyway, so that there is nothing to begin.
    """
    bots, match = session.bots, session.match
    course = match.course
    on = session.settings.ponder and not match.free and session.sight.link == UP
    if bots.pondering is not None and not (on and bots.ponders_about(course)):
        stop = bots.stop_pondering()
        if stop is not None:
            session.put(stop)
    people = types.people(course.seats)
    movers = match.movers
    if not on or bots.question is not None or match.machine is not None or not course.played:
        return
    if len(movers) != 1 or movers[0] not in people or bots.has_pondered(course):
        return
    for side, who in enumerate(course.seats):
        if types.level_of(who) in LEVELS:
            session.put(bots.ponder(course, side))
            return
