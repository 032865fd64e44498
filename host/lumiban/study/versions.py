"""Versions that the games of a study depend on beside its seeds: Python, and the text of rules and
search.

Two processes whose versions differ may play different games of the same number.
"""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from pathlib import Path

from lumiban.errors import UsageError
from lumiban.search.registry import named_engines


@cache
def versions() -> str:
    """This process's: Python's, and the beginning of a hash of all that decides a game."""
    import lumiban

    root = Path(lumiban.__file__).parent
    deciding = [
        path for room in ("games", "search") for path in sorted((root / room).rglob("*.py"))
    ]
    study = ("chunks", "counters", "match", "mirror", "plan")
    deciding += [root / "study" / f"{name}.py" for name in study]
    digest = hashlib.sha256()
    for path in deciding:
        digest.update(path.read_bytes())
    # Where they are not named, every bot is UCT.
    digest.update("\n".join(named_engines()).encode())
    return f"{sys.version_info[0]}.{sys.version_info[1]} {digest.hexdigest()[:12]}"


def must_be_ours(theirs: str) -> None:
    """UsageError when a worker's versions are not this process's."""
    if theirs != versions():
        raise UsageError(
            f"a worker has other rules or another Python ({theirs}; here {versions()}): "
            "install the same version there"
        )
