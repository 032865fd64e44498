"""Setting up a position of Tokyo Doves, and telling those that no game reaches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lumiban.errors import GameError
from lumiban.games.api import Position
from lumiban.games.doves.notation import LETTERS, doves_in
from lumiban.games.doves.plan import WIDEST
from lumiban.grid import rectangle

if TYPE_CHECKING:
    from lumiban.games.doves.game import Doves

_ANY_BOARD = rectangle(15, 15)
"""Only where the doves stand towards each other matters: cells of any board will do."""


def place(
    game: Doves, stones: Mapping[str, int | str], to_move: int | str, more: Mapping[str, object]
) -> Position:
    """The position with these doves; GameError says why there is none."""
    strange = sorted(set(more) - {"board"})
    if strange:
        raise GameError(f"doves sets up a board and to_move only, not {', '.join(strange)}")
    side = _side(game, to_move)
    board = more.get("board")
    if board is not None:
        if stones:
            raise GameError("give the doves either as a board or by cells, not both")
        at = doves_in(str(board))
    else:
        at = _by_cells(stones)
    top, left = _checked(at)
    doves = [-1] * 12
    for letter, (r, c) in at.items():
        doves[LETTERS.index(letter)] = 8 * (r - top + 1) + c - left + 1
    if game.options["initial"] == "forbidden" and len(at) == 2 and side == 1:
        (r, c), (s, d) = at.values()
        if abs(r - s) + abs(c - d) == 1:
            raise GameError(
                "the two bosses side by side with Green to move: with initial=forbidden nobody"
                " may bring this about; set initial=allowed, or Red to move"
            )
    return game.position(doves, side)


def _side(game: Doves, to_move: int | str) -> int:
    if to_move in game.sides:
        return game.sides.index(str(to_move))
    if to_move not in (0, 1) or isinstance(to_move, bool):
        raise GameError(f"to_move is red (0) or green (1), not {to_move!r}")
    return int(to_move)


def _by_cells(stones: Mapping[str, int | str]) -> dict[str, tuple[int, int]]:
    """Row and column of each dove, from cell name -> letter."""
    at: dict[str, tuple[int, int]] = {}
    for name, letter in stones.items():
        column, row = _ANY_BOARD.cells[_ANY_BOARD.cell(name)]
        if not isinstance(letter, str) or len(letter) != 1 or letter not in LETTERS:
            raise GameError(f"on {name} stands a dove, one of {LETTERS}, not {letter!r}")
        if letter in at:
            raise GameError(f"{letter} stands on two cells, the second {name}")
        at[letter] = (row, column)
    return at


def _checked(at: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
    """The first row and column in use, when these doves may stand like this."""
    for boss, name in (("B", "Red"), ("b", "Green")):
        if boss not in at:
            raise GameError(f"{name}'s boss {boss} is missing: a boss never leaves the board")
    rows = [r for r, _ in at.values()]
    columns = [c for _, c in at.values()]
    for lines, what in ((rows, "rows"), (columns, "columns")):
        spread = max(lines) - min(lines) + 1
        if spread > WIDEST:
            raise GameError(
                f"the doves spread over {spread} {what}: they always fit into {WIDEST}×{WIDEST}"
            )
    for letter, (r, c) in at.items():
        if not any(
            max(abs(r - s), abs(c - d)) == 1 for other, (s, d) in at.items() if other != letter
        ):
            raise GameError(f"{letter} is alone: every dove has another one next to it")
    return min(rows), min(columns)
