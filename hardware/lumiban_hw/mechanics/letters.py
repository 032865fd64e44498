"""The rim's letters and numbers: drawn with strokes of our own, so that no font changes them.

A sign stands in a box 4 wide and 6 high on its line; small letters are 4 high, tails reach 2 below.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from lumiban.grid import HEX_STEPS

from lumiban_hw.mechanics.box import BoxGeometry, distance_outside
from lumiban_hw.mechanics.mesh import Spot

Stroke = tuple[Spot, ...]

HIGH_MM = 5.4
"""Height of a number on the rim."""
THICK_MM = 1.0
"""Width of a stroke."""
AWAY_MM = 5.2
"""From a cell's border to the middle of its sign."""
ADVANCE = 5.6
"""From a sign to the next, where a number has two."""


def _signs(table: str) -> dict[str, tuple[Stroke, ...]]:
    """Signs from lines such as `l 06-00 20-30`: places as digits x and y, y of tails as a, b."""
    down = {"a": -1, "b": -2}
    signs = {}
    for line in table.strip().splitlines():
        sign, *strokes = line.split()
        signs[sign] = tuple(
            tuple((float(at[0]), float(down.get(at[1], 0) or at[1])) for at in one.split("-"))
            for one in strokes
        )
    return signs


SIGNS = _signs(
    """
0 10-30-41-45-36-16-05-01-10
1 05-26-20 00-40
2 05-16-36-45-44-00-40
3 05-16-36-45-44-33-42-41-30-10-01 33-23
4 30-36-02-42
5 46-06-04-34-43-41-30-10-01
6 46-26-05-01-10-30-41-43-34-14-03
7 06-46-44-10
8 13-04-05-16-36-45-44-33-13-02-01-10-30-41-42-33
9 00-20-41-45-36-16-05-03-12-32-43
a 14-34-43-40 43-41-30-10-01-02-13-43
b 06-00 03-14-34-43-41-30-10-01
c 43-34-14-03-01-10-30-41
d 46-40 43-34-14-03-01-10-30-41
e 02-42-43-34-14-03-01-10-40
f 46-36-25-20 04-44
g 44-4a-3b-1b-0a 43-34-14-03-01-10-30-41
h 06-00 03-14-34-43-40
i 24-20 26-25
j 34-3a-2b-1b 36-35
k 06-00 02-44 22-40
l 26-21-30-40
m 04-00 03-14-23-20 23-34-43-40
n 04-00 03-14-34-43-40
o 10-30-41-43-34-14-03-01-10
p 04-0b 03-14-34-43-41-30-10-01
q 44-4b 43-34-14-03-01-10-30-41
r 04-00 03-14-34-43
s 43-34-14-03-32-41-30-10-01
t 26-21-30-41 04-44
u 04-01-10-30-41 44-40
v 04-20-44
w 04-10-22-30-44
x 04-40 00-44
y 04-20 44-0b
z 04-44-00-40
"""
)


@dataclass(frozen=True)
class Letter:
    """Words on the rim: around a middle."""

    words: str
    at: Spot

    @property
    def strokes(self) -> tuple[Stroke, ...]:
        """Its lines in mm, in the middle of their own bounds; KeyError for an unknown sign."""
        raw = [
            tuple((x + k * ADVANCE, y) for x, y in stroke)
            for k, sign in enumerate(self.words)
            for stroke in SIGNS[sign]
        ]
        xs, ys = zip(*(spot for stroke in raw for spot in stroke), strict=True)
        x0, y0 = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
        size = HIGH_MM / 6
        return tuple(
            tuple(
                (round(self.at[0] + (x - x0) * size, 3), round(self.at[1] + (y - y0) * size, 3))
                for x, y in stroke
            )
            for stroke in raw
        )


def letters(plan: BoxGeometry) -> tuple[Letter, ...]:
    """Letters and numbers beside the cells that they name.

    On hexagons the letter stands left of its row; numbers stand along the lower right edge of
    the lower half, and the upper right of the upper one. On rectangles letters stand below and
    above, numbers at both sides. What would lie on a cell, or over the edge, is left out.

    >>> from lumiban.boards.profile import load
    >>> from lumiban_hw.mechanics.box import box_geometry
    >>> [letter.words for letter in letters(box_geometry(load("strip5")))]
    ['a', '1', '1', '2', '2', '3', '3', '4', '4', '5', '5']
    """
    candidates = _hex_letters(plan) if plan.profile.grid.is_hex else _square_letters(plan)
    return tuple(one for one in candidates if _fits(plan, one))


def _hex_letters(plan: BoxGeometry) -> list[Letter]:
    grid = plan.profile.grid
    placed = []
    for cell, name in enumerate(grid.names):
        letter, number = name.rstrip("0123456789"), name.lstrip("abcdefghijklmnopqrstuvwxyz")
        steps = dict(zip(HEX_STEPS, grid.steps[cell], strict=True))
        if steps[-1, 0] < 0:
            placed.append(Letter(letter, _beside(plan, cell, (-1.0, 0.0))))
        y = plan.cells[cell][1]
        for step, up in (((0, 1), -1.0), ((1, -1), 1.0)):
            if steps[step] < 0 and y * up >= 0:
                turn = (0.5, up * math.sqrt(3) / 2)
                placed.append(Letter(number, _beside(plan, cell, turn)))
    return placed


def _square_letters(plan: BoxGeometry) -> list[Letter]:
    grid = plan.profile.grid
    placed = []
    for cell, name in enumerate(grid.names):
        letter, number = name.rstrip("0123456789"), name.lstrip("abcdefghijklmnopqrstuvwxyz")
        east, north, west, south = grid.steps[cell]
        for near, words, turn in (
            (west, number, (-1.0, 0.0)), (east, number, (1.0, 0.0)),
            (north, letter, (0.0, 1.0)), (south, letter, (0.0, -1.0)),
        ):  # fmt: skip
            if near < 0:
                placed.append(Letter(words, _beside(plan, cell, turn)))
    return placed


def _beside(plan: BoxGeometry, cell: int, turn: Spot) -> Spot:
    away = plan.profile.pitch_mm / 2 + AWAY_MM
    x, y = plan.cells[cell]
    return round(x + away * turn[0], 3), round(y + away * turn[1], 3)


def _fits(plan: BoxGeometry, letter: Letter) -> bool:
    left, bottom, right, top = plan.outer
    half = HIGH_MM / 2 + 0.8
    near = min(letter.at[0] - left, letter.at[1] - bottom, right - letter.at[0], top - letter.at[1])
    own = plan.profile.pitch_mm / 2 + half
    return near > half and all(
        distance_outside((x, y, x, y), letter.at) > own for x, y in plan.cells
    )
