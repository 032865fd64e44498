"""Schematics: drawn from the copper's nets, and unable to say anything else in silence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from lumiban.boards.profile import load
from lumiban.boards.profile_file import Pins
from lumiban_hw import electronics
from lumiban_hw.pcb import kicad_cli, make, sheets
from lumiban_hw.pcb.drawing import Board
from lumiban_hw.pcb.schematic import Page, SheetError
from lumiban_hw.plans import strips


def five() -> Board:
    return electronics.strip_parts(strips(load("strip5"))[0])


@pytest.mark.parametrize("name", ["strip5", "hex5", "grid13x14"])
def test_every_part_of_every_strip_stands_on_a_sheet(name: str) -> None:
    for plan in set(strips(load(name))):
        design = sheets.design(electronics.strip_parts(plan))
        assert design.missing() == set()
        files = design.files()
        assert set(files) == {f"{plan.name}.kicad_sch", "head.kicad_sch", "cell.kicad_sch"}


@pytest.mark.slow
def test_every_part_of_the_base_stands_on_a_sheet_whatever_its_pins() -> None:
    for pins in (Pins(), Pins(data=10, dark=11, back=12, power=20, buttons=(0, 1, 13, 14))):
        design = sheets.design(electronics.base_parts(pins))
        assert design.missing() == set()
        assert len(design.files()) == 5
        assert len(design.sheets()) == 1 + 3 + 15


def test_the_same_drawing_is_the_same_files(tmp_path: Path) -> None:
    for folder in (tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
        assert make.write_sources(five(), folder) == []
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def spoilt(monkeypatch: pytest.MonkeyPatch, spoil: object) -> None:
    whole = sheets._cell_page

    def page() -> Page:
        made = whole()
        spoil(made)  # type: ignore[operator]
        return made

    monkeypatch.setattr(sheets, "_cell_page", page)


def test_a_wire_over_two_nets_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    spoilt(monkeypatch, lambda page: page.wire("CS.1", "S.3"))
    with pytest.raises(SheetError, match=r"joins \['3V3', 'GND'\]"):
        sheets.design(five()).files()


def test_a_wire_that_crosses_a_foreign_pin_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def across(page: Page) -> None:
        page.wire("CS.1", (40, None), (40, 53), (50, 53))  # pad 2 of CS lies there
        page.tag("3V3", 40, 47, "U")

    spoilt(monkeypatch, across)
    with pytest.raises(SheetError, match=r"\['3V3', 'GND'\] meet at \(50, 53\)"):
        sheets.design(five()).files()


def test_a_wire_without_a_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    spoilt(monkeypatch, lambda page: page.wire("CS.1", (None, 44)))
    with pytest.raises(SheetError, match="a wire of 3V3 has no name"):
        sheets.design(five()).files()


def test_a_part_without_a_sheet_is_a_finding(tmp_path: Path) -> None:
    board = five()
    parts = [p for p in board.parts if p.ref != "C203"]
    assert make.write_sources(replace(board, parts=parts), tmp_path) == [
        "C203 are not on the board"
    ]
    assert (tmp_path / "strip5.kicad_pcb").exists()


@pytest.mark.process
@pytest.mark.skipif(not kicad_cli.kicad(), reason="needs KiCad 9")
def test_a_label_changed_in_the_schematic_is_found(tmp_path: Path) -> None:
    board = five()
    assert make.write_sources(board, tmp_path) == []
    head = tmp_path / "head.kicad_sch"
    text = head.read_text("utf-8")
    assert text.count('(global_label "S0"') == 2
    head.write_text(text.replace('(global_label "S0"', '(global_label "S1"', 1), "utf-8")
    tool = kicad_cli.kicad()
    assert tool
    with kicad_cli.Bench(tool, tmp_path, board.name) as bench:
        told = bench.check()
    assert any("S1" in one for one in told.parity)
    wrong = [pin for pin in (("J1", "12"), ("U1", "10")) if told.pins[pin] == "S1"]
    assert len(wrong) == 1
