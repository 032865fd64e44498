"""`lumiban study puzzles`: positions of Tokyo Doves with one winning action, for people to find."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

from lumiban.cli.arguments import Json, Options, options, to_write
from lumiban.errors import UsageError
from lumiban.terminal import Progress, print_json, say, say_if_plain

if TYPE_CHECKING:
    from lumiban.search.doves.mate import Puzzle


def command(
    game: Annotated[str, Parameter(help="The game: doves.")] = "doves",
    /,
    *,
    mate: Annotated[
        int, Parameter(help="The mover wins within this many plies: 1, 3, 5, 7 or 9.")
    ] = 3,
    count: Annotated[int, Parameter(validator=Number(gte=1), help="Number of puzzles.")] = 10,
    seed: Annotated[int, Parameter(help="The same seed finds the same puzzles.")] = 0,
    file: Annotated[
        Path | None,
        Parameter(help="File that keeps the puzzles found; the next search continues from it."),
    ] = None,
    answers: Annotated[
        bool, Parameter(negative="", show_default=False, help="Print the winning lines too.")
    ] = False,
    option: Options = None,
    json: Json = False,
) -> None:
    """Find positions in which exactly one action wins fastest.

    They come from random games and have no history. A ply is one action of one side. Ctrl-C stops
    the search; with --file the next run continues it. With --json each puzzle is one line.

    For example: lumiban study puzzles doves --mate 3 --count 10 --answers
    """
    from lumiban import games
    from lumiban.games.doves import Doves
    from lumiban.search.doves.mate import Puzzles

    if game != "doves":
        raise UsageError(f"there are no puzzles for {game!r}, only for doves")
    played = games.load(game, **options(option))
    if not isinstance(played, Doves):
        raise UsageError("there are puzzles only for doves")
    if mate not in (1, 3, 5, 7, 9):
        raise UsageError(f"--mate {mate} must be 1, 3, 5, 7 or 9: the last action is the mover's")
    if file is not None:
        to_write(file, "--file")
    progress = Progress()
    search = Puzzles(played, mate, seed, file)
    number = 0
    try:
        for puzzle in search.search(
            count, lambda found, tried: progress.show(f"{found} of {count}: {tried:,} tried")
        ):
            progress.clear()
            number += 1
            if json:
                print_json(_as_json(puzzle, played.options))
            else:
                _tell(number, puzzle, answers)
    finally:
        progress.clear()
    say_if_plain()


def _as_json(puzzle: Puzzle, rules: Any) -> dict[str, Any]:
    return {
        "game": "doves",
        "options": dict(rules),
        "board": puzzle.board,
        "to_move": puzzle.to_move,
        "plies": puzzle.plies,
        "first": puzzle.first,
        "line": list(puzzle.line),
        "candidate": puzzle.candidate,
    }


def _tell(number: int, puzzle: Puzzle, answers: bool) -> None:
    own = (puzzle.plies + 1) // 2
    goal = f"puzzles.goal.{puzzle.to_move}" + ("" if own > 1 else ".at-once")
    say(goal, number=number, own=own)
    for row in puzzle.board.split("/"):
        print("  " + " ".join(row))
    print(f"  {puzzle.board}")
    if answers:
        say("puzzles.answer", line=" ".join(puzzle.line), indent=2)
    print()
