"""Sources of requests: the address of a visitor, and the share of the server it may use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from lumiban.system.request_origin import named

if TYPE_CHECKING:  # a table's process has no server
    from starlette.requests import Request
    from starlette.types import Scope

MAX_UNFINISHED = 8
"""Requests of one source that are being read or answered at once; a browser has up to six."""


FORWARDED = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip")
"""Headers that proxies add; no browser sends one."""


class Proxy(msgspec.Struct, frozen=True):
    """Reverse proxy of the owner: it serves the page under `url`, connects from `address`, and
    names the visitor in a `header` ("": in none, and all its visitors are one source)."""

    url: str
    address: str
    header: str = ""

    @property
    def name(self) -> str:
        """Host name of the table there, without a port."""
        return urlsplit(self.url).hostname or ""

    @property
    def is_private(self) -> bool:
        """True if the way to the proxy cannot be eavesdropped on."""
        return self.url.startswith("https://")

    def is_asked(self, scope: Scope) -> bool:
        """True if a request is for the name that the proxy serves."""
        return named(_values(scope, "host"), {self.name}) is not None

    def has_sent(self, scope: Scope) -> bool:
        """True if a request comes from the proxy's address."""
        return _address(_peer(scope)) == _address(self.address)

    def visitor(self, scope: Scope) -> str:
        """Address that the proxy appended last, the one it saw itself; the proxy's own where there
        is none. Earlier entries of the header can be forged and are ignored."""
        values = _values(scope, self.header) if self.header else []
        last = values[-1].rpartition(",")[2].strip() if values else ""
        named = _address(last) if self.has_sent(scope) else None
        return _peer(scope) if named is None else str(named)


def source_of(scope: Scope, proxy: Proxy | None = None) -> str:
    """Address of the visitor who sent a request, behind a proxy the one that it names."""
    if proxy is not None and proxy.is_asked(scope):
        return proxy.visitor(scope)
    return _peer(scope)


def _values(scope: Scope, name: str) -> list[str]:
    wanted = name.lower().encode()
    return [value.decode("latin-1") for key, value in scope["headers"] if key == wanted]


def _peer(scope: Scope) -> str:
    client = scope.get("client")
    host = client[0] if client else ""
    return str(_address(host) or host)  # an IPv4 address within IPv6 is that address


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        found = ip_address(text)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


class Unfinished:
    """Counter of the unfinished requests of each source.

    >>> requests = Unfinished(most=1)
    >>> with requests.one("192.168.1.7") as first, requests.one("192.168.1.7") as second:
    ...     with requests.one("192.168.1.8") as other:
    ...         first, second, other
    (True, False, True)
    >>> with requests.one("192.168.1.7") as first:
    ...     first
    True
    """

    def __init__(self, most: int = MAX_UNFINISHED) -> None:
        self._most = most
        self._counts: Counter[str] = Counter()

    @contextmanager
    def one(self, source: str) -> Iterator[bool]:
        """Count a request until it is done; yields False where its source has too many."""
        if self._counts[source] >= self._most:
            yield False
            return
        self._counts[source] += 1
        try:
            yield True
        finally:
            self._counts[source] -= 1
            if not self._counts[source]:
                del self._counts[source]


async def body_of(request: Request, most: int) -> bytes | None:
    """Body of a request; None where it is longer than `most` bytes, of which no more is read."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > most:
            return None
    return bytes(body)
