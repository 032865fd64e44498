"""Names in a rule in plain Python: one that is meant as a word, or is taken, is told at once."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from lumiban.errors import GameError
from lumiban.games.grid_view import GridView

_BESIDE = ("texts", "engine", "accepts", "presets", "sides")
"""Words of every game."""


def check_names(kind: Any, base: Any) -> None:
    """GameError for a name of a game's class that cannot be; `base` has all that there are."""
    for name in vars(kind):
        _must_be_a_word(kind, base, name)
    for name in ("memory", "cell_memory", "signs"):
        if not isinstance(getattr(kind, name), Mapping):
            raise GameError(f'{kind.__name__}.{name} is a dict, {{"name": 0}} for example')
    for name in (*kind.cell_memory, *kind.memory):
        if not name.isidentifier() or name in GridView.members() or name.startswith("_"):
            raise GameError(
                f"{kind.__name__} cannot remember {name!r}, which is no name or one that a board"
                " has: choose another name"
            )
    if kind.shows and kind.shows not in kind.cell_memory:
        known = ", ".join(kind.cell_memory) or "there is none"
        raise GameError(
            f"{kind.__name__}.shows is {kind.shows!r}: it names one of cell_memory ({known})"
        )


def _must_be_a_word(kind: Any, base: Any, name: str) -> None:
    """GameError for a name that is nearly one of the base's: it was meant to be that one."""
    if name.startswith("_") and not name.startswith("__") and hasattr(base, name):
        raise GameError(f"{kind.__name__}.{name} is SimpleGame's own: choose another name")
    if name.startswith("_") or hasattr(base, name):
        return
    words = {*_BESIDE, *(one for part in base.__mro__[:2] for one in vars(part))}
    near = get_close_matches(name, [one for one in words if one[0] != "_"], n=1, cutoff=0.86)
    if near:
        raise GameError(
            f"{kind.__name__}.{name} is no word of SimpleGame: did you mean {near[0]}? Begin the"
            f" name of something of your own with an underscore (_{name})"
        )
