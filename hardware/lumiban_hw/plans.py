"""Strips that a profile needs, and the socket of the base board for each."""

from __future__ import annotations

from itertools import pairwise

from lumiban.boards.profile import Profile, ProfileCell

from lumiban_hw.pcb.strip import HEIGHT_MM, StripPlan

MIN_GAP_MM = 0.2
"""Room between two strips."""
MIN_PLACE_MM = 15.0
"""A cell's parts need that much of a strip's length."""


def strips(profile: Profile) -> tuple[StripPlan, ...]:
    """The strip of each row, from socket 1 on.

    ProfileError where row strips on the base board cannot be wired as the profile says.

    >>> from lumiban.boards.profile import load
    >>> [plan.name for plan in strips(load("hex3"))]
    ['strip3', 'strip4', 'strip5', 'strip4', 'strip3']
    """
    source = profile.source
    if profile.edges:
        source.refuse("edge[0].lights", "row strips have no lights without a cell")
    plans, lights, heights = [], 0, []
    for row in range(profile.rows):
        cells = sorted((c for c in profile.cells if c.row == row), key=lambda c: c.x_mm)
        if not cells:
            source.refuse("wiring.strips", f"strip {row} has no cells")
        if len({c.y_mm for c in cells}) > 1:
            source.refuse("wiring.strips", f"the cells of strip {row} do not lie in one line")
        places = tuple(round(c.x_mm - cells[0].x_mm, 3) for c in cells)
        if any(b - a < MIN_PLACE_MM for a, b in pairwise(places)):
            source.refuse("board.pitch_mm", f"a cell needs {MIN_PLACE_MM:g} mm of its strip")
        _check_lights(profile, cells, lights)
        plans.append(StripPlan(places, tuple(c.channel for c in cells)))
        lights += len(cells)
        heights.append(cells[0].y_mm)
    heights.sort()
    for a, b in pairwise(heights):
        if b - a < HEIGHT_MM + MIN_GAP_MM:
            source.refuse(
                "board.pitch_mm",
                f"rows are {b - a:.1f} mm apart; a strip is {HEIGHT_MM:g} mm high",
            )
    return tuple(plans)


def _check_lights(profile: Profile, cells: list[ProfileCell], first: int) -> None:
    """ProfileError unless the lights of a strip run on from the strip before, to the right."""
    lights = [c.light for c in cells]
    if lights != list(range(first, first + len(cells))):
        profile.source.refuse(
            "wiring.lights",
            f"on strip {cells[0].row} lights {lights} do not follow each other from {first} on: "
            'each of our strips leads the chain back to its head, so this is "left-to-right"',
        )
