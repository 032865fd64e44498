"""Games that fit a board, with the options that fit and the reasons why others do not.

To find out for all that are built in takes the import of each and some 250 trials, a tenth of a
second and 2.5 MB. So it is kept in a file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from lumiban import __version__, games
from lumiban.boards.mapping import fitting
from lumiban.boards.profile import Profile
from lumiban.errors import BoardError, GameError
from lumiban.games.base import Option
from lumiban.games.registry import BUILT_IN
from lumiban.system import size_limits
from lumiban.system.disk import DISK
from lumiban.table.fitting import fit

if TYPE_CHECKING:
    from lumiban.table.requests import ErrorText
    from lumiban.web.hello import GameHello, OptionHello, Options, PresetHello, UnfitGame

UNFIT = "table.unfit-board"
"""Text id for what does not fit the board."""


def kept_offers(profile: Profile, folder: Path) -> tuple[list[GameHello], list[UnfitGame]]:
    """The built-in games that fit this board, and those that do not, from a file in the folder; it
    is written again after any change of board, games or version. A full disk hinders nothing."""
    path = folder / f"offers-{profile.name}.json"
    key = f"{__version__} {profile.scan_hz} {profile.source.text} {_sources()}"
    digest = hashlib.sha256(key.encode()).hexdigest()
    with suppress(OSError, ValueError, LookupError, TypeError):
        kept = size_limits.from_json(path.read_bytes())
        if kept["digest"] == digest:
            return list(kept["fits"]), list(kept["unfit"])
    fits, unfit = offers_for(profile, BUILT_IN)
    with suppress(OSError):
        kept = {"digest": digest, "fits": fits, "unfit": unfit}
        DISK.put_whole(path, json.dumps(kept).encode())
    return fits, unfit


def _sources() -> list[tuple[str, int, int]]:
    """The files by which it is found out, their sizes and times."""
    root = Path(__file__).parent.parent
    files = [path for room in ("games", "boards", "table") for path in (root / room).rglob("*.*")]
    there = [(str(path), path.stat()) for path in sorted([Path(__file__), *files])]
    return [(name, one.st_size, one.st_mtime_ns) for name, one in there]


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
