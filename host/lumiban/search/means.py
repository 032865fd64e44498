"""What this machine lends to a thinking process: threads and memory, as the environment says."""

from __future__ import annotations

import os

from lumiban.errors import UsageError
from lumiban.search.searching import Room

THREADS, MEGABYTES = "LUMIBAN_THREADS", "LUMIBAN_SEARCH_MB"
PONDER = "LUMIBAN_PONDER"
MOST_THREADS = 64
LEAST_MEGABYTES, MOST_MEGABYTES = 4, 65_536


def ponders() -> bool:
    """Whether a bot may think on the opponent's time: where there is a core to spare, unless
    `LUMIBAN_PONDER` says 0 or 1; UsageError."""
    return bool(_whole(PONDER, int((os.cpu_count() or 1) > 1), 0, 1))


def threads() -> int:
    """`LUMIBAN_THREADS`, else one a core; UsageError."""
    return _whole(THREADS, os.cpu_count() or 1, 1, MOST_THREADS)


def room() -> Room:
    """`LUMIBAN_SEARCH_MB`, else what `Room` says: the most that the trees of one thought take."""
    return Room(_whole(MEGABYTES, Room().bytes >> 20, LEAST_MEGABYTES, MOST_MEGABYTES) << 20)


def _whole(name: str, otherwise: int, least: int, most: int) -> int:
    told = os.environ.get(name, "")
    if not told:
        return min(otherwise, most)
    if not (told.isascii() and told.isdigit() and least <= int(told) <= most):
        raise UsageError(f"{name}={told} is not a whole number from {least} to {most}")
    return int(told)
