"""Bots of Trivia: trees, with their own levels."""

from __future__ import annotations

from lumiban.search.engine import Engine
from lumiban.search.levels import five_levels


class TriviaEngine(Engine):
    """Trees, with levels that were measured in matches (docs/search.md)."""

    levels = five_levels(
        6_000, 2_000, 5_000, 30_000, overlooks=(0.007, 0.0, 0.0, 0.0), gives_away=0.45
    )
