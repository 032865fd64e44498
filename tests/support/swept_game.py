"""A game of two machines by the command `play`, whose host ends with the game; run by
test_failing_calls.py as a process.

    python tests/support/swept_game.py SEEN

Whenever the table shows something, the moves that it shows become the file SEEN.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from lumiban import cli
from lumiban.runtime import play
from lumiban.runtime.open_table import RunningTable
from lumiban.table.setup import TableSetup
from lumiban.table.types import Settings

GAME = ("control", "-o", "size=2", "--profile", "hex3")
BOTS = ("--first", "bot:gentle", "--second", "bot:gentle", "--no-ponder")
SEEN = Path()
_run, _tell = play.run, play._tell


def quickly(setup: TableSetup, **more: Any) -> None:
    """The command's table, whose hands hurry, of a seed that is always the same."""
    _run(replace(setup, seed=5, eager=True), **{**more, "settings": Settings(grace_us=50_000)})


def tell_and_end(sitting: RunningTable, *more: Any) -> None:
    """What the terminal is told, and then the end of the host with the game."""
    _tell(sitting, *more)

    def look(view: Any) -> None:
        SEEN.write_text(json.dumps([one.text for one in view.moves]))
        if view.outcome:
            sitting.shell.stop()

    sitting.shell.watch(look)


if __name__ == "__main__":
    SEEN = Path(sys.argv[1])
    play.run, play._tell = quickly, tell_and_end
    sys.argv = ["lumiban", "play", *GAME, *BOTS, "--no-browser", "--port", "0"]
    cli.main()
