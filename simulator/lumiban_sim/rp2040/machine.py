"""An emulated Pico that runs exactly as far as it is told, by the same image alike each time."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lumiban_sim.rp2040 import mended

BOOT_US = 5_000_000
"""A chip that has not shown up on USB by then does not start."""


class Machine:
    """A chip with an image and files; `parts` are attached before it starts.

    `heard` takes the bytes it sends. Times are the chip's own, in µs since power-on; `progress`
    is told them while the chip runs until something holds.
    """

    def __init__(
        self,
        image: Path,
        disk: bytes,
        *parts: Any,
        progress: Callable[[float], None] = lambda now_us: None,
    ) -> None:
        from rp2040py.boards import BOARDS, resolve_firmware
        from rp2040py.device import MicroPythonDevice
        from rp2040py.external import attach_external_devices

        board = resolve_firmware(BOARDS["pico"], "micropython", str(image))
        with tempfile.NamedTemporaryFile(suffix=".img") as file:
            file.write(disk)
            file.flush()
            self.device = MicroPythonDevice(board=board, filesystem=file.name)
        self.chip: Any = self.device.mcu
        self.heard = bytearray()
        self._simulator: Any = self.device.simulator
        self._clock = self._simulator.clock
        self._cdc: Any = self.device.cdc
        self._connected = False
        self._progress = progress
        self._end = self._clock.create_alarm(self._stop)
        mended.quiet_usb(self.device)
        self._cdc.on_device_connected = self._connect
        self._cdc.on_serial_data = self.heard.extend
        self._parts = parts
        attach_external_devices(self.chip, *parts)
        self.chip.watchdog.on_watchdog_trigger = self._bitten

    def _stop(self) -> None:
        self._simulator.stopped = True

    def _connect(self) -> None:
        self._connected = True

    @property
    def now_us(self) -> float:
        """The chip's time."""
        return float(self._clock.nanos) / 1000

    def run(self, us: float) -> None:
        """Let the chip run for so many µs."""
        end = self._clock.nanos + us * 1000
        self._end.schedule(us * 1000)
        self._simulator.stopped = False
        while self._clock.nanos < end and not self._simulator.stopped:
            self._simulator._execute_batch()
        self._simulator.stopped = True

    def run_until(self, done: Callable[[], bool], limit_us: float, step_us: float = 100) -> None:
        """Run until something holds; TimeoutError when it does not within `limit_us`."""
        end = self.now_us + limit_us
        while not done():
            if self.now_us > end:
                raise TimeoutError(f"not within {limit_us / 1e6:g} s of the chip's time")
            self.run(step_us)
            self._progress(self.now_us)

    def start(self) -> None:
        """Power on, until the host sees it on USB."""
        from rp2040py.memory_map import FLASH_START_ADDRESS

        self.chip.core.pc = FLASH_START_ADDRESS
        self.run_until(lambda: self._connected, BOOT_US, 1000)

    def reset(self) -> None:
        """Cut the power and give it back; its flash stays."""
        self._before_reset()
        self.device.hard_reset()

    def _bitten(self) -> None:
        self._before_reset()
        self.device._on_watchdog_trigger()

    def _before_reset(self) -> None:
        self._connected = False
        for part in self._parts:
            if hasattr(part, "reset"):
                part.reset()

    def send(self, data: bytes) -> None:
        """Bytes from the host; at most 500 between two runs."""
        for byte in data:
            self._cdc.send_serial_byte(byte)

    def at(self, us: float, act: Callable[[], None]) -> None:
        """Do something so many µs from now, whatever the chip does then."""
        alarm = self._clock.create_alarm(act)
        alarm.schedule(us * 1000)
