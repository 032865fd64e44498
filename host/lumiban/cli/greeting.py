"""What a page is told once, when it opens: the board, the games, the levels."""

from __future__ import annotations

from typing import Any

from lumiban import games
from lumiban.boards.profile import Profile
from lumiban.catalogue import LANGUAGES
from lumiban.search.levels import LEVELS


def greeting(profile: Profile, *, simulated: bool) -> dict[str, Any]:
    """The `hello` of docs/page.md, without type and role; lengths in mm."""
    return {
        "languages": list(LANGUAGES),
        "simulated": simulated,
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
            {
                "slug": slug,
                "options": [
                    {"name": o.name, "default": o.default, "values": list(o.values)}
                    for o in games.game_class(slug).accepts
                ],
            }
            for slug in games.available()
        ],
        "levels": list(LEVELS),
    }
