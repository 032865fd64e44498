"""Host and Origin headers: whether a request names this machine, by one pattern for all servers.

The page's server and the simulator's door for hands both stand here, so that neither is more
lenient than the other.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""Names under which a server on this machine is reached."""

_PORT = r"(?:6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3})"
"""1 to 65535, as a browser writes it: no leading zero."""


@lru_cache(maxsize=8)
def _pattern(names: frozenset[str]) -> re.Pattern[str]:
    # ASCII: else some letters of other scripts count as the lower case of ours.
    return re.compile(
        rf"(?:{'|'.join(re.escape(name) for name in sorted(names))})(?::{_PORT})?",
        re.ASCII | re.IGNORECASE,
    )


def named(values: Sequence[str], names: Collection[str] = LOOPBACK) -> str | None:
    """Return the authority of a request's Host headers in lower case, None unless it is ours.

    There must be exactly one header, and all of it must be one of `names` with or without a port.

    >>> named(["LOCALHOST:8700"]), named(["[::1]:8700"]), named(["[::1]"])
    ('localhost:8700', '[::1]:8700', '[::1]')
    >>> named(["127.0.0.1:1@evil"]), named(["localhost:1; script-src *"]), named(["localhost."])
    (None, None, None)
    >>> named([]), named(["localhost", "localhost"])
    (None, None)
    """
    if len(values) != 1 or not _pattern(frozenset(names)).fullmatch(values[0]):
        return None
    return values[0].lower()


def origin(values: Sequence[str], names: Collection[str] = LOOPBACK) -> str | None:
    """Return the authority of the page that sent a request, None unless it is one of ours.

    `values` are the request's Origin headers, of which there must be exactly one.

    >>> origin(["http://localhost:8700"]), origin(["null"]), origin(["http://localhost/"])
    ('localhost:8700', None, None)
    """
    if len(values) != 1:
        return None
    scheme, _, authority = values[0].partition("://")
    return named([authority], names) if scheme.lower() in ("http", "https") else None
