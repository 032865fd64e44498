"""Build the page's `hello` (the board, the games, the levels) and keep the state of the sensors.

`Sensors` keeps what the board tells of them in play, for the page and for `lumiban board doctor`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lumiban import games
from lumiban.boards.profile import Profile
from lumiban.boards.types import Connected, Faulty
from lumiban.games.base import HINT_LEVELS
from lumiban.games.puzzles import puzzle_counts
from lumiban.games.registry import BUILT_IN
from lumiban.i18n import LANGUAGES
from lumiban.maker import health
from lumiban.runtime.playable_games import kept_offers, offers_for
from lumiban.scene.themes import THEMES
from lumiban.search.levels import NAMES
from lumiban.table.clocks import SUDDEN, control_of, described

if TYPE_CHECKING:
    from concurrent.futures import Future

    from lumiban.web.hello import (
        ClockHello,
        Hello,
    )


def page_hello(
    profile: Profile,
    *,
    simulated: bool,
    assisted: bool = False,
    own: str = "",
    switches_board: bool = False,
    asks_game: bool = False,
    kept: Path | None = None,
) -> Hello:
    """The `hello` of docs/page.md, without type and role; lengths in mm.

    `own` is the file of a player's own game that is played, "" for none; `switches_board`: a game
    that does not fit is played on another simulated board; `asks_game`: nobody has said what to
    play. `kept`: folder in which it is kept what of our games fits.
    """
    others = [slug for slug in games.available() if slug not in BUILT_IN]
    fit_games, unfit = offers_for(profile, BUILT_IN) if kept is None else kept_offers(profile, kept)
    more, more_unfit = offers_for(profile, (*others, *([own] if own else [])))
    fit_games, unfit = [*fit_games, *more], [*unfit, *more_unfit]
    return {
        "languages": list(LANGUAGES),
        "simulated": simulated,
        "assisted": assisted,
        "profile": {
            "name": profile.name,
            "geometry": profile.grid.shape,
            "pitch_mm": profile.pitch_mm,
            "cells": [
                {
                    "name": name,
                    "q": cell.q,
                    "r": cell.r,
                    "x": cell.x_mm,
                    "y": cell.y_mm,
                    "light": cell.light,
                }
                for name, cell in zip(profile.grid.names, profile.cells, strict=True)
            ],
            "lights": profile.lights,
            "edges": {name: list(lights) for name, lights in profile.edges},
            "turn": profile.turn,
        },
        "games": fit_games,
        "unfit": unfit,
        "levels": list(NAMES),
        "hints": list(HINT_LEVELS),
        "themes": list(THEMES),
        "switches_board": switches_board,
        "home": asks_game,
        "clocks": [_clock_offered(notation) for notation in CLOCKS],
        "puzzles": puzzle_counts(),
    }


CLOCKS = (
    "sudden:10m", "sudden:30m", "3+2", "5+3", "10+5", "byo:10m+5x30s", "byo:3x30s",
    "canadian:10m+15/5m", "move:30s",
)  # fmt: skip
"""Clocks to choose from on the page; others can be typed."""


def _clock_offered(notation: str) -> ClockHello:
    """A clock to choose, and what it is in a game with turns and (null: nothing) in one without."""
    control = control_of(notation)
    sentence, shared = described(control), described(control, is_shared=True)
    return {
        "value": notation,
        "text": {"id": sentence[0], "params": sentence[1]},
        "turnless": {"id": shared[0], "params": shared[1]} if control.kind == SUDDEN else None,
    }


class Sensors:
    """The faults of whichever board is connected, each once in a session, into the state folder;
    of no simulated one.

    `names` are those of the board's cells. Faults come in bursts, a whole strip's at once, and the
    table must not wait for the disk: a thread writes, once for many.
    """

    def __init__(
        self, state: Path, names: Sequence[str] = (), today: Callable[[], date] = date.today
    ) -> None:
        self.ailing: tuple[Mapping[str, Any], ...] = ()
        """Faults of the board's cells as far as they were seen, by cell: texts of the catalogue."""
        self._state = state
        self._names = names
        self._today = today
        self._known = health.Health("")
        self._heard: set[tuple[str, int, int]] = set()
        from concurrent.futures import ThreadPoolExecutor  # not before a page is there

        self._writer = ThreadPoolExecutor(1)
        self._written: Future[Any] = self._writer.submit(bool)

    def noted(self, event: Connected | Faulty) -> None:
        """A board was greeted, or reports a fault."""
        if isinstance(event, Connected):
            self.close()
            self._known = health.read_health(self._state, event.hello.uid)
            self._known.model = "" if event.hello.is_simulated else event.hello.model
            self._look()
        elif self._known.model:
            self._fault(event)

    def gave_up(self, cells: frozenset[int]) -> None:
        """A person says that these cells do not answer."""
        if self._known.model and not cells <= self._known.dead:
            self._known.dead |= cells
            self._write_soon()

    def close(self) -> None:
        """Wait until all is written."""
        self._written.result()

    def _fault(self, fault: Faulty) -> None:
        key = (self._known.uid, fault.what, fault.where)
        if fault.what not in health.COUNTED_FAULTS or key in self._heard:
            return
        self._heard.add(key)
        self._known.count_fault(fault.what, fault.where, self._today().isoformat())
        self._look()
        self._write_soon()

    def _write_soon(self) -> None:
        self._document = health.document(self._known)
        if self._written.running() or self._written.done():  # else it writes this one too
            self._written = self._writer.submit(self._write)

    def _write(self) -> None:
        """On the thread. A full disk does not stop a game."""
        with suppress(OSError):
            health.write(self._state, self._document)

    def _look(self) -> None:
        ailing = self._known.ailing(self._names, self._today())
        self.ailing = tuple({"id": one.id, "params": dict(one.said)} for one in ailing)
