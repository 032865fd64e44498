"""Cost of a page: requests and bytes of a load and of the next one, bytes of a view, and CPU of the
page's process for each."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import json
import re
from collections import Counter
from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from lumiban.games.base import HINT_LEVELS

from lumiban_lab.process_tree import taken
from lumiban_lab.start import started

LOADS = 20


class Browser:
    """Loads a page as a browser does: what it links, what its scripts import, its sentences; and
    keeps what it may keep."""

    def __init__(self, url: str) -> None:
        self._place = urlsplit(url)
        self._kept: dict[str, tuple[str, bytes]] = {}
        """By path: the tag, and the body; "" for what is kept for good."""
        self.requests = 0
        self.bytes: Counter[str] = Counter()
        """By part."""

    def load(self) -> None:
        """Load the page once more."""
        self.requests = 0
        self.bytes = Counter()
        line = http.client.HTTPConnection(self._place.hostname or "", self._place.port, timeout=60)
        wanted, seen = ["/", "/api/texts?lang=en&for=table"], set[str]()
        for path in wanted:
            if path in seen:
                continue
            seen.add(path)
            body = self._fetch(line, path)
            if path == "/":
                wanted += re.findall(r'(?:href|src)="(/static/[^"]+)"', body.decode())
            elif path.endswith(".js"):
                folder = path.rpartition("/")[0]
                names = re.findall(r'^import [^;]*?"\./([\w.]+)"', body.decode(), re.MULTILINE)
                wanted += [f"{folder}/{name}" for name in names]
        line.close()

    def _fetch(self, line: http.client.HTTPConnection, path: str) -> bytes:
        tag, kept = self._kept.get(path, (None, b""))
        if tag == "":
            return kept
        headers = {"accept-encoding": "gzip", **({"if-none-match": tag} if tag else {})}
        line.request("GET", path, headers=headers)
        answer = line.getresponse()
        sent = answer.read()
        self.requests += 1
        self.bytes[part(path)] += len(sent)
        if answer.status == HTTPStatus.NOT_MODIFIED:
            return kept
        body = gzip.decompress(sent) if answer.headers.get("content-encoding") == "gzip" else sent
        for_good = "immutable" in (answer.headers.get("cache-control") or "")
        self._kept[path] = ("" if for_good else answer.headers.get("etag") or "-"), body
        return body


PARTS = {"css": "styles", "js": "scripts", "svg": "pictures", "png": "pictures", "woff2": "letters"}


def part(path: str) -> str:
    """The part of the page that a path belongs to.

    >>> part("/"), part("/static/app.a1b2.js"), part("/api/texts?lang=en")
    ('page', 'scripts', 'texts')
    """
    if path.startswith("/api/texts"):
        return "texts"
    return "page" if path == "/" else PARTS.get(path.rpartition(".")[2], "other")


def _by_part(browser: Browser) -> dict[str, int]:
    return {**dict(sorted(browser.bytes.items())), "sum": browser.bytes.total()}


async def _views(url: str) -> tuple[int, int]:
    """(bytes of the first view, of the next, which only another hint level makes) as a tab hears
    them."""
    from websockets.asyncio.client import connect

    sizes: list[int] = []
    address = url.replace("http", "ws", 1) + "ws?tab=1-2-3-4"
    async with connect(address, proxy=None, max_size=None) as line, asyncio.timeout(60):
        async for message in line:
            view = json.loads(message)
            if view["type"] != "view":
                continue
            sizes.append(len(message))
            if len(sizes) == 2:
                break
            level = next(one for one in HINT_LEVELS if one != view["hint"])
            await line.send(json.dumps({"do": "hint", "level": level}))
    return sizes[0], sizes[1]


def measure(progress: Callable[[str], None] = lambda what: None) -> dict[str, Any]:
    """Figures by name, of the page of Control."""
    figures: dict[str, Any] = {}
    progress("loading the page …")
    people = ("play", "control", "--first", "human", "--second", "human", "--new")
    with started(*people) as table:
        browser = Browser(table.url)
        browser.load()
        figures["load"] = {"requests": browser.requests, "bytes": _by_part(browser)}
        browser.load()
        figures["next_load"] = {"requests": browser.requests, "bytes": browser.bytes.total()}
        before = _cpu_s(table.pid)
        for _ in range(LOADS):
            Browser(table.url).load()
        figures["load"]["cpu_ms"] = round(1000 * (_cpu_s(table.pid) - before) / LOADS, 1)
        progress("views …")
        first, following = asyncio.run(_views(table.url))
        figures["view"] = {"first_bytes": first, "bytes": following}
    return figures


def _cpu_s(pid: int) -> float:
    return sum(one.cpu_s for one in taken(pid) if one.role == "page")
