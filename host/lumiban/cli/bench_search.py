"""The rows of `lumiban bench search`: every figure that the search is judged by."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from lumiban import games
from lumiban.cli.bench_rengi import runs
from lumiban.games.api import Game
from lumiban.search.bench import Row, row, rows, threads_row

Progress = Callable[[str], None]
PLAYED: tuple[tuple[str, dict[str, int | str]], ...] = (
    ("control", {"size": 5}),
    ("control", {"size": 8}),
    ("trivia", {"size": 9}),
    ("evening", {"size": 5, "turns": "trailing"}),
    ("doves", {}),
)
"""The games that are measured when none is named; threads by the first of them."""
RENGI = (("chain_10_12", "fields with score"), ("placements", "fields"))


def measure(seconds: float, cores: int, progress: Progress) -> Iterator[Row]:
    """All rows, about `seconds` for each figure; `cores` threads are held against one."""
    for slug, options in PLAYED:
        yield from rows(games.load(slug, **options), seconds, progress)
    yield from rengi(seconds, progress)
    progress("threads")
    slug, options = PLAYED[0]
    if cores > 1:
        yield threads_row(games.load(slug, **options), cores, seconds)


def of_game(game: Game, seconds: float, progress: Progress) -> Iterator[Row]:
    """The rows of one game."""
    yield from rows(game, seconds, progress)
    if game.slug == "rengi":
        yield from rengi(seconds, progress)


def rengi(seconds: float, progress: Progress) -> Iterator[Row]:
    """Chains resolved and placements listed, fields per second."""
    for work, unit in RENGI:
        progress(f"rengi {work}")
        yield row("rengi", {}, work, unit, seconds, partial(runs, work))
