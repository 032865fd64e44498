"""When a session asks its bots, and what it does with their answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lumiban.table import pondering
from lumiban.table.bots import BotTurn
from lumiban.table.course import BY_LIGHT, BY_MACHINE
from lumiban.table.sight import UP
from lumiban.table.types import BotMove

if TYPE_CHECKING:
    from lumiban.table.session import Session


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
    pondering.follow(session)
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
