"""The pieces in a kit: their source, every part as a mesh, what was measured, a picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import cos, pi, sin
from pathlib import Path

from lumiban.boards.profile import Profile

from lumiban_hw.kit import Finding, Item, Report
from lumiban_hw.mechanics import openscad
from lumiban_hw.mechanics.mesh import Mesh, NoMesh, joined, prism, read
from lumiban_hw.mechanics.view import TURN, Body, Colour, png
from lumiban_hw.pcb.make import write_csv
from lumiban_hw.pieces.checks import ABOUT, check, cup, differences
from lumiban_hw.pieces.design import BODIES, PARTS, PIECES, WHITE_BODY, Piece, source

PLASTIC_G_MM3 = 1.24e-3
"""PLA, printed solid."""
MAGNET_G_MM3 = 7.5e-3


@dataclass(frozen=True)
class Pieces:
    """All parts; they are the same for every board."""

    @property
    def name(self) -> str:
        """Its folder."""
        return ABOUT

    def make(self, folder: Path) -> Report:
        """Write `pieces.scad`; render every part to STL, measure it, write `parts.csv` (how each
        piece is put together, its weight), `feel.csv` and `pieces.png`.
        """
        text = folder / "pieces.scad"
        text.write_text(source(), "utf-8")
        if not openscad.program():
            return Report(self.name, missing=(openscad.PACKAGE,))
        meshes = {}
        for part in PARTS:
            out = folder / f"{part}.stl"
            try:
                openscad.render(text, out, {"part": part})
                meshes[part] = read(out)
            except (openscad.OpenscadFailed, NoMesh) as error:
                return Report(self.name, (Finding(part, "piece.openscad", {"what": str(error)}),))
        findings = check(meshes)
        felt = list(differences(meshes))
        write_csv(
            folder / "feel.csv",
            ("one", "other", "differ_mm2"),
            [(one.name, other.name, f"{area:.1f}") for one, other, area in felt],
        )
        weights = {piece.name: grams(meshes, piece.name) for piece in PIECES}
        write_csv(
            folder / "parts.csv",
            ("piece", "body", "cap", "magnet", "looks up", "grams"),
            [
                (
                    piece.name,
                    f"{piece.body.name}.stl",
                    f"{piece.cap}.stl",
                    f"{piece.body.magnet.diameter_mm:g}x{piece.body.magnet.length_mm:g}",
                    piece.body.up or "either",
                    f"{weights[piece.name]:.1f}",
                )
                for piece in PIECES
            ],
        )
        (folder / "pieces.png").write_bytes(picture(meshes))
        figures = {
            "parts": len(meshes),
            "least_felt_mm2": round(min(area for _, _, area in felt), 1),
            "white_g": round(weights["white"], 1),
        }
        if not findings:
            figures["least_wall_mm"] = round(min(_walls(meshes)), 2)
        return Report(self.name, tuple(findings), figures)


def grams(meshes: dict[str, Mesh], name: str) -> float:
    """Weight of a piece with its magnet, printed solid."""
    piece = next(piece for piece in PIECES if piece.name == name)
    magnet = piece.body.magnet
    room = magnet.length_mm * 3.1416 * magnet.diameter_mm**2 / 4
    printed = meshes[piece.body.name].volume + meshes[piece.cap].volume
    return printed * PLASTIC_G_MM3 + room * MAGNET_G_MM3


def _walls(meshes: dict[str, Mesh]) -> list[float]:
    """The walls of bodies that were found good."""
    return [
        wall
        for body in BODIES
        for measured in [cup(meshes[body.name], body.pocket()[0])]
        for wall in (measured.skin, measured.side)
    ]


def items(profile: Profile) -> list[Item]:
    """The one item, the same for every profile."""
    return [Pieces()]


# The pieces as they stand on a table, and one of them taken apart.

COLOURS: dict[str, Colour] = {
    "white": (240, 236, 226),
    "black": (92, 92, 100),
    "neutral": (222, 178, 96),
    "red": (208, 92, 74),
    "green": (110, 168, 108),
}
MAGNET: Colour = (176, 180, 190)
APART_MM = 23.0
LIFT_MM = 17.0
"""Height in mm at which a magnet and a cap are drawn above their body."""


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
    """Place of a piece, in rows that lie level in the picture."""
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
