"""Copper as a board's file has it, joined by touching alone: what is connected, whatever nets say.

Nothing of the product is used: the file is read here, shapes are shapely's. A net's name is looked
at only afterwards, to say which pieces should be one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import shapely
from shapely import LineString, Point, Polygon, STRtree
from shapely.affinity import rotate, translate

BOTH = ("F.Cu", "B.Cu")
WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|([()])|([^\s()"]+)')


@dataclass(frozen=True)
class Piece:
    """One shape of copper on one or both layers, with the net that the file claims for it."""

    net: str
    layers: tuple[str, ...]
    shape: Any
    what: str


def tree(text: str) -> list[Any]:
    """An s-expression as lists of words."""
    stack: list[list[Any]] = [[]]
    for quoted, bracket, word in WORD.findall(text):
        if bracket == "(":
            stack.append([])
        elif bracket == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word or quoted)
    return stack[0][0]


def each(node: list[Any], name: str) -> Iterator[list[Any]]:
    return (one for one in node if isinstance(one, list) and one and one[0] == name)


def numbers(node: list[Any], name: str) -> list[float]:
    return [float(word) for word in next(each(node, name))[1:] if re.match(r"-?[\d.]", word)]


def pieces(path: Path) -> list[Piece]:
    """All copper of a board's file, filled zones too."""
    board = tree(path.read_text("utf-8"))
    names = {one[1]: one[2] for one in each(board, "net") if len(one) > 2}
    return [*_pads(board), *_tracks(board, names), *_fills(board, names)]


def _pads(board: list[Any]) -> Iterator[Piece]:
    for part in each(board, "footprint"):
        x, y, *turn = numbers(part, "at")
        angle = math.radians(turn[0] if turn else 0)
        ref = next(
            one[2]
            for kind in ("property", "fp_text")
            for one in each(part, kind)
            if one[1].lower() == "reference"
        )
        for pad in each(part, "pad"):
            if pad[2] == "np_thru_hole":
                continue
            px, py, *own = numbers(pad, "at")
            wide, high = numbers(pad, "size")
            if pad[3] == "circle":
                shape = Point(0, 0).buffer(wide / 2)
            else:
                shape = rotate(
                    shapely.box(-wide / 2, -high / 2, wide / 2, high / 2),
                    -(own[0] if own else 0),
                    origin=(0, 0),
                )
            at = (
                x + px * math.cos(angle) + py * math.sin(angle),
                y - px * math.sin(angle) + py * math.cos(angle),
            )
            net = next((one[-1] for one in each(pad, "net")), "")
            layers = BOTH if pad[2] == "thru_hole" else ("F.Cu",)
            yield Piece(net, layers, translate(shape, *at), f"{ref}.{pad[1]}")


def _tracks(board: list[Any], names: dict[str, str]) -> Iterator[Piece]:
    for one in each(board, "segment"):
        line = LineString([numbers(one, "start"), numbers(one, "end")])
        shape = line.buffer(numbers(one, "width")[0] / 2)
        net = names[next(each(one, "net"))[1]]
        yield Piece(net, (next(each(one, "layer"))[1],), shape, f"track of {net}")
    for one in each(board, "via"):
        shape = Point(*numbers(one, "at")).buffer(numbers(one, "size")[0] / 2)
        net = names[next(each(one, "net"))[1]]
        yield Piece(net, BOTH, shape, f"via of {net}")


def _fills(board: list[Any], names: dict[str, str]) -> Iterator[Piece]:
    for zone in each(board, "zone"):
        net = names.get(next(each(zone, "net"))[1], "")
        for area in each(zone, "filled_polygon"):
            points = [(float(p[1]), float(p[2])) for p in next(each(area, "pts"))[1:]]
            # The outline runs into its holes and back along one line.
            shape = shapely.make_valid(Polygon(points))
            yield Piece(net, (next(each(area, "layer"))[1],), shape, f"fill of {net}")


def groups(found: list[Piece]) -> list[list[Piece]]:
    """Pieces that hang together by touching on a layer."""
    leader = list(range(len(found)))

    def top(k: int) -> int:
        while leader[k] != k:
            leader[k] = leader[leader[k]]
            k = leader[k]
        return k

    for layer in BOTH:
        here = [k for k, piece in enumerate(found) if layer in piece.layers]
        shapes = [found[k].shape for k in here]
        for a, b in STRtree(shapes).query(shapes, predicate="intersects").T:
            leader[top(here[a])] = top(here[b])
    joined: dict[int, list[Piece]] = {}
    for k, piece in enumerate(found):
        joined.setdefault(top(k), []).append(piece)
    return list(joined.values())


def shorts(joined: list[list[Piece]]) -> list[set[str]]:
    """Nets that hang together and should not."""
    return [nets for group in joined if len(nets := {piece.net for piece in group}) > 1]


def opens(joined: list[list[Piece]]) -> list[str]:
    """Nets whose pads lie in more than one group; a fill of nothing else is no fault."""
    count: dict[str, int] = {}
    for group in joined:
        for net in {piece.net for piece in group if "." in piece.what}:
            count[net] = count.get(net, 0) + 1
    return sorted(net for net, n in count.items() if n > 1 and net)
