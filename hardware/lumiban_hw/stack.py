"""The sizes that box, pieces and magnetic model share: what lies above what, and how wide.

From the top of a strip's circuit board upwards: the light grid, the plate's floor of opal, in which
light spreads, then the recess sheet, in whose holes the pieces stand. A piece has a skin under its
magnet. Designed; nothing of it was printed or measured yet.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stack:
    """Sizes in mm. Those told from a data sheet are marked so."""

    board_mm: float = 1.6
    """Thickness of a circuit board."""
    hall_mm: float = 0.65
    """The Hall element above the board: a SOT-23's chip lies near the middle of its height (data
    sheet, 1.12 at most)."""
    grid_mm: float = 4.0
    """Height of the light grid: from the circuit board to the plate."""
    floor_mm: float = 2.0
    """Thickness of the opal floor under a piece."""
    recess_mm: float = 1.0
    """Depth of a recess: the thickness of the sheet above the floor."""
    recess_wide_mm: float = 19.0
    """Diameter of a recess."""
    piece_wide_mm: float = 18.0
    """Diameter of the circle that no piece leaves."""
    skin_mm: float = 0.6
    """Plastic between the magnet and the plate's floor."""
    least_wall_mm: float = 0.6
    """Least plastic on any side of a magnet."""
    pocket_mm: float = 0.2
    """Clearance of a magnet's pocket around the magnet, in width and height."""
    play_mm: float = 0.2
    """Room on each side between printed parts that go together."""
    bed_mm: float = 220.0
    """Width and depth of the printer's bed."""


STACK = Stack()
"""The sizes of every board that is built."""
GAP_SLACK_MM = 0.25
"""Largest difference between the drawn gap and the profile's: half of the tolerance that margins
are reckoned with (`Tolerances.gap_mm`), the other half is left to printer, plate and solder."""


def gap_mm(stack: Stack = STACK) -> float:
    """From the Hall element to the face of a seated piece's magnet, which lies on its skin.

    >>> gap_mm()
    5.95
    """
    return round(stack.grid_mm + stack.floor_mm + stack.skin_mm - stack.hall_mm, 3)
