"""An analysis as data: for `lumiban analyse --json`, and for the page's coach.

Both say the same of a move; the command names cells and moves as people do and adds sentences,
the page gets cells by number and makes its own sentences. docs/guide/coach.md tells the fields.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lumiban.errors import LumibanError
from lumiban.games.base import Game, Move, Position
from lumiban.games.explain import Said
from lumiban.search.analysis import Analysis, Line


def by_number(analysis: Analysis) -> list[dict[str, Any]]:
    """The lines with moves as they are stored and cells by number: for a table."""
    return [
        {
            **_figures(line),
            "moves": [move.text for move in line.moves],
            "does": [
                {"what": word.what, "cells": list(word.cells), "params": dict(word.params)}
                for word in line.does
            ],
        }
        for line in analysis.lines
    ]


def by_name(
    game: Game, position: Position, analysis: Analysis, language: str
) -> list[dict[str, Any]]:
    """The lines as people read them: moves and cells by name, with sentences."""
    name = game.grid.name
    return [
        {
            "move": line.move.text,
            "said": game.spoken(position, line.move),
            **_figures(line),
            "line": [move.text for move in line.moves],
            "line_said": spoken_line(game, position, line.moves),
            "does": [_worded(word, name, language) for word in line.does],
        }
        for line in analysis.lines
    ]


def spoken_line(game: Game, position: Position, moves: tuple[Move, ...]) -> list[str]:
    """Moves one after the other as people say them; it ends where they cannot be played on."""
    found = []
    for move in moves:
        found.append(game.spoken(position, move))
        try:
            position = game.play(position, move)
        except LumibanError:
            break
    return found


def _figures(line: Line) -> dict[str, Any]:
    return {
        "value": round(line.value, 4),
        "percent": line.percent,
        "visits": line.visits,
        "proof": line.proof or None,
        "wins_in": line.wins_in or None,
    }


def _worded(word: Said, name: Callable[[int], str], language: str) -> dict[str, Any]:
    return {
        "what": word.what,
        "cells": [name(cell) for cell in word.cells],
        "params": dict(word.params),
        "text": word.sentence(name, language),
    }
