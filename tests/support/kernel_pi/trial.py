"""The header's driver held against the kernel's own gpio, spidev and I²C, inside the machine that
`machine.sh` boots. Each claim is a function; main prints what came of each."""

from __future__ import annotations

import fcntl
import os
import time
import traceback
from array import array
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import mcp23017
from lumiban.boards.gpio import kernel, lights
from lumiban.boards.gpio.buses import LinuxBuses
from lumiban.boards.gpio.hal import Header
from lumiban.boards.gpio.pins import PLACE, PinError, of_profile
from lumiban.boards.profile import load
from lumiban.errors import BoardError

SIM = Path("/sys/kernel/config/gpio-sim")
BUS = Path("/sys/bus")
PINS = sorted(PLACE)
CLAIMS: list[Callable[[], None]] = []
PICTURE = bytes(range(3, 195))
"""64 lights, none of them like another."""


def claim(tried: Callable[[], None]) -> Callable[[], None]:
    """Let this function be one."""
    CLAIMS.append(tried)
    return tried


def make_chip() -> Path:
    """The chip of a Pi 4: 58 lines, of which one is the kernel's; where its lines are seen."""
    bank = SIM / "pi" / "bank"
    (bank / "line45/hog").mkdir(parents=True)
    (bank / "line45/hog/name").write_text("ID_SDA")
    (bank / "line45/hog/direction").write_text("input")
    (bank / "num_lines").write_text("58")
    (bank / "label").write_text("pinctrl-bcm2711")
    (SIM / "pi/live").write_text("1")
    device, chip = (SIM / "pi/dev_name").read_text(), (bank / "chip_name").read_text()
    return Path("/sys/devices/platform", device.strip(), chip.strip())


def seen(pin: int, what: str = "value") -> str:
    """The kernel's own view of a line."""
    return (LINES / f"sim_gpio{pin}" / what).read_text().strip()


def pull(pin: int, to: str) -> None:
    """A hand or a resistor at a pin."""
    (LINES / f"sim_gpio{pin}/pull").write_text(f"pull-{to}")


def header(name: str) -> Header:
    """The pins of this board."""
    profile = load(name)
    return Header(profile, of_profile(profile), kernel.open_chip(), LinuxBuses())


def frame(board: Header) -> tuple[set[int], set[int]]:
    """Closed cells, and rows that were not read."""
    cells, rows = len(board.profile.cells), board.profile.rows
    counts, references = array("H", bytes(2 * cells)), array("H", bytes(2 * rows))
    board.scanner.read(counts, references, lambda: 0)
    return (
        {cell for cell, count in enumerate(counts) if count > min(counts)},
        {row for row, reference in enumerate(references) if not reference},
    )


def refused(call: Callable[[], object]) -> str:
    """Sentence with which it is refused."""
    try:
        call()
    except BoardError as error:
        return str(error)
    raise AssertionError("it was not refused")


def descriptors() -> int:
    """Open files of this process."""
    return len(list(Path("/proc/self/fd").iterdir()))


@claim
def inputs_are_pulled_up_and_read_in_their_order() -> None:
    chip = kernel.open_chip()
    inputs = chip.inputs(PINS)
    assert inputs.bits() == (1 << len(PINS)) - 1
    assert {seen(pin, "pull") for pin in PINS} == {"pull-up"}
    for pin in (4, 17, 27):
        pull(pin, "down")
    assert [pin for n, pin in enumerate(PINS) if not inputs.bits() >> n & 1] == [4, 17, 27]
    for pin in (4, 17, 27):
        pull(pin, "up")
    chip.close()


@claim
def outputs_have_their_levels_at_once_and_a_mask_keeps_the_others() -> None:
    chip = kernel.open_chip()
    outputs = chip.outputs([21, 20, 16], 0b101)
    assert [seen(pin) for pin in (21, 20, 16)] == ["1", "0", "1"]
    outputs.put(0b010)
    outputs.put(0b111, 0b001)
    assert [seen(pin) for pin in (21, 20, 16)] == ["1", "1", "0"]
    chip.close()


@claim
def a_row_has_an_open_drain() -> None:
    chip = kernel.open_chip()
    row = chip.outputs([26], 1, has_open_drain=True)
    row.put(0)
    assert seen(26) == "0"
    info = bytearray(kernel.LineInfo(offset=26))
    with Path("/dev", LINES.name).open("rb") as device:
        fcntl.ioctl(device, kernel.GET_LINE_INFO, info)
    told = kernel.LineInfo.from_buffer(info)
    assert told.flags & 1 << 6, hex(told.flags)
    assert told.consumer == b"lumiban"
    chip.close()


@claim
def a_pin_that_is_taken_is_told_with_its_owner_and_is_free_after_close() -> None:
    chip, other = kernel.open_chip(), kernel.open_chip()
    chip.inputs([5])
    assert "GPIO5 is not free: lumiban" in refused(lambda: other.inputs([4, 5]))
    assert "GPIO45 is not free: ID_SDA" in refused(lambda: other.inputs([45]))
    with suppress(PinError):
        other.inputs([58])
        raise AssertionError("there are 58 lines")
    chip.close()
    other.inputs([5])
    other.close()


@claim
def a_user_without_the_group_is_told_which() -> None:
    for path in Path("/dev").glob("gpiochip*"):
        path.chmod(0o660)
    if not (child := os.fork()):
        told = ""
        with suppress(BaseException):  # whatever it was: the child has no other claims to try
            os.setgroups([])
            os.setgid(1000)
            os.setuid(1000)
            told = refused(kernel.open_chip)
        os._exit("gpio $USER" not in told)
    assert os.waitpid(child, 0)[1] == 0


@claim
def a_column_and_a_button_are_read() -> None:
    board = header("breadboard8")
    pull(27, "down")
    pull(18, "down")
    assert {cell % 8 for cell in frame(board)[0]} == {2}
    assert board.buttons() == 1
    board.close()
    pull(27, "up")
    pull(18, "up")


@claim
def expanders_are_read_and_one_that_goes_is_unread_not_empty() -> None:
    one, two = mcp23017.Mcp23017(), mcp23017.Mcp23017()
    mcp23017.CHIPS.update({0x20: one, 0x21: two})
    mcp23017.plug()
    names = BUS / "i2c/devices"
    while not (found := [n for n in names.glob("i2c-*/name") if "tiny-usb" in n.read_text()]):
        time.sleep(0.1)  # until the kernel has met the device
    device = found[0].parent.name
    if device != "i2c-1":
        Path("/dev/i2c-1").symlink_to(device)
    board = header("reed-hex3")
    one.closed = 1 << 3 | 1 << 9
    assert frame(board) == ({3, 9}, set())
    del mcp23017.CHIPS[0x21]
    closed, unread = frame(board)
    assert closed == {3, 9}
    assert unread == {board.profile.cells[cell].row for cell in (16, 17, 18)}
    board.close()
    assert "No expander answers at 0x21" in refused(lambda: header("reed-hex3"))


@claim
def a_chip_that_the_kernel_holds_is_told_as_that() -> None:
    mcp23017.CHIPS[0x21] = mcp23017.Mcp23017()
    bus = Path("/dev/i2c-1").resolve().name
    (BUS / "i2c/devices" / bus / "new_device").write_text("dummy 0x21")
    assert "The kernel itself uses the chip at 0x21" in refused(lambda: header("reed-hex3"))


@claim
def a_picture_goes_out_in_one_selection_and_433_lights_are_too_many() -> None:
    (spi,) = (BUS / "spi/devices").glob("spi*.1")
    (spi / "driver_override").write_text("spidev")
    (BUS / "spi/drivers/spidev/bind").write_text(spi.name)
    for name in ("0.0", "1.0"):
        Path(f"/dev/spidev{name}").symlink_to(f"spidev{spi.name[3:]}")
    chain = lights.SpiLights(64)
    chain.show(PICTURE)
    chain.close()
    assert "433" in refused(lambda: lights.SpiLights(433))


@claim
def nothing_stays_open_where_a_pin_is_busy_after_the_bus_was_opened() -> None:
    header("chess8").close()
    chip = kernel.open_chip()
    chip.inputs([16])
    before = descriptors()
    assert "GPIO16" in refused(lambda: header("chess8"))
    assert descriptors() == before
    chip.close()


if __name__ == "__main__":
    LINES = make_chip()
    for each in CLAIMS:
        try:
            each()
            print(f"CLAIM {each.__name__} holds", flush=True)
        except Exception:  # noqa: BLE001 - whatever it was: the other claims are tried too
            print(f"CLAIM {each.__name__} fails\n{traceback.format_exc()}", flush=True)
