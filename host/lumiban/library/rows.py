"""Columns of the library's database for a record, once it was played through.

A record may come from anybody: it is played by rules of ours only, and runs no program. One that
does not fit gets a row too, with what is wrong with it. Of one by a player's own rules only the
form of its result is checked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lumiban.errors import GameError, LumibanError, UsageError
from lumiban.games.gate import NotAccepted
from lumiban.games.registry import Loader
from lumiban.table import record
from lumiban.table.history import BY_CONTINUED

OPENING = 6
"""Moves of a game's beginning that a search finds."""
MAX_SLUG = 4096
"""Letters of a game's name: as many as a path has, of which the end tells what it is."""
UNALLOWED_ASSISTS = ("show_hands_left", "show_chain_forecast")
"""Options of Rengi whose help the paper does not allow."""


def row_of(records: Path, name: str, load: Loader) -> dict[str, Any]:
    """Row of a record's game, played through; with its fault where it has one."""
    path = records / (name + record.SUFFIX)
    row: dict[str, Any] = {"name": name, "fault": "", "sha256": "", "power": ""}
    document: dict[str, Any] = {}
    try:
        if not path.is_file() and path.exists():
            raise UsageError(f"{path} is not a file")  # reading a pipe would wait for ever
        document = record.read(path)
        row["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
        try:
            record.verify(document, load)
        except NotAccepted:
            _check_result(document)
        row["power"] = power(document)
    except (LumibanError, OSError, KeyError, TypeError, ValueError) as error:
        row["fault"] = " ".join(str(error).split())[:300]
    return {**row, **columns(document)}


def _check_result(document: Mapping[str, Any]) -> None:
    """GameError where a record that is not played through tells of no end."""
    moves, result = document.get("moves"), document.get("result")
    has_moves = isinstance(moves, list) and all(isinstance(move, dict) for move in moves)
    winner = result.get("winner", "") if isinstance(result, dict) else ""
    if not has_moves or isinstance(winner, bool) or winner not in (0, 1, None):
        raise GameError("the record has a missing or damaged part: its moves or its result")


def power(document: Mapping[str, Any]) -> str:
    """The result of a chain-power test as JSON, "" for another game; the document is sound."""
    if document.get("game") != "chain-power":
        return ""
    from lumiban.games.rengi.chain_power import ChainPower, measured

    game, positions = record.replay(document)
    assert isinstance(game, ChainPower)
    times = [int(move["at_us"]) for move in document["moves"]]
    result = measured(game, positions, times)
    report = {
        "score": result.score,
        "length": result.length,
        "points": result.points,
        "seconds": result.seconds,
        "day": game.options["day"],
        "lists": [{**asdict(one), "score": one.score} for one in result.lists],
    }
    return json.dumps(report)


def columns(document: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that a document tells, whatever it holds: it may come from anybody."""
    seats = document.get("seats")
    seats = [str(seat)[:40] for seat in seats] if isinstance(seats, list) else []
    seats += ["?"] * (2 - len(seats))
    result = document.get("result")
    result = result if isinstance(result, dict) else {}
    winner = result.get("winner")
    moves = document.get("moves")
    moves = [move for move in moves if isinstance(move, dict)] if isinstance(moves, list) else []
    options = document.get("options")
    options = options if isinstance(options, dict) else {}
    times = [move["at_us"] for move in moves if isinstance(move.get("at_us"), int)]
    # The board's clock, which a host's that jumps does not move; one that was reset tells nothing.
    seconds = (times[-1] - times[0]) / 1e6 if len(times) > 1 else 0.0
    return {
        "slug": str(document.get("game", "?"))[-MAX_SLUG:],
        "options": json.dumps(options, ensure_ascii=False, sort_keys=True)[:4000],
        "seat0": seats[0],
        "seat1": seats[1],
        "winner": winner if winner in (0, 1) and not isinstance(winner, bool) else None,
        "reason": str(result.get("reason", ""))[:80],
        "moves": len(moves),
        "seconds": seconds if 0.0 <= seconds < 1e9 else 0.0,
        "opening": " ".join(str(move.get("text", ""))[:20] for move in moves[:OPENING]),
        "is_set_up": int(
            document.get("setup") is not None
            or any(move.get("by") == BY_CONTINUED for move in moves)
        ),
        "has_assists": int(any(options.get(name) == "on" for name in UNALLOWED_ASSISTS)),
    }
