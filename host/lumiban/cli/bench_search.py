"""The rows of `lumiban bench search`: every figure that the search is judged by."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from lumiban import games
from lumiban.cli.bench_rengi import runs
from lumiban.games.base import Game
from lumiban.search import bench_threads, doves_bench
from lumiban.search.bench import Row, row, rows
from lumiban.search.bench_waits import Wait, waits

Progress = Callable[[str], None]
PLAYED: tuple[tuple[str, dict[str, int | str]], ...] = (
    ("control", {"size": 5}),
    ("control", {"size": 8}),
    ("trivia", {"size": 9}),
    ("evening", {"size": 5, "turns": "trailing"}),
    ("doves", {}),
)
"""The games that are measured when none is named; threads by the first of them."""
TIMED_GAMES: tuple[tuple[str, dict[str, int | str]], ...] = (
    *PLAYED[:1],
    *PLAYED[2:],
    ("rengi", {}),
)
"""The games whose bots one waits for."""
RENGI = (("chain_10_12", "fields with score"), ("placements", "fields"))


def measure(seconds: float, cores: int, progress: Progress) -> Iterator[Row | Wait]:
    """All rows, about `seconds` for each figure; `cores` threads are held against one."""
    for slug, options in PLAYED:
        yield from rows(games.load(slug, **options), seconds, progress)
    yield from doves_bench.rows(seconds, progress)
    yield from rengi(seconds, progress)
    slug, options = PLAYED[0]
    if cores > 1:
        yield from bench_threads.rows(games.load(slug, **options), cores, seconds, progress)
    yield from waits([games.load(slug, **options) for slug, options in TIMED_GAMES], progress)


def of_game(game: Game, seconds: float, progress: Progress) -> Iterator[Row]:
    """The rows of one game."""
    yield from rows(game, seconds, progress)
    if game.slug == "doves":
        yield from doves_bench.rows(seconds, progress)
    if game.slug == "rengi":
        yield from rengi(seconds, progress)


def rengi(seconds: float, progress: Progress) -> Iterator[Row]:
    """Chains resolved and placements listed, fields per second."""
    for what, unit in RENGI:
        progress(f"rengi {what}")
        yield row("rengi", {}, what, unit, seconds, partial(runs, what))


def line(found: Row | Wait) -> str:
    """A row for people."""
    if isinstance(found, Wait):
        what = f"{found.game + ':':<11} {found.what}"
        return f"{what:<58} {found.value:>14,.1f} {found.unit} (below {found.bound:g})"
    size = f" {found.options['size']}" if "size" in found.options else ""
    what = f"{found.game + size + ':':<11} {found.what}"
    return f"{what:<58} {found.rate:>14,.0f} {found.unit}/s ({found.ratio:,.1f}×)"
