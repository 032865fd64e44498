"""Analysis of a position: its best moves, the worth of each and its effects, in words and cells.

The game's engine says how one looks at it (`looking_at`); `analyse` drives a look to its end.

As data an analysis goes to `lumiban analyse --json` and to the page's coach. Both say the same of a
move; the command names cells and moves as people do and adds sentences, the page gets cells by
number and makes its own sentences. docs/guide/coach.md tells the fields.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lumiban.errors import GameError, LumibanError
from lumiban.games.base import Game, Move, MoveEffect, Position
from lumiban.games.types import TAKES
from lumiban.search.anytime_analysis import Looking, SideLooking, Variation
from lumiban.search.registry import engine_of
from lumiban.search.tree import MAX_IN_SLICE, Room, next_portion

TOP = 5
"""Moves that are told unless one asks for more or fewer."""
LATE_SHARE = 5
"""After this part of the time nothing but the main look goes on."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """The best moves of a position, best first."""

    side: int
    """Side whose moves they are."""
    lines: tuple[Variation, ...]
    looked: int
    """Number of playouts or positions looked at in all."""
    unit: str
    """Unit of that number: `playouts`, or `positions` where no random games are played."""
    done: bool
    """True for the last report: the budget is spent, or all is certain."""


def looking_at(game: Game, position: Position, seed: int, budget: int, **how: Any) -> Looking:
    """The way of looking that suits the game; GameError says why there is nothing to look at.

    `position` is a `game.view` of its mover, `how` what `Engine.looking` takes. `budget` is the
    most that will be asked for; `late()` is asked where something must not take all the time.
    """
    movers = game.movers(position)
    if not movers:
        raise GameError("there is nothing to analyse: the game is over")

    def look(where: Position) -> Looking:
        return engine_of(game).looking(where, seed, budget, **how)

    if any(game.moves(position, side) for side in movers):
        return look(position)
    words = [word for side in movers for word in game.words(position, side)[:4]]
    if TAKES.keys() & words:
        return SideLooking(game, position, look)
    raise GameError(
        "there is nothing to analyse before play begins: only words are said now"
        f" ({', '.join(words)})"
    )


def in_turns(game: Game, position: Position) -> tuple[Game, Position]:
    """The same with turns where hands race: the side that would lose now is to move."""
    form = game.with_turns() if game.is_free_play(position) else None
    if form is None:
        return game, position
    return form, form.setup(game.stones_of(position))


Hear = Callable[[int, Callable[[], Analysis]], None]
"""Hears of each slice: how much was looked at, and a call that tells what was found so far."""


def analyse(
    game: Game,
    position: Position,
    *,
    seed: int = 0,
    budget: int,
    longest_us: int | None = None,
    top: int = TOP,
    compiled: bool = True,
    threads: int = 1,
    room: Room | None = None,
    stop: Callable[[], bool] | None = None,
    hear: Hear | None = None,
) -> Analysis:
    """The best `top` moves in `position`, a view of its mover.

    Looks at `budget` random games (positions in Tokyo Doves and Rengi), for `longest_us` at most;
    without a time the same seed gives the same analysis, plain and compiled, in one thread.
    `stop()` is asked every few milliseconds and ends it with what was found. GameError when nobody
    can move.

    >>> from lumiban import games
    >>> game = games.load("control", size=3)
    >>> found = analyse(game, game.start(), budget=200, compiled=False)
    >>> found.looked, len(found.lines), found.lines[0].does[0].what
    (200, 5, 'gains')
    """
    began_us = 0

    def late() -> bool:
        slow = longest_us is not None and _now_us() > began_us + longest_us // LATE_SHARE
        return slow or (stop is not None and stop())

    looking = looking_at(
        game, position, seed, budget, compiled=compiled, threads=threads, room=room, late=late
    )
    movers = game.movers(position)
    side = movers[0] if len(movers) == 1 else int(game.state(position).mover())

    def now(done: bool = False) -> Analysis:
        return Analysis(side, looking.lines(top), looking.looked, looking.unit, done)

    # A compiler that is needed works before the time begins.
    looking.warm()
    began_us = _now_us()
    deadline = None if longest_us is None else began_us + longest_us
    portion = 1
    while looking.looked < budget:
        began = _now_us()
        portion = min(portion, budget - looking.looked)
        if looking.grow(portion) < portion:
            break
        ended = _now_us()
        if stop is not None and stop():
            return now()
        if deadline is not None and ended >= deadline:
            break
        if hear is not None:
            hear(looking.looked, now)
        portion = next_portion(portion, ended - began, MAX_IN_SLICE)
    return now(True)


def _now_us() -> int:
    return time.monotonic_ns() // 1000


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
            "said": game.display_text(position, line.move),
            **_figures(line),
            "line": [move.text for move in line.moves],
            "line_said": spoken_line(game, position, line.moves),
            "does": [_worded(word, name, language) for word in line.does],
        }
        for line in analysis.lines
    ]


def spoken_line(game: Game, position: Position, moves: tuple[Move, ...]) -> list[str]:
    """Moves one after the other as people say them; it ends where they cannot be played on."""
    words = []
    for move in moves:
        words.append(game.display_text(position, move))
        try:
            position = game.play(position, move)
        except LumibanError:
            break
    return words


def _figures(line: Variation) -> dict[str, Any]:
    return {
        "value": round(line.value, 4),
        "percent": line.percent,
        "visits": line.visits,
        "proof": line.proof or None,
        "wins_in": line.wins_in or None,
    }


def _worded(word: MoveEffect, name: Callable[[int], str], language: str) -> dict[str, Any]:
    return {
        "what": word.what,
        "cells": [name(cell) for cell in word.cells],
        "params": dict(word.params),
        "text": word.sentence(name, language),
    }
