"""Checks of a printed box: what player and sensor meet, how parts fit together, each body alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from lumiban_hw.kit import Finding
from lumiban_hw.mechanics import box
from lumiban_hw.mechanics.box import GRID_WALL_MM, Box, BoxGeometry, Row, grown
from lumiban_hw.mechanics.flat import Circle
from lumiban_hw.mechanics.letters import Letter
from lumiban_hw.mechanics.mesh import Made, Mesh, Parts, Section, Spot, area
from lumiban_hw.pcb.drawing import Placed
from lumiban_hw.stack import GAP_SLACK_MM

OFF_MM = 0.1
"""Largest distance in mm of a measured place or diameter from the intended one."""
MIN_VISIBLE = 0.4
"""Of a cell's area, beside a piece that stands on it."""
AROUND_MM = 0.3
"""Room between a part on a strip and the grid."""
HEIGHTS_MM = {
    "0603": 0.95, "0805": 1.45, "SOT-23": 1.15, "SOT-23-5": 1.45, "TSSOP-24": 1.2, "WS2812B": 1.6,
    "Box14below": 2.0,
}  # fmt: skip
"""Greatest height of a part above a strip, by land pattern (data sheets); tails of the plug are
cut to 2 mm."""
SCAN_MM = 0.4


def sensors(rows: Iterable[Row]) -> dict[str, Spot]:
    """Each sensor's place in the box, from the strips' drawings: by strip and part."""
    return {
        f"strip {row.number} {part.ref}": row.on(part.at(0, 0))
        for row in rows
        for part in row.board.parts
        if part.part.value == "DRV5055A3"
    }


def recesses(
    name: str, circles: Sequence[Circle], meant: dict[str, Spot], wide: float
) -> list[Finding]:
    """Recesses, as measured, against the sensors below them; smaller holes are for screws."""
    left = [circle for circle in circles if circle[1] > wide * 0.8]
    findings = []
    for sensor, spot in meant.items():
        if not left:
            findings.append(Finding(name, "box.recess", {"sensor": sensor}))
            continue
        near = min(left, key=lambda circle: math.dist(circle[0], spot))
        off = math.dist(near[0], spot)
        if off > wide / 2:
            findings.append(Finding(name, "box.recess", {"sensor": sensor}))
            continue
        left.remove(near)
        if off > OFF_MM:
            findings.append(Finding(name, "box.off", {"sensor": sensor, "off": f"{off:.2f}"}))
        if abs(near[1] - wide) > OFF_MM:
            params = {"sensor": sensor, "wide": f"{near[1]:.2f}", "meant": f"{wide:g}"}
            findings.append(Finding(name, "box.wide", params))
    for (x, y), _ in left:
        findings.append(Finding(name, "box.extra", {"at": f"{x:.1f}, {y:.1f}"}))
    return findings


def farthest(circles: Sequence[Circle], meant: dict[str, Spot]) -> float:
    """The greatest distance of a sensor from the nearest circle, in mm; -1 without circles."""
    return max(
        min((math.dist(c[0], spot) for c in circles), default=-1.0) for spot in meant.values()
    )


def gap(plan: BoxGeometry, parts: Parts) -> float:
    """From Hall element to magnet, by the measured heights of grid and floor, in mm.

    Posts that reach higher than the grid lift the floor.
    """
    stack = plan.stack
    lifted = max(0.0, post_above(plan, parts))
    under = parts["grid"].high + lifted + parts["floor"].high
    return round(under + stack.skin_mm - stack.hall_mm, 3)


def post_above(plan: BoxGeometry, parts: Parts) -> float:
    """Height in mm of the tall posts above the grid, whose strips lie on deck and ledges."""
    tray, deck = parts["tray"], parts["deck"]
    posts = posts_of(parts)
    if not posts:
        return 0.0
    carried = max((ring_top(tray, spot) for spot in ledges_of(parts)), default=0.0)
    tall = max(ring_top(tray, spot) for spot in posts)
    return tall - carried - deck.high - plan.stack.board_mm - parts["grid"].high


def ring_top(tray: Made, spot: Spot) -> float:
    """Height of a post around its bore."""
    return max(tray.top_at((spot[0] + dx, spot[1] + dy)) for dx, dy in ((2.6, 0.1), (-2.6, 0.1)))


def posts_of(parts: Parts) -> list[Spot]:
    """Places of the floor sheet's screw holes, as measured."""
    floor = parts["floor"]
    return [spot for spot, wide in floor.at(floor.high / 2).holes if wide < 6]


def ledges_of(parts: Parts) -> list[Spot]:
    """Places of the deck's holes for the ledges' screws, as measured."""
    deck = parts["deck"]
    return [spot for spot, wide in deck.at(deck.high / 2).holes if 3 < wide < 4]


def check_field(plan: BoxGeometry, letters: Sequence[Letter], parts: Parts) -> list[Finding]:
    """Faults of the field."""
    grid, recess = parts["grid"], parts["recess"]
    meant = sensors(plan.rows)
    circles = recess.at(recess.high / 2).holes
    findings = recesses("recess", circles, meant, plan.stack.recess_wide_mm)
    measured = gap(plan, parts)
    if not (
        abs(measured - plan.profile.gap_mm) <= GAP_SLACK_MM
        and abs(measured + plan.stack.pocket_mm - plan.profile.gap_mm) <= GAP_SLACK_MM
    ):
        params = {"gap": f"{measured:.2f}", "meant": f"{plan.profile.gap_mm:g}"}
        findings.append(Finding("floor", "box.gap", {**params, "slack": f"{GAP_SLACK_MM:g}"}))
    above = post_above(plan, parts)
    if abs(above) > OFF_MM:
        findings.append(Finding("tray", "box.level", {"by": f"{above:.2f}"}))
    if abs(recess.high - plan.stack.recess_mm) > OFF_MM:
        params = {"deep": f"{recess.high:.2f}", "meant": f"{plan.stack.recess_mm:g}"}
        findings.append(Finding("recess", "box.deep", params))
    floor = parts["floor"].at(parts["floor"].high / 2)
    names = plan.profile.grid.names
    for cell, spot in enumerate(plan.cells):
        if not floor.holds(*spot):
            findings.append(Finding("floor", "box.floor", {"cell": names[cell]}))
    for cell, share in enumerate(visible(plan, parts)):
        if share < MIN_VISIBLE:
            params = {"cell": names[cell], "percent": f"{100 * share:.0f}"}
            findings.append(
                Finding("grid", "box.visible", {**params, "least": f"{100 * MIN_VISIBLE:g}"})
            )
    findings += _leaks(plan, grid)
    for row in plan.rows:
        for part in row.board.parts:
            findings += _stands_free(row, part, grid)
    rim = parts["rim"]
    relief = rim.at(rim.high - 0.2)
    for letter in letters:
        ends = [spot for stroke in letter.strokes for spot in stroke]
        if not all(relief.holds(*spot) for spot in ends):
            x, y = letter.at
            findings.append(
                Finding("rim", "box.letter", {"sign": letter.words, "at": f"{x:.0f}, {y:.0f}"})
            )
    return findings


def visible(plan: BoxGeometry, parts: Parts) -> list[float]:
    """By cell the share of its area that shines beside a piece, between walls and under the rim.

    Measured along lines `SCAN_MM` apart.
    """
    top = parts["grid"].at(parts["grid"].high - 0.1)
    rim = parts["rim"].at(0.5)
    reach = plan.stack.piece_wide_mm / 2
    whole = area(plan.shape)
    shares = []
    for cell, (x0, y0) in enumerate(plan.cells):
        corners = plan.corners(cell)
        high = max(y for _, y in corners)
        count = math.ceil((high - y0) * 2 / SCAN_MM)
        step = (high - y0) * 2 / count
        free = 0.0
        for k in range(count):
            y = high - (k + 0.5) * step
            chord = _chord(corners, y)
            taken = [*top.spans(y), *rim.spans(y)]
            half = reach**2 - (y - y0) ** 2
            if half > 0:
                taken.append((x0 - math.sqrt(half), x0 + math.sqrt(half)))
            free += _rest(chord, taken) * step
        shares.append(free / whole)
    return shares


def _chord(corners: Sequence[Spot], y: float) -> Spot:
    """Points at which a line along x enters and leaves a convex outline."""
    xs = [
        ax + (y - ay) / (by - ay) * (bx - ax)
        for (ax, ay), (bx, by) in pairwise([*corners, corners[0]])
        if (ay > y) != (by > y)
    ]
    return (min(xs), max(xs)) if xs else (0.0, 0.0)


def _rest(chord: Spot, taken: Iterable[Spot]) -> float:
    """Length left of a line when spans are taken from it."""
    here, end = chord
    rest = 0.0
    for a, b in sorted(taken):
        if b <= here or a >= end:
            continue
        rest += max(0.0, a - here)
        here = max(here, b)
    return rest + max(0.0, end - here)


def _leaks(plan: BoxGeometry, grid: Made) -> list[Finding]:
    """Borders between neighbouring cells without a wall along them; below, half may be notched."""
    findings = []
    names = plan.profile.grid.names
    high, low = grid.at(grid.high - 0.5), grid.at(0.8)
    for cell, near in enumerate(plan.profile.grid.neighbours):
        for other in near:
            if other < cell:
                continue
            border = _border(plan, cell, other)
            spots = [_between(*border, k / 8) for k in range(1, 8)]
            upper = sum(_walled(high, spot) for spot in spots)
            lower = sum(_walled(low, spot) for spot in spots)
            if upper < len(spots) or lower * 2 < len(spots):
                params = {"cell": names[cell], "other": names[other]}
                findings.append(Finding("grid", "box.leak", params))
    return findings


def _border(plan: BoxGeometry, cell: int, other: int) -> tuple[Spot, Spot]:
    """The corners that two cells share."""
    there = plan.corners(other)
    a, b = [c for c in plan.corners(cell) if any(math.dist(c, d) < 0.05 for d in there)]
    return a, b


def _between(a: Spot, b: Spot, part: float) -> Spot:
    return a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])


def _walled(section: Section, spot: Spot) -> bool:
    """True if a wall is there; at a cut it may stand half its thickness aside."""
    x, y = spot
    half = GRID_WALL_MM / 2
    return any(
        section.holds(x + dx, y + dy) for dx, dy in ((0, 0), (half, 0), (-half, 0), (0, half))
    )


def _stands_free(row: Row, part: Placed, grid: Made) -> list[Finding]:
    """Findings where a part of a strip is not clear of the grid's walls; lights and sensors to the
    top."""
    if not part.part.number:
        return []
    high = HEIGHTS_MM[part.part.land]
    areas = bodies_of(row, part)
    levels = [0.2, high / 2, high + 0.1]
    if part.part.land in ("WS2812B", "SOT-23"):
        levels.append(grid.high - 0.2)
    if any(grid.at(z).touches(box) for z in levels if z < grid.high for box in areas):
        where = f"strip {row.number} {part.ref}"
        return [Finding("grid", "box.wall", {"part": where, "high": f"{high:g}"})]
    return []


def bodies_of(row: Row, part: Placed) -> list[Box]:
    """The boxes that a part takes above its strip: its body, or the tails of a plug from below."""
    if part.land.below:
        return [grown((x, y, x, y), 0.5 + AROUND_MM) for x, y in row.tails]
    return [grown(row.area(part), AROUND_MM)]


# Checks of how the parts go together: screws, plugs, base board, openings. Measured on the parts'
# files against the holes and plugs of the circuit boards' drawings.

MIN_BITE_MM = 2.0
"""Least length in mm of a screw that must have cut its thread."""


def check_fit(plan: BoxGeometry, parts: Parts) -> list[Finding]:
    """Findings where parts do not fit together."""
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
    params = {"what": what, "at": f"{spot[0]:.1f}, {spot[1]:.1f}"}
    if off > 3:
        return [Finding(about, "box.no-screw", params)]
    return [Finding(about, "box.screw", {**params, "off": f"{off:.2f}", "wide": f"{there:.2f}"})]


def _strips(plan: BoxGeometry, parts: Parts) -> list[Finding]:
    """Deck and grid have a bore at each hole of each strip."""
    deck, grid = parts["deck"], parts["grid"]
    below, above = deck.at(deck.high / 2).holes, grid.at(grid.high / 2).holes
    findings = []
    for row in plan.rows:
        what = f"strip {row.number}"
        head, *others = row.holes
        findings += _bored("deck", what, head, below, (1.5, 1.9))
        for hole in others:
            findings += _bored("deck", what, hole, below, (2.0, 2.4))
            findings += _bored("grid", what, hole, above, (1.5, 1.9))
    return findings


def _long_enough(plan: BoxGeometry, parts: Parts) -> list[Finding]:
    """The screws from below bite into the grid and do not come out of it."""
    bite = box.M2_LONG - parts["deck"].high - plan.stack.board_mm
    if MIN_BITE_MM <= bite <= parts["grid"].high:
        return []
    params = {
        "long": f"{box.M2_LONG:g}",
        "bite": f"{bite:.1f}",
        "grid": f"{parts['grid'].high:.1f}",
    }
    return [Finding("grid", "box.length", params)]


def _rim(plan: BoxGeometry, parts: Parts) -> list[Finding]:
    """Each screw of the rim goes through both sheets into a post, beside the deck."""
    tray, deck = parts["tray"], parts["deck"]
    top = plan.room + box.TRAY_MM + box.DECK_MM + plan.stack.board_mm
    into = tray.at(top).holes
    beside = deck.at(deck.high / 2)
    free = (3.1, 3.7)
    findings = []
    posts = posts_of(parts)
    if len(posts) < 4:
        findings.append(Finding("floor", "box.screws", {"count": str(len(posts))}))
    for spot in posts:
        for name in ("recess", "rim"):
            part = parts[name]
            holes = part.at(min(part.high / 2, 1.0)).holes
            findings += _bored(name, "rim", spot, holes, free)
        findings += _bored("tray", "rim", spot, into, (2.2, 2.8))
        if beside.touches(grown((*spot, *spot), box.POST_MM / 2 * 0.7)):
            params = {"what": "rim", "at": f"{spot[0]:.1f}, {spot[1]:.1f}"}
            findings.append(Finding("deck", "box.post", params))
    return findings


def _ledges(plan: BoxGeometry, parts: Parts) -> list[Finding]:
    """The deck's own screws end in ledges that all carry it at one height."""
    tray = parts["tray"]
    height = box.TRAY_MM + plan.room
    holes = tray.at(height - 2).holes
    findings = []
    for spot in ledges_of(parts):
        findings += _bored("tray", "deck", spot, holes, (2.2, 2.8))
        reach = ring_top(tray, spot)
        if abs(reach - height) > OFF_MM:
            params = {"at": f"{spot[0]:.1f}, {spot[1]:.1f}", "high": f"{reach:.1f}"}
            findings.append(Finding("tray", "box.ledge", {**params, "meant": f"{height:.1f}"}))
    return findings


def _plugs(plan: BoxGeometry, parts: Parts) -> list[Finding]:
    """Plugs hang through the deck and clear of the tray; so do the screws' heads."""
    deck, tray = parts["deck"], parts["tray"]
    middle, under = deck.at(deck.high / 2), tray.at(box.TRAY_MM + plan.room - 1)
    findings = []
    for row in plan.rows:
        what = {"strip": str(row.number)}
        if middle.touches(grown(row.plug, 0.5)):
            findings.append(Finding("deck", "box.plug", what))
        if under.touches(grown(row.plug, box.PLUG_ROOM_MM)):
            findings.append(Finding("tray", "box.plug", what))
        for x, y in row.holes[1:]:
            if under.touches(grown((x, y, x, y), box.M2_HEAD / 2)):
                findings.append(Finding("tray", "box.head", {"at": f"{x:.1f}, {y:.1f}"}))
    return findings


def _below(plan: BoxGeometry, parts: Parts) -> list[Finding]:
    """Findings where the part on the tray's floor lacks its posts, or has something in its way."""
    tray = parts["tray"]
    stand = box.TRAY_MM + box.BASE_STAND_MM
    wide = (1.5, 1.9) if plan.alone else (2.2, 2.8)
    holes = tray.at(stand - 1).holes
    findings = []
    for spot in plan.below_bores:
        findings += _bored("tray", "pico" if plan.alone else "base", spot, holes, wide)
    for z in (stand + 0.3, stand + 10, box.TRAY_MM + plan.room - 1):
        if tray.at(z).touches(plan.below):
            findings.append(Finding("tray", "box.below", {"high": f"{z - box.TRAY_MM:.1f}"}))
            break
    return findings


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
    findings = []
    for what, (x, y), z, reach in places:
        section = tray.at(box.TRAY_MM + z)
        along = (0.0, reach) if what != "button" else (reach, 0.0)
        spots = [(x + k * along[0], y + k * along[1]) for k in (-1, 0, 1)]
        if any(section.holds(*spot) for spot in spots):
            findings.append(Finding("tray", "box.opening", {"what": what}))
    return findings


# Checks of each piece by itself: closed, the right way out, one body, within the bed.


def check_bodies(parts: Parts, bed_mm: float) -> list[Finding]:
    """Faults of the pieces as bodies to be printed."""
    return [
        finding
        for part in parts.values()
        for name, mesh in part.pieces.items()
        for finding in check_body(name, mesh, bed_mm)
    ]


def check_body(name: str, mesh: Mesh, bed_mm: float) -> Iterator[Finding]:
    """Faults of one body; of use for anything that is printed."""
    if not mesh.triangles:
        yield Finding(name, "box.empty", {})
        return
    if mesh.open_edges:
        yield Finding(name, "box.open", {"count": str(mesh.open_edges)})
    elif mesh.volume <= 0:
        yield Finding(name, "box.inside-out", {"volume": f"{mesh.volume:.0f}"})
    if mesh.bodies != 1:
        yield Finding(name, "box.bodies", {"count": str(mesh.bodies)})
    wide, deep, high = mesh.size
    if max(wide, deep, high) > bed_mm:
        params = {"wide": f"{wide:.1f}", "deep": f"{deep:.1f}", "high": f"{high:.1f}"}
        yield Finding(name, "box.bed", {**params, "bed": f"{bed_mm:g}"})
