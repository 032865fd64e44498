"""A router for what no rule draws: the cheapest way through a grid over both layers (A*, Lee 1961).

Nets are routed one after another. When one finds no way, all that this router drew is taken back
and that net goes first; copper drawn by hand is never moved.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from lumiban_hw.pcb.drawing import CLEARANCE_MM, TRACK_MM, VIA_MM, Board, Layer, Point

LAYERS: tuple[Layer, Layer] = ("F", "B")
VIA_COST = 9.0
SLACK_MM = 0.015
"""Kept beyond the clearance, against rounding."""
_MANY = -1


class Unroutable(Exception):
    """Nets that cannot be connected."""


@dataclass(frozen=True, slots=True)
class End:
    """Something to connect: a pad, or the end of a track drawn by hand."""

    at: Point
    half: tuple[float, float]
    layers: tuple[Layer, ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """Copper or a hole as the router sees it: a line with round ends, or a box."""

    a: Point
    b: Point
    radius: float
    box: tuple[float, float] | None = None
    """Half sizes of a box around `a`."""

    def distance_from(self, x: float, y: float) -> float:
        """Distance of a place from the surface; negative within.

        >>> Bar((0, 0), (2, 0), 0.5).distance_from(1, 2)
        1.5
        """
        if self.box:
            dx, dy = abs(x - self.a[0]) - self.box[0], abs(y - self.a[1]) - self.box[1]
            return math.hypot(max(dx, 0.0), max(dy, 0.0)) + min(max(dx, dy), 0.0)
        (ax, ay), (bx, by) = self.a, self.b
        ux, uy = bx - ax, by - ay
        length = ux * ux + uy * uy
        t = 0.0 if not length else min(1.0, max(0.0, ((x - ax) * ux + (y - ay) * uy) / length))
        return math.hypot(x - ax - t * ux, y - ay - t * uy) - self.radius


def copper(board: Board) -> Iterator[tuple[str, tuple[Layer, ...], Bar]]:
    """All copper of a drawing but its zones, and its holes: net ("" for none), layers, shape."""
    for placed in board.parts:
        turned = placed.turn in (90, 270)
        for pad in placed.land.pads:
            at = placed.at(pad.x, pad.y)
            layers: tuple[Layer, ...] = LAYERS if pad.drill else ("F",)
            net = placed.nets.get(pad.number, f"!{placed.ref}.{pad.number}")
            if pad.shape == "round":
                yield net, layers, Bar(at, at, pad.width / 2)
            else:
                half = (pad.width / 2, pad.height / 2)
                yield net, layers, Bar(at, at, 0, half[::-1] if turned else half)
    for track in board.tracks:
        yield track.net, (track.layer,), Bar(track.a, track.b, track.width / 2)
    for via in board.vias:
        yield via.net, LAYERS, Bar(via.at, via.at, via.size / 2)
    for hole in board.holes:
        yield "", LAYERS, Bar(hole.at, hole.at, hole.head_mm - CLEARANCE_MM)


def ends(board: Board, net: str) -> list[End]:
    """The pads of a net, as ends to connect."""
    pads = []
    for placed in board.parts:
        turned = placed.turn in (90, 270)
        for pad in placed.land.pads:
            if placed.nets.get(pad.number) != net:
                continue
            half = (pad.width / 2, pad.height / 2)
            if pad.shape == "round":
                half = (half[0] * 0.7, half[1] * 0.7)
            layers: tuple[Layer, ...] = LAYERS if pad.drill else ("F",)
            pads.append(End(placed.at(pad.x, pad.y), half[::-1] if turned else half, layers))
    return pads


class Maze:
    """A grid over a window of the board (left, top, right, bottom)."""

    def __init__(
        self,
        board: Board,
        window: tuple[float, float, float, float],
        *,
        step: float = 0.2,
        width: float = TRACK_MM,
        dear: dict[Layer, float] | None = None,
    ) -> None:
        """`dear` makes each step on a layer cost that many times as much."""
        self.board, self.step, self.width = board, step, width
        left, top, right, bottom = window
        self.x0, self.y0 = math.ceil(left / step) * step, math.ceil(top / step) * step
        self.nx = int((right - self.x0) / step) + 1
        self.ny = int((bottom - self.y0) / step) + 1
        size = self.nx * self.ny
        self.size = size
        self.on = [[0] * size, [0] * size]
        self.on_via = [0] * size
        self.ids: dict[str, int] = {}
        self.dear = [(dear or {}).get(layer, 1.0) for layer in LAYERS]
        for net, layers, bar in copper(board):
            self._stamp(net, layers, bar)

    def connect(self, nets: Sequence[tuple[str, Sequence[End]]]) -> None:
        """Draw tracks that connect the ends of each net; Unroutable names the net that has none."""
        order = list(nets)
        kept = len(self.board.tracks), len(self.board.vias)
        state = [list(self.on[0]), list(self.on[1]), list(self.on_via)]
        for _ in range(4 * len(order) + 1):
            stuck = next((one for one in order if not self._net(*one)), None)
            if stuck is None:
                return
            del self.board.tracks[kept[0] :], self.board.vias[kept[1] :]
            self.on, self.on_via = [list(state[0]), list(state[1])], list(state[2])
            order.remove(stuck)
            order.insert(0, stuck)
        raise Unroutable(f"{self.board.name}: no way for {order[0][0]}")

    def room(self, net: str, at: Point) -> bool:
        """True if a via of this net may stand at the grid's place nearest to `at`."""
        i, j = round((at[0] - self.x0) / self.step), round((at[1] - self.y0) / self.step)
        if not (0 <= i < self.nx and 0 <= j < self.ny):
            return False
        return self.on_via[j * self.nx + i] in (0, self._id(net))

    def _id(self, net: str) -> int:
        return self.ids.setdefault(net, len(self.ids) + 1)

    def _stamp(self, net: str, layers: Iterable[Layer], bar: Bar) -> None:
        """Note which nodes a track or a via of another net must not use."""
        track = self.width / 2 + CLEARANCE_MM + SLACK_MM
        via = VIA_MM / 2 + CLEARANCE_MM + SLACK_MM
        reach = max(track, via) + bar.radius
        bx, by = bar.box or (0.0, 0.0)
        owner = self._id(net) if net else _MANY
        i0 = max(0, int((min(bar.a[0], bar.b[0]) - bx - reach - self.x0) / self.step))
        i1 = min(self.nx - 1, int((max(bar.a[0], bar.b[0]) + bx + reach - self.x0) / self.step) + 1)
        j0 = max(0, int((min(bar.a[1], bar.b[1]) - by - reach - self.y0) / self.step))
        j1 = min(self.ny - 1, int((max(bar.a[1], bar.b[1]) + by + reach - self.y0) / self.step) + 1)
        maps = [self.on[LAYERS.index(layer)] for layer in layers]
        for j in range(j0, j1 + 1):
            for i in range(i0, i1 + 1):
                far = bar.distance_from(self.x0 + i * self.step, self.y0 + j * self.step)
                if far >= via and far >= track:
                    continue
                k = j * self.nx + i
                if far < track:
                    for on in maps:
                        if on[k] != owner:
                            on[k] = _MANY if on[k] else owner
                if far < via and self.on_via[k] != owner:
                    self.on_via[k] = _MANY if self.on_via[k] else owner

    def _nodes(self, end: End, net: int) -> list[int]:
        """Free nodes on an end; the nearest one where it is smaller than the grid."""
        nodes = []
        i0 = math.ceil((end.at[0] - end.half[0] - self.x0) / self.step - 1e-6)
        i1 = math.floor((end.at[0] + end.half[0] - self.x0) / self.step + 1e-6)
        j0 = math.ceil((end.at[1] - end.half[1] - self.y0) / self.step - 1e-6)
        j1 = math.floor((end.at[1] + end.half[1] - self.y0) / self.step + 1e-6)
        if i1 < i0 or end.half[0] == 0:
            i0 = i1 = round((end.at[0] - self.x0) / self.step)
        if j1 < j0 or end.half[1] == 0:
            j0 = j1 = round((end.at[1] - self.y0) / self.step)
        for layer in end.layers:
            k = LAYERS.index(layer)
            for j in range(max(j0, 0), min(j1, self.ny - 1) + 1):
                for i in range(max(i0, 0), min(i1, self.nx - 1) + 1):
                    if self.on[k][j * self.nx + i] in (0, net):
                        nodes.append(k * self.size + j * self.nx + i)
        return nodes

    def _net(self, net: str, places: Sequence[End]) -> bool:
        """Connect all ends of a net, the nearest first; whether there was a way."""
        me = self._id(net)
        groups = [(end, self._nodes(end, me)) for end in places]
        if not all(nodes for _, nodes in groups):
            return False
        tree = set(groups[0][1])
        self._touch(net, groups[0][0], groups[0][1])
        open_ends = groups[1:]
        while open_ends:
            goals = {node: k for k, (_, nodes) in enumerate(open_ends) for node in nodes}
            path = self._search(tree, goals, me)
            if not path:
                return False
            self._draw(net, path)
            end, nodes = open_ends.pop(goals[path[-1]])
            self._touch(net, end, nodes)
            tree.update(path)
            tree.update(nodes)
        return True

    def _touch(self, net: str, end: End, nodes: Sequence[int]) -> None:
        """A grid node beside the end of a track drawn by hand is joined to it."""
        if end.half == (0.0, 0.0):
            node = nodes[0]
            self._add(net, LAYERS[node // self.size], end.at, self._place(node))

    def _place(self, node: int) -> Point:
        j, i = divmod(node % self.size, self.nx)
        return round(self.x0 + i * self.step, 4), round(self.y0 + j * self.step, 4)

    def _search(self, start: set[int], goals: dict[int, int], me: int) -> list[int]:
        nx, size, on, on_via = self.nx, self.size, self.on, self.on_via
        columns = [node % size % nx for node in goals]
        rows = [node % size // nx for node in goals]
        left, right, top, bottom = min(columns), max(columns), min(rows), max(rows)

        def ahead(k: int) -> float:
            j, i = divmod(k, nx)
            dx = left - i if i < left else i - right if i > right else 0
            dy = top - j if j < top else j - bottom if j > bottom else 0
            return dx + dy - 0.5858 * min(dx, dy)

        best: dict[int, float] = {}
        came: dict[int, int] = {}
        heap: list[tuple[float, int, float]] = []
        for node in sorted(start):
            best[node] = 0.0
            heappush(heap, (ahead(node % size), node, 0.0))
        while heap:
            _, node, cost = heappop(heap)
            if cost > best[node]:
                continue
            if node in goals:
                path = [node]
                while node in came:
                    node = came[node]
                    path.append(node)
                return path[::-1]
            layer, k = divmod(node, size)
            here = on[layer]
            base = layer * size
            dear = self.dear[layer]
            j, i = divmod(k, nx)
            free = {}
            for d, ok in (
                (1, i + 1 < nx), (-1, i > 0), (nx, j + 1 < self.ny), (-nx, j > 0),
            ):  # fmt: skip
                free[d] = ok and here[k + d] in (0, me)
                if free[d]:
                    far = cost + dear
                    to = base + k + d
                    if far < best.get(to, 1e18):
                        best[to] = far
                        came[to] = node
                        heappush(heap, (far + ahead(k + d), to, far))
            for dx in (1, -1):
                for dy in (nx, -nx):
                    if free[dx] and free[dy] and here[k + dx + dy] in (0, me):
                        far = cost + 1.4142 * dear
                        to = base + k + dx + dy
                        if far < best.get(to, 1e18):
                            best[to] = far
                            came[to] = node
                            heappush(heap, (far + ahead(k + dx + dy), to, far))
            if on_via[k] in (0, me) and on[1 - layer][k] in (0, me):
                far = cost + VIA_COST
                to = (1 - layer) * size + k
                if far < best.get(to, 1e18):
                    best[to] = far
                    came[to] = node
                    heappush(heap, (far + ahead(k), to, far))
        return []

    def _draw(self, net: str, path: Sequence[int]) -> None:
        """Straight pieces for a path of nodes, vias where it changes sides."""
        begin = 0
        for n in range(1, len(path)):
            layer = path[n - 1] // self.size
            if path[n] // self.size != layer:
                self._piece(net, path[begin:n])
                self.board.via(net, self._place(path[n]))
                at = self._place(path[n])
                self._stamp(net, LAYERS, Bar(at, at, VIA_MM / 2))
                begin = n
            elif n - 1 > begin and path[n] - path[n - 1] != path[n - 1] - path[n - 2]:
                self._piece(net, path[begin:n])
                begin = n - 1
        self._piece(net, path[begin:])

    def _piece(self, net: str, nodes: Sequence[int]) -> None:
        if len(nodes) > 1:
            layer = LAYERS[nodes[0] // self.size]
            self._add(net, layer, self._place(nodes[0]), self._place(nodes[-1]))

    def _add(self, net: str, layer: Layer, a: Point, b: Point) -> None:
        self.board.track(net, [a, b], layer, self.width)
        self._stamp(net, (layer,), Bar(a, b, self.width / 2))
