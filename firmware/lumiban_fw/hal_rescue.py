"""The little of the Pico that the rescue needs: bytes over USB, files, watchdog, reset.

It lies with the rescue in a folder that no update touches, and knows nothing of sensors or light.
"""

import os
import sys

from lumiban_fw.hal import Hal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

WATCHDOG_MS = 8_000
"""The longest that the chip allows; it may run already, started by a program that failed."""


class Port(Hal):
    """USB and flash."""

    def __init__(self) -> None:
        import select

        import machine
        import micropython

        # 0x03 is data.
        micropython.kbd_intr(-1)
        self.uid = machine.unique_id()
        self._machine = machine
        self._usb = sys.stdin.buffer
        self._out = sys.stdout.buffer
        self._poll = select.poll()
        self._poll.register(sys.stdin, select.POLLIN)
        self._watchdog = machine.WDT(timeout=WATCHDOG_MS)

    def read(self) -> bytes:
        out = b""
        while len(out) < 256 and self._poll.poll(0 if out else 5):
            out += self._usb.read(1)
        return out

    def write(self, data: bytes) -> None:
        self._out.write(data)

    def feed(self) -> None:
        self._watchdog.feed()

    # Files as in hal_pico.py, written again: the rescue leans on nothing that an update touches.

    def load(self, name: str) -> bytes:
        try:
            with open("/" + name, "rb") as file:
                data: bytes = file.read()
                return data
        except OSError:
            return b""

    def blocks(self, name: str) -> "Iterator[bytes]":
        try:
            with open("/" + name, "rb") as file:
                block = file.read(1_024)
                while block:
                    yield block
                    block = file.read(1_024)
        except OSError:
            pass

    def store(self, name: str, data: bytes) -> bool:
        try:
            with open("/" + name + ".new", "wb") as file:
                file.write(data)
            os.rename("/" + name + ".new", "/" + name)
        except OSError:
            return False
        return True

    def append(self, name: str, data: bytes) -> bool:
        try:
            with open("/" + name, "ab") as file:
                file.write(data)
        except OSError:
            return False
        return True

    def discard(self, name: str) -> None:
        try:
            os.remove("/" + name)
        except OSError:
            pass

    def reset(self) -> None:
        self._machine.reset()

    def bootloader(self) -> None:
        self._machine.bootloader()
