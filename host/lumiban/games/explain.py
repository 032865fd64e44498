"""What a game says of itself: what cells mean, how a move is called, what it does, in words.

A game gives its own words in `Game.explain`; `explain_move` adds how the game ends by the move. All
is seen from the mover's side: own and other stones, never White's and Black's. Sentences stand in
the catalogue under `said.<what>`; a sentence with `{cells}` names the cells, which travel as
numbers so that a page or picture can mark them too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

from lumiban.games.kernel import groups_of
from lumiban.games.rules import Rules
from lumiban.games.types import Kind, Mark, Move, MoveEffect, Position, Supply, Texts, move_effect
from lumiban.games.types import move_effect as said  # as authors knew it

__all__ = [
    "FEW",
    "Explaining",
    "MoveEffect",
    "by_pieces",
    "explain_move",
    "grown",
    "hurried",
    "longer",
    "move_effect",
    "said",
]

FEW = 3
"""So few moves left to the other side are worth a word."""


class Explaining(Rules, Protocol):
    """What a game says of its positions and moves, to people and to the coach."""

    texts: ClassVar[Texts] = Texts()
    """The game's own sentences, where it comes from a file or package of somebody else's."""

    @classmethod
    def remarks(cls, language: str) -> tuple[str, ...]:
        """What the rules say beyond their text, where a game reckons it from its own data."""
        return ()

    def aims(self, position: Position, move: Move) -> tuple[int, ...]:
        """The cells on which a legal move acts, the one it goes to last; () for a word."""
        return tuple(cell for cell, _, _ in self.effects(position, move))

    def explain(self, position: Position, move: Move) -> tuple[MoveEffect, ...]:
        """What a legal move with pieces does, in words and cells, what matters most first: by
        default what any game can say of its pieces. `games/explain.py` has the words."""
        return by_pieces(self, position, move)

    def marks(self, position: Position, level: str) -> tuple[Mark, ...]:
        """What the cells mean at one of the `HINT_LEVELS`."""
        raise NotImplementedError

    def scores(self, position: Position) -> tuple[tuple[int, int], ...]:
        """(stones, territory) of each side; () where the game counts nothing."""
        return ()

    def final_counts(self, position: Position) -> tuple[int, ...] | None:
        """The figure of each side that decided a game which has ended so; None where none did."""
        return None

    def final_groups(self, position: Position) -> tuple[int, tuple[int, ...]] | None:
        """Where groups of pieces decided: their rank, 1 for the largest, and the winner's cells in
        them; None where others than groups did."""
        return None

    def pieces_needed(self) -> Supply | None:
        """The pieces that one game takes, where its rules tell; None where only playing does."""
        return None


def explain_move(game: Explaining, position: Position, move: Move) -> tuple[MoveEffect, ...]:
    """All that a legal move does, what matters most first: how it ends the game, then the game's
    own words.

    >>> from lumiban import games
    >>> game = games.load("control", size=3)
    >>> start = game.start()
    >>> [(one.what, one.cells) for one in explain_move(game, start, game.parse(start, "a1"))]
    [('gains', (12, 13, 17))]
    """
    after = game.play(position, move)
    outcome = game.outcome(after)
    found: list[MoveEffect] = []
    if outcome is not None:
        won = {move.side: "wins", None: "draws"}.get(outcome.winner, "loses")
        found.append(move_effect(won))
    if not move.is_word:
        found += game.explain(position, move)
    return tuple(found) or (move_effect("quiet"),)


def by_pieces(game: Explaining, position: Position, move: Move) -> tuple[MoveEffect, ...]:
    """What any game can say: pieces that come, go and change, own groups, few moves left."""
    after = game.play(position, move)
    before_, after_ = game.pieces(position), game.pieces(after)
    own = Kind(move.side + 1)
    changed = [cell for cell in range(len(before_)) if before_[cell] != after_[cell]]
    left = [cell for cell in changed if before_[cell] == own]
    taken = [cell for cell in changed if before_[cell] not in (own, Kind.EMPTY)]
    came = [cell for cell in changed if after_[cell] == own]
    blocked = [cell for cell in changed if after_[cell] == Kind.NEUTRAL]
    turned = [cell for cell in taken if after_[cell] == own]
    gone = [cell for cell in taken if after_[cell] == Kind.EMPTY]
    found = []
    if gone:
        found.append(move_effect("captures", gone, n=len(gone)))
    if turned:
        found.append(move_effect("turns", turned, n=len(turned)))
    if blocked:
        found.append(move_effect("blocks", blocked))
    for cell in came:
        found += grown(game.grid.neighbours, before_, after_, cell)
    if not found and came and left:
        found.append(move_effect("goes", came))
    return (*found, *hurried(game, after, 1 - move.side))


def grown(
    neighbours: Sequence[Sequence[int]], before: Sequence[int], after: Sequence[int], cell: int
) -> list[MoveEffect]:
    """What a piece that has come to `cell` does to its side's groups: joins, grows, or nothing.

    `before` and `after` are what stands on each cell, 0 for nothing.
    """
    kind = after[cell]
    group = next(g for g in groups_of(neighbours, after) if cell in g)
    inside = set(group)
    old = [g for g in groups_of(neighbours, before) if before[g[0]] == kind and inside & set(g)]
    found = []
    if len(old) > 1:
        found.append(move_effect("joins", group, n=len(old), size=len(group)))
    elif old:
        found.append(move_effect("grows", group, size=len(group)))
    return found


def longer(before: Sequence[int], after: Sequence[int]) -> list[MoveEffect]:
    """That a side's largest group has grown, by the sizes of its groups."""
    was, size = max(before, default=0), max(after, default=0)
    return [move_effect("largest", was=was, size=size)] if size > was > 0 else []


def hurried(game: Explaining, after: Position, side: int) -> list[MoveEffect]:
    """That the other side has few moves left, if the game goes on with it."""
    if side not in game.movers(after):
        return []
    moves = game.moves(after, side)
    return [move_effect("few-left", n=len(moves))] if 0 < len(moves) <= FEW else []
