"""The box: what is drawn of it, what OpenSCAD makes of that, and the faults that are found."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from lumiban.boards.profile import load, names
from lumiban.i18n import text
from lumiban_hw.mechanics import box, build, checks, flat, mesh, openscad, scad, view
from lumiban_hw.mechanics.box import grown, meets
from lumiban_hw.mechanics.design import PARTS, TURNED_OVER, Design, design
from lumiban_hw.mechanics.letters import SIGNS, letters
from lumiban_hw.mechanics.mesh import Corner, Made, Mesh, prism
from lumiban_hw.stack import STACK

needs_openscad = pytest.mark.skipif(not openscad.program(), reason="needs OpenSCAD")
Change = Callable[[Mesh], Mesh]


@lru_cache
def five() -> Design:
    return design(load("strip5"))


@lru_cache
def printed(part: str, source: str = "") -> Mesh:
    """A part of the bench strip's box as it is printed, from this text or our own."""
    with TemporaryDirectory() as name:
        file, out = Path(name) / "box.scad", Path(name) / "part.stl"
        file.write_text(source or scad.text(five()), "utf-8")
        openscad.render(file, out, {"part": part})
        return mesh.read(out)


def rendered(part: str, source: str = "") -> Mesh:
    """The same as it lies in the box."""
    body = printed(part, source)
    return body.turned_over() if part in TURNED_OVER else body


@lru_cache
def good() -> dict[str, Made]:
    return {part: Made({f"{part}.stl": rendered(part)}) for part in PARTS}


def changed(part: str, change: Change) -> dict[str, Made]:
    return {**good(), part: Made({f"{part}.stl": change(rendered(part))})}


def rules(parts: dict[str, Made], drawn: Design | None = None) -> set[str]:
    found = build.check(drawn or five(), parts)
    for one in found:
        for language in ("en", "ja"):
            assert "{" not in text(f"hardware.rule.{one.rule}", language, **one.said)
    return {one.rule.removeprefix("box.") for one in found}


def moved(move: Callable[[Corner], Corner]) -> Change:
    return lambda body: Mesh(tuple((move(a), move(b), move(c)) for a, b, c in body.triangles))


def with_block(*sides: float) -> Change:
    """With a block more: left, bottom, right, top, from low to high."""
    left, bottom, right, top, low, high = sides
    block = prism(((left, bottom), (right, bottom), (right, top), (left, top)), low, high)
    return lambda body: mesh.joined([body, block])


# What is drawn.


@pytest.mark.parametrize("name", ["strip5", "hex3", "grid9x9"])
def test_posts_are_clear_of_strips_plugs_and_cells(name: str) -> None:
    drawn = design(load(name))
    plan, posts = drawn.plan, drawn.posts
    assert len(posts.tall) >= 4
    for spot in (*posts.tall, *posts.ledges):
        area = grown((*spot, *spot), box.POST_MM / 2)
        assert not any(meets(area, row.outline) for row in plan.rows)
        assert all(math.dist(spot, cell) > plan.profile.pitch_mm / 2 for cell in plan.cells)
    for spot in posts.props:
        assert not any(meets(grown((*spot, *spot), 4), window) for window in plan.windows)
        assert not meets(grown((*spot, *spot), 4), plan.below)


@pytest.mark.parametrize(
    ("name", "east", "signs"),
    [("hex3", "d4", "e 1 2 3 d 4 c 5 5 b 4 a 1 2 3"), ("strip5", "a5", "a 1 1 2 2 3 3 4 4 5 5")],
)
def test_letters_stand_beside_the_cells_they_name(name: str, east: str, signs: str) -> None:
    plan = design(load(name)).plan
    found = letters(plan)
    assert " ".join(letter.words for letter in found) == signs
    for letter in found:
        near = min(range(len(plan.cells)), key=lambda c: math.dist(plan.cells[c], letter.at))
        assert letter.words in plan.profile.grid.name(near)
        assert math.dist(plan.cells[near], letter.at) > plan.profile.pitch_mm / 2 + 2


def test_there_is_a_sign_for_every_name() -> None:
    used = {sign for name in names() for cell in load(name).grid.names for sign in cell}
    assert used <= set(SIGNS)


@pytest.mark.slow
def test_the_outline_of_the_field_is_that_of_all_cells() -> None:
    for name in ("strip5", "hex3", "grid9x9"):
        plan = design(load(name)).plan
        (outline,) = flat.field(plan)
        assert mesh.area(outline) == pytest.approx(
            len(plan.cells) * mesh.area(plan.shape), rel=1e-4
        )


def test_a_box_within_the_bed_is_not_cut_and_a_larger_one_is() -> None:
    assert all(five().cuts(part).pieces == 1 for part in PARTS)
    small = design(load("strip5"), replace(STACK, bed_mm=150.0))
    assert {part: small.cuts(part).pieces for part in PARTS} == dict.fromkeys(PARTS, 2)


def test_the_lasers_drawings_have_their_recesses_over_the_sensors(tmp_path: Path) -> None:
    assert build.sheets(five(), tmp_path) == []
    told = (tmp_path / "recess.dxf").read_text("ascii")
    assert told.count("CIRCLE") == 5 + len(five().posts.tall)
    assert (tmp_path / "rim.svg").read_text("utf-8").startswith("<svg")


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("40\n9.500\n", "40\n9.200\n", "box.wide"),
        ("CIRCLE\n8\nCUT\n10\n0.000\n", "CIRCLE\n8\nCUT\n10\n0.500\n", "box.off"),
        ("CIRCLE\n8\nCUT\n10\n0.000\n", "CIRCLE\n8\nCUT\n10\n12.000\n", "box.recess"),
    ],
)
def test_a_spoilt_laser_drawing_is_found(tmp_path: Path, old: str, new: str, rule: str) -> None:
    build.sheets(five(), tmp_path)
    file = tmp_path / "recess.dxf"
    told = file.read_text("ascii")
    assert old in told
    file.write_text(told.replace(old, new, 1), "ascii")
    found = checks.recesses("x", flat.circles(file), checks.sensors(five().plan.rows), 19.0)
    assert rule in {one.rule for one in found}


def test_without_openscad_drawings_are_made_and_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openscad, "program", lambda: "")
    report = build.Box(load("strip5")).make(tmp_path)
    assert (report.is_good, report.missing) == (True, ("openscad",))
    assert {path.name for path in tmp_path.iterdir()} == {
        "strip5.scad", "parts.csv", "floor.dxf", "floor.svg", "recess.dxf", "recess.svg",
        "rim.dxf", "rim.svg",
    }  # fmt: skip


@pytest.mark.process
def test_a_program_that_fails_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openscad, "program", lambda: "/bin/false")
    report = build.Box(load("strip5")).make(tmp_path)
    assert [(one.rule, one.said) for one in report.findings] == [
        ("box.openscad", {"what": "exit code 1"})
    ]


# Bodies.


def square(size: float = 10.0) -> Mesh:
    return prism(((0, 0), (size, 0), (size, size), (0, size)), 0, 5)


def test_two_bodies_in_a_file_and_one_beyond_the_bed_are_found() -> None:
    two = mesh.joined([square(), square().moved(x=20)])
    assert [one.rule for one in checks.check_body("x", two, 220)] == ["box.bodies"]
    assert [one.rule for one in checks.check_body("x", square(221), 220)] == ["box.bed"]
    assert [one.rule for one in checks.check_body("x", Mesh(()), 220)] == ["box.empty"]


def test_a_mesh_is_read_as_it_was_written(tmp_path: Path) -> None:
    mesh.write(square(), tmp_path / "a.stl")
    assert mesh.read(tmp_path / "a.stl") == square()
    (tmp_path / "b.stl").write_bytes((tmp_path / "a.stl").read_bytes()[:-1])
    with pytest.raises(mesh.NoMesh, match="no binary STL"):
        mesh.read(tmp_path / "b.stl")


def test_a_picture_shows_the_nearer_body() -> None:
    behind, before = view.Body(square(), (255, 0, 0)), view.Body(square().moved(z=9), (0, 255, 0))
    assert view.png([behind, before], 60).startswith(b"\x89PNG")
    assert view.png([behind, before], 60)[100:] != view.png([before, behind], 60)[100:]


# What OpenSCAD makes of the bench strip's box, and spoilt ones.


@pytest.mark.process
@needs_openscad
def test_the_box_of_the_bench_strip_is_good() -> None:
    assert rules(good()) == set()
    figures = build.measured(five(), good())
    assert (figures["pieces"], figures["recess_off_mm"], figures["gap_mm"]) == (6, 0, 5.95)
    assert figures["visible_percent"] >= 40


@pytest.mark.process
@needs_openscad
def test_the_grid_is_printed_on_its_upper_side_and_bridges_nothing() -> None:
    body = printed("grid")
    on_the_bed, above = body.section(0.3), body.section(body.bounds[1][2] - 0.3)
    notched = 0
    for left, bottom, right, top in five().plan.notches:
        at = (left + right) / 2, -(bottom + top) / 2
        assert not above.holds(*at)
        notched += on_the_bed.holds(*at)
    assert notched > 0


def _recess_aside(corner: Corner) -> Corner:
    x, y, z = corner
    return (x + 0.4, y, z) if math.hypot(x, y) < 9.8 else corner


def _post_higher(corner: Corner) -> Corner:
    x, y, z = corner
    top = 2.4 + box.ROOM_MM + box.DECK_MM + 1.6 + 4.0
    return (x, y, z + 0.5) if abs(z - top) < 0.01 else corner


SPOILT: dict[str, tuple[str, Change, set[str]]] = {
    "a recess aside": ("recess", moved(_recess_aside), {"off"}),
    "wider recesses": (
        "recess",
        moved(lambda c: (c[0] * 1.02, c[1], c[2])),
        {"off", "wide", "screw"},
    ),
    "a triangle lost": ("grid", lambda body: Mesh(body.triangles[1:]), {"open"}),
    "a thick floor": ("floor", moved(lambda c: (c[0], c[1], c[2] * 1.5)), {"gap"}),
    "posts that lift the floor": ("tray", moved(_post_higher), {"gap", "level"}),
    "a wall through a light": ("grid", with_block(-1, 4, 1, 8, 0, 4), {"bodies", "wall"}),
    "a wall on a sensor": ("grid", with_block(-60, -1, -40, 1, 0.5, 1), {"bodies", "wall"}),
    "a bar across a cell": ("grid", with_block(-12, -14, 12, -2, 3, 4), {"bodies", "visible"}),
    "a low grid": ("grid", moved(lambda c: (c[0], c[1], c[2] * 0.5)), {"level"}),
    "a grid the wrong way up": ("grid", lambda body: body.turned_over(), {"wall"}),
    "a deck aside": ("deck", moved(lambda c: (c[0] + 2, c[1], c[2])), {"screw", "plug"}),
    "a thick deck": ("deck", moved(lambda c: (c[0], c[1], c[2] * 2)), {"length"}),
    "a letter lost": (
        "rim",
        lambda body: Mesh(
            tuple(t for t in body.triangles if max(c[2] for c in t) < 2.1 or t[0][0] < 40)
        ),
        {"letter", "open"},
    ),
    "something under the strip": ("tray", with_block(30, -2, 34, 2, 5, 20), {"below", "bodies"}),
    "a plug's room taken": ("tray", with_block(-70, 4, -68, 6, 5, 28.3), {"bodies", "plug"}),
    "no opening for USB": ("tray", with_block(70.5, -7, 74, 7, 2, 20), {"bodies", "opening"}),
}


@pytest.mark.slow
@needs_openscad
@pytest.mark.parametrize("fault", SPOILT)
def test_a_spoilt_part_is_found(fault: str) -> None:
    part, change, wanted = SPOILT[fault]
    found = rules(changed(part, change))
    assert found >= wanted, found


@pytest.mark.process
@needs_openscad
def test_light_that_leaks_between_cells_is_found() -> None:
    told = scad.text(five())
    for old, new in (
        ("notch = 2.2;", "notch = 9;"),
        ("notches = [", "notches = [[36, -6, 39, 0], "),
    ):
        assert told.count(old) == 1
        told = told.replace(old, new)
    body = rendered("grid", told)
    assert "leak" in rules({**good(), "grid": Made({"grid.stl": body})})


@pytest.mark.process
@needs_openscad
def test_a_box_for_another_stack_does_not_pass_for_the_models_gap() -> None:
    other = design(load("strip5"), replace(STACK, floor_mm=3.0))
    body = rendered("floor", scad.text(other))
    assert rules({**good(), "floor": Made({"floor.stl": body})}) == {"gap"}


@pytest.mark.process
@needs_openscad
def test_wide_pieces_leave_too_little_light() -> None:
    stack = replace(STACK, piece_wide_mm=18.9)
    assert rules(good(), design(load("strip5"), stack)) == {"visible"}


@pytest.mark.process
@needs_openscad
def test_what_openscad_says_is_told(tmp_path: Path) -> None:
    source = tmp_path / "bad.scad"
    source.write_text("cube(", "utf-8")
    with pytest.raises(openscad.OpenscadFailed, match="ERROR"):
        openscad.render(source, tmp_path / "out.stl", {})


@needs_openscad
@pytest.mark.long
@pytest.mark.parametrize("name", ["hex3", "hex5", "grid9x9", "hex8", "grid13x14"])
def test_the_boxes_of_larger_boards_are_good(name: str, tmp_path: Path) -> None:
    report = build.Box(load(name), pictures=False).make(tmp_path)
    assert report.findings == ()
    assert report.figures["recess_off_mm"] <= checks.OFF_MM


@needs_openscad
@pytest.mark.long
def test_pieces_of_a_cut_grid_do_not_overlap_and_leave_no_gap(tmp_path: Path) -> None:
    drawn = design(load("hex5"))
    source = tmp_path / "hex5.scad"
    source.write_text(scad.text(drawn), "utf-8")
    halves = []
    for piece in range(2):
        openscad.render(source, tmp_path / f"{piece}.stl", {"part": "grid", "piece": piece})
        halves.append(mesh.read(tmp_path / f"{piece}.stl").section(0.5))
    both = [
        (x / 4, y / 4)
        for x in range(-60, 60)
        for y in range(-400, 400)
        if all(half.holds(x / 4, y / 4) for half in halves)
    ]
    assert both == []
