"""Web application for a network: the same page behind admission (`web.admission`).

Without a cookie a visitor has no rights here. A link's secret is exchanged for a cookie and leaves
the address at once; the PIN is typed at `/join`. Where a cookie counts, at WebSockets and whatever
is sent, the request must name our own page as its origin. Simulated hands, the table's statistics
and all that makers need have no address here.
"""

from __future__ import annotations

import math
from contextlib import suppress
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Route, WebSocketRoute

from lumiban.errors import LumibanError
from lumiban.table.requests import HOST, Side, side_of
from lumiban.web.access import AGE_S, GUEST, WATCH, Entry
from lumiban.web.admission import Admission
from lumiban.web.answers import NO_STORE, answer, refused
from lumiban.web.app import (
    FAULTS,
    Gate,
    file_named,
    file_of_version,
    page_named,
    room_told,
    rules_page,
    texts_of,
)
from lumiban.web.name_players import answer_naming
from lumiban.web.rules_pages import rules_routes
from lumiban.web.service_pages import may_lead, service_routes
from lumiban.web.sockets import TableSocket
from lumiban.web.sources import Proxy, body_of, source_of

MAX_JOIN_BYTES = 512
"""Bytes of a message to `/api/join`."""


class JoinRequest(msgspec.Struct, tag_field="do", forbid_unknown_fields=True):
    """Message from the join page."""


class SeeSeats(JoinRequest, tag="look"):
    """Request for the seats, and for this phone's identity."""


class EnterRequest(JoinRequest, tag="enter"):
    """Request for admission by PIN, or without it to watch where that is free."""

    pin: str = ""


class SitRequest(JoinRequest, tag="sit"):
    """Request to play a side on this phone; `takes_over`: from the phone that plays it now."""

    side: Side
    takes_over: bool = False
    name: Annotated[str, msgspec.Meta(max_length=24)] = ""


class StandUpRequest(JoinRequest, tag="stand-up"):
    """Request to watch only, on this phone."""


_requests: msgspec.json.Decoder[SeeSeats | EnterRequest | SitRequest | StandUpRequest] = (
    msgspec.json.Decoder(SeeSeats | EnterRequest | SitRequest | StandUpRequest)
)


def create_network_app(
    door: Admission, *, names: set[str], state: Path | None = None, proxy: Proxy | None = None
) -> Gate:
    """ASGI application behind the admission `door`. `names` are the host names (without port) that
    are accepted; one added later counts from then on. `state` is the folder of finished games, to
    which players may put their names, and of the service that keeps this table; without it there is
    neither. A `proxy` adds its name."""
    app = Starlette(
        routes=[
            Route("/", _page),
            Route("/watch", _page),
            Route("/join", _join_page),
            Route("/rules", rules_page),
            Route("/service", _service_page),
            Route("/k/{secret}", _follow_link, methods=["GET"]),
            Route("/static/{name}", file_named),
            Route("/static/{version}/{name}", file_of_version),
            Route("/api/texts", texts_of),
            Route("/api/room", _room),
            Route("/api/join", _join, methods=["POST"]),
            Route("/api/players", _name_player, methods=["POST"]),
            *rules_routes(),
            *service_routes(state, door),
            WebSocketRoute("/ws", TableSocket(door.feed, door.tabs, door, by_cookie=True).talk),
        ],
        exception_handlers=FAULTS,
    )
    app.state.door = door
    app.state.folder = state
    app.state.proxy = proxy
    return Gate(app, names, needs_origin=True, proxy=proxy)


_GOES_ON = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta http-equiv="refresh" content="0;url={path}"><title>lumiban</title>
<a href="{path}">lumiban</a></html>
"""


def _from_elsewhere(request: Request) -> Response | None:
    """Page of ours that reloads the same address, for a visitor by a link on another site: a
    browser sends our cookie (SameSite=Strict) only with requests from our own pages.

    Without TLS browsers do not say where a link was: who shows no cookie goes on once.
    """
    site = request.headers.get("sec-fetch-site")
    if site in ("none", "same-origin"):
        return None
    path = quote(request.url.path)
    if site is None:
        door: Admission = request.app.state.door
        if _AGAIN in request.query_params or door.cookie in request.cookies:
            return None
        path = f"{path}?{_AGAIN}=1"
    return HTMLResponse(_GOES_ON.format(path=path), headers=NO_STORE)


_AGAIN = "again"


async def _page(request: Request) -> Response:
    """Page of the table, for admitted people; the join page for all others, which holds no secret
    and no game."""
    door: Admission = request.app.state.door
    onward = _from_elsewhere(request)
    if onward is not None:
        return onward
    if door.entry_of(request.cookies) is None:
        return RedirectResponse("/join", 303, headers=NO_STORE)
    return page_named(request, "index.html")


async def _service_page(request: Request) -> Response:
    """Page of the service, for the person who leads the table; the table for all others."""
    if not may_lead(request.app.state.door, request):
        return RedirectResponse("/", 303, headers=NO_STORE)
    return page_named(request, "service.html")


async def _join_page(request: Request) -> Response:
    return page_named(request, "join.html")


async def _follow_link(request: Request) -> Response:
    """Admit the visitor by a link, and remove its secret from the address."""
    door: Admission = request.app.state.door
    if request.method != "GET":  # a HEAD lets nobody in
        raise HTTPException(405)
    onward = _from_elsewhere(request)
    if onward is not None:
        return onward
    key = door.access.key_of(request.path_params["secret"])
    if key is None:
        return RedirectResponse("/join?old=1", 303, headers=NO_STORE)
    # A phone that has a cookie keeps it: a second one would leave its seat to nobody.
    entry, cookie = door.come_in(key, door.entry_of(request.cookies))
    if key == entry.seated and entry.side is not None:
        with suppress(LumibanError):  # a table that is closing seats nobody
            await door.seat_person(entry.side)
    is_placed = key in (entry.role, WATCH)
    onward = RedirectResponse("/" if is_placed else "/join", 303, headers=NO_STORE)
    _give(onward, request, cookie)
    return onward


def _give(reply: Response, request: Request, cookie: str) -> None:
    if cookie:
        door: Admission = request.app.state.door
        proxy: Proxy | None = request.app.state.proxy
        by_proxy = proxy is not None and proxy.is_private and proxy.is_asked(request.scope)
        reply.set_cookie(
            door.cookie,
            cookie,
            max_age=int(AGE_S),
            path="/",
            httponly=True,
            samesite="strict",
            secure=door.is_private or by_proxy,
        )


async def _room(request: Request) -> Response:
    """Response that says why a WebSocket is refused: the cookie is unknown, or too many are
    open."""
    door: Admission = request.app.state.door
    entry = door.entry_of(request.cookies)
    if entry is None:
        return PlainTextResponse("nobody has come in with this cookie: open /join\n", 401, NO_STORE)
    return room_told(door.tabs.why_full(entry))


async def _join(request: Request) -> Response:
    door: Admission = request.app.state.door
    entry = door.entry_of(request.cookies)
    body = await body_of(request, MAX_JOIN_BYTES)
    try:
        if body is None:
            raise msgspec.DecodeError(f"longer than {MAX_JOIN_BYTES} bytes")
        message = _requests.decode(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        return refused(400, "page.error.message", reason=str(error))
    cookie = ""
    if isinstance(message, EnterRequest):
        entered = _enter(door, message, entry, source_of(request.scope, request.app.state.proxy))
        if isinstance(entered, Response):
            return entered
        entry, cookie = entered
    elif not isinstance(message, SeeSeats):
        if entry is None:
            return refused(401, "join.not-in")
        why_not = await _take(door, message, entry)
        if why_not is not None:
            return refused(409, why_not)
    seats = answer(door.seats(entry))
    _give(seats, request, cookie)
    return seats


async def _name_player(request: Request) -> Response:
    """Record a player's name: a phone for its own side, the leader for both."""
    door: Admission = request.app.state.door
    state: Path | None = request.app.state.folder
    entry = door.entry_of(request.cookies)
    if entry is None:
        return refused(401, "join.not-in")
    if state is None:
        raise HTTPException(404)
    side = side_of(entry.role)
    sides = (0, 1) if entry.role == HOST else () if side is None else (side,)
    return await answer_naming(request, state, door.feed, sides=sides)


async def _take(door: Admission, message: SitRequest | StandUpRequest, entry: Entry) -> str | None:
    if isinstance(message, SitRequest):
        return await door.sit(entry, message.side, takes_over=message.takes_over, name=message.name)
    door.stand_up(entry)
    return None


def _enter(
    door: Admission, message: EnterRequest, entry: Entry | None, source: str
) -> tuple[Entry, str] | Response:
    if not message.pin and door.access.kept.are_watchers_free:
        return door.come_in(WATCH, entry)
    wait_s = door.access.try_pin(message.pin, source)
    if wait_s is None:
        return door.come_in(GUEST, entry)
    if wait_s > 0:
        seconds = math.ceil(wait_s)
        reply = refused(429, "join.wait", seconds=seconds)
        reply.headers["retry-after"] = str(seconds)
        return reply
    return refused(403, "join.wrong")
