"""The two WebSockets of the page: `/ws` to the table and `/hands` through to the simulator."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.responses import PlainTextResponse
from starlette.websockets import WebSocket, WebSocketDisconnect

from lumiban.errors import LumibanError, UsageError
from lumiban.web.messages import hands_word, table_message
from lumiban.web.tabs import Tab, Tabs
from lumiban.web.types import HOST, JSON, Table

HANDS_BYTES = 1 << 18
"""The longest message taken from a simulator."""
SIMULATOR_GONE = 1013
"""Close code "try again later": the page does."""


def error(id: str, **params: Any) -> JSON:
    """The message that answers one which could not be followed."""
    return {"type": "error", "text": {"id": id, "params": params}}


def _token(socket: WebSocket) -> str:
    return socket.query_params.get("tab", "")[:64]


async def _heard(socket: WebSocket) -> str | bytes | None:
    """The next message of the page, None when it has gone."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        return None
    text: str | bytes | None = message.get("text")
    return text if text is not None else message.get("bytes", b"")


async def _first_of(*jobs: Any) -> None:
    """Run `jobs` side by side until one ends, then end the others."""
    tasks = [asyncio.ensure_future(job) for job in jobs]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class TableSocket:
    """`/ws`: tells a tab every view, and the table what its tab wants."""

    def __init__(self, table: Table, tabs: Tabs) -> None:
        self.table = table
        self.tabs = tabs

    async def talk(self, socket: WebSocket) -> None:
        await socket.accept()
        tab = Tab(_token(socket), only_watches="watch" in socket.query_params)
        self.tabs.enter(tab)
        self._greet(tab)
        tab.show(self.table.view())
        unwatch = self.table.watch(tab.show)
        try:
            await _first_of(self._send(socket, tab), self._listen(socket, tab))
        except WebSocketDisconnect:
            pass  # the tab closed while we were sending
        finally:
            unwatch()
            self.tabs.leave(tab)

    def _greet(self, tab: Tab) -> None:
        tab.say({"type": "hello", **self.table.hello(), "role": tab.role})

    async def _send(self, socket: WebSocket, tab: Tab) -> None:
        while True:
            for message in await tab.news():
                await socket.send_json(message)

    async def _listen(self, socket: WebSocket, tab: Tab) -> None:
        while (raw := await _heard(socket)) is not None:
            answer = await self._follow(raw, tab)
            if answer is not None:
                tab.say(answer)

    async def _follow(self, raw: str | bytes, tab: Tab) -> JSON | None:
        try:
            message = table_message(raw)
        except UsageError as fault:
            return error("page.error.message", reason=str(fault))
        if message["do"] == "claim":
            return self._claim(tab)
        if message["do"] == "look":
            past = self.table.look(message["n"])
            return error("page.error.no-past") if past is None else {"type": "past", **past}
        if tab.role != HOST:
            return error("page.error.viewer")
        try:
            refused = await self.table.command(message, tab.role)
        except LumibanError as fault:
            return error("page.error.plain", reason=str(fault))
        if refused is not None:
            return {"type": "error", "text": refused}
        return {"type": "done", "do": "new"} if message["do"] == "new" else None

    def _claim(self, tab: Tab) -> JSON | None:
        if tab.only_watches:
            return error("page.error.viewer")
        before = self.tabs.claim(tab)
        if before is not None:
            self._greet(before)
        self._greet(tab)
        return None


class HandsSocket:
    """`/hands`: passes messages between a tab and the simulator; only the host's hands act."""

    def __init__(self, table: Table, tabs: Tabs) -> None:
        self.table = table
        self.tabs = tabs

    async def talk(self, socket: WebSocket) -> None:
        from websockets.asyncio.client import connect
        from websockets.exceptions import WebSocketException

        address = self.table.hands_url
        if address is None:
            reason = "this board is a real one: it has no simulated hands"
            await socket.send_denial_response(PlainTextResponse(reason + "\n", 404))
            return
        await socket.accept()
        try:
            async with connect(
                address, max_size=HANDS_BYTES, compression=None, proxy=None
            ) as simulator:
                await _first_of(self._outward(socket, simulator), self._inward(socket, simulator))
        except (OSError, WebSocketException):
            await self._gone(socket)
        except WebSocketDisconnect:
            pass  # the tab closed while we were sending

    async def _gone(self, socket: WebSocket) -> None:
        try:
            await socket.send_json(error("page.error.simulator"))
            await socket.close(SIMULATOR_GONE, "the simulator does not answer")
        except (WebSocketDisconnect, RuntimeError):
            pass  # the tab was faster

    async def _inward(self, socket: WebSocket, simulator: Any) -> None:
        async for message in simulator:
            if isinstance(message, bytes):
                await socket.send_bytes(message)
            else:
                await socket.send_text(message)

    async def _outward(self, socket: WebSocket, simulator: Any) -> None:
        token = _token(socket)
        while (raw := await _heard(socket)) is not None:
            try:
                word = hands_word(raw)
            except UsageError as fault:
                await socket.send_json(error("page.error.message", reason=str(fault)))
                continue
            # Looking at the field moves nothing: viewers may.
            if word != "field" and not self.tabs.may_act(token):
                await socket.send_json(error("page.error.viewer"))
                continue
            await simulator.send(raw)
