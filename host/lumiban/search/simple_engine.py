"""Engine of games in plain Python: their levels follow from how fast they are played here."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, ClassVar

from lumiban.games.base import Game
from lumiban.search import jit
from lumiban.search.engine import Engine, Question, Thought, mover_of
from lumiban.search.levels import LEVELS, Level, name_of
from lumiban.search.tree import TreeSearch, is_plain, state_to_search
from lumiban.search.tree_searches import new_search

SHARES = {"gentle": 40, "easy": 20, "medium": 9, "hard": 3, "strong": 1}
"""Full strength's playouts to each one of a level."""
GIVEN_AWAY = 0.4
"""The share of its games that the weakest level gives away: with six in ten it lost 38 of 40."""
_TRIED_US = 40_000
"""Time in µs by which the speed of a game is measured."""
_TRIED = 2_000
"""Playouts that tell it at the latest."""
BY_COMPILED = {"medium": 40, "hard": 3, "strong": 1}
"""The same of what the compiled rule plays, for the levels that it makes stronger; the others are
for people who begin, and stay what they are."""
_KEPT = "playouts-a-second"

_rates: dict[Any, float] = {}


def playouts_a_second(game: Game) -> float:
    """Playouts a second of a search of this game in plain Python, measured once in each process."""
    known = (game.slug, game.digest, tuple(game.options.items()))
    if known not in _rates:
        _rates[known] = _tried(new_search(game, game.start(), 0, _TRIED, compiled=False), 4)
    return _rates[known]


def _tried(search: TreeSearch, portion: int) -> float:
    # Time of this process alone, so that others' work makes no level weaker.
    began = time.process_time_ns()
    done = took_us = 0
    while took_us < _TRIED_US and done < search.most:
        done += search.grow(portion)
        took_us = (time.process_time_ns() - began) // 1000
        if search.is_proven:
            break
    return max(1, done) * 1e6 / max(1, took_us)


def compiled_playouts_a_second(game: Game, *, measure: bool = False) -> float:
    """The same of its compiled rule, as it was measured when that was made: what is kept with the
    compiled code, so that a changed rule is measured again. 0 where it was not, or cannot be.

    With `measure` it is measured now if need be, by a search that has run already.
    """
    state = state_to_search(game, game.start())
    if not (is_plain(game) and jit.could_fit(state) and jit.available()):
        return 0.0
    kind: type = type(state)
    kept = jit.cache_folder(kind) / _KEPT
    with suppress(OSError, ValueError):
        return float(kept.read_text("ascii"))
    if not measure:
        return 0.0
    new_search(game, game.start(), 0, 2).grow(2)
    search = new_search(game, game.start(), 0, 100 * _TRIED)
    rate = _tried(search, 200) if search.compiled else 0.0
    with suppress(OSError):
        kept.write_text(f"{rate:.0f}", "ascii")
    return rate


def levels_at(rate: float, usual: Mapping[str, Level], compiled: float = 0.0) -> dict[str, Level]:
    """Levels of a search by its playouts a second, plain and `compiled`."""
    seconds = usual["strong"].longest_us / 1e6
    levels = {}
    for name, level in usual.items():
        most = rate / SHARES[name]
        if name in BY_COMPILED:
            most = max(most, compiled / BY_COMPILED[name])
        levels[name] = replace(level, playouts=min(level.playouts, max(2, round(most * seconds))))
    return levels


class SimpleEngine(Engine):
    """Trees of random games; no level looks at more of them than its share, so that the slowest
    game has five levels too. Where its rule is compiled, medium, hard and strong look at shares
    of what that plays, and the weaker ones answer sooner. Passes where there is nothing else to
    do."""

    levels: ClassVar[Mapping[str, Level]] = {
        **LEVELS,
        "gentle": replace(LEVELS["gentle"], gives_away=GIVEN_AWAY),
    }

    def level(self, name: str) -> Level:
        """The level of this name or number, with no more playouts than its share here."""
        usual, name = {**LEVELS, **self.levels}, name_of(name)
        fast = compiled_playouts_a_second(self.game) if name in BY_COMPILED else 0.0
        return levels_at(playouts_a_second(self.game), usual, fast)[name]

    def think(self, question: Question) -> Thought:
        """The move, or the word that is an act of the game; GameError when there is neither."""
        game, position = self.game, question.position
        playing = position.phase == "play" and not game.pie_follows(position)
        if not playing or game.moves(position, mover_of(game, position)):
            return super().think(question)
        state, out = game.state(position), [0] * (game.capacity[0] + 1)
        codes = out[: state.moves(out)]
        if len(codes) == 1:
            only = game.move_of(position, codes[0])
            return Thought(only, 0.5, 0, 0, (only,))
        return self.choose(question)
