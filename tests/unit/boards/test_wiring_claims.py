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
from lumiban.boards.limits import MIDDLE
from lumiban.boards.profile import Profile, load, read
from lumiban_fw.wire import HALF_SCALE
from lumiban_sim.pi import Costs, Pi
from lumiban_sim.pi_kernel import PiKernel
from lumiban_sim.switches import SwitchWiring
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

    def frame(self) -> set[int]:
        """The cells that the next frame tells as closed."""


class PiDriver:
    """A Pi 5, whose calls are quick."""

    def __init__(self, profile: Profile) -> None:
        self.closed: set[int] = set()
        self._profile = profile
        pins, cells = of_profile(profile), range(len(profile.cells))
        pi = Pi(
            profile,
            pins,
            sensed=lambda: (
                [MIDDLE + (cell in self.closed) for cell in cells],
                [MIDDLE] * profile.rows,
            ),
            costs=Costs(pin_us=1, transfer_us=5),
        )
        self._header = Header(profile, pins, PiKernel(pi))
        self.wiring = pi.switches

    def frame(self) -> set[int]:
        counts = array("H", bytes(2 * len(self._profile.cells)))
        self._header.scanner.read(counts, array("H", bytes(2 * self._profile.rows)), lambda: 0)
        return {cell for cell, count in enumerate(counts) if count != HALF_SCALE}


class PicoDriver:
    """The firmware's own scan."""

    def __init__(self, profile: Profile) -> None:
        self.closed: set[int] = set()
        cells = range(len(profile.cells))
        self._pico = Pico(profile, lambda: [int(cell in self.closed) for cell in cells])
        self.wiring = self._pico.switches.wiring

    def frame(self) -> set[int]:
        return self._pico.frame()


DRIVERS: dict[str, Callable[[Profile], Driver]] = {"header": PiDriver, "pico": PicoDriver}


@pytest.fixture(params=DRIVERS)
def on(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def of_chip(which: int) -> set[int]:
    """The cells of the first expander, or of the second."""
    return set(range(16)) if which == 0 else set(range(16, 25))


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


@pytest.mark.parametrize("chip", [0, 1])
def test_an_expander_that_is_silent_reads_as_open_and_the_other_as_it_is(
    on: str, chip: int
) -> None:
    driver = DRIVERS[on](BOARDS["mcp23017"](on))
    driver.closed = {3, 17, 24}
    assert driver.frame() == driver.closed
    driver.wiring.silent.add((0x23, 0x20)[chip])
    for _ in range(BACK_FRAMES):
        assert driver.frame() == driver.closed - of_chip(chip)


@pytest.mark.parametrize("chip", [0, 1])
def test_an_expander_that_is_back_has_its_pull_ups_and_is_read(on: str, chip: int) -> None:
    driver = DRIVERS[on](BOARDS["mcp23017"](on))
    driver.closed = {3, 17, 24}
    address = (0x23, 0x20)[chip]
    driver.wiring.silent.add(address)
    driver.frame()
    driver.wiring.forget(address)
    driver.wiring.silent.clear()
    seen = [driver.frame() for _ in range(BACK_FRAMES)]
    assert all(cells <= driver.closed for cells in seen), "no stone that is none"
    assert seen[-1] == driver.closed


def test_a_dip_of_the_supply_between_two_frames_shows_no_stone_that_is_none(on: str) -> None:
    driver = DRIVERS[on](BOARDS["mcp23017"](on))
    driver.closed = {3, 17, 24}
    assert driver.frame() == driver.closed
    for address in (0x23, 0x20):
        driver.wiring.forget(address)
    seen = [driver.frame() for _ in range(3)]
    assert all(cells <= driver.closed for cells in seen), "no stone that is none"
    assert seen[-1] == driver.closed


def test_a_bus_that_is_held_low_reads_as_open_until_it_is_free(on: str) -> None:
    driver = DRIVERS[on](BOARDS["mcp23017"](on))
    driver.closed = {3, 17, 24}
    driver.wiring.is_stuck = True
    for _ in range(BACK_FRAMES):
        assert driver.frame() == set()
    driver.wiring.is_stuck = False
    assert [driver.frame() for _ in range(BACK_FRAMES)][-1] == driver.closed
