"""`lumiban study match`: two players against each other, many games, with the interval."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from lumiban.cli.arguments import (
    Jobs,
    Json,
    Options,
    PerMove,
    Playouts,
    Seed,
    microseconds,
    options,
)
from lumiban.terminal import Progress, print_json, say

A_PLAYER = (
    "A: a level by name or number, gentle (1) to strong (5), or random;"
    " strong:uct and strong:grave name the search."
)


def command(
    game: Annotated[str, Parameter(help="The game, or a game file.")],
    /,
    *,
    a: Annotated[str, Parameter(help=A_PLAYER)],
    b: Annotated[str, Parameter(help="B, likewise.")],
    games: Annotated[int, Parameter(validator=Number(gte=1), help="Number of games.")] = 100,
    per_move: PerMove = None,
    playouts: Playouts = None,
    seed: Seed = 0,
    jobs: Jobs = 0,
    keep: Annotated[
        Path | None,
        Parameter(help="File that keeps the games: the same command resumes from it."),
    ] = None,
    option: Options = None,
    json: Json = False,
) -> None:
    """Play a match between two players: colours alternate, a draw is half a point.

    For example: lumiban study match control --a strong --b easy --games 20 --per-move 100ms

    A level keeps its number of random games. With --per-move, full strength is limited only by
    that time, and the other levels stop then if they have not finished.
    """
    from lumiban import games as all_games
    from lumiban.study.match import Score, cores, play_match, player

    played = all_games.load(game, **options(option))
    longest_us = microseconds(per_move, "--per-move")
    one = player(a, playouts=playouts, per_move_us=longest_us)
    other = player(b, playouts=playouts, per_move_us=longest_us)
    progress = Progress()

    def show(score: Score) -> None:
        low, high = score.as_json()["interval"]
        points = f"A has {score.points:g}, {low:.0%} to {high:.0%}"
        progress.show(f"{score.games} of {games} games: {points}")

    try:
        score = play_match(
            played,
            game,
            one,
            other,
            games,
            seed=seed,
            jobs=jobs or cores(),
            keep=keep,
            progress=show,
        )
    finally:
        progress.clear()
    found = score.as_json()
    if json:
        told = {"game": game, "options": dict(played.options), "seed": seed}
        sides = {"a": one.as_json(played), "b": other.as_json(played)}
        bounds = {"per_move_us": longest_us, "playouts": playouts}
        print_json({**told, **sides, **bounds, **found})
        return
    low, high = found["interval"]
    say(
        "match.score",
        a=one.called(played),
        b=other.called(played),
        points=f"{score.points:g}",
        games=score.games,
    )
    say("match.share", share=f"{score.share:.1%}", low=f"{low:.1%}", high=f"{high:.1%}", indent=2)
    say(
        "match.rest",
        wins=found["wins"],
        draws=found["draws"],
        losses=found["losses"],
        plies=found["plies"],
        indent=2,
    )
