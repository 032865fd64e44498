"""Versions that the games of a study depend on beside its seeds: Python, and the text of rules and
search.

Two processes whose versions differ may play different games of the same number.
"""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import msgspec

import lumiban
from lumiban.errors import UsageError
from lumiban.search.registry import named_engines


@cache
def versions() -> str:
    """This process's: Python's, and the beginning of a hash of all that decides a game."""
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


def build() -> str:
    """This installation: lumiban's version with the commit that pip built it from, or with the
    digest of the wheel that pip was given, as pip keeps them (PEP 610, "Recording the Direct URL
    Origin"). A checkout has the version alone, since its text may change from day to day."""
    try:
        ours = distribution("lumiban")
        origin: dict[str, Any] = msgspec.json.decode(ours.read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, msgspec.DecodeError):
        return "checkout"
    commit = origin.get("vcs_info", {}).get("commit_id")
    wheel = origin.get("archive_info", {}).get("hashes", {}).get("sha256")
    of = f"commit {commit}" if commit else f"wheel {wheel}" if wheel else "checkout"
    return f"lumiban {ours.version}, {of}"
