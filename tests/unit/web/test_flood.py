"""What visitors who mean no good can cost the page: places, memory, turns at the table."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import Mock

import pytest
from local_page import create_app
from lumiban.web import connections, sockets
from lumiban.web.connections import Crowd
from lumiban.web.serve import MAX_CONNECTIONS, Served, free_socket, serve_on
from network_bench import ADDRESS, SeatedTable, networked
from uvicorn.config import Config
from uvicorn.server import ServerState
from web_client import JSON, ScriptedTable, fetch, greeted, hear_type, open_tab, say
from websockets.exceptions import ConnectionClosed, InvalidStatus


@asynccontextmanager
async def serving(
    table: ScriptedTable, *, most_sockets: int = 32, most_connections: int = 128
) -> AsyncIterator[Served]:
    app = create_app(table, most_sockets=most_sockets)
    page = await serve_on(free_socket("127.0.0.1", 0), app, most_connections=most_connections)
    try:
        yield page
    finally:
        await page.close()


# Places.


@pytest.mark.parametrize("path", ["/ws", "/hands"])
async def test_one_socket_too_many_is_refused_with_a_sentence_until_another_closes(
    path: str,
) -> None:
    async with serving(ScriptedTable("ws://127.0.0.1:1/hands"), most_sockets=2) as page:
        async with open_tab(page) as first, open_tab(page, "?watch=1") as second:
            await greeted(first)
            await greeted(second)
            with pytest.raises(InvalidStatus) as refused:
                async with open_tab(page, path=path):
                    pass
            answer = refused.value.response
            assert answer.status_code == 503
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert b"2 connections to this table are open" in answer.body
            assert b"close a page" in answer.body
            # No browser shows a page the answer to a handshake: it asks here.
            status, headers, told = await fetch(page, "/api/room")
            assert (status, headers["cache-control"], told) == (503, "no-store", answer.body)
        assert (await fetch(page, "/api/room"))[::2] == (204, b"")
        async with open_tab(page) as third:
            assert await greeted(third) == "host"


async def test_refused_and_failed_sockets_take_no_place() -> None:
    async with serving(ScriptedTable(), most_sockets=1) as page:
        for headers in ({"Host": "evil.example"}, {"Origin": "null"}):
            with pytest.raises(InvalidStatus):
                async with open_tab(page, additional_headers=headers):
                    pass
        with pytest.raises(InvalidStatus):
            async with open_tab(page, path="/hands"):
                pass
        async with open_tab(page) as tab:
            assert await greeted(tab) == "host"


async def test_connections_that_ask_for_nothing_make_way_for_one_that_does() -> None:
    async with serving(ScriptedTable(), most_connections=4) as page:
        idle = [await asyncio.open_connection("127.0.0.1", page.port) for _ in range(12)]
        status, _, _ = await fetch(page, "/api/view")
        assert status == 200
        for reader, _ in idle[:8]:
            with pytest.raises((asyncio.IncompleteReadError, ConnectionResetError)):
                await reader.readexactly(1)
        for _, writer in idle:
            writer.close()


async def test_where_all_connections_are_busy_one_more_is_told_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connections.HttpLine, "is_idle", False)
    async with serving(ScriptedTable(), most_connections=1) as page:
        _, busy = await asyncio.open_connection("127.0.0.1", page.port)
        status, headers, body = await fetch(page, "/")
        assert status == 503
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert body.startswith(b"too many connections to this table are open")
        reader, refused = await asyncio.open_connection("127.0.0.1", page.port)
        told = await asyncio.wait_for(reader.read(), 5)  # until the host has hung up
        assert told.startswith(b"HTTP/1.1 503 ")
        refused.close()
        busy.close()


class _Idle:
    is_idle = True

    def __init__(self, ended: list[int], number: int, source: str = "192.168.1.7") -> None:
        self.transport = self
        self.source = source
        self.abort: Callable[[], None] = lambda: ended.append(number)


def test_the_oldest_idle_connection_goes_first() -> None:
    ended: list[int] = []
    crowd = Crowd(3)
    lines: list[Any] = [_Idle(ended, number) for number in range(5)]
    lines[0].is_idle = False
    assert all(crowd.admit(line) for line in lines)
    assert ended == [1, 2]
    assert list(crowd.lines) == [lines[0], lines[3], lines[4]]


def test_who_holds_most_idle_connections_gives_one_up() -> None:
    ended: list[int] = []
    crowd = Crowd(4)
    sources = ("192.168.1.8", *["192.168.1.66"] * 8)
    for number, source in enumerate(sources):
        crowd.admit(cast("Any", _Idle(ended, number, source)))
    assert ended == [1, 2, 3, 4, 5], "the phone that came first is still there"


class Wire:
    """The loop and the transport of a connection, and what they were asked for."""

    def __init__(self) -> None:
        self.later: list[tuple[float, Callable[[], None]]] = []
        self.written = b""
        self.is_aborted = self.is_closed = False

    def call_later(self, seconds: float, call: Callable[[], None]) -> Any:
        timer = seconds, call
        self.later.append(timer)
        return SimpleNamespace(cancel=lambda: timer in self.later and self.later.remove(timer))

    def create_task(self, job: Any, **_: object) -> Any:
        job.close()
        return Mock()

    def get_extra_info(self, name: str) -> Any:
        return {"peername": ("192.168.1.7", 5_000), "sockname": (ADDRESS, 80)}.get(name)

    def write(self, data: bytes) -> None:
        self.written += data

    def abort(self) -> None:
        self.is_aborted = True

    def close(self) -> None:
        self.is_closed = True

    def pause_reading(self) -> None: ...

    def set_protocol(self, protocol: object) -> None: ...

    def is_closing(self) -> bool:
        return self.is_closed

    def passes(self, seconds: float) -> None:
        """Let so much time go by."""
        for timer in [one for one in self.later if one[0] <= seconds]:
            self.later.remove(timer)
            timer[1]()


def line_of(kind: Any, wire: Wire) -> Any:
    async def nobody(scope: Any, receive: Any, send: Any) -> None: ...

    config = Config(nobody, interface="asgi3", ws_max_size=1_000, log_config=None)
    config.load()
    made = kind(config=config, server_state=ServerState(), app_state={}, _loop=wire)
    made.connection_made(wire)
    return made


def test_a_connection_gets_on_asks_again_or_ends() -> None:
    wire, crowd = Wire(), Crowd(1)
    line = line_of(type("Line", (connections.HttpLine,), {"crowd": crowd}), wire)
    assert (line.source, list(crowd.lines)) == ("192.168.1.7", [line])
    for _ in range(3):
        line.data_received(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert not line.is_idle
        wire.passes(connections.PROGRESS_S)
        assert not wire.is_aborted, "it has asked since"
        line.cycle.response_complete = True
        assert line.is_idle
        line.cycle, line.conn = None, type(line.conn)(line.conn.our_role)
    second = Wire()
    line_of(type("Line", (connections.HttpLine,), {"crowd": crowd}), second)
    assert wire.is_aborted, "the idle one makes way"
    assert not second.is_aborted
    second.passes(connections.PROGRESS_S - 0.1)
    assert not second.is_aborted
    second.passes(connections.PROGRESS_S)
    assert second.is_aborted, "it asked for nothing"


async def test_a_connection_that_is_over_leaves_its_place_and_no_timer() -> None:
    for ends in (
        lambda line: line.connection_lost(None),
        lambda line: line.data_received(
            b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        ),
    ):
        wire, crowd = Wire(), Crowd(1)
        ends(line_of(type("Line", (connections.HttpLine,), {"crowd": crowd}), wire))
        assert not crowd.lines
        assert connections.PROGRESS_S not in [seconds for seconds, _ in wire.later]


SLOW = b"POST /api/join HTTP/1.1\r\nHost: %s\r\nOrigin: http://%s\r\nContent-Length: 100\r\n\r\n{"


async def test_slow_bodies_of_one_address_shut_nobody_else_out(
    caplog: pytest.LogCaptureFixture,
) -> None:
    begun = SLOW % (ADDRESS.encode(), ADDRESS.encode())
    async with networked(SeatedTable()) as lan:
        slow = []
        for _ in range(MAX_CONNECTIONS + 20):
            reader, writer = await asyncio.open_connection(
                ADDRESS, lan.there.port, local_addr=("127.0.0.9", 0)
            )
            writer.write(begun)
            slow.append((reader, writer))
        head = (await slow[-1][0].readuntil(b"\r\n\r\n")).lower()
        assert head.startswith(b"http/1.1 503 ")
        assert b"\r\nretry-after: 1\r\n" in head
        for _ in range(3):
            assert (await lan.phone().ask("GET", "/join")).status == 200
        for _, writer in slow:
            writer.transport.abort()
        assert (await lan.phone().ask("GET", "/join")).status == 200
    assert caplog.text == "", "who hangs up is no fault of ours"


# Turns at the table.


async def test_a_tab_that_floods_is_read_slowly_and_loses_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waits: list[float] = []

    class Noted(sockets.Pace):
        async def wait(self) -> None:
            waits.append(self.take())

    monkeypatch.setattr(sockets, "Pace", Noted)
    rate, burst = sockets.WISHES_A_TAB
    table = ScriptedTable()
    async with serving(table) as page, open_tab(page) as tab:
        await greeted(tab)
        for _ in range(3):
            for _ in range(burst):
                await say(tab, do="confirm")
            for _ in range(burst):
                await hear_type(tab, "error")
    assert len(table.heard) == 3 * burst
    assert max(waits[: 2 * burst]) == 0
    assert max(waits) > burst / rate / 2


# Views.


class HeavyTable(ScriptedTable):
    """Its views are larger than what any system holds for a reader."""

    def view(self) -> JSON:
        return {**super().view(), "heavy": "x" * 4_000_000}


@pytest.mark.slow
async def test_a_tab_that_never_reads_holds_up_nobody_and_gets_the_newest_view() -> None:
    table = HeavyTable()
    async with (
        serving(table) as page,
        open_tab(page, "?tab=a", max_size=None) as first,
        open_tab(page, "?tab=b", max_size=None, max_queue=1) as slow,
    ):
        await hear_type(first, "view")
        for number in range(8):
            await say(first, do="hint", level=str(number))
            assert (await hear_type(first, "view"))["hint"] == str(number)
        # How many it hears before that is what the system held for it, not we.
        while (await hear_type(slow, "view"))["hint"] != "7":
            pass


async def test_a_tab_that_takes_nothing_for_too_long_is_let_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sockets, "SLOW_S", 0.05)
    monkeypatch.setattr(connections, "FAREWELL_S", 0.05)
    table = HeavyTable()
    async with serving(table) as page:
        _, writer = await asyncio.open_connection("127.0.0.1", page.port, limit=1)
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        lines = [
            "GET /ws HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", "",
        ]  # fmt: skip
        writer.write("\r\n".join(lines).encode())
        while not table.watchers:
            await asyncio.sleep(0.005)
        while table.watchers:
            for show in list(table.watchers):
                show(table.view())
            await asyncio.sleep(0.005)
        # Nothing of it stays, though it still reads nothing.
        while page._server.server_state.connections:
            await asyncio.sleep(0.005)
        writer.close()


async def test_a_message_in_endless_pieces_ends_the_line() -> None:
    async with serving(ScriptedTable()) as page, open_tab(page) as tab:
        await greeted(tab)

        async def pieces() -> AsyncIterator[str]:
            while True:
                yield "x" * 4096

        sending = asyncio.create_task(tab.send(pieces()))
        await asyncio.wait([sending])
        with pytest.raises(ConnectionClosed) as closed:
            await sending
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1009
