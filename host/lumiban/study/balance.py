"""Is a game fair, how long is it, how much is there to choose? Figures of many games of one
player against itself, kept in a file so that a study can be broken off and go on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from statistics import mean, median, quantiles
from typing import Any

from lumiban.errors import UsageError
from lumiban.games.api import Game
from lumiban.study.figures import wilson
from lumiban.study.many import play_all, tasks_for
from lumiban.study.played import Result, result_from
from lumiban.study.players import Player


def study(
    game: Game,
    slug: str,
    player: Player,
    count: int,
    *,
    seed: int = 0,
    jobs: int = 1,
    keep: Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Result]:
    """Play games 0 to `count` − 1 of the player against itself.

    With `keep` each result is a line of that file, and those that it holds already are not
    played again. UsageError when the file belongs to another study, or cannot be written.
    """
    head = {"slug": game.slug, "options": dict(game.options), "seed": seed} | {
        "player": asdict(player)
    }
    known = {} if keep is None else _begun(keep, head)
    left = [number for number in range(count) if number not in known]
    pairs = [(player, player)] * len(left)
    for result in play_all(tasks_for(game, slug, pairs, left, seed), jobs):
        known[result.number] = result
        if keep is not None:
            _write(keep, result.as_json(), "a")
        if progress is not None:
            progress(len(known))
    return [known[number] for number in range(count)]


def figures(game: Game, results: list[Result]) -> dict[str, Any]:
    """What the games say: shares of wins with Wilson's interval at 95 % (of all games that ended;
    draws apart), lengths, choices a ply, and the cells that no game touched."""
    ended = [result for result in results if result.reason != "unfinished"]
    sides = {}
    for side, name in enumerate(game.sides):
        wins = sum(result.winner == side for result in ended)
        low, high = wilson(wins, len(ended))
        share = round(wins / len(ended), 4) if ended else None
        sides[name] = {"wins": wins, "share": share, "interval": [round(low, 4), round(high, 4)]}
    plies = sorted(result.plies for result in results)
    touched = {cell for result in results for cell in result.cells}
    reasons: dict[str, int] = {}
    for result in results:
        reasons[result.reason] = reasons.get(result.reason, 0) + 1
    tenths = quantiles(plies, n=10, method="inclusive") if len(plies) > 1 else [*plies * 9]
    return {
        "games": len(results),
        "sides": sides,
        "draws": sum(result.winner is None for result in ended),
        "unfinished": len(results) - len(ended),
        "reasons": dict(sorted(reasons.items(), key=lambda item: -item[1])),
        "plies": {
            "mean": round(mean(plies), 2),
            "median": median(plies),
            "least": plies[0],
            "most": plies[-1],
            "p10": tenths[0],
            "p90": tenths[-1],
        },
        "choices": {
            "mean": round(sum(r.choices for r in results) / max(1, sum(plies)), 2),
            "most": max(result.most for result in results),
        },
        "never_played": [name for cell, name in enumerate(game.grid.names) if cell not in touched],
    }


def _begun(path: Path, head: dict[str, Any]) -> dict[int, Result]:
    """The results that the file holds; it is begun when it is not there. A line that was cut off
    is played again."""
    if not path.exists():
        _write(path, head, "w")
        return {}
    try:
        lines = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as reason:
        raise UsageError(f"{path} cannot be read: {reason}") from None
    if _plain(lines[0]) != json.loads(json.dumps(head)):
        raise UsageError(
            f"{path} holds another study (other game, options, player or seed); "
            "give another file, or remove this one"
        )
    known = {}
    whole = [lines[0]]
    for line in lines[1:]:
        data = _plain(line)
        try:
            result = result_from(data)
        except (KeyError, TypeError, ValueError):
            continue
        known[result.number] = result
        whole.append(line)
    if len(whole) + 1 != len(lines) or lines[-1]:
        path.write_text("\n".join(whole) + "\n", "utf-8")
    return known


def _plain(line: str) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def _write(path: Path, data: dict[str, Any], mode: str) -> None:
    try:
        with path.open(mode, encoding="utf-8") as out:
            out.write(json.dumps(data, ensure_ascii=False) + "\n")
    except OSError as reason:
        raise UsageError(f"{path} cannot be written: {reason.strerror}") from None
