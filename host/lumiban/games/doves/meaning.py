"""What cells mean in Tokyo Doves at each hint level: targets, bans, walls, air of a boss."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lumiban.games.api import Mark, Position
from lumiban.games.doves import actions, refusals
from lumiban.games.doves.notation import LETTERS, MOVE, PUT, cell_of, code_of, place_of
from lumiban.games.doves.plan import DOVE, FRAME, KINDS, RED_CELLS
from lumiban.games.doves.refusals import cells_of

if TYPE_CHECKING:
    from lumiban.games.doves.game import Doves

BARRED, WALL, SHORT = "barred", "wall", "short"
"""Meanings that other games lack: only a ban keeps you from here; nobody gets past here; a boss
with one free side, or none."""


def marks(game: Doves, position: Position, level: str) -> tuple[Mark, ...]:
    """The marks of a level: `none`, `legal`, `control`, `coach`, each with those before it."""
    if level == "none":
        return ()
    found: list[Mark] = []
    for side in game.movers(position):
        found += _homes(game, position, side)
    if level == "legal":
        return tuple(found)
    found += [Mark(cell, WALL) for cell in walls(game, position)]
    for side in (0, 1):
        free = air(game, position, side)
        if len(free) <= 1:
            found.append(Mark(cell_of(game.places(position)[side]), SHORT, side))
            if level == "coach":
                found += [Mark(cell, SHORT, side) for cell in free]
    return tuple(found)


def _homes(game: Doves, position: Position, side: int) -> list[Mark]:
    """Where `side` may put a dove from its hand; a cell is barred when it is so for all."""
    state = game.known(position)
    kinds = [KINDS.index(letter.upper()) for letter in game.hand(position, side)]
    if not kinds:
        return []
    found = []
    for cell in cells_of(actions.homes(state.plan, state.board, side)):
        open_to = any(
            refusals.banned(state.plan, state.board, code_of(PUT, kind, cell)) is None
            for kind in kinds
        )
        found.append(Mark(cell, "may-place" if open_to else BARRED, side))
    return found


def targets(game: Doves, position: Position, cell: int) -> tuple[Mark, ...]:
    """Where the dove on `cell` may move with that dove lifted; () if it is not the mover's."""
    letter = game.doves(position).get(cell)
    if letter is None:
        return ()
    kind, side = divmod(LETTERS.index(letter), 2)
    if side not in game.movers(position):
        return ()
    state = game.known(position)
    place = place_of(cell)
    rest = _occupied(game, position) & ~(1 << place)
    found = []
    for to in cells_of(actions.targets(state.plan, rest, kind, place)):
        banned = refusals.banned(state.plan, state.board, code_of(MOVE, kind, to))
        found.append(Mark(to, "lift-target" if banned is None else BARRED, side))
    return tuple(found)


def walls(game: Doves, position: Position) -> tuple[int, ...]:
    """The cells of the frame that are wall now."""
    return cells_of(actions.walls(_occupied(game, position)))


def air(game: Doves, position: Position, side: int) -> tuple[int, ...]:
    """The free sides of a boss: cells beside it without dove or wall."""
    board = game.known(position).board
    occupied = _occupied(game, position)
    beside = actions.edge(1 << board[DOVE + side]) & FRAME
    return cells_of(beside & ~occupied & ~actions.walls(occupied))


def _occupied(game: Doves, position: Position) -> int:
    board = game.known(position).board
    word: int = board[RED_CELLS] | board[RED_CELLS + 1]
    return word
