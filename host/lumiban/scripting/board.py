"""A real board for scripts: met on its port, lit, watched, and played on."""

from __future__ import annotations

import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING

from lumiban.errors import BoardError, UsageError
from lumiban.scripting.lit_board import LitBoard

if TYPE_CHECKING:
    from lumiban.games.base import Game
    from lumiban.scripting.table import Table

WITHOUT = 'A program without a board uses Simulator("hex3") in its place.'


class Board(LitBoard):
    """A lumiban board on a serial port.

    `port` is its path, or `auto` for the only board that is plugged in. The profile is the one
    that the board names, or `profile` (a name or a TOML file). BoardError says what was found
    where no board answers.

    Callbacks run in a thread of their own, one at a time: they may sleep, and what one raises is
    printed while the board goes on. A board that is unplugged for a while is found again.

        board = Board("auto")
        board["c3"].light = "white"
        board["c3"].when_placed = lambda event: print(event)
        board.wait(60)
    """

    def __init__(self, port: str = "auto", *, profile: str = "") -> None:
        from lumiban.boards.client import BoardClient
        from lumiban.boards.port_line import PortLine
        from lumiban.boards.ports import choose

        try:
            port = choose(port)
            line = PortLine(port)
        except BoardError as error:
            raise BoardError(f"{error} {WITHOUT}") from None
        try:
            client = BoardClient(None, line, port=port)
            client.greet()
            self._begin(client.fit(profile), line, port)
        except BaseException:  # whatever it was: the port is given back
            line.close()
            raise
        self._close_line = line.close
        self._calls = SimpleQueue()
        self._caller = threading.Thread(
            target=self._run_calls, args=(self._calls,), name="callbacks", daemon=True
        )
        self._caller.start()
        self._pump = threading.Thread(target=self._run, name="board", daemon=True)
        self._pump.start()

    # Play.

    def play(
        self,
        game: str | Game,
        *,
        first: str = "human",
        second: str = "human",
        hint: str = "control",
        seed: int | None = None,
        **options: int | str,
    ) -> Table:
        """Lay a game on this board; use the table in a `with` block, or close it.

        `game` is a name (`games.available()` lists them), a file, or a Game; `first` and `second`
        are "human" or "bot:LEVEL"; the rest are the game's options. GameError names a bad option,
        BoardError says why a game does not fit this board.

            with board.play("control", size=3, second="bot:strong") as table:
                table.on_move(print)
                table.wait()
        """
        from lumiban.scripting.table import Table

        self._check_open()
        if self._table is not None:
            raise UsageError("a game is being played on this board: close its table first")
        return Table(self, game, (first, second), hint=hint, seed=seed, options=options)
