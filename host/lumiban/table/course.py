"""A finished game's course at a table: read again, to be looked through or continued."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from lumiban import games
from lumiban.boards.profile import Profile
from lumiban.errors import BoardError, GameError, LumibanError
from lumiban.games.base import Game, Position
from lumiban.games.gate import NotAccepted
from lumiban.table.fitting import on_board
from lumiban.table.history import BY_CONTINUED, GameHistory, is_floating
from lumiban.table.requests import GameCourse, SetUpPosition
from lumiban.table.types import CommandRefused


def course_of(history: GameHistory) -> GameCourse:
    """The course of a game, as its record will have it."""
    setup, outcome = history.setup, history.outcome
    return GameCourse(
        game=history.game.slug,
        options=dict(history.game.options),
        seed=history.seed,
        moves=tuple((move.side, move.text) for move in history.moves),
        setup=None if setup is None else SetUpPosition(setup.stones, setup.to_move),
        digest=history.game.digest,
        winner=None if outcome is None else outcome.winner,
    )


def plain_game(history: GameHistory) -> Game:
    """The rules of a game, as if laid nowhere."""
    return history.game.inner if is_floating(history.game) else history.game


def loaded(course: GameCourse) -> Game:
    """The game of a course by its present rules; CommandRefused where they have changed, or where
    nobody has said yes to their file."""
    with playable(course.game):
        game = games.load(course.game, **course.options)
    if game.digest != course.digest:
        raise CommandRefused("table.course-changed")
    return game


@contextmanager
def playable(slug: str) -> Iterator[None]:
    """Raise CommandRefused where this game, or this board, is none to play it here."""
    try:
        yield
    except NotAccepted:
        raise CommandRefused("table.own-not-by-page", file=slug) from None
    except (GameError, BoardError) as error:
        raise CommandRefused("table.no-such-game", reason=str(error)) from error


def beginning(game: Game, course: GameCourse) -> Position:
    """The position that a course began from; CommandRefused."""
    try:
        if course.setup is None:
            return game.start(course.seed)
        return game.setup(course.setup.stones, to_move=course.setup.to_move)
    except (GameError, ValueError) as error:
        raise CommandRefused("table.course-broken", n=0, reason=str(error)) from error


def next_position(game: Game, position: Position, course: GameCourse, number: int) -> Position:
    """The position after the course's move of this `number`, from 0; CommandRefused."""
    side, text = course.moves[number]
    try:
        after = game.play(position, game.parse(position, text, side))
    except (LumibanError, ValueError) as error:
        why = str(error)
        raise CommandRefused("table.course-broken", n=number + 1, reason=why) from error
    return game.settled(after) if is_floating(game) else after


def continued(
    plain: Game,
    course: GameCourse,
    count: int,
    seats: Sequence[str],
    *,
    profile: Profile,
    old: GameHistory,
    now_us: int,
) -> GameHistory:
    """A game of these players, on the board and with the clock of `old`, that continues a course
    from its position after `count` moves; CommandRefused.

    It begins with those moves, so that what pieces alone do not tell goes on as well: a turn half
    done, a repetition, a pie, a loop of pairs. Where pieces move about on the board, they are set
    up instead.
    """
    if count > len(course.moves):
        raise CommandRefused("table.course-short", n=len(course.moves))
    with playable(course.game):
        game = on_board(plain, profile)
    positions = [beginning(game, course)]
    for number in range(count):
        positions.append(next_position(game, positions[-1], course, number))
    last = positions[-1]
    if game.outcome(last) is not None:
        raise CommandRefused("table.course-over")
    history = old.another(game, seats, seed=course.seed, start=positions[0])
    if is_floating(game):
        named = zip(game.grid.names, game.labels(last), strict=True)
        stones = {cell: name for n, (cell, name) in enumerate(named) if name and game.on_field(n)}
        history.set_up(stones, game.movers(last)[0])
        return history
    if course.setup is not None:
        history.set_up(course.setup.stones, course.setup.to_move)
    for move, after in zip(last.history[-count:] if count else (), positions[1:], strict=True):
        history.play(move, now_us, BY_CONTINUED, 0, 0, after=after)
    history.seats[:] = seats  # a pie among those moves has been answered already
    return history
