"""The door of the page: who may speak to it at all.

A web page from elsewhere must not reach the table through the visitor's own browser. So the Host
header must name this table (against DNS rebinding), and an Origin, where a browser sends one, must
be the very page that we served. This holds for every request and every WebSocket.
"""

from __future__ import annotations

from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""Names under which a table on this machine is reached."""


def host_name(host: str) -> str:
    """The name in a Host header, without its port, in lower case.

    >>> host_name("LOCALHOST:8700"), host_name("[::1]:8700"), host_name("[::1]")
    ('localhost', '[::1]', '[::1]')
    """
    host = host.strip().lower()
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]


def objection(headers: Headers, allowed_hosts: Collection[str]) -> str | None:
    """Why a request with these headers is turned away, None when it may pass.

    >>> objection(Headers({"host": "evil.example"}), LOOPBACK)
    'this table is not called evil.example: open it by the address that lumiban printed'
    >>> objection(Headers({"host": "localhost:1", "origin": "http://evil.example"}), LOOPBACK)
    'a page from http://evil.example may not use this table'
    >>> objection(Headers({"host": "localhost:1", "origin": "http://localhost:1"}), LOOPBACK)
    """
    hosts = headers.getlist("host")
    if len(hosts) != 1 or host_name(hosts[0]) not in allowed_hosts:
        called = _shown(hosts[0]) if hosts else "nothing"
        return f"this table is not called {called}: open it by the address that lumiban printed"
    for origin in headers.getlist("origin"):
        scheme, _, place = origin.strip().lower().partition("://")
        if scheme not in ("http", "https") or place != hosts[0].strip().lower():
            return f"a page from {_shown(origin)} may not use this table"
    return None


def _shown(value: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in value[:80])


class Gate:
    """ASGI wrapper that answers 403 with the objection, and passes all else on."""

    def __init__(self, app: ASGIApp, allowed_hosts: Collection[str]) -> None:
        self.app = app
        self.allowed_hosts = frozenset(name.lower() for name in allowed_hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        reason = objection(Headers(scope=scope), self.allowed_hosts)
        if reason is None:
            await self.app(scope, receive, send)
            return
        if scope["type"] == "websocket":
            await deny(scope, receive, send, reason, 403)
        else:
            await PlainTextResponse(reason + "\n", 403)(scope, receive, send)


async def deny(scope: Scope, receive: Receive, send: Send, reason: str, status: int) -> None:
    """Refuse a WebSocket before it opens: an HTTP answer where the server can, else a close."""
    if "websocket.http.response" in scope.get("extensions", {}):
        await PlainTextResponse(reason + "\n", status)(scope, receive, send)
    else:
        await send({"type": "websocket.close", "code": 1008, "reason": reason[:120]})
