"""Web application of a table: the page, its files, its texts, the two WebSockets, and the gate.

A web page from elsewhere must not reach the table through the visitor's own browser. So the Host
header must name this table (against DNS rebinding), and an Origin, where a browser sends one, must
be the very page that we served. This holds for every request and every WebSocket.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lumiban.errors import LumibanError
from lumiban.i18n import LANGUAGES
from lumiban.system.request_origin import LOOPBACK, named, origin
from lumiban.web.admission import Admission
from lumiban.web.after_game import after_game_routes
from lumiban.web.answers import NO_STORE, refusal, sent
from lumiban.web.assets import ASSETS, TYPES, sentences
from lumiban.web.feed import Feed
from lumiban.web.library_pages import library_routes
from lumiban.web.link_pages import link_routes
from lumiban.web.name_players import naming_routes
from lumiban.web.rules_pages import rules_routes
from lumiban.web.service_pages import service_routes
from lumiban.web.sockets import HandsSocket, TableSocket
from lumiban.web.sources import FORWARDED, Proxy, Unfinished, source_of
from lumiban.web.tabs import MAX_SOCKETS, Tabs


def create_app_of(
    feed: Feed,
    *,
    allowed_hosts: Collection[str] = LOOPBACK,
    most_sockets: int = MAX_SOCKETS,
    state: Path | None = None,
    tabs: Tabs | None = None,
    door: Admission | None = None,
    owner: str = "",
    proxy: Proxy | None = None,
    behind: ASGIApp | None = None,
) -> Gate:
    """ASGI application for a table that is read by a feed.

    `allowed_hosts` are the names (without port) that the Host header may carry. While
    `most_sockets` WebSockets are open, others are refused with 503. `state` is the folder whose
    finished games the page shows; without it none are. With `tabs` and `door` its host leads the
    network's door too. `owner` is the token of who may do what the service's socket lets its user.
    Who comes by the name of the `proxy` comes to the application `behind` the network's door.
    """
    tabs = tabs or Tabs(most_sockets)
    app = Starlette(
        routes=[
            Route("/", _page),
            Route("/watch", _page),
            Route("/worker.js", _worker),
            Route("/static/{name}", file_named),
            Route("/static/{version}/{name}", file_of_version),
            Route("/api/view", _view),
            Route("/api/texts", texts_of),
            Route("/api/room", _room),
            Route("/library", _library),
            Route("/service", _service),
            Route("/rules", rules_page),
            *library_routes(state),
            *link_routes(state),
            *(naming_routes(state, feed) if state is not None else []),
            *(after_game_routes(state, feed) if state is not None else []),
            *service_routes(state, owner=owner),
            *rules_routes(),
            WebSocketRoute("/ws", TableSocket(feed, tabs, door, owner=owner).talk),
            WebSocketRoute("/hands", HandsSocket(feed, tabs).talk),
        ],
        exception_handlers=FAULTS,
    )
    app.state.feed = feed
    app.state.tabs = tabs
    return Gate(app, allowed_hosts, is_here=True, proxy=proxy, behind=behind)


async def fault(request: Request, error: Exception) -> Response:
    """Response to a request that cannot be met."""
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return PlainTextResponse("there is nothing here: the table is at /\n", 404)
    return PlainTextResponse(f"{error.detail}\n", error.status_code, headers=error.headers)


FAULTS: Any = {HTTPException: fault, LumibanError: refusal}


def page_named(request: Request, name: str) -> Response:
    """Page by its file's name."""
    # The gate let the request in: this header is a name and a port and nothing else.
    policy = page_policy(request.headers["host"].lower())
    return sent(request, ASSETS.page(name), policy=policy)


async def _page(request: Request) -> Response:
    return page_named(request, "index.html")


async def _worker(request: Request) -> Response:
    """Service worker that keeps the page for when no lumiban runs; served from here its scope is
    all pages."""
    asset = ASSETS.file("worker.js")
    assert asset is not None
    # What it fetches to keep goes by a policy of its own, not by that of the page.
    return sent(request, asset, policy="default-src 'none'; connect-src 'self'")


async def _library(request: Request) -> Response:
    return page_named(request, "library.html")


async def _service(request: Request) -> Response:
    return page_named(request, "service.html")


async def rules_page(request: Request) -> Response:
    """Page of the rules."""
    return page_named(request, "rules.html")


async def file_named(request: Request) -> Response:
    """File of the page by its name."""
    name = request.path_params["name"]
    asset = ASSETS.file(name)
    if asset is None:
        raise HTTPException(404)
    return page_named(request, name) if name.endswith(".html") else sent(request, asset)


async def file_of_version(request: Request) -> Response:
    """Response with a file that a page links: immutable where it is of this version; a page of
    another version, in a tab left open, gets the current file."""
    asset = ASSETS.joined(request.path_params["name"])
    if asset is None or asset.kind == TYPES[".html"]:
        raise HTTPException(404)
    is_ours = request.path_params["version"] == ASSETS.version
    return sent(request, asset, keep=FOR_GOOD if is_ours else "no-cache")


FOR_GOOD = "public, max-age=31536000, immutable"
"""To browsers: a year, unasked."""


async def _view(request: Request) -> Response:
    feed: Feed = request.app.state.feed
    return Response(await feed.view(), media_type="application/json", headers=NO_STORE)


async def _room(request: Request) -> Response:
    """Response that says why a WebSocket is refused: no browser shows a page the response to its
    handshake."""
    tabs: Tabs = request.app.state.tabs
    return room_told(tabs.why_full())


def room_told(full: str | None) -> Response:
    """Response that says whether there is room, and if not why."""
    if full is None:
        return Response(status_code=204, headers=NO_STORE)
    return PlainTextResponse(full + "\n", 503, headers=NO_STORE)


async def texts_of(request: Request) -> Response:
    """Sentences of a language: all, or with `for=table` those of the current game, which a network
    is not told before admission."""
    language = request.query_params.get("lang", LANGUAGES[0])
    if language not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        return PlainTextResponse(f"no texts in that language; there are: {known}\n", 404)
    game = None
    if request.query_params.get("for") == "table":
        feed: Feed | None = getattr(request.app.state, "feed", None)
        game = _GAME.search(await feed.view()) if feed is not None else None
    return sent(request, sentences(language, game[1] if game else ""))


_GAME = re.compile(r'"game":\{"slug":"([\w-]{1,40})"')


SECURITY_HEADERS = {
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "content-security-policy": (
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
}
"""Headers of every answer of the server; a page of ours comes with a policy of its own."""


def page_policy(host: str) -> str:
    """Content-Security-Policy of the page served under `host`, a checked authority."""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        f"connect-src 'self' ws://{host} wss://{host}; manifest-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def objection(
    headers: Headers, allowed_hosts: Collection[str] = LOOPBACK, *, needs_origin: bool = False
) -> str | None:
    """Reason why a request with these headers is rejected, None when it may pass.

    >>> objection(Headers({"host": "evil.example"}))
    'this table is not called evil.example: open it by the address that lumiban printed'
    >>> objection(Headers({"host": "localhost:1", "origin": "http://evil.example"}))
    'a page from http://evil.example may not use this table'
    >>> objection(Headers({"host": "localhost:1", "origin": "http://localhost:1"}))
    """
    hosts, origins = headers.getlist("host"), headers.getlist("origin")
    host = named(hosts, allowed_hosts)
    if host is None:
        called = _shown(hosts[0]) if hosts else "nothing"
        return f"this table is not called {called}: open it by the address that lumiban printed"
    if needs_origin and not origins:
        return "only this table's own page may do that: the request does not say where it is from"
    if origins and origin(origins, allowed_hosts) != host:
        return f"a page from {_shown(origins[-1])} may not use this table"
    return None


def _shown(value: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in value[:80])


class Gate:
    """ASGI middleware that answers 403 with the objection, passes all else on, and adds
    `SECURITY_HEADERS` to every response without its own.

    `is_here`: only this machine comes here, by no proxy; who comes by the name that `proxy` serves
    is sent on `behind` the network's door. With `needs_origin` whatever is no mere GET must say
    from which page it comes. A source with too many unfinished requests gets 503; one that hangs up
    in the midst of one is nobody's fault.
    """

    def __init__(
        self,
        app: ASGIApp,
        allowed_hosts: Collection[str] = LOOPBACK,
        *,
        needs_origin: bool = False,
        is_here: bool = False,
        proxy: Proxy | None = None,
        behind: ASGIApp | None = None,
    ) -> None:
        self.app = app
        self._is_here = is_here
        self._proxy = proxy
        self._behind = behind
        self.allowed_hosts = allowed_hosts
        self._needs_origin = needs_origin
        self._unfinished = Unfinished()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an accepted request on; answer any other here."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] in _BEGINNINGS:
                headers = MutableHeaders(raw=list(message.get("headers", ())))
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                message = {**message, "headers": headers.raw}
            await send(message)

        proxy = self._proxy
        if self._behind is not None and proxy is not None and proxy.is_asked(scope):
            await self._behind(scope, receive, send)
            return
        acts = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        headers, hosts = Headers(scope=scope), self.allowed_hosts
        if proxy is not None and proxy.has_sent(scope):
            hosts = {*hosts, proxy.name}
        reason = objection(headers, hosts, needs_origin=self._needs_origin and acts)
        if self._is_here and any(name in headers for name in FORWARDED):
            # The visitor sits elsewhere: nobody reaches this machine's own page by a proxy.
            reason = reason or PROXIED
        if not scope["path"].startswith("/"):
            # A proxy is asked so; the address it names need not be the one of the Host header.
            reason = reason or "this table is no proxy: ask for a path, such as /"
        if reason is not None:
            await PlainTextResponse(reason + "\n", 403)(scope, receive, guarded)
        elif scope["type"] == "websocket":
            await self.app(scope, receive, guarded)
        else:
            with (
                self._unfinished.one(source_of(scope, proxy)) as may_ask,
                suppress(ClientDisconnect),
            ):
                await (self.app if may_ask else _TOO_MANY)(scope, receive, guarded)


PROXIED = (
    "this came through a proxy: let it keep the Host header, and set page.name to the address "
    "under which it serves this table"
)
_TOO_MANY = PlainTextResponse(
    "too many requests from one address at once: wait a moment, then load this page again\n",
    503,
    {"connection": "close", "retry-after": "1"},
)
_BEGINNINGS = ("http.response.start", "websocket.http.response.start", "websocket.accept")
