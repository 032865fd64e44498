"""Requests to the page's application as its own page sends them, without a server."""

from __future__ import annotations

import asyncio
import json
from typing import Any, cast

from starlette.types import ASGIApp

HERE = "127.0.0.1:8000"


def answered(
    app: ASGIApp,
    method: str,
    path: str,
    body: bytes = b"",
    *,
    cookie: str = "",
    origin: str = f"http://{HERE}",
) -> tuple[int, dict[str, str], bytes]:
    """Send a request; (status, headers, body)."""
    headers = [("host", HERE), ("cookie", cookie), ("origin", origin)]
    scope = {
        "type": "http",
        "method": method,
        "path": path.partition("?")[0],
        "query_string": path.partition("?")[2].encode(),
        "headers": [(name.encode(), value.encode()) for name, value in headers if value],
    }
    said: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        said.append(message)

    asyncio.run(cast("Any", app)(scope, receive, send))
    told = {name.decode(): value.decode() for name, value in said[0]["headers"]}
    return said[0]["status"], told, b"".join(message.get("body", b"") for message in said[1:])


def post(
    app: ASGIApp, body: Any, *, path: str = "/api/players", method: str = "POST", **more: Any
) -> tuple[int, dict[str, Any]]:
    """Send a request; (status, the answer's JSON)."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    status, _, content = answered(app, method, path, data, **more)
    try:
        return status, json.loads(content)
    except ValueError:
        return status, {}


def error(answer: tuple[int, dict[str, Any]]) -> tuple[int, str]:
    """Status and sentence of a refusal."""
    return answer[0], answer[1]["error"]["id"]
