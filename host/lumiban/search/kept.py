"""What a bot's last thought leaves for its next one in the same game."""

from __future__ import annotations

from lumiban.errors import LumibanError
from lumiban.games.base import Game, Position
from lumiban.search.forest import Forest
from lumiban.search.grave import Grave
from lumiban.search.regrow import onward
from lumiban.search.regrow_uct import onward_uct
from lumiban.search.searching import TreeSearch
from lumiban.search.uct import Uct


class Kept:
    """The last search."""

    def __init__(self) -> None:
        self._last: TreeSearch | None = None

    def keep(self, search: TreeSearch) -> None:
        """Remember a search that is done."""
        self._last = search

    def next(self, game: Game, position: Position, seed: int, playouts: int) -> TreeSearch | None:
        """A search of `position` that begins with what is known of it, as many `playouts` as asked
        for on top; None where the last search was of another game or line. What was kept is gone.
        """
        last, self._last = self._last, None
        if last is None or last.game != game:
            return None
        codes = _between(game, last.position, position)
        if codes is None:
            return None
        old = last.trees if isinstance(last, Forest) else [last]
        each = -(-playouts // len(old))
        trees: list[TreeSearch] = []
        known = False
        for number, tree in enumerate(old):
            later: TreeSearch | None = None
            if isinstance(tree, Grave):
                later = onward(tree, codes, position, seed + number, each)
            elif isinstance(tree, Uct):
                later = onward_uct(tree, codes, position, seed + number, each)
            known = known or later is not None
            fresh = later or type(tree)(
                game, position, seed + number, each, tree.compiled, tree.room
            )
            trees.append(fresh)
        if not known:
            return None
        if not isinstance(last, Forest):
            return trees[0]
        return Forest(
            type(old[0]),
            len(trees),
            game,
            position,
            seed,
            playouts,
            last.compiled,
            last.room,
            trees,
        )


def _between(game: Game, earlier: Position, later: Position) -> list[int] | None:
    """The codes of the moves that lead from one position to a later one of the same game."""
    known = len(earlier.history)
    moves = later.history[known:]
    if later.history[:known] != earlier.history or any(move.is_word for move in moves):
        return None
    now = earlier
    try:
        for move in moves:
            now = game.play(now, move)
    except LumibanError:
        return None
    return [move.code for move in moves] if now == later else None
