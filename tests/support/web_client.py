"""What tests of the page's server share: a scripted table, a served page, tabs that speak."""

from __future__ import annotations

import asyncio
import http.client
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec
from local_page import create_app
from lumiban.errors import LumibanError
from lumiban.table.requests import Line, TableRequest
from lumiban.web.serve import Served, serve
from websockets.asyncio.client import ClientConnection, connect

JSON = dict[str, Any]


@dataclass
class ScriptedTable:
    """A table that knows hints and nothing else, and keeps what it was told."""

    hands_url: str | None = None
    heard: list[tuple[JSON, str]] = field(default_factory=list)
    hint: str = "legal"
    shown: int = 1
    watchers: list[Callable[[Mapping[str, Any]], None]] = field(default_factory=list)

    def hello(self) -> JSON:
        return {"simulated": self.hands_url is not None, "languages": ["en", "ja"]}

    def view(self) -> JSON:
        return {"v": self.shown, "hint": self.hint}

    def look(self, n: int, line: Line | None = None) -> JSON | None:
        return {"n": n, "moves": 2, "pieces": [n]} if n <= 2 else None

    async def command(self, request: TableRequest, role: str) -> JSON | None:
        message: JSON = msgspec.to_builtins(request)
        self.heard.append((message, role))
        if message["do"] == "word":
            raise LumibanError("the journal cannot be written")
        if message["do"] == "new":
            return None
        if message["do"] != "hint":
            return {"id": "table.nothing-to-confirm", "params": {}}
        self.hint = message["level"]
        self.shown += 1
        for callback in list(self.watchers):
            callback(self.view())
        return None

    def watch(self, callback: Callable[[Mapping[str, Any]], None]) -> Callable[[], None]:
        self.watchers.append(callback)
        return lambda: self.watchers.remove(callback)


@asynccontextmanager
async def served(table: ScriptedTable) -> AsyncIterator[Served]:
    page = await serve(create_app(table), port=0)
    try:
        yield page
    finally:
        await page.close()


def get(page: Served, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    line = http.client.HTTPConnection("127.0.0.1", page.port)
    line.request("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()})
    answer = line.getresponse()
    body = answer.read()
    line.close()
    return answer.status, {k.lower(): v for k, v in answer.getheaders()}, body


async def fetch(page: Served, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    return await asyncio.to_thread(get, page, path, **headers)


def open_tab(page: Served, query: str = "", path: str = "/ws", **more: Any) -> connect:
    options = {"max_queue": None, **more}  # one that nobody reads closes at once too
    return connect(f"ws://127.0.0.1:{page.port}{path}{query}", **options)


async def hear(tab: ClientConnection) -> JSON:
    message: JSON = json.loads(await tab.recv())
    return message


async def hear_type(tab: ClientConnection, type: str) -> JSON:
    while (message := await hear(tab))["type"] != type:
        pass
    return message


async def greeted(tab: ClientConnection) -> str:
    """The role that a fresh tab is told; its first view is read too."""
    role: str = (await hear_type(tab, "hello"))["role"]
    await hear_type(tab, "view")
    return role


async def say(tab: ClientConnection, **message: Any) -> None:
    await tab.send(json.dumps(message))
