"""The pieces in a kit: their source, every part as a mesh, what was measured on it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lumiban.boards.profile import Profile

from lumiban_hw.kit import Finding, Item, Report
from lumiban_hw.mechanics import openscad
from lumiban_hw.mechanics.mesh import Mesh, NoMesh, read
from lumiban_hw.pcb.make import write_csv
from lumiban_hw.pieces.checks import ABOUT, check, differences
from lumiban_hw.pieces.design import BODIES, PARTS, PIECES
from lumiban_hw.pieces.measure import cup
from lumiban_hw.pieces.picture import picture
from lumiban_hw.pieces.scad import source

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
        found = check(meshes)
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
        if not found:
            figures["least_wall_mm"] = round(min(_walls(meshes)), 2)
        return Report(self.name, tuple(found), figures)


def grams(meshes: dict[str, Mesh], name: str) -> float:
    """What a piece weighs with its magnet, printed solid."""
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
        for told in [cup(meshes[body.name], body.pocket()[0])]
        for wall in (told.skin, told.side)
    ]


def items(profile: Profile) -> list[Item]:
    """The one item, the same for every profile."""
    return [Pieces()]
