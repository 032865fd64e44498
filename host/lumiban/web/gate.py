"""The door of the page: who may speak to it at all, and what every answer says to a browser.

A web page from elsewhere must not reach the table through the visitor's own browser. So the Host
header must name this table (against DNS rebinding), and an Origin, where a browser sends one, must
be the very page that we served. This holds for every request and every WebSocket.
"""

from __future__ import annotations

from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lumiban.authority import LOOPBACK, named, origin

SECURITY_HEADERS = {
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "content-security-policy": (
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
}
"""Headers of every answer, whoever gives it; a page of ours comes with a policy of its own."""


def page_policy(host: str) -> str:
    """Return the Content-Security-Policy of the page served under `host`, a checked authority."""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        f"connect-src 'self' ws://{host} wss://{host}; manifest-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def objection(headers: Headers, allowed_hosts: Collection[str] = LOOPBACK) -> str | None:
    """Why a request with these headers is turned away, None when it may pass.

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
    if origins and origin(origins, allowed_hosts) != host:
        return f"a page from {_shown(origins[-1])} may not use this table"
    return None


def _shown(value: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in value[:80])


class Gate:
    """ASGI wrapper that answers 403 with the objection, passes all else on, and adds
    `SECURITY_HEADERS` to every answer that does not have its own."""

    def __init__(self, app: ASGIApp, allowed_hosts: Collection[str] = LOOPBACK) -> None:
        self.app = app
        self.allowed_hosts = frozenset(name.lower() for name in allowed_hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
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

        reason = objection(Headers(scope=scope), self.allowed_hosts)
        if reason is None:
            await self.app(scope, receive, guarded)
        elif scope["type"] == "websocket":
            await deny(scope, receive, guarded, reason, 403)
        else:
            await PlainTextResponse(reason + "\n", 403)(scope, receive, guarded)


_BEGINNINGS = ("http.response.start", "websocket.http.response.start", "websocket.accept")


async def deny(scope: Scope, receive: Receive, send: Send, reason: str, status: int) -> None:
    """Refuse a WebSocket before it opens: an HTTP answer where the server can, else a close."""
    if "websocket.http.response" in scope.get("extensions", {}):
        await PlainTextResponse(reason + "\n", status)(scope, receive, send)
    else:
        await send({"type": "websocket.close", "code": 1008, "reason": reason[:120]})
