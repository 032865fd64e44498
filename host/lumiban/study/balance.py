"""Is a game fair, how long is it, how much is there to choose? Figures of many games of one
player against itself, kept in a file so that a study can be broken off and go on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from statistics import mean, median, quantiles
from typing import Any

from lumiban.games.base import Game
from lumiban.games.floating_game import FloatingGame
from lumiban.games.light_game import LightGame
from lumiban.study.match import Player, Result, add, begun, play_all, tasks_for, wilson


def study(
    game: Game,
    slug: str,
    player: Player,
    count: int,
    *,
    seed: int = 0,
    jobs: int = 1,
    cluster: str | None = None,
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
    known = {} if keep is None else begun(keep, head)
    left = [number for number in range(count) if number not in known]
    pairs = [(player, player)] * len(left)
    for result in play_all(tasks_for(game, slug, pairs, left, seed), jobs, cluster):
        known[result.number] = result
        if keep is not None:
            add(keep, result)
        if progress is not None:
            progress(len(known))
    return [known[number] for number in range(count)]


def figures(game: Game, results: list[Result]) -> dict[str, Any]:
    """Figures of the games: shares of wins with Wilson's interval at 95 % (of all games that ended;
    draws apart), lengths, choices a ply, and the cells that no game touched.

    `never_played` is None where cells are no places of the game: lit ones, on which markers only
    say something, and those of a game that drifts, whose frame moves with it.
    """
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
        "never_played": None
        if isinstance(game, LightGame) or isinstance(game.laid_on(game.grid), FloatingGame)
        else [name for cell, name in enumerate(game.grid.names) if cell not in touched],
    }
