"""The box of a kit: its drawings and meshes, pictures, what to buy for it, and the checks."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from lumiban.boards.profile import Profile

from lumiban_hw.kit import Finding, Item, Report
from lumiban_hw.mechanics import box, checks, flat, mesh, openscad, scad, view
from lumiban_hw.mechanics.design import PARTS, TURNED_OVER, Design, design
from lumiban_hw.mechanics.mesh import Made, Parts
from lumiban_hw.pcb.make import write_csv
from lumiban_hw.stack import STACK, Stack

AT_ONCE = 2
"""OpenSCADs at the same time."""
EMPTY = "box.empty"
"""The finding after which nothing else can be measured."""
GRAMS_A_CM3 = 1.27
"""Of PETG."""
COLOURS: dict[str, view.Colour] = {
    "tray": (120, 124, 132), "deck": (158, 162, 168), "grid": (244, 244, 238),
    "floor": (228, 234, 242), "recess": (196, 218, 236), "rim": (92, 98, 108),
}  # fmt: skip
RELIEF: view.Colour = (250, 250, 244)
LIFT = {"tray": 0.0, "deck": 0.3, "grid": 0.3, "floor": 0.7, "recess": 0.8, "rim": 1.15}
"""Lift of each part in the picture of all parts, in depths of the box."""
MIN_LIFT_MM = 110.0
"""Taken for that depth where the box is less deep."""


@dataclass(frozen=True)
class Box:
    """The box of a board."""

    profile: Profile
    stack: Stack = STACK
    pictures: bool = True

    @property
    def name(self) -> str:
        """Its folder."""
        return f"box/{self.profile.name}"

    def make(self, folder: Path) -> Report:
        """Write the drawings; where OpenSCAD is, make the meshes and measure them."""
        drawn = design(self.profile, self.stack)
        source = folder / f"{self.profile.name}.scad"
        source.write_text(scad.text(drawn), "utf-8")
        findings = sheets(drawn, folder)
        write_csv(folder / "parts.csv", ("part", "count", "for"), shopping(drawn))
        pieces = drawn.pieces()
        figures: dict[str, float] = {"rules": len(findings), "pieces": len(pieces)}
        if not openscad.program():
            return Report(self.name, tuple(findings), figures, (openscad.PACKAGE,))
        try:
            with ThreadPoolExecutor(AT_ONCE) as pool:
                list(pool.map(lambda one: _render(drawn, source, folder, *one), pieces))
            parts = read(drawn, folder)
        except (openscad.OpenscadFailed, mesh.NoMesh) as error:
            gave_up = Finding(self.name, "box.openscad", {"what": str(error)})
            return Report(self.name, (*findings, gave_up), figures)
        findings += check(drawn, parts)
        if any(finding.rule == EMPTY for finding in findings):
            return Report(self.name, tuple(findings), {**figures, "rules": len(findings)})
        if self.pictures:
            draw(drawn, parts, folder)
        return Report(
            self.name, tuple(findings), {"rules": len(findings), **measured(drawn, parts)}
        )


def items(profile: Profile) -> list[Item]:
    """The box of a board; ProfileError where its strips cannot be made."""
    return [Box(profile)]


def _render(drawn: Design, source: Path, folder: Path, part: str, piece: int) -> None:
    openscad.render(source, folder / drawn.file(part, piece), {"part": part, "piece": piece})


def read(drawn: Design, folder: Path) -> dict[str, Made]:
    """The parts from their files, each as it lies in the box; NoMesh."""
    meshes: dict[str, dict[str, mesh.Mesh]] = {part: {} for part in PARTS}
    for part, piece in drawn.pieces():
        file = drawn.file(part, piece)
        body = mesh.read(folder / file)
        meshes[part][file] = body.turned_over() if part in TURNED_OVER and body.triangles else body
    return {part: Made(pieces) for part, pieces in meshes.items()}


def sheets(drawn: Design, folder: Path) -> list[Finding]:
    """Write the laser's drawings, read them back, and hold their recesses against the sensors."""
    findings: list[Finding] = []
    meant = checks.sensors(drawn.plan.rows)
    for sheet in flat.sheets(drawn):
        flat.write(sheet, folder)
    for name in ("recess.dxf", "recess.svg"):
        circles = flat.circles(folder / name)
        findings += checks.recesses(name, circles, meant, drawn.plan.stack.recess_wide_mm)
    return findings


def check(drawn: Design, parts: Parts) -> list[Finding]:
    """All that is wrong with parts; only their bodies, while one of them is empty."""
    findings = checks.check_bodies(parts, drawn.plan.stack.bed_mm)
    if any(finding.rule == EMPTY for finding in findings):
        return findings
    return [
        *findings,
        *checks.check_field(drawn.plan, drawn.letters, parts),
        *checks.check_fit(drawn.plan, parts),
    ]


def measured(drawn: Design, parts: Parts) -> dict[str, float]:
    """Figures of a report."""
    recess = parts["recess"]
    circles = recess.at(recess.high / 2).holes
    cubic = sum(part.whole.volume for part in parts.values()) / 1000
    return {
        "pieces": sum(len(part.pieces) for part in parts.values()),
        "recess_off_mm": round(checks.farthest(circles, checks.sensors(drawn.plan.rows)), 3),
        "gap_mm": checks.gap(drawn.plan, parts),
        "visible_percent": round(100 * min(checks.visible(drawn.plan, parts))),
        "plastic_g": round(cubic * GRAMS_A_CM3),
    }


def draw(drawn: Design, parts: Parts, folder: Path) -> None:
    """A picture of each part, and one of all, lifted off each other."""
    _, bottom, _, top = drawn.plan.outer
    every: list[view.Body] = []
    for name, part in parts.items():
        seen = list(_coloured(name, part))
        (folder / f"{name}.png").write_bytes(view.png(seen, 640))
        up = drawn.height(name) + LIFT[name] * max(MIN_LIFT_MM, top - bottom)
        every += [view.Body(body.mesh.moved(z=up), body.colour) for body in seen]
    (folder / "box.png").write_bytes(view.png(every, 1000))


def _coloured(name: str, part: Made) -> Iterable[view.Body]:
    """A part's pieces; the rim's letters are lighter."""
    for one in part.pieces.values():
        base = one.bounds[0][2]
        level = base + box.RIM_MM + 0.1 if name == "rim" else one.bounds[1][2] + 1
        relief = [three for three in one.triangles if min(spot[2] for spot in three) > level]
        rest = [three for three in one.triangles if min(spot[2] for spot in three) <= level]
        yield view.Body(mesh.Mesh(tuple(rest)), COLOURS[name])
        if relief:
            yield view.Body(mesh.Mesh(tuple(relief)), RELIEF)


def shopping(drawn: Design) -> list[tuple[str, int, str]]:
    """Parts to buy besides plastic: part, how many, what for."""
    plan, posts = drawn.plan, drawn.posts
    between = sum(len(row.holes) - 1 for row in plan.rows)
    bolts = 4 * (len(drawn.cuts("tray").xs) + len(drawn.cuts("tray").ys))
    rows = [
        ("screw M2x8", between, "from below through deck and strip into the light grid"),
        ("screw M2x6", len(plan.rows), "from above through a strip's head into the deck"),
        ("screw M3x8", len(posts.ledges), "deck to the tray"),
        ("screw M3x16", len(posts.tall), "rim and sheets to the tray"),
        ("rubber foot, glued", 4 * drawn.cuts("tray").pieces, "under the tray"),
    ]
    if plan.alone:
        rows.append(("screw M2x5", 4, "Pico to the tray"))
    else:
        rows += [
            ("screw M3x6", len(plan.below_bores), "base board to the tray"),
            ("push button 12 mm, to screw in", len(plan.buttons), "two a player"),
            ("cable gland PG7", 1, "supply cable"),
        ]
    if bolts:
        rows.append(("screw M3x16 with nut", bolts, "flanges of the tray's pieces"))
    return rows
