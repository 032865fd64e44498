"""Who plays in a study: a level of the bots, or somebody who moves at random."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from lumiban.errors import UsageError
from lumiban.games.base import Game, Move, Position
from lumiban.search.bot import search_name, think
from lumiban.search.engines import KINDS
from lumiban.search.levels import NAMES, level_of, name_of
from lumiban.search.rengi.bot import strengths

RANDOM = "random"


@dataclass(frozen=True, slots=True)
class Player:
    """A level's name (or `random`), and what it gets for a move instead of the level's own."""

    name: str
    playouts: int | None = None
    """Exactly so many a move: then a game can be played again move for move."""
    per_move_us: int | None = None
    compiled: bool = True
    kind: str | None = None
    """The tree search by name, where it is not the game's own."""

    def as_json(self, game: Game) -> dict[str, int | str | None]:
        """Who this is in this game: the level's name and number, and its search."""
        number = None if self.name == RANDOM else level_of(self.name).number
        return {"name": self.name, "level": number, "search": self.search(game)}

    def search(self, game: Game) -> str:
        """By what it finds its moves in this game: `uct`, `grave`, `alpha-beta`, `beam`; or
        `random`."""
        if self.name == RANDOM:
            return RANDOM
        return self.kind or search_name(game)

    def level(self, game: Game) -> str:
        """What its level gets in this game, in Python's words; "" for `random`."""
        if self.name == RANDOM:
            return ""
        return repr(
            strengths(game)[self.name] if game.slug == "rengi" else level_of(self.name, game.slug)
        )

    def called(self, game: Game) -> str:
        """The name for people: `strong, grave`."""
        return RANDOM if self.name == RANDOM else f"{self.name}, {self.search(game)}"

    def move(self, game: Game, position: Position, seed: int) -> Move:
        """What this player does in `position`; who acts is whoever the game says is next."""
        side = to_act(game, position)
        if self.name == RANDOM:
            return _any(game, position, side, seed)
        thought = think(
            game,
            game.view(position, side),
            self.name,
            seed,
            playouts=self.playouts,
            longest_us=self.per_move_us,
            compiled=self.compiled,
            kind=self.kind,
        )
        return thought.move


def player(name: str, *, playouts: int | None = None, per_move_us: int | None = None) -> Player:
    """The player called so: a level by name or by number from 1, or `random`; UsageError.

    A colon and the name of a tree search behind a level take that search.

    >>> player("1").name, player("random").name, player("strong:uct").kind
    ('gentle', 'random', 'uct')
    """
    name, _, kind = name.partition(":")
    if kind and kind not in KINDS:
        raise UsageError(f"no search {kind!r}: choose {', '.join(KINDS)}")
    try:
        name = name if name == RANDOM else name_of(name)
    except UsageError:
        raise UsageError(
            f"no player called {name!r}; players are random, "
            + ", ".join(f"{number} ({level})" for number, level in enumerate(NAMES, 1))
        ) from None
    return replace(Player(name), playouts=playouts, per_move_us=per_move_us, kind=kind or None)


def to_act(game: Game, position: Position) -> int:
    """The side whose move comes next; where both may act, the one that the kernel names."""
    movers = game.movers(position)
    return movers[0] if len(movers) == 1 else int(game.state(position).mover())


def _any(game: Game, position: Position, side: int, seed: int) -> Move:
    chance = random.Random(seed)
    moves = game.moves(position, side)
    if moves:
        return chance.choice(moves)
    words = [word for word in game.words(position, side) if not word.startswith("resign")]
    if not words:
        raise UsageError(f"{game.slug} leaves its mover without a move and without a word")
    return game.parse(position, chance.choice(words), side)
