"""What the best moves of a position are, what each is worth and what it does, in words and cells.

A *looking* grows slice by slice and tells at any time what it has found: trees for most games
(`TreeLooking`), depth by depth in Tokyo Doves (`doves/bot.py`), by wider and wider beams in Rengi
(`rengi/bot.py`). `looking_at` chooses; what thinks better about a game is put in there. `analyse`
drives one to its end.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from lumiban.errors import GameError, LumibanError
from lumiban.games.base import Game, Move, Position
from lumiban.games.explain import MoveEffect, explain_move, said
from lumiban.search.engines import new_search
from lumiban.search.tree import MOST_IN_SLICE, Choice, Room, next_portion

TOP = 5
"""Moves that are told unless one asks for more or fewer."""
LONGEST_LINE = 8
"""Moves of a line that are told."""
WIN, DRAW, LOSS, OPEN = "win", "draw", "loss", ""
"""What is certain of a move, for its mover."""
LATE_SHARE = 5
"""After this part of the time nothing but the main look goes on."""


@dataclass(frozen=True, slots=True)
class Variation:
    """A move, what it is worth for its mover, and what follows."""

    move: Move
    value: float
    """The share of wins to be expected, 0 to 1; a draw is half a win."""
    visits: int
    """How much was looked at behind it: random games, or positions in Tokyo Doves and Rengi."""
    moves: tuple[Move, ...]
    """The moves expected from here, `move` first."""
    proof: str = OPEN
    """`win`, `draw` or `loss` where that is certain, else ""."""
    wins_in: int = 0
    """Of a proven win: within so many moves of the mover's; 0 where that is not known."""
    does: tuple[MoveEffect, ...] = ()
    """What it does, what matters most first."""

    @property
    def percent(self) -> int:
        """The value in percent, whole; 100 and 0 are for what is certain.

        >>> move = Move(0, "a1", 0)
        >>> Variation(move, 0.999, 10, (move,)).percent
        99
        >>> Variation(move, 1.0, 10, (move,), "win").percent
        100
        """
        whole = round(100 * self.value)
        return whole if self.proof else min(99, max(1, whole))


@dataclass(frozen=True, slots=True)
class Analysis:
    """The best moves of a position, best first."""

    side: int
    """Whose moves they are."""
    lines: tuple[Variation, ...]
    looked: int
    """How much was looked at in all."""
    unit: str
    """What that counts: `playouts`, or `positions` where no random games are played."""
    done: bool
    """Whether this is the last word: the budget is spent, or all is certain."""


class Looking(ABC):
    """A look at one position that grows as long as one asks it to."""

    unit = "playouts"
    """What `looked` counts: `playouts` or `positions`."""

    def __init__(self, game: Game, position: Position) -> None:
        self.game, self.position = game, position
        self.looked = 0
        self._words: dict[int, tuple[MoveEffect, ...]] = {}

    @abstractmethod
    def warm(self) -> None:
        """Compile what is compiled, so that no time is lost with it later."""

    @abstractmethod
    def grow(self, portion: int) -> int:
        """Look at so much more; returns how much, fewer when all is certain."""

    @abstractmethod
    def found(self) -> Sequence[Variation]:
        """All moves as they are seen now, best first, without words."""

    def lines(self, top: int) -> tuple[Variation, ...]:
        """The best `top` moves, with words."""
        return tuple(self._worded(line) for line in self.found()[:top])

    def _worded(self, line: Variation) -> Variation:
        code = line.move.code
        if code not in self._words:
            self._words[code] = explain_move(self.game, self.position, line.move)
        words = self._words[code]
        if not any(word.what in ("wins", "loses", "draws") for word in words):
            if line.proof == WIN:
                words = (said("mate", n=line.wins_in) if line.wins_in else said("sure"), *words)
            elif line.proof == LOSS:
                words = (said("mated"), *words)
            elif line.proof == DRAW:
                words = (said("sure-draw"), *words)
        shown = line.moves[:LONGEST_LINE]
        return Variation(
            line.move, line.value, line.visits, shown, line.proof, line.wins_in,
            tuple(word for word in words if word.what != "quiet" or len(words) == 1),
        )  # fmt: skip


class TreeLooking(Looking):
    """By the tree search that plays the game best."""

    def __init__(
        self,
        game: Game,
        position: Position,
        seed: int,
        playouts: int,
        *,
        compiled: bool = True,
        threads: int = 1,
        room: Room | None = None,
    ) -> None:
        super().__init__(game, position)
        self._search = new_search(
            game, position, seed, playouts, compiled=compiled, threads=threads, room=room
        )

    def warm(self) -> None:
        """A first slice of nothing brings the compiler."""
        self._search.grow(0)

    def grow(self, portion: int) -> int:
        """Play so many random games more."""
        done = self._search.grow(portion)
        self.looked = self._search.playouts
        return done

    def found(self) -> list[Variation]:
        """The root's moves that were visited, or whose outcome is certain."""
        choices = [c for c in self._search.choices() if c.visits or c.proof >= 0]
        choices.sort(key=lambda choice: choice.rank, reverse=True)
        return [self._line(choice) for choice in choices]

    def _line(self, choice: Choice) -> Variation:
        moves: list[Move] = []
        position = self.position
        for code in self._search.line(choice.code)[:LONGEST_LINE]:
            moves.append(self.game.move_of(position, code))
            position = self.game.play(position, moves[-1])
        proof = OPEN if choice.proof < 0 else (LOSS, DRAW, WIN)[choice.certain + 1]
        wins_in = 0
        over = self.game.outcome(position)
        if proof == WIN and over is not None and over.winner == choice.side:
            wins_in = sum(move.side == choice.side for move in moves)
        return Variation(moves[0], choice.value, choice.visits, tuple(moves), proof, wins_in)


def looking_at(
    game: Game,
    position: Position,
    seed: int,
    budget: int,
    *,
    compiled: bool = True,
    threads: int = 1,
    room: Room | None = None,
    late: Callable[[], bool] | None = None,
) -> Looking:
    """The way of looking that suits the game; GameError says why there is nothing to look at.

    `position` is a `game.view` of its mover. `budget` is the most that will be asked for; `late()`
    is asked where something must not take all the time.
    """
    movers = game.movers(position)
    if not movers:
        raise GameError("there is nothing to analyse: the game is over")
    if not any(game.moves(position, side) for side in movers):
        words = ", ".join(word for side in movers for word in game.words(position, side)[:4])
        raise GameError(
            f"there is nothing to analyse before play begins: only words are said now ({words})"
        )
    if game.slug == "doves":
        from lumiban.search.doves.bot import DovesLooking

        return DovesLooking(game, position, seed, budget, compiled=compiled, late=late)
    if game.slug == "rengi":
        from lumiban.search.rengi.bot import RengiLooking

        return RengiLooking(game, position, seed, compiled=compiled)
    return TreeLooking(game, position, seed, budget, compiled=compiled, threads=threads, room=room)


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
        portion = next_portion(portion, ended - began, MOST_IN_SLICE)
    return now(True)


def _now_us() -> int:
    return time.monotonic_ns() // 1000


# --- An analysis as data: for `lumiban analyse --json`, and for the page's coach ---
#
# Both say the same of a move; the command names cells and moves as people do and adds sentences,
# the page gets cells by number and makes its own sentences. docs/guide/coach.md tells the fields.


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
    found = []
    for move in moves:
        found.append(game.display_text(position, move))
        try:
            position = game.play(position, move)
        except LumibanError:
            break
    return found


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
