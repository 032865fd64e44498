"""Mapping of a game's cells onto a board, and of its picture onto the board's lights.

A game lies in the middle of any profile of its geometry that has room for it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from lumiban.boards import profile as profiles
from lumiban.boards.profile import Profile
from lumiban.boards.types import LightFrame
from lumiban.errors import BoardError
from lumiban.grid import Grid
from lumiban.scene.light import DARK, Picture

HALF = 180
OPPOSITE = {"near": "far", "far": "near", "left": "right", "right": "left"}


@dataclass(frozen=True, slots=True)
class CellMapping:
    """Mapping between board cells and game cells.

    >>> from lumiban.grid import hexagon
    >>> placing = place_grid(hexagon(3), profiles.load("hex5"))
    >>> len(placing.board), placing.game.count(-1), placing.board[9], placing.game[30]
    (19, 42, 30, 9)
    """

    board: tuple[int, ...]
    """Board cell of each game cell."""
    game: tuple[int, ...]
    """Game cell of each board cell, −1 where the game has none."""


def place_grid(grid: Grid, profile: Profile) -> CellMapping:
    """Lay a game's grid on the middle of a board; unused board cells stay dark and ignored.

    BoardError lists the built-in profiles that hold the grid when this one does not.
    """
    mapping = place(grid, profile.grid, profile.turn)
    if mapping is None:
        raise BoardError(
            f"{_described(grid)} do not fit the board {profile.name} "
            f"({_described(profile.grid)}): {_choices(grid)}"
        )
    return mapping


@lru_cache(maxsize=64)
def place(grid: Grid, onto: Grid, turn: int = 0) -> CellMapping | None:
    """Lay one grid on the middle of another of the same geometry; None when it does not fit.

    `turn`: degrees clockwise, sixths of hexagons or halves of squares. Of equally
    central places the first in order of board cells is taken.

    >>> from lumiban.grid import rectangle
    >>> two = rectangle(2, 2)
    >>> [place(two, two, turn).board for turn in (0, 180)]
    [(0, 1, 2, 3), (3, 2, 1, 0)]
    """
    if grid.is_hex != onto.is_hex or len(grid) > len(onto):
        return None
    at = {_seen(cell, turn, onto.is_hex): number for number, cell in enumerate(onto.cells)}
    target = _middle(tuple(at))
    best: tuple[float, tuple[int, ...]] | None = None
    q0, r0 = grid.cells[0]
    q_last, r_last = grid.cells[-1]
    middle = _middle(grid.cells)
    for q1, r1 in sorted(at, key=lambda cell: (cell[1], cell[0])):
        dq, dr = q1 - q0, r1 - r0
        if (q_last + dq, r_last + dr) not in at:
            continue  # spares most places the look at every cell
        cells = tuple(at.get((q + dq, r + dr), -1) for q, r in grid.cells)
        if -1 in cells:
            continue
        off = (middle[0] + dq - target[0], middle[1] + dr - target[1])
        away = off[0] ** 2 + off[1] ** 2 + (off[0] * off[1] if grid.is_hex else 0)
        if best is None or away < best[0] - 1e-9:
            best = (away, cells)
    if best is None:
        return None
    back = [-1] * len(onto)
    for game_cell, board_cell in enumerate(best[1]):
        back[board_cell] = game_cell
    return CellMapping(best[1], tuple(back))


@lru_cache(maxsize=64)
def fitting(grid: Grid) -> tuple[str, ...]:
    """The built-in profiles that hold this grid.

    >>> from lumiban.grid import hexagon
    >>> "hex5" in fitting(hexagon(4)), "hex3" in fitting(hexagon(4))
    (True, False)
    """
    return tuple(name for name in profiles.names() if place(grid, profiles.load(name).grid))


def _seen(cell: tuple[int, int], turn: int, is_hex: bool) -> tuple[int, int]:
    """The coordinates of a cell as seen on a board that is turned by `turn`."""
    q, r = cell
    if not is_hex:
        return (-q, -r) if turn == HALF else (q, r)
    for _ in range(-turn // 60 % 6):
        q, r = -r, q + r
    return q, r


def _middle(cells: Collection[tuple[int, int]]) -> tuple[float, float]:
    """The mean of cells' coordinates."""
    n = len(cells)
    return sum(q for q, _ in cells) / n, sum(r for _, r in cells) / n


def _described(grid: Grid) -> str:
    size = "×".join(str(n) for n in grid.size)
    shape = f"a {grid.shape} of {size}" if grid.shape != "patch" else "a patch"
    return f"the {len(grid)} cells of {shape}"


def _choices(grid: Grid) -> str:
    fit = fitting(grid)
    return f"choose one of {', '.join(fit)}" if fit else "no built-in profile holds them"


def paint(picture: Picture, placing: CellMapping, profile: Profile) -> LightFrame:
    """The light frame of a picture on a board.

    Cells without a game cell and lights without a use stay dark. Edge names that the board lacks
    are left out: a scene need not know which boards have edge lights. BoardError when the picture
    was drawn for another grid.
    """
    if len(picture.cells) != len(placing.board):
        raise BoardError(
            f"the picture has {len(picture.cells)} cells, the game on the board "
            f"{len(placing.board)}"
        )
    dark = (DARK.palette, DARK.effect)
    lights = [dark] * profile.lights
    for glow, board_cell in zip(picture.cells, placing.board, strict=True):
        lights[profile.cells[board_cell].light] = (glow.palette, glow.effect)
    wired = dict(profile.edges)
    for name, glow in picture.edges:
        # Whose near edge the board's far one is sits there.
        edge = OPPOSITE.get(name, name) if profile.turn == HALF else name
        for light in wired.get(edge, ()):
            lights[light] = (glow.palette, glow.effect)
    return LightFrame(tuple(lights), picture.palette)
