"""Many games on all cores, in the order of their numbers."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterable, Iterator, Sequence
from os import cpu_count

from lumiban import games
from lumiban.errors import LumibanError, UsageError
from lumiban.games.base import Game
from lumiban.study.owned import serve, tidily
from lumiban.study.played import Result, play
from lumiban.study.players import Player

Task = tuple[str, dict[str, int | str], tuple[Player, ...], int, int]
"""Slug, options, players by side, number and seed."""

_known: dict[tuple[object, ...], Game] = {}


def cores() -> int:
    """How many games can be played at once on this machine."""
    return cpu_count() or 1


def play_all(tasks: Sequence[Task], jobs: int) -> Iterator[Result]:
    """The results in the order of the tasks; with `jobs` > 1 on so many processes.

    UsageError (with the game's number) when the rules of a game fail.
    """
    if jobs <= 1 or len(tasks) <= 1:
        yield from map(_unwrapped, map(_one, tasks))
        return
    context = multiprocessing.get_context("spawn")
    with tidily(), context.Pool(min(jobs, len(tasks)), serve) as pool:
        for answer in pool.imap(_one, tasks):
            yield _unwrapped(answer)


def _unwrapped(answer: Result | str) -> Result:
    if isinstance(answer, str):
        raise UsageError(answer)
    return answer


def _one(task: Task) -> Result | str:
    slug, options, players, number, seed = task
    key = (slug, *sorted(options.items()))
    try:
        if key not in _known:
            _known[key] = games.load(slug, **options)
        return play(_known[key], players, number, seed)
    except LumibanError as error:
        return f"{slug}: {error}"


def tasks_for(
    game: Game, slug: str, players: Iterable[tuple[Player, ...]], numbers: Iterable[int], seed: int
) -> list[Task]:
    """A task a number; `players` are by side, a pair a number."""
    options = dict(game.options)
    return [
        (slug, options, pair, number, seed) for pair, number in zip(players, numbers, strict=True)
    ]
