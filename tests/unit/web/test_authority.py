"""Page and door of hands: both are reached under the same names, and every answer is guarded.

All tests write raw requests to the real servers, since clients and browsers would tidy them up.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from lumiban.boards.profile import load
from lumiban.system.request_origin import named, origin
from lumiban.web.serve import Served
from lumiban_sim.desk import Desk
from lumiban_sim.hands_socket import HandsServer
from web_client import ScriptedTable, served

pytestmark = pytest.mark.asyncio(loop_scope="module")

OURS = [
    "127.0.0.1",
    "localhost",
    "[::1]",
    "127.0.0.1:1",
    "localhost:65535",
    "[::1]:8000",
    "LOCALHOST:8700",
    "LocalHost",
]
"""Host headers under which a request passes, on any port: an ssh tunnel changes it."""

NOT_OURS = [
    "",
    "127.0.0.1:1@evil",
    "localhost:1; script-src *",
    "localhost:1 script-src",
    "localhost;script-src *",
    "localhost:1,localhost:2",
    "localhost:",
    "localhost:0",
    "localhost:-1",
    "localhost:+80",
    "localhost:080",
    "localhost:65536",
    "localhost:99999",
    "localhost:123456",
    "localhost:80:80",
    "localhost:eighty",
    "localhost.",
    "localhost.:80",
    "127.0.0.1.",
    "127.0.0.1.evil.example",
    "127.1",
    "127.0.0.2",
    "0.0.0.0",
    "2130706433",
    "0x7f.0.0.1",
    "evil.example",
    "evil.example:80",
    "localhost.evil.example",
    "evillocalhost",
    "user@localhost",
    "localhost@evil.example",
    "localhost/",
    "localhost#",
    "localhost?x",
    "localhost\\evil",
    "http://localhost",
    "::1",
    "::1:8000",
    "[::1",
    "[::1]8000",
    "[::1]:8000]",
    "[::1].evil.example",
    "[::2]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "local host",
    "localhost\t:80",
    "localhost :80",
    "localhost: 80",
    "localho\u017ft",
    "localhost:\u0661",
    "localhost:\u00b2",
    "\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3",
    "localhost\u00a0",
    "null",
    "*",
]


@pytest.mark.parametrize("host", OURS)
async def test_a_name_of_this_machine_is_known_in_lower_case(host: str) -> None:
    assert named([host]) == host.lower()


@pytest.mark.parametrize(
    "host", [*NOT_OURS, " localhost", "localhost ", "localhost\n", "localhost\0"]
)
async def test_anything_else_is_no_name_of_this_machine(host: str) -> None:
    assert named([host]) is None


async def test_a_header_that_is_missing_or_there_twice_names_nobody() -> None:
    assert named([]) is None
    assert named(["localhost", "localhost"]) is None
    assert origin([]) is None
    assert origin(["http://localhost", "http://localhost"]) is None


@pytest.mark.parametrize(
    "value",
    [
        "null", "", "http://", "localhost", "//localhost", "ws://localhost", "file://localhost",
        "http:localhost", "http://localhost/", "http://localhost:1/x", "http://evil.example",
        "http://localhost:1@evil", "http://user@localhost", "http://localhost http://localhost",
        "https://localhost.", "javascript://localhost", "http://http://localhost",
    ],
)  # fmt: skip
async def test_an_origin_is_a_scheme_of_the_web_and_a_name_of_ours(value: str) -> None:
    assert origin([value]) is None


async def test_an_origin_of_ours_is_its_authority() -> None:
    assert origin(["http://LOCALHOST:8700"]) == "localhost:8700"
    assert origin(["https://[::1]"]) == "[::1]"


# The two servers.


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def page() -> AsyncIterator[Served]:
    async with served(ScriptedTable()) as page:
        yield page


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def door(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[HandsServer]:
    desk = Desk(load("hex3"), seed=1, state=tmp_path_factory.mktemp("desk"))
    desk._zero = asyncio.get_running_loop().time()  # else it would catch up with the machine's
    await desk.door.open()
    yield desk.door
    await desk.door.close()


HANDSHAKE = (
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version: 13",
)


async def answer(port: int, request: str, *headers: str) -> tuple[int, dict[str, str], str]:
    """Status, headers in lower case and body (as far as it came) of the answer to raw bytes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write("\r\n".join([request, *headers, "", ""]).encode())
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        status_line, *lines = head.decode("latin-1").split("\r\n")[:-2]
        pairs = (line.partition(": ") for line in lines)
        found = {name.lower(): value for name, _, value in pairs}
        length = 0 if request.startswith("HEAD") else int(found.get("content-length", 0))
        body = await reader.read(length)
    finally:
        writer.close()
    return int(status_line.split()[1]), found, body.decode("latin-1")


async def page_status(page: Served, *headers: str) -> int:
    status, _, _ = await answer(page.port, "GET /watch HTTP/1.1", *headers)
    return status


async def door_status(door: HandsServer, *headers: str) -> int:
    request = f"GET /hands?token={door.token} HTTP/1.1"
    status, _, _ = await answer(door.port, request, *headers, *HANDSHAKE)
    return status


@pytest.mark.slow
@pytest.mark.parametrize("host", OURS)
async def test_both_servers_answer_to_a_name_of_this_machine(
    page: Served, door: HandsServer, host: str
) -> None:
    assert await page_status(page, f"Host: {host}") == 200
    assert await door_status(door, f"Host: {host}") == 101


@pytest.mark.parametrize("host", NOT_OURS)
async def test_both_servers_refuse_any_other_name(
    page: Served, door: HandsServer, host: str
) -> None:
    # 400 where it is not even a header.
    for status in (
        await page_status(page, f"Host: {host}"),
        await door_status(door, f"Host: {host}"),
    ):
        assert status in (400, 403)


@pytest.mark.parametrize(
    "headers",
    [
        (),
        ("Host: localhost", "Host: localhost"),
        ("Host: localhost", "Host: evil.example"),
        ("X-Forwarded-Host: localhost",),
        ("Host: evil.example", "X-Forwarded-Host: localhost"),
    ],
)
async def test_both_servers_want_one_host_header(
    page: Served, door: HandsServer, headers: tuple[str, ...]
) -> None:
    assert await page_status(page, *headers) in (400, 403)
    assert await door_status(door, *headers) in (400, 403)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sent", "page_says", "door_says"),
    [
        (("http://localhost:8700",), 200, 101),
        (("https://LOCALHOST:8700",), 200, 101),
        (("http://localhost:1",), 403, 101),  # hands are relayed to a port of their own
        (("http://127.0.0.1:8700",), 403, 101),
        (("http://localhost:1@evil",), 403, 403),
        (("http://localhost:8700/",), 403, 403),
        (("http://evil.example",), 403, 403),
        (("null",), 403, 403),
        (("",), 403, 403),
        (("http://localhost:8700", "http://evil.example"), 403, 403),
        (("http://localhost:8700", "http://localhost:8700"), 403, 403),
    ],
)
async def test_both_servers_read_an_origin_alike(
    page: Served, door: HandsServer, sent: tuple[str, ...], page_says: int, door_says: int
) -> None:
    headers = ("Host: localhost:8700", *(f"Origin: {value}" for value in sent))
    assert await page_status(page, *headers) == page_says
    assert await door_status(door, *headers) == door_says


# What every answer says.

GUARDED = {"x-content-type-options": "nosniff", "cross-origin-resource-policy": "same-origin"}


def guarded(headers: dict[str, str]) -> bool:
    policy = headers.get("content-security-policy", "")
    return (
        GUARDED.items() <= headers.items()
        and "default-src 'none'" in policy
        and "frame-ancestors 'none'" in policy
    )


HOST = "Host: localhost:8700"


@pytest.mark.parametrize(
    ("status", "request_line", "headers"),
    [
        (200, "GET / HTTP/1.1", (HOST,)),
        (200, "GET /static/main.js HTTP/1.1", (HOST,)),
        (200, "HEAD /static/main.js HTTP/1.1", (HOST,)),
        (200, "GET /api/view HTTP/1.1", (HOST,)),
        (200, "GET /api/texts HTTP/1.1", (HOST,)),
        (404, "GET /api/texts?lang=tlh HTTP/1.1", (HOST,)),
        (404, "GET /no-such HTTP/1.1", (HOST,)),
        (404, "GET /static/no-such.js HTTP/1.1", (HOST,)),
        (403, "GET / HTTP/1.1", ("Host: evil.example",)),
        (403, "GET / HTTP/1.1", (HOST, "Origin: null")),
        (405, "POST / HTTP/1.1", (HOST, "Content-Length: 0")),
        (400, "BREW HTTP", (HOST,)),
        (400, "GET / HTTP/1.1", (HOST, HOST)),
        (101, "GET /ws HTTP/1.1", (HOST, *HANDSHAKE)),
        (403, "GET /ws HTTP/1.1", ("Host: evil.example", *HANDSHAKE)),
        (403, "GET /ws HTTP/1.1", (HOST, "Origin: null", *HANDSHAKE)),
        (403, "GET /no-such HTTP/1.1", (HOST, *HANDSHAKE)),
        (404, "GET /hands HTTP/1.1", (HOST, *HANDSHAKE)),
        (400, "GET /ws HTTP/1.1", (HOST, *HANDSHAKE[:3], "Sec-WebSocket-Version: 7")),
        (400, "GET /ws HTTP/1.1", (HOST, *HANDSHAKE[:2], "Sec-WebSocket-Version: 13")),
    ],
)
async def test_every_answer_of_the_page_is_guarded(
    page: Served, status: int, request_line: str, headers: tuple[str, ...]
) -> None:
    found_status, found, _ = await answer(page.port, request_line, *headers)
    assert found_status == status
    assert guarded(found)


async def test_an_unchanged_file_is_guarded_too(page: Served) -> None:
    _, first, _ = await answer(page.port, "GET / HTTP/1.1", HOST)
    tag = f"If-None-Match: {first['etag']}"
    status, found, _ = await answer(page.port, "GET / HTTP/1.1", HOST, tag)
    assert status == 304
    assert guarded(found)


@pytest.mark.parametrize(
    ("status", "path", "headers"),
    [
        (101, "/hands?token=TOKEN", (HOST,)),
        (403, "/hands", (HOST,)),
        (403, "/hands?token=TOKEN", ("Host: evil.example",)),
        (404, "/other", (HOST,)),
    ],
)
async def test_every_answer_of_the_door_is_guarded(
    door: HandsServer, status: int, path: str, headers: tuple[str, ...]
) -> None:
    request = f"GET {path.replace('TOKEN', door.token)} HTTP/1.1"
    found_status, found, _ = await answer(door.port, request, *headers, *HANDSHAKE)
    assert found_status == status
    assert guarded(found)


async def test_nothing_of_a_host_header_but_name_and_port_comes_into_the_policy(
    page: Served,
) -> None:
    _, found, _ = await answer(page.port, "GET / HTTP/1.1", "Host: LOCALHOST:8700")
    assert (
        "connect-src 'self' ws://localhost:8700 wss://localhost:8700;"
        in (found["content-security-policy"])
    )
