"""First light: of each wrong joint its name, of a sound board nothing, in words and pictures."""

from __future__ import annotations

import json
import os
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import Run, refused
from each import each
from lumiban.boards.limits import GATE_MS, RAMP_MS
from lumiban.boards.ports import open_port
from lumiban.boards.profile import load
from lumiban.i18n import text
from lumiban.maker.doctor import BAD, GOOD, NOTE, Finding
from lumiban.maker.firstlight import Curves, FirstLight
from lumiban_sim.firstlight_page import drawn, expected
from lumiban_sim.joints import KINDS, Joints, Wrong, wrongs
from lumiban_sim.rails import Feed
from thorough import some

HEX5 = load("hex5")
HEX3 = load("hex3")
TWELVE = {
    "an open select line at the base": Wrong("select.open.base", bit=1),
    "an open select line in a ribbon": Wrong("select.open.strip", strip=4, bit=2),
    "select lines that touch": Wrong("select.bridge.base", bit=0, other=2),
    "swapped select lines in a ribbon": Wrong("select.swap.strip", strip=3, bit=0, other=1),
    "an open line of the row": Wrong("row", bit=1),
    "an open analog line": Wrong("reading.strip", strip=6),
    "a dead regulator": Wrong("regulator", strip=2),
    "a light that is turned round": Wrong("short", strip=5),
    "a wrong resistor at a reference": Wrong("reference", strip=0),
    "a wrong resistor at the gate": Wrong("gate"),
    "an open joint between two lights": Wrong("light", strip=4, number=30),
    "a sensor's open joint": Wrong("sensor.open", strip=6, number=49),
}
JOINTS = {
    "an open select line at the base": "R2",
    "an open select line in a ribbon": "J5.13",
    "select lines that touch": "R1, R3",
    "swapped select lines in a ribbon": "J4.12, J4.14",
    "an open line of the row": "U1.S1",
    "an open analog line": "J7.10",
    "a dead regulator": "U2, C2, C3",
    "a light that is turned round": "J6",
    "a wrong resistor at a reference": "R2, R3",
    "a wrong resistor at the gate": "R27, C21",
    "an open joint between two lights": "D4.2, D5.4",
    "a sensor's open joint": "J7: S7.2",
}


def found(board: Joints) -> list[Finding]:
    """What first light says of a board on which somebody sets the stones that it asks for."""
    return FirstLight(board, board.profile, board.set_stone).run()


def bad(findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.level == BAD]


@pytest.mark.parametrize("wrong", [None, Wrong("light", strip=1, number=2), Wrong("regulator")])
def test_lights_that_were_tried_are_dark_again(wrong: Wrong | None) -> None:
    shone: list[bytes] = []

    class Watched(Joints):
        def shine(self, rgb: bytes) -> None:
            shone.append(rgb)
            super().shine(rgb)

    found(Watched(HEX3, 1, wrong))
    assert any(map(any, shone))
    assert not any(shone[-1])


@pytest.mark.parametrize("name", TWELVE)
@pytest.mark.parametrize("seed", some([1, 2, 3], 3))
def test_each_of_twelve_wrong_joints_is_named(name: str, seed: int) -> None:
    wrong = TWELVE[name]
    (only,) = bad(found(Joints(HEX5, seed, wrong)))
    assert only.id == f"firstlight.{wrong.kind}"
    assert only.said["joint"] == JOINTS[name]
    for field in ("strip", "bit", "other"):
        if getattr(wrong, field) >= 0 and field in only.said:
            assert only.said[field] == getattr(wrong, field)
    if wrong.kind == "sensor.open":
        assert only.said["number"] == wrong.number
    if wrong.kind == "light":
        assert only.said["light"] == wrong.number


@pytest.mark.parametrize("seed", some(range(10), 5))
def test_a_sound_board_with_parts_at_the_edges_of_tolerance_has_no_wrong_joint(seed: int) -> None:
    findings = found(Joints(HEX5, seed, edge=True))
    assert [finding.id for finding in findings if finding.level != GOOD] == []
    assert len(findings) == 6


@pytest.mark.parametrize("kind", some(KINDS, 3))
def test_every_kind_of_wrong_joint_is_named_where_chance_puts_it(kind: str) -> None:
    wrong = wrongs(HEX5, kind, 11)
    (only,) = bad(found(Joints(HEX5, 11, wrong)))
    assert only.id == f"firstlight.{kind}"


@each(
    ("volts", "refuses", "id"),
    [
        (0.0, True, "supply.none"),
        (3.0, True, "supply.weak"),
        (4.4, True, "supply.weak"),
        (5.7, False, "supply.high"),
        (6.0, True, "supply.none"),
        (12.0, True, "supply.none"),
        (12.0, False, "supply.none"),
    ],
)
def test_a_wrong_supply_is_told_before_the_strips_are_switched_on(
    volts: float, refuses: bool, id: str
) -> None:
    feed = Feed(round(1000 * volts))
    board = Joints(HEX3, feed=feed if refuses else replace(feed, most_mv=0))
    (only,) = found(board)
    assert only.id == f"firstlight.{id}"
    assert not board.rails.on


def test_without_hands_the_cells_to_be_tried_are_named() -> None:
    findings = FirstLight(Joints(HEX3), HEX3).run()
    (note,) = [finding for finding in findings if finding.level == NOTE]
    assert note.id == "firstlight.stones.untried"
    assert "c2" in str(note.said["cells"]).split(", ")


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_finding_has_its_sentence(language: str) -> None:
    boards = [Joints(HEX5, 11, wrongs(HEX5, kind, 11)) for kind in KINDS]
    for board in [Joints(HEX5), *boards]:
        for finding in found(board):
            said = text(finding.id, language, **finding.said)
            assert "{" not in said
            if "joint" in finding.said:
                assert str(finding.said["joint"]) in said


def test_measured_and_simulated_curves_are_drawn_side_by_side() -> None:
    board = Joints(HEX3, 5)
    test = FirstLight(board, HEX3, board.set_stone)
    test.run()
    pictures = drawn(test.curves, expected(HEX3), lambda name: name)
    assert sorted(pictures) == ["lifts", "noise", "ramp", "settle"]
    for svg in pictures.values():
        words = "".join(ET.fromstring(svg).itertext())
        assert "measured" in words
        assert "expected" in words
        keys = [path.get("d", "") for path in ET.fromstring(svg).iter() if path.get("class") == "l"]
        curves = [
            float(y) for way in keys if "h22" not in way for y in re.findall(r" ([\d.]+)", way)
        ]
        legend = [float(way.split()[1].split("h")[0]) for way in keys if "h22" in way]
        assert len(legend) >= 2
        assert min(legend) > max(curves), "no name stands over a curve"
    assert drawn(Curves(), expected(HEX3), lambda name: name).keys() <= {"ramp", "settle"}


def test_what_is_expected_is_what_the_drawn_parts_do() -> None:
    ramp = expected(HEX5).ramp
    assert ramp is not None
    risen = [
        t for t, counts in zip(ramp.times_us, ramp.references[0], strict=True) if counts > 1_900
    ]
    assert abs(risen[0] / 1000 - (GATE_MS + 0.7 * RAMP_MS)) < 0.5
    deepest = min(range(len(ramp.rail_mv)), key=lambda n: ramp.rail_mv[n])
    assert abs(ramp.times_us[deepest] / 1000 - (GATE_MS + RAMP_MS)) < 0.5


def test_the_command_names_the_joint_writes_its_report_and_ends_with_1(
    run: Run, tmp_path: Path
) -> None:
    words = "board firstlight --port sim --profile hex3 --wrong regulator --json --report"
    code, out, _ = run(*words.split(), str(tmp_path / "report"))
    told = json.loads(out)
    assert (code, told["good"]) == (1, False)
    assert told["findings"][-1]["id"] == "firstlight.regulator"
    page = (tmp_path / "report" / "index.html").read_text("utf-8")
    assert "✗" in page  # not by colour alone
    assert "regulator" in page
    assert (tmp_path / "report" / "ramp.svg").is_file()
    code, out, err = run("board", "firstlight", "--port", "sim", "--profile", "hex3")
    assert (code, err) == (0, "")
    assert out.count("✓") == 6


def test_what_cannot_be_made_wrong_is_refused_by_name(run: Run) -> None:
    told = refused(run, "board", "firstlight", "--port", "sim", "--wrong", "gremlin")
    assert "select.open.base" in told


def test_a_port_that_another_program_has_is_named_as_for_every_command(run: Run) -> None:
    far, near = os.openpty()
    held = open_port(os.ttyname(near))
    told = refused(run, "board", "firstlight", "--port", os.ttyname(near), code=3)
    assert "Another program is using the port" in told
    held.close()
    for fd in (far, near):
        os.close(fd)
