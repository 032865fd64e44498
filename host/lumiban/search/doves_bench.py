"""How fast Tokyo Doves is searched on this machine, plain and compiled."""

from __future__ import annotations

import time
from collections.abc import Callable

from lumiban.games.doves import Doves
from lumiban.search import jit
from lumiban.search.doves_mate import Hunter
from lumiban.search.doves_think import Search
from lumiban.search.perft import perft

_BOARD = "m.t./.bBy/A..h/YTM."
_DEPTHS = {False: 3, True: 5}


def measure(
    seconds: float = 1.0, progress: Callable[[str], None] | None = None
) -> dict[str, dict[str, float]]:
    """Rows by name, each with `rate` and, where it is compiled, `ratio` to the plain path.

    Per second of CPU time: `perft` nodes (actions listed, no rule on repetition), `alpha-beta`
    positions and `wins` tried actions, these two under the strong rule. Compiling is left out.
    """
    rows: dict[str, dict[str, float]] = {}
    for name, run in (("perft", _perft), ("alpha-beta", _ahead), ("wins", _wins)):
        if progress is not None:
            progress(name)
        plain = _rate(run, False, seconds)
        rows[name] = {"rate": round(plain, 1)}
        if jit.available():
            run(True)
            rate = _rate(run, True, seconds)
            rows[name] = {"rate": round(rate, 1), "ratio": round(rate / plain, 1)}
    return rows


def _rate(run: Callable[[bool], int], compiled: bool, seconds: float) -> float:
    done = 0
    began = time.process_time()
    while True:
        done += run(compiled)
        took = time.process_time() - began
        if took >= seconds:
            return done / took


def _perft(compiled: bool) -> int:
    game = Doves(repetition="off", initial="allowed")
    return sum(perft(game, _DEPTHS[compiled], compiled=compiled))


def _ahead(compiled: bool) -> int:
    game = Doves()
    position = game.setup(board=_BOARD, to_move="red")
    search = Search(game, position, compiled=compiled)
    search.go_on(300_000 if compiled else 2_000)
    return search.nodes


def _wins(compiled: bool) -> int:
    game = Doves()
    hunter = Hunter(game, game.setup(board=_BOARD, to_move="red"), compiled=compiled)
    hunter.winning(7 if compiled else 3)
    return hunter.nodes
