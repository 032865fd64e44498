"""Behind the owner's proxy, under a name of its own; and who pretends to come from there."""

from __future__ import annotations

import asyncio
import http.client
import json
from typing import Any

import pytest
from lumiban.web import access
from lumiban.web.access import GUEST, HOST
from lumiban.web.sources import FORWARDED, Proxy
from network_bench import ADDRESS, OWNER, Networked, SeatedTable, networked
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

NAME = "table.example.org"
URL = f"https://{NAME}"
AT = "127.0.0.5"
"""Where the proxy runs, as the table sees it."""
HEADER = "X-Forwarded-For"
PROXY = Proxy(URL, AT, HEADER)


def ask(
    port: int, method: str, path: str, body: Any = None, *, source: str = AT, **headers: str
) -> tuple[int, dict[str, str], bytes]:
    line = http.client.HTTPConnection(ADDRESS, port, source_address=(source, 0))
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    line.request(method, path, None if body is None else json.dumps(body), named)
    answer = line.getresponse()
    told = answer.read()
    line.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, told


async def by_proxy(
    lan: Networked, method: str, path: str, body: Any = None, **more: str
) -> tuple[int, dict[str, str], bytes]:
    """As the proxy sends it on to the page of its own machine."""
    headers = {"host": NAME, "origin": URL, HEADER.replace("-", "_"): "203.0.113.7"}
    headers |= {"sec_fetch_site": "none", **more}
    return await asyncio.to_thread(ask, lan.here.port, method, path, body, **headers)


async def test_by_its_own_name_a_visitor_stands_before_the_network_s_door() -> None:
    async with networked(SeatedTable(), proxy=PROXY) as lan:
        status, headers, _ = await by_proxy(lan, "GET", "/")
        assert (status, headers["location"]) == (303, "/join")
        assert (await by_proxy(lan, "GET", "/api/view"))[0] == 404
        for path in ("/api/service", "/api/service/log", "/api/service/backup", "/library"):
            status, _, _ = await by_proxy(lan, "GET", path, authorization=f"Bearer {OWNER}")
            assert status in (403, 404), path
        for asked in ({"do": "test-sensors", "table": 1, "go": "begin"}, {"do": "power-off"}):
            more = {"authorization": f"Bearer {OWNER}"}
            status, _, _ = await by_proxy(lan, "POST", "/api/service", asked, **more)
            assert status in (403, 404), asked
        link = "/k/" + lan.access.link_secret(HOST)
        status, headers, _ = await by_proxy(lan, "GET", link)
        assert (status, headers["location"]) == (303, "/")
        assert "; secure" in headers["set-cookie"].lower(), "only by TLS"
        cookie = headers["set-cookie"].split(";")[0]
        assert (await by_proxy(lan, "GET", "/", cookie=cookie))[0] == 200
        url = f"ws://{NAME}/ws?owner={OWNER}"
        heads = {"cookie": cookie, HEADER: "203.0.113.7"}
        way: dict[str, Any] = {"host": ADDRESS, "port": lan.here.port, "local_addr": (AT, 0)}
        async with connect(url, origin=URL, additional_headers=heads, **way) as tab:
            told = json.loads(await tab.recv())
            assert (told["role"], told["network"], told["owner"]) == ("host", True, False)
        with pytest.raises(InvalidStatus):
            async with connect(url, additional_headers=heads, **way):
                pass


async def test_who_only_pretends_to_come_by_the_proxy_is_refused() -> None:
    async with networked(SeatedTable(), proxy=PROXY) as lan:
        body = {"do": "enter", "pin": lan.access.pin}
        for forged in (
            {"source": "127.0.0.1"},
            {"source": "127.0.0.9", "x_forwarded_for": AT},
            {"host": "evil.example"},
            {"host": f"{NAME}.evil.example"},
            {"origin": "https://evil.example"},
            {"origin": f"https://{NAME}.evil.example"},
        ):
            for port in (lan.here.port, lan.there.port):
                asked = {"host": NAME, "origin": URL, **forged}
                found = await asyncio.to_thread(ask, port, "POST", "/api/join", body, **asked)
                assert (found[0], "set-cookie" in found[1]) == (403, False), (forged, port)


async def test_a_proxy_that_hides_the_name_brings_nobody_to_this_machine_s_own_door() -> None:
    async with networked(SeatedTable(), proxy=PROXY) as lan:
        for name in FORWARDED:
            more = {name.replace("-", "_"): "203.0.113.7", "host": f"127.0.0.1:{lan.here.port}"}
            status, _, told = await asyncio.to_thread(ask, lan.here.port, "GET", "/", **more)
            assert (status, b"page.name" in told) == (403, True), name


async def test_wrong_pins_count_by_the_visitor_whom_the_proxy_names() -> None:
    async with networked(SeatedTable(), proxy=PROXY, clock=lambda: 1000.0) as lan:

        async def enter(pin: str, told: str) -> int:
            body = {"do": "enter", "pin": pin}
            return (await by_proxy(lan, "POST", "/api/join", body, X_Forwarded_For=told))[0]

        for _ in range(access.TRIES):
            # What the visitor put there itself stands before what the proxy adds.
            await enter("000000", "198.51.100.1, 203.0.113.66")
        assert await enter(lan.access.pin, "192.0.2.1, 203.0.113.66") == 429
        assert await enter(lan.access.pin, "203.0.113.7") == 200
        assert set(lan.access.kept.wrong.sources) == {"203.0.113.66"}


async def test_who_is_not_the_proxy_names_no_other_source() -> None:
    async with networked(SeatedTable(), proxy=PROXY, clock=lambda: 1000.0) as lan:
        for n in range(access.TRIES):
            body = {"do": "enter", "pin": "000000"}
            more = {"origin": lan.origin, "x_forwarded_for": f"203.0.113.{n}"}
            more |= {"source": "127.0.0.9"}
            await asyncio.to_thread(ask, lan.there.port, "POST", "/api/join", body, **more)
        assert set(lan.access.kept.wrong.sources) == {"127.0.0.9"}
        phone = lan.phone()
        assert (await phone.open_link(GUEST)).status == 303
