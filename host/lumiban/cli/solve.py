"""`lumiban solve`: who wins a small game with best play, by looking at all of it."""

from __future__ import annotations

from lumiban.cli.arguments import (
    GameName,
    Json,
    Options,
    Progress,
    options,
    print_json,
    say_if_plain,
)
from lumiban.errors import UsageError

MOST_CELLS = 19
"""Beyond so many cells no search of ours ends in anybody's lifetime."""


def command(
    game: GameName,
    /,
    *,
    option: Options = None,
    json: Json = False,
) -> None:
    """Find the winner of a small board with best play, for each opening.

    For example: lumiban solve control -o size=3
    """
    from lumiban import games
    from lumiban.games.faults import telling
    from lumiban.search.solve import solve

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
    for text, won in openings.items():
        print(f"  {text:<4} {_called(won, names)}")


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
