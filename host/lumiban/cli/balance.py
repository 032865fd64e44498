"""`lumiban study balance`: how fair a game is, how long, and how much there is to choose."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

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


def command(
    game: Annotated[str, Parameter(help="The game, or a game file.")],
    /,
    *,
    games: Annotated[int, Parameter(validator=Number(gte=1), help="Number of games.")] = 200,
    player: Annotated[
        str, Parameter(help="Who plays both sides: a level by name or number, or random.")
    ] = "random",
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
    """Play a game against itself many times: win rates, lengths and choices.

    For example: lumiban study balance control -o size=3 --games 500 --player easy
    """
    from lumiban import games as all_games
    from lumiban.study.balance import figures, study
    from lumiban.study.match import cores
    from lumiban.study.match import player as player_called

    played = all_games.load(game, **options(option))
    longest_us = microseconds(per_move, "--per-move")
    who = player_called(player, playouts=playouts, per_move_us=longest_us)
    progress = Progress()
    try:
        results = study(
            played,
            game,
            who,
            games,
            seed=seed,
            jobs=jobs or cores(),
            keep=keep,
            progress=lambda done: progress.show(f"{done} of {games} games"),
        )
    finally:
        progress.clear()
    found = figures(played, results)
    if json:
        told = {"game": game, "options": dict(played.options), "player": who.name, "seed": seed}
        print_json({**told, **found})
        return
    _tell(found, who.name)


def _tell(found: dict[str, Any], player: str) -> None:
    say("balance.head", games=found["games"], player=player)
    for name, side in found["sides"].items():
        low, high = side["interval"]
        share = "–" if side["share"] is None else f"{side['share']:.1%}"
        say("balance.side", side=name, share=share, low=f"{low:.1%}", high=f"{high:.1%}", indent=2)
    say("balance.draws", draws=found["draws"], unfinished=found["unfinished"], indent=2)
    plies, choices = found["plies"], found["choices"]
    say(
        "balance.plies",
        mean=plies["mean"],
        median=plies["median"],
        least=plies["least"],
        most=plies["most"],
        indent=2,
    )
    say("balance.choices", mean=choices["mean"], most=choices["most"], indent=2)
    ways = ", ".join(f"{reason} {count}" for reason, count in found["reasons"].items())
    say("balance.reasons", reasons=ways, indent=2)
    cells = found["never_played"]
    say("balance.never", cells=" ".join(cells) if cells else "–", indent=2)
