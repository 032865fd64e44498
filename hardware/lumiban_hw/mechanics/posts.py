"""Posts of the tray: tall ones that take the rim's screws, ledges and props that carry the deck."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lumiban_hw.mechanics.box import (
    BUTTON_MM,
    GLAND_MM,
    PLUG_ROOM_MM,
    POST_MM,
    USB_MM,
    BoxGeometry,
    distance_outside,
    grown,
)
from lumiban_hw.mechanics.cuts import FLANGE_MM, TONGUE_MM, Cuts
from lumiban_hw.mechanics.mesh import Spot

INSET_MM = 4.5
"""From the tray's wall to the middle of a post beside it."""
SPREAD_MM = 110.0
"""Posts beside a wall are no farther apart than about this."""
PROP_SPREAD_MM = 65.0
STEP_MM = 2.5
Allowed = Callable[[Spot], bool]


@dataclass(frozen=True)
class Posts:
    """Their middles."""

    tall: tuple[Spot, ...]
    """Beside the wall, up to the sheets; the rim's screws end in them."""
    ledges: tuple[Spot, ...]
    """Beside the wall, up to the deck, which is screwed to them."""
    props: tuple[Spot, ...]
    """Inside, up to the deck, without a screw."""


@dataclass(frozen=True)
class Parted:
    """The cuts of all parts that posts keep clear of."""

    sheets: tuple[Cuts, Cuts, Cuts]
    """Grid, floor and recess sheet."""
    deck: Cuts
    tray: Cuts
    rim: Cuts


def posts(plan: BoxGeometry, parted: Parted, letters: Iterable[Spot]) -> Posts:
    """Places for posts that are clear of all else."""
    signs = list(letters)
    opening = Opening(plan)

    def beside_wall(spot: Spot) -> bool:
        return (
            all(distance_outside(row.outline, spot) >= POST_MM / 2 + 0.5 for row in plan.rows)
            and all(
                distance_outside(row.plug, spot) >= POST_MM / 2 + PLUG_ROOM_MM + 0.3
                for row in plan.rows
            )
            and opening.distance_mm(spot) >= 3.9
            and distance_outside(plan.below, spot) >= POST_MM / 2 + 0.5
            and _clear(spot, parted.tray.xs, parted.tray.ys, FLANGE_MM + POST_MM / 2 + 3)
            and _clear_of_openings(plan, spot)
        )

    def for_rim(spot: Spot) -> bool:
        return (
            beside_wall(spot)
            and all(math.dist(spot, sign) >= 6.8 for sign in signs)
            and _clear(spot, parted.rim.xs, parted.rim.ys, 6)
            and all(_clear(spot, *ends(cuts), 6) for cuts in parted.sheets[1:])
        )

    tall = _pick(_goals(plan), _wall_candidates(plan), for_rim, POST_MM + 2, 40)

    def for_deck(spot: Spot) -> bool:
        return (
            beside_wall(spot)
            and _clear(spot, parted.deck.xs, parted.deck.ys, POST_MM / 2 + 2)
            and all(math.dist(spot, post) >= POST_MM + 1 for post in tall)
        )

    between = [((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for a, b in pairwise([*tall, *tall[:1]])]
    ledges = _pick(between, _wall_candidates(plan), for_deck, 30, 60)
    return Posts(tall, ledges, _props(plan, parted))


def ends(cuts: Cuts) -> tuple[list[float], list[float]]:
    """Ends of bands at the edges: the places along x and along y."""
    xs = [band[0][0] for band in cuts.columns[1:]] + [band[-1][0] for band in cuts.columns[1:]]
    for band in cuts.columns[1:]:
        xs += [x for x, y in band if abs(y) > 900 and abs(x) < 900]
    ys = [y for band in cuts.rows[1:] for x, y in band if abs(x) > 900 and abs(y) < 900]
    return [x for x in xs if abs(x) < 900], ys


class Opening:
    """The rim's opening: how far a place is from the nearest cell's edge; 0 inside one."""

    def __init__(self, plan: BoxGeometry) -> None:
        self.polygons = [plan.corners(cell) for cell in range(len(plan.cells))]
        self.middles = plan.cells
        self.reach = plan.profile.pitch_mm

    def distance_mm(self, spot: Spot) -> float:
        """The distance in mm; what is more than a pitch away counts as a pitch."""
        least = self.reach
        for middle, polygon in zip(self.middles, self.polygons, strict=True):
            if math.dist(middle, spot) > 2 * self.reach:
                continue
            sides = list(pairwise([*polygon, polygon[0]]))
            if all(_cross(a, b, spot) >= 0 for a, b in sides):
                return 0.0
            least = min(least, *(_from_line(spot, a, b) for a, b in sides))
        return least


def _cross(a: Spot, b: Spot, spot: Spot) -> float:
    return (b[0] - a[0]) * (spot[1] - a[1]) - (b[1] - a[1]) * (spot[0] - a[0])


def _from_line(spot: Spot, a: Spot, b: Spot) -> float:
    long = math.dist(a, b)
    along = ((spot[0] - a[0]) * (b[0] - a[0]) + (spot[1] - a[1]) * (b[1] - a[1])) / long**2
    along = min(max(along, 0.0), 1.0)
    return math.dist(spot, (a[0] + along * (b[0] - a[0]), a[1] + along * (b[1] - a[1])))


def _wall_candidates(plan: BoxGeometry) -> list[Spot]:
    """Candidates along the wall."""
    left, bottom, right, top = grown(plan.inner, -INSET_MM)
    candidates = [(x, y) for x in _steps(left, right) for y in (bottom, top)]
    return candidates + [(x, y) for y in _steps(bottom, top) for x in (left, right)]


def _steps(low: float, high: float) -> list[float]:
    count = max(1, math.ceil((high - low) / STEP_MM))
    return [round(low + (high - low) * k / count, 3) for k in range(count + 1)]


def _goals(plan: BoxGeometry) -> list[Spot]:
    """Corners and places between, in a round."""
    left, bottom, right, top = grown(plan.inner, -INSET_MM)
    corners = [(left, bottom), (right, bottom), (right, top), (left, top)]
    goals = []
    for a, b in pairwise([*corners, corners[0]]):
        count = max(1, math.ceil(math.dist(a, b) / SPREAD_MM))
        goals += [
            (a[0] + (b[0] - a[0]) * k / count, a[1] + (b[1] - a[1]) * k / count)
            for k in range(count)
        ]
    return goals


def _pick(
    goals: Sequence[Spot], places: Sequence[Spot], allowed: Allowed, apart: float, reach: float
) -> tuple[Spot, ...]:
    """For each goal the nearest allowed place within reach, none too near to another."""
    good = [place for place in places if allowed(place)]
    picked: list[Spot] = []
    for goal in goals:
        near = sorted(good, key=lambda place: (math.dist(place, goal), place))
        for place in near:
            if math.dist(place, goal) > reach:
                break
            if all(math.dist(place, other) >= apart for other in picked):
                picked.append(place)
                break
    return tuple(picked)


def _clear(spot: Spot, xs: Iterable[float], ys: Iterable[float], by: float) -> bool:
    return all(abs(spot[0] - x) >= by for x in xs) and all(abs(spot[1] - y) >= by for y in ys)


def _clear_of_openings(plan: BoxGeometry, spot: Spot) -> bool:
    left, bottom, right, top = plan.inner
    post = POST_MM / 2 + 2
    if spot[0] > right - 10 and abs(spot[1] - plan.usb[0]) < USB_MM[0] / 2 + post:
        return False
    gland = plan.gland
    if gland and spot[0] < left + 20 and abs(spot[1] - gland[0]) < GLAND_MM / 2 + post + 4:
        return False
    return not any(
        abs(spot[0] - x) < BUTTON_MM / 2 + post + 3
        and (spot[1] < bottom + 10 if side < 0 else spot[1] > top - 10)
        for x, side in plan.buttons
    )


def _props(plan: BoxGeometry, parted: Parted) -> tuple[Spot, ...]:
    left, bottom, right, top = grown(plan.inner, -24.0)
    screws = [hole for row in plan.rows for hole in row.holes]

    def allowed(spot: Spot) -> bool:
        return (
            distance_outside(plan.below, spot) >= POST_MM / 2 + 2
            and all(distance_outside(window, spot) >= POST_MM / 2 + 4 for window in plan.windows)
            and all(math.dist(spot, screw) >= POST_MM / 2 + 3.5 for screw in screws)
            and _clear(spot, parted.tray.xs, parted.tray.ys, TONGUE_MM + POST_MM / 2 + 2)
            and all(
                abs(spot[0] - x) > 14 or abs(spot[1] - (bottom if side < 0 else top)) > 12
                for x, side in plan.buttons
            )
        )

    if right <= left or top <= bottom:
        return ()
    wide = max(1, round((right - left) / PROP_SPREAD_MM))
    high = max(1, round((top - bottom) / PROP_SPREAD_MM))
    goals = [
        (left + (right - left) * i / wide, bottom + (top - bottom) * j / high)
        for j in range(high + 1)
        for i in range(wide + 1)
    ]
    places = [(x, y) for x in _steps(left, right) for y in _steps(bottom, top)]
    return _pick(goals, places, allowed, 30, 24)
