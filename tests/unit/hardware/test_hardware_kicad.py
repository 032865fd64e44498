"""What KiCad says of our boards, and that it finds what is spoilt."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from kicad_boards import finished
from lumiban import cli
from lumiban.boards.profile import load
from lumiban.boards.profile_file import Pins
from lumiban_hw import electronics, rules, wiring
from lumiban_hw.pcb import kicad_cli
from lumiban_hw.pcb.drawing import Board
from lumiban_hw.pcb.netlist import drawn, parse, read
from lumiban_hw.pcb.strip import StripPlan
from lumiban_hw.plans import strips

STRIP = "strip5.kicad_pcb"
pytestmark = pytest.mark.skipif(not kicad_cli.kicad(), reason="needs KiCad 9")


def five() -> Board:
    return electronics.strip_board(strips(load("strip5"))[0])


def copied(board: Board) -> Board:
    return replace(board, parts=list(board.parts), tracks=list(board.tracks))


@pytest.fixture(scope="module")
def strip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the bench strip."""
    return finished("strip5", tmp_path_factory)[1]


@pytest.mark.process
def test_the_bench_strip_has_no_errors_and_its_files(strip: Path) -> None:
    with zipfile.ZipFile(strip / "strip5-gerber.zip") as packed:
        kinds = {name.removeprefix("strip5").lstrip("-") for name in packed.namelist()}
    assert {"F_Cu.gbr", "B_Cu.gbr", "F_Mask.gbr", "B_Mask.gbr", "Edge_Cuts.gbr", ".drl"} <= kinds
    top = (strip / "strip5-top.svg").read_text("utf-8")
    assert top.startswith("<svg")
    assert len(top) > 100_000
    positions = (strip / "positions.csv").read_text("utf-8")
    assert "S5,DRV5055A3,SOT-23,133.0,10.7,0,top" in positions


@pytest.mark.process
def test_a_kit_may_be_made_in_a_folder_beside_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # `--out kit`, as every page prints it, once sent KiCad to kit/pcb/strip5/kit/pcb/strip5.
    monkeypatch.chdir(tmp_path)
    Path("kit").mkdir()
    assert electronics.board_report("strip5", five(), Path("kit"), plots=False).findings == ()


@pytest.mark.process
def test_the_base_board_has_no_errors(tmp_path_factory: pytest.TempPathFactory) -> None:
    board, folder = finished("base", tmp_path_factory)
    file = folder / "base.kicad_pcb"
    assert rules.netlist(board, read(file), drawn(board)) == []
    assert wiring.check_base(load("hex8"), read(file)) == []


@pytest.mark.process
def test_sockets_that_are_swapped_on_the_base_are_found() -> None:
    board = copied(electronics.base_board(Pins()))
    for ref, net in (("J3", "A3"), ("J4", "A2")):
        k = next(i for i, part in enumerate(board.parts) if part.ref == ref)
        board.parts[k] = replace(board.parts[k], nets={**board.parts[k].nets, "10": net})
    told = wiring.check_base(load("hex5"), drawn(board))
    assert [f.said["pin"] for f in told] == ["J3.10", "J4.10"]


@pytest.mark.slow
def test_a_base_for_other_pins_is_found() -> None:
    board = electronics.base_board(Pins())
    other = replace(load("hex5"), pins=Pins(data=10, buttons=(0, 1, 22, 19)))
    told = wiring.check_base(other, drawn(board))
    assert [f.said["pin"] for f in told] == ["GP10", "GP22", "GP19"]


@pytest.mark.long
def test_other_pins_get_a_base_of_their_own(tmp_path: Path) -> None:
    pins = Pins(data=10, dark=11, back=12, power=20, buttons=(0, 1, 13, 14))
    base = electronics.Base(pins)
    assert base.name.startswith("pcb/base-")
    assert base.make(tmp_path).findings == ()
    other = replace(load("hex5"), pins=pins)
    assert wiring.check_base(other, drawn(electronics.base_board(pins))) == []


@pytest.mark.process
def test_the_file_itself_agrees_with_the_firmware(strip: Path) -> None:
    assert wiring.check(load("strip5"), [read(strip / STRIP)]) == []


def _deleted(board: Board) -> None:
    k = next(i for i, t in enumerate(board.tracks) if t.net == "H2" and t.layer == "B")
    del board.tracks[k]


def _swapped(board: Board) -> None:
    k = next(i for i, part in enumerate(board.parts) if part.ref == "S3")
    nets = board.parts[k].nets
    board.parts[k] = replace(board.parts[k], nets={**nets, "1": nets["2"], "2": nets["1"]})


def _moved(board: Board) -> None:
    k = next(i for i, part in enumerate(board.parts) if part.ref == "S3")
    board.parts[k] = replace(board.parts[k], x=board.parts[k].x + 1.2, y=board.parts[k].y + 2.5)


@pytest.mark.process
@pytest.mark.parametrize("spoil", [_deleted, _swapped, _moved])
def test_kicad_finds_what_is_spoilt(spoil: Callable[[Board], None], tmp_path: Path) -> None:
    board = copied(five())
    spoil(board)
    told = electronics.board_report("spoilt", board, tmp_path, plots=False)
    assert told.figures["drc"] > 0
    assert told.figures["unconnected"] > 0
    assert any(f.rule == "drc" for f in told.findings)
    assert not told.is_good


def _pads_of(text: str, ref: str) -> tuple[int, int]:
    """Where the footprint of a part begins and ends in the file."""
    at = text.index(f'(property "Reference" "{ref}"')
    begin = text.rindex("(footprint ", 0, at)
    end = text.find("(footprint ", at)
    return begin, end


@pytest.mark.process
def test_a_net_swapped_in_the_file_is_found_by_our_reader(strip: Path, tmp_path: Path) -> None:
    text = (strip / STRIP).read_text("utf-8")
    begin, end = _pads_of(text, "S3")
    part = text[begin:end]
    nets = re.findall(r'\(net \d+ "[^"]*"\)', part)
    assert len(nets) == 3
    part = part.replace(nets[0], "?").replace(nets[1], nets[0]).replace("?", nets[1])
    spoilt = tmp_path / "spoilt.kicad_pcb"
    spoilt.write_text(text[:begin] + part + text[end:], "utf-8")
    board = five()
    told = rules.netlist(board, read(spoilt), drawn(board))
    assert sorted(f.said["pad"] for f in told) == ["S3.1", "S3.2"]
    assert {f.rule for f in wiring.check(load("strip5"), [read(spoilt)])} == {"channel"}


def test_a_file_that_is_no_board_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.kicad_pcb"
    other.write_text("(kicad_sch (version 1))", "utf-8")
    with pytest.raises(ValueError, match="not a board"):
        read(other)
    with pytest.raises(ValueError, match="bracket"):
        parse("(kicad_pcb (net 1")


@pytest.mark.process
def test_a_kicad_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = kicad_cli.Kicad("/bin/false", "/bin/false", "9.0.0")
    monkeypatch.setattr(kicad_cli, "kicad", lambda: broken)
    told = electronics.board_report("strip5", five(), tmp_path)
    assert [f.rule for f in told.findings] == ["kicad"]


def odd_plans(count: int) -> list[StripPlan]:
    """Strips as no built-in profile has them: channels in any order, gaps, other pitches."""
    chance = Random(5)
    plans = [
        StripPlan((0.0, 50.0, 75.0), (0, 1, 2)),
        StripPlan((0.0,), (14,)),
        StripPlan(tuple(30.0 * k for k in range(6)), (5, 4, 3, 2, 1, 0)),
    ]
    for _ in range(count - len(plans)):
        n = chance.randint(2, 15)
        places = tuple(25.0 * k for k in range(n))
        plans.append(StripPlan(places, tuple(chance.sample(range(15), n))))
    return plans


@pytest.mark.long
@pytest.mark.parametrize("plan", odd_plans(10), ids=lambda plan: plan.name)
def test_strips_wired_otherwise_can_be_made_too(plan: StripPlan, tmp_path: Path) -> None:
    assert electronics.Strip(plan).make(tmp_path).findings == ()


@pytest.mark.long
def test_every_board_of_every_profile_is_without_findings(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = cli.run(["hardware", "check", "--all", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (code, told["good"]) == (0, True)
    boards = [item for item in told["items"] if item["name"].startswith("pcb/")]
    assert len(boards) >= 15
    for item in boards:
        figures = item["figures"]
        assert (figures["drc"], figures["unconnected"], figures["rules"]) == (0, 0, 0), item
        assert figures["clearance_mm"] >= 0.15
