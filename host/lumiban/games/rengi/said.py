"""What a hand of Rengi does: chains fired, ojama answered, what the field is built towards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lumiban.games.api import Move, Position
from lumiban.games.groups import groups_of
from lumiban.games.rengi.field import (
    COLUMNS,
    FIELD_SIZE,
    OUT_SIZE,
    colour_at,
    drop,
    height,
    is_dead,
    step,
)
from lumiban.games.rengi.notation import child_column, hand_of
from lumiban.games.rengi.plan import FIELDS, GHOST_C, PASS, STAY14
from lumiban.games.rengi.supply import LETTERS
from lumiban.games.said import Said as Said
from lumiban.games.said import said

if TYPE_CHECKING:
    from lumiban.games.rengi.game import Rengi

COLOURS = range(1, 5)
ADDED = 2
"""Blocks of one colour dropped into a column to see what it would fire."""
LOW = 9
"""From this row on in column 3 a field is in danger."""


def says(game: Rengi, position: Position, move: Move) -> tuple[Said, ...]:
    """The words for a hand or a pass; cells are those of the mover's field."""
    side = move.side
    if move.code == PASS:
        return (said("rengi.waits"),)
    after = game.play(position, move)
    if game.outcome(after) is not None:
        return ()
    events = game.story(position, move)
    chain = game.chain(position, move)
    found = []
    if chain.steps:
        gone = [cell for group in chain.steps[0].groups for cell in group.cells]
        cells = sorted(game.cell(side, column - 1, row) for column, row in gone)
        found.append(
            said("rengi.fires", cells, n=len(chain.steps), points=chain.points, ojama=chain.ojama)
        )
    waiting = sum(game.forecast(position, side))
    if waiting and chain.ojama:
        found.append(said("rengi.answers", n=min(waiting, chain.ojama), waiting=waiting))
    fell = sum(event.ojama for event in events if event.kind == "fell" and event.side == side)
    if fell:
        found.append(said("rengi.takes", n=fell))
    built = _built(game, position, after, move)
    return (
        *found,
        *(built or ([] if found else _together(game, after, landing(game, position, move)))),
    )


def _together(game: Rengi, after: Position, cells: Sequence[int]) -> list[Said]:
    """The largest group of a colour that the blocks on these cells belong to, of two at least."""
    side = 0 if cells and game.grid.cells[cells[0]][0] < COLUMNS else 1
    field = game.field(after, side)
    colours = [0] * len(game.grid)
    for row in range(12):
        for column in range(COLUMNS):
            colour = field[row][column]
            colours[game.cell(side, column, row + 1)] = colour if colour in COLOURS else 0
    groups = groups_of(game.grid.neighbours, colours)
    joined = [group for group in groups if len(group) > 1 and set(group) & set(cells)]
    if not joined:
        return []
    best = max(joined, key=len)
    return [said("rengi.together", best, n=len(best), colour=LETTERS[colours[best[0]]])]


def landing(game: Rengi, position: Position, move: Move) -> tuple[int, ...]:
    """The cells of the grid where the blocks of a hand come to rest, before anything is erased."""
    if move.code < 0 or move.code == PASS:
        return ()
    (axis, child), column, rotation = hand_of(move.code)
    state = game.known(position)
    at = FIELDS + move.side * FIELD_SIZE
    field = state.board[at : at + FIELD_SIZE]
    falls = [(column, axis), (child_column(column, rotation), child)]
    if rotation == 2:
        falls.reverse()
    rows = [(to, drop(field, 0, to, colour, state.plan[STAY14])) for to, colour in falls]
    return tuple(game.cell(move.side, to, row) for to, row in rows if row)


def _built(game: Rengi, before: Position, after: Position, move: Move) -> list[Said]:
    """The longest chain that two blocks more of a colour would fire, where it has become longer;
    and a column 3 that is high."""
    side = move.side
    was, now = (_best_fire(game, at, side) for at in (before, after))
    found = []
    if now[0] > max(1, was[0]):
        steps, column, colour, row = now
        where = [game.cell(side, column, row)] if row <= 12 else []
        found.append(
            said("rengi.builds", where, n=steps, colour=LETTERS[colour], column=column + 1)
        )
    elif now[0] < was[0] and not game.chain(before, move).steps:
        found.append(said("rengi.breaks", n=was[0], left=now[0]))
    at = FIELDS + side * FIELD_SIZE
    if height(after.state, at, 2) >= LOW > height(before.state, at, 2):
        found.append(said("rengi.high", [game.cell(side, 2, 12)], row=height(after.state, at, 2)))
    return found


def _best_fire(game: Rengi, position: Position, side: int) -> tuple[int, int, int, int]:
    """(steps, column from 0, colour, row of the first block) of the longest chain that blocks of
    one colour in one column would fire; steps 0 for none."""
    plan = game.known(position).plan
    at = FIELDS + side * FIELD_SIZE
    base = list(position.state[at : at + FIELD_SIZE])
    best = (0, 0, 0, 0)
    for column in range(COLUMNS):
        row = height(base, 0, column) + 1
        if row > 12:
            continue
        for colour in COLOURS:
            if not _beside(base, column, row, colour):
                continue
            field = list(base)
            for _ in range(ADDED):
                drop(field, 0, column, colour, plan[STAY14])
            if is_dead(field, 0):
                continue
            out, steps = [0] * OUT_SIZE, 0
            while step(field, 0, plan[GHOST_C], out):
                steps += 1
            if steps > best[0]:
                best = (steps, column, colour, row)
    return best


def _beside(field: list[int], column: int, row: int, colour: int) -> bool:
    """Whether a block of this colour touches a cell or the one above it."""
    beside = [(column + way, at) for way in (-1, 1) for at in (row, row + 1)]
    return any(
        0 <= c < COLUMNS and 1 <= r <= 12 and colour_at(field, 0, c, r) == colour
        for c, r in (*beside, (column, row - 1))
    )
