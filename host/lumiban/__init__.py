"""A lit board that senses its pieces, as a table for abstract games.

    from lumiban import Board, Simulator, games

`Board` is a real board on a serial port, `Simulator` a simulated one that takes the same lines,
`games` are the rules. What is not used is not imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lumiban import games
    from lumiban.scripting.board import Board, Cell, PieceEvent
    from lumiban.scripting.simulator import Simulator
    from lumiban.scripting.table import PlayedMove, Table

__version__ = "0.2.0"

__all__ = ["Board", "Cell", "PieceEvent", "PlayedMove", "Simulator", "Table", "games"]

_HOMES = {
    "Board": "board",
    "Cell": "board",
    "PieceEvent": "board",
    "PlayedMove": "table",
    "Simulator": "simulator",
    "Table": "table",
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "games":
        return import_module("lumiban.games")
    if name in _HOMES:
        return getattr(import_module(f"lumiban.scripting.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'lumiban' has no attribute {name!r}")
