"""Lifetime of a host's thinking process: from the moment that a bot sits down, as long as one sits
or the coach is asked; two people play without one.

With a compiler it takes more memory than all the rest of a table, on a Pi most of what there is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from lumiban.search.worker import SearchProcess
from lumiban.table.history import GameHistory
from lumiban.table.types import HUMAN

KEPT_S = 300.0
"""Time for which a process that nobody needs any more is kept: people change seats to and fro, and
who asked the coach once asks again."""


class Timer(Protocol):
    """A call that is still to come."""

    def cancel(self) -> None:
        """It is not to come."""


class Thinker:
    """Starts and ends the thinking process of a table, which asks its questions itself.

    `call_later` is the loop's. Nothing happens before `attend`: a host that starts has its page to
    serve first. A question of the coach starts the process too (`SearchProcess.ask`).
    """

    def __init__(
        self,
        process: SearchProcess,
        call_later: Callable[[float, Callable[[], None]], Timer],
    ) -> None:
        self._process = process
        self._call_later = call_later
        self._is_attending = False
        self._prepared: tuple[str, tuple[tuple[str, int | str], ...], str] | None = None
        """The game for which the process was told to compile."""
        self._timer: Timer | None = None

    def attend(self, history: GameHistory) -> None:
        """From now on there is a process where it is needed."""
        self._is_attending = True
        self.follow(history)

    def follow(self, history: GameHistory) -> None:
        """Start or end the process after a change of players."""
        if not self._is_attending:
            return
        if any(who != HUMAN for who in history.seats):
            self._keep()
            self._prepare(history)
        elif self._process.pid is not None and self._timer is None:
            self._timer = self._call_later(KEPT_S, self._leave)

    def close(self) -> None:
        """End the process for good."""
        self._is_attending = False
        self._keep()
        self._process.close()

    def _prepare(self, history: GameHistory) -> None:
        game = history.game
        prepared = (game.slug, tuple(sorted(game.options.items())), game.digest)
        if prepared != self._prepared:
            self._prepared = prepared
            self._process.start()
            self._process.warm(game.slug, dict(game.options), game.digest)

    def _keep(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _leave(self) -> None:
        """Two people have played for a while: end the process, unless the coach is thinking."""
        self._timer = self._prepared = None
        if not self._process.rest():
            self._timer = self._call_later(KEPT_S, self._leave)
