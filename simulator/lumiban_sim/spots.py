"""Where hands go: the seats of cells, the bowls beside the board, and what lies on a cell."""

from __future__ import annotations

import random
from math import cos, pi, sin, sqrt

from lumiban_fw.wire import BLACK, WHITE

from lumiban_sim.motion import Place
from lumiban_sim.ways import CARRY_MM, Tempo
from lumiban_sim.world import Piece, World

REACH_PITCHES = 0.72
"""A dropped stone slides into the nearest free cell within this many pitches."""


class Spots:
    """The places over one world's board, in mm."""

    def __init__(self, world: World) -> None:
        self._world = world
        cells = world.profile.cells
        aside = 2.5 * world.profile.pitch_mm
        self._edge_x = max(abs(cell.x_mm) for cell in cells) + aside
        self._edge_y = max(abs(cell.y_mm) for cell in cells) + aside

    def seat(self, cell: int, chance: random.Random, tempo: Tempo) -> Place:
        """A point on the seat of a cell, as near its middle as a hand of this tempo comes."""
        middle = self._world.profile.cells[cell]
        far = tempo.error_mm * sqrt(chance.random())
        turn = 2 * pi * chance.random()
        return Place(middle.x_mm + far * cos(turn), middle.y_mm + far * sin(turn), 0.0)

    def bowl(self, kind: int) -> Place:
        """Where pieces of a kind come from."""
        side = {WHITE: -1.0, BLACK: 1.0}.get(kind, 0.0)
        return Place(side * self._edge_x, self._edge_y if side == 0.0 else 0.0, CARRY_MM)

    def within(self, x: float, y: float, h: float) -> Place:
        """The point, or the nearest one over the board and its rim."""
        x = min(max(x, -self._edge_x), self._edge_x)
        return Place(x, min(max(y, -self._edge_y), self._edge_y), h)

    def free_cell(self, here: Place) -> int:
        """The cell into which a piece dropped here slides, −1 when none is near or free."""
        cell, far = self._world.nearest(here.x, here.y)
        reach = REACH_PITCHES * self._world.profile.pitch_mm
        return cell if far <= reach and not self._world.on(cell) else -1

    def take(self, cell: int, now_us: int) -> Piece | str:
        """The topmost piece of a cell, or why no hand can have it: `empty`, `held`."""
        there = self._world.on(cell)
        if not there:
            return "empty"
        piece = there[-1]
        coming = piece.legs and piece.legs[-1].end_us > now_us
        return "held" if piece.held or coming else piece
