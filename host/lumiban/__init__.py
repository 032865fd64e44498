"""A lit board that senses its pieces, as a table for abstract games.

    from lumiban import Board, Simulator, games

- `Board`: a real board on a serial port; its cells are lit and watched, games are played on it
- `Simulator`: a simulated board that takes the same lines, with a hand over it
- `Cell`, `PieceEvent`: a cell of a board, and a piece that came or went
- `Table`, `PlayedMove`: a game being played on a board, and a move of it
- `games`: the rules; `games.available()` lists them

What is not used is not imported. Recipes are in docs/recipes.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lumiban import games
    from lumiban.scripting.board import Board
    from lumiban.scripting.lit_board import Cell, PieceEvent
    from lumiban.scripting.simulator import Simulator
    from lumiban.scripting.table import PlayedMove, Table

__version__ = "0.4.0"

__all__ = ["Board", "Cell", "PieceEvent", "PlayedMove", "Simulator", "Table", "games"]

_HOMES = {
    "Board": "board",
    "Cell": "lit_board",
    "PieceEvent": "lit_board",
    "PlayedMove": "table",
    "Simulator": "simulator",
    "Table": "table",
}


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "games":
        return import_module("lumiban.games")
    if name in _HOMES:
        return getattr(import_module(f"lumiban.scripting.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'lumiban' has no attribute {name!r}")
