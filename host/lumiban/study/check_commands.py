"""`lumiban games check`: the laws that the table relies on, in random games."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

from lumiban.arguments import GameName, Json, Options, options
from lumiban.games import load
from lumiban.games.registry import RuleFault
from lumiban.i18n import terminal_language, text
from lumiban.study.check import NAMES, check
from lumiban.system.terminal import Progress, print_json, say


def check_command(
    game: GameName,
    /,
    *,
    games: Annotated[
        int | None,
        Parameter(
            validator=Number(gte=1, lte=100_000),
            help="Number of random games; by default 20, and more until each law has seen enough.",
        ),
    ] = None,
    seed: Annotated[int, Parameter(help="Seed: the same number plays the same games.")] = 0,
    option: Options = None,
    json: Json = False,
) -> int:
    """Play random games and check that the game keeps the laws of the API in each position.

    For example: {lumiban} games check mine.py --games 50

    A broken law is reported with the moves that lead to the position and the move that fails
    there; the exit code is then 1.
    """
    try:
        played = load(game, **options(option))
    except RuleFault as fault:
        if json:
            print_json({"game": game, "ok": False, "fault": str(fault)})
        else:
            print(f"BROKEN  {fault}")
        return 1
    progress = Progress()
    language = terminal_language()
    try:
        report = check(
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
    stopped = {law for breach in report.breaches for law in breach.stopped}
    for law in (*NAMES, *(name for name in broken if name not in NAMES)):
        if law in broken:
            print(f"BROKEN  {law}")
            print(f"        {broken[law]}")
            if broken[law].stopped:
                say("cli.check.stopped", indent=8, laws=", ".join(broken[law].stopped))
        elif report.asked[law] and law not in stopped:
            print(f"ok      {law:<10} {text(f'cli.law.{law}', language)}")
    if report.is_cut_short:
        say("cli.check.cut-short")
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
                "stopped": list(breach.stopped),
            }
            for breach in report.breaches
        ],
        "notes": report.notes,
    }
