"""`lumiban study solve`: who wins a small game with best play, by looking at all of it."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from lumiban.cli.arguments import GameName, Json, Options, options
from lumiban.errors import UsageError
from lumiban.i18n import terminal_language, text
from lumiban.terminal import Progress, print_json, say, say_if_plain

MOST_CELLS = 19
"""Beyond so many cells no search of ours ends in anybody's lifetime."""


def command(
    game: GameName,
    /,
    *,
    hands: Annotated[
        str | None,
        Parameter(
            help="For doves: kinds in each hand besides the boss, such as AT; at most three."
        ),
    ] = None,
    option: Options = None,
    json: Json = False,
) -> None:
    """Find the winner of a small board under best play, for each opening.

    Tokyo Doves is solved with fewer doves, as a table of all its positions: --hands AT takes a
    second, --hands ATH three minutes and 1 GB. Endless play is a draw there.

    For example: lumiban study solve control -o size=3, lumiban study solve doves --hands AT
    """
    from lumiban import games
    from lumiban.games.registry import telling
    from lumiban.search.solve import solve

    if hands is not None:
        _tables(game, hands, options(option), json)
        return
    played = games.load(game, **options(option))
    cells = len(played.grid)
    if cells > MOST_CELLS:
        smaller = (
            "; choose a smaller one, for example: -o size=3" if "size" in played.options else ""
        )
        raise UsageError(
            f"a board of {cells} cells is too large to be solved: above {MOST_CELLS} cells there "
            f"are more positions than can be searched{smaller}"
        )
    start = played.start()
    mover = played.movers(start)[0]
    openings = {}
    nodes = 0
    progress = Progress()
    progress.show(text("analyse.begins", terminal_language()))
    try:
        moves = played.moves(start, mover)
        for number, move in enumerate(moves):
            told = f"opening {number + 1} of {len(moves)} ({move})"

            def show(positions: int, done: int, of: int, told: str = told) -> None:
                progress.show(f"{told}: {positions:,} positions, {done} of {of} replies")

            with telling(played, start):
                found = solve(played, played.play(start, move), show)
            openings[move.text] = found.winner
            nodes += found.nodes
    finally:
        progress.clear()
    say_if_plain()
    winner = _best(mover, list(openings.values()))
    names: list[str | None] = [*played.sides, None]
    if json:
        print_json(
            {
                "game": game,
                "options": dict(played.options),
                "winner": _name(winner, names),
                "openings": {text: _name(won, names) for text, won in openings.items()},
                "positions": nodes,
            }
        )
        return
    print(f"{_called(winner, names)} ({nodes:,} positions)")
    for opening, won in openings.items():
        print(f"  {opening:<4} {_called(won, names)}")


def _tables(game: str, hands: str, wishes: dict[str, int | str], json: bool) -> None:
    from lumiban import games
    from lumiban.search.doves.tables import build

    strange = sorted(set(wishes) - {"remove", "both"})
    if game != "doves" or strange:
        raise UsageError(
            "--hands solves doves, with only the options remove and both: without a rule on"
            " repetition, and the start may come again"
        )
    rules = games.load(game, **wishes).options
    progress = Progress()
    try:
        table = build(
            hands,
            remove=rules["remove"] == "on",
            both=str(rules["both"]),
            progress=lambda what, done, of: progress.show(f"{what}: {done / of:.0%}"),
        )
    finally:
        progress.clear()
    say_if_plain()
    counts = {
        name: getattr(table, name) for name in ("positions", "wins", "losses", "draws", "longest")
    }
    if json:
        winner = {1: "red", 0: None, -1: "green"}[table.start]
        print_json({"game": game, "hands": table.kinds, "winner": winner, **counts})
        return
    told = {1: "first", 0: "draw", -1: "second"}[table.start]
    say(f"tables.start.{told}")
    numbers: dict[str, object] = {name: f"{count:,}" for name, count in counts.items()}
    print(text("tables.counts", terminal_language(), **numbers))


def _best(mover: int, results: list[int | None]) -> int | None:
    """What the mover can hold: a win if some opening wins, else a draw, else a loss."""
    if mover in results:
        return mover
    return None if None in results else 1 - mover


def _name(winner: int | None, names: list[str | None]) -> str | None:
    return None if winner is None else names[winner]


def _called(winner: int | None, names: list[str | None]) -> str:
    name = _name(winner, names)
    return "a draw" if name is None else f"{name.capitalize()} wins"
