"""Geometry of a box: places of strips, cells, base board, posts, screws, openings, letters.

Millimetres from the board's middle, x to the right, y **up** (as slicers show it; profiles and
circuit boards count y down), z from the top of the strips' circuit boards. From below:

- the tray: floor, walls, posts; the base board stands on its floor;
- the deck: a sheet on which the strips lie, with windows for their plugs;
- the light grid on the strips, held with them by screws from below the deck;
- the floor of opal and the recess sheet;
- the rim, whose screws go through both into posts of the tray.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from lumiban.boards.profile import Profile

from lumiban_hw import electronics
from lumiban_hw.mechanics.mesh import Spot
from lumiban_hw.pcb.base import OUTLINE
from lumiban_hw.pcb.drawing import Board, Placed
from lumiban_hw.plans import strips
from lumiban_hw.stack import STACK, Stack

Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""

GRID_WALL_MM = 1.2
DECK_MM = 3.0
RIM_MM = 2.0
RELIEF_MM = 0.6
TRAY_MM = 2.4
"""Floor and walls of the tray."""
MARGIN_MM = 9.0
"""From the strips to the tray's wall: room for posts."""
BASE_BEFORE_MM = 16.0
"""At the least from the base board's left edge to the wall: room for a cable and its gland."""
BASE_OFF_CUT_MM = 12.0
"""From the middle of a tray that is cut across to the base board."""
ROOM_MM = 26.0
"""Under the deck: the base board with plugs and ribbons."""
ROOM_WITH_PLUGS_MM = 40.0
"""The same where a strip's plug hangs over the base board."""
POST_MM = 8.0
BASE_STAND_MM = 5.0
BASE_POST_MM = 7.0
BASE_ASIDE_MM = 3.0
"""From the base board's right edge to the wall, in which the Pico's USB plug has its opening."""
PLUG_ROOM_MM = 2.0
"""Around a strip's plug, for the ribbon's socket and fingers."""
BUTTON_DEEP_MM = 26.0
BUTTON_MM = 12.2
"""For push buttons of 12 mm."""
GLAND_MM = 12.5
"""For a cable gland PG7."""
USB_MM = (14.0, 12.0)
USB_ABOVE_MM = 13.3
"""The middle of the Pico's USB plug above the board it stands on, in sockets."""
PICO_MM = (51.0, 21.0)
PICO_BORES = (47.0, 11.4)
M2_FREE, M2_BITE, M2_LONG = 2.2, 1.7, 8.0
"""Screws that join deck, strip and grid: free hole, hole they cut their thread in, length."""
M2_HEAD = 4.2
M3_FREE, M3_BITE = 3.4, 2.5
BOSS_MM = 5.0
NOTCH_MM = 2.2
"""Height in mm that the grid leaves free for soldered tails and parts in its walls' way."""
NOTCH_ROUND_MM = 0.5


@dataclass(frozen=True)
class Row:
    """A strip in the box: its drawing, and where its first sensor lies."""

    number: int
    board: Board
    x: float
    y: float

    def on(self, spot: Spot) -> Spot:
        """A place of the strip's drawing in the box."""
        return round(self.x + spot[0], 4), round(self.y - spot[1], 4)

    def area(self, part: Placed) -> Box:
        """The box that a part's body takes."""
        left, top, right, bottom = part.land.body
        a, b = self.on(part.at(left, top)), self.on(part.at(right, bottom))
        return min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])

    @cached_property
    def outline(self) -> Box:
        """The strip's own edges."""
        left, top, right, bottom = self.board.outline
        return self.x + left, self.y - bottom, self.x + right, self.y - top

    @cached_property
    def plug(self) -> Box:
        """The box of the plug, which hangs below."""
        return self.area(self.board.part("J1"))

    @cached_property
    def tails(self) -> tuple[Spot, ...]:
        """Places where the plug's wires come up."""
        plug = self.board.part("J1")
        return tuple(self.on(plug.at(pad.x, pad.y)) for pad in plug.land.pads)

    @cached_property
    def holes(self) -> tuple[Spot, ...]:
        """The strip's screw holes: the head's first, then those between cells."""
        return tuple(self.on(hole.at) for hole in self.board.holes)


@dataclass(frozen=True)
class BoxGeometry:
    """All places of a box; made by `box_geometry`."""

    profile: Profile
    stack: Stack
    rows: tuple[Row, ...]

    @cached_property
    def cells(self) -> tuple[Spot, ...]:
        """The middle of each cell, by cell number."""
        return tuple((cell.x_mm, -cell.y_mm or 0.0) for cell in self.profile.cells)

    @cached_property
    def shape(self) -> tuple[Spot, ...]:
        """The corners of a cell around its middle, anticlockwise."""
        pitch = self.profile.pitch_mm
        if self.profile.grid.is_hex:
            far = pitch / math.sqrt(3)
            turns = [math.radians(30 + 60 * k) for k in range(6)]
            return tuple((far * math.cos(turn), far * math.sin(turn)) for turn in turns)
        half = pitch / 2
        return ((half, half), (-half, half), (-half, -half), (half, -half))

    def corners(self, cell: int) -> tuple[Spot, ...]:
        """The corners of a cell."""
        x, y = self.cells[cell]
        return tuple((round(x + dx, 3), round(y + dy, 3)) for dx, dy in self.shape)

    @property
    def alone(self) -> bool:
        """True if a single strip is wired to a Pico by hand, without a base board."""
        return len(self.rows) == 1

    @cached_property
    def field(self) -> Box:
        """The box around all cells."""
        across, down = (max(side) for side in zip(*self.shape, strict=True))
        xs, ys = zip(*self.cells, strict=True)
        return min(xs) - across, min(ys) - down, max(xs) + across, max(ys) + down

    @cached_property
    def inner(self) -> Box:
        """The tray's inside."""
        outlines = [row.outline for row in self.rows]
        # Between the corners of hexagons there is room for posts.
        rim = 5.0 if self.profile.grid.is_hex else MARGIN_MM
        left = min(min(o[0] for o in outlines) - MARGIN_MM, self.field[0] - rim)
        bottom = min(min(o[1] for o in outlines) - MARGIN_MM, self.field[1] - rim)
        right = max(max(o[2] for o in outlines) + MARGIN_MM, self.field[2] + rim)
        top = max(max(o[3] for o in outlines) + MARGIN_MM, self.field[3] + rim)
        if self.alone:
            return left, bottom, right, top
        base = electronics.base_parts(self.profile.pins).outline
        wide = base[2] - base[0] + BASE_ASIDE_MM + BASE_BEFORE_MM
        high = base[3] - base[1] + 2 * BUTTON_DEEP_MM
        more, over = max(0.0, wide - (right - left)) / 2, max(0.0, high - (top - bottom)) / 2
        return left - more, bottom - over, right + more, top + over

    @cached_property
    def outer(self) -> Box:
        """The tray's outside, which is the rim's and the laser sheets' too."""
        left, bottom, right, top = self.inner
        return left - TRAY_MM, bottom - TRAY_MM, right + TRAY_MM, top + TRAY_MM

    @cached_property
    def sheet(self) -> Box:
        """The edges of the sheets that lie inside the tray."""
        left, bottom, right, top = self.inner
        play = self.stack.play_mm
        return left + play, bottom + play, right - play, top - play

    @cached_property
    def base(self) -> Board | None:
        """The base board's drawing, where there is one."""
        return None if self.alone else electronics.base_parts(self.profile.pins)

    def on_base(self, spot: Spot) -> Spot:
        """A place of the base board's drawing in the box."""
        _, top, right, bottom = OUTLINE
        _, low, edge, high = self.inner
        x = edge - BASE_ASIDE_MM - right + spot[0]
        y = (low + high) / 2 + (top + bottom) / 2 - spot[1]
        if self.outer[3] - self.outer[1] > self.stack.bed_mm:  # out of the way of the tray's cut
            half = (bottom - top) / 2
            y += min(half + BASE_OFF_CUT_MM, (high - low) / 2 - BUTTON_DEEP_MM - half)
        return round(x, 3), round(y, 3)

    @cached_property
    def below(self) -> Box:
        """Part that stands on the tray's floor: the base board, or a Pico."""
        if self.alone:
            _, low, edge, high = self.inner
            wide, deep = PICO_MM
            y = (low + high) / 2
            return edge - BASE_ASIDE_MM - wide, y - deep / 2, edge - BASE_ASIDE_MM, y + deep / 2
        left, top, right, bottom = OUTLINE
        return (*self.on_base((left, bottom)), *self.on_base((right, top)))

    @cached_property
    def below_bores(self) -> tuple[Spot, ...]:
        """The screw holes of what stands on the floor."""
        if self.base is not None:
            return tuple(self.on_base(hole.at) for hole in self.base.holes)
        left, low, right, high = self.below
        x, y = (left + right) / 2, (low + high) / 2
        return tuple(
            (x + sx * PICO_BORES[0] / 2, y + sy * PICO_BORES[1] / 2)
            for sx in (-1, 1)
            for sy in (-1, 1)
        )

    @property
    def usb(self) -> Spot:
        """The middle of the USB plug's opening in the right wall: y, and z above the floor."""
        if self.base is None:
            _, low, _, high = self.below
            return (low + high) / 2, BASE_STAND_MM + 2.4
        pico = self.base.part("A1")
        y = self.on_base((pico.x, pico.y))[1]
        return y, BASE_STAND_MM + self.stack.board_mm + USB_ABOVE_MM

    @cached_property
    def room(self) -> float:
        """From the tray's floor to the deck."""
        if not self.alone and any(meets(row.plug, self.below) for row in self.rows):
            return ROOM_WITH_PLUGS_MM
        return ROOM_MM

    @property
    def gland(self) -> Spot | None:
        """The cable's opening in the left wall: y, and z above the floor; none without a base."""
        if self.base is None:
            return None
        terminal = self.base.part("J20")
        return self.on_base(terminal.pad("2"))[1], self.room / 2

    @property
    def buttons(self) -> tuple[Spot, ...]:
        """Openings for buttons: x, and -1 for the near wall or 1 for the far one."""
        if self.alone:
            return ()
        return tuple((x, side) for side in (-1.0, 1.0) for x in (-30.0, 30.0))

    @cached_property
    def windows(self) -> tuple[Box, ...]:
        """Openings of the deck, for plugs and fingers."""
        return tuple(grown(row.plug, 1.5) for row in self.rows)

    @cached_property
    def notches(self) -> tuple[Box, ...]:
        """Room that the grid's walls leave below: for tails and parts in the strips' heads."""
        boxes = []
        for row in self.rows:
            for part in row.board.parts:
                if part.land.below:
                    xs, ys = zip(*row.tails, strict=True)
                    boxes.append(grown((min(xs), min(ys), max(xs), max(ys)), 0.85 + NOTCH_ROUND_MM))
                elif part.part.number and part.x < -5:
                    boxes.append(grown(_with_pads(row, part), NOTCH_ROUND_MM))
        return tuple(boxes)


def box_geometry(profile: Profile, stack: Stack = STACK) -> BoxGeometry:
    """The places of a profile's box; ProfileError where its strips cannot be made.

    >>> from lumiban.boards.profile import load
    >>> [round(side, 1) for side in box_geometry(load("strip5")).outer]
    [-94.4, -22.1, 73.4, 22.1]
    """
    rows = []
    for number, one in enumerate(strips(profile)):
        first = min((c for c in profile.cells if c.row == number), key=lambda c: c.x_mm)
        rows.append(Row(number, electronics.strip_parts(one), first.x_mm, -first.y_mm or 0.0))
    return BoxGeometry(profile, stack, tuple(rows))


def _with_pads(row: Row, part: Placed) -> Box:
    """A part's body and its soldered pads."""
    boxes = [row.area(part)]
    for pad in part.land.pads:
        a = row.on(part.at(pad.x - pad.width / 2, pad.y - pad.height / 2))
        b = row.on(part.at(pad.x + pad.width / 2, pad.y + pad.height / 2))
        boxes.append((min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])))
    lefts, bottoms, rights, tops = zip(*boxes, strict=True)
    return min(lefts), min(bottoms), max(rights), max(tops)


def grown(box: Box, by: float) -> Box:
    """A box with `by` more on each side."""
    left, bottom, right, top = box
    return round(left - by, 3), round(bottom - by, 3), round(right + by, 3), round(top + by, 3)


def meets(a: Box, b: Box) -> bool:
    """True if two boxes overlap."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def distance_outside(box: Box, spot: Spot) -> float:
    """Distance of a place from a box; 0 inside."""
    dx = max(box[0] - spot[0], 0.0, spot[0] - box[2])
    dy = max(box[1] - spot[1], 0.0, spot[1] - box[3])
    return math.hypot(dx, dy)
