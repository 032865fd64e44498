"""The board taken as it is: what lies there becomes the position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lumiban.errors import GameError
from lumiban.games.base import Kind
from lumiban.games.floating_game import Laid
from lumiban.table.declined import Declined
from lumiban.table.referee import BLIND

if TYPE_CHECKING:
    from lumiban.table.session import Session


def accept(session: Session, args: Mapping[str, Any]) -> None:
    """Let what lies on the board be the position, where a game in play can have it; Declined.

    `args["names"]` tells the pieces that have names, by cell, where they lie elsewhere than the
    table has them.
    """
    course = session.match.course
    game = course.game
    should = game.pieces(course.position)
    seen = session.match.shown
    if seen == should:
        raise Declined("table.board-agrees")
    stones: dict[str, Any] = {}
    if game.labels(course.position):
        stones.update(_named(session, seen, args))
        seen = (Kind.EMPTY,) * len(seen)
    for cell, kind in enumerate(seen):
        if kind in (Kind.WHITE, Kind.BLACK, Kind.NEUTRAL):
            stones[game.grid.name(cell)] = kind - 1
        elif kind != Kind.EMPTY:
            raise Declined("table.board-strange", cell=game.grid.name(cell))
    movers = game.movers(course.position)
    reasons = []
    for to_move in sorted(range(len(game.sides)), key=lambda side: side not in movers):
        try:
            game.setup(stones, to_move=to_move)
            if game.labels(course.position):
                _fits_colours(session, stones, to_move)
        except GameError as error:
            reasons.append(str(error))
            continue
        session.match.set_up(stones, to_move)
        session.match.consider(session.board_now())
        return
    raise Declined("table.board-impossible", reason=reasons[0])


def _named(session: Session, seen: Sequence[int], args: Mapping[str, Any]) -> dict[str, str]:
    """The names of the pieces that lie there: told with the wish, or as the table has them."""
    course = session.match.course
    game = course.game
    told = args.get("names") or {}
    if not isinstance(told, Mapping):
        raise Declined("table.missing", name="names")
    should, names = game.pieces(course.position), game.labels(course.position)
    stones, unnamed = {}, []
    for cell, kind in enumerate(seen):
        if kind == Kind.EMPTY or (isinstance(game, Laid) and not game.on_field(cell)):
            continue
        where = game.grid.name(cell)
        name = str(told.get(where) or (names[cell] if kind == should[cell] else ""))
        if name:
            stones[where] = name
        else:
            unnamed.append(where)
    if unnamed:
        raise Declined("table.board-unnamed", cells=", ".join(unnamed))
    return stones


def _fits_colours(session: Session, stones: Mapping[str, Any], to_move: int) -> None:
    """GameError when a name told is one of another colour than the piece that lies there."""
    game = session.match.course.game
    pieces = game.pieces(game.setup(stones, to_move=to_move))
    for where, name in stones.items():
        cell = game.grid.cell(where)
        if session.match.sensed.kinds[cell] not in (pieces[cell], *BLIND):
            raise GameError(f"on {where} lies a piece of another colour than {name}")
