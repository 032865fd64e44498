"""Numbers of pieces of each kind that the games on a board take.

Where the rules tell a number, it is reckoned; else many games are played at random, and the most
that stood on the board at once is taken.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from math import ceil
from typing import Literal

from lumiban import games as all_games
from lumiban.boards.profile import Profile
from lumiban.errors import BoardError, GameError
from lumiban.games.base import Game, Kind, Position
from lumiban.games.light_game import LightGame
from lumiban.table.fitting import fit, on_board

GAMES, STONES = 200, 12_000
"""Random games where the rules tell no number, and stones after which no further one begins."""
MAX_PLIES = 2_000
"""A game that is longer is broken off: what stood on the board counts all the same."""
GEOMETRY = ("size", "cells")
"""Options that say how large a board is, and of what cells."""
MARKERS = 2
"""Of each side, where pieces are light: one for each block of a pair."""
SPARE = 0.05
"""More of each kind than needed, and at least one: pieces get lost."""
COLOURS = {Kind.WHITE: "white", Kind.BLACK: "black", Kind.NEUTRAL: "neutral"}

Progress = Callable[[str, int, int], None]
Source = Literal["rules", "most", "play"]
"""The rules say exactly how many; they say how many are enough; random games used that many."""


@dataclass(frozen=True, slots=True)
class Need:
    """Pieces that one game takes, by their names: `white`, `dove-b-red`, `marker-black`, ..."""

    game: str
    options: Mapping[str, int | str]
    source: Source
    counts: Mapping[str, int]
    played: int = 0
    mean: Mapping[str, float] = field(default_factory=dict)
    """By piece, what random games used in the mean at their fullest."""


def needs(
    profile: Profile,
    slugs: Sequence[str] = (),
    *,
    games: int = 0,
    seed: int = 0,
    told: Progress = lambda game, done, of: None,
) -> list[Need]:
    """Needs of each game that has room on this board, at its largest size there.

    `slugs` names games, otherwise all that there are; `games` is how many to play at random, 0
    for as many as is usual; `told` hears the game and how many of it are played, and of how many.
    GameError for a game that does not exist or fails, BoardError for a named one without room.
    """
    listed = []
    for slug in slugs or all_games.available():
        game = largest(slug, profile)
        if game is None and slugs:
            fit(all_games.load(slug), profile)
        elif game is not None:
            listed.append(need(game, profile, games=games, seed=seed, told=told))
    return listed


def largest(slug: str, profile: Profile) -> Game | None:
    """The game with its usual options at the largest size that the board holds, None where none
    fits.

    >>> from lumiban.boards.profile import load
    >>> largest("trivia", load("grid13x14")).options["size"], largest("doves", load("hex5"))
    (13, None)
    >>> largest("trivia", load("hex5")).options
    {'size': 5, 'cells': 'hexagons'}
    """
    values = {option.name: option.values for option in all_games.game_class(slug).accepts}
    names = [name for name in GEOMETRY if name in values]
    largest_game: Game | None = None
    for wish in product(*(values[name] for name in names)):
        with suppress(BoardError, GameError):
            game = all_games.load(slug, **dict(zip(names, wish, strict=True)))
            if largest_game is None or len(game.grid) > len(largest_game.grid):
                fit(game, profile)
                game.start()  # a size may have no beginning, as one without a published layout
                largest_game = game
    return largest_game


def need(
    game: Game,
    profile: Profile,
    *,
    games: int = 0,
    seed: int = 0,
    told: Progress = lambda game, done, of: None,
) -> Need:
    """Need of this game on the board; GameError where it does not fit or a rule fails."""
    laid = on_board(game, profile)
    options = dict(game.options)
    if isinstance(game, LightGame):
        counts = {f"marker-{colour}": MARKERS for colour in ("white", "black")}
        return Need(game.slug, options, "rules", counts)
    named = _named(laid)
    if named:
        return Need(game.slug, options, "rules", named)
    ruled = _ruled(game)
    if ruled is not None:
        return Need(game.slug, options, *ruled)
    games = games or min(GAMES, STONES // len(game.grid))
    fullest: list[Counter[str]] = []
    for number in range(games):
        fullest.append(most_at_once(game, f"{seed} {number}"))
        told(game.slug, number + 1, games)
    names = [COLOURS[kind] for kind in game.kinds]
    counts = {name: max(count[name] for count in fullest) for name in names}
    mean = {name: sum(count[name] for count in fullest) / games for name in names}
    return Need(game.slug, options, "play", counts, games, mean)


def _named(game: Game) -> dict[str, int]:
    """A piece for each name where pieces of a colour differ: `dove-t-red`."""
    start = game.start()
    letters = {*game.labels(start), *(name for hand in game.in_hand(start) for name in hand)}
    return {
        f"{game.slug.rstrip('s')}-{letter.lower()}-{game.sides[letter.islower()]}": 1
        for letter in sorted(letters - {""})
    }


def _ruled(game: Game) -> tuple[Source, dict[str, int]] | None:
    """Stones that a game takes by its rules, and how the rules say so."""
    supply = game.pieces_needed()
    if supply is None:
        return None
    counts = {COLOURS[kind]: count for kind, count in supply.counts.items()}
    return ("rules" if supply.is_exact else "most"), counts


def most_at_once(game: Game, seed: str) -> Counter[str]:
    """The most pieces of each colour that stood on the board at once in a game at random."""
    dice = random.Random(f"pieces {seed}")
    position = game.start(dice.getrandbits(31))
    most: Counter[str] = Counter()
    for _ in range(MAX_PLIES):
        most |= Counter(COLOURS[kind] for kind in game.pieces(position) if kind in COLOURS)
        after = _any_move(game, position, dice)
        if after is None:
            break
        position = after
    return most


def _any_move(game: Game, position: Position, dice: random.Random) -> Position | None:
    """The position after a move at random, by either side where both may act; None at the end."""
    if game.outcome(position) is not None:
        return None
    sides = list(game.movers(position))
    dice.shuffle(sides)
    for side in sides:
        moves = game.moves(position, side)
        if moves:
            return game.play(position, dice.choice(moves))
    for side in sides:
        words = [word for word in game.words(position, side) if not word.startswith("resign")]
        if words:
            return game.play(position, game.parse(position, dice.choice(words), side))
    return None


@dataclass(frozen=True, slots=True)
class Order:
    """Pieces to make and to buy, so that each game can be played, one at a time."""

    needed: Mapping[str, int]
    """By piece, the most that one game takes."""
    spare: Mapping[str, int]
    strong: int
    """Magnets of white and black pieces, spares and all."""
    weak: int
    """Magnets of neutral pieces."""

    @property
    def made(self) -> dict[str, int]:
        """Number to make of each piece."""
        return {name: count + self.spare[name] for name, count in self.needed.items()}


def order(game_needs: Sequence[Need]) -> Order:
    """Order for these games together; a board without a game gets one stone of each colour."""
    needed = dict.fromkeys(COLOURS.values(), 1)
    for one in game_needs:
        for name, count in one.counts.items():
            needed[name] = max(count, needed.get(name, 0))
    spare = {name: _spare(name, count) for name, count in needed.items()}
    total = {name: count + spare[name] for name, count in needed.items()}
    weak = total["neutral"]
    return Order(needed, spare, sum(total.values()) - weak, weak)


def _spare(name: str, count: int) -> int:
    return ceil(count * SPARE) if name in COLOURS.values() else 0


def rows(game_needs: Sequence[Need], whole: Order) -> Iterator[tuple[object, ...]]:
    """A table of it: (game, size, from, count of each piece of `whole.needed`)."""
    names = list(whole.needed)
    for one in game_needs:
        source = f"{one.played} random games" if one.source == "play" else one.source
        counts = [one.counts.get(name, 0) for name in names]
        yield one.game, one.options.get("size", ""), source, *counts
    yield "spare", "", "", *(whole.spare[name] for name in names)
    yield "to make", "", "", *(whole.made[name] for name in names)
