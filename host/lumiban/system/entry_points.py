"""Entry points that packages offer, and those of a checkout, which `./run` installs by its path."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from lumiban.system import size_limits

_ROOT = Path(__file__).resolve().parents[3]
"""Of a checkout; of an installed wheel some folder without our pyproject.toml."""
_PROJECTS = ("pyproject.toml", "hardware/pyproject.toml", "lab/pyproject.toml")


def of_checkout(group: str, root: Path = _ROOT) -> dict[str, EntryPoint]:
    """Entry points of a group that a checkout's projects declare, by name; none where there is no
    checkout."""
    found: dict[str, EntryPoint] = {}
    for path in _PROJECTS:
        try:
            project = size_limits.from_toml(size_limits.text(root / path))["project"]
        except (OSError, KeyError, ValueError):
            continue
        if project["name"].startswith("lumiban"):
            named = project.get("entry-points", {}).get(group, {})
            found |= {name: EntryPoint(name, value, group) for name, value in named.items()}
    return found


@cache
def offered(group: str) -> dict[str, EntryPoint]:
    """Entry points of a group, by name: of installed packages, and of a checkout."""
    return {point.name: point for point in entry_points(group=group)} | of_checkout(group)
