"""What is sent to a house, a table's panel, prices, and the release that holds all of it."""

from __future__ import annotations

import csv
import hashlib
import re
from collections import Counter
from functools import cache
from pathlib import Path

import copper
import pytest
import shapely
from command_line import Run
from lumiban.boards.profile import load
from lumiban.boards.profile_file import Pins
from lumiban.errors import UsageError
from lumiban_hw import assembly, electronics, order_codes, parts, prices
from lumiban_hw.kit import Report
from lumiban_hw.mechanics import openscad
from lumiban_hw.parts import FIDUCIAL, Part
from lumiban_hw.pcb import board_file, kicad_cli, make
from lumiban_hw.pcb.drawing import Board
from lumiban_hw.pcb.panel import edges, panel
from lumiban_hw.plans import strips
from lumiban_hw.release import Release
from places import ROOT


@cache
def nine() -> list[Board]:
    return [electronics.strip_board(plan) for plan in strips(load("hex5"))]


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.open(encoding="utf-8")))


# Houses.


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(assembly.HOUSES))
def test_a_house_gets_the_same_parts_in_both_lists_and_no_other_column(
    name: str, tmp_path: Path
) -> None:
    board, house = electronics.base_board(Pins()), assembly.house(name)
    parts, places = assembly.write(board, house, tmp_path)
    refs = "*Designator" if name == "pcbway" else "Designator"
    listed = [ref for row in rows(parts) for ref in row[refs].split(",")]
    put = {row["Designator"]: row for row in rows(places)}
    assert sorted(listed) == sorted(put)
    assert len(listed) == len(set(listed))
    assert tuple(rows(parts)[0]) == house.parts_head
    assert tuple(rows(places)[0]) == house.places_head
    # Nothing with pins through the board, nothing without a number, nothing twice.
    assert set(put) == {p.ref for p in assembly.by_machine(board)}
    by_hand = {p.ref for p in assembly.by_hand(board)}
    assert {"J1", "A1", "F20", "C20"} <= by_hand
    assert not by_hand & set(put)
    left, _, _, bottom = board.outline
    q1 = board.part("Q1")
    assert (put["Q1"]["Mid X"], put["Q1"]["Mid Y"]) == (
        f"{q1.x - left:g}mm",
        f"{bottom - q1.y:g}mm",
    )


@pytest.mark.slow
def test_the_reel_of_a_house_turns_its_packages_and_those_alone() -> None:
    board = electronics.base_board(Pins())
    ours, theirs = assembly.house("pcbway"), assembly.house("jlcpcb")
    turned = {
        p.part.land: (assembly.turn(theirs, p) - assembly.turn(ours, p)) % 360
        for p in assembly.by_machine(board)
    }
    assert {k: v for k, v in turned.items() if v} == {
        "SOT-23": 180, "SOT-23-5": 180, "SOIC-8": 270, "TSSOP-24": 270,
    }  # fmt: skip
    assert turned["0603"] == 0


def test_a_house_that_is_unknown_is_named_with_those_there_are(run: Run, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no house is called nobody: there are jlcpcb, pcbway"):
        assembly.house("nobody")
    code, _, err = run(
        "hardware", "release", "strip5", "--out", str(tmp_path / "r"), "--house", "nobody"
    )
    assert code == 2
    assert "no house is called nobody: there are jlcpcb, pcbway" in err
    assert not (tmp_path / "r").exists()


@pytest.mark.slow
def test_every_part_has_two_other_numbers_or_a_reason_why_it_has_none() -> None:
    for board in (electronics.base_board(Pins()), nine()[0]):
        for placed in board.parts:
            number = placed.part.number
            if number:
                others = order_codes.alternates(number)
                assert len({*others, number}) == 3 or number in order_codes.ALONE, number
    assert not list(
        order_codes.check("base", [p.part for p in electronics.base_board(Pins()).parts])
    )


@pytest.mark.slow
def test_a_substitute_of_another_value_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        order_codes.ALTERNATES, "CC0603KRX7R8BB104", ("CL10B103KB8NNNC", "GRM188R71E104KA01D")
    )
    parts = [p.part for p in nine()[0].parts]
    told = list(order_codes.check("strip5", parts))
    assert [f.said["what"] for f in told] == ["10n for 100n 25V"]


def test_each_part_has_a_price_and_each_price_a_part() -> None:
    said = prices.table()["parts"]
    ours = {one.number for one in vars(parts).values() if isinstance(one, Part) and one.number}
    assert set(said) == ours
    for number, price in said.items():
        assert price["usd"] > 0, number
        assert re.fullmatch(r"C\d{3,8}|", prices.house_number(number)), number
    owned = [prices.house_number(number) for number in said]
    assert len(set(filter(None, owned))) == len(list(filter(None, owned)))


# The panel.


@pytest.mark.parametrize("name", ["hex3", "hex5", "grid9x9"])
def test_a_panel_s_rails_are_whole_and_bear_what_a_house_s_line_holds_it_by(name: str) -> None:
    boards = [electronics.strip_parts(plan) for plan in strips(load(name))]
    whole = panel(boards, f"{name}-panel", "x")
    lines = shapely.multilinestrings([list(pair) for pair in whole.edges])
    areas = list(shapely.get_parts(shapely.polygonize(list(shapely.get_parts(lines)))))
    outer = max(areas, key=lambda area: shapely.Polygon(area.exterior).area)
    board = shapely.Polygon(outer.exterior, [a.exterior for a in areas if a is not outer])
    _, _, wide, high = whole.outline
    for rail in (shapely.box(0, 0, wide, 7), shapely.box(0, high - 7, wide, high)):
        assert board.buffer(1e-6).contains(rail)
        tooling = [hole for hole in whole.bites if rail.contains(shapely.Point(hole.at))]
        assert [hole.diameter for hole in tooling if hole.diameter >= 1] == [2.0, 2.0]
    marks = [p for p in whole.parts if p.part is FIDUCIAL and "_" not in p.ref]
    assert len(marks) == 3
    edge = shapely.box(0, 0, wide, high).exterior
    for one in marks:
        bare = shapely.Point(one.x, one.y).buffer(1.0)
        assert board.contains(bare)
        assert bare.distance(edge) >= 3.35
        assert all(bare.distance(shapely.Point(h.at)) > h.diameter / 2 for h in whole.bites)
    if name.startswith("hex"):  # what is no strip hangs together, and on the longest strip
        y = 9.0
        for one in boards:
            board = board.difference(shapely.box(0, y, one.outline[2] - one.outline[0],
                                                 y + one.outline[3] - one.outline[1]))  # fmt: skip
            y += one.outline[3] - one.outline[1] + 2.0
        frame = [area for area in shapely.get_parts(board) if area.area > 100]
        assert len(frame) == 2  # above and below the longest


def test_boxes_that_touch_have_one_outline() -> None:
    assert sorted(edges([(0, 0, 1, 1), (1, 0, 2, 1)])) == [
        ((0, 0), (0, 1)), ((0, 0), (2, 0)), ((0, 1), (2, 1)), ((2, 0), (2, 1)),
    ]  # fmt: skip


@pytest.mark.long
@pytest.mark.skipif(not kicad_cli.kicad(), reason="needs KiCad 9")
@pytest.mark.parametrize("name", ["hex3", "hex5", "hex8", "grid9x9", "grid13x14"])
def test_a_table_s_panel_has_no_errors_and_its_copper_no_shorts(name: str, tmp_path: Path) -> None:
    boards = [electronics.strip_board(plan) for plan in strips(load(name))]
    whole = panel(boards, f"{name}-panel", "x")
    (tmp_path / f"{name}-panel.kicad_pcb").write_text(board_file.board_text(whole), "utf-8")
    (tmp_path / f"{name}-panel.kicad_pro").write_text(board_file.project_text(whole), "utf-8")
    tool = kicad_cli.kicad()
    assert tool
    with kicad_cli.Bench(tool, tmp_path, whole.name) as bench:
        bench.fill()
        told = bench.check_copper()
    assert (told.drc, told.unconnected) == ((), ())
    joined = copper.groups(copper.pieces(tmp_path / f"{name}-panel.kicad_pcb"))
    assert (copper.shorts(joined), copper.opens(joined)) == ([], [])


# Prices.


# The release.


@pytest.fixture
def nothing_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kicad_cli, "kicad", lambda: None)
    monkeypatch.setattr(make, "wanting", lambda: "kicad")
    monkeypatch.setattr(openscad, "program", lambda: "")


def named_by_the_guide() -> list[str]:
    """Files of hex3's release in the guide's table; those of a row by the example of the base."""
    text = (ROOT / "docs" / "maker" / "order.md").read_text("utf-8")
    table = text.partition("## Everything in one folder")[2].partition("Before you pay")[0]
    return [
        name.replace("…", "pcb/base/base").replace("by-hand", "pcb/base/by-hand")
        for row in table.splitlines()
        if row.startswith("| `")
        for name in re.findall(r"`([^`]+)`", row.split(" | ")[0])
    ]


def released(profile: str, folder: Path) -> Report:
    board = load(profile)
    made = []
    for item in electronics.items(board):
        (folder / item.name).mkdir(parents=True)
        made.append(item.make(folder / item.name))
    houses = [assembly.house(name) for name in sorted(assembly.HOUSES)]
    return Release(board, folder, made, houses, "0").write()


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_there")
@pytest.mark.parametrize("profile", ["strip5", "hex3"])
def test_without_kicad_a_release_has_the_rest_and_says_so(profile: str, tmp_path: Path) -> None:
    told = released(profile, tmp_path)
    assert told.findings == ()
    assert any(name.startswith("kicad") for name in told.missing)
    page = (tmp_path / "index.html").read_text("utf-8")
    assert "Not made, as it is not installed here: " in page
    assert "send these two files there" in page
    for name, count in Counter(plan.name for plan in strips(load(profile))).items():
        assert f'<tr><td>{name}</td><td class="n">{count}</td>' in page
    assert f"{profile}" in page
    if profile == "hex3":
        *_, whole, other = (tmp_path / "all-in.csv").read_text("utf-8").splitlines()
        assert whole.startswith("all in,")  # the sum is without what may be ordered instead
        assert other.startswith("or: panel hex3-panel in place of the strips,5,")
        assert "panel hex3-panel in place of the strips" in page
        assert "D1_1 is its first light" in page
        prices_told = page.partition("<h2>All in")[2]
        told = re.findall(r"<tr>(?!<th>)(.*?)</tr>", prices_told, re.DOTALL)
        assert len(told) > 12
        assert all(re.search(r"<td>[^<]*\d{4}-\d\d-\d\d[^<]*</td>$", row) for row in told)
        placed = (tmp_path / "panel" / "hex3-panel-jlcpcb-places.csv").read_text("utf-8")
        assert "\nD1_1," in placed
        parts = (tmp_path / "panel" / "hex3-panel-jlcpcb-parts.csv").read_text("utf-8")
        assert "C266128,DRV5055A3QDBZR" in parts
        named = named_by_the_guide()
        gerbers = {name for name in named if name.endswith("-gerber.zip")}  # KiCad plots them
        assert len(set(named) - gerbers) == 7
        assert [
            name for name in named if name not in gerbers and not (tmp_path / name).is_file()
        ] == []
        assert all(
            (tmp_path / name.replace("-gerber.zip", ".kicad_pcb")).is_file() for name in gerbers
        )
    # Each link and picture is there.
    named = re.findall(r'(?:href|src)="([^"]+)"', page)
    assert len(named) > 15
    assert [name for name in named if not (tmp_path / name).is_file()] == []
    # Each sum is that of its file, and no file has none.
    sums = dict(
        reversed(line.split("  ", 1))
        for line in (tmp_path / "SHA256SUMS").read_text("utf-8").splitlines()
    )
    files = {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file()}
    assert set(sums) == files - {"SHA256SUMS"}
    assert all(
        hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() == told
        for name, told in sums.items()
    )


@pytest.mark.parametrize("words", ["build breadboard8 --out", "release reeds8 --out"])
def test_a_board_from_shop_parts_has_nothing_to_make_and_says_where_its_wiring_is(
    words: str, tmp_path: Path, run: Run
) -> None:
    code, _, told = run("hardware", *words.split(), str(tmp_path / "kit"))
    assert code == 2
    assert "wired from shop parts" in told
    assert f"board gpio --wiring --profile {words.split()[1]}" in told
    assert not (tmp_path / "kit").exists()
