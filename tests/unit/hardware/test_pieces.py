"""The printed pieces: what OpenSCAD makes of them is measured, and each fault is found."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from math import cos, pi, sin
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from each import each
from lumiban.boards.profile import load
from lumiban.i18n import text
from lumiban.study.pieces import needs, order
from lumiban_fw import layout_file
from lumiban_fw.sense import classify
from lumiban_fw.wire import BLACK, EMPTY, WHITE
from lumiban_hw.magnetics import STRONG, WEAK
from lumiban_hw.mechanics import openscad
from lumiban_hw.mechanics.mesh import Mesh, Triangle, prism, read, write
from lumiban_hw.pieces import checks
from lumiban_hw.pieces.checks import FELT_MM2, check, differences
from lumiban_hw.pieces.design import BLACK_BODY, BODIES, PARTS, PIECES, WHITE_BODY, source
from lumiban_hw.pieces.kit import Pieces
from lumiban_hw.stack import STACK
from places import ROOT

needs_openscad = pytest.mark.skipif(not openscad.program(), reason="OpenSCAD is not installed")


@lru_cache
def made(part: str, scad: str = "") -> Mesh:
    """A part, rendered from this text or our own."""
    with TemporaryDirectory() as folder:
        file, out = Path(folder) / "pieces.scad", Path(folder) / "part.stl"
        file.write_text(scad or source(), "utf-8")
        openscad.render(file, out, {"part": part})
        return read(out)


def changed(old: str, new: str) -> str:
    assert source().count(old) == 1, old
    return source().replace(old, new)


def rules(meshes: dict[str, Mesh]) -> set[str]:
    """The rules that are broken; the sentence of each can be said in both languages."""
    found = check(meshes)
    for one in found:
        for language in ("en", "ja"):
            assert "{" not in text(f"hardware.rule.{one.rule}", language, **one.said)
    return {one.rule.rpartition(".")[2] for one in found}


def spun(profile: list[tuple[float, float]], steps: int = 48) -> Mesh:
    """A body of rotation: its outline (radius, height) runs upwards outside, down inside."""

    def at(spot: tuple[float, float], step: int) -> tuple[float, float, float]:
        angle = 2 * pi * (step % steps) / steps
        return spot[0] * cos(angle), spot[0] * sin(angle), spot[1]

    triangles: list[Triangle] = []
    for step in range(steps):
        for a, b in pairwise(profile):
            p, q, r, s = at(a, step), at(a, step + 1), at(b, step + 1), at(b, step)
            triangles += [t for t in ((p, q, r), (p, r, s)) if len(set(t)) == 3]
    return Mesh(tuple(triangles))


def neutral(skin: float = 0.6, wide: float = 4.2, ledge: float = 2.8, outside: float = 9.0) -> Mesh:
    return spun(
        [(0, 0), (outside, 0), (outside, 4.2), (8, 4.2), (8, ledge), (wide / 2, ledge),
         (wide / 2, skin), (0, skin)]
    )  # fmt: skip


# What is made, without OpenSCAD.


def test_there_is_a_piece_for_all_that_the_games_take() -> None:
    whole = order([one for name in ("hex3", "grid13x14") for one in needs(load(name), games=1)])
    assert set(whole.needed) == {piece.name for piece in PIECES}


def test_the_poles_are_those_that_the_board_calls_white_and_black() -> None:
    # A DRV5055's output rises when a south pole comes near (data sheet), and the firmware calls
    # what rises white: a white piece has its south pole down, and its north pole looks up.
    told = layout_file.read(load("hex5").board_bin())
    south_down = classify(told, 0, EMPTY, 32_000)
    assert (south_down, WHITE_BODY.up) == (WHITE, "N")
    assert (classify(told, 0, EMPTY, -32_000), BLACK_BODY.up) == (BLACK, "S")
    assert {body.magnet for body in BODIES} == {STRONG, WEAK}


def test_without_openscad_the_source_is_there_and_the_rest_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(openscad, "program", lambda: "")
    report = Pieces().make(tmp_path)
    assert report.is_good
    assert report.missing == ("openscad",)
    assert [p.name for p in tmp_path.iterdir()] == ["pieces.scad"]


@pytest.mark.one_case
@pytest.mark.parametrize("empty", [True, False])
def test_parts_that_are_no_pieces_are_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, empty: bool
) -> None:
    solid = prism(((-9, -9), (9, -9), (9, 9), (-9, 9)), 0, 4.2)
    monkeypatch.setattr(openscad, "program", lambda: "openscad")
    monkeypatch.setattr(
        openscad, "render", lambda _, out, __: write(Mesh(()) if empty else solid, out)
    )
    report = Pieces().make(tmp_path)
    found = {(one.about, one.rule) for one in report.findings}
    first = ("body-white", "piece.openscad" if empty else "piece.no-pocket")
    assert first in found
    assert "least_wall_mm" not in report.figures


# How it is measured.


def test_the_measures_of_a_body_are_those_it_was_drawn_with() -> None:
    cup = checks.cup(neutral(), 4.2)
    assert cup.skin == pytest.approx(0.6)
    assert cup.pocket_wide[0] < cup.pocket_wide[1] == pytest.approx(4.2, abs=1e-4)
    assert cup.pocket_high == pytest.approx(2.2)
    assert cup.side == pytest.approx(6.9, abs=0.03)
    assert [cup.outside, cup.cap_deep] == pytest.approx([18, 1.4])


def test_a_relief_is_felt_alike_however_it_is_turned() -> None:
    bar = prism(((-6, -2), (6, -2), (6, 2), (-6, 2)), 0, 3)
    turned = prism(((-2, -6), (2, -6), (2, 6), (-2, 6)), 0, 3)
    square = prism(((-5, -5), (5, -5), (5, 5), (-5, 5)), 0, 3)
    reliefs = [checks.relief(mesh, 0.0) for mesh in (bar, turned, square)]
    assert checks.felt(reliefs[0], reliefs[1], 0.5) < 1
    assert 40 < checks.felt(reliefs[0], reliefs[2], 0.5) < 70
    assert checks.felt(reliefs[0], reliefs[2], 5.0) == 0


# Faults of bodies that need no OpenSCAD to make.


def test_a_good_body_has_no_finding() -> None:
    assert rules({"body-neutral": neutral()}) == set()


WAIST = [(0, 0), (2.6, 0), (2.6, 2.5), (9, 2.5), (9, 4.2), (8, 4.2), (8, 2.8), (2.1, 2.8),
         (2.1, 0.6), (0, 0.6)]  # fmt: skip
SPOILED = {
    "thin skin": (neutral(skin=0.4, ledge=2.6), {"skin", "wall-under"}),
    "thick skin": (neutral(skin=0.8, ledge=3.0), {"skin"}),
    "narrow pocket": (neutral(wide=4.0), {"pocket"}),
    "wide pocket": (neutral(wide=4.5), {"pocket"}),
    "low pocket": (neutral(ledge=2.6), {"pocket"}),
    "thin side": (spun(WAIST), {"wall-beside"}),
    "too wide": (neutral(outside=9.6), {"recess"}),
    "too small": (neutral(outside=8.3), {"recess"}),
    "no pocket": (spun([(0, 0), (9, 0), (9, 4.2), (0, 4.2)]), {"no-pocket"}),
    "no ledge": (spun([(0, 0), (9, 0), (9, 4.2), (2.1, 4.2), (2.1, 0.6), (0, 0.6)]), {"no-ledge"}),
    "a hole": (Mesh(neutral().triangles[1:]), {"open"}),
    "two bodies": (Mesh(neutral().triangles + neutral().moved(30).triangles), {"bodies", "recess"}),
    "inside out": (Mesh(tuple((a, c, b) for a, b, c in neutral().triangles)), {"inside-out"}),
}


@each("fault", SPOILED)
def test_a_spoiled_body_is_found(fault: str) -> None:
    mesh, expected = SPOILED[fault]
    found = rules({"body-neutral": mesh})
    assert found == expected, fault


# What OpenSCAD makes.


@pytest.mark.process
@needs_openscad
def test_bodies_and_plain_caps_have_no_finding() -> None:
    parts = [part for part in PARTS if "dove" not in part]
    assert rules({part: made(part) for part in parts}) == set()


@pytest.mark.process
@needs_openscad
@pytest.mark.parametrize(
    ("part", "scad", "rule"),
    [
        ("body-white", lambda: source(replace(STACK, pocket_mm=0.0)), "pocket"),
        ("body-white", lambda: source(replace(STACK, skin_mm=0.45)), "wall-under"),
        ("body-black", lambda: source(replace(STACK, piece_wide_mm=19.2)), "recess"),
        ("body-white", lambda: changed('body(6, 3, "N")', 'body(6, 3, "S")'), "mark"),
        ("body-black", lambda: changed('body(6, 3, "S")', 'body(6, 3, "")'), "mark"),
        ("cap-white", lambda: source(replace(STACK, play_mm=0.05)), "cap"),
        ("cap-black", lambda: source(replace(STACK, play_mm=0.6)), "cap"),
        ("cap-black", lambda: changed("[3, high], [0, high]]", "[3, 0.3], [0, 0.3]]"), "wall-over"),
    ],
)
def test_a_spoiled_part_is_found(part: str, scad: Callable[[], str], rule: str) -> None:
    meshes = {"body-white": made("body-white"), "body-black": made("body-black")}
    assert rules({**meshes, part: made(part)}) == set()
    assert rule in rules({**meshes, part: made(part, scad())})


@pytest.mark.process
@needs_openscad
def test_tops_that_fingers_cannot_tell_apart_are_found() -> None:
    flat = changed("knob = 1.4;", "knob = 0.3;")
    caps = ("cap-dove-t-red", "cap-dove-t-green")
    assert rules({cap: made(cap) for cap in caps}) == set()
    assert rules({cap: made(cap, flat) for cap in caps}) == {"feel"}
    same = changed("module bar() { square([14, 6]", "module bar() { square([10.2, 10.6]")
    both = {
        "cap-dove-t-red": made("cap-dove-t-red", same),
        "cap-dove-m-red": made("cap-dove-m-red"),
    }
    assert rules(both) == {"feel"}


@needs_openscad
@pytest.mark.long
def test_the_whole_set_is_good_and_doves_differ_by_far(tmp_path: Path) -> None:
    report = Pieces().make(tmp_path)
    assert report.findings == ()
    shown = ROOT / "docs" / "pictures" / "hardware-pieces.png"
    assert (tmp_path / "pieces.png").read_bytes() == shown.read_bytes()
    assert report.figures["parts"] == len(PARTS) == len(list(tmp_path.glob("*.stl")))
    with (tmp_path / "parts.csv").open(encoding="utf-8", newline="") as file:
        weights = {row["piece"]: float(row["grams"]) for row in csv.DictReader(file)}
    assert all(1.5 < grams < 3.5 for grams in weights.values())
    meshes = {part: read(tmp_path / f"{part}.stl") for part in PARTS}
    areas = [area for one, other, area in differences(meshes)]
    assert len(areas) == 3 + 1 + 12 * 11 / 2
    assert min(areas) > FELT_MM2
