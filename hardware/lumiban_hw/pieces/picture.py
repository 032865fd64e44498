"""The pieces as they stand on a table, and one of them taken apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import cos, pi, sin

from lumiban_hw.mechanics.mesh import Mesh, joined, prism
from lumiban_hw.mechanics.view import TURN, Body, Colour, png
from lumiban_hw.pieces.design import PIECES, WHITE_BODY, Piece

COLOURS: dict[str, Colour] = {
    "white": (240, 236, 226),  # own: a colour
    "black": (92, 92, 100),
    "neutral": (222, 178, 96),
    "red": (208, 92, 74),
    "green": (110, 168, 108),
}
MAGNET: Colour = (176, 180, 190)
APART_MM = 23.0
LIFT_MM = 17.0
"""How far a magnet and a cap are drawn above their body."""


def put_together(piece: Piece, meshes: Mapping[str, Mesh]) -> Mesh:
    """A piece from the body and the cap that lies on its ledge."""
    return joined([meshes[piece.body.name], meshes[piece.cap].moved(z=piece.body.ledge())])


def picture(meshes: Mapping[str, Mesh], width: int = 900) -> bytes:
    """A PNG: stones, markers and a body with magnet and cap; red doves; green doves."""
    rows = (
        [piece for piece in PIECES if piece.group != "doves"],
        [piece for piece in PIECES if piece.name.endswith("-red")],
        [piece for piece in PIECES if piece.name.endswith("-green")],
    )
    bodies = []
    for row, pieces in enumerate(rows):
        for column, piece in enumerate(pieces):
            bodies.append((_colour(piece), put_together(piece, meshes).moved(*_at(column, row))))
    for colour, mesh in _taken_apart(meshes):
        bodies.append((colour, mesh.moved(*_at(len(rows[0]), 0))))
    palette = list(dict.fromkeys(colour for colour, _ in bodies))
    return png(
        [Body(joined(mesh for c, mesh in bodies if c == colour), colour) for colour in palette],
        width,
    )


def _at(column: int, row: int) -> tuple[float, float]:
    """Where a piece stands, in rows that lie level in the picture."""
    right, down = APART_MM * column, 1.15 * APART_MM * row
    return right * cos(TURN) - down * sin(TURN), -right * sin(TURN) - down * cos(TURN)


def _colour(piece: Piece) -> Colour:
    return COLOURS[piece.name.rpartition("-")[2]]


def _taken_apart(meshes: Mapping[str, Mesh]) -> Iterator[tuple[Colour, Mesh]]:
    """A white body with its magnet and cap above it."""
    yield COLOURS["white"], meshes[WHITE_BODY.name]
    magnet = WHITE_BODY.magnet
    outline = [(cos(k * pi / 18), sin(k * pi / 18)) for k in range(36)]
    radius, low = magnet.diameter_mm / 2, WHITE_BODY.ledge() + LIFT_MM / 2
    yield MAGNET, prism([(radius * x, radius * y) for x, y in outline], low, low + magnet.length_mm)
    yield COLOURS["white"], meshes["cap-white"].moved(z=low + magnet.length_mm + LIFT_MM / 2)
