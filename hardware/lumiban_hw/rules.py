"""Electrical rules of our own: what a drawing must keep that no layout check knows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from lumiban_hw.kit import Finding
from lumiban_hw.parts import Role
from lumiban_hw.pcb.drawing import CLEARANCE_MM, Board, Layer, Placed, Point
from lumiban_hw.pcb.netlist import Joint, nets
from lumiban_hw.pcb.router import Bar, copper

SUPPLIES = ("5V", "3V3", "VSYS")
"""Prefixes of supply nets' names."""
NEAR_MM = 8.0
"""Largest distance in mm of a decoupling capacitor from the pin it serves."""
SAME_MM = 0.01
TOUCH_MM = 1e-6
_CELL_MM = 2.0
"""The raster in which near copper is looked for."""


def check(board: Board) -> list[Finding]:
    """All that breaks a rule."""
    findings = [*_pins(board), *_nets(board), *_decoupling(board), *_cut(board), *_heads(board)]
    gap, where = clearance(board)
    if gap < CLEARANCE_MM - 1e-6:
        findings.append(_finding(board, "clearance", where=where, gap=f"{gap:.3f}"))
    return findings


def netlist(board: Board, file: Sequence[Joint], drawing: Sequence[Joint]) -> list[Finding]:
    """Differences between the file that KiCad wrote and the drawing: pads, their nets and
    places."""
    findings = []
    meant, there = _by_pad(drawing), _by_pad(file)
    for key in sorted(meant.keys() | there.keys()):
        a, b = meant.get(key), there.get(key)
        pad = f"{key[0]}.{key[1]}"
        if a is None or b is None or a.net != b.net:
            findings.append(
                _finding(board, "netlist", pad=pad, meant=_net(a), there=_net(b)),
            )
        elif math.dist(a.at, b.at) > SAME_MM:
            findings.append(_finding(board, "moved", pad=pad, meant=str(a.at), there=str(b.at)))
    return findings


def heads(board: Board, fills: Sequence[tuple[str, str, Sequence[Point]]]) -> list[Finding]:
    """Copper that KiCad filled in under a screw's head."""
    left, top = board.outline[:2]
    findings = []
    for hole in board.holes:
        at = (hole.at[0] - left, hole.at[1] - top)
        for net, layer, outline in fills:
            edges = list(pairwise([*outline, outline[0]]))
            near = min(Bar(a, b, 0).distance_from(*at) for a, b in edges)
            if near < hole.head_mm - SAME_MM or _within(at, edges):
                params = {"net": net, "layer": layer, "at": str(hole.at), "near": f"{near:.2f}"}
                findings.append(_finding(board, "head", **params))
    return findings


def _within(at: Point, edges: Sequence[tuple[Point, Point]]) -> bool:
    crossings = 0
    for (ax, ay), (bx, by) in edges:
        if (ay > at[1]) != (by > at[1]):
            crossings += at[0] < ax + (at[1] - ay) / (by - ay) * (bx - ax)
    return crossings % 2 == 1


def _by_pad(joints: Sequence[Joint]) -> dict[tuple[str, str, int], Joint]:
    """Joints by part, pad and, where a pad comes more than once, its rank by place."""
    by_pad: dict[tuple[str, str, int], Joint] = {}
    count: dict[tuple[str, str], int] = {}
    for joint in sorted(joints, key=lambda j: (round(j.at[0], 1), round(j.at[1], 1))):
        key = (joint.ref, joint.pad)
        by_pad[(*key, count.get(key, 0))] = joint
        count[key] = count.get(key, 0) + 1
    return by_pad


def _net(joint: Joint | None) -> str:
    return "no pad" if joint is None else joint.net or "no net"


def chain(joints: Sequence[Joint], start: Joint) -> list[Joint]:
    """The data inputs of the lights that data from this pad reaches, in their order.

    Follows nets, resistors in line, and lights from input to output; ends where nothing takes the
    data on. ValueError when the way forks or runs in a ring.
    """
    by_net = nets(joints)
    seen: list[Joint] = []
    here, met = start, {(start.ref, start.pad)}
    while True:
        takers = [
            j
            for j in by_net.get(here.net, [])
            if (j.ref, j.pad) not in met and j.value in {"WS2812B", "220R"}
        ]
        if not takers:
            return seen
        if len(takers) > 1:
            raise ValueError(f"the chain forks at {here.ref}: {[t.ref for t in takers]}")
        taker = takers[0]
        met.add((taker.ref, taker.pad))
        if taker.value == "WS2812B":
            if taker.pad != "4":
                raise ValueError(f"data enters {taker.ref} at pad {taker.pad}")
            seen.append(taker)
            out = "2"
        else:
            out = "2" if taker.pad == "1" else "1"
        here = next(j for j in joints if (j.ref, j.pad) == (taker.ref, out))
        if (here.ref, here.pad) in met:
            raise ValueError(f"the chain runs in a ring at {here.ref}")
        met.add((here.ref, here.pad))


def _finding(board: Board, rule: str, **params: str) -> Finding:
    return Finding(board.name, rule, params)


def _each_pin(board: Board) -> Iterator[tuple[Placed, str, Role, str]]:
    for placed in board.parts:
        for number in sorted({pad.number for pad in placed.land.pads}):
            yield placed, number, placed.part.role(number), placed.nets.get(number, "")


def _pins(board: Board) -> Iterator[Finding]:
    for placed, number, role, net in _each_pin(board):
        name = placed.part.pins.get(number, (number, ""))[0]
        pin = f"{placed.ref}.{name or number}"
        if role == "supply" and not net.startswith(SUPPLIES):
            yield _finding(board, "supply", pin=pin, net=net or "-")
        elif role == "ground" and net != "GND":
            yield _finding(board, "ground", pin=pin, net=net or "-")
        elif role in ("in", "out") and not net:
            yield _finding(board, "open", pin=pin)


def _nets(board: Board) -> Iterator[Finding]:
    drivers: dict[str, list[str]] = {}
    count: dict[str, int] = {}
    for placed, number, role, net in _each_pin(board):
        if net:
            count[net] = count.get(net, 0) + 1
        if role == "out" and net:
            drivers.setdefault(net, []).append(f"{placed.ref}.{placed.part.pins[number][0]}")
    for net in sorted(count):
        if count[net] < 2:
            yield _finding(board, "lonely", net=net)
    for net, pins in sorted(drivers.items()):
        if len(pins) > 1:
            yield _finding(board, "fight", net=net, pins=", ".join(sorted(pins)))


def _decoupling(board: Board) -> Iterator[Finding]:
    """Each part that needs one has a capacitor of its own, from its supply to ground, near by."""
    caps = [
        placed
        for placed in board.parts
        if set(placed.nets) == {"1", "2"} and placed.part.value[0].isdigit()
        and placed.part.value.split()[0][-1] in "nu" and "GND" in placed.nets.values()
    ]  # fmt: skip
    asks = []
    for placed in board.parts:
        if placed.part.decoupled:
            number = next(n for n, (_, role) in placed.part.pins.items() if role == "supply")
            asks.append((placed, placed.pad(number), placed.nets.get(number, "")))
    near = {
        k: [
            n
            for n, cap in enumerate(caps)
            if net in cap.nets.values() and math.dist(at, (cap.x, cap.y)) <= NEAR_MM
        ]
        for k, (_, at, net) in enumerate(asks)
    }
    taken: dict[int, int] = {}

    def give(k: int, tried: set[int]) -> bool:
        for n in near[k]:
            if n not in tried:
                tried.add(n)
                if n not in taken or give(taken[n], tried):
                    taken[n] = k
                    return True
        return False

    for k, (placed, _, _) in enumerate(asks):
        if not give(k, set()):
            yield _finding(board, "decoupling", part=placed.ref, near=f"{NEAR_MM:g}")


def _cut(board: Board) -> Iterator[Finding]:
    """Each net without a zone hangs together by its tracks and vias alone."""
    filled = {zone.net for zone in board.zones}
    items: dict[str, list[tuple[tuple[Layer, ...], Bar]]] = {}
    for net, layers, bar in copper(board):
        if net and net[0] != "!" and net not in filled:
            items.setdefault(net, []).append((layers, bar))
    for net, bars in sorted(items.items()):
        apart = set(range(1, len(bars)))
        reached = [0]
        while reached:
            on, bar = bars[reached.pop()]
            near = {
                n for n in apart if set(on) & set(bars[n][0]) and _gap(bar, bars[n][1]) <= TOUCH_MM
            }
            apart -= near
            reached += near
        if apart:
            yield _finding(board, "cut", net=net, at=str(bars[min(apart)][1].a))


def _heads(board: Board) -> Iterator[Finding]:
    """No track, via or pad lies under a screw's head; what zones fill in, `heads` looks at."""
    for hole in board.holes:
        for net, _, bar in copper(board):
            if net and bar.distance_from(*hole.at) < hole.head_mm - TOUCH_MM:
                near = f"{bar.distance_from(*hole.at):.2f}"
                params = {"net": net, "layer": "", "at": str(hole.at), "near": near}
                yield _finding(board, "head", **params)


def clearance(board: Board) -> tuple[float, str]:
    """Least distance in mm between copper of two nets, zones apart, and which two these are."""
    best, where = math.inf, ""
    items = list(copper(board))
    raster: dict[tuple[int, int], list[int]] = {}
    for n, (net, layers, bar) in enumerate(items):
        for cell in _cells(bar):
            for m in raster.get(cell, ()):
                other, on, shape = items[m]
                if other != net and set(layers) & set(on):
                    gap = _gap(bar, shape)
                    if gap < best:
                        best, where = gap, f"{net or 'hole'} / {other or 'hole'} at {bar.a}"
            raster.setdefault(cell, []).append(n)
    return best, where


def _cells(bar: Bar) -> Iterator[tuple[int, int]]:
    bx, by = bar.box or (bar.radius, bar.radius)
    margin = 2 * CLEARANCE_MM
    x0, x1 = min(bar.a[0], bar.b[0]) - bx - margin, max(bar.a[0], bar.b[0]) + bx + margin
    y0, y1 = min(bar.a[1], bar.b[1]) - by - margin, max(bar.a[1], bar.b[1]) + by + margin
    for i in range(math.floor(x0 / _CELL_MM), math.floor(x1 / _CELL_MM) + 1):
        for j in range(math.floor(y0 / _CELL_MM), math.floor(y1 / _CELL_MM) + 1):
            yield i, j


def _gap(one: Bar, other: Bar) -> float:
    """Distance between two shapes; 0 or less where they touch."""
    if one.distance_from(*other.a) <= 0 or other.distance_from(*one.a) <= 0:
        return 0.0
    least = min(_apart(*p, *q) for p in _sides(one) for q in _sides(other))
    return least - (0 if one.box else one.radius) - (0 if other.box else other.radius)


def _sides(bar: Bar) -> list[tuple[Point, Point]]:
    if not bar.box:
        return [(bar.a, bar.b)]
    (x, y), (w, h) = bar.a, bar.box
    corners = [(x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h), (x - w, y - h)]
    return list(pairwise(corners))


def _apart(a: Point, b: Point, c: Point, d: Point) -> float:
    """Distance between two straight pieces."""

    def side(p: Point, q: Point, r: Point) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    if side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0:
        return 0.0
    return min(
        Bar(a, b, 0).distance_from(*c),
        Bar(a, b, 0).distance_from(*d),
        Bar(c, d, 0).distance_from(*a),
        Bar(c, d, 0).distance_from(*b),
    )
