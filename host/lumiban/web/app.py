"""The web application of a table: the page, its files, its texts, and the two WebSockets."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from importlib.resources import files
from pathlib import PurePosixPath

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute

from lumiban.authority import LOOPBACK
from lumiban.catalogue import LANGUAGES, texts
from lumiban.web.feed import LocalFeed
from lumiban.web.gate import Gate, page_policy
from lumiban.web.sockets import HandsSocket, TableSocket
from lumiban.web.tabs import MOST_SOCKETS, Tabs
from lumiban.web.types import Feed, Table

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
"""Types of the files we serve; the machine's own table of types is not to be trusted."""

STATIC = files("lumiban.web") / "static"


def create_app(
    table: Table,
    *,
    allowed_hosts: Collection[str] = LOOPBACK,
    most_sockets: int = MOST_SOCKETS,
) -> Gate:
    """Return the ASGI application for `table`, for the loop that the table lives in.

    `allowed_hosts` are the names (without port) that the Host header may carry. While
    `most_sockets` WebSockets are open, others are refused with 503.
    """
    return create_app_of(LocalFeed(table), allowed_hosts=allowed_hosts, most_sockets=most_sockets)


def create_app_of(
    feed: Feed,
    *,
    allowed_hosts: Collection[str] = LOOPBACK,
    most_sockets: int = MOST_SOCKETS,
) -> Gate:
    """`create_app` for a table that is read by a feed of any kind."""
    tabs = Tabs(most_sockets)
    app = Starlette(
        routes=[
            Route("/", _page),
            Route("/watch", _page),
            Route("/static/{name}", _file),
            Route("/api/view", _view),
            Route("/api/texts", _texts),
            Route("/api/room", _room),
            WebSocketRoute("/ws", TableSocket(feed, tabs).talk),
            WebSocketRoute("/hands", HandsSocket(feed, tabs).talk),
        ],
        exception_handlers={HTTPException: _fault},
    )
    app.state.feed = feed
    app.state.tabs = tabs
    return Gate(app, allowed_hosts)


async def _fault(request: Request, fault: Exception) -> Response:
    assert isinstance(fault, HTTPException)
    if fault.status_code == 404:
        return PlainTextResponse("there is nothing here: the table is at /\n", 404)
    return PlainTextResponse(f"{fault.detail}\n", fault.status_code, headers=fault.headers)


def _content(request: Request, name: str) -> Response:
    file = STATIC / name
    kind = TYPES.get(PurePosixPath(name).suffix)
    # Only plain names: what `/static/{name}` matches holds no slash, but a leading dot might.
    if kind is None or name.startswith(".") or "\\" in name or not file.is_file():
        raise HTTPException(404)
    body = file.read_bytes()
    tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    headers = {"cache-control": "no-cache", "etag": tag}
    if kind == TYPES[".html"]:
        # The gate let the request in: this header is a name and a port and nothing else.
        headers["content-security-policy"] = page_policy(request.headers["host"].lower())
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=kind, headers=headers)


async def _page(request: Request) -> Response:
    return _content(request, "index.html")


async def _file(request: Request) -> Response:
    return _content(request, request.path_params["name"])


async def _view(request: Request) -> Response:
    feed: Feed = request.app.state.feed
    headers = {"cache-control": "no-store"}
    return Response(await feed.view(), media_type="application/json", headers=headers)


async def _room(request: Request) -> Response:
    """Why a WebSocket is refused, for a page: no browser shows it the answer to a handshake."""
    tabs: Tabs = request.app.state.tabs
    full = tabs.why_full()
    headers = {"cache-control": "no-store"}
    if full is None:
        return Response(status_code=204, headers=headers)
    return PlainTextResponse(full + "\n", 503, headers=headers)


async def _texts(request: Request) -> Response:
    language = request.query_params.get("lang", LANGUAGES[0])
    if language not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        return PlainTextResponse(f"no texts in that language; there are: {known}\n", 404)
    return JSONResponse(texts(language), headers={"cache-control": "no-cache"})
