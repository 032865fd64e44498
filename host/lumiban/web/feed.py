"""Feeds of the page's server: a table's views as text, packed once however many tabs show them."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from lumiban import catalogue
from lumiban.errors import LumibanError
from lumiban.web import pipe
from lumiban.web.types import JSON, Table


def packed(kind: str, content: Mapping[str, Any]) -> str:
    """Return the message of this type as JSON text.

    >>> packed("view", {"v": 3, "light": {"4": [1, 2]}})
    '{"type":"view","v":3,"light":{"4":[1,2]}}'
    """
    return msgspec.json.encode({"type": kind, **content}).decode()


class _Watchers:
    """Callbacks that hear each new view."""

    def __init__(self) -> None:
        self._callbacks: list[Callable[[str], None]] = []

    def __bool__(self) -> bool:
        return bool(self._callbacks)

    def add(self, callback: Callable[[str], None]) -> None:
        self._callbacks.append(callback)

    def remove(self, callback: Callable[[str], None]) -> None:
        if callback in self._callbacks:
            self._callbacks.remove(callback)

    def show(self, view: str) -> None:
        for callback in tuple(self._callbacks):
            callback(view)


class LocalFeed:
    """The feed of a table that lives in the loop of the web app."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._watchers = _Watchers()
        self._leave: Callable[[], None] = lambda: None

    @property
    def hands_url(self) -> str | None:
        """Address of the simulator's hands."""
        return self._table.hands_url

    def hello(self) -> Mapping[str, Any]:
        """What the page needs to know once."""
        return self._table.hello()

    async def view(self) -> str:
        """The present view."""
        return packed("view", self._table.view())

    async def look(self, n: int) -> str | None:
        """A past position."""
        past = self._table.look(n)
        return None if past is None else packed("past", past)

    async def command(self, message: JSON, role: str) -> JSON | None:
        """Pass a message on to the table."""
        return await self._table.command(message, role)

    def watch(self, callback: Callable[[str], None]) -> Callable[[], None]:
        """Call back with the present view and each new one."""
        if not self._watchers:
            self._leave = self._table.watch(self._published)
        self._watchers.add(callback)
        callback(packed("view", self._table.view()))

        def leave() -> None:
            self._watchers.remove(callback)
            if not self._watchers:
                self._leave()

        return leave

    def _published(self, view: Mapping[str, Any]) -> None:
        self._watchers.show(packed("view", view))


class PipedFeed:
    """The feed of a table at the other end of a pipe (`page_process`).

    `ended` is set when that end has closed.
    """

    def __init__(self) -> None:
        self.hands_url: str | None = None
        self.ended = asyncio.Event()
        self.greeted = asyncio.Event()
        """Set once the table has said who it is and what it shows."""
        self.line = pipe.Line(self._heard, self.ended.set)
        self._hello: Mapping[str, Any] = {}
        self._view = ""
        self._watchers = _Watchers()
        self._numbers = itertools.count(1)
        self._asked: dict[int, asyncio.Future[bytes]] = {}
        self._looking: asyncio.Future[bytes] | None = None

    def hello(self) -> Mapping[str, Any]:
        """What the page needs to know once."""
        return self._hello

    async def view(self) -> str:
        """The present view; all who ask while an answer is under way get that one."""
        if self._looking is None or self._looking.done():
            self._looking = self._ask(pipe.PRESENT, b"")
        return (await asyncio.shield(self._looking)).decode()

    async def look(self, n: int) -> str | None:
        """A past position."""
        return (await self._ask(pipe.LOOK, str(n).encode())).decode() or None

    async def command(self, message: JSON, role: str) -> JSON | None:
        """Pass a message on to the table; LumibanError as it was raised there."""
        answer = await self._ask(pipe.COMMAND, msgspec.json.encode([message, role]))
        refused, fault = msgspec.json.decode(answer)
        if fault:
            raise LumibanError(fault)
        told: JSON | None = refused
        return told

    def watch(self, callback: Callable[[str], None]) -> Callable[[], None]:
        """Call back with the present view and each new one."""
        self._watchers.add(callback)
        callback(self._view)
        return lambda: self._watchers.remove(callback)

    def _ask(self, kind: int, body: bytes) -> asyncio.Future[bytes]:
        number = next(self._numbers)
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._asked[number] = answer
        self.line.send(kind, number, body)
        return answer

    def _heard(self, kind: int, number: int, body: bytes) -> None:
        if kind == pipe.VIEW:
            self._view = body.decode()
            self.greeted.set()
            self._watchers.show(self._view)
        elif kind == pipe.HELLO:
            told = msgspec.json.decode(body)
            self.hands_url, self._hello = told["hands_url"], told["hello"]
            for language, sentences in told["texts"].items():
                catalogue.add(language, sentences)
        elif kind == pipe.ANSWER:
            asked = self._asked.pop(number, None)
            if asked is not None and not asked.done():
                asked.set_result(body)
