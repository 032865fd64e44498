"""What is made of a board, read back by others' eyes: copper by shapely, gerbers by gerbonara."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import copper
import pytest
import shapely
from gerbonara import GerberFile
from gerbonara.excellon import ExcellonFile
from gerbonara.utils import MM
from kicad_boards import BOARDS, finished
from lumiban.boards.profile import load
from lumiban_hw import electronics
from lumiban_hw.pcb import kicad_cli
from lumiban_hw.pcb.drawing import Board
from lumiban_hw.plans import strips

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(not kicad_cli.kicad(), reason="needs KiCad 9"),
]


def strip(profile: str, row: int) -> Board:
    return electronics.strip_board(strips(load(profile))[row])


ALWAYS = ("strip5",)
"""In every full run; KiCad checks the rules of the base there too (test_hardware_kicad)."""


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=() if name in ALWAYS else pytest.mark.long) for name in BOARDS
    ],
)
def made(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Board, Path]:
    return finished(request.param, tmp_path_factory)


def test_copper_that_touches_is_one_net_and_each_net_is_one_piece(made: tuple[Board, Path]) -> None:
    board, folder = made
    found = copper.pieces(folder / f"{board.name}.kicad_pcb")
    joined = copper.groups(found)
    assert copper.shorts(joined) == []
    assert copper.opens(joined) == []
    # The groups are the drawing's nets, pad by pad.
    pads = {p.what: k for k, group in enumerate(joined) for p in group if "." in p.what}
    for net, members in board.nets().items():
        assert len({pads[f"{ref}.{pad}"] for ref, pad in members}) == 1, net


def test_a_bridge_and_a_cut_are_found_in_copper(made: tuple[Board, Path], tmp_path: Path) -> None:
    board, folder = made
    found = copper.pieces(folder / f"{board.name}.kicad_pcb")
    net = "S0"
    cut = [p for p in found if p.what != f"track of {net}"]
    assert copper.opens(copper.groups(cut)) == [net]
    a, b = (next(p for p in found if p.what == f"track of {name}") for name in ("S0", "S1"))
    ends = [a.shape.centroid, b.shape.centroid]
    bridge = copper.Piece("S0", copper.BOTH, shapely.LineString(ends).buffer(0.1), "bridge")
    assert any({"S0", "S1"} <= nets for nets in copper.shorts(copper.groups([*found, bridge])))


def openings(path: Path) -> Iterator[Any]:
    """What a gerber lays bare or covers, as shapes in mm."""
    for thing in GerberFile.open(path).objects:
        for primitive in thing.to_primitives(unit=MM):
            yield shapely.make_valid(shapely.Polygon(_outline(primitive)))


def _outline(primitive: Any) -> list[tuple[float, float]]:
    poly = primitive.to_arc_poly()
    if hasattr(primitive, "r") and not hasattr(primitive, "w"):
        ring = shapely.Point(primitive.x, primitive.y).buffer(primitive.r).exterior
        return list(ring.coords)
    return list(poly.outline)


def test_every_pad_and_every_place_lies_in_an_opening_of_the_mask(made: tuple[Board, Path]) -> None:
    # Gerbers, drill and positions have one origin, or this is off by centimetres.
    board, folder = made
    left, _, _, bottom = board.outline
    gerbers = folder / "gerber"
    bare = {
        side: shapely.STRtree(list(openings(gerbers / f"{board.name}-{side}_Mask.gbr")))
        for side in "FB"
    }
    places = {row["ref"]: row for row in csv.DictReader((folder / "positions.csv").open())}
    assert len(places) == sum(bool(placed.part.number) for placed in board.parts)
    for placed in board.parts:
        if not placed.part.number:
            continue
        around = []
        for pad in placed.land.pads:
            x, y = placed.at(pad.x, pad.y)
            middle = shapely.Point(x - left, bottom - y)
            for side in "FB" if pad.drill else "F":
                hits = bare[side].query(middle, predicate="within")
                assert len(hits) == 1, f"{placed.ref}.{pad.number} on {side}"
                shape = bare[side].geometries[hits[0]]
                assert shape.centroid.distance(middle) < 0.01
                around.append(shape)
        row = places[placed.ref]
        at = shapely.Point(float(row["x_mm"]), float(row["y_mm"]))
        assert shapely.union_all(around).convex_hull.buffer(0.01).contains(at), placed.ref


def test_drills_lie_in_their_pads(made: tuple[Board, Path]) -> None:
    board, folder = made
    left, _, _, bottom = board.outline
    holes = ExcellonFile.open(folder / "gerber" / f"{board.name}.drl")
    drilled = {(round(o.x, 2), round(o.y, 2)) for o in holes.objects}
    meant = {(round(v.at[0] - left, 2), round(bottom - v.at[1], 2)) for v in board.vias}
    meant |= {
        (round(x - left, 2), round(bottom - y, 2))
        for placed in board.parts
        for pad in placed.land.pads
        if pad.drill
        for x, y in (placed.at(pad.x, pad.y),)
    }
    meant |= {(round(h.at[0] - left, 2), round(bottom - h.at[1], 2)) for h in board.holes}
    assert len(drilled) == len(meant)
    shapes = shapely.MultiPoint(sorted(drilled))
    assert all(shapes.distance(shapely.Point(at)) < 0.02 for at in meant)


def test_without_kicad_board_and_schematic_are_made_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kicad_cli, "kicad", lambda: None)
    told = electronics.board_report("strip5", strip("strip5", 0), tmp_path)
    assert (told.findings, len(told.missing)) == ((), 1)
    there = {path.name for path in tmp_path.iterdir()}
    assert {"strip5.kicad_pcb", "strip5.kicad_pro", "strip5.kicad_sch", "cell.kicad_sch"} <= there
