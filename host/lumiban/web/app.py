"""The web application of a table: the page, its files, its texts, and the two WebSockets."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from importlib.resources import files
from pathlib import PurePosixPath

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute

from lumiban.catalogue import LANGUAGES, texts
from lumiban.web.gate import LOOPBACK, Gate
from lumiban.web.sockets import HandsSocket, TableSocket
from lumiban.web.tabs import Tabs
from lumiban.web.types import Table

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
"""Types of the files we serve; the machine's own table of types is not to be trusted."""

STATIC = files("lumiban.web") / "static"


def create_app(table: Table, *, allowed_hosts: Collection[str] = LOOPBACK) -> Starlette:
    """The ASGI application for `table`; `allowed_hosts` are the names (without port) that the
    Host header may carry.

    It must run in the loop that `table` lives in.
    """
    tabs = Tabs()
    app = Starlette(
        routes=[
            Route("/", _page),
            Route("/watch", _page),
            Route("/static/{name}", _file),
            Route("/api/view", _view),
            Route("/api/texts", _texts),
            WebSocketRoute("/ws", TableSocket(table, tabs).talk),
            WebSocketRoute("/hands", HandsSocket(table, tabs).talk),
        ],
        middleware=[Middleware(Gate, allowed_hosts=tuple(allowed_hosts))],
        exception_handlers={HTTPException: _fault},
    )
    app.state.table = table
    return app


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
    host = request.headers["host"]
    headers = {
        "cache-control": "no-cache",
        "etag": tag,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "content-security-policy": (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
            f"connect-src 'self' ws://{host} wss://{host}; manifest-src 'self'; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
    }
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=kind, headers=headers)


async def _page(request: Request) -> Response:
    return _content(request, "index.html")


async def _file(request: Request) -> Response:
    return _content(request, request.path_params["name"])


async def _view(request: Request) -> Response:
    table: Table = request.app.state.table
    return JSONResponse({"type": "view", **table.view()}, headers={"cache-control": "no-store"})


async def _texts(request: Request) -> Response:
    language = request.query_params.get("lang", LANGUAGES[0])
    if language not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        return PlainTextResponse(f"no texts in that language; there are: {known}\n", 404)
    return JSONResponse(texts(language), headers={"cache-control": "no-cache"})
