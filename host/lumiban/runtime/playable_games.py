"""Games that fit a board, with the options that fit and the reasons why others do not.

To find out for all that are built in takes the import of each and some 250 trials, a tenth of a
second and 2.5 MB. So it is kept in a file.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lumiban import __version__, games
from lumiban.boards.mapping import fitting
from lumiban.boards.profile import Profile
from lumiban.errors import BoardError, GameError
from lumiban.games.base import Option
from lumiban.games.registry import BUILT_IN
from lumiban.system import size_limits
from lumiban.table.fitting import fit

if TYPE_CHECKING:
    from lumiban.table.requests import ErrorText
    from lumiban.web.hello import GameHello, OptionHello, Options, PresetHello, UnfitGame

UNFIT = "table.unfit-board"
"""Text id for what does not fit the board."""


Offers = tuple["list[GameHello]", "list[UnfitGame]"]
MOST_KEPT = 8
"""Boards of which it is kept what fits."""


class KeptOffers:
    """File cache of the games that fit each board: to find out takes every game's import and some
    250 trials, a tenth of a start. A change in any of their sources voids it."""

    def __init__(self, path: Path, sources: Callable[[], str] | None = None) -> None:
        self._path = path
        self._sources = sources or _sources

    def games(self, profile: Profile) -> Offers:
        """Those that fit, and those that do not."""
        identity = f"{profile.name} {profile.scan_hz} {profile.source.text}"
        board = hashlib.sha256(identity.encode()).hexdigest()
        sources = self._sources()
        boards = self._read(sources)
        if board not in boards:
            boards[board] = offers_for(profile, BUILT_IN)
            newest = list(boards.items())[-MOST_KEPT:]
            self._write({"sources": sources, "boards": dict(newest)})
        return boards[board]

    def _read(self, sources: str) -> dict[str, Offers]:
        with suppress(OSError, ValueError, LookupError, TypeError, AttributeError):
            document = size_limits.from_json(self._path.read_bytes())
            if document["sources"] == sources:
                return {
                    board: (list(one), list(two))
                    for board, (one, two) in document["boards"].items()
                }
        return {}

    def _write(self, document: Mapping[str, Any]) -> None:
        """A full disk does not stop a game."""
        half = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        with suppress(OSError):
            half.write_text(json.dumps(document), "utf-8")
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


def offers_for(profile: Profile, slugs: Iterable[str]) -> tuple[list[GameHello], list[UnfitGame]]:
    """The games that fit this board, and those that do not with the reason."""
    fits: list[GameHello] = []
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
        fits.append({"slug": slug, "options": options, "presets": presets})
    return fits, unfit


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
    """Return the distance of a value from the default in the list of values."""
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
    """Return why a table with this board cannot play the game so: a text id and its parameters."""
    not_at_table: str | None = None
    try:
        game = games.load(slug, **way)
        not_at_table = game.not_at_table
        fit(game, profile)
    except BoardError:
        cells, boards = len(game.grid), ", ".join(fitting(game.grid))
        if not boards:
            return {"id": "table.unfit-every-board", "params": {"cells": cells}}
        return {
            "id": UNFIT,
            "params": {"profile": profile.name, "cells": cells, "boards": boards},
        }
    except GameError as error:
        if not_at_table is not None:
            return {"id": not_at_table, "params": {}}
        return {"id": "page.error.plain", "params": {"reason": str(error)}}
    return None
