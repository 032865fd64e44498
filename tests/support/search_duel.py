"""Full strength against plain UCT with equal CPU time a move, so that a busy machine does no harm.

    nice .venv/bin/python tests/support/search_duel.py trivia --games 100 --keep FILE

It goes on where it ended. Rengi's `--option mode=open` names a mode. Each move's clock is the CPU
time of this one process, in which both players think with one thread each.
"""

from __future__ import annotations

import argparse
import time
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

from levels_study import OPTIONS
from lumiban import games
from lumiban.search import engine
from lumiban.search.doves import bot
from lumiban.search.rengi import bot as rengi_bot
from lumiban.study.match import Score, play_match, player


def cpu_us() -> int:
    """CPU time that this process has taken, in microseconds."""
    return time.process_time_ns() // 1000


def duel(
    slug: str,
    count: int,
    per_move_us: int,
    keep: Path,
    *,
    a: str = "strong",
    b: str = "strong:uct",
    seed: int = 0,
    **options: int | str,
) -> Score:
    """`count` games of A against B, those in `keep` counted; colours alternate."""
    game = games.load(slug, **{**OPTIONS.get(slug, {}), **options})
    one, other = player(a, per_move_us=per_move_us), player(b, per_move_us=per_move_us)
    for each in (one, other):
        each.move(game, game.start(), 1)  # compile, or read the cache, on nobody's time
    with ExitStack() as stack:
        for module in (engine, bot, rengi_bot):
            stack.enter_context(patch.object(module, "_now_us", cpu_us))
        return play_match(game, slug, one, other, count, seed=seed, jobs=1, keep=keep)


def main() -> None:
    """Print the score."""
    parser = argparse.ArgumentParser()
    parser.add_argument("slug")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--per-move-ms", type=int, default=200)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--a", default="strong")
    parser.add_argument("--b", default="strong:uct")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    asked = parser.parse_args()
    options = dict(one.split("=", 1) for one in asked.option)
    score = duel(
        asked.slug, asked.games, asked.per_move_ms * 1000, asked.keep,
        a=asked.a, b=asked.b, **options,
    )  # fmt: skip
    found = score.as_json()
    low, high = found["interval"]
    print(
        f"{asked.slug}: {asked.a} against {asked.b}: {found['share']:.1%} ({low:.0%} to {high:.0%})"
        f" of {found['games']}, {found['plies']} plies a game"
    )


if __name__ == "__main__":
    main()
