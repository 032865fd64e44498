"""Sources of requests: which address a visitor has, and how much of the server it may hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.requests import Request
from starlette.types import Scope

MOST_UNFINISHED = 8
"""Requests of one source that are being read or answered at once; a browser has up to six."""


def source_of(scope: Scope) -> str:
    """Address of the visitor who sent a request."""
    client = scope.get("client")
    return client[0] if client else ""


class Unfinished:
    """Counts the unfinished requests of each source.

    >>> requests = Unfinished(most=1)
    >>> with requests.one("192.168.1.7") as first, requests.one("192.168.1.7") as second:
    ...     with requests.one("192.168.1.8") as other:
    ...         first, second, other
    (True, False, True)
    >>> with requests.one("192.168.1.7") as first:
    ...     first
    True
    """

    def __init__(self, most: int = MOST_UNFINISHED) -> None:
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
