"""`lumiban analyse`: the best moves of a position, what each is worth, and what it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from lumiban import games
from lumiban.arguments import (
    NAMES_GAME,
    Json,
    Options,
    Playouts,
    Rules,
    Seed,
    microseconds,
    options,
    to_write,
)
from lumiban.cli.positions import begin, is_record, of_record, played_on
from lumiban.errors import UsageError
from lumiban.games.floating_game import FloatingGame
from lumiban.games.registry import telling
from lumiban.i18n import terminal_language, text
from lumiban.invocation import start_word
from lumiban.search.kernel_notes import say_if_plain
from lumiban.system.terminal import Progress, print_json, say

if TYPE_CHECKING:
    from lumiban.games.base import Game, Position
    from lumiban.search.analysis import Analysis
    from lumiban.search.anytime_analysis import Variation

MAX_VARIATIONS = 50
REFRESH_S = 0.25
"""Time in seconds between two lines that show the best move while it thinks."""
BAR = 10
"""Signs of a full bar."""


def analyse_command(
    game: Annotated[
        str,
        NAMES_GAME,
        Parameter(
            help=f"A game (`{start_word()} games` lists them), a game file (mine.py), or a"
            " finished game's record or journal."
        ),
    ],
    /,
    *,
    position: Annotated[
        str,
        Parameter(
            help="Starting position: 'c1=white, b2=black'; in Doves a board: 'b./BA'; in Rengi both"
            " fields: 'FIELD|FIELD'."
        ),
    ] = "",
    to_move: Annotated[str, Parameter(help="The side to move in that position.")] = "",
    moves: Annotated[str, Parameter(help="Moves from there, separated by commas.")] = "",
    at: Annotated[
        int | None,
        Parameter(
            help="In a record: the position before this move; by default the last undecided one."
        ),
    ] = None,
    rules: Rules = "",
    level: Annotated[
        str, Parameter(help="Think as much as a bot of this level (1 to 5, or its name).")
    ] = "strong",
    time: Annotated[
        str | None, Parameter(help="Thinking time instead, such as 500ms or 10s.")
    ] = None,
    playouts: Playouts = None,
    top: Annotated[
        int, Parameter(validator=Number(gte=1, lte=MAX_VARIATIONS), help="How many moves to show.")
    ] = 5,
    seed: Seed = 0,
    picture: Annotated[
        Path | None, Parameter(help="Draw the best moves into this SVG file.")
    ] = None,
    option: Options = None,
    json: Json = False,
) -> None:
    """Show the best moves of a position: value, line, and what each does.

    The value is the share of wins the mover may expect. With --playouts the same seed gives the
    same answer. The best line so far is shown meanwhile; Ctrl-C stops without an answer.

    For example: {lumiban} analyse control --moves "a1, c3" --time 5s, or
    {lumiban} analyse doves --position "..t/.MB/HYb/Thy", or {lumiban} analyse game.json --at 12
    """
    from lumiban.search import tree
    from lumiban.search.analysis import analyse, in_turns
    from lumiban.search.registry import engine_of

    if picture is not None:
        to_write(picture, "--picture")
    whole, there = _game_and_position(game, at, rules, option, position, to_move, moves)
    played, here = in_turns(whole, there)
    # Who analyses may know what the mover may know, and no more.
    movers = played.movers(here)
    if movers:
        here = played.view(here, movers[0])
    engine = engine_of(played)
    how = engine.level(level)
    longest_us = microseconds(time, "--time")
    budget = playouts or how.playouts * engine.units_a_playout
    if playouts is None:
        longest_us = longest_us or how.longest_us
        budget = budget if time is None else 1 << 40
    progress = Progress()
    bound = budget if budget < 1 << 40 else max(64, longest_us or 0)

    shown_at = 0.0

    def hear(looked: int, now: Callable[[], Analysis]) -> None:
        nonlocal shown_at
        if monotonic() >= shown_at + REFRESH_S:
            progress.show(_live(played, here, now(), looked))
            shown_at = monotonic()

    try:
        progress.wait(text("analyse.begins", terminal_language()))
        with telling(played, here):
            analysis = analyse(
                played, here, seed=seed, budget=bound, longest_us=longest_us, top=top,
                threads=1 if playouts else tree.thread_count(), room=tree.tree_room(), hear=hear,
            )  # fmt: skip
    finally:
        progress.clear()
    say_if_plain()
    if picture is not None:
        _draw(played, here, analysis, picture)
    if json:
        _print(played, here, analysis)
    else:
        _tell(played, here, analysis)


def _game_and_position(
    game: str,
    at: int | None,
    rules: str,
    option: list[str] | None,
    position: str,
    to_move: str,
    moves: str,
) -> tuple[Game, Position]:
    """The game and its position; UsageError for wishes that contradict each other."""
    if not is_record(game):
        if at is not None or rules:
            wish = "--rules" if at is None else "--at"
            raise UsageError(f"{wish} applies to a record: name its file instead of a game")
        played = games.load(game, **options(option))
        return played, played_on(played, begin(played, position, to_move), moves)
    if option or position or to_move:
        raise UsageError("a record already has game, options and position; give --at or --moves")
    played, here = of_record(Path(game), at, rules)
    here = played_on(played, here, moves)
    if isinstance(played, FloatingGame):
        return played.inner, played.unlaid(here)
    return played, here


def _live(game: Game, position: Position, now: Analysis, looked: int) -> str:
    if not now.lines:
        return f"{looked:,}"
    best = now.lines[0]
    return f"{looked:,}  {best.percent} %  " + " ".join(_spoken(game, position, best))


def _spoken(game: Game, position: Position, line: Variation) -> list[str]:
    from lumiban.search.analysis import spoken_line

    return spoken_line(game, position, line.moves)


def _print(game: Game, position: Position, analysis: Analysis) -> None:
    from lumiban.search.analysis import by_name

    print_json(
        {
            "format": "lumiban-analysis",
            "version": 1,
            "game": game.slug,
            "options": dict(game.options),
            "to_move": game.sides[analysis.side],
            "looked": analysis.looked,
            "unit": analysis.unit,
            "moves": by_name(game, position, analysis, terminal_language()),
        }
    )


def _tell(game: Game, position: Position, analysis: Analysis) -> None:
    """The table: rank, move, value as bar and number, visits; below it what it does and the line.

    A bar and words say all: there is no colour."""
    language = terminal_language()
    side = text(f"side.{game.sides[analysis.side]}", language)
    say(f"analyse.head.{analysis.unit}", side=side, looked=f"{analysis.looked:,}")
    for rank, line in enumerate(analysis.lines, 1):
        full = round(line.value * BAR)
        bar = "█" * full + "░" * (BAR - full)
        sure = "  " + text(f"analyse.{line.proof}", language) if line.proof else ""
        spoken = _spoken(game, position, line)
        print(f"{rank:>2}  {spoken[0]:<9} {bar} {line.percent:>3} %  {line.visits:>9,}{sure}")
        for word in line.does:
            print(f"      · {word.sentence(game.grid.name, language)}")
        if len(spoken) > 1:
            say("analyse.line", indent=6, line=" ".join(spoken[1:]))
    if not analysis.lines:
        say("analyse.nothing")


def _draw(game: Game, position: Position, analysis: Analysis, out: Path) -> None:
    """The position with the best moves marked and numbered."""
    from lumiban.scene.diagram import diagram
    from lumiban.scene.draw import advised
    from lumiban.scene.svg import svg

    ranked = [game.aims(position, line.move) for line in analysis.lines[:9]]
    here = diagram(game, position, hint="legal")
    calm = [mark for mark in here.marks if not mark.meaning.startswith(("may-", "removable"))]
    numbers: dict[int, int] = {}
    for rank, cells in enumerate(ranked, 1):
        for cell in cells[-1:]:
            numbers.setdefault(cell, rank)
    marked = replace(here, marks=[*calm, *advised(analysis.side, ranked)], numbers=numbers)
    name = text(f"game.{game.slug}.name", "en")
    best = ", ".join(line.move.text for line in analysis.lines)
    try:
        out.write_text(svg(marked, title=f"{name}: {best}"), encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"--picture {out} cannot be written: {error.strerror}") from None
