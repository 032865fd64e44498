"""The driver of the Pi's header over a simulated system."""

from __future__ import annotations

import errno
import shutil
import subprocess
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
from lumiban.boards.gpio import kernel, spi
from lumiban.boards.gpio.hal import Folder, Header, Instant, PiPort, question, rate_hz
from lumiban.boards.gpio.kernel import PinError
from lumiban.boards.gpio.lights import Background, Lamps, signal
from lumiban.boards.gpio.pins import WIRINGS, Pins, check_pins, of_profile
from lumiban.boards.messages import packed
from lumiban.boards.profile import Profile, load
from lumiban.boards.types import Hello
from lumiban.errors import BoardError
from lumiban_fw import wire
from lumiban_fw.hal import Hal
from lumiban_fw.update import CALIBRATION
from lumiban_sim.hands import Tempo
from lumiban_sim.pi import Pi, mcp3208
from lumiban_sim.pi_board import PiBoard, own_rate
from lumiban_sim.pi_kernel import PI_4, PiKernel
from lumiban_sim.rig import Rig
from places import ROOT
from rig_line import RigLine

HEX3 = load("hex3")


def numbered(profile: Profile) -> tuple[list[int], list[int]]:
    """Readings that tell where they come from."""
    counts = [300 + 7 * number for number in range(len(profile.cells))]
    return counts, [3900 - row for row in range(profile.rows)]


@contextmanager
def on_header(profile: Profile, **pi: Any) -> Iterator[tuple[Pi, Header]]:
    pins = pi.pop("pins", Pins())
    made = Pi(profile, pins, **pi)
    found = Header(profile, pins, PiKernel(made))
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


@pytest.mark.parametrize("name", ["hex3", "hex5", "grid13x14"])
@pytest.mark.parametrize("pins", [*WIRINGS.values(), Pins(spi=0, led=-1)])
def test_every_cell_and_reference_is_read_where_it_is_wired(name: str, pins: Pins) -> None:
    profile = load(name)
    with on_header(profile, pins=pins, sensed=lambda: numbered(profile)) as (_, header):
        for _ in range(2):
            assert frame(header) == numbered(profile)


def test_with_two_select_lines_changed_over_other_cells_are_read() -> None:
    pins = Pins()
    wired = replace(pins, columns=(pins.columns[1], pins.columns[0], *pins.columns[2:]))
    pi = Pi(HEX3, wired, sensed=lambda: numbered(HEX3))
    header = Header(HEX3, pins, PiKernel(pi))
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


DEVICES = ("/dev/gpiochip0", "/dev/spidev1.0", "/dev/i2c-1")
"""What a board on the header opens: its pins, the bus of its sensors, that of its expanders."""
REFUSALS = {
    errno.EACCES: "usermod -aG",
    errno.EPERM: "systemctl restart lumiban",
    errno.EBUSY: "Another program",
    errno.EIO: "Input/output error",
}


@pytest.mark.parametrize("path", DEVICES)
@pytest.mark.parametrize("number", REFUSALS)
def test_a_device_that_cannot_be_opened_is_told_with_its_remedy(
    path: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUMIBAN_LANG", "en")
    profile = load("reed-hex3") if "i2c" in path else HEX3
    system = PiKernel(Pi(profile, of_profile(profile)))
    system.refused[path] = number
    with pytest.raises(BoardError, match=REFUSALS[number]) as caught:
        Header(profile, of_profile(profile), system)
    assert path in str(caught.value)
    assert ("usermod" in str(caught.value)) == (number == errno.EACCES)
    assert not system.open_files, "nothing is held"


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/dev/gpiochip0", "no chip"),
        ("/dev/spidev1.0", "dtoverlay=spi1-2cs"),
        ("/dev/i2c-1", "do_i2c"),
    ],
)
def test_a_device_that_is_not_there_is_told_with_its_remedy(
    path: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUMIBAN_LANG", "en")
    profile = load("reed-hex3") if "i2c" in path else HEX3
    system = PiKernel(Pi(profile, of_profile(profile)))
    system.absent.add(path)
    with pytest.raises(BoardError, match=says):
        Header(profile, of_profile(profile), system)


@pytest.mark.parametrize("pin", [Pins().columns[0], Pins().buttons[-1]])
def test_a_pin_that_another_program_holds_is_named_and_the_others_are_given_back(
    pin: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUMIBAN_LANG", "en")
    pi = Pi(HEX3, Pins())
    pi.busy.add(pin)
    with pytest.raises(BoardError, match=f"GPIO{pin} is not free: other"):
        Header(HEX3, Pins(), PiKernel(pi))
    assert not {*pi.levels, *pi.pulled}


def test_the_chip_with_the_header_s_pins_is_known_by_its_label_not_its_number() -> None:
    chips = {"/dev/gpiochip0": b"gpio-brcmstb@107d508500", "/dev/gpiochip4": b"pinctrl-rp1"}
    pi = Pi(HEX3, Pins(), sensed=lambda: numbered(HEX3))
    header = Header(HEX3, Pins(), PiKernel(pi, chips))
    assert frame(header) == numbered(HEX3)
    header.close()


HEADERS = """
#include <stdio.h>
#include <linux/gpio.h>
#include <linux/i2c-dev.h>
#include <linux/spi/spidev.h>
int main(void) {
    printf("%lu %lu %lu %lu %lu %lu\\n", GPIO_GET_CHIPINFO_IOCTL, GPIO_V2_GET_LINEINFO_IOCTL,
        GPIO_V2_GET_LINE_IOCTL, GPIO_V2_LINE_SET_CONFIG_IOCTL, GPIO_V2_LINE_GET_VALUES_IOCTL,
        GPIO_V2_LINE_SET_VALUES_IOCTL);
    printf("%d %llu %llu %llu %llu %llu %d %d\\n", GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES,
        GPIO_V2_LINE_FLAG_USED, GPIO_V2_LINE_FLAG_INPUT, GPIO_V2_LINE_FLAG_OUTPUT,
        GPIO_V2_LINE_FLAG_BIAS_PULL_UP, GPIO_V2_LINE_FLAG_BIAS_DISABLED, GPIO_V2_LINES_MAX,
        I2C_SLAVE);
    struct gpio_v2_line_request request;
    struct gpio_v2_line_config config;
    struct gpio_v2_line_info info;
    printf("%lu %lu %lu %lu %lu %lu\\n", (char *)&request.config - (char *)&request,
        (char *)&request.num_lines - (char *)&request, (char *)&request.fd - (char *)&request,
        (char *)&config.attrs - (char *)&config, (char *)&config.attrs[0].mask - (char *)&config,
        (char *)&info.flags - (char *)&info);
    printf("%lu %lu\\n", (unsigned long)SPI_IOC_WR_MODE, (unsigned long)SPI_IOC_MESSAGE(3));
}
"""


@pytest.mark.process
@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler here")
def test_the_calls_of_the_kernel_are_those_of_its_own_headers(tmp_path: Path) -> None:
    (tmp_path / "told.c").write_text(HEADERS)
    subprocess.run(["cc", "-o", tmp_path / "told", tmp_path / "told.c"], check=True)
    told = subprocess.run([tmp_path / "told"], capture_output=True, text=True, check=True).stdout
    calls, flags, places, spi_calls = [tuple(map(int, line.split())) for line in told.splitlines()]
    assert calls == (
        kernel.GET_CHIP, kernel.GET_LINE_INFO, kernel.GET_LINES, kernel.SET_CONFIG,
        kernel.GET_VALUES, kernel.SET_VALUES,
    )  # fmt: skip
    assert flags == (
        kernel._VALUES, kernel.USED, kernel.INPUT, kernel.OUTPUT, kernel.PULL_UP, kernel.NO_PULL,
        kernel.MOST_LINES, kernel.I2C_SLAVE,
    )  # fmt: skip
    wish = kernel.LineRequest
    assert places == (
        wish.config.offset, wish.num_lines.offset, wish.fd.offset, kernel.Config.attrs.offset,
        kernel.Config.attrs.offset + kernel.Attribute.mask.offset, kernel.LineInfo.flags.offset,
    )  # fmt: skip
    assert spi_calls == (spi.SET_MODE, spi.request(3))


@pytest.mark.parametrize(
    ("name", "now"), [("hex3", 12), ("hex5", 26), ("grid9x9", 30), ("grid13x14", 42)]
)
def test_a_frame_takes_a_call_of_the_kernel_for_each_channel_and_one_for_its_conversions(
    name: str, now: int
) -> None:
    """Counted; those of a second ADC are another call."""
    profile = load(name)
    told = numbered(profile)
    with on_header(profile, sensed=lambda: told) as (pi, header):
        frame(header)
        calls = pi.calls
        assert frame(header) == told
        assert pi.calls - calls == now


# Rates and times.


@pytest.mark.slow
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
    driver.send(wire.H_BOOT, packed(wire.H_BOOT, wire.BOOT_MAGIC, 0))
    driver.run(100_000)
    after = BoardClient(HEX3, RigLine(rig), session=2).open()
    assert after.boot_id != before
    assert after.reset_cause == 2


# Lights.


def test_colours_reach_their_light_in_order_once_the_supply_is_on() -> None:
    shown: list[bytes] = []
    with on_header(HEX3, shine=shown.append) as (pi, header):
        lamps = Lamps(PiKernel(pi), HEX3.lights)
        picture = bytes(range(3 * HEX3.lights))
        lamps.show(picture)
        assert not any(any(rgb) for rgb in shown)
        header.light_up()
        assert shown[-1] == picture
        lamps.close()
        assert shown[-1] == bytes(3 * HEX3.lights)


@given(picture=st.binary(min_size=57, max_size=57))
def test_every_picture_is_taken_as_it_was_meant_and_fits_a_transfer(picture: bytes) -> None:
    shown: list[bytes] = []
    with on_header(HEX3, shine=shown.append) as (pi, header):
        header.light_up()
        Lamps(PiKernel(pi), HEX3.lights).show(picture)
    assert picture in shown
    assert len(signal(bytes(3 * load("grid13x14").lights))) <= 4096, "a buffer of spidev as it is"


def test_at_half_the_clock_all_lights_are_white_which_is_why_a_steady_one_is_asked_for() -> None:
    shown: list[bytes] = []
    with on_header(HEX3, shine=shown.append) as (pi, header):
        header.light_up()
        pi.clock = 200 / 500
        Lamps(PiKernel(pi), HEX3.lights).show(bytes(57))
    assert bytes((255,)) * 57 in shown
    with pytest.raises(PinError, match="core_freq_min=500"):
        check_pins(Pins(), replace(PI_4, config=frozenset(("core_freq=500",))))


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


def test_lights_that_break_are_dark_until_the_last_picture_is_shown_again() -> None:
    class Broken(Slow):
        breaks = True

        def show(self, rgb: bytes) -> None:
            if self.breaks:
                raise OSError(errno.EIO, "Input/output error")
            self.shown.append(rgb)

    lamps = Broken()
    background = Background(lamps, again_s=0.0)
    background.show(b"one")
    patience.until(lambda: background.is_dark)
    lamps.breaks = False
    patience.until(lambda: not background.is_dark)
    background.close()
    assert lamps.shown == [b"one", b"dark"]
