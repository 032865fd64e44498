"""What a page is told once, when it opens: the board, the games, the levels."""

from __future__ import annotations

from typing import Any

from lumiban import games
from lumiban.boards.layout import lay
from lumiban.boards.profile import Profile
from lumiban.catalogue import LANGUAGES
from lumiban.errors import BoardError
from lumiban.games.api import Option
from lumiban.grid import Grid
from lumiban.search.levels import LEVELS


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
    """The options of a game with what fits the board; None when the game does not fit at all."""
    options = [_offered(slug, option, profile) for option in games.game_class(slug).accepts]
    grid = games.load(slug, **{option["name"]: option["default"] for option in options}).grid
    return options if _fits(grid, profile) else None


def _offered(slug: str, option: Option, profile: Profile) -> dict[str, Any]:
    """An option with the values to choose from: grids that are too large for the board are none."""
    grids = {value: games.load(slug, **{option.name: value}).grid for value in option.values}
    values = list(option.values)
    if len({grid.names for grid in grids.values()}) > 1:
        values = [value for value in values if _fits(grids[value], profile)]
    default = option.default if option.default in values or not values else values[-1]
    return {"name": option.name, "default": default, "values": values}


def _fits(grid: Grid, profile: Profile) -> bool:
    try:
        lay(grid, profile)
    except BoardError:
        return False
    return True
