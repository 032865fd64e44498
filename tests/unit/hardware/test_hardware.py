"""Circuit boards as drawings: what a profile needs, the rules, and the faults that are found."""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest
from command_line import Run
from each import each
from lumiban import cli
from lumiban.boards.profile import load, names, read
from lumiban.boards.profile_file import Pins
from lumiban.errors import ProfileError
from lumiban_hw import electronics, kit, rules, wiring
from lumiban_hw.mechanics import openscad
from lumiban_hw.parts import HALL, PICO
from lumiban_hw.pcb import kicad_cli, make, strip
from lumiban_hw.pcb.drawing import Board, Track
from lumiban_hw.pcb.netlist import Joint, drawn
from lumiban_hw.plans import strips
from places import ROOT
from sentences import sentence
from thorough import some

FIRMWARE = ROOT / "firmware" / "lumiban_fw"


@pytest.fixture
def no_kicad(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor OpenSCAD: what it makes has tests of its own."""
    monkeypatch.setattr(kicad_cli, "kicad", lambda: None)
    monkeypatch.setattr(kicad_cli, "cli_version", lambda: "")
    monkeypatch.setattr(openscad, "program", lambda: "")


MADE = [name for name in names() if load(name).has_kit]
"""Boards with circuit boards of our own."""


@lru_cache
def five() -> Board:
    return strip.draw(strip.StripPlan((0.0, 25.0, 50.0, 75.0, 100.0), (0, 1, 2, 3, 4)))


def copied(board: Board) -> Board:
    return replace(board, parts=list(board.parts), tracks=list(board.tracks), vias=list(board.vias))


def renetted(board: Board, ref: str, **nets: str) -> Board:
    """The drawing with other nets at pads of a part, given as p1="net"."""
    board = copied(board)
    k = next(i for i, part in enumerate(board.parts) if part.ref == ref)
    changed = {name[1:]: net for name, net in nets.items()}
    board.parts[k] = replace(board.parts[k], nets={**board.parts[k].nets, **changed})
    return board


def found(board: Board) -> set[str]:
    return {finding.rule for finding in rules.check(board)}


# What a profile needs.


@each("name", MADE)
def test_the_strips_of_a_board_hold_its_cells(name: str) -> None:
    board = load(name)
    plans = strips(board)
    assert len(plans) == board.rows
    assert sum(len(plan.places) for plan in plans) == len(board.cells)


@pytest.mark.parametrize("name", ["hex9", "grid15x15"])
def test_no_kit_is_made_of_a_board_that_our_circuit_boards_do_not_reach(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert not load(name).has_kit
    for words in (["check", name], ["build", name, "--out", str(tmp_path)]):
        assert cli.run(["hardware", *words]) == 2
        assert "a real one is wired by hand" in capsys.readouterr().err
    with pytest.raises(ProfileError, match="the cells of strip 0 do not lie in one line"):
        strips(load("hex9"))


def test_a_strip_alone_needs_no_base() -> None:
    made = [item.name for item in kit.items([load("strip5")]) if item.name.startswith("pcb/")]
    assert made == ["pcb/strip5"]


def changed(name: str, old: str, new: str) -> str:
    text = (Path(electronics.__file__).parent / "profiles" / f"{name}.toml").read_text("utf-8")
    assert text.count(old) == 1, old
    return text.replace(old, new)


@each(
    ("old", "new", "field", "words"),
    [
        ("pitch_mm = 25.0", "pitch_mm = 12.5", "board.pitch_mm", "22 or more"),
        ("pitch_mm = 25.0", "pitch_mm = 22.0", "board.pitch_mm", "rows are 19.1 mm apart"),
        ("[current]", '[[cell]]\nname = "b2"\nchannel = 15\n[current]', "cell[0].channel", "15 is"),
        ("[current]", '[[cell]]\nname = "b2"\nlight = 0\n[current]', "cell[0].light", "twice"),
        (
            "[current]",
            '[[cell]]\nname = "e1"\nlight = 1\n[[cell]]\nname = "e2"\nlight = 0\n[current]',
            "wiring.lights",
            "do not follow each other",
        ),
        ('lights = "left-to-right"', 'lights = "serpentine"', "wiring.lights", "back to its head"),
        (
            "[current]",
            '[[edge]]\nname = "white"\nlights = [19]\nstrip = 0\n[current]',
            "edge[0].lights",
            "no lights without a cell",
        ),
        (
            '"rows"',
            '[["e1", "e2", "e3", "d1"], ["d2", "d3", "d4"], ["c1", "c2", "c3", "c4", "c5"],'
            ' ["b1", "b2", "b3", "b4"], ["a1", "a2", "a3"]]',
            "wiring.strips",
            "strip 0 do not lie in one line",
        ),
    ],
)
def test_what_cannot_be_built_is_refused_with_line_and_field(
    old: str, new: str, field: str, words: str
) -> None:
    with pytest.raises(ProfileError, match=words) as caught:
        kit.items([read(changed("hex3", old, new), "mine.toml")])
    assert caught.value.field == field
    assert caught.value.line > 0
    assert f"mine.toml, line {caught.value.line}: {field}: " in str(caught.value)


# The rules, each with a board that breaks it.


def test_a_good_strip_breaks_no_rule() -> None:
    assert rules.check(five()) == []


def test_a_supply_pin_off_its_supply_is_found() -> None:
    assert "supply" in found(renetted(five(), "S3", p1="H2"))


def test_a_ground_pin_off_ground_is_found() -> None:
    assert "ground" in found(renetted(five(), "U1", p12="5V"))


@pytest.mark.slow
def test_a_missing_capacitor_is_found() -> None:
    board = copied(five())
    board.parts = [part for part in board.parts if part.ref != "C203"]
    assert [f.said["part"] for f in rules.check(board) if f.rule == "decoupling"] == ["S3"]


def test_a_net_of_one_pad_is_found() -> None:
    assert "lonely" in found(renetted(five(), "S3", p2="nowhere"))


def test_two_outputs_on_a_net_are_found() -> None:
    assert "fight" in found(renetted(five(), "S3", p2="H3"))


def test_copper_that_comes_too_near_is_found() -> None:
    board = copied(five())
    at = board.part("S3").pad("2")
    board.tracks.append(
        Track("3V3", "F", (at[0] - 2, at[1] + 0.45), (at[0] + 2, at[1] + 0.45), 0.2)
    )
    assert "clearance" in found(board)


@pytest.mark.slow
def test_copper_a_hair_too_near_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    gap, _ = rules.clearance(five())
    for least, wrong in ((gap, set()), (gap + 0.001, {"clearance"})):
        monkeypatch.setattr(rules, "CLEARANCE_MM", least)
        assert found(five()) == wrong


@pytest.mark.one_case
@pytest.mark.parametrize("net", some(["H2", "S1", "3V3", "LED3", "AOUT"], 4))
def test_a_deleted_track_is_found_without_kicad(net: str) -> None:
    board = copied(five())
    board.tracks.remove(next(track for track in board.tracks if track.net == net))
    assert [f.said["net"] for f in rules.check(board)] == [net]


def test_the_clearance_of_a_strip_is_what_makers_ask() -> None:
    gap, where = rules.clearance(five())
    assert 0.15 <= gap < 0.3, where


# From cell to chip: copper against the bytes that the firmware reads.


@lru_cache
def hex3_strips() -> tuple[tuple[Joint, ...], ...]:
    return tuple(tuple(drawn(electronics.strip_board(plan))) for plan in strips(load("hex3")))


@pytest.mark.slow
def test_the_strips_of_hex3_agree_with_the_firmware() -> None:
    assert wiring.check(load("hex3"), hex3_strips()) == []


@pytest.mark.slow
def test_strips_in_the_wrong_sockets_are_found() -> None:
    plugged = list(hex3_strips())
    plugged[0], plugged[1] = plugged[1], plugged[0]
    assert {f.rule for f in wiring.check(load("hex3"), plugged)} == {"channel", "chain"}


@pytest.mark.parametrize(
    ("ref", "pads"), [("U1", ("9", "8")), ("U1", ("10", "11")), ("U1", ("1", "9"))]
)
def test_swapped_nets_at_the_multiplexer_are_found(ref: str, pads: tuple[str, str]) -> None:
    a, b = pads
    was = next(part for part in five().parts if part.ref == ref).nets
    board = renetted(five(), ref, **{f"p{a}": was[b], f"p{b}": was[a]})
    assert {f.rule for f in wiring.check(load("strip5"), [drawn(board)])} == {"channel"}


def test_a_sensor_at_another_place_is_found() -> None:
    board = copied(five())
    k = next(i for i, part in enumerate(board.parts) if part.ref == "S2")
    board.parts[k] = replace(board.parts[k], x=board.parts[k].x + 3)
    assert {f.rule for f in wiring.check(load("strip5"), [drawn(board)])} == {"channel"}


def test_a_light_the_wrong_way_round_is_found() -> None:
    was = next(part for part in five().parts if part.ref == "D3").nets
    board = renetted(five(), "D3", p2=was["4"], p4=was["2"])
    assert {f.rule for f in wiring.check(load("strip5"), [drawn(board)])} == {"chain"}


def test_a_chain_that_forks_or_ends_early_is_found() -> None:
    for net in ("LED1", "5V"):
        board = renetted(five(), "D5", p4=net)
        assert {f.rule for f in wiring.check(load("strip5"), [drawn(board)])} == {"chain"}


@pytest.mark.slow
def test_lights_are_met_from_the_head_and_there_is_one_strip_a_length() -> None:
    joints = drawn(electronics.strip_board(strips(load("hex3"))[1]))
    start = next(j for j in joints if (j.ref, j.pad) == ("J1", "6"))
    assert [j.ref for j in rules.chain(joints, start)] == ["D1", "D2", "D3", "D4"]
    kinds = {plan for name in MADE for plan in strips(load(name))}
    assert sorted(len(plan.places) for plan in kinds) == list(range(3, 16))


def _constants() -> dict[str, object]:
    found: dict[str, object] = {}
    for path in FIRMWARE.glob("hal_*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.Assign):
                names = node.targets[0]
                try:
                    value = ast.literal_eval(node.value)
                except ValueError:
                    continue
                if isinstance(names, ast.Tuple) and isinstance(value, tuple):
                    for name, one in zip(names.elts, value, strict=True):
                        found[ast.unparse(name)] = one
                else:
                    found[ast.unparse(names)] = value
    return found


def test_the_pins_are_those_of_the_firmware() -> None:
    said, pins = _constants(), Pins()
    assert (*pins.columns, *pins.rows) == tuple(range(said["FIRST_PIN"], said["FIRST_PIN"] + 8))  # type: ignore[operator,call-overload]  # an int in the source
    assert pins.buttons == said["BUTTON_PINS"]
    assert (pins.data, pins.dark, pins.power) == (
        said["DATA_PIN"], said["OFF_PIN"], said["POWER_PIN"],
    )  # fmt: skip
    assert (pins.good, pins.rail, pins.reading) == (
        said["POWER_GOOD_PIN"], said["RAIL_PIN"], said["ADC_PIN"],
    )  # fmt: skip


def test_the_picos_pins_stand_where_its_drawing_shows_them() -> None:
    known = {"GP0": "1", "GP2": "4", "GP15": "20", "GP16": "21", "GP22": "29", "GP26": "31",
             "GP28": "34", "VSYS": "39", "VBUS": "40", "3V3": "36"}  # fmt: skip
    assert {name: PICO.pad(name) for name in known} == known
    assert HALL.pad("OUT") == "2"


@pytest.mark.parametrize(("name", "fuse"), [("hex3", "2 A"), ("grid9x9", "4 A"), ("hex8", "7.5 A")])
def test_the_fuse_carries_lights_and_sensors(name: str, fuse: str) -> None:
    board = load(name)
    loose = [part.value for part in electronics.loose_parts(board)]
    assert f"mini blade fuse {fuse}" in loose
    assert loose.count("jumper cap 2.54") == 15 - board.rows


# The commands.


@pytest.mark.process
@pytest.mark.usefixtures("no_kicad")
def test_without_kicad_the_rest_is_made_and_said(run: Run, tmp_path: Path) -> None:
    code, out, err = run("hardware", "build", "strip5", "--out", str(tmp_path / "kit"))
    assert (code, err) == (0, "")
    assert "apt install -t bookworm-backports kicad" in out
    folder = tmp_path / "kit" / "board" / "strip5"
    assert {p.name for p in folder.iterdir() if p.is_file()} == {
        "cells.csv", "bench.csv", "pins.csv", "parts.csv", "board.bin",
    }  # fmt: skip
    assert (folder / "board.bin").read_bytes() == load("strip5").board_bin()
    assert "6,DIN,GP14,19," in (folder / "bench.csv").read_text("utf-8")
    assert "8,RET,,,leave open" in (folder / "bench.csv").read_text("utf-8")
    for to in ("VBUS, pin 40", "AGND, pin 33"):  # else the supply's pin floats: told as too weak
        assert f'"10k to {to}"' in (folder / "bench.csv").read_text("utf-8")
    cells = (folder / "cells.csv").read_text("utf-8").splitlines()
    assert cells[0].startswith("cell,number")
    assert len(cells) == 6
    assert (tmp_path / "kit" / "pcb" / "strip5" / "nets.csv").exists()


@pytest.mark.process
@pytest.mark.parametrize(
    ("version", "says"), [("8.0.2", "8.0.2"), ("9.0.8", "9.0.8, without its Python's pcbnew")]
)
def test_a_kicad_that_will_not_do_is_named(
    version: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "kicad"
    other.write_text(f"#!/bin/sh\necho {version}\n", "utf-8")
    other.chmod(0o755)
    monkeypatch.setenv("LUMIBAN_KICAD_CLI", str(other))
    monkeypatch.setenv("LUMIBAN_KICAD_PYTHON", "/bin/false")
    monkeypatch.setattr(kicad_cli, "PLACES", ())
    kicad_cli.kicad.cache_clear()
    try:
        assert (kicad_cli.kicad(), make.wanting()) == (None, f"kicad 9 (here is {says})")
    finally:
        kicad_cli.kicad.cache_clear()


@pytest.mark.process
@pytest.mark.usefixtures("no_kicad")
def test_check_tells_figures_as_json(run: Run) -> None:
    code, out, _ = run("hardware", "check", "strip5", "--json")
    told = json.loads(out)
    assert (code, told["good"]) == (0, True)
    by_name = {item["name"]: item for item in told["items"]}
    assert by_name["pcb/strip5"]["figures"]["rules"] == 0
    assert by_name["pcb/strip5"]["missing"] == ["kicad"]
    assert 10 <= by_name["board/strip5"]["figures"]["usd"] <= 20


@pytest.mark.slow
@pytest.mark.usefixtures("no_kicad")
def test_a_finding_is_told_and_ends_with_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = renetted(five(), "S3", p2="nowhere")
    monkeypatch.setattr(electronics, "strip_board", lambda plan: bad)
    code, out, _ = run("hardware", "check", "strip5")
    assert code == 1
    assert sentence("hardware.rule.lonely", net="nowhere") in out
    assert sentence("hardware.rule.channel", row="0", channel="2", what="[]") in out
