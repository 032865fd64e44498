"""Which tree search thinks: by the game's own bent, or by name."""

from __future__ import annotations

from lumiban.errors import UsageError
from lumiban.games.base import Game, Position
from lumiban.search.forest import Forest
from lumiban.search.grave import Grave
from lumiban.search.searching import Room, TreeSearch
from lumiban.search.uct import Uct

KINDS: dict[str, type[TreeSearch]] = {"uct": Uct, "grave": Grave}
"""The tree searches by name."""


def kind_of(game: Game, position: Position, name: str | None = None) -> type[TreeSearch]:
    """The search called so, by default the one that plays the game best; UsageError."""
    name = name or game.bent(position).search
    try:
        return KINDS[name]
    except KeyError:
        raise UsageError(f"no search {name!r}: choose {', '.join(KINDS)}") from None


def new_search(
    game: Game,
    position: Position,
    seed: int,
    playouts: int,
    *,
    compiled: bool = True,
    kind: str | None = None,
    threads: int = 1,
    room: Room | None = None,
) -> TreeSearch:
    """A search of `position`, of the game's best kind or one by name, in one thread or more."""
    search = kind_of(game, position, kind)
    if threads > 1:
        return Forest(search, threads, game, position, seed, playouts, compiled, room)
    return search(game, position, seed, playouts, compiled, room)
