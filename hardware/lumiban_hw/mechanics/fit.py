"""Checks of how the parts go together: screws, plugs, base board, openings.

Measured on the parts' files against the holes and plugs of the circuit boards' drawings.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from lumiban_hw.kit import Finding
from lumiban_hw.mechanics import box
from lumiban_hw.mechanics.box import BoxGeometry, grown
from lumiban_hw.mechanics.field import OFF_MM, ledges_of, posts_of, ring_top
from lumiban_hw.mechanics.flat import Circle
from lumiban_hw.mechanics.made import Parts
from lumiban_hw.mechanics.mesh import Spot

LEAST_BITE_MM = 2.0
"""How much of a screw must have cut its thread."""


def check(plan: BoxGeometry, parts: Parts) -> list[Finding]:
    """What does not go together."""
    return [
        *_strips(plan, parts),
        *_long_enough(plan, parts),
        *_rim(plan, parts),
        *_ledges(plan, parts),
        *_plugs(plan, parts),
        *_below(plan, parts),
        *_openings(plan, parts),
    ]


def _nearest(spot: Spot, holes: Iterable[Circle]) -> tuple[float, float]:
    """Distance and diameter of the nearest hole."""
    near = min(holes, key=lambda hole: math.dist(hole[0], spot), default=((1e9, 1e9), 0.0))
    return math.dist(near[0], spot), near[1]


def _bored(
    about: str, what: str, spot: Spot, holes: Sequence[Circle], wide: tuple[float, float]
) -> list[Finding]:
    """A finding unless a hole of about this width (least, greatest) lies at the place."""
    off, there = _nearest(spot, holes)
    if off <= OFF_MM and wide[0] <= there <= wide[1]:
        return []
    said = {"what": what, "at": f"{spot[0]:.1f}, {spot[1]:.1f}"}
    if off > 3:
        return [Finding(about, "box.no-screw", said)]
    return [Finding(about, "box.screw", {**said, "off": f"{off:.2f}", "wide": f"{there:.2f}"})]


def _strips(plan: BoxGeometry, parts: Parts) -> list[Finding]:
    """Deck and grid have a bore at each hole of each strip."""
    deck, grid = parts["deck"], parts["grid"]
    below, above = deck.at(deck.high / 2).holes, grid.at(grid.high / 2).holes
    found = []
    for row in plan.rows:
        what = f"strip {row.number}"
        head, *others = row.holes
        found += _bored("deck", what, head, below, (1.5, 1.9))
        for hole in others:
            found += _bored("deck", what, hole, below, (2.0, 2.4))
            found += _bored("grid", what, hole, above, (1.5, 1.9))
    return found


def _long_enough(plan: BoxGeometry, parts: Parts) -> list[Finding]:
    """The screws from below bite into the grid and do not come out of it."""
    bite = box.M2_LONG - parts["deck"].high - plan.stack.board_mm
    if LEAST_BITE_MM <= bite <= parts["grid"].high:
        return []
    said = {"long": f"{box.M2_LONG:g}", "bite": f"{bite:.1f}", "grid": f"{parts['grid'].high:.1f}"}
    return [Finding("grid", "box.length", said)]


def _rim(plan: BoxGeometry, parts: Parts) -> list[Finding]:
    """Each screw of the rim goes through both sheets into a post, beside the deck."""
    tray, deck = parts["tray"], parts["deck"]
    top = plan.room + box.TRAY_MM + box.DECK_MM + plan.stack.board_mm
    into = tray.at(top).holes
    beside = deck.at(deck.high / 2)
    free = (3.1, 3.7)
    found = []
    posts = posts_of(parts)
    if len(posts) < 4:
        found.append(Finding("floor", "box.screws", {"count": str(len(posts))}))
    for spot in posts:
        for name in ("recess", "rim"):
            part = parts[name]
            holes = part.at(min(part.high / 2, 1.0)).holes
            found += _bored(name, "rim", spot, holes, free)
        found += _bored("tray", "rim", spot, into, (2.2, 2.8))
        if beside.touches(grown((*spot, *spot), box.POST_MM / 2 * 0.7)):
            said = {"what": "rim", "at": f"{spot[0]:.1f}, {spot[1]:.1f}"}
            found.append(Finding("deck", "box.post", said))
    return found


def _ledges(plan: BoxGeometry, parts: Parts) -> list[Finding]:
    """The deck's own screws end in ledges that all carry it at one height."""
    tray = parts["tray"]
    height = box.TRAY_MM + plan.room
    holes = tray.at(height - 2).holes
    found = []
    for spot in ledges_of(parts):
        found += _bored("tray", "deck", spot, holes, (2.2, 2.8))
        reach = ring_top(tray, spot)
        if abs(reach - height) > OFF_MM:
            said = {"at": f"{spot[0]:.1f}, {spot[1]:.1f}", "high": f"{reach:.1f}"}
            found.append(Finding("tray", "box.ledge", {**said, "meant": f"{height:.1f}"}))
    return found


def _plugs(plan: BoxGeometry, parts: Parts) -> list[Finding]:
    """Plugs hang through the deck and clear of the tray; so do the screws' heads."""
    deck, tray = parts["deck"], parts["tray"]
    middle, under = deck.at(deck.high / 2), tray.at(box.TRAY_MM + plan.room - 1)
    found = []
    for row in plan.rows:
        what = {"strip": str(row.number)}
        if middle.touches(grown(row.plug, 0.5)):
            found.append(Finding("deck", "box.plug", what))
        if under.touches(grown(row.plug, box.PLUG_ROOM_MM)):
            found.append(Finding("tray", "box.plug", what))
        for x, y in row.holes[1:]:
            if under.touches(grown((x, y, x, y), box.M2_HEAD / 2)):
                found.append(Finding("tray", "box.head", {"at": f"{x:.1f}, {y:.1f}"}))
    return found


def _below(plan: BoxGeometry, parts: Parts) -> list[Finding]:
    """What stands on the tray's floor has its posts, and nothing else in its way."""
    tray = parts["tray"]
    stand = box.TRAY_MM + box.BASE_STAND_MM
    wide = (1.5, 1.9) if plan.alone else (2.2, 2.8)
    holes = tray.at(stand - 1).holes
    found = []
    for spot in plan.below_bores:
        found += _bored("tray", "pico" if plan.alone else "base", spot, holes, wide)
    for z in (stand + 0.3, stand + 10, box.TRAY_MM + plan.room - 1):
        if tray.at(z).touches(plan.below):
            found.append(Finding("tray", "box.below", {"high": f"{z - box.TRAY_MM:.1f}"}))
            break
    return found


def _openings(plan: BoxGeometry, parts: Parts) -> list[Finding]:
    """USB plug, cable and buttons find their openings in the walls."""
    tray = parts["tray"]
    left, bottom, right, top = plan.inner
    wall = box.TRAY_MM / 2
    y, z = plan.usb
    places = [("usb", (right + wall, y), z, box.USB_MM[0] / 2 - 1)]
    if plan.gland:
        y, z = plan.gland
        places.append(("cable", (left - wall, y), z, box.GLAND_MM / 2 - 1))
    for x, side in plan.buttons:
        at = (x, bottom - wall if side < 0 else top + wall)
        places.append(("button", at, plan.room / 2, box.BUTTON_MM / 2 - 1))
    found = []
    for what, (x, y), z, reach in places:
        section = tray.at(box.TRAY_MM + z)
        along = (0.0, reach) if what != "button" else (reach, 0.0)
        spots = [(x + k * along[0], y + k * along[1]) for k in (-1, 0, 1)]
        if any(section.holds(*spot) for spot in spots):
            found.append(Finding("tray", "box.opening", {"what": what}))
    return found
