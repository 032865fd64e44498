"""What each cell of the board is for in Rengi: two fields of six columns, and between them cells
to touch and to read.

    free supply          a loop or list
    n14  R  B  Y  G      child and axis in hand, 2 dark
    below: undo, pass, resign, forecast A, forecast B, next pair, pair after it, hands left
"""

from __future__ import annotations

from enum import IntEnum

from lumiban.games.api import Game

CENTRE_COLUMN = 6
SECOND_COLUMN = 7
"""The grid's column, from 0, of the second player's column 1."""
ROWS = 14


class Role(IntEnum):
    """The cells between the fields, from above."""

    R = 0
    B = 1
    Y = 2
    G = 3
    UNDO = 4
    PASS = 5
    RESIGN = 6
    FORECAST_A = 7
    FORECAST_B = 8
    NEXT_CHILD = 9
    NEXT_AXIS = 10
    AFTER_CHILD = 11
    AFTER_AXIS = 12
    HANDS_LEFT = 13


HAND_CHILD, HAND_AXIS = Role.R, Role.B
"""Where the pair in hand shows, when colours are not chosen."""
PALETTE = (Role.R, Role.B, Role.Y, Role.G)


def centre(game: Game, role: int) -> int:
    """The cell of the grid that has this role."""
    return game.grid.at(CENTRE_COLUMN, role)


def role_at(game: Game, cell: int) -> Role | None:
    """The role of a cell between the fields, None in a field."""
    column, row = game.grid.cells[cell]
    return Role(row) if column == CENTRE_COLUMN else None


def field_at(game: Game, cell: int) -> tuple[int, int, int] | None:
    """(side, column from 0, row from 1) of a cell in a field, None between them."""
    column, row = game.grid.cells[cell]
    if column == CENTRE_COLUMN:
        return None
    side = 0 if column < CENTRE_COLUMN else 1
    return side, column - SECOND_COLUMN * side, ROWS - row
