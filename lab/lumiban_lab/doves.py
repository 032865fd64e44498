"""Speed of the search of Tokyo Doves on this machine, plain and compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from lumiban.games.doves import Doves
from lumiban.search.doves.bot import Search
from lumiban.search.doves.mate import Hunter
from lumiban.search.perft import perft

from lumiban_lab.speed import Row, Run, row

_POSITION = "m.t./.bBy/A..h/YTM."
_COUNTED = 2, 4
"""Depth to which positions are counted, plain and compiled."""
Work = Callable[[bool], int]
"""Does one portion of work, compiled or not; returns how many units that was."""


def works() -> dict[str, tuple[str, Work]]:
    """Measured work, by name: its unit, and the function that does it.

    Positions are actions listed; alpha-beta and the hunt for wins obey the strong rule.
    """
    return {
        "perft, strong rule on repetition": ("positions", partial(_perft, "strong")),
        "perft, no rule on repetition": ("positions", partial(_perft, "off")),
        "alpha-beta": ("positions", _ahead),
        "hunt for wins": ("actions tried", _wins),
    }


def doves_rows(seconds: float, progress: Callable[[str], None] | None = None) -> Iterator[Row]:
    """A row for each of `works`, per second of CPU time."""
    for what, (unit, work) in works().items():
        if progress is not None:
            progress(f"doves {what}")
        yield row(Doves.slug, {}, what, unit, seconds, partial(_repeated, work))


def measure(
    seconds: float = 1.0, progress: Callable[[str], None] | None = None
) -> dict[str, dict[str, float]]:
    """Rows by name, each with `rate` and, where it is compiled, `ratio` to the plain path."""
    figures: dict[str, dict[str, float]] = {}
    for one in doves_rows(seconds, progress):
        figures[one.what] = {"rate": one.rate, **({"ratio": one.ratio} if one.compiled else {})}
    return figures


def _repeated(work: Work, compiled: bool) -> Run:
    return lambda times: sum(work(compiled) for _ in range(times))


def _perft(repetition: str, compiled: bool) -> int:
    game = Doves(repetition=repetition)
    return sum(perft(game, _COUNTED[compiled], compiled=compiled))


def _ahead(compiled: bool) -> int:
    game = Doves()
    position = game.setup(board=_POSITION, to_move="red")
    search = Search(game, position, compiled=compiled)
    search.go_on(300_000 if compiled else 2_000)
    return search.nodes


def _wins(compiled: bool) -> int:
    game = Doves()
    hunter = Hunter(game, game.setup(board=_POSITION, to_move="red"), compiled=compiled)
    hunter.winning(7 if compiled else 3)
    return hunter.nodes
