"""`lumiban games check`: whether the table can rely on a game."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

from lumiban.cli.arguments import GameName, Json, Options, options
from lumiban.i18n import terminal_language, text
from lumiban.terminal import Progress, print_json, say


def command(
    game: GameName,
    /,
    *,
    games: Annotated[
        int, Parameter(validator=Number(gte=1, lte=100_000), help="Number of random games.")
    ] = 20,
    seed: Annotated[int, Parameter(help="Seed: the same number plays the same games.")] = 0,
    option: Options = None,
    json: Json = False,
) -> int:
    """Play random games and check that the game keeps the laws of the API in each position.

    For example: lumiban games check mine.py --games 50

    A broken law is reported with the moves that lead to the position and the move that fails
    there; the exit code is then 1.
    """
    from lumiban.games import load
    from lumiban.study.check import NAMES, Report, check

    played = load(game, **options(option))
    progress = Progress()
    language = terminal_language()
    try:
        report: Report = check(
            played,
            games,
            seed,
            lambda done, of: progress.show(
                text("cli.check.progress", language, done=done, games=of)
            ),
        )
    finally:
        progress.clear()
    if json:
        print_json(_document(game, report))
        return 0 if report.ok else 1
    broken = {breach.law: breach for breach in report.breaches}
    for law in (*NAMES, *(name for name in broken if name not in NAMES)):
        if law in broken:
            print(f"BROKEN  {law}")
            print(f"        {broken[law]}")
        elif report.asked[law]:
            print(f"ok      {law:<10} {text(f'cli.law.{law}', language)}")
    for note in report.notes:
        say("cli.check.note", note=note)
    done = {"games": report.games, "positions": report.positions, "broken": len(broken)}
    say("cli.check.ok" if report.ok else "cli.check.broken", **done)
    return 0 if report.ok else 1


def _document(name: str, report: Any) -> dict[str, Any]:
    return {
        "game": name,
        "options": dict(report.game.options),
        "seed": report.seed,
        "games": report.games,
        "positions": report.positions,
        "ok": report.ok,
        "laws": dict(report.asked),
        "breaches": [
            {
                "law": breach.law,
                "text": breach.text,
                "moves": list(breach.moves),
                "move": breach.move,
                "game": breach.number,
            }
            for breach in report.breaches
        ],
        "notes": report.notes,
    }
