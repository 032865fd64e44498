"""Positions of the past, as docs/page.md tells them, and what other moves would have led to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lumiban.errors import LumibanError
from lumiban.games import mark_kinds
from lumiban.games.base import Game, Mark, Move, Position
from lumiban.table.history import is_floating
from lumiban.table.requests import Line
from lumiban.table.state import TableState
from lumiban.table.types import differing

_OF_THE_MOMENT = frozenset(
    {mark_kinds.MAY_PLACE, mark_kinds.MAY_PLACE_NEUTRAL, mark_kinds.REMOVABLE}
)
"""Marks that ask somebody to act: nobody acts in the past."""
NO_ATTEMPT = ("resign", "stop", "claim")
"""Words that try out nothing."""


def position_after(table: TableState, n: int, line: Line | None = None) -> dict[str, Any] | None:
    """The position after `n` moves as docs/page.md tells it, at the hint level of now; with a
    `line` the one to which these moves lead from there, and the moves that may follow.

    None when the game has fewer moves, as after a takeback, and for a line while it is
    not over: who plays tries nothing out on the page.
    """
    history = table.history
    if not 0 <= n < len(history.positions):
        return None
    game, position = history.game, history.positions[n]
    before = history.positions[n - 1] if n else None
    last = history.played[n - 1].move if n else None
    attempt: dict[str, Any] = {}
    if line is not None:
        if table.outcome is None or table.lesson is not None:
            return None
        positions, attempt = tried(game, [position], line)
        position = positions[-1]
        if attempt["line"]:
            before, last = positions[-2], position.history[-1]
    pieces = game.pieces(position)
    marks = [m for m in game.marks(position, table.hint) if m.meaning not in _OF_THE_MOMENT]
    if before is not None and last is not None and not last.is_word:
        changed = differing(pieces, game.pieces(before))
        marks += [Mark(cell, mark_kinds.LAST, last.side) for cell in changed]
    return {
        "n": n,
        "moves": len(history.played),
        "pieces": [int(kind) for kind in pieces],
        "labels": list(game.labels(position)),
        **({"numbers": list(numbers)} if (numbers := game.numbers(position)) else {}),
        "hands": [list(names) for names in game.in_hand(position)],
        "marks": [{"cell": m.cell, "meaning": m.meaning, "side": m.side} for m in marks],
        "counts": [
            {"stones": stones, "territory": territory}
            for stones, territory in game.scores(position)
        ],
        **attempt,
    }


def tried(
    game: Game, positions: Sequence[Position], line: Line
) -> tuple[list[Position], dict[str, Any]]:
    """These positions of a game and those to which a line of other moves leads from their last one,
    as far as the rules allow it; and what a page is told of it: the line, whose turn it is, the
    moves that may follow, and the end where it is one."""
    out, made = list(positions), list[dict[str, Any]]()
    for side, text in line:
        position = out[-1]
        try:
            move = game.parse(position, text, side)
            after = game.play(position, move)
        except (LumibanError, ValueError):  # another game has begun, or nobody's page asks
            break
        made.append({"side": side, "text": text, "said": game.display_text(position, move)})
        out.append(game.settled(after) if is_floating(game) else after)
    outcome = game.outcome(out[-1])
    return out, {
        "line": made,
        "to_move": list(game.movers(out[-1])),
        "may": _may(game, out[-1]),
        "ends": None
        if outcome is None
        else {"id": outcome.text_id, "params": outcome.params(game.sides)},
    }


def _may(game: Game, position: Position) -> list[dict[str, Any]]:
    """All that may be tried there, with the cells on which it acts."""
    moves: list[Move] = []
    for side in game.movers(position):
        moves += game.listed_moves(position, side)
        words = (word for word in game.words(position, side) if word not in NO_ATTEMPT)
        moves += [game.parse(position, word, side) for word in words]
    return [
        {
            "side": move.side,
            "text": move.text,
            "said": game.display_text(position, move),
            "cells": list(game.aims(position, move)),
        }
        for move in moves
        if not is_floating(game) or game.reaches(position, move)
    ]
