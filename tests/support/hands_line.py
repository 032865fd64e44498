"""The line to a simulator's hands, as another program speaks it."""

from __future__ import annotations

import json

from websockets.sync.client import connect


def put_stone(hands: str, cell: int, kind: int = 1) -> None:
    """Set a stone, or with kind 0 lift it; when the world has it so it is done."""
    do = {"do": "place", "cell": cell, "kind": kind} if kind else {"do": "lift", "cell": cell}
    with connect(hands, proxy=None) as line:
        line.send(json.dumps(do))
        for message in line:
            told = json.loads(message)
            if told["type"] == "world" and told["kinds"][cell] == kind:
                return
