"""Connections, from a drawing, or read from the file that KiCad wrote.

The reader is our own and knows only what the file format says (an s-expression), so that it sees
the board as a maker's tools will, and not as the drawing meant it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from lumiban_hw.pcb.board_file import LOOSE
from lumiban_hw.pcb.drawing import Board, Point

Tree: TypeAlias = "str | list[Tree]"
_WORD = re.compile(r'\(|\)|"((?:[^"\\]|\\.)*)"|[^\s()]+')


@dataclass(frozen=True, slots=True)
class Joint:
    """A pad with its net ("" for none); `at` in mm from the board's upper left corner."""

    ref: str
    pad: str
    net: str
    at: Point
    value: str


def parse(text: str) -> Tree:
    """An s-expression as nested lists; ValueError when a bracket is missing.

    >>> parse('(net 3 "5V") ')
    ['net', '3', '5V']
    """
    stack: list[list[Tree]] = [[]]
    for word in _WORD.finditer(text):
        if word[0] == "(":
            stack.append([])
        elif word[0] == ")":
            if len(stack) < 2:
                raise ValueError("a bracket too many")
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word[0] if word[1] is None else word[1])
    if len(stack) != 1 or not stack[0]:
        raise ValueError("a bracket is missing")
    return stack[0][0]


def read(path: Path) -> list[Joint]:
    """All pads of a `.kicad_pcb` file; ValueError when it is none."""
    tree = parse(path.read_text("utf-8"))
    if not isinstance(tree, list) or tree[:1] != ["kicad_pcb"]:
        raise ValueError(f"{path}: not a board of KiCad")
    left, top = _corner(tree)
    joints = []
    for part in _all(tree, "footprint"):
        x, y, turn = _place(part)
        texts = {str(t[1]).lower(): t[2] for t in _all(part, "property") if len(t) > 2}
        ref, value = str(texts.get("reference", "")), str(texts.get("value", ""))
        c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        for pad in _all(part, "pad"):
            px, py, _ = _place(pad)
            net = next((str(n[2]) for n in _all(pad, "net")), "")
            net = "" if net.startswith(LOOSE) else net
            at = (round(x + px * c + py * s - left, 3), round(y - px * s + py * c - top, 3))
            if pad[1]:
                joints.append(Joint(ref, str(pad[1]), net, at, value))
    return joints


def fills(path: Path) -> list[tuple[str, str, list[Point]]]:
    """(net, layer, outline) of each area that KiCad has filled with copper."""
    tree = parse(path.read_text("utf-8"))
    if not isinstance(tree, list):
        raise ValueError(f"{path}: not a board of KiCad")
    left, top = _corner(tree)
    polygons = []
    for zone in _all(tree, "zone"):
        net = next((str(words[1]) for words in _all(zone, "net_name")), "")
        for area in _all(zone, "filled_polygon"):
            layer = next(str(words[1]) for words in _all(area, "layer"))
            points = next(_all(area, "pts"))
            places = [(float(str(p[1])) - left, float(str(p[2])) - top) for p in _all(points, "xy")]
            polygons.append((net, layer, places))
    return polygons


def drawn(board: Board) -> list[Joint]:
    """All pads of a drawing."""
    left, top = board.outline[:2]
    return [
        Joint(
            placed.ref,
            pad.number,
            placed.nets.get(pad.number, ""),
            (round(at[0] - left, 3), round(at[1] - top, 3)),
            placed.part.value,
        )
        for placed in board.parts
        for pad in placed.land.pads
        for at in (placed.at(pad.x, pad.y),)
        if pad.number
    ]


def nets(joints: Iterable[Joint]) -> dict[str, list[Joint]]:
    """The pads of each net."""
    joints_by_net: dict[str, list[Joint]] = {}
    for joint in joints:
        if joint.net:
            joints_by_net.setdefault(joint.net, []).append(joint)
    return joints_by_net


def _all(tree: Tree, name: str) -> Iterator[list[Tree]]:
    for branch in tree:
        if isinstance(branch, list) and branch[:1] == [name]:
            yield branch


def _place(tree: Tree) -> tuple[float, float, float]:
    at = next(_all(tree, "at"))
    numbers = [float(str(word)) for word in at[1:4] if word != "unlocked"]
    return numbers[0], numbers[1], numbers[2] if len(numbers) > 2 else 0.0


def _corner(tree: Tree) -> Point:
    """The upper left corner of the outline."""
    xs, ys = [], []
    for line in _all(tree, "gr_line"):
        if ["layer", "Edge.Cuts"] in line:
            for end in ("start", "end"):
                _, x, y = next(_all(line, end))
                xs.append(float(str(x)))
                ys.append(float(str(y)))
    if not xs:
        raise ValueError("the board has no outline")
    return min(xs), min(ys)
