"""Lights through Adafruit's neopixel library, in a thread of their own: a picture takes
milliseconds, most of which the library sleeps, and the sensors must not wait for it."""

from __future__ import annotations

import threading
from typing import Any

from lumiban.boards.gpio_libraries import Libraries, LibraryError
from lumiban.boards.gpio_pins import Pins


class Lamps:
    """All lights of a board as one chain; `show` returns when the picture is on its way."""

    def __init__(self, libraries: Libraries, pins: Pins, lights: int) -> None:
        pin = getattr(libraries.board, f"D{pins.led}")
        self._lights = lights
        try:
            self._pixels = libraries.neopixel.NeoPixel(pin, lights, auto_write=False)
            self.show(bytes(3 * lights))
        except (RuntimeError, OSError) as error:
            raise LibraryError("broken", name="neopixel", detail=str(error)) from None

    def show(self, rgb: bytes) -> None:
        """Light them: r, g, b of each."""
        self._pixels[:] = [tuple(rgb[3 * n : 3 * n + 3]) for n in range(self._lights)]
        self._pixels.show()

    def close(self) -> None:
        """Put them out."""
        self.show(bytes(3 * self._lights))


class Background:
    """Shows pictures on `lamps` in a thread; one that comes meanwhile takes the place of one that
    waits. What breaks there is raised by the next `show`."""

    def __init__(self, lamps: Any) -> None:
        self._lamps = lamps
        self._next: bytes | None = None
        self._ends = False
        self._broken: BaseException | None = None
        self._wake = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="lamps", daemon=True)
        self._thread.start()

    def show(self, rgb: bytes) -> None:
        """Let this picture be shown, without waiting."""
        if self._broken is not None:
            raise LibraryError("broken", name="neopixel", detail=str(self._broken))
        with self._wake:
            self._next = bytes(rgb)
            self._wake.notify()

    def close(self) -> None:
        """End the thread after its last picture and put the lights out."""
        with self._wake:
            self._ends = True
            self._wake.notify()
        self._thread.join()
        if self._broken is None:
            self._lamps.close()

    def _run(self) -> None:
        while True:
            with self._wake:
                while self._next is None and not self._ends:
                    self._wake.wait()
                picture, self._next = self._next, None
            if picture is None:
                return
            try:
                self._lamps.show(picture)
            except (RuntimeError, OSError) as error:
                self._broken = error
                return
