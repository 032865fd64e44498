"""Set-up of a pie: the player who makes it looks for a game that is worth the same to both sides.

A set-up is searched as a whole, however many acts it takes. Some made at random compete by White's
chance in the games that they lead to (sequential halving); where the words are a scale, as the
points for Black are, the scale is bisected.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from lumiban.games.base import Game, Move, Position
from lumiban.games.types import Kind

ENDING = ("resign", "stop", "pass", "stand")
"""Words that a bot says in no set-up."""
_DONE = "done"
_ROUNDS = (12, 4, 2)
"""Set-ups that compete, round by round."""
_MAY_END = 0.5
"""The share of set-ups made at random that end where they may."""
_MAX_ACTS = 8
"""Acts after which a set-up ends where it may: people set its stones by hand."""
_CLEARLY = 0.05
"""So much more even must a longer set-up be than one that can end now."""

Look = Callable[[Position, float], tuple[float, int]]
"""White's chance in a position, and the playouts that tell it, by this part of a thought."""


def evenest(game: Game, position: Position, seed: int, look: Look) -> tuple[Move, float, int, int]:
    """The next act of a set-up by which both sides are worth the same, as far as `look` tells.

    With it White's chance then, the playouts that tell it (0 where there was no choice), and all.

    >>> from lumiban import games
    >>> game = games.load("control", size=2, opening="pie2")
    >>> black = lambda end: [side for side in game.stones_of(end).values()].count(1)
    >>> evenest(game, game.start(), 1, lambda end, part: (black(end) / 2, 9))[1]
    0.5
    """
    looked = 0
    worth: dict[Position, tuple[float, int]] = {}

    def chance(end: Position, part: float) -> float:
        nonlocal looked
        worth[end] = look(end, part)
        looked += worth[end][1]
        return worth[end][0]

    scale = _scale(game, position)
    if scale:
        ends = {game.play(position, act): act for act in scale}
        _bisect(list(ends), chance)
    else:
        ends = _set_ups(game, position, random.Random(seed))
        if len(ends) == 1:
            return next(iter(ends.values())), 0.5, 0, 0
    some = list(worth or ends)

    def unevenness(end: Position) -> float:
        return abs(worth[end][0] - 0.5) - _CLEARLY * (ends[end].text == _DONE)

    for most in _ROUNDS if not scale else ():
        some = some[:most]
        for end in some:
            chance(end, 1 / (len(_ROUNDS) * len(some)))
        some.sort(key=unevenness)
    best = min(some, key=unevenness)
    return (ends[best], *worth[best], looked)


def _set_ups(game: Game, position: Position, chance: random.Random) -> dict[Position, Move]:
    """Set-ups from here on: the position in which the other player chooses, and the first act.
    The one that ends now is among them, if there is one, and others are made at random."""
    side = game.movers(position)[0]
    ends = {}
    if _DONE in game.words(position, side):
        done = game.parse(position, _DONE, side)
        ends[game.play(position, done)] = done
    for _ in range(_ROUNDS[0]):
        acts: list[Move] = []
        end = position
        while game.pie_follows(end) and len(acts) <= len(game.grid):
            acts.append(_next_act(game, end, chance))
            end = game.play(end, acts[-1])
        ends.setdefault(end, acts[0])
    return ends


def _next_act(game: Game, position: Position, chance: random.Random) -> Move:
    """An act at random that sets a stone more, if there is one, or the end of the set-up."""
    side = game.movers(position)[0]
    words = [word for word in game.words(position, side) if word == "pass" or word not in ENDING]
    ends = _DONE in words and game.parse(position, _DONE, side)
    if ends and (len(position.history) >= _MAX_ACTS or chance.random() < _MAY_END):
        return ends
    acts = game.moves(position, side)
    acts += [game.parse(position, word, side) for word in words if word != _DONE]
    chance.shuffle(acts)
    stones = _stones(game, position)
    more = (act for act in acts if _stones(game, game.play(position, act)) > stones)
    return next(more, ends or acts[0])


def _stones(game: Game, position: Position) -> int:
    return sum(kind != Kind.EMPTY for kind in game.pieces(position))


def _scale(game: Game, position: Position) -> Sequence[Move]:
    """The words that may be said, in order of the numbers with which they end, as `komi -3` does;
    none unless all do."""
    side = game.movers(position)[0]
    words = [word for word in game.words(position, side) if word not in ENDING]
    numbers = {word: word.rpartition(" ")[2] for word in words}
    if game.moves(position, side) or not all(
        number.removeprefix("-").isdecimal() for number in numbers.values()
    ):
        return ()
    return [game.parse(position, w, side) for w in sorted(words, key=lambda w: int(numbers[w]))]


def _bisect(scale: Sequence[Position], chance: Callable[[Position, float], float]) -> None:
    """Look at the ends of a scale, and where its values pass through one half."""
    low, high = 0, len(scale) - 1
    part = 1 / (2 + len(scale).bit_length())
    rises = chance(scale[low], part) < chance(scale[high], part)
    while high - low > 1:
        middle = (low + high) // 2
        if (chance(scale[middle], part) < 0.5) == rises:
            low = middle
        else:
            high = middle
