"""What a page is told once, when it opens: the board, the games, the levels."""

from __future__ import annotations

from typing import Any

from lumiban import games
from lumiban.boards.profile import Profile
from lumiban.catalogue import LANGUAGES
from lumiban.errors import BoardError, GameError
from lumiban.games.api import Game, Option
from lumiban.search.levels import LEVELS
from lumiban.table.fitting import fit


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
        "games": [
            {"slug": slug, "options": options}
            for slug in games.available()
            if (options := _options(slug, profile)) is not None
        ],
        "levels": list(LEVELS),
    }


def _options(slug: str, profile: Profile) -> list[dict[str, Any]] | None:
    """The options of a game with what this table can play; None when that is nothing."""
    way = _way(slug)
    if way is None:
        return None
    options = [_offered(slug, option, profile, way) for option in games.game_class(slug).accepts]
    chosen = {option["name"]: option["default"] for option in options}
    return options if _fits(games.load(slug, **chosen), profile) else None


def _way(slug: str) -> dict[str, int | str] | None:
    """What has to be chosen so that a table can play the game at all; {} for most games."""
    if games.load(slug).not_at_table is None:
        return {}
    for option in games.game_class(slug).accepts:
        for value in option.values:
            if games.load(slug, **{option.name: value}).not_at_table is None:
                return {option.name: value}
    return None


def _offered(
    slug: str, option: Option, profile: Profile, way: dict[str, int | str]
) -> dict[str, Any]:
    """An option with the values to choose from: no grid that is too large for the board, no way
    of play that no table offers."""
    tried = {value: games.load(slug, **{**way, option.name: value}) for value in option.values}
    values = list(option.values)
    if len({(game.grid.names, game.not_at_table) for game in tried.values()}) > 1:
        values = [value for value in values if _fits(tried[value], profile)]
    wanted = way.get(option.name, option.default)
    default = wanted if wanted in values or not values else values[-1]
    return {"name": option.name, "default": default, "values": values}


def _fits(game: Game, profile: Profile) -> bool:
    try:
        fit(game, profile)
    except (BoardError, GameError):
        return False
    return True
