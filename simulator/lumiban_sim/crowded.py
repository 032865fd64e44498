"""Boards full of pieces, powered on as they stand: does the firmware tell every kind?

Parts, lids and magnets are off as far as their tolerances go, and pieces lie up to 1 mm beside
the middle of their cells. The board was calibrated when it was empty; nothing else helps it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import cos, hypot, pi, sin, sqrt

from lumiban.boards.profile import Profile
from lumiban_fw.wire import BLACK, EMPTY, NEUTRAL, UNKNOWN, WHITE

from lumiban_sim.built import GAP_MM, BuiltBoard, built
from lumiban_sim.motion import Place
from lumiban_sim.rig import Rig

LATERAL_MM = 1.0
ODDS = ((EMPTY, 25), (WHITE, 30), (BLACK, 30), (NEUTRAL, 15))
"""What stands on a cell, and how often of 100."""
SETTLED_US = 400_000
"""After so long a board has told all that it can."""
AROUND_PITCHES = 2.1
"""The 18 nearest neighbours lie within this."""


@dataclass(frozen=True, slots=True)
class KindReport:
    """What one board said of its cells."""

    cells: int
    wrong: tuple[tuple[int, int, int], ...]
    """(cell, kind that stands there, kind told)."""
    unknown: int
    """Cells of which it says that it does not know."""
    margins_ut: dict[int, int]
    """By kind: how near the field of such a cell came to a threshold, without noise."""


def random_board(profile: Profile, seed: int) -> KindReport:
    """A board of random parts with random pieces; the seed says which."""
    dice = random.Random(f"crowded {seed}")
    kinds, weights = zip(*ODDS, strict=True)
    stands = dice.choices(kinds, weights, k=len(profile.cells))
    aside = [LATERAL_MM * sqrt(dice.random()) for _ in stands]
    return report_kinds(profile, stands, aside, built(profile, seed), seed)


def worst_board(profile: Profile, kind: int, around: int, seed: int) -> KindReport:
    """The middle cell with `kind` far under its lid and off centre, and 18 neighbours of the kind
    `around` in the middle of their cells and near their sensors."""
    cells = len(profile.cells)
    middle = cells // 2
    gaps, aside = [-GAP_MM] * cells, [0.0] * cells
    gaps[middle], aside[middle] = GAP_MM, LATERAL_MM
    board = replace(built(profile, seed), gaps_mm=tuple(gaps))
    return report_kinds(profile, ring_of_kinds(profile, middle, kind, around), aside, board, seed)


def ring_of_kinds(profile: Profile, middle: int, kind: int, around: int) -> list[int]:
    """Kinds by cell: one in the middle, another on the cells within reach of it, else nothing."""
    here = profile.cells[middle]
    reach = AROUND_PITCHES * profile.pitch_mm
    return [
        kind
        if number == middle
        else around
        if hypot(cell.x_mm - here.x_mm, cell.y_mm - here.y_mm) <= reach
        else EMPTY
        for number, cell in enumerate(profile.cells)
    ]


def report_kinds(
    profile: Profile, stands: Sequence[int], aside_mm: Sequence[float], board: BuiltBoard, seed: int
) -> KindReport:
    """Power on a board on which these kinds stand, so far beside the middle, and listen."""
    rig = Rig(profile, seed, board=board)
    dice = random.Random(f"aside {seed}")
    for cell, (kind, far) in enumerate(zip(stands, aside_mm, strict=True)):
        if kind != EMPTY:
            middle, turn = profile.cells[cell], 2 * pi * dice.random()
            x, y = middle.x_mm + far * cos(turn), middle.y_mm + far * sin(turn)
            rig.world.appear(kind, Place(x, y, 0.0), cell=cell)
    rig.chip.reset()
    rig.run(rig.now_us + SETTLED_US)
    said = rig.chip.board.sense.kinds
    wrong = [
        (cell, kind, said[cell])
        for cell, kind in enumerate(stands)
        if said[cell] != kind and said[cell] != UNKNOWN
    ]
    return KindReport(len(stands), tuple(wrong), said.count(UNKNOWN), _margins(rig, stands))


def _margins(rig: Rig, stands: Sequence[int]) -> dict[int, int]:
    profile = rig.profile
    out: dict[int, int] = {}
    for cell, ut in enumerate(rig.world.field_ut(rig.now_us)):
        strength, kind = abs(round(ut)), stands[cell]
        if kind == EMPTY:
            margin = profile.on_ut - strength
        elif kind == NEUTRAL:
            margin = min(strength - profile.on_ut, profile.strong_ut - strength)
        else:
            margin = min(strength - profile.strong_ut, profile.foreign_ut - strength)
        out[kind] = min(margin, out.get(kind, margin))
    return out
