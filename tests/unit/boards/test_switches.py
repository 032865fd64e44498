"""Boards of switches on a Pi's header: every wiring tells the switches that are closed."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest
from each import each
from hypothesis import given
from hypothesis import strategies as st
from lumiban.boards.client import BoardClient
from lumiban.boards.gpio import process
from lumiban.boards.gpio.drawing import LINE, drawing
from lumiban.boards.gpio.hal import Header
from lumiban.boards.gpio.pins import (
    PICO_PLACE,
    PLACE,
    Machine,
    Pins,
    check_pins,
    of_profile,
)
from lumiban.boards.gpio.wiring import cells_table, header_table, switch_inputs
from lumiban.boards.limits import MIDDLE
from lumiban.boards.profile import SWITCH_UT, Profile, drawn, load, names, read
from lumiban.cli.flash import flash_command
from lumiban.errors import BoardError, ProfileError, UsageError
from lumiban_fw.wire import HALF_SCALE, PRESENCE_ONLY
from lumiban_sim.rig import Rig
from lumiban_sim.switches import BOUNCE_US, Contacts
from places import ROOT
from rig_line import RigLine
from simulated_pi import Pi
from switched_pico import Pico

BREADBOARD = load("breadboard8")
HEX = load("reed-hex3")
CHESS = load("chess8")
PLAIN = """
name = "plain"
[board]
geometry = "rectangle"
size = [3, 3]
pitch_mm = 30.0
[current]
limit_ma = 500
strip_limit_ma = 500
[switches]
wiring = "{wiring}"
{more}
"""
NINE = "sense = [4, 5, 6, 12, 13, 16, 17, 18, 19]"
MATRIX = "drive = [4, 5, 6]\nsense = [12, 13, 16]"


def plain(wiring: str, more: str = "") -> Profile:
    return read(PLAIN.format(wiring=wiring, more=more), "plain.toml")


ON_PICO = tuple(map(load, ("bread8-pico", "reed3-pico", "chess8-pico")))
BOARDS = {
    "matrix": BREADBOARD,
    "matrix without diodes": plain("matrix", MATRIX + "\ndiodes = false"),
    "74hc595": CHESS,
    "74hc165": plain("74hc165", "load = 22"),
    "mcp23017": HEX,
    "direct": plain("direct", NINE),
}
PI_4 = Machine(
    "Raspberry Pi 4 Model B Rev 1.1", 4, config={"core_freq": "500", "core_freq_min": "500"}
)


@contextmanager
def on_header(
    profile: Profile, closed: set[int], pins: Pins | None = None
) -> Iterator[tuple[Pi, Header]]:
    wired = pins or of_profile(profile)
    pi = Pi(profile, wired, look=lambda: [cell in closed for cell in range(len(profile.cells))])
    header = Header(profile, wired, pi, pi)
    try:
        yield pi, header
    finally:
        header.close()


def told(header: Header) -> set[int]:
    """The cells that a frame tells as closed; their counts are those of a neutral piece."""
    counts = array("H", bytes(2 * len(header.profile.cells)))
    references = array("H", bytes(2 * header.profile.rows))
    header.scanner.read(counts, references, lambda: 0)
    assert set(references) == {HALF_SCALE}
    field = (SWITCH_UT << 16) // header.profile.gain_q16
    assert set(counts) <= {HALF_SCALE, HALF_SCALE + field}
    return {cell for cell, count in enumerate(counts) if count != HALF_SCALE}


# Wirings.


@pytest.mark.parametrize("wiring", [name for name in BOARDS if "without" not in name])
@given(data=st.data())
def test_every_wiring_tells_exactly_the_closed_switches(wiring: str, data: st.DataObject) -> None:
    profile = BOARDS[wiring]
    cells = st.integers(0, len(profile.cells) - 1)
    closed = data.draw(st.sets(cells, max_size=12))
    with on_header(profile, closed) as (_, header):
        assert told(header) == closed
        assert told(header) == closed


def corners(closed: set[int]) -> set[int]:
    """What three closed corners of a rectangle close for a matrix of 3 × 3 without diodes, by
    filling rectangles until none is left."""
    seen = set(closed)
    boxes = [
        {3 * top + left, 3 * top + right, 3 * low + left, 3 * low + right}
        for top, low in combinations(range(3), 2)
        for left, right in combinations(range(3), 2)
    ]
    while any(len(box & seen) == 3 for box in boxes):
        seen |= next(box for box in boxes if len(box & seen) == 3)
    return seen


@given(closed=st.sets(st.integers(0, 8)))
@pytest.mark.parametrize("profile", [BOARDS["matrix without diodes"], plain("matrix", MATRIX)])
def test_without_diodes_three_corners_show_the_fourth_and_nothing_is_ever_shorted(
    profile: Profile, closed: set[int]
) -> None:
    """Whatever its profile says, and whatever the builder forgot."""
    with on_header(profile, closed) as (pi, header):
        pi.switches.has_diodes = False
        assert told(header) == corners(closed)
        assert pi.switches.shorts == 0


def test_an_expander_that_does_not_answer_is_named_with_its_address() -> None:
    pins = of_profile(HEX)
    pi = Pi(HEX, pins, look=lambda: bytes(19))
    pi.switches.silent.add(0x21)
    with pytest.raises(BoardError, match="0x21"):
        Header(HEX, pins, pi, pi)


# Profiles and pins.


@each("name", [name for name in names() if load(name).is_on_header])
def test_the_pins_of_a_profile_from_shop_parts_work_on_a_pi_4(name: str) -> None:
    check_pins(of_profile(load(name)), PI_4)


@each(
    ("wiring", "more", "says"),
    [
        ("matrix", "drive = [4, 5]\nsense = [12, 13, 16]", "2 pins; 3 rows"),
        ("matrix", "drive = [4, 5, 6]\nsense = [12, 13]", "2 pins; 3 columns"),
        ("matrix", "drive = [4, 5, 6]\nsense = [12, 12, 16]", "pin 12 is listed twice"),
        ("matrix", "drive = [4, 5, 6]\nsense = [12, 13, 6]", "pin 6 also drives a row"),
        ("direct", "sense = [4]", "1 pins; 9 cells"),
        ("mcp23017", "addresses = []", "0 inputs; 9 cells"),
        ("mcp23017", "addresses = [0x20, 0x20]", "0x20 is listed twice"),
        ("74hc165", "", "load: missing"),
        ("abacus", "", "switches.wiring"),
    ],
)
def test_wiring_that_cannot_be_is_refused_with_its_line(wiring: str, more: str, says: str) -> None:
    with pytest.raises(ProfileError, match=says) as refused:
        plain(wiring, more)
    assert refused.value.line


@each("down", [0, 1, 2, 3])
def test_a_button_that_is_down_is_told_by_its_bit_and_all_is_given_back(
    down: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pins, closed = of_profile(HEX), list[str]()
    pi = Pi(HEX, pins, look=lambda: bytes(19), down=lambda: down)
    buses = Pi(HEX, pins, look=lambda: bytes(19))
    monkeypatch.setattr(pi, "close", lambda: closed.append("pins"))
    monkeypatch.setattr(buses, "close", lambda: closed.append("buses"))
    header = Header(HEX, pins, pi, buses)
    assert header.buttons() == down
    header.close()
    assert sorted(closed) == ["buses", "pins"]


@each(
    ("lines", "says"),
    [
        ('part = "A3144"', "needs 4500 to 24000 mV.*gives 3300; DRV5033AJ or DRV5023AJ works"),
        (
            'part = "A3144"\nsupply_mv = 4499',
            "needs 4500 .*gives 4499; DRV5033AJ or DRV5023AJ works",
        ),
        ('part = "A3144"\nsupply_mv = 4500', ""),
        ('part = "A3144"\nsupply_mv = 24000', ""),
        ('part = "DRV5023AJ"\nsupply_mv = 2499', "needs 2500 to 38000 mV.*gives 2499"),
        ('part = "DRV5023AJ"\nsupply_mv = 2500', ""),
        ('part = "DRV5033AJ"', ""),
        ('part = "B52"', "unknown; known: DRV5033AJ"),
        ("", ""),
    ],
)
def test_a_hall_switch_s_supply_is_held_against_its_wiring(lines: str, says: str) -> None:
    more = f'{NINE}\nsensor = "hall"\n{lines}'
    if not says:
        assert plain("direct", more).switches
        return
    with pytest.raises(ProfileError, match=says) as refused:
        plain("direct", more)
    assert refused.value.line


def test_rows_that_a_register_switches_give_no_more_than_its_own_voltage() -> None:
    text = (ROOT / "hardware/lumiban_hw/profiles/chess8.toml").read_text("utf-8")
    hungry = text.replace('part = "DRV5033AJ"', 'part = "A3144"\nsupply_mv = 5000')
    with pytest.raises(ProfileError, match="switched from 3300 mV"):
        read(hungry, "mine.toml")
    reed = PLAIN.format(wiring="direct", more=NINE + '\npart = "A3144"')
    with pytest.raises(ProfileError, match="only Hall switches"):
        read(reed, "mine.toml")


def test_a_board_has_sensors_of_one_sort() -> None:
    sensing = "[sensing]\nscan_hz = 500"
    with pytest.raises(ProfileError, match="sensing"):
        read(PLAIN.format(wiring="direct", more=NINE) + sensing, "plain.toml")
    bare = PLAIN.split("[switches]", maxsplit=1)[0]
    with pytest.raises(ProfileError, match="sensing: missing"):
        read(bare, "plain.toml")


MORE_ON_PICO = {
    "74hc165": "load = 28",
    "mcp23017": "addresses = [0x23, 0x20]",
    "direct": "sense = [2, 3, 4, 5, 6, 7, 8, 9, 10]",
    "none": "",
}


@each(
    "profile",
    [CHESS, *ON_PICO, *(plain(how, f'on = "pico"\n{more}') for how, more in MORE_ON_PICO.items())],
)
def test_a_board_that_scans_its_own_switches_is_played_on_without_a_profile(
    profile: Profile,
) -> None:
    client = BoardClient(None, RigLine(Rig(profile, 1)))
    client.greet()
    assert client.hello.capabilities & PRESENCE_ONLY
    learnt = read(client.described(), "told.toml")
    assert learnt.is_of_switches
    assert (learnt.grid, learnt.cells) == (profile.grid, profile.cells)
    assert learnt.board_bin() == profile.board_bin()


def test_a_pico_s_switches_are_not_looked_for_on_a_header_nor_a_header_s_on_a_pico(
    tmp_path: Path,
) -> None:
    with pytest.raises(BoardError, match="hang on a Pico"):
        process.open_board("bread8-pico", "", tmp_path)
    with pytest.raises(UsageError, match="no Pico to flash"):
        flash_command(port="sim", profile="breadboard8")


# Light alone, sensors alone.


def test_a_dark_board_on_a_header_is_read_as_any_other() -> None:
    dark = read(PLAIN.format(wiring="direct", more=NINE) + '[wiring]\nlights = "none"', "dark.toml")
    with on_header(dark, {2, 7}) as (_, header):
        assert told(header) == {2, 7}
    with on_header(load("panel8"), {2, 7}) as (_, header):
        assert told(header) == set()


def test_pieces_need_room_and_a_board_something_to_be() -> None:
    near = PLAIN.replace("30.0", "8.0")
    with pytest.raises(ProfileError, match="22 or more"):
        read(near.format(wiring="direct", more=NINE), "near.toml")
    panel = read(near.format(wiring="none", more=""), "panel.toml")
    assert not panel.has_sensors
    with pytest.raises(ProfileError, match="nothing is left"):
        read(near.format(wiring="none", more="") + '[wiring]\nlights = "none"', "nothing.toml")


def test_a_panel_on_a_pico_looks_at_a_pin_that_nothing_is_wired_to() -> None:
    panel = read(PLAIN.format(wiring="none", more='on = "pico"'), "panel.toml")
    pico = Pico(panel, lambda: [1] * 9)
    assert pico.frame() == set()
    client = BoardClient(None, RigLine(Rig(panel, 1)))
    client.greet()
    assert not read(client.described(), "told.toml").has_sensors


# Contacts.


def field(profile: Profile, cell: int, mt: float) -> list[int]:
    counts = [MIDDLE] * len(profile.cells)
    counts[cell] += round(mt * 1000 * 65536 / profile.gain_q16)
    return counts


def test_a_reed_closes_and_opens_at_different_fields() -> None:
    contacts = Contacts(HEX)
    for n, (mt, closed) in enumerate(((4.0, 0), (6.0, 1), (4.0, 1), (2.0, 0), (-6.0, 1))):
        contacts.look(field(HEX, 7, mt), n * 1_000_000)
        assert contacts.look(field(HEX, 7, mt), n * 1_000_000 + BOUNCE_US)[7] == closed


# The wiring as it is told.


@each("profile", [*BOARDS.values(), *ON_PICO])
def test_every_cell_s_switch_has_an_input_of_its_own(profile: Profile) -> None:
    inputs = switch_inputs(profile)
    assert len(set(inputs)) == len(profile.cells)
    table = header_table(of_profile(profile), profile)
    place = PLACE if profile.switches and profile.switches.on == "header" else PICO_PLACE
    assert all(
        f"| {pin} | {place[pin]} |" in table
        for _, pin in of_profile(profile).roles()
        if profile.switches is not None and pin in profile.switches.sense
    )


@each("language", ["en", "ja"])
@each("profile", [*BOARDS.values(), *ON_PICO])
def test_a_drawing_names_each_cell_and_each_pin(profile: Profile, language: str) -> None:
    pins = of_profile(profile)
    svg = drawing(pins, profile, language)
    words = {node.text for node in ElementTree.fromstring(svg).iter() if node.text}
    assert set(profile.grid.names) <= words
    said = " ".join(words)
    before = "GP" if profile in ON_PICO else "GPIO"
    assert all(f"{before}{pin}" in said for pin in (*pins.sense, *pins.drive, pins.led))


def crosses(svg: str) -> list[tuple[float, float]]:
    """The cells' middles in mm, read from the picture as a printer does at 100 %."""
    root = ElementTree.fromstring(svg)
    mm = float(root.attrib["width"].removesuffix("mm")) / float(root.attrib["viewBox"].split()[2])
    ways = [
        [tuple(map(float, point.split(","))) for point in node.attrib["points"].split()]
        for node in root.iter("{http://www.w3.org/2000/svg}polyline")
        if node.attrib["stroke"] == LINE
    ]
    level = [way for way in ways if way[0][1] == way[1][1]]
    return [((a[0] + b[0]) / 2 * mm, a[1] * mm) for a, b in level]


@pytest.mark.parametrize("name", ["breadboard8", "reed-hex3"])
def test_a_drawing_from_below_is_that_from_above_turned_over_and_both_are_as_large_as_the_board(
    name: str,
) -> None:
    profile = load(name)
    above, below = (
        drawing(of_profile(profile), profile, is_from_below=side) for side in (False, True)
    )
    for svg, hand in ((above, 1), (below, -1)):
        seen = crosses(svg)
        assert len(seen) == len(profile.cells)
        (x0, y0), first = seen[0], profile.cells[0]
        for (x, y), cell in zip(seen, profile.cells, strict=True):
            assert x - x0 == pytest.approx(hand * (cell.x_mm - first.x_mm), abs=0.2)
            assert y - y0 == pytest.approx(cell.y_mm - first.y_mm, abs=0.2)
    assert "from above" in above
    assert "from below" in below
    # Words are not turned over: the same ones stand in both, but for the last.
    words = [
        sorted(node.text or "" for node in ElementTree.fromstring(svg).iter() if node.text)
        for svg in (above, below)
    ]
    assert len(set(words[0]) ^ set(words[1])) == 2


def test_the_guide_s_picture_is_the_drawing_as_it_is_made() -> None:
    """Drawn by `./run board gpio --profile breadboard8 --svg FILE`."""
    picture = (ROOT / "docs" / "pictures" / "hardware-breadboard8.svg").read_text("utf-8")
    assert picture == drawing(of_profile(BREADBOARD), BREADBOARD)


def test_our_own_boards_are_drawn_by_their_kit() -> None:
    with pytest.raises(UsageError, match="hardware build"):
        drawing(Pins(), load("hex3"))


def test_the_guide_shows_one_wiring_as_it_is_made_and_names_the_command_for_the_others() -> None:
    guide = (ROOT / "docs" / "shop-boards.md").read_text("utf-8")
    assert header_table(of_profile(BREADBOARD), BREADBOARD) in guide
    assert cells_table(BREADBOARD) in guide
    for name in set(names()) - set(drawn()):
        assert f"./run board gpio --wiring --profile {name}" in guide
