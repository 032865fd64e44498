"""The files that a board keeps: its description and its calibration, fetched and sent."""

from __future__ import annotations

import hashlib

from lumiban_fw import wire
from lumiban_fw.calibration import Calibration, CalibrationError
from lumiban_fw.layout import Layout

from lumiban.boards.client import Driver
from lumiban.boards.types import Hello
from lumiban.errors import BoardError, LinkLost

_WORDS = {
    wire.FILE_WRONG_SUM: "it arrived with a wrong sum",
    wire.FILE_REFUSED: "the board does not accept it",
    wire.FILE_NO_ROOM: "the board could not store it",
}
STORE_US = 5_000_000


def fetch(driver: Driver, what: int) -> bytes:
    """A file of the board (FILE_BOARD or FILE_CALIBRATION), b"" when it has none; LinkLost."""
    data = b""
    while True:
        told = driver.answer(
            wire.H_FILE_READ, wire.pack_file_read(what, len(data)), wire.B_FILE_PART
        )
        kind, offset, size, part = wire.unpack_file_part(told)
        if kind == what and offset == len(data):
            data += part
        if len(data) >= size:
            return data


def store(driver: Driver, what: int, data: bytes) -> None:
    """Send a file and wait until the board keeps it; BoardError says why it does not."""
    before = len(driver.frames)
    goal = hashlib.sha256(data).digest()
    driver.send(wire.H_FILE_BEGIN, wire.pack_file_begin(what, len(data), goal, b""))
    for at in range(0, len(data), wire.FILE_BYTES):
        part = data[at : at + wire.FILE_BYTES]
        driver.send(wire.H_FILE_DATA, wire.pack_file_data(at, part))
    driver.send(wire.H_FILE_END, b"")

    def ended() -> bool:
        for frame in driver.frames[before:]:
            if frame.kind == wire.B_NAK:
                refused, _, why = wire.unpack_nak(frame.payload)
                raise BoardError(f"the board refused frame 0x{refused:02X}, reason {why}")
            if frame.kind == wire.B_FILE:
                _, status, received = wire.unpack_file(frame.payload)
                if status in _WORDS:
                    raise BoardError(f"a file was not kept: {_WORDS[status]} ({received} bytes)")
                if status == wire.FILE_KEPT:
                    return True
        return False

    driver.until(ended, STORE_US)


def restart(driver: Driver, how: int = 0, patience_us: int = 20_000_000) -> Hello:
    """Start the board anew and greet it again on the same line; its new HELLO. LinkLost."""
    before = driver.hello.boot_id
    driver.send(wire.H_BOOT, wire.pack_boot(how))
    end = driver.line.now_us + patience_us
    while driver.line.now_us < end:
        driver.run(300_000)
        try:
            hello = driver.open(1_000_000)
        except BoardError:
            continue
        if hello.boot_id != before:
            return hello
    raise LinkLost("the board does not come back after its restart")


def zeros(driver: Driver) -> tuple[list[int], list[int]]:
    """What each cell should read without a piece, in counts above its reference, and its gain in
    µT a count times 65536: as calibrated, else as described, else nothing and the profile's."""
    profile = driver.link.profile
    cells = len(profile.cells)
    offsets, gains = [0] * cells, [profile.gain_q16] * cells
    described = fetch(driver, wire.FILE_BOARD)
    if described:
        offsets = list(Layout(described).baseline)
    calibration = calibrated(driver)
    if calibration is not None:
        offsets = calibration.offsets
        pairs = zip(calibration.gains, gains, strict=True)
        gains = [told or usual for told, usual in pairs]
    return offsets, gains


def calibrated(driver: Driver) -> Calibration | None:
    """The calibration that the board keeps and that is its own."""
    data = fetch(driver, wire.FILE_CALIBRATION)
    hello = driver.hello
    try:
        model = hello.model.encode()
        return Calibration(data, model, bytes.fromhex(hello.uid), hello.cells) if data else None
    except CalibrationError:
        return None
