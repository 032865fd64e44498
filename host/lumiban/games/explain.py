"""What a move does, in words and cells: what a coach points at.

A game gives its own in `Game.explain`; `explain_move` adds how the game ends by the move. All is
seen from the mover's side: own and other stones, never White's and Black's. Sentences stand in the
catalogue under `said.<what>`; a sentence with `{cells}` names the cells, which travel as numbers
so that a page or picture can mark them too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lumiban.games.base import Kind, Move, Position
from lumiban.games.kernel import groups_of
from lumiban.i18n import text

if TYPE_CHECKING:
    from lumiban.games.base import Game


FEW = 3
"""So few moves left to the other side are worth a word."""
MOST_NAMED = 8
"""Of more cells than that a sentence names the first ones only."""


@dataclass(frozen=True, slots=True)
class MoveEffect:
    """One thing that a move does: `what` names the sentence, `params` fill it."""

    what: str
    cells: tuple[int, ...] = ()
    """Of the grid on which the move is made."""
    params: tuple[tuple[str, str | int], ...] = ()

    @property
    def text_id(self) -> str:
        """Id of the sentence in the catalogue."""
        return "said." + self.what

    def sentence(self, name: Callable[[int], str], language: str) -> str:
        """The sentence, with cells as `name` calls them.

        >>> MoveEffect("gains", (0, 1), (("n", 2),)).sentence(["a1", "a2"].__getitem__, "en")
        'takes control of a1, a2'
        """
        named = ", ".join(name(cell) for cell in self.cells[:MOST_NAMED])
        if len(self.cells) > MOST_NAMED:
            named += f" … (+{len(self.cells) - MOST_NAMED})"
        return text(self.text_id, language, cells=named, **dict(self.params))


def said(what: str, cells: Iterable[int] = (), **params: str | int) -> MoveEffect:
    """A `MoveEffect` with its parameters by name."""
    return MoveEffect(what, tuple(cells), tuple(sorted(params.items())))


def explain_move(game: Game, position: Position, move: Move) -> tuple[MoveEffect, ...]:
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
        found.append(said(won))
    if not move.is_word:
        found += game.explain(position, move)
    return tuple(found) or (said("quiet"),)


def by_pieces(game: Game, position: Position, move: Move) -> tuple[MoveEffect, ...]:
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
        found.append(said("captures", gone, n=len(gone)))
    if turned:
        found.append(said("turns", turned, n=len(turned)))
    if blocked:
        found.append(said("blocks", blocked))
    for cell in came:
        found += grown(game.grid.neighbours, before_, after_, cell)
    if not found and came and left:
        found.append(said("goes", came))
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
        found.append(said("joins", group, n=len(old), size=len(group)))
    elif old:
        found.append(said("grows", group, size=len(group)))
    return found


def longer(before: Sequence[int], after: Sequence[int]) -> list[MoveEffect]:
    """That a side's largest group has grown, by the sizes of its groups."""
    was, size = max(before, default=0), max(after, default=0)
    return [said("largest", was=was, size=size)] if size > was > 0 else []


def hurried(game: Game, after: Position, side: int) -> list[MoveEffect]:
    """That the other side has few moves left, if the game goes on with it."""
    if side not in game.movers(after):
        return []
    moves = game.moves(after, side)
    return [said("few-left", n=len(moves))] if 0 < len(moves) <= FEW else []
