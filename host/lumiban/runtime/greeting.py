"""What a page is told when it opens (the board, the games, the levels), and of the board's sensors.

`Sensors` keeps what the board tells of them in play, for the page and for `lumiban board doctor`.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import date
from functools import partial
from itertools import combinations
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from lumiban import __version__, games
from lumiban.boards.mapping import fitting
from lumiban.boards.profile import Profile
from lumiban.boards.types import Connected, Faulty
from lumiban.errors import BoardError, GameError
from lumiban.games.base import Option
from lumiban.games.registry import OURS_BY_NAME as OURS
from lumiban.i18n import LANGUAGES
from lumiban.maker import health
from lumiban.search.levels import NAMES
from lumiban.table.clocks import SUDDEN, control_of, described
from lumiban.table.fitting import fit

if TYPE_CHECKING:
    from lumiban.table.requests import ErrorText
    from lumiban.web.hello import (
        ClockHello,
        GameHello,
        Hello,
        OptionHello,
        Options,
        PresetHello,
        UnfitGame,
    )

UNFIT = "table.unfit-board"
"""Text id for what does not fit the board."""


def greeting(
    profile: Profile,
    *,
    simulated: bool,
    assisted: bool = False,
    own: str = "",
    switches_board: bool = False,
    kept: KeptOffers | None = None,
) -> Hello:
    """The `hello` of docs/page.md, without type and role; lengths in mm.

    `own` is the file of somebody's own game that is played, "" for none; `switches_board`: a game
    that does not fit is played on another simulated board. `kept`: what of our games fits is
    looked up there.
    """
    others = [slug for slug in games.available() if slug not in OURS]
    fit_games, unfit = _games(profile, OURS) if kept is None else kept.games(profile)
    more, more_unfit = _games(profile, (*others, *([own] if own else [])))
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
        },
        "games": fit_games,
        "unfit": unfit,
        "levels": list(NAMES),
        "switches_board": switches_board,
        "clocks": [_clock_offered(notation) for notation in CLOCKS],
    }


Offers = tuple["list[GameHello]", "list[UnfitGame]"]
MOST_KEPT = 8
"""Boards of which it is kept what fits."""


class KeptOffers:
    """Which of our games fit which board, in a file: to find out takes every game's import and
    some 250 trials, a tenth of a start. What any of their sources says otherwise counts anew."""

    def __init__(self, path: Path, sources: Callable[[], str] | None = None) -> None:
        self._path = path
        self._sources = sources or _sources

    def games(self, profile: Profile) -> Offers:
        """Those that fit, and those that do not."""
        told = f"{profile.name} {profile.scan_hz} {profile.source.text}"
        board = hashlib.sha256(told.encode()).hexdigest()
        sources = self._sources()
        boards = self._read(sources)
        if board not in boards:
            boards[board] = _games(profile, OURS)
            newest = list(boards.items())[-MOST_KEPT:]
            self._write({"sources": sources, "boards": dict(newest)})
        return boards[board]

    def _read(self, sources: str) -> dict[str, Offers]:
        with suppress(OSError, ValueError, LookupError, RecursionError, TypeError, AttributeError):
            told = json.loads(self._path.read_bytes())
            if told["sources"] == sources:
                return {
                    board: (list(one), list(two)) for board, (one, two) in told["boards"].items()
                }
        return {}

    def _write(self, told: Mapping[str, Any]) -> None:
        """A full disk does not stop a game."""
        half = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        with suppress(OSError):
            half.write_text(json.dumps(told), "utf-8")
            half.replace(self._path)


def _sources() -> str:
    """Stands for all files by which it is found out."""
    root = Path(__file__).parent.parent
    files = [root / "grid.py", root / "table" / "fitting.py", Path(__file__)]
    files += [path for room in ("games", "boards") for path in (root / room).rglob("*.*")]
    digest = hashlib.sha256(__version__.encode())
    for path in sorted(files):
        if path.suffix in (".py", ".toml"):
            there = path.stat()
            digest.update(f"{path} {there.st_size} {there.st_mtime_ns}\n".encode())
    return digest.hexdigest()


CLOCKS = (
    "sudden:10m", "sudden:30m", "3+2", "5+3", "10+5", "byo:10m+5x30s", "byo:3x30s",
    "canadian:10m+15/5m", "move:30s",
)  # fmt: skip
"""Clocks to choose from on the page; others can be typed."""


def _clock_offered(notation: str) -> ClockHello:
    """A clock to choose, and what it is in a game with turns and (null: nothing) in one without."""
    control = control_of(notation)
    told, shared = described(control), described(control, is_shared=True)
    return {
        "value": notation,
        "text": {"id": told[0], "params": told[1]},
        "turnless": {"id": shared[0], "params": shared[1]} if control.kind == SUDDEN else None,
    }


def _games(profile: Profile, slugs: Iterable[str]) -> tuple[list[GameHello], list[UnfitGame]]:
    """The games that fit this board, and those that do not with the reason."""
    found: list[GameHello] = []
    unfit: list[UnfitGame] = []
    for slug in slugs:
        way, reason = playable_options(slug, profile)
        if way is None:
            unfit.append({"slug": slug, "text": reason})
            continue
        options = [_offered(slug, o, profile, way) for o in games.game_class(slug).accepts]
        presets: list[PresetHello] = [
            {
                "name": name,
                "options": {**way, **preset},
                "text": _why_not(slug, {**way, **preset}, profile),
            }
            for name, preset in games.game_class(slug).presets.items()
        ]
        found.append({"slug": slug, "options": options, "presets": presets})
    return found, unfit


def playable_options(slug: str, profile: Profile) -> tuple[Options | None, ErrorText | None]:
    """The fewest options, nearest to the defaults, with which this table can play the game: {}
    for most games; or None and the reason, which is the board if it is it."""
    reason = _why_not(slug, {}, profile)
    if reason is None:
        return {}, None
    single: list[Options] = [
        {option.name: value}
        for option in games.game_class(slug).accepts
        for value in sorted(option.values, key=partial(_away, option))
        if value != option.default
    ]
    reasons = [reason]
    for way in single:
        why = _why_not(slug, way, profile)
        if why is None:
            return way, None
        reasons.append(why)
    if any(why != reason for why in reasons):
        for one, other in combinations(single, 2):
            if _why_not(slug, {**one, **other}, profile) is None:
                return {**one, **other}, None
    return None, next((why for why in reasons if why["id"] == UNFIT), reason)


def _away(option: Option, value: int | str) -> int:
    """How far a value stands from the default in the list of values."""
    return abs(option.values.index(value) - option.values.index(option.default))


def _offered(slug: str, option: Option, profile: Profile, way: Options) -> OptionHello:
    """An option with the values to choose from; `unfit` are those that this table cannot play,
    each with the reason."""
    tried = {value: _why_not(slug, {**way, option.name: value}, profile) for value in option.values}
    default = way.get(option.name, option.default)
    if tried.get(default) is not None:
        # What the game itself takes beside the rest of the way: a hexagon's side is another one.
        default = games.load(slug, **way).options[option.name]
    return {
        "name": option.name,
        "default": default,
        "values": [value for value, why in tried.items() if why is None],
        "unfit": [{"value": value, "text": why} for value, why in tried.items() if why],
        "free": option.free,
    }


def _why_not(slug: str, way: Options, profile: Profile) -> ErrorText | None:
    """Why a table with this board cannot play the game so: a text id and its parameters."""
    not_at_table: str | None = None
    try:
        game = games.load(slug, **way)
        not_at_table = game.not_at_table
        fit(game, profile)
    except BoardError:
        params: dict[str, str | int] = {"profile": profile.name}
        params["cells"] = len(game.grid)
        params["boards"] = ", ".join(fitting(game.grid)) or "–"
        return {"id": UNFIT, "params": params}
    except GameError as error:
        if not_at_table is not None:
            return {"id": not_at_table, "params": {}}
        return {"id": "page.error.plain", "params": {"reason": str(error)}}
    return None


class Sensors:
    """The faults of whichever board is connected, each once in a session, into the state folder;
    of no simulated one.

    `names` are those of the board's cells. Faults come in bursts, a whole strip's at once, and the
    table must not wait for the disk: a thread of its own writes, once for many.
    """

    def __init__(
        self, state: Path, names: Sequence[str] = (), today: Callable[[], date] = date.today
    ) -> None:
        self.ailing: tuple[Mapping[str, Any], ...] = ()
        """What the board's cells lack as far as it was seen, by cell: texts of the catalogue."""
        self._state = state
        self._names = names
        self._today = today
        self._known = health.Health("")
        self._heard: set[tuple[str, int, int]] = set()
        self._lock = Lock()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="health")
        self._to_write = False

    def noted(self, event: Connected | Faulty) -> None:
        """A board was greeted, or reports a fault."""
        if isinstance(event, Connected):
            self.close()
            self._known = health.read_health(self._state, event.hello.uid)
            self._known.model = "" if event.hello.is_simulated else event.hello.model
            self._look()
        elif self._known.model:
            self._fault(event)

    def close(self) -> None:
        """Wait until all is written."""
        self._writer.submit(lambda: None).result()

    def _fault(self, fault: Faulty) -> None:
        key = (self._known.uid, fault.what, fault.where)
        if fault.what not in health.COUNTED_FAULTS or key in self._heard:
            return
        self._heard.add(key)
        with self._lock:
            self._known.count_fault(fault.what, fault.where, self._today().isoformat())
        self._look()
        if not self._to_write:
            self._to_write = True
            self._writer.submit(self._write)

    def _write(self) -> None:
        """On the thread. A full disk does not stop a game."""
        self._to_write = False
        with self._lock:
            document = health.document(self._known)
        with suppress(OSError):
            health.write(self._state, document)

    def _look(self) -> None:
        found = self._known.ailing(self._names, self._today())
        self.ailing = tuple({"id": one.id, "params": dict(one.said)} for one in found)
