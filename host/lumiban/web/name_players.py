"""Names of a game's players: of the game that has just ended, found here from page and phone, or of
one in the library; and first ratings, which players declare themselves.

A phone names the side that it plays, the host of the table any; games of the library are named, and
ratings declared, on this machine alone. Names are local: no account, no password.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lumiban.errors import UsageError
from lumiban.web.answers import Refused, answer, needs_origin
from lumiban.web.feed import Feed
from lumiban.web.sources import body_of

if TYPE_CHECKING:
    from lumiban.library.library import Library, LibraryGame

MAX_REQUEST_BYTES = 4_000
"""Bytes of a request."""
RECENT = 20
"""Games among which the table's own is looked for: other tables of this machine end games too."""


class NameRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Name of the player of a side; without a game, of the one that has ended at this table."""

    side: Annotated[int, msgspec.Meta(ge=0, le=1)]
    name: str
    game: str = ""


class FirstRating(msgspec.Struct, forbid_unknown_fields=True):
    """Rating with which a player begins in a game."""

    player: str
    game: str
    rating: int


class _Move(msgspec.Struct):
    side: int
    text: str


class _Game(msgspec.Struct):
    slug: str


class _View(msgspec.Struct):
    """Fields that identify a game's record."""

    game: _Game
    moves: list[_Move]
    outcome: Any = None


Wish = TypeVar("Wish", NameRequest, FirstRating)


def naming_routes(state: Path, feed: Feed) -> list[Route]:
    """Routes of this machine's own page, which may name every side of every game, find the table's
    own, and declare first ratings."""

    async def naming(request: Request) -> Response:
        needs_origin(request)
        return await answer_naming(request, state, feed, sides=None)

    async def declaring(request: Request) -> Response:
        needs_origin(request)
        wish = await _wish(request, FirstRating)
        await asyncio.to_thread(_declare, state, wish)
        return answer({})

    async def last(request: Request) -> Response:
        return answer({"game": await _last(state, feed)})

    return [
        Route("/api/library/last", last),
        Route("/api/players", naming, methods=["POST"]),
        Route("/api/first-rating", declaring, methods=["POST"]),
    ]


async def answer_naming(
    request: Request, state: Path, feed: Feed, *, sides: Collection[int] | None
) -> Response:
    """Record a name; `sides` are those of the table's game that may be named, None for any side of
    any game."""
    wish = await _wish(request, NameRequest)
    if sides is not None and (wish.game or wish.side not in sides):
        raise Refused(403, "page.sign.other-side")
    view = None if wish.game else await _ended(feed)
    game = await asyncio.to_thread(_name, state, wish, view)
    return answer({"game": asdict(game)})


async def _last(state: Path, feed: Feed) -> str:
    """Name of the record of the game at the table; Refused while it is not over, or not on disk: a
    page hears of a game's end first."""
    view = await _ended(feed)

    def find() -> str:
        from lumiban.library.library import opened

        with opened(state) as library:
            return record_of(library, view)

    return await asyncio.to_thread(find)


async def _wish(request: Request, kind: type[Wish]) -> Wish:
    """Parse the request; Refused for an invalid or oversized one."""
    body = await body_of(request, MAX_REQUEST_BYTES)
    if body is None:
        raise Refused(413, "page.sign.bad-name")
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Refused(400, "page.error.message", reason=str(error)) from None


async def _ended(feed: Feed) -> _View:
    """Game at the table, which must be over; with all its moves, which the last view may omit."""
    try:
        view = msgspec.json.decode(await feed.view(), type=_View)
    except msgspec.DecodeError:  # a scripted table
        raise Refused(409, "page.sign.not-over") from None
    if view.outcome is None:
        raise Refused(409, "page.sign.not-over")
    return view


def _must_be_name(name: str) -> None:
    from lumiban.library.ledger import player_name

    try:
        player_name(name)
    except UsageError:
        raise Refused(400, "page.sign.bad-name") from None


def _name(state: Path, wish: NameRequest, view: _View | None) -> LibraryGame:
    """Record a name, on a thread: the library waits for disks."""
    from lumiban.library.library import opened

    _must_be_name(wish.name)
    with opened(state) as library:
        game = wish.game if view is None else record_of(library, view)
        return library.seat(game, (wish.name, None) if wish.side == 0 else (None, wish.name))


def _declare(state: Path, wish: FirstRating) -> None:
    """Record a first rating, on a thread: the library waits for disks."""
    from lumiban.games.registry import OURS_BY_NAME
    from lumiban.library.library import opened
    from lumiban.library.ratings import MAX_DECLARED, FirstRatingTooLate

    _must_be_name(wish.player)
    if wish.game not in OURS_BY_NAME or not 0 <= wish.rating <= MAX_DECLARED:
        raise Refused(400, "page.first-rating.range", most=MAX_DECLARED)
    with opened(state) as library:
        try:
            library.declare(wish.player, wish.game, wish.rating)
        except FirstRatingTooLate as late:
            raise Refused(409, "page.first-rating.late", games=late.games) from None


def record_of(library: Library, view: _View) -> str:
    """Name of the record whose game a view shows; Refused while it is not on disk."""
    played = [(move.side, move.text) for move in view.moves]
    for game in library.games(limit=RECENT):
        if game.slug != view.game.slug or game.moves != len(played) or game.fault:
            continue
        moves = library.document(game.name)["moves"]
        if [(move["side"], move["text"]) for move in moves] == played:
            return game.name
    raise Refused(409, "page.sign.not-kept")
