"""`lumiban study perft`: counts by which rules are proven against other programs."""

from __future__ import annotations

import time
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from lumiban.cli.arguments import GameName, Json, Options, options
from lumiban.terminal import Progress, print_json, say_if_plain

DEEPEST = 64
"""Nobody lives to see a deeper count."""


def command(
    game: GameName,
    /,
    *,
    depth: Annotated[
        int,
        Parameter(
            name=("--depth", "-d"),
            validator=Number(gte=1, lte=DEEPEST),
            help="Depth in moves.",
        ),
    ],
    turns: Annotated[
        bool,
        Parameter(
            name="--turns",
            negative="",
            show_default=False,
            help="Count distinct turns: all that a side does before the other, in any order.",
        ),
    ] = False,
    option: Options = None,
    json: Json = False,
) -> None:
    """Count the ways to play 1, 2, … moves from the start of a game.

    For example: lumiban study perft control -d 4 -o size=3
    """
    from lumiban import games
    from lumiban.games.registry import telling
    from lumiban.search.perft import perft, perft_turns

    played = games.load(game, **options(option))
    progress = Progress()
    began = time.monotonic()
    what = "turns" if turns else "moves"
    try:
        with telling(played, played.start()):
            nodes = (perft_turns if turns else perft)(
                played,
                depth,
                lambda done, of: progress.show(f"depth {depth}: {done} of {of} first {what}"),
            )
    finally:
        progress.clear()
    say_if_plain()
    if json:
        print_json({"game": game, "options": dict(played.options), "nodes": nodes})
        return
    for number, count in enumerate(nodes, 1):
        print(f"{number:>3}  {count:>16,}")
    print(f"{time.monotonic() - began:.2f} s")
