"""What must be true of the pieces, measured on the meshes that are printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from lumiban.boards.profile import Tolerances

from lumiban_hw.kit import Finding
from lumiban_hw.mechanics.bodies import piece
from lumiban_hw.mechanics.mesh import Mesh
from lumiban_hw.pieces.design import (
    BODIES,
    LETTER_AT,
    LETTERS,
    MARK_MM,
    PIECES,
    Body,
    Piece,
)
from lumiban_hw.pieces.measure import Cup, around, column, cup, felt, letter, relief, rings
from lumiban_hw.stack import STACK, Stack

ABOUT = "pieces"
NEAR_MM = 0.05
"""How far a measure may be from what is meant."""
STEP_MM, FELT_MM2 = 0.5, 15.0
"""Fingers tell two tops that differ by such a step over such an area: a pad of 4 × 4 mm."""
LIKE = 0.9
"""The share of a letter's places that must be as its outline says."""


def check(meshes: Mapping[str, Mesh], stack: Stack = STACK) -> list[Finding]:
    """All that is wrong with these parts, by name; parts that are not there are not looked at."""
    found = [one for name, mesh in meshes.items() for one in piece(name, mesh, stack.bed_mm)]
    cups: dict[str, Cup] = {}
    for body in BODIES:
        if body.name in meshes:
            mesh = meshes[body.name]
            try:
                cups[body.name] = cup(mesh, body.pocket(stack)[0])
            except ValueError as error:
                found.append(_finding("no-" + str(error), body.name))
                continue
            found += _body(body, mesh, cups[body.name], stack)
    for one in PIECES:
        if one.cap in meshes:
            found += _cap(one, meshes[one.cap], cups.get(one.body.name), stack)
    return [*found, *alike(meshes)]


def _body(body: Body, mesh: Mesh, told: Cup, stack: Stack) -> Iterator[Finding]:
    wide, high = body.pocket(stack)
    if (
        any(abs(across - wide) > NEAR_MM for across in told.pocket_wide)
        or abs(told.pocket_high - high) > NEAR_MM
    ):
        across = " – ".join(f"{w:.2f}" for w in told.pocket_wide)
        what = f"{across} × {told.pocket_high:.2f} mm instead of {wide:g} × {high:g}"
        yield _finding("pocket", body.name, what=what)
    if abs(told.skin - stack.skin_mm) > NEAR_MM / 2:
        yield _finding("skin", body.name, skin=f"{told.skin:.2f}", meant=f"{stack.skin_mm:g}")
    for where, wall in (("under", told.skin), ("beside", told.side)):
        if wall < stack.least_wall_mm - NEAR_MM / 2:
            yield _wall(where, body.name, wall, stack)
    play = (stack.recess_wide_mm - told.outside) / 2
    if not stack.play_mm <= play <= Tolerances().aside_mm:
        yield _finding(
            "recess", body.name, outside=f"{told.outside:.2f}", recess=f"{stack.recess_wide_mm:g}"
        )
    if body.up:
        z = mesh.bounds[0][2] + body.ledge(stack) - MARK_MM / 2
        like = {pole: letter(mesh, z, LETTER_AT, LETTERS[pole]) for pole in LETTERS}
        if max(like, key=lambda pole: like[pole]) != body.up or like[body.up] < LIKE:
            yield _finding("mark", body.name, pole=body.up)


def _cap(piece: Piece, mesh: Mesh, body: Cup | None, stack: Stack) -> Iterator[Finding]:
    low = mesh.bounds[0][2]
    half = piece.body.pocket(stack)[0] / 2
    over = [column(mesh, x, y) for x, y in ((0, 0), (half, 0), (-half, 0), (0, half), (0, -half))]
    least = min((line[0][1] - low if line and line[0][0] - low < NEAR_MM else 0) for line in over)
    if least < stack.least_wall_mm - NEAR_MM / 2:
        yield _wall("over", piece.cap, least, stack)
    if body is None:
        return
    foot = rings(mesh, low + body.cap_deep / 2)[-1]
    above = 2 * around(mesh)
    play = body.cap_wide / 2 - foot[1]
    if abs(play - stack.play_mm) > NEAR_MM or above > body.cap_wide:
        yield _finding(
            "cap", piece.cap, wide=f"{max(2 * foot[1], above):.2f}", room=f"{body.cap_wide:.2f}"
        )


def _wall(where: str, about: str, wall: float, stack: Stack) -> Finding:
    least = f"{stack.least_wall_mm:g}"
    return _finding(f"wall-{where}", about, wall=f"{wall:.2f}", least=least)


def alike(meshes: Mapping[str, Mesh]) -> Iterator[Finding]:
    """Pieces of one group between which fingers feel too little."""
    for one, other, area in differences(meshes):
        if area < FELT_MM2:
            yield _finding(
                "feel", one.cap, other=other.cap, area=f"{area:.1f}", least=f"{FELT_MM2:g}"
            )


def differences(meshes: Mapping[str, Mesh]) -> Iterator[tuple[Piece, Piece, float]]:
    """Each two pieces of one group, and the area in mm² over which their tops differ."""
    there = [one for one in PIECES if one.cap in meshes]
    reliefs = {one.name: _top(one, meshes) for one in there}
    for one, other in combinations(there, 2):
        if one.group == other.group:
            yield one, other, felt(reliefs[one.name], reliefs[other.name], STEP_MM)


def _top(piece: Piece, meshes: Mapping[str, Mesh]) -> Sequence[Sequence[float]]:
    """A piece's top above its own rim."""
    mesh = meshes[piece.cap]
    return relief(mesh, mesh.bounds[0][2])


def _finding(rule: str, about: str, **said: object) -> Finding:
    return Finding(about, f"piece.{rule}", {key: str(value) for key, value in said.items()})
