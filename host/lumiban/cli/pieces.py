"""`lumiban hardware pieces`: how many pieces the games on a board take, and the magnets to buy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

from lumiban.cli.arguments import Json, Seed
from lumiban.i18n import terminal_language, text
from lumiban.terminal import Progress, print_json, say

if TYPE_CHECKING:
    from lumiban_hw.kit import Report

    from lumiban.boards.profile import Profile
    from lumiban.study.pieces import Need, Order


def command(
    profile: Annotated[str, Parameter(help="A board, by profile name or file.")],
    /,
    *,
    game: Annotated[
        list[str] | None,
        Parameter(
            name=("--game", "-g"),
            negative="",
            help="Only this game, by name or file; may be repeated. By default all that fit.",
        ),
    ] = None,
    games: Annotated[
        int,
        Parameter(
            validator=Number(gte=0),
            help="Random games where the rules give no number; 0: 200, or fewer on large boards.",
        ),
    ] = 0,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Count the pieces needed by the games on a board, and the magnets to buy.

    For example: lumiban hardware pieces hex5

    If a game's rules fix the number of pieces, it is taken from them; otherwise random games are
    played, and the most pieces on the board at once are counted. Each game is counted at its
    largest size on that board. One set serves all games, one at a time.
    """
    from lumiban.boards.profile import load
    from lumiban.study.pieces import needs, order

    board = load(profile)
    progress = Progress()
    language = terminal_language()

    def show(slug: str, done: int, of: int) -> None:
        progress.show(text("pieces.progress", language, game=slug, done=done, of=of))

    try:
        found = needs(board, game or (), games=games, seed=seed, told=show)
    finally:
        progress.clear()
    if json:
        print_json(_document(board, found, order(found)))
    else:
        _tell(board, found, order(found))


def _tell(board: Profile, found: Sequence[Need], whole: Order) -> None:
    language = terminal_language()
    say("pieces.head", profile=board.name, cells=len(board.cells))
    if not found:
        say("pieces.none")
    for one in found:
        counts = ", ".join(text("pieces.count", language, n=n, piece=called(name, language))
                           for name, n in one.counts.items())  # fmt: skip
        size = f" {one.options['size']}" if "size" in one.options else ""
        name = text(f"game.{one.game}.name", language) if one.game in _ours() else one.game
        mean = ", ".join(f"{mean:.1f}" for mean in one.mean.values())
        say(f"pieces.{one.source}", game=name + size, counts=counts, games=one.played, mean=mean)
    say("pieces.make")
    for piece, count in whole.made.items():
        spare = whole.spare[piece]
        id = "pieces.made-spare" if spare else "pieces.made"
        say(id, n=count, piece=called(piece, language), spare=spare, indent=2)
    say("pieces.magnets", strong=whole.strong, weak=whole.weak)


def _ours() -> tuple[str, ...]:
    from lumiban.games.registry import available

    return available()


def called(piece: str, language: str) -> str:
    """A piece's name for people.

    >>> called("marker-white", "en"), called("dove-b-red", "en")
    ('white marker', 'red boss')
    """
    sort, _, rest = piece.partition("-")
    if sort == "dove":
        letter, _, side = rest.partition("-")
        dove = text(f"dove.{letter.upper()}", language)
        return text(f"pieces.dove-{side}", language, dove=dove)
    return text(f"pieces.{piece}", language)


def _document(board: Profile, found: Sequence[Need], whole: Order) -> dict[str, Any]:
    return {
        "profile": board.name,
        "cells": len(board.cells),
        "games": [
            {
                "game": one.game,
                "options": dict(one.options),
                "from": one.source,
                "counts": dict(one.counts),
                "random_games": one.played,
                "mean": {name: round(mean, 2) for name, mean in one.mean.items()},
            }
            for one in found
        ],
        "needed": dict(whole.needed),
        "spare": dict(whole.spare),
        "make": whole.made,
        "magnets": {"6x3": whole.strong, "4x2": whole.weak},
    }


@dataclass(frozen=True)
class Pieces:
    """What to make for one board, as an item of its kit."""

    profile: Profile

    @property
    def name(self) -> str:
        """Its folder."""
        return f"board/{self.profile.name}/pieces"

    def make(self, folder: Path) -> Report:
        """Write `pieces.csv`, a row a game, `print.csv`, how often each part, and `magnets.csv`."""
        from lumiban_hw.kit import Report
        from lumiban_hw.pcb.make import write_csv
        from lumiban_hw.pieces.design import printed

        from lumiban.study.pieces import needs, order, rows

        found = needs(self.profile)
        whole = order(found)
        head = ("game", "size", "from", *whole.needed)
        write_csv(folder / "pieces.csv", head, rows(found, whole))
        write_csv(folder / "print.csv", ("part", "count"), printed(whole.made).items())
        magnets = [("6x3 N35", whole.strong), ("4x2 N35", whole.weak)]
        write_csv(folder / "magnets.csv", ("magnet", "count"), magnets)
        figures = {"made": sum(whole.made.values()), "strong": whole.strong, "weak": whole.weak}
        return Report(self.name, (), figures)


def items(profile: Profile) -> list[Pieces]:
    """The one item of a profile."""
    return [Pieces(profile)]
