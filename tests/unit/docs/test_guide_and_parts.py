"""What the maker's guide says by name of a part, the drawn boards and their simulation bear out."""

from __future__ import annotations

import math
import re
import tomllib
from functools import lru_cache
from pathlib import Path

import pytest
from lumiban.boards import limits
from lumiban.boards.profile import load
from lumiban_hw import parts
from lumiban_hw.guide import happens, pages
from lumiban_hw.parts import Part
from lumiban_hw.pcb.drawing import Board
from lumiban_hw.spice import circuit, kit
from places import ROOT

DOCS = ROOT / "docs"
PAGES = [pytest.param(path, id=path.stem) for path in pages.pages(DOCS)]
STRIP, BASE = pages.boards("strip5")[0][0], pages.boards("hex3")[1][0]
NO_PARTS = {"A1", "A2", "A4", "N35", "N52", *(f"S{k}" for k in range(4)), "H0", "H15", "UF2"}
"""Kinds of sensors, grades of magnets, select lines, nets, and a file."""
REF = r"\b([ACDFJQRSU]\d{1,3})\b"


def prose(page: Path) -> str:
    """A page without its tables that are made, its numbers' marks and its code."""
    text = pages.TABLE.sub("", page.read_text("utf-8"))
    return re.sub(r"```.*?```|`[^`\n]*`|\]\([^)]*\)|<!--.*?-->", "", text, flags=re.DOTALL)


def boards(page: Path) -> tuple[Board, ...]:
    return (STRIP,) if page.stem == "strip5" else (STRIP, BASE)


def called(ref: str, page: Path) -> list[Part]:
    return [one.part for board in boards(page) for one in board.parts if one.ref == ref]


@pytest.mark.parametrize("page", PAGES)
def test_every_part_that_a_page_names_is_on_its_boards(page: Path) -> None:
    named = set(re.findall(REF, prose(page))) - NO_PARTS
    assert {ref for ref in named if not called(ref, page)} == set()


@pytest.mark.parametrize("page", PAGES)
def test_from_one_to_another_names_all_parts_of_a_kind(page: Path) -> None:
    for first, last in re.findall(rf"{REF}(?: to |〜| – ){REF}", prose(page).replace("**", "")):
        if {first, last} <= NO_PARTS:
            continue
        kinds = [
            [one.ref for one in board.parts if one.part.number == part.number]
            for board in boards(page)
            for part in {one.part.number: one.part for one in board.parts}.values()
        ]
        assert any({first, last} == {refs[0], refs[-1]} for refs in kinds), (first, last)


@pytest.mark.parametrize("page", PAGES)
def test_only_a_part_that_has_a_way_round_is_called_turned(page: Path) -> None:
    for ref in re.findall(rf"{REF}[:,]? turned", prose(page)):
        assert all(part.mark for part in called(ref, page)), f"{ref} may lie either way"


def test_a_diode_of_both_directions_has_no_way_round_and_one_of_a_single_one_has() -> None:
    every = [part for part in vars(parts).values() if isinstance(part, Part)]
    both = [part for part in every if re.match(r"SMBJ\d+CA", part.number)]
    one = [part for part in every if re.match(r"SS1\d|BZT52|SMBJ\d+A", part.number)]
    assert both
    assert one
    assert {part.mark for part in both} == {""}
    assert {part.mark for part in one} == {"ring"}
    for part in every:
        if parts.magnitude(part.value) and "wires" not in part.value:
            assert part.mark == ("plus" if part.pins else ""), part


def test_the_ring_of_a_diode_is_on_the_side_to_which_its_current_flows() -> None:
    nets = {one.ref: one.nets for one in BASE.parts if one.part.mark == "ring"}
    assert nets == {
        "D1": {"1": "VSYS", "2": "5V"},  # from the base's 5 V to the Pico
        "D21": {"1": "MID", "2": "GATE"},  # holds the gate at most 10 V below the source
    }
    assert {one.nets["1"] for one in BASE.parts if one.part.mark == "plus"} == {"5V", "5VL"}


@pytest.mark.parametrize("which", ["base", "strip"])
def test_the_table_of_a_board_names_each_of_its_parts_once(which: str) -> None:
    board = BASE if which == "base" else STRIP
    rows = pages.placed(which, japanese=False).splitlines()[2:]
    named: list[str] = []
    for row in rows:
        for span in row.split(" | ")[0].removeprefix("| ").split():
            first, _, last = span.partition("–")
            named += (
                [f"{first[0]}{n}" for n in range(int(first[1:]), int(last[1:]) + 1)]
                if last
                else [first]
            )
    assert sorted(named) == sorted(one.ref for one in board.parts if one.part.number)


@lru_cache
def assembled(name: str) -> kit.Assembly:
    return kit.assembly(load(name))


@pytest.mark.one_case
@pytest.mark.skipif(not circuit.program(), reason="needs ngspice: apt install ngspice")
@pytest.mark.parametrize("name", ["hex3", "hex5"])
@pytest.mark.parametrize("one", happens.HAPPENINGS, ids=lambda one: one.scene.__name__)
def test_what_happens_in_the_guide_happens_in_the_simulation(
    one: happens.Happening, name: str
) -> None:
    measured = one.scene(assembled(name))
    assert all(measure.is_good for measure in measured)
    assert one.holds(name, {(each.scene, each.what): each.value for each in measured})


def test_the_guide_tells_what_supply_is_refused_as_the_circuit_does() -> None:
    told = pages.filled("**x**<!-- refuse -->", False)
    assert told == (
        f"**{limits.REFUSE_MV[0] / 1000:.2f} to {limits.REFUSE_MV[1] / 1000:.2f} V**<!-- refuse -->"
    )
    for page in ("hex3.md", "safety.md", "trouble.md", "ja.md"):
        assert "<!-- refuse -->" in (DOCS / "maker" / page).read_text("utf-8"), page


def test_a_plus_stands_beside_the_longer_leg_of_each_large_capacitor() -> None:
    signs = [text.at for text in BASE.texts if text.words == "+"]
    cans = [one for one in BASE.parts if one.part.mark == "plus"]
    assert len(signs) == len(cans) == 2
    for can in cans:
        near = min(signs, key=lambda at: math.dist(at, can.pad("1")))
        assert math.dist(near, can.pad("1")) < 4 < math.dist(near, can.pad("2"))
        for one in BASE.parts:
            left, top, right, bottom = one.land.body
            xs, ys = zip(one.at(left, top), one.at(right, bottom), strict=True)
            inside = min(xs) <= near[0] <= max(xs) and min(ys) <= near[1] <= max(ys)
            assert not inside, one.ref


TEXTS = {
    key
    for path in (ROOT / "host" / "lumiban" / "catalogue" / "en").glob("*.toml")
    for key in tomllib.loads(path.read_text("utf-8"))
}
FIRST_EVENING = (DOCS / "first-board.md").read_text("utf-8").partition(
    "## What is likely to go wrong first"
)[2].partition("\n## ")[0]  # fmt: skip


def test_each_of_the_first_failures_is_named_by_a_command_s_own_words_or_by_the_guide() -> None:
    rows = [line for line in FIRST_EVENING.splitlines() if line.startswith("| ")][1:]
    assert len(rows) >= 20
    for row in rows:
        who = row.rsplit("|", 2)[1]
        said = re.findall(r"<!-- says: ([\w. -]+) -->", who)
        commands = set(re.findall(r"board (doctor|gpio|firstlight|selftest|calibrate)", who))
        assert said or (not commands and "this guide" in who), row
        for key in " ".join(said).split():
            assert key in TEXTS, key
        owners = {key.partition(".")[0] for key in " ".join(said).split()}
        assert owners <= commands, row


def test_a_part_without_a_name_on_the_board_is_told_where_it_stands() -> None:
    named = {word for text in BASE.texts for word in text.words.split()}
    silent = [one.ref for one in BASE.parts if one.part.number and one.ref not in named]
    text = prose(DOCS / "maker" / "hex3.md")
    told = re.search(r"([\w ]+) have no name on the board", text)
    assert told
    assert re.findall(REF, told[1]) == silent
