"""When a session asks its bots, and what it does with their answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lumiban.table import seats
from lumiban.table.bots import BotTurn
from lumiban.table.course import BY_LIGHT, BY_MACHINE
from lumiban.table.sight import UP
from lumiban.table.types import BotMove

if TYPE_CHECKING:
    from lumiban.table.session import Session


def turn(session: Session) -> BotTurn | None:
    """The bot that should think or speak as soon as its pause has passed; bots wait until all is
    on disk."""
    bots = session.bots
    if (
        session.sight.link != UP
        or bots.question is not None
        or bots.exhausted
        or not session.all_durable
    ):
        return None
    return session.match.bot_turn()


def due_us(session: Session) -> int | None:
    """Host time at which `ask` has something to do, None for never."""
    waits = turn(session)
    if waits is None:
        return None
    return max(session.sight.host_time(waits.at_us), session.bots.after_us)


def ask(session: Session, now_us: int) -> None:
    """Put the question to the bot whose turn it is, or let it say its word."""
    waits = turn(session)
    if waits is None or now_us < session.bots.after_us or session.board_now() < waits.at_us:
        return
    if waits.says is not None:
        session.match.tell_at(waits.says, session.board_now(), BY_MACHINE)
        session.match.consider(session.board_now())
    else:
        session.put(session.bots.ask(session.match.course, waits.side, waits.asked))
    session.look_again()


def answered(session: Session, item: BotMove, now_us: int) -> None:
    """A bot's move is to be set on the board, its word or its stone in light counts at once."""
    bots, match = session.bots, session.match
    if not bots.is_asked(item.ticket):
        return
    session.look_again()
    if match.free and bots.is_stale(match.course) and not _still_wanted(session, item):
        session.stop_bot()
        return
    move = bots.move_in(item, match.course, now_us)
    if move is None:
        return
    if match.free:
        bots.forgive()
        match.tell_at(move, session.board_now(), BY_MACHINE if move.is_word else BY_LIGHT)
    elif match.in_light or (move.is_word and not match.changed_by(move)):
        by = BY_MACHINE if move.is_word else BY_LIGHT
        match.play(move, session.board_now(), by)
    else:
        match.choose(move, item.value, item.visits)
        session.chose()
    match.consider(session.board_now())


def _still_wanted(session: Session, item: BotMove) -> bool:
    """Whether what a bot thought about another position is worth playing in this one."""
    course, question = session.match.course, session.bots.question
    assert question is not None
    game, position = course.game, course.position
    if seats.level_of(course.seats[question.side]) is None:
        return False
    if game.question(position, question.side) is None:
        return False
    texts = {move.text for move in game.moves(position, question.side)}
    return item.text in texts
