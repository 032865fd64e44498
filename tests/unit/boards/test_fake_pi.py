"""The header's driver on a Pi whose laws are the kernel's headers and the parts' data sheets."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import patience
import pytest
from fake_pi import BARE, GROUND, HAS_COMPILER, INPUT_0, WITH_DIODE, FakePi, Switch
from lumiban.boards.client import BoardClient
from lumiban.boards.port_line import PortLine
from lumiban.boards.profile import Profile, load
from lumiban.boards.types import LightFrame
from lumiban_fw import wire
from places import ROOT

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(not HAS_COMPILER, reason="there is no C compiler here"),
]
BOARD = load("breadboard8")
LONG_US = 10_000_000
ROWS = (21, 20, 16, 26, 19, 13, 6, 5)
COLUMNS = (4, 17, 27, 22, 23, 24, 25, 12)
"""Pins of breadboard8, as the guide's table has them for who wires it."""


@pytest.fixture
def pi(tmp_path: Path) -> FakePi:
    return FakePi(tmp_path)


@contextmanager
def hosted(pi: FakePi, profile: Profile, pins: str = "", **more: str) -> Iterator[BoardClient]:
    """A host of the board that the driver is on this Pi."""
    with pi.driver(profile.name, pins, **more) as said:
        assert "port" in said, said
        line = PortLine(said["port"], gone_us=0)
        try:
            host = BoardClient(profile, line)
            host.open(LONG_US)
            yield host
        finally:
            line.close()


def matrix(cells: Iterable[int], diode: int = WITH_DIODE) -> list[Switch]:
    """Closed reeds of breadboard8: a row draws its column low."""
    return [(ROWS[cell // 8], COLUMNS[cell % 8], diode) for cell in cells]


def expanders(cells: Iterable[int]) -> list[Switch]:
    return [(INPUT_0 + cell, GROUND, BARE) for cell in cells]


def standing(host: BoardClient) -> set[int]:
    return {cell for cell, kind in enumerate(host.kinds) if kind != wire.EMPTY}


def sees(host: BoardClient, cells: Iterable[int]) -> None:
    """The host comes to believe that pieces stand on these cells alone."""
    want = set(cells)
    host.until(lambda: standing(host) == want, LONG_US)


def test_a_matrix_is_read_cell_by_cell_by_rows_that_never_fight(pi: FakePi) -> None:
    drawn = random.Random(58)
    with hosted(pi, BOARD) as host:
        for count in (1, 2, 8, 20, 64, 0):
            cells = drawn.sample(range(64), count)
            pi.close(matrix(cells))
            sees(host, cells)
    assert pi.odd() == []


def test_without_diodes_pieces_in_one_file_short_nothing_and_three_corners_show_the_fourth(
    pi: FakePi,
) -> None:
    with hosted(pi, BOARD) as host:
        pi.close(matrix((0, 8, 24, 56), BARE))
        sees(host, (0, 8, 24, 56))
        pi.close(matrix((0, 2, 16), BARE))
        sees(host, (0, 2, 16, 18))
    assert pi.odd() == []


def shows_its_picture(pi: FakePi, host: BoardClient) -> None:
    """Every fourth light is dark, red, green or blue, and the chain shows it so."""
    colours = ((0, 0, 0), (255, 0, 0), (0, 255, 0), (0, 0, 255))
    host.show(LightFrame(tuple((cell % 4, wire.STEADY) for cell in range(64)), colours))
    host.flush(LONG_US)
    want = [[k + 1 == cell % 4 for k in range(3)] for cell in range(64)]
    host.until(lambda: [[level > 0 for level in light] for light in pi.lights()] == want, LONG_US)


@pytest.mark.parametrize("idle", ["0", "0.5", "1", "2"])
def test_a_picture_arrives_as_it_was_meant_whatever_the_bus_pauses(pi: FakePi, idle: str) -> None:
    with hosted(pi, BOARD, IDLE=idle) as host:
        assert pi.lights() == [(0, 0, 0)] * 64, "put out at the start"
        shows_its_picture(pi, host)
    assert pi.lights() == [(0, 0, 0)] * 64, "put out at the end"
    assert pi.odd() == []


def test_an_expander_that_falls_silent_lifts_no_stone_and_is_read_again_when_it_is_back(
    pi: FakePi,
) -> None:
    with hosted(pi, load("reed-hex5")) as host:
        stones = (3, 20, 40, 60)
        pi.close(expanders(stones))
        sees(host, stones)
        told = len(host.events)
        pi.put("silent", [0x21])
        host.until(lambda: bool(host.held_faults()), LONG_US)
        pi.close(expanders((3, 60)))  # lifted while nobody can see it, of cell 40 at once
        host.until(lambda: standing(host) == {3, 20, 60}, LONG_US)
        assert {event.cell for event in host.events[told:]} == {40}
        pi.put("silent", [])
        sees(host, (3, 60))
        host.until(lambda: not host.held_faults(), LONG_US)


def test_an_expander_whose_supply_dips_shows_no_stone_that_is_none(pi: FakePi) -> None:
    with hosted(pi, load("reed-hex3")) as host:
        pi.close(expanders((5,)))
        sees(host, (5,))
        for address in (0x20, 0x21):
            pi.put("dipped", [address])
            patience.until(lambda: not (pi.folder / "dipped").exists())
        pi.close(expanders((5, 12)))
        sees(host, (5, 12))
        assert {event.cell for event in host.events} == {5, 12}


# The named libraries: real packages over fakes below them, installed by
# `pip install --target FOLDER -r tests/support/named_libraries.txt`.


LIBRARIES = os.environ.get("LUMIBAN_NAMED_LIBRARIES", "")
BELOW = ROOT / "tests/support/below_blinka"
named = pytest.mark.skipif(not LIBRARIES, reason="LUMIBAN_NAMED_LIBRARIES: no folder of them")


@named
@pytest.mark.parametrize("diode", [WITH_DIODE, BARE])
def test_rpi_gpio_reads_a_matrix_and_no_two_rows_fight(pi: FakePi, diode: int) -> None:
    with hosted(pi, BOARD, "pins-by=rpi-gpio", PYTHONPATH=LIBRARIES) as host:
        for cells in ((0,), (0, 8, 24, 56), (1, 10, 19, 63), ()):
            pi.close(matrix(cells, diode))
            sees(host, cells)
        pi.close([(18, GROUND, BARE)])
        host.until(lambda: any(event.pressed is not None for event in host.events), LONG_US)
    assert pi.odd() == []


@named
def test_a_busy_pin_is_told_by_rpi_gpio_too(pi: FakePi) -> None:
    pi.put("taken", [26])
    said = refused(pi, "breadboard8", "pins-by=rpi-gpio", PYTHONPATH=LIBRARIES)
    assert "GPIO26" in said


@named
def test_neopixel_shows_a_picture_and_is_dark_before_and_after(pi: FakePi) -> None:
    libraries = os.pathsep.join((LIBRARIES, str(BELOW)))
    with hosted(pi, BOARD, "lights-by=neopixel", PYTHONPATH=libraries) as host:
        assert pi.lights() == [(0, 0, 0)] * 64
        shows_its_picture(pi, host)
    assert pi.lights() == [(0, 0, 0)] * 64


def test_a_library_that_is_not_there_is_named_with_its_package(pi: FakePi) -> None:
    assert "rpi-lgpio" in refused(pi, "breadboard8", "pins-by=rpi-gpio")
    assert "adafruit-circuitpython-neopixel" in refused(pi, "breadboard8", "lights-by=neopixel")


# What cannot be had is told, and nothing stays open.


def refused(pi: FakePi, profile: str, pins: str = "", **more: str) -> str:
    """What the driver says instead of starting."""
    with pi.driver(profile, pins, **more) as said:
        return str(said.get("error"))


def test_each_device_that_is_missing_is_told_with_its_remedy(tmp_path: Path) -> None:
    for number, (name, board, says) in enumerate(
        (
            ("gpiochip0", "breadboard8", "no chip"),
            ("spidev0.0", "breadboard8", "do_spi"),
            ("i2c-1", "reed-hex3", "do_i2c"),
        )
    ):
        pi = FakePi(tmp_path / str(number))
        (pi.folder / "dev" / name).unlink()
        assert says in refused(pi, board)


def test_an_address_that_a_kernel_driver_holds_is_told_as_that_and_not_as_silent(
    pi: FakePi,
) -> None:
    pi.put("kernel", [0x21])
    assert "0x21" in (said := refused(pi, "reed-hex3"))
    assert "dtoverlay" in said
    pi.put("kernel", [])
    pi.put("silent", [0x21])
    assert "No expander answers at 0x21" in refused(pi, "reed-hex3")


def test_a_pin_that_the_kernel_holds_is_named_with_its_owner(pi: FakePi) -> None:
    pi.put("taken", [26])
    assert "GPIO26 is not free: spi0 CS0" in refused(pi, "breadboard8")


def test_lights_that_do_not_fit_into_spis_buffer_are_refused(pi: FakePi) -> None:
    assert "64 lights" in refused(pi, "breadboard8", BUFFER="1000")


OPENING = """
import os
from pathlib import Path
from lumiban.boards.gpio.process import open_board
from lumiban.errors import BoardError
before = len(os.listdir("/proc/self/fd"))
for name in {names}:
    try:
        open_board(name, "", Path("state"))
    except BoardError as error:
        print("refused")
print(len(os.listdir("/proc/self/fd")) - before)
"""


@pytest.mark.parametrize("taken", [-1, 4, 12, 18])
def test_a_board_that_cannot_be_had_leaves_no_file_open(pi: FakePi, taken: int) -> None:
    """−1: the chip itself does not tell what it is."""
    pi.put("taken", [taken])
    pi.put("silent", [0x21])
    told = pi.run(OPENING.format(names=["breadboard8", "reed-hex3"]))
    assert told.split() == ["refused", "refused", "0"]
