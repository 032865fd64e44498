"""A match between two players: colours alternate, a draw is half a point each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lumiban.games.base import Game
from lumiban.study.figures import elo, wilson
from lumiban.study.kept import add, begun
from lumiban.study.many import play_all, tasks_for
from lumiban.study.played import Result
from lumiban.study.players import Player


@dataclass
class Score:
    """The score of A against B so far; `firsts` counts A's points where it began."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    firsts: float = 0.0
    plies: int = 0
    unfinished: int = 0

    @property
    def points(self) -> float:
        """A's points: wins and half the draws."""
        return self.wins + self.draws / 2

    @property
    def share(self) -> float:
        """A's points a game; 0.5 before the first."""
        return self.points / self.games if self.games else 0.5

    def add(self, winner: int | None, a_side: int, plies: int, *, finished: bool = True) -> None:
        """Count one game in which A began on `a_side`."""
        self.games += 1
        self.plies += plies
        self.unfinished += not finished
        point = 0.5 if winner is None else float(winner == a_side)
        self.wins += point == 1.0
        self.draws += point == 0.5
        if a_side == 0:
            self.firsts += point

    def as_json(self) -> dict[str, Any]:
        """The figures by name; shares are A's, the interval is Wilson's at 95 %."""
        low, high = wilson(self.points, self.games)
        rating = elo(self.share)
        return {
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.games - self.wins - self.draws,
            "unfinished": self.unfinished,
            "share": round(self.share, 4),
            "interval": [round(low, 4), round(high, 4)],
            "elo": None if rating is None else round(rating),
            "points_as_first": self.firsts,
            "plies": round(self.plies / self.games, 1) if self.games else 0.0,
        }


def play_match(
    game: Game,
    slug: str,
    a: Player,
    b: Player,
    count: int,
    *,
    seed: int = 0,
    jobs: int = 1,
    keep: Path | None = None,
    progress: Callable[[Score], None] | None = None,
) -> Score:
    """Play `count` games between A and B: A begins the even ones.

    With players bounded by playouts, or at random, the same seed gives the same score; `slug` is
    the name by which another process loads the game. With `keep` each result is a line of that
    file, and those that it holds already are not played again. UsageError when the file belongs
    to another match, or cannot be written.
    """
    head = {"slug": game.slug, "options": dict(game.options), "seed": seed}
    head |= {name: asdict(one) | {"level": one.level(game)} for name, one in (("a", a), ("b", b))}
    known = {} if keep is None else begun(keep, head)
    score = Score()

    def count_in(result: Result) -> None:
        finished = result.reason != "unfinished"
        score.add(result.winner, result.number % 2, result.plies, finished=finished)

    for number, result in known.items():
        if number < count:
            count_in(result)
    left = [number for number in range(count) if number not in known]
    pairs = [(a, b) if number % 2 == 0 else (b, a) for number in left]
    for result in play_all(tasks_for(game, slug, pairs, left, seed), jobs):
        count_in(result)
        if keep is not None:
            add(keep, result)
        if progress is not None:
            progress(score)
    return score
