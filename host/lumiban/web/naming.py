"""Naming who played: the game that has just ended, from page and phone, or one of the library.

A phone names the side that it plays, the host of the table any; games of the library are named on
this machine alone. Names are local: no account, no password.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from lumiban.errors import LumibanError, UsageError
from lumiban.web.feed import Feed

if TYPE_CHECKING:
    from lumiban.library.library import Library, LibraryGame

LONGEST = 4_000
"""Bytes of a request."""
RECENT = 20
"""Games among which the table's own is looked for: other tables of this machine end games too."""
NO_STORE = {"cache-control": "no-store"}


class NameRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Who sat on a side of a game; without a game, of the one that has ended at this table."""

    side: Annotated[int, msgspec.Meta(ge=0, le=1)]
    name: str
    game: str = ""


class _Move(msgspec.Struct):
    side: int
    text: str


class _Game(msgspec.Struct):
    slug: str


class _View(msgspec.Struct):
    """What of a view tells its game's record from others."""

    game: _Game
    moves: list[_Move]
    outcome: Any = None


class NotNamed(LumibanError):
    """Why somebody cannot be named: a text of the catalogue and the status of the answer."""

    def __init__(self, status: int, id: str, **params: Any) -> None:
        super().__init__(id)
        self.status, self.id, self.params = status, id, params


def naming_route(state: Path, feed: Feed) -> Route:
    """The route of this machine's own page, which may name every side of every game."""

    async def endpoint(request: Request) -> Response:
        if "origin" not in request.headers:  # the gate has looked at one that is there
            return _refused(NotNamed(403, "page.error.viewer"))
        return await answer_naming(request, state, feed, sides=None)

    return Route("/api/players", endpoint, methods=["POST"])


async def answer_naming(
    request: Request, state: Path, feed: Feed, *, sides: Collection[int] | None
) -> Response:
    """Write a name down; `sides` are those of the table's game that may be named, None for any side
    of any game."""
    try:
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > LONGEST:
                raise NotNamed(413, "page.sign.bad-name")
        try:
            wish = msgspec.json.decode(bytes(body), type=NameRequest)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise NotNamed(400, "page.error.message", reason=str(error)) from None
        if sides is not None and (wish.game or wish.side not in sides):
            raise NotNamed(403, "page.sign.other-side")
        view = None if wish.game else await _ended(feed)
        game = await asyncio.to_thread(_name, state, wish, view)
    except NotNamed as error:
        return _refused(error)
    except LumibanError as error:
        return _refused(NotNamed(409, "page.error.plain", reason=str(error)))
    return JSONResponse({"game": asdict(game)}, headers=NO_STORE)


def _refused(error: NotNamed) -> Response:
    told = {"error": {"id": error.id, "params": error.params}}
    return JSONResponse(told, error.status, headers=NO_STORE)


async def _ended(feed: Feed) -> _View:
    """The game at the table, which must be over; with all its moves, which the view that was
    published last may come without."""
    try:
        view = msgspec.json.decode(await feed.view(), type=_View)
    except msgspec.DecodeError:  # a scripted table
        raise NotNamed(409, "page.sign.not-over") from None
    if view.outcome is None:
        raise NotNamed(409, "page.sign.not-over")
    return view


def _name(state: Path, wish: NameRequest, view: _View | None) -> LibraryGame:
    """On a thread: the library waits for disks."""
    from lumiban.library.ledger import player_name
    from lumiban.library.library import opened

    try:
        player_name(wish.name)
    except UsageError:
        raise NotNamed(400, "page.sign.bad-name") from None
    with opened(state) as library:
        game = wish.game if view is None else record_of(library, view)
        library.game(game)
        return library.seat(game, (wish.name, None) if wish.side == 0 else (None, wish.name))


def record_of(library: Library, view: _View) -> str:
    """The name of the record whose game a view shows; NotNamed while it is not on disk."""
    played = [(move.side, move.text) for move in view.moves]
    for game in library.games(limit=RECENT):
        if game.slug != view.game.slug or game.moves != len(played) or game.fault:
            continue
        moves = library.document(game.name)["moves"]
        if [(move["side"], move["text"]) for move in moves] == played:
            return game.name
    raise NotNamed(409, "page.sign.not-kept")
