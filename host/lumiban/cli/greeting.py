"""What a page is told once, when it opens: the board, the games, the levels."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain, combinations
from typing import Any

from lumiban import games
from lumiban.boards.profile import Profile
from lumiban.catalogue import LANGUAGES
from lumiban.errors import BoardError, GameError
from lumiban.games.api import Game, Option
from lumiban.search.levels import LEVELS
from lumiban.table.fitting import fit

UNFIT = "table.unfit-board"
"""Text id for what does not fit the board."""


def greeting(profile: Profile, *, simulated: bool, assisted: bool = False) -> dict[str, Any]:
    """The `hello` of docs/page.md, without type and role; lengths in mm."""
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
        **_games(profile),
        "levels": list(LEVELS),
    }


def _games(profile: Profile) -> dict[str, Any]:
    """The games that fit this board, and those that do not with the reason."""
    found: list[dict[str, Any]] = []
    unfit: list[dict[str, Any]] = []
    for slug in games.available():
        way = _way(slug, profile)
        if way is None:
            unfit.append({"slug": slug, "text": _why_never(slug, profile)})
            continue
        options = [_offered(slug, o, profile, way) for o in games.game_class(slug).accepts]
        presets = [
            {
                "name": name,
                "options": {**way, **preset},
                "text": _why_not(games.load(slug, **{**way, **preset}), profile),
            }
            for name, preset in games.game_class(slug).presets.items()
        ]
        found.append({"slug": slug, "options": options, "presets": presets})
    return {"games": found, "unfit": unfit}


def _why_never(slug: str, profile: Profile) -> dict[str, Any] | None:
    """The reason that is left when one option after the other was tried: the board, if it is it."""
    options = games.game_class(slug).accepts
    tried = [{}, *({o.name: value} for o in options for value in o.values)]
    reasons = [_why_not(games.load(slug, **way), profile) for way in tried]
    return next((why for why in reasons if why and why["id"] == UNFIT), reasons[0])


def _way(slug: str, profile: Profile) -> dict[str, int | str] | None:
    """The fewest options, nearest to the defaults, with which this table can play the game: {}
    for most games, None when there are none."""
    single = [
        {option.name: value}
        for option in games.game_class(slug).accepts
        for value in sorted(option.values, key=partial(_away, option))
        if value != option.default
    ]
    ways: Iterator[dict[str, int | str]] = chain(
        ({},), single, ({**one, **other} for one, other in combinations(single, 2))
    )
    return next((way for way in ways if _fits(games.load(slug, **way), profile)), None)


def _away(option: Option, value: int | str) -> int:
    """How far a value stands from the default in the list of values."""
    return abs(option.values.index(value) - option.values.index(option.default))


def _offered(
    slug: str, option: Option, profile: Profile, way: dict[str, int | str]
) -> dict[str, Any]:
    """An option with the values to choose from; `unfit` are those that this table cannot play,
    each with the reason."""
    tried = {
        value: _why_not(games.load(slug, **{**way, option.name: value}), profile)
        for value in option.values
    }
    return {
        "name": option.name,
        "default": way.get(option.name, option.default),
        "values": [value for value, why in tried.items() if why is None],
        "unfit": [{"value": value, "text": why} for value, why in tried.items() if why],
        "free": option.free,
    }


def _fits(game: Game, profile: Profile) -> bool:
    return _why_not(game, profile) is None


def _why_not(game: Game, profile: Profile) -> dict[str, Any] | None:
    """Why a table with this board cannot play the game: a text id and its parameters."""
    try:
        fit(game, profile)
    except BoardError:
        return {"id": UNFIT, "params": {"profile": profile.name}}
    except GameError as error:
        id = game.not_at_table
        if id is not None:
            return {"id": id, "params": {}}
        return {"id": "page.error.plain", "params": {"reason": str(error)}}
    return None
