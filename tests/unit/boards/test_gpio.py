"""The driver of the Pi's header: its calls, its frames, its lights' signal, and what it keeps."""

from __future__ import annotations

import errno
import itertools
import os
import shutil
import struct
import subprocess
import threading
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import patience
import pytest
from each import each
from hypothesis import given
from hypothesis import strategies as st
from lumiban.boards.client import BoardClient
from lumiban.boards.gpio import buses, kernel
from lumiban.boards.gpio.hal import Folder, Header, PiPort, rate_hz
from lumiban.boards.gpio.lights import LED_HZ, Background, signal
from lumiban.boards.gpio.pins import PinError, of_profile
from lumiban.boards.ports import localized
from lumiban.boards.profile import Profile, load
from lumiban.errors import BoardError
from lumiban_fw import layout_file, wire
from lumiban_fw.hal import Hal
from lumiban_fw.update import CALIBRATION
from lumiban_sim.rig import Rig
from rig_line import RigLine
from simulated_pi import Pi, PiBoard, own_rate

HEX3 = load("reed-hex3")


@contextmanager
def on_header(profile: Profile) -> Iterator[tuple[Pi, Header]]:
    pins = of_profile(profile)
    pi = Pi(profile, pins, look=lambda: bytes(len(profile.cells)))
    header = Header(profile, pins, pi, pi)
    try:
        yield pi, header
    finally:
        header.close()


# Calls of the kernel.


HEADERS = """
#include <stdio.h>
#include <linux/gpio.h>
#include <linux/i2c-dev.h>
#include <linux/spi/spidev.h>
int main(void) {
    printf("%lu %lu %lu %lu %lu\\n", GPIO_GET_CHIPINFO_IOCTL, GPIO_V2_GET_LINEINFO_IOCTL,
        GPIO_V2_GET_LINE_IOCTL, GPIO_V2_LINE_GET_VALUES_IOCTL, GPIO_V2_LINE_SET_VALUES_IOCTL);
    printf("%d %llu %llu %llu %llu %llu %d %d\\n", GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES,
        GPIO_V2_LINE_FLAG_USED, GPIO_V2_LINE_FLAG_INPUT, GPIO_V2_LINE_FLAG_OUTPUT,
        GPIO_V2_LINE_FLAG_BIAS_PULL_UP, GPIO_V2_LINE_FLAG_OPEN_DRAIN, GPIO_V2_LINES_MAX,
        I2C_SLAVE);
    struct gpio_v2_line_request request;
    struct gpio_v2_line_config config;
    struct gpio_v2_line_info info;
    printf("%lu %lu %lu %lu %lu %lu\\n", (char *)&request.config - (char *)&request,
        (char *)&request.num_lines - (char *)&request, (char *)&request.fd - (char *)&request,
        (char *)&config.attrs - (char *)&config, (char *)&config.attrs[0].mask - (char *)&config,
        (char *)&info.flags - (char *)&info);
    printf("%lu %lu\\n", (unsigned long)SPI_IOC_WR_MODE, (unsigned long)SPI_IOC_MESSAGE(1));
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
        kernel.GET_CHIP, kernel.GET_LINE_INFO, kernel.GET_LINES, kernel.GET_VALUES,
        kernel.SET_VALUES,
    )  # fmt: skip
    assert flags == (
        kernel._VALUES, kernel.USED, kernel.INPUT, kernel.OUTPUT, kernel.PULL_UP,
        kernel.OPEN_DRAIN, kernel.MAX_LINES, buses.I2C_SLAVE,
    )  # fmt: skip
    wish = kernel.LineRequest
    assert places == (
        wish.config.offset, wish.num_lines.offset, wish.fd.offset, kernel.Config.attrs.offset,
        kernel.Config.attrs.offset + kernel.Attribute.mask.offset, kernel.LineInfo.flags.offset,
    )  # fmt: skip
    assert spi_calls == (buses.SET_MODE, buses.SEND)


REQUEST = struct.Struct("64I32sQI20x" + "II QQ" * 10 + "II20xi")
"""`struct gpio_v2_line_request`, its configuration and ten attributes in it (linux/gpio.h)."""
INFO, VALUES = struct.Struct("32s32sIIQ160x16x"), struct.Struct("QQ")


class Kernel:
    """The lines of a chip behind the calls of linux/gpio.h: who has them, how, and their levels."""

    def __init__(self, pins: int = 28) -> None:
        self.levels = dict.fromkeys(range(pins), 1)
        self.held: dict[int, tuple[list[int], int]] = {}
        """By descriptor: pins, in the order of their bits, and flags."""
        self.owners: dict[int, bytes] = {}
        self.labels: dict[int, bytes | int] = {}
        """Of chips by descriptor; an error's number where it does not tell."""

    def ioctl(self, fd: int, request: int, buffer: bytearray) -> None:
        assert request >> 16 & 0x3FFF == len(buffer)
        calls = {0x8044B401: self.chip, 0xC100B405: self.info, 0xC250B407: self.claim,
                 0xC010B40E: self.read, 0xC010B40F: self.write}  # fmt: skip
        calls[request](fd, buffer)

    def chip(self, fd: int, buffer: bytearray) -> None:
        label = self.labels[fd]
        if isinstance(label, int):
            raise OSError(label, os.strerror(label))
        buffer[:] = struct.pack("32s32sI", b"gpiochip", label, 54)

    def info(self, fd: int, buffer: bytearray) -> None:
        pin = INFO.unpack(buffer)[2]
        if pin not in self.levels:
            raise OSError(errno.EINVAL, "no such line")
        owner = self.owners.get(pin, b"")
        buffer[:] = INFO.pack(b"GPIO", owner, pin, 0, 1 if pin in self.owners else 0)

    def claim(self, fd: int, buffer: bytearray) -> None:
        words = list(REQUEST.unpack(buffer))
        count, pins, flags = words[-3], words[:64], words[65]
        pins = pins[:count]
        if self.owners.keys() & pins:
            raise OSError(errno.EBUSY, "busy")
        self.owners |= dict.fromkeys(pins, words[64].rstrip(b"\0"))
        if words[66]:  # one attribute: levels from the beginning
            assert (words[66], words[67]) == (1, 2)
            self.put(pins, words[69], words[70])
        words[-1] = os.open(os.devnull, os.O_RDONLY)
        self.held[words[-1]] = pins, flags
        buffer[:] = REQUEST.pack(*words)

    def put(self, pins: list[int], bits: int, mask: int) -> None:
        for at, pin in enumerate(pins):
            if mask >> at & 1:
                self.levels[pin] = bits >> at & 1

    def read(self, fd: int, buffer: bytearray) -> None:
        _, mask = VALUES.unpack(buffer)
        levels = [self.levels[pin] for pin in self.held[fd][0]]
        bits = sum(level << at for at, level in enumerate(levels)) & mask
        buffer[:] = VALUES.pack(bits, mask)

    def write(self, fd: int, buffer: bytearray) -> None:
        assert self.held[fd][1] & 1 << 3, "an input is not driven"
        self.put(self.held[fd][0], *VALUES.unpack(buffer))


def test_pins_are_claimed_read_and_driven_by_the_kernel_s_calls(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there = Kernel()
    monkeypatch.setattr("fcntl.ioctl", there.ioctl)
    before = len(list(Path("/proc/self/fd").iterdir()))
    chip = kernel.Chip(os.open(os.devnull, os.O_RDONLY))
    columns = chip.inputs([4, 17, 27])
    row, lights = chip.outputs([21, 20], 0b01, has_open_drain=True), chip.outputs([5], 0)
    assert [flags for _, flags in there.held.values()] == [
        1 << 2 | 1 << 8, 1 << 3 | 1 << 6, 1 << 3,
    ]  # fmt: skip
    assert set(there.owners.values()) == {b"lumiban"}
    assert (there.levels[21], there.levels[20], there.levels[5]) == (1, 0, 0)
    assert columns.bits() == 0b111
    there.levels |= {4: 0, 27: 0}
    assert columns.bits() == 0b010
    row.put(0b10)
    assert (there.levels[21], there.levels[20]) == (0, 1)
    row.put(0b01, mask=0b01)
    assert (there.levels[21], there.levels[20]) == (1, 1)
    lights.put(-1 & 1)
    assert there.levels[5] == 1
    there.owners[9] = b"spi0 CS0"
    with pytest.raises(PinError, match=r"9.*spi0 CS0"):
        chip.inputs([8, 9])
    with pytest.raises(PinError, match=r"4.*lumiban"):
        chip.inputs([4])
    assert 8 not in there.owners
    chip.close()
    assert len(list(Path("/proc/self/fd").iterdir())) == before, "all is given back"


NO_CHIP, FORBIDDEN, BROKEN = "no-chip", "forbidden", "broken"
CHIPS: list[tuple[list[bytes | int], int | str]] = [
    ([b"pinctrl-bcm2711", b"raspberrypi-exp-gpio"], 0),
    ([b"brcmvirt-gpio", b"pinctrl-bcm2835"], 1),
    ([b"gpio-brcmstb", b"pinctrl-rp1"], 1),
    ([errno.EACCES, b"pinctrl-rp1"], 1),
    ([b"gpio-brcmstb", errno.ENOTTY, b"pinctrl-rp1"], 2),
    ([b"gpio-mockup-A"], NO_CHIP),
    ([], NO_CHIP),
    ([errno.EACCES, errno.EBUSY], FORBIDDEN),
    ([errno.ENOTTY, errno.EACCES], BROKEN),
]


@each(("labels", "found"), CHIPS)
def test_the_header_s_chip_is_found_by_its_label_and_all_others_are_closed(
    labels: list[bytes | int], found: int | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, closed = Kernel(), list[int]()
    names = [f"/dev/gpiochip{n}" for n in range(len(labels))]
    there.labels = dict(enumerate(labels))

    def opened(path: str, flags: int) -> int:
        label = labels[names.index(path)]
        if label in (errno.EACCES, errno.EBUSY):
            raise OSError(label, "no")
        return names.index(path)

    with monkeypatch.context() as patched:
        patched.setattr("fcntl.ioctl", there.ioctl)
        patched.setattr(Path, "glob", lambda folder, wish: map(Path, reversed(names)))
        patched.setattr(os, "open", opened)
        patched.setattr(os, "close", closed.append)
        if isinstance(found, int):
            chip = kernel.open_chip()
            assert closed == [n for n in range(found) if labels[n] != errno.EACCES]
            chip.close()
            assert closed[-1] == found
            return
        with pytest.raises(BoardError) as refused:
            kernel.open_chip()
    words = {"path": "/dev/gpiochip0", "group": "gpio", "detail": os.strerror(errno.ENOTTY)}
    assert str(refused.value) == localized(f"gpio.device.{found}", **words)


def test_lights_have_supply_then_signal_and_lose_them_the_other_way_round() -> None:
    told: list[tuple[int, int]] = []
    pins = replace(of_profile(HEX3), power=5, dark=6, good=13, buttons=())
    pi = Pi(HEX3, pins, look=lambda: bytes(19))
    pi.noted = lambda pin, level: told.append((pin, level)) if pin in (5, 6) else None
    header = Header(HEX3, pins, pi, pi)
    assert sorted(told) == [(5, 0), (6, 1)], "dark as they are claimed"
    assert (header.is_good(), header.buttons()) == (True, 0)
    told.clear()
    header.light_up()
    assert told == [(5, 1), (6, 0)]
    told.clear()
    header.close()
    assert told == [(6, 1), (5, 0)]
    assert pi.levels == {}


# Frames.


def port(header: Header, pi: Pi, store: Hal | None = None, lights: Any = None) -> PiPort:
    return PiPort(
        header, lights or pi, Hal(), store or Hal(),
        clock=lambda: pi.spent_us, scan_hz=100, uid=bytes(8), boot_id=1,
    )  # fmt: skip


def test_a_frame_is_dated_by_its_beginning_and_a_late_one_is_not_made_up_for() -> None:
    counts, references = array("H", bytes(38)), array("H", bytes(10))
    with on_header(HEX3) as (pi, header):
        board = port(header, pi)
        pi.spent_us = 0
        assert board.scan(counts, references) == 0
        assert 0 < pi.spent_us < 10_000
        assert board.scan(counts, references) == -1
        pi.spent_us = 56_500
        assert board.scan(counts, references) == 56_500
        assert board.scan(counts, references) == -1
        assert board.due_us == 60_000
        assert board.worst_gap_us() == 56_500
        assert board.worst_gap_us() == 0


def test_a_pi_describes_itself_by_the_rate_at_which_it_scans() -> None:
    with on_header(HEX3) as (pi, header):
        told = layout_file.read(port(header, pi).board_bin())
    assert (told.scan_hz, told.cells, told.lights) == (100, 19, HEX3.lights)
    assert HEX3.scan_hz != 100


@given(frame_us=st.integers(1, 100_000), most=st.integers(50, 5_000))
def test_a_frame_ends_before_the_next_is_due(frame_us: int, most: int) -> None:
    hz = rate_hz(frame_us, most)
    assert 1 <= hz <= most
    assert hz == 1 or frame_us * hz < 1_000_000


@pytest.mark.parametrize("name", ["breadboard8", "reed-hex3", "reed-hex5", "chess8"])
def test_each_board_of_ours_is_read_fast_enough_and_promises_no_order(name: str) -> None:
    """200 frames a second are asked for; a reed bounces for a millisecond, a hand is slower."""
    profile = replace(load(name), scan_hz=own_rate(load(name)))
    told = BoardClient(profile, RigLine(Rig(profile, 1, body=PiBoard))).open()
    assert told.scan_hz == profile.scan_hz >= 100
    assert not told.capabilities & (wire.CAN_ORDER | wire.CAN_UPDATE)


# What is kept, and beginning anew.


def test_a_calibration_is_kept_in_a_file_and_a_program_is_not(tmp_path: Path) -> None:
    with on_header(HEX3) as (pi, header):
        board = port(header, pi, Folder(tmp_path / "board"))
        assert board.load(CALIBRATION) == b""
        assert board.store(CALIBRATION, b"before")
        assert board.store(CALIBRATION, b"zeros")
        assert not board.store("a/main.py", b"import os")
        again = port(header, pi, Folder(tmp_path / "board"))
        assert again.load(CALIBRATION) == b"zeros"
    assert [path.name for path in tmp_path.rglob("*.*")] == [CALIBRATION]


def test_a_folder_that_cannot_be_written_keeps_nothing_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert not Folder(tmp_path / "file").store(CALIBRATION, b"zeros")


# Lights.


CORES_HZ = {"Pi 1 to 3": 250_000_000, "Pi 4": 500_000_000, "Pi 5": 200_000_000}
"""Clocks that SPI's is divided from: `core_freq` of config.txt, and the RP1's."""
SHEETS = {"WS2812B": ((250, 550), (650, 950)), "WS2812B-V5": ((220, 380), (580, 1000))}
"""ns of a short pulse and of a long one, by Worldsemi's data sheets; version 5 wants 280 µs of
silence before it shows a picture."""
RESET_NS = 280_000


def pulses(words: bytes, tick_ns: float, idle: float) -> list[tuple[str, float]]:
    """(level, ns) of a signal, one after the other; each byte is followed by so many idle clocks,
    in which the line keeps its level."""
    levels = "".join(f"{byte:08b}" for byte in words)
    spans = [tick_ns * (1 + idle * (at % 8 == 7)) for at in range(len(levels))]
    runs = itertools.groupby(zip(levels, spans, strict=True), key=lambda pair: pair[0])
    return [(level, sum(span for _, span in run)) for level, run in runs]


@each("sheet", SHEETS)
@each("idle", [0, 0.5, 1, 2])
@each("pi", CORES_HZ)
def test_every_pulse_is_within_both_data_sheets_on_every_pi_whatever_the_bus_pauses(
    pi: str, idle: float, sheet: str
) -> None:
    divider = -(-CORES_HZ[pi] // LED_HZ)
    tick_ns = 1e9 * (divider + divider % 2) / CORES_HZ[pi]
    picture = bytes(range(192))
    short, long = SHEETS[sheet]
    seen = pulses(signal(picture), tick_ns, idle)
    bits = ""
    for level, ns in seen:
        if level == "1":
            assert short[0] <= ns <= short[1] or long[0] <= ns <= long[1]
            bits += "1" if ns >= long[0] else "0"
    taken = int(bits, 2).to_bytes(len(picture), "big")
    assert bytes(taken[n + (1, 0, 2)[k]] for n in range(0, 192, 3) for k in range(3)) == picture
    silences = [level == "0" and ns > RESET_NS for level, ns in seen]
    assert [at for at, is_silent in enumerate(silences) if is_silent] == [0, len(seen) - 1]


def test_a_picture_of_the_most_lights_a_board_has_fits_a_transfer_of_spidev() -> None:
    assert len(signal(bytes(3 * 256))) <= 4096, "its buffer, unless cmdline.txt says otherwise"


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
