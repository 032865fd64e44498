"""The cells of a board as a list in words: any patch of hex cells, and no others.

On squares and triangles the cells fall into two classes that alternate like a chessboard's. The
first stone would settle the colour that every cell may take, no two like stones would ever touch,
and the order of play would not matter: there would be no game.
"""

from __future__ import annotations

import json
import re

from lumiban.errors import GameError
from lumiban.grid import Grid, patch

MOST_ROWS = 26
"""Rows are named by one letter, so that `wc4` is never anything but white on c4."""
MOST_CELLS = 217

NO_CHESSBOARD = (
    "evening needs hex cells: squares and triangles alternate like a chessboard's, so that the"
    " first stone settles the colour of every cell and no two like stones ever touch"
)

_OTHER_GRIDS = re.compile(r"squar|rectang|triang|chess|\bgo\b", re.IGNORECASE)
_PAIR = re.compile(r"(-?\d{1,3}),(-?\d{1,3})")


def patch_from(text: str) -> Grid:
    """The patch of these axial coordinates: `q,r` by spaces, a line each, or a JSON list of pairs.

    GameError says what is wrong with the list.

    >>> patch_from("0,0 1,0 0,1").names, len(patch_from("[[0, 0], [1, 0]]"))
    (('b1', 'b2', 'a1'), 2)
    >>> patch_from("square")
    Traceback (most recent call last):
    lumiban.errors.GameError: evening needs hex cells: squares and triangles alternate like a \
chessboard's, so that the first stone settles the colour of every cell and no two like stones \
ever touch
    """
    if _OTHER_GRIDS.search(text):
        raise GameError(NO_CHESSBOARD)
    cells = _listed(text) if text.lstrip().startswith("[") else _written(text)
    if len(cells) > MOST_CELLS:
        raise GameError(f"evening option cells: {len(cells)} cells are more than {MOST_CELLS}")
    if len({r for _, r in cells}) > MOST_ROWS:
        raise GameError(f"evening option cells: there are more than {MOST_ROWS} rows")
    try:
        return patch(cells)
    except GameError as reason:
        raise GameError(f"evening option cells: {reason}") from None


def words_for(grid: Grid) -> str:
    """A patch as it stands among a game's options, the same for the same cells.

    >>> words_for(patch_from("[[0,1], [1,0], [0,0]]"))
    '0,0 1,0 0,1'
    """
    return " ".join(f"{q},{r}" for q, r in grid.cells)


def _listed(text: str) -> list[tuple[int, int]]:
    try:
        listed = json.loads(text)
    except (ValueError, RecursionError) as reason:
        raise GameError(f"evening option cells is no list of pairs: {reason}") from None
    cells = []
    for entry in listed:
        whole = isinstance(entry, list) and all(type(n) is int for n in entry)
        if not whole or len(entry) != 2:
            raise _no_cell(json.dumps(entry))
        cells.append((entry[0], entry[1]))
    return cells


def _written(text: str) -> list[tuple[int, int]]:
    cells = []
    for line in re.split(r"[;\n]", re.sub(r"\s*,\s*", ",", text)):
        entries = line.partition("#")[0].split()
        if len(entries) == 2 and not any("," in entry for entry in entries):
            entries = [",".join(entries)]
        for entry in entries:
            found = _PAIR.fullmatch(entry)
            if found is None:
                raise _no_cell(entry)
            cells.append((int(found[1]), int(found[2])))
    return cells


def _no_cell(entry: str) -> GameError:
    return GameError(
        f"evening option cells: {entry[:40]} is no hex cell: write hexagon, or cells as two axial"
        " numbers each, such as 0,0 1,0 0,1"
    )
