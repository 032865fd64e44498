"""`lumiban replay`: a finished game played again from its record, every move checked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from lumiban.cli.arguments import Json, Rules
from lumiban.errors import UsageError
from lumiban.i18n import terminal_language, text
from lumiban.terminal import print_json, say


def command(
    file: Annotated[
        Path | None,
        Parameter(help="The record, a JSON file, or a flight recording; else the newest record."),
    ] = None,
    /,
    *,
    rules: Rules = "",
    json: Json = False,
) -> None:
    """Replay a finished game from its record and check that it ends as recorded.

    Each finished game leaves a record in a folder; without FILE the newest one is replayed, and
    the first line shows where it is. Every move, the result and the coin tosses of play without
    turns are checked; the exit code is 1 when one is wrong.

    A flight recording (`lumiban flight` lists them) is replayed frame by frame through link and
    table: every verdict, record and frame of light must match bit for bit.

    A game of your own is a program, which neither file may start: name its file with --rules.
    """
    from lumiban.flight.file import is_flight

    if file is None:
        file = _newest()
        if not json:
            print(file)
    if is_flight(file):
        _fly(file, rules, json)
        return
    from lumiban.errors import CheckFailed, GameError
    from lumiban.games.registry import NotNamed, loading
    from lumiban.table.record import read, replay, verify

    document, load = read(file), loading(rules)
    try:
        outcome = verify(document, load)
        game, positions = replay(document, load)
    except NotNamed as error:
        raise UsageError(f"{file}: {error}") from None
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
        print(f"{number:>4}  {game.sides[move.side]:<6} {game.display_text(before, move)}")
    say("replay.end", how=text(outcome.text_id, terminal_language()))


def _newest() -> Path:
    """The record of the game that ended last; UsageError when none has."""
    from lumiban.paths import state_folder

    folder = state_folder() / "records"
    records = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
    if not records:
        raise UsageError(f"no game has ended yet: there is no record in {folder}")
    return records[-1]


def _fly(file: Path, rules: str, json: bool) -> None:
    from dataclasses import asdict

    from lumiban.errors import CheckFailed
    from lumiban.flight.file import Flight
    from lumiban.flight.replay import Differs, run
    from lumiban.games.registry import NotNamed

    flight = Flight(file)
    try:
        tally = run(flight.head, flight.lines(), rules)
    except NotNamed as error:
        raise UsageError(f"{file}: {error}") from None
    except Differs as difference:
        raise CheckFailed(f"{file}: {difference}") from None
    if json:
        print_json({**asdict(tally), "torn": flight.torn, "recorded_by": flight.head["lumiban"]})
        return
    if flight.torn:
        say("flight.torn", bytes=flight.torn)
    if tally.full:
        say("flight.full")
    say(
        "flight.same",
        frames=f"{tally.frames:,}",
        steps=f"{tally.steps:,}",
        verdicts=f"{tally.verdicts:,}",
        moves=tally.moves,
        lights=f"{tally.lights:,}",
        seconds=f"{tally.until_us / 1e6:,.1f}",
    )
