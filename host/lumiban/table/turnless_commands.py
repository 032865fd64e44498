"""What people may ask by page in free play: a stone in light, a word, ready, play with turns.

Each gives the reason why not, or None when it was done.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lumiban.games.base import Move, Refusal
from lumiban.table import bot_pace, seats
from lumiban.table.course import BY_PAGE, Course
from lumiban.table.sight import UP
from lumiban.table.turnless_match import TurnlessMatch

if TYPE_CHECKING:
    from lumiban.table.session import Session

TURNS = "turns"
"""The choice to play with turns on a board that cannot tell who was first."""


def tell(session: Session, move: Move) -> str | None:
    """A person's legal move or word: it counts in its order among the stones of hands, and a
    stone is set in light."""
    match = session.match
    assert isinstance(match, TurnlessMatch)
    if session.sight.link != UP:
        return "table.board-lost"
    if not match.ordered:
        return "table.too-slow"
    if match.time_out is not None and not move.is_word:
        return Refusal("table.time-out").text_id
    match.tell_at(move, session.board_now(), BY_PAGE)
    match.consider(session.board_now())
    return None


def confirm(session: Session, side: int | None) -> str | None:
    """A side is ready after a time out, or else says what its button says. Where one person
    plays, the side need not be told."""
    match = session.match
    assert isinstance(match, TurnlessMatch)
    if match.paused:
        match.mended(session.board_now())
        return None
    people = seats.people(match.course.seats)
    if side is None and len(people) == 1:
        side = people[0]
    if side not in people:
        return "table.which-side"
    if match.time_out is not None:
        ready = match.confirm_side(side, session.board_now())
        match.consider(session.board_now())
        return None if ready else "table.mend-first"
    game, position = match.course.game, match.course.position
    word = game.pressed(position, side)
    if word is None:
        return "table.nothing-to-confirm"
    return tell(session, game.parse(position, word, side))


def choose(session: Session, wish: str) -> str | None:
    """Go on with turns, from the stones that stand."""
    match = session.match
    game = match.course.game.with_turns()
    if match.ordered or wish != TURNS or game is None:
        return "table.nothing-to-choose"
    old = match.course
    kinds = old.game.pieces(old.position)
    stones = {old.game.grid.name(cell): kind - 1 for cell, kind in enumerate(kinds) if kind}
    session.start(Course(game, old.seats, seed=old.seed, profile=old.profile, board=old.board))
    if stones:
        session.match.set_up(stones, game.movers(game.setup(stones))[0])
        session.match.consider(session.board_now())
    return None


def react(session: Session, ms: object) -> str | None:
    """Let bots take so many ms to react where there are no turns; None: by their levels."""
    if ms is not None and (
        type(ms) is not int or not bot_pace.LEAST_US <= 1000 * ms <= bot_pace.MOST_US
    ):
        return "table.no-such-reaction"
    reaction_us = None if ms is None else 1000 * ms
    session.settings = session.match.settings = replace(session.settings, reaction_us=reaction_us)
    return None
