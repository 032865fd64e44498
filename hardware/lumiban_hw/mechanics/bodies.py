"""Checks of each piece by itself: closed, the right way out, one body, within the bed."""

from __future__ import annotations

from collections.abc import Iterator

from lumiban_hw.kit import Finding
from lumiban_hw.mechanics.made import Parts
from lumiban_hw.mechanics.mesh import Mesh


def check(parts: Parts, bed_mm: float) -> list[Finding]:
    """What is wrong with the pieces as bodies to be printed."""
    return [
        found
        for part in parts.values()
        for name, mesh in part.pieces.items()
        for found in piece(name, mesh, bed_mm)
    ]


def piece(name: str, mesh: Mesh, bed_mm: float) -> Iterator[Finding]:
    """What is wrong with one body; of use for anything that is printed."""
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
        said = {"wide": f"{wide:.1f}", "deep": f"{deep:.1f}", "high": f"{high:.1f}"}
        yield Finding(name, "box.bed", {**said, "bed": f"{bed_mm:g}"})
