"""`lumiban replay`: a finished game played again from its record, every move checked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from lumiban.catalogue import terminal_language, text
from lumiban.cli.arguments import Json, print_json, say


def command(
    file: Annotated[Path, Parameter(help="The record, a JSON file.")],
    /,
    *,
    json: Json = False,
) -> None:
    """Play a finished game again from its record and say whether it ends as it tells.

    The records of finished games lie in the folder `records` of the state folder. Every move,
    the result and the coins of play without turns are checked; exit code 1 when one is wrong.
    """
    from lumiban.errors import CheckFailed, GameError
    from lumiban.records.files import read
    from lumiban.table.record import replay, verify

    document = read(file)
    try:
        outcome = verify(document)
        game, positions = replay(document)
    except GameError as error:
        raise CheckFailed(f"{file}: {error}") from None
    moves = positions[-1].history[len(positions[0].history) :]
    winner = None if outcome.winner is None else game.sides[outcome.winner]
    if json:
        print_json(
            {
                "game": game.slug,
                "options": dict(game.options),
                "seats": document.get("seats"),
                "moves": [move.text for move in moves],
                "winner": winner,
                "reason": outcome.reason,
            }
        )
        return
    seats = document.get("seats") or []
    say("replay.head", game=game.slug, seats=" – ".join(map(str, seats)), moves=len(moves))
    for number, (move, before) in enumerate(zip(moves, positions, strict=False), 1):
        print(f"{number:>4}  {game.sides[move.side]:<6} {game.spoken(before, move)}")
    say("replay.end", how=text(outcome.text_id, terminal_language()))
