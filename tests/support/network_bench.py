"""A table on a network as tests have it: its two doors on ports of this machine, and phones."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from local_page import LocalFeed
from lumiban.system.owner_token import link
from lumiban.web.access import Access, Secrets
from lumiban.web.admission import Admission
from lumiban.web.app import create_app_of
from lumiban.web.network import create_network_app
from lumiban.web.serve import Served, free_socket, serve_on
from lumiban.web.sources import Proxy
from lumiban.web.tabs import Tabs
from web_client import JSON, ScriptedTable, open_tab
from websockets.asyncio.client import connect

OWNER = "token-of-the-owner-of-tests"
OWNS = f"?owner={OWNER}"
"""Query of the owner's tab."""
ADDRESS = "127.0.0.1"
"""Where the network's door stands in tests: any machine has it."""


@dataclass
class SeatedTable(ScriptedTable):
    """A scripted table with two seats, one of a machine, that keeps what it was told."""

    who: list[str] = field(default_factory=lambda: ["human", "bot:easy"])

    def view(self) -> JSON:
        seats = [{"side": side, "who": who, "thinking": False} for side, who in enumerate(self.who)]
        return {**super().view(), "game": {"sides": ["white", "black"]}, "seats": seats}

    async def command(self, request: Any, role: str) -> JSON | None:
        answer = await super().command(request, role)
        message = self.heard[-1][0]
        if message["do"] == "seat":
            self.who[message["side"]] = message["who"]
            return None
        return answer

    def watch_buttons(self, callback: Callable[[], None]) -> Callable[[], None]:
        return lambda: None


@dataclass
class Networked:
    """A table on a network: `here` is its page on this machine, `there` that on the network."""

    table: Any
    here: Served
    there: Served
    access: Access
    door: Admission

    @property
    def origin(self) -> str:
        return self.there.url.rstrip("/")

    @property
    def owner_url(self) -> str:
        return link(self.here.url, OWNER)

    def phone(self) -> Phone:
        return Phone(self)


@dataclass
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes
    cookies: list[str]

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Phone:
    """A browser on a phone, as far as tests need one: it keeps its cookie, follows no redirect."""

    to: Networked
    cookie: str = ""

    async def ask(
        self, method: str, path: str, body: Any = None, *, port: int | None = None, **headers: str
    ) -> Answer:
        answer = await asyncio.to_thread(
            self._ask, method, path, body, self.to.there.port if port is None else port, headers
        )
        for cookie in answer.cookies:
            self.cookie = cookie.split(";")[0]
        on = re.search(rb'http-equiv="refresh" content="0;url=([^"]+)"', answer.body)
        if on is not None and not headers:  # a browser that was told nothing of where a link was
            return await self.ask(method, on[1].decode(), body, port=port)
        return answer

    def _ask(
        self, method: str, path: str, body: Any, port: int, headers: Mapping[str, str]
    ) -> Answer:
        line = http.client.HTTPConnection(ADDRESS, port)
        named = {name.replace("_", "-"): value for name, value in headers.items() if value}
        if self.cookie:
            named.setdefault("cookie", self.cookie)
        if body is not None and "origin" not in headers:
            named["origin"] = self.to.origin
        raw = None if body is None else body if isinstance(body, bytes) else json.dumps(body)
        line.request(method, path, raw, named)
        answer = line.getresponse()
        told = answer.read()
        line.close()
        all_headers = {name.lower(): value for name, value in answer.getheaders()}
        cookies = answer.headers.get_all("set-cookie") or []
        return Answer(answer.status, all_headers, told, cookies)

    async def open_link(self, key: str) -> Answer:
        return await self.ask("GET", "/k/" + self.to.access.link_secret(key))

    async def join(self, do: str, **more: Any) -> Answer:
        return await self.ask("POST", "/api/join", {"do": do, **more})

    def tab(self, query: str = "", path: str = "/ws", **more: Any) -> connect:
        headers = {"cookie": self.cookie} if self.cookie else {}
        options = {"origin": self.to.origin, "additional_headers": headers, **more}
        return open_tab(self.to.there, query, path, **options)


@asynccontextmanager
async def networked(
    table: Any,
    *,
    pin: str = "493817",
    most_sockets: int = 32,
    clock: Any = None,
    state: Path | None = None,
    proxy: Proxy | None = None,
) -> AsyncIterator[Networked]:
    """`table` with a page on this machine and one on a network."""
    feed, tabs = LocalFeed(table), Tabs(most_sockets)
    sock = free_socket(ADDRESS, 0)
    more = {"clock": clock} if clock is not None else {}
    access = Access(Secrets("a master of a test", pin), **more)
    door = Admission(access, tabs, feed, url=f"http://{ADDRESS}:{sock.getsockname()[1]}/")
    network_app = create_network_app(
        door, names={ADDRESS, "lumiban.local"}, state=state, proxy=proxy
    )
    there = await serve_on(sock, network_app)
    here = await serve_on(
        free_socket(ADDRESS, 0),
        create_app_of(
            feed, tabs=tabs, door=door, state=state, owner=OWNER, proxy=proxy, behind=network_app
        ),
    )
    try:
        yield Networked(table, here, there, access, door)
    finally:
        await here.close()
        await there.close()
