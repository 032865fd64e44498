"""Roles at a table, and what each may ask of it: the host anything, a seat what is its side's to
say, a viewer nothing.

`SEATED` is the one table of it. What depends on the game (whose move would be taken back?) is
asked when the request reaches the table, since a page may be behind it. The page's process needs
`SEATED` alone: it starts without the games, which the rest imports when it is called.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, get_args

from lumiban.table.requests import (
    TAKE_BACK,
    AcceptBoardRequest,
    AuditRequest,
    ChoiceRequest,
    CoachRequest,
    ConfirmRequest,
    ErrorText,
    HintRequest,
    LessonRequest,
    LobbyRequest,
    MoveRequest,
    NewGameRequest,
    PaceRequest,
    PutBackRequest,
    ReactionRequest,
    RecentreRequest,
    SeatRequest,
    SetUpRequest,
    TableRequest,
    TakebackRequest,
    ThemeRequest,
    UnknownRequest,
    WordRequest,
    fields_of,
)

if TYPE_CHECKING:
    from lumiban.games.base import Move
    from lumiban.table.turn_play import TurnPlay

HOST, VIEWER = "host", "viewer"
"""Roles beside those of seats: the host acts for the table, viewers look on."""


class Seated(Enum):
    """What a seat may do with a request."""

    NAMES_SIDE = "its own side"
    """The request names its side, which must be the seat's."""
    BY_GAME = "where it is its own side's"
    """Whose it is the game tells."""
    NEVER = "–"


SEATED: Mapping[type, Seated] = {
    MoveRequest: Seated.NAMES_SIDE,
    WordRequest: Seated.NAMES_SIDE,
    ConfirmRequest: Seated.BY_GAME,
    TakebackRequest: Seated.BY_GAME,
    ChoiceRequest: Seated.BY_GAME,
    SeatRequest: Seated.NEVER,
    NewGameRequest: Seated.NEVER,
    LessonRequest: Seated.NEVER,
    HintRequest: Seated.NEVER,
    ThemeRequest: Seated.NEVER,
    CoachRequest: Seated.NEVER,
    AcceptBoardRequest: Seated.NEVER,
    PutBackRequest: Seated.NEVER,
    SetUpRequest: Seated.NEVER,
    RecentreRequest: Seated.NEVER,
    AuditRequest: Seated.NEVER,
    PaceRequest: Seated.NEVER,
    ReactionRequest: Seated.NEVER,
    LobbyRequest: Seated.NEVER,
}
"""Every request of a table. The host may make all of them, a viewer none."""
assert set(SEATED) == set(get_args(TableRequest))

_SEAT = re.compile(r"seat ([0-7])", re.ASCII)


def seat(side: int) -> str:
    """The role of whoever plays this side and no other.

    >>> side_of(seat(1)), side_of(HOST), side_of("seat 1 "), side_of("seat 9")
    (1, None, None, None)
    """
    return f"seat {side}"


def side_of(role: str) -> int | None:
    """The side that a role plays alone; None for a role of another kind."""
    found = _SEAT.fullmatch(role)
    return None if found is None else int(found[1])


def objection(request: TableRequest | UnknownRequest, role: str) -> ErrorText | None:
    """Why this role may not make such a request, whatever is played: a text id with parameters.

    >>> objection(MoveRequest(0, "c4"), seat(0)), objection(HintRequest("none"), HOST)
    (None, None)
    >>> objection(MoveRequest(0, "c4"), seat(1))
    {'id': 'table.role.other-side', 'params': {'do': 'move'}}
    >>> objection(HintRequest("none"), seat(0))
    {'id': 'table.role.host-alone', 'params': {'do': 'hint'}}
    """
    if role == HOST:
        return None
    side, do = side_of(role), fields_of(request)[0]
    if side is None:
        return {"id": "page.error.viewer", "params": {}}
    seated = SEATED.get(type(request), Seated.NEVER)
    if seated is Seated.NEVER:
        return {"id": "table.role.host-alone", "params": {"do": do[:40]}}
    if getattr(request, "side", None) not in (None, side):
        return {"id": "table.role.other-side", "params": {"do": do}}
    return None


def objection_in(
    match: TurnPlay, request: TableRequest | UnknownRequest, role: str
) -> ErrorText | None:
    """The same in this game, as it stands now."""
    reason = objection(request, role)
    side = side_of(role)
    if reason is not None or side is None:
        return reason
    mine = True
    if isinstance(request, ConfirmRequest):
        mine = _may_confirm(match, request, side)
    elif isinstance(request, TakebackRequest):
        mine = _all_by(match, match.history.moves[-(match.can_take_back() or 1) :], side)
    elif isinstance(request, ChoiceRequest):
        mine = _may_choose(match, request, side)
    do = fields_of(request)[0]
    return None if mine else {"id": "table.role.other-side", "params": {"do": do}}


def _may_confirm(match: TurnPlay, request: ConfirmRequest, side: int) -> bool:
    """A person's move is confirmed by that person; a machine's by whoever sits at the board."""
    if match.is_free:
        return request.side == side
    pending = match.waiting or match.lift
    if pending is None:
        return side in match.movers
    return pending.move.side == side or not _is_person(match, pending.move.side)


def _may_choose(match: TurnPlay, request: ChoiceRequest, side: int) -> bool:
    from lumiban.table.types import Choose

    verdict = match.verdict
    if match.is_free or not isinstance(verdict, Choose):
        return False
    if request.text == TAKE_BACK:
        return bool(verdict.back) and _all_by(match, match.history.moves[-verdict.back :], side)
    return all(move.side == side for move in verdict.candidates)


def _all_by(match: TurnPlay, moves: Iterable[Move], side: int) -> bool:
    """Whether of all people only this side made these moves."""
    return all(move.side == side or not _is_person(match, move.side) for move in moves)


def _is_person(match: TurnPlay, side: int) -> bool:
    from lumiban.table.types import HUMAN

    return match.history.seats[side] == HUMAN
