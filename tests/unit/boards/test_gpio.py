"""The driver of the Pi's header over the real libraries, with stand-ins below them."""

from __future__ import annotations

import sys
import threading
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import patience
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lumiban.boards.client import BoardClient
from lumiban.boards.gpio.hal import (
    Background,
    Folder,
    Header,
    Instant,
    Lamps,
    PiPort,
    _turns,
    question,
    rate_hz,
)
from lumiban.boards.gpio.pins import CLASSIC, MODERN, WIRINGS, Libraries, LibraryError, Pins, owners
from lumiban.boards.profile import Profile, load
from lumiban.boards.types import Hello
from lumiban.errors import BoardError
from lumiban_fw import wire
from lumiban_fw.hal import Hal
from lumiban_fw.update import CALIBRATION
from lumiban_sim import pi_modules
from lumiban_sim.hands import Tempo
from lumiban_sim.pi import Pi, mcp3208
from lumiban_sim.pi_board import PiBoard, own_rate
from lumiban_sim.rig import Rig
from places import ROOT
from rig_line import RigLine

if pi_modules.lacking():
    pytest.skip(pi_modules.lacking(), allow_module_level=True)

HEX3 = load("hex3")
OWNERS = [CLASSIC, *([MODERN] if MODERN in owners() else [])]


def numbered(profile: Profile) -> tuple[list[int], list[int]]:
    """Readings that tell where they come from."""
    counts = [300 + 7 * number for number in range(len(profile.cells))]
    return counts, [3900 - row for row in range(profile.rows)]


@contextmanager
def on_header(profile: Profile, owner: str = "", **pi: Any) -> Iterator[tuple[Pi, Header]]:
    pins = pi.pop("pins", Pins())
    made = pi_modules.on(Pi(profile, pins, **pi))
    libraries = pi_modules.libraries(owner)
    found = Header(profile, pins, libraries)
    try:
        yield made, found
    finally:
        found.close()


def frame(header: Header) -> tuple[list[int], list[int]]:
    counts = array("H", bytes(2 * len(header.profile.cells)))
    references = array("H", bytes(2 * header.profile.rows))
    header.scanner.read(counts, references, lambda: 0)
    return list(counts), list(references)


# Frames.


@pytest.mark.parametrize("owner", OWNERS)
@pytest.mark.parametrize("name", ["hex3", "hex5", "grid13x14"])
@pytest.mark.parametrize("pins", WIRINGS.values(), ids=WIRINGS)
def test_every_cell_and_reference_is_read_where_it_is_wired(
    name: str, owner: str, pins: Pins
) -> None:
    profile = load(name)
    with on_header(profile, owner, pins=pins, sensed=lambda: numbered(profile)) as (_, header):
        for _ in range(2):
            assert frame(header) == numbered(profile)


def test_with_two_select_lines_changed_over_other_cells_are_read() -> None:
    pins = Pins()
    wired = replace(pins, columns=(pins.columns[1], pins.columns[0], *pins.columns[2:]))
    pi = pi_modules.on(Pi(HEX3, wired, sensed=lambda: numbered(HEX3)))
    libraries = pi_modules.libraries()
    header = Header(HEX3, pins, libraries)
    assert frame(header)[0] != numbered(HEX3)[0]
    assert pi.spent_us > 0
    header.close()


@given(channel=st.integers(0, 7), value=st.integers(0, 4095))
def test_an_mcp3208_answers_the_input_that_is_asked_for(channel: int, value: int) -> None:
    asked: list[int] = []

    def count(at: int) -> int:
        asked.append(at)
        return value

    _, high, low = mcp3208(bytes(question(channel)), count)
    assert asked == [channel]
    assert (high & 0x0F) << 8 | low == value


def test_an_mcp3208_that_is_asked_for_a_difference_or_nothing_gives_nothing() -> None:
    assert mcp3208(bytes(3), lambda _: 4095) == bytes(3)
    assert mcp3208(bytes((0b00000100, 0, 0)), lambda _: 4095) == bytes(3)


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (FileNotFoundError(2, "No such file"), "dtoverlay=spi1-2cs"),
        (PermissionError(13, "denied"), "usermod -aG spi"),
        (OSError(5, "Input/output error"), "Input/output error"),
    ],
)
def test_a_bus_that_cannot_be_opened_is_told_with_its_remedy(
    error: OSError, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Adc:
        def open(self, bus: int, select: int) -> None:
            raise error

    monkeypatch.setenv("LUMIBAN_LANG", "en")
    libraries = pi_modules.libraries()
    pi_modules.on(Pi(HEX3, Pins()))
    spidev = type("spidev", (), {"SpiDev": Adc})
    with pytest.raises(BoardError, match=says) as caught:
        Header(HEX3, Pins(), replace(libraries, spidev=spidev))
    assert "/dev/spidev1.0" in str(caught.value)
    libraries.gpio.cleanup()


@pytest.mark.parametrize("owner", OWNERS)
@pytest.mark.parametrize("pin", [Pins().columns[0], Pins().buttons[-1]])
def test_a_pin_that_another_program_holds_is_named_and_the_others_are_given_back(
    owner: str, pin: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUMIBAN_LANG", "en")
    pi = pi_modules.on(Pi(HEX3, Pins()))
    pi.busy.add(pin)
    libraries = pi_modules.libraries(owner)
    with pytest.raises(BoardError, match=f"GPIO{pin} is not available: .*(busy|/dev/mem)"):
        Header(HEX3, Pins(), libraries)
    assert not {*pi.levels, *pi.pulled} - {pin}


@pytest.mark.parametrize(
    ("name", "before", "now"),
    [("hex3", 36, 18), ("hex5", 84, 30), ("grid9x9", 104, 34), ("grid13x14", 212, 44)],
)
def test_a_frame_takes_one_call_of_the_kernel_for_all_conversions_of_a_channel(
    name: str, before: int, now: int
) -> None:
    """Counted; `before` is one call a conversion and one a pin."""
    profile = load(name)
    told = numbered(profile)
    with on_header(profile, sensed=lambda: told) as (pi, header):
        frame(header)
        calls = pi.calls
        assert frame(header) == told
        assert pi.calls - calls == now
    turns = _turns(profile, Pins().columns)
    assert before == sum(len(changes) + len(readings) for changes, readings in turns)


# Rates and times.


def test_the_rate_is_what_the_header_gives_and_only_a_fast_one_promises_order() -> None:
    rates = {name: own_rate(load(name)) for name in ("hex3", "hex5", "grid13x14")}
    assert rates["hex3"] > wire.ORDER_HZ > rates["hex5"] > rates["grid13x14"] > 50
    for name, rate in rates.items():
        profile = replace(load(name), scan_hz=rate)
        told = hello(Rig(profile, 1, body=PiBoard))
        assert told.scan_hz == rate
        assert bool(told.capabilities & wire.CAN_ORDER) == (name == "hex3")
        assert not told.capabilities & wire.CAN_UPDATE


def test_the_guide_tells_the_rates_that_are_computed() -> None:
    guide = (ROOT / "docs" / "gpio.md").read_text("utf-8")
    for name in ("hex3", "hex5", "grid13x14"):
        profile = load(name)
        row = next(line for line in guide.splitlines() if f"{len(profile.cells)} cells |" in line)
        assert row.endswith(f"| {profile.scan_hz} | {own_rate(profile)} |")


def hello(rig: Rig) -> Hello:
    driver = BoardClient(rig.profile, RigLine(rig))
    return driver.open()


def port(header: Header, pi: Pi, store: Hal | None = None, hz: int = 500) -> PiPort:
    clock = lambda: pi.spent_us  # noqa: E731
    lights = Lights()
    return PiPort(
        header,
        lights,
        Hal(),
        store or Hal(),
        clock=clock,
        scan_hz=hz,
        uid=bytes(8),
        boot_id=1,
    )


class Lights:
    def show(self, rgb: bytes) -> None:
        pass


def test_a_frame_is_dated_by_its_beginning_and_a_late_one_is_not_made_up_for() -> None:
    counts, references = array("H", bytes(38)), array("H", bytes(10))
    with on_header(HEX3) as (pi, header):
        board = port(header, pi)
        pi.spent_us = 0
        assert board.scan(counts, references) == 0
        assert 0 < pi.spent_us < 2_000
        assert board.scan(counts, references) == -1
        pi.spent_us = 11_300
        assert board.scan(counts, references) == 11_300
        assert board.scan(counts, references) == -1
        assert board.due_us == 14_000
        assert board.worst_gap_us() == 11_300
        assert board.worst_gap_us() == 0


@given(frame_us=st.integers(1, 100_000), most=st.integers(50, 5_000))
def test_a_frame_ends_before_the_next_is_due(frame_us: int, most: int) -> None:
    hz = rate_hz(frame_us, most)
    assert 1 <= hz <= most
    assert hz == 1 or frame_us * hz < 1_000_000


@pytest.mark.parametrize("owner", OWNERS)
def test_the_same_hands_are_told_alike_over_either_library(owner: str) -> None:
    told = []
    for whose in (OWNERS[0], owner):

        def body(hal: Hal, whose: str = whose) -> PiBoard:
            return PiBoard(hal, owner=whose)

        rig = Rig(replace(HEX3, scan_hz=600), 7, body=body)
        driver = BoardClient(rig.profile, RigLine(rig))
        driver.open()
        rig.hands.place(4, 2)
        rig.hands.place(9, 1)
        driver.until(lambda: len(driver.events) == 2)  # noqa: B023
        told.append(driver.events)
    assert told[0] == told[1]
    assert [(event.cell, event.kind) for event in told[0]] == [(4, 2), (9, 1)]


@given(
    slopes=st.lists(st.integers(-300, 300), min_size=6, max_size=6),
    waits=st.lists(st.integers(0, 3_000), min_size=12, max_size=12),
)
def test_readings_that_rise_evenly_are_those_of_the_frames_beginning(
    slopes: list[int], waits: list[int]
) -> None:
    turns = [[(0, 0), (0, 1)], [(0, 2)], [(1, 0), (1, 1), (0, 3)]]
    instant = Instant(turns)
    now_us, pause = 0, iter(waits)
    for _ in range(2):
        begin, starts, ends = now_us, [], []
        counts, references = array("H", bytes(8)), array("H", bytes(4))
        for turn in turns:
            now_us += next(pause)
            starts.append(now_us)
            for n, (which, at) in enumerate(turn):
                t_us = now_us + 100 * (2 * n + 1) // 2
                slope = slopes[4 * which + at]
                (counts, references)[which][at] = 32_000 + slope * t_us // 1_000
            now_us += 100 * len(turn)
            ends.append(now_us)
        now_us += next(pause)
        instant.even(begin, starts, ends, counts, references)
    for slope, value in zip(slopes, [*counts, *references], strict=True):
        assert abs(value - (32_000 + slope * begin // 1_000)) <= 2


@pytest.mark.slow
def test_a_cell_that_is_read_last_has_no_advantage_over_one_that_is_read_first() -> None:
    profile = replace(HEX3, scan_hz=own_rate(HEX3))
    first, last = 7, 11  # both ends of the middle strip
    off = []
    for phase_us in (0, 300, 700, 1_100):
        body = partial(PiBoard, takes_time=True)
        rig = Rig(profile, 1, skipping=False, noise_ut=0.0, body=body)
        driver = BoardClient(profile, RigLine(rig))
        driver.open()
        slow = Tempo(touch=(0.2, 0.2))
        for cell, hand in ((first, "left"), (last, "right")):
            touch_us = 800_000 + phase_us
            rig.hands.place(cell, wire.WHITE, hand=hand, touch_us=touch_us, tempo=slow)
        driver.until(lambda: len(driver.events) == 2)  # noqa: B023
        told = {event.cell: event.t_us for event in driver.events}
        off.append(told[last] - told[first])
    assert abs(sum(off)) / len(off) < 150
    assert max(map(abs, off)) < 400


# What is kept, and beginning anew.


def test_a_calibration_is_kept_in_a_file_and_a_program_is_not(tmp_path: Path) -> None:
    with on_header(HEX3) as (pi, header):
        board = port(header, pi, Folder(tmp_path / "board"))
        assert board.load(CALIBRATION) == b""
        assert board.store(CALIBRATION, b"zeros")
        assert not board.store("a/main.py", b"import os")
        again = port(header, pi, Folder(tmp_path / "board"))
        assert again.load(CALIBRATION) == b"zeros"
    assert [path.name for path in tmp_path.rglob("*.*")] == [CALIBRATION]


def test_a_folder_that_cannot_be_written_keeps_nothing_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert not Folder(tmp_path / "file").store(CALIBRATION, b"zeros")


def test_boot_begins_anew_with_another_boot_id() -> None:
    rig = Rig(replace(HEX3, scan_hz=600), 3, body=PiBoard)
    driver = BoardClient(HEX3, RigLine(rig))
    before = driver.open().boot_id
    driver.send(wire.H_BOOT, wire.pack_boot(0))
    driver.run(100_000)
    after = BoardClient(HEX3, RigLine(rig), session=2).open()
    assert after.boot_id != before
    assert after.reset_cause == 2


# Lights.


def test_colours_reach_their_light_in_order_once_the_supply_is_on() -> None:
    shown: list[bytes] = []
    with on_header(HEX3, shine=shown.append) as (_, header):
        lamps = Lamps(pi_modules.libraries(), Pins(), HEX3.lights)
        picture = bytes(range(3 * HEX3.lights))
        lamps.show(picture)
        assert not any(any(rgb) for rgb in shown)
        header.light_up()
        assert shown[-1] == picture
        lamps.close()
        assert shown[-1] == bytes(3 * HEX3.lights)
        lamps.show(picture)
    assert shown[-1] == bytes(3 * HEX3.lights)


def test_lights_by_pwm_without_root_fail_with_the_librarys_word() -> None:
    with on_header(HEX3, pins=WIRINGS["pwm"]), pytest.raises(LibraryError, match="sudo"):
        Lamps(pi_modules.libraries(), WIRINGS["pwm"], HEX3.lights)
    with on_header(HEX3, pins=WIRINGS["pwm"], root=True):
        Lamps(pi_modules.libraries(), WIRINGS["pwm"], HEX3.lights)


class Slow:
    """Lamps whose pictures take until they are let go."""

    def __init__(self) -> None:
        self.shown: list[bytes] = []
        self.begun = threading.Semaphore(0)
        self.go = threading.Semaphore(0)

    def show(self, rgb: bytes) -> None:
        self.begun.release()
        patience.until(lambda: self.go.acquire(blocking=False))
        self.shown.append(rgb)

    def close(self) -> None:
        self.shown.append(b"dark")


def test_the_senses_do_not_wait_for_a_picture_and_the_latest_wins() -> None:
    lamps = Slow()
    background = Background(lamps)
    background.show(b"one")
    patience.until(lambda: lamps.begun.acquire(blocking=False))
    background.show(b"two")
    background.show(b"three")
    assert lamps.shown == []
    lamps.go.release(2)
    background.close()
    assert lamps.shown == [b"one", b"three", b"dark"]


def test_lights_that_break_are_told_by_the_next_picture() -> None:
    class Broken(Slow):
        def show(self, rgb: bytes) -> None:
            raise RuntimeError("ws2811_render failed")

    background = Background(Broken())
    background.show(b"one")
    patience.until(lambda: not background._thread.is_alive())
    with pytest.raises(LibraryError, match="ws2811_render failed"):
        background.show(b"two")
    background.close()


def test_the_libraries_are_real_but_for_what_touches_the_system() -> None:
    found: Libraries = pi_modules.libraries()
    assert "site-packages" in str(found.neopixel.__file__)
    assert "site-packages" in str(found.board.__file__)
    if MODERN in owners():
        assert "site-packages" in str(found.gpio.__file__)
    assert "lgpio" not in sys.modules or hasattr(sys.modules["lgpio"], "__file__")
