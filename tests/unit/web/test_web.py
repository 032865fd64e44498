"""The page's server: what it serves, and who may speak to it.

All tests run against the real server on a port of this machine, with plain HTTP and WebSockets.
"""

from __future__ import annotations

import gzip
import re
import socket
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from local_page import create_app
from lumiban.errors import LumibanError
from lumiban.web.serve import Served, free_socket, serve
from web_client import ScriptedTable, fetch, served

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


async def test_a_language_without_texts_is_an_answer_that_lists_those_there_are(
    page: Served,
) -> None:
    status, _, body = await fetch(page, "/api/texts?lang=tlh")
    assert (status, body) == (404, b"no texts in that language; there are: en, ja\n")


# Serving.


async def test_a_taken_port_leads_to_the_next_free_one(table: ScriptedTable) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        page = await serve(create_app(table), port=port)
        assert page.port > port
        assert page.url == f"http://127.0.0.1:{page.port}/"
        await page.close()


async def test_no_free_port_is_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(LumibanError, match="are all taken: choose another port"):
            free_socket("127.0.0.1", port, tries=1)
