"""When a player of Evening leaves the board as it is: where no stone gains anything.

A bot's question may let its side stand (see `Evening.question`): who trails may once the other
side stands, which loses; who leads may always, which leaves the turn to the other side.
"""

from __future__ import annotations

from lumiban.games.base import Game, Position
from lumiban.search.searching import Choice, TreeSearch


def may_stand(game: Game, position: Position) -> bool:
    """Whether the mover may do without a stone, though it has a cell."""
    return game.slug == "evening" and position.phase == "play" and position.state[-1] != 0


def enough(game: Game, position: Position, search: TreeSearch) -> Choice | None:
    """The stand, where it is certain that it does as well as the best stone; else None.

    So nobody stands for certain who would win by a stone, and who has lost for certain does not
    go on for nothing.
    """
    if not (search.proven and may_stand(game, position)):
        return None
    best = search.best()
    for choice in search.choices():
        if best is not None and game.move_of(position, choice.code).is_word:
            return choice if choice.certain == best.certain else None
    return None
