"""One table of claims for wirings of switches, held against both drivers: a Pi's and a Pico's.

A claim is a history of the wires (a chip falls silent, its supply dips, a column rises slowly) with
what every driver has to tell of it. The wires take their time: columns rise through pull-ups
against the capacitance of their wire, Hall switches wake.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Protocol

import pytest
from lumiban.boards.gpio.hal import Header
from lumiban.boards.gpio.pins import of_profile
from lumiban.boards.profile import Profile, load, read
from lumiban_fw.wire import HALF_SCALE
from lumiban_sim.switches import SwitchWiring
from simulated_pi import Costs, Pi
from switched_pico import Pico

PLAIN = """
name = "plain"
[board]
geometry = "rectangle"
size = [5, 5]
pitch_mm = 30.0
[current]
limit_ma = 500
strip_limit_ma = 500
[switches]
on = "{on}"
wiring = "{wiring}"
{more}
"""
BACK_FRAMES = 60
"""So many frames after a chip is back all is as it was."""


def plain(on: str, wiring: str, more: str) -> Profile:
    return read(PLAIN.format(on=on, wiring=wiring, more=more), "plain.toml")


TWO = "addresses = [0x23, 0x20]"
PINS = {
    "header": "drive = [4, 5, 6, 12, 13]\nsense = [16, 17, 18, 19, 20]",
    "pico": "drive = [2, 3, 4, 5, 6]\nsense = [16, 17, 20, 21, 26]",
}
BOARDS = {
    "matrix": lambda on: plain(on, "matrix", PINS[on]),
    "matrix without diodes": lambda on: plain(on, "matrix", PINS[on] + "\ndiodes = false"),
    "74hc595": lambda on: load({"header": "chess8", "pico": "chess8-pico"}[on]),
    "mcp23017": lambda on: plain(on, "mcp23017", TWO),
}
SCANNED = ("matrix", "matrix without diodes", "74hc595")


class Driver(Protocol):
    """A driver that reads the switches around it, cells of `closed`."""

    closed: set[int]
    wiring: SwitchWiring
    held: set[int]
    """The cells of rows that the last frame could not read: the firmware keeps what it knew."""

    def frame(self) -> set[int]:
        """The cells that the next frame tells as closed."""


class PiDriver:
    """A Pi 5, whose calls are quick."""

    def __init__(self, profile: Profile) -> None:
        self.closed: set[int] = set()
        self.held: set[int] = set()
        self._profile = profile
        pins, cells = of_profile(profile), range(len(profile.cells))
        pi = Pi(
            profile,
            pins,
            look=lambda: [cell in self.closed for cell in cells],
            costs=Costs(pin_us=1, transfer_us=5),
        )
        self._header = Header(profile, pins, pi, pi)
        self.wiring = pi.switches

    def frame(self) -> set[int]:
        counts = array("H", bytes(2 * len(self._profile.cells)))
        references = array("H", bytes(2 * self._profile.rows))
        self._header.scanner.read(counts, references, lambda: 0)
        places = enumerate(self._profile.cells)
        self.held = {number for number, cell in places if not references[cell.row]}
        return {cell for cell, count in enumerate(counts) if count != HALF_SCALE} - self.held


class PicoDriver:
    """The firmware's own scan."""

    def __init__(self, profile: Profile) -> None:
        self.closed: set[int] = set()
        cells = range(len(profile.cells))
        self._pico = Pico(profile, lambda: [int(cell in self.closed) for cell in cells])
        self.wiring = self._pico.switches.wiring
        self.frame = self._pico.frame

    @property
    def held(self) -> set[int]:
        return self._pico.held


DRIVERS: dict[str, Callable[[Profile], Driver]] = {"header": PiDriver, "pico": PicoDriver}


@pytest.fixture(params=DRIVERS)
def on(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def rows_of_chip(which: int) -> set[int]:
    """The cells of all rows of five that have a cell on the first expander, or on the second."""
    return set(range(20)) if which == 0 else set(range(15, 25))


@pytest.mark.one_case
@pytest.mark.parametrize("wiring", SCANNED)
def test_a_column_that_rises_slowly_shows_no_stone_in_the_next_row(on: str, wiring: str) -> None:
    profile = BOARDS[wiring](on)
    driver = DRIVERS[on](profile)
    for cell in range(len(profile.cells)):
        driver.closed = {cell}
        assert driver.frame() == {cell}


def test_a_hall_switch_that_has_to_wake_is_read_when_it_is_awake(on: str) -> None:
    profile = BOARDS["74hc595"](on)
    driver = DRIVERS[on](profile)
    driver.closed = set(range(0, 64, 9))
    for _ in range(3):
        assert driver.frame() == driver.closed


@pytest.fixture
def expanders(on: str) -> Driver:
    """A board of two expanders with four stones, that has been read."""
    driver = DRIVERS[on](BOARDS["mcp23017"](on))
    driver.closed = {3, 12, 17, 24}
    for _ in range(2):  # the first frame may set the pull-ups
        seen = driver.frame()
    assert (seen, driver.held) == (driver.closed, set())
    return driver


@pytest.mark.parametrize("chip", [0, 1])
def test_what_a_silent_expander_reads_is_unknown_from_the_first_frame_and_the_rest_as_it_is(
    expanders: Driver, chip: int
) -> None:
    expanders.wiring.silent.add((0x23, 0x20)[chip])
    for _ in range(BACK_FRAMES):
        assert expanders.frame() == expanders.closed - rows_of_chip(chip)
        assert expanders.held == rows_of_chip(chip)


@pytest.mark.parametrize("chip", [0, 1])
def test_an_expander_that_is_back_has_its_pull_ups_and_is_read(
    expanders: Driver, chip: int
) -> None:
    address = (0x23, 0x20)[chip]
    expanders.wiring.silent.add(address)
    for _ in range(BACK_FRAMES):
        expanders.frame()
    expanders.wiring.forget(address)
    expanders.wiring.silent.clear()
    for _ in range(BACK_FRAMES):
        assert expanders.frame() == expanders.closed - expanders.held
    assert expanders.held == set()


def test_one_unanswered_read_makes_one_frame_unknown(expanders: Driver) -> None:
    expanders.wiring.silent.add(0x23)
    expanders.frame()
    expanders.wiring.silent.clear()
    assert (expanders.frame(), expanders.held) == (expanders.closed, set())


def test_a_dip_of_the_supply_between_two_frames_shows_no_stone_that_is_none(
    expanders: Driver,
) -> None:
    for address in (0x23, 0x20):
        expanders.wiring.forget(address)
    assert (expanders.frame(), expanders.held) == (set(), set(range(25)))
    assert (expanders.frame(), expanders.held) == (expanders.closed, set())


def test_a_bus_that_is_held_low_leaves_all_unknown_until_it_is_free(expanders: Driver) -> None:
    expanders.wiring.is_stuck = True
    for _ in range(BACK_FRAMES):
        assert (expanders.frame(), expanders.held) == (set(), set(range(25)))
    expanders.wiring.is_stuck = False
    for _ in range(BACK_FRAMES):
        expanders.frame()
    assert (expanders.frame(), expanders.held) == (expanders.closed, set())
