"""`lumiban board link`: how the line between a running table and its board does."""

from __future__ import annotations

from typing import Any

from lumiban.cli.arguments import Json, Port
from lumiban.errors import UsageError
from lumiban.terminal import print_json, say

PATIENCE_S = 5.0


def command(*, port: Port = 8700, json: Json = False) -> None:
    """Show the statistics of a running table's board link.

    Frames and bytes both ways, what was broken, came twice or was sent again, round trips, and
    what the board says of itself: its worst gap between two scans, broken frames, drops, free
    memory, supply, light left by its current limit. docs/link.md explains each figure.
    """
    told = _fetch_statistics(port)
    line: dict[str, Any] = told.get("line") or {}
    if json:
        print_json({"link": told.get("link"), **line})
        return
    say(f"link.{told.get('link')}")
    for name, value in line.items():
        if isinstance(value, dict):
            for part, figure in value.items():
                print(f"{name + ' ' + part:<24} {figure:>14,}")
        else:
            print(f"{name:<24} {value:>14,}")


def _fetch_statistics(port: int) -> dict[str, Any]:
    import json
    import urllib.request

    url = f"http://127.0.0.1:{port}/api/view"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=PATIENCE_S) as answer:
            told = json.loads(answer.read())
    except (OSError, ValueError):
        told = None
    if not isinstance(told, dict) or "link" not in told:
        raise UsageError(
            f"no lumiban table is running on port {port}: start one (lumiban play control), "
            "or name its port with --port"
        )
    return told
