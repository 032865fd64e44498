"""The page's server: what it serves, and who may speak to it.

All tests run against the real server on a port of this machine, with plain HTTP and WebSockets.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import socket
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from local_page import create_app
from lumiban.errors import LumibanError
from lumiban.web.serve import Served, free_socket, serve
from sentences import sentence
from web_client import ScriptedTable, fetch, greeted, open_tab, served
from websockets.exceptions import ConnectionClosed

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture(scope="module")
def table() -> ScriptedTable:
    return ScriptedTable()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def page(table: ScriptedTable) -> AsyncIterator[Served]:
    """One for all: nothing here changes the table, and a server takes 0.2 s to end."""
    async with served(table) as page:
        yield page


# The page and its files.


async def test_each_page_is_html_that_is_never_stale(page: Served) -> None:
    for path, script in (
        ("/", b"main.js"),
        ("/watch", b"main.js"),
        ("/library", b"library.js"),
        ("/service", b"service.js"),
        ("/rules", b"rules.js"),
        ("/static/join.html", b"join.js"),
    ):
        status, headers, body = await fetch(page, path)
        assert status == 200
        assert headers["content-type"] == "text/html; charset=utf-8"
        assert headers["cache-control"] == "no-cache"
        assert re.findall(rb'<script type="module" src="/static/\w+/([\w.]+)">', body) == [script]


async def test_the_script_that_keeps_the_page_fetches_from_here_alone(page: Served) -> None:
    status, headers, _ = await fetch(page, "/worker.js")
    assert (status, headers["content-type"]) == (200, "text/javascript; charset=utf-8")
    assert headers["content-security-policy"] == "default-src 'none'; connect-src 'self'"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("main.js", "text/javascript; charset=utf-8"),
        ("style.css", "text/css; charset=utf-8"),
    ],
)
async def test_files_have_their_types_whatever_the_machine_believes(
    page: Served, name: str, kind: str
) -> None:
    status, headers, _ = await fetch(page, f"/static/{name}")
    assert (status, headers["content-type"]) == (200, kind)
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("takes", "is_packed"),
    [
        ("gzip", True),
        ("br, GZIP;q=0.8", True),
        ("gzip ; q=0.001", True),
        ("", False),
        ("identity, x-gzip, deflate", False),
        *[(f"br, gzip;{weight}", False) for weight in ("q=0", "q=0.0", " q = 0.00", "q=0.000")],
    ],
)
async def test_a_file_is_packed_for_who_takes_that_and_says_which_it_is(
    page: Served, takes: str, is_packed: bool
) -> None:
    _, plain, whole = await fetch(page, "/static/main.js")
    status, headers, body = await fetch(page, "/static/main.js", accept_encoding=takes)
    assert (status, headers["vary"]) == (200, "accept-encoding")
    assert headers.get("content-encoding") == ("gzip" if is_packed else None)
    assert (gzip.decompress(body) if is_packed else body) == whole
    assert (headers["etag"] == plain["etag"]) == (not is_packed)
    for tag, told in ((headers["etag"], 304), ('"another"', 200)):
        asked = {"accept_encoding": takes, "if_none_match": tag}
        assert (await fetch(page, "/static/main.js", **asked))[0] == told


async def test_the_page_may_load_nothing_from_elsewhere(page: Served) -> None:
    _, headers, _ = await fetch(page, "/")
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert f"connect-src 'self' ws://127.0.0.1:{page.port}" in policy


@pytest.mark.parametrize(
    "path",
    [
        "/static/..%2fapp.py",
        "/static/..%5capp.py",
        "/static/../app.py",
        "/static/.%2e/app.py",
        "/static/app.py",
        "/static/no-such.js",
        "/static/%00.js",
        "/somewhere",
    ],
)
async def test_what_is_not_ours_to_give_is_not_found(page: Served, path: str) -> None:
    status, _, body = await fetch(page, path)
    assert status == 404
    assert body == b"there is nothing here: the table is at /\n"


async def test_the_view_can_be_asked_for(page: Served, table: ScriptedTable) -> None:
    status, headers, body = await fetch(page, "/api/view")
    assert (status, json.loads(body)) == (200, {"type": "view", **table.view()})
    assert headers["cache-control"] == "no-store"


async def test_texts_come_in_each_language(page: Served) -> None:
    _, _, english = await fetch(page, "/api/texts?lang=en")
    _, _, japanese = await fetch(page, "/api/texts?lang=ja")
    assert json.loads(english)["page.turn.yours"] == sentence("page.turn.yours")
    assert json.loads(japanese)["page.turn.yours"] == "あなたの番です"


async def test_a_language_without_texts_is_an_answer_that_lists_those_there_are(
    page: Served,
) -> None:
    status, _, body = await fetch(page, "/api/texts?lang=tlh")
    assert (status, body) == (404, b"no texts in that language; there are: en, ja\n")


# Who may come in.

FOREIGN_HOSTS = ["evil.example", "127.0.0.1.evil.example", "localhost.", "evil.example:80", ""]
FOREIGN_ORIGINS = ["http://evil.example", "null", "http://127.0.0.1", "file://", "http://[::1]:1"]


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
@pytest.mark.parametrize("path", ["/", "/static/main.js", "/api/view"])
async def test_another_name_for_this_machine_is_refused(page: Served, host: str, path: str) -> None:
    status, _, body = await fetch(page, path, host=host)
    assert status == 403
    assert b"open it by the address that lumiban printed" in body


@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
async def test_a_request_from_another_page_is_refused(page: Served, origin: str) -> None:
    status, _, body = await fetch(page, "/api/view", origin=origin)
    assert status == 403
    assert b"may not use this table" in body


async def shake(page: Served, path: str, *headers: str) -> str:
    """Head and body of the answer to a WebSocket handshake written by hand."""
    reader, writer = await asyncio.open_connection("127.0.0.1", page.port)
    lines = [
        f"GET {path} HTTP/1.1",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
        *headers,
    ]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    answer = await reader.read(4096)
    writer.close()
    return answer.decode("latin-1")


@pytest.mark.parametrize("path", ["/ws", "/hands"])
@pytest.mark.parametrize("host", ["evil.example", "evil.example:1"])
async def test_a_socket_under_another_name_is_refused(
    page: Served, table: ScriptedTable, path: str, host: str
) -> None:
    answer = await shake(page, path, f"Host: {host}")
    assert answer.startswith("HTTP/1.1 403")
    assert "open it by the address that lumiban printed" in answer
    assert table.watchers == []


@pytest.mark.parametrize("path", ["/ws", "/hands"])
@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
async def test_a_socket_of_another_page_is_refused(
    page: Served, table: ScriptedTable, path: str, origin: str
) -> None:
    answer = await shake(page, path, f"Host: 127.0.0.1:{page.port}", f"Origin: {origin}")
    assert answer.startswith("HTTP/1.1 403")
    assert "may not use this table" in answer
    assert table.watchers == []


async def test_a_socket_of_our_own_page_opens(page: Served) -> None:
    async with open_tab(page, origin=f"http://127.0.0.1:{page.port}") as tab:
        assert await greeted(tab) == "host"


# Serving.


async def test_a_taken_port_leads_to_the_next_free_one(table: ScriptedTable) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        page = await serve(create_app(table), port=port)
        assert page.port > port
        assert page.url == f"http://127.0.0.1:{page.port}/"
        await page.close()


async def test_an_answer_leaves_at_once_and_is_not_collected_into_larger_packets(
    page: Served,
) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", page.port)
    assert await fetch(page, "/")
    for connection in page._server.server_state.connections:
        taken = connection.transport.get_extra_info("socket")
        assert taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    assert page._server.server_state.connections
    writer.close()


async def test_no_free_port_is_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(LumibanError, match="are all taken: choose another port"):
            free_socket("127.0.0.1", port, tries=1)


async def test_closing_says_goodbye_to_tabs_and_gives_the_port_back() -> None:
    table = ScriptedTable()
    page = await serve(create_app(table), port=0)
    async with open_tab(page) as tab:
        await greeted(tab)
        await page.close()
        with pytest.raises(ConnectionClosed) as closed:
            await tab.recv()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1012
    assert table.watchers == []
    free_socket("127.0.0.1", page.port, tries=1).close()
