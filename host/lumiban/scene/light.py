"""Light as the scene gives it to boards: how each cell burns, by palette and effect."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum


class Effect(IntEnum):
    """Effect of a light; the numbers are those of the wire."""

    STEADY = 0
    BLINK = 1
    FAST_BLINK = 2
    BREATHE = 3
    PULSE = 4
    PULSE_B = 5
    PROOF = 6
    CHASE = 7


@dataclass(frozen=True, slots=True)
class LightState:
    """State of one light: an index into the palette and an effect of the wire."""

    palette: int = 0
    effect: int = 0


DARK = LightState()
"""Palette index 0 is black in every theme."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Light for each cell of the game's grid and for lights without a cell, by name."""

    cells: tuple[LightState, ...]
    edges: tuple[tuple[str, LightState], ...] = ()
    palette: tuple[tuple[int, int, int], ...] = field(default=((0, 0, 0),))
