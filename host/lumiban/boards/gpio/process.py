"""The process that is the board on the Pi's header: the firmware, on the header's pins.

    python -m lumiban.boards.gpio.process --profile breadboard8

It says one line of JSON: {"port", "uid", "scan_hz"}, or {"error"} and ends. With --while-stdin it
ends with its standard input, else by SIGTERM. A process of its own, because it scans without pause
and must not wait for a host that thinks, nor make it wait. Its serial line is a pseudo-terminal, as
a host opens any board's port.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import os
import select
import signal
import sys
import time
import tty
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from lumiban_fw import wire
from lumiban_fw.board import Board

from lumiban.boards import profile as profiles
from lumiban.boards.gpio.buses import LinuxBuses
from lumiban.boards.gpio.hal import Folder, Header, PiPort, Restart, rate_hz
from lumiban.boards.gpio.interface import Buses, Chain, PinAccess
from lumiban.boards.gpio.libraries import LIGHTS_BY, PINS_BY
from lumiban.boards.gpio.lights import Background, NoLights
from lumiban.boards.gpio.pins import Pins, check_pins, look, must_be_pi, of_profile, parse
from lumiban.boards.ports import localized
from lumiban.boards.profile import Profile
from lumiban.errors import BoardError, LumibanError

NICE = -10
"""As much before other programs as we may be; without the right, like them."""
SWITCH_S = 0.0005
"""The scan waits no longer than this for the thread that paints."""
MEASURE_US = 1_000_000
"""Time in µs between two measurements of the rate."""
POWER_ON, BY_SOFTWARE = 1, 2


class Opener(Protocol):
    """Maker of the board that the arguments ask for, as `open_board`."""

    def __call__(self, profile: str, pins: str, state: Path, *, also: int | None) -> HeaderBoard:
        """Open the board; `also` is one more file to wait for."""


class Rate:
    """Frames a second, over the last whole second or so."""

    def __init__(self, hz: int) -> None:
        self.hz = hz
        self._since_us = 0
        self._frames = 0

    def look(self, frames: int, now_us: int) -> int:
        """Note the number of frames taken by now; the rate as measured.

        >>> rate = Rate(300)
        >>> rate.look(100, 500_000), rate.look(250, 1_000_000), rate.look(999, 1_200_000)
        (300, 250, 250)
        """
        if now_us - self._since_us >= MEASURE_US:
            self.hz = max((frames - self._frames) * 1_000_000 // (now_us - self._since_us), 1)
            self._since_us, self._frames = now_us, frames
        return self.hz


class HeaderBoard:
    """The whole board in real time: `run` it until `stop`. BoardError says what cannot be had.

    Its pins and buses are moved by `access` and `buses`, its lights by `chain` (None: it has none);
    all three are closed at the end. `uid` is 8 bytes, `state` the folder of its calibration.
    """

    def __init__(
        self,
        profile: Profile,
        pins: Pins,
        access: PinAccess,
        buses: Buses,
        chain: Chain | None,
        *,
        uid: bytes,
        state: Path,
        also: int | None = None,
        clock_ns: Callable[[], int] = time.monotonic_ns,
        simulated: bool = False,
    ) -> None:
        self.uid = uid
        self._stopped = False
        self._clock_ns = clock_ns
        self._zero_ns = clock_ns()
        self._simulated = simulated
        self._store = Folder(state / "header" / uid.hex())
        with contextlib.ExitStack() as undo:
            self._lights = NoLights() if chain is None else Background(chain)
            undo.callback(self._lights.close)
            self._header = Header(profile, pins, access, buses)
            undo.callback(self._header.close)
            self._header.light_up()
            took_us = self._header.frame_us(self._now_us)
            self.line = PtyEnd(also)
            undo.pop_all()
        self.scan_hz = rate_hz(took_us, profile.scan_hz)

    def described(self) -> dict[str, str | int]:
        """Its port, number and rate, for the process that started it."""
        return {"port": self.line.path, "uid": self.uid.hex(), "scan_hz": self.scan_hz}

    def _now_us(self) -> int:
        return (self._clock_ns() - self._zero_ns) // 1000

    def stop(self) -> None:
        """End `run`."""
        self._stopped = True

    def run(self) -> None:
        """Be a board until stopped; restarts when its host says so."""
        cause = POWER_ON
        try:
            while not self._stopped:
                with contextlib.suppress(Restart):
                    self._live(cause)
                cause = BY_SOFTWARE
        finally:
            self._lights.close()
            self._header.close()
            self.line.close()

    def _live(self, cause: int) -> None:
        """From power-on to the next."""
        self._zero_ns = self._clock_ns()
        port = PiPort(
            self._header,
            self._lights,
            self.line,
            self._store,
            clock=self._now_us,
            scan_hz=self.scan_hz,
            uid=self.uid,
            boot_id=int.from_bytes(os.urandom(4), "little"),
            reset_cause=cause,
            simulated=self._simulated,
        )
        board = Board(port)
        rate = Rate(self.scan_hz)
        dark = False  # as a host takes it to be
        gc.collect()
        gc.freeze()  # what stays is not looked through again
        while not self._stopped:
            begin = self._now_us()
            board.tick(begin)
            now = self._now_us()
            board.worst_tick_us = max(board.worst_tick_us, now - begin)
            port.scan_hz = rate.look(port.frames, now)
            if self._lights.is_dark != dark:
                dark = not dark
                board.faults.note(wire.FAULT_LIGHTS | (0 if dark else wire.FAULT_GONE), 0)
            # A frame is always next: nothing that the board waits for comes sooner than one.
            if self.line.wait(port.due_us - now):
                self.stop()


def open_board(profile: str, pins: str, state: Path, *, also: int | None = None) -> HeaderBoard:
    """The board of a profile on this machine's header; `pins` as in `parse`, which also choose what
    moves them.

    `also` is a descriptor whose end is the board's. LumibanError says what hinders it.
    """
    described = profiles.load(profile)
    if described.switches is not None and described.switches.on == "pico":
        raise BoardError(localized("gpio.on-pico", profile=described.name))
    on = look()
    must_be_pi(on)
    wired = parse(pins, of_profile(described))
    check_pins(wired, on)
    with contextlib.ExitStack() as undo:
        chain = LIGHTS_BY[wired.lights_by](described.lights) if described.has_lights else None
        if chain is not None:
            undo.callback(chain.close)
        access = PINS_BY[wired.pins_by]()
        undo.pop_all()
    return HeaderBoard(
        described, wired, access, LinuxBuses(), chain, uid=on.uid, state=state, also=also
    )


def be_quick() -> None:
    """Let this process go before others, as far as it may."""
    with contextlib.suppress(OSError):
        os.nice(NICE)
    sys.setswitchinterval(SWITCH_S)


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="lumiban-header", description="The board on the header.")
    parser.add_argument("--profile", default="breadboard8", help="board profile, or a TOML file")
    parser.add_argument("--pins", default="", help="key=value, parted by spaces")
    parser.add_argument("--state", type=Path, required=True, help="folder for the calibration")
    parser.add_argument(
        "--while-stdin", action="store_true", help="end when the standard input ends"
    )
    return parser


def main(arguments: Sequence[str] | None = None, opened: Opener = open_board) -> int:
    """Be a board until told to end; returns the exit code."""
    options = _arguments().parse_args(arguments)
    also = sys.stdin.fileno() if options.while_stdin else None
    try:
        board = opened(options.profile, options.pins, options.state, also=also)
    except LumibanError as error:
        print(json.dumps({"error": str(error)}))
        return error.exit_code
    be_quick()
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(name, lambda *_: board.stop())
    print(json.dumps(board.described()), flush=True)
    board.run()
    return 0


ROOM = 2048
"""Bytes that may be under way beyond what the system holds."""
CHUNK = 4096


class PtyEnd:
    """The board's end, never blocking; `path` is what the host opens.

    A descriptor of the host's end stays open here, so that hosts may come and go. `wait` sleeps
    until bytes come, or something can be read from `also`.
    """

    def __init__(self, also: int | None = None) -> None:
        self._also = also
        self._master, self._slave = os.openpty()
        self.path = os.ttyname(self._slave)
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self._out = bytearray()

    def close(self) -> None:
        """Hang up."""
        os.close(self._master)
        os.close(self._slave)

    def give_to(self, user: int) -> None:
        """Let this user open the port, where we run as root."""
        os.chown(self.path, user, -1)

    def read(self) -> bytes:
        """Bytes from the host; b"" when none came."""
        with contextlib.suppress(BlockingIOError):
            return os.read(self._master, CHUNK)
        return b""

    def room(self) -> int:
        """Number of bytes that may be written now; 0 while no host reads."""
        self._flush()
        return ROOM - len(self._out)

    def write(self, data: bytes) -> None:
        """Send; what the system does not take at once follows when it does."""
        self._out += data
        self._flush()

    def _flush(self) -> None:
        with contextlib.suppress(BlockingIOError):
            del self._out[: os.write(self._master, self._out)]

    def wait(self, for_us: int) -> bool:
        """Sleep for so long at most; whether `also` is to be looked at."""
        watched = [self._master] if self._also is None else [self._master, self._also]
        ready, _, _ = select.select(watched, [], [], max(for_us, 0) / 1e6)
        return self._also in ready


if __name__ == "__main__":
    sys.exit(main())
