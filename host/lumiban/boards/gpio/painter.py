"""The process that shows the pictures of a board on the Pi's header.

    python -m lumiban.boards.gpio.painter --led 10 --lights 61

A picture takes milliseconds of Python where the library makes each light's signal itself, and in
a thread these would be taken from the scan. Pictures come by the standard input, 3 bytes a light;
of those that wait only the last is shown. The process says one line of JSON when it is ready, {} or
{"error"}, and ends when its input does, with the lights out: so it never outlives its driver.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from lumiban.boards.gpio.hal import Lamps
from lumiban.boards.gpio.pins import LibraryError, Pins, load, look
from lumiban.boards.ports import localized
from lumiban.errors import LumibanError

CHUNK = 1 << 16
AGAIN_S, PAUSE_S = 1.0, 32.0
"""A painter that has died is followed by another after the first; the pause doubles with each that
dies without having lived for `LIVES_S`, up to the second. None is the last: the scan goes on."""
LIVES_S = 10.0
START_S = 60.0
"""One that is not ready by then is ended."""
END_S = 2.0


class ShownLamps(Protocol):
    """What shows pictures, and puts all out."""

    def show(self, rgb: bytes) -> None:
        """Light all lights: r, g, b of each."""

    def close(self) -> None:
        """Put them out."""


class Painter:
    """The driver's end: `show` hands a picture to the process and never waits for it.

    A process that has died is followed by another, which shows the last picture; until then
    `is_dark`, and `told` hears of both in words. The first start waits until the process is ready:
    LibraryError when it cannot be. Later ones wait for nothing, since the scan would wait with
    them while the process imports its libraries.
    """

    def __init__(
        self,
        words: Sequence[str],
        *,
        clock_s: Callable[[], float] = time.monotonic,
        told: Callable[[str], None] = lambda words: print(words, file=sys.stderr, flush=True),
    ) -> None:
        self.is_dark = False
        """Whether no process paints now."""
        self._words = list(words)
        self._clock_s = clock_s
        self._told = told
        self._last = b""
        self._said = b""
        """What a process that is not ready has said so far."""
        self._pause_s = AGAIN_S / 2
        self._again_s = 0.0
        """When another may be started."""
        self._starts = False
        self._process = self._begun()
        assert self._process.stdout is not None
        error = _error_in(self._process.stdout.readline())
        if error is not None:
            self.close()
            raise LibraryError("broken", name="neopixel", detail=error)
        self._since_s = clock_s()

    @property
    def pid(self) -> int:
        """The process that paints now, or is about to."""
        return self._process.pid

    def _begun(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(self._words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdin is not None
        os.set_blocking(process.stdin.fileno(), False)
        return process

    def show(self, rgb: bytes) -> None:
        """Let this picture be shown, without waiting."""
        self._last = bytes(rgb)
        if not self.is_dark and not self._sent():
            code = self._process.poll()
            self._buried(signal.Signals(-code).name if code and code < 0 else str(code))
        if self.is_dark:
            self._revive()

    def _sent(self) -> bool:
        """Hand the last picture on; False when the process has died."""
        stdin = self._process.stdin
        assert stdin is not None
        if self._process.poll() is not None:
            return False
        try:
            os.write(stdin.fileno(), self._last)  # whole or not at all: it is short
        except BlockingIOError:
            pass  # it is behind by a hundred pictures: one of the next will come through
        except BrokenPipeError:
            return False
        return True

    def _buried(self, why: str) -> None:
        """The process has died, or is not wanted any more: another will be started."""
        now_s = self._clock_s()
        lived = not self._starts and now_s - self._since_s >= LIVES_S
        self._pause_s = AGAIN_S if lived else min(2 * self._pause_s, PAUSE_S)
        self._again_s = now_s + self._pause_s
        self._starts = False
        if self._process.poll() is None:
            self._process.kill()
        self._drop(self._process)
        if not self.is_dark:
            self.is_dark = True
            self._told(localized("gpio.lights.ended", why=why))
        else:
            self._told(localized("gpio.lights.again", why=why, seconds=round(self._pause_s)))

    def _revive(self) -> None:
        """Do what is due now for another process to paint, without waiting for it."""
        if self._starts:
            self._look_whether_ready()
        # One that has died is reaped first: two would share the lights' data line.
        elif self._clock_s() >= self._again_s and self._process.poll() is not None:
            self._process = self._begun()
            assert self._process.stdout is not None
            os.set_blocking(self._process.stdout.fileno(), False)
            self._said, self._starts, self._since_s = b"", True, self._clock_s()

    def _look_whether_ready(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        try:
            said = os.read(stdout.fileno(), CHUNK)
        except BlockingIOError:
            if self._clock_s() - self._since_s >= START_S:
                self._buried(localized("gpio.lights.slow", seconds=round(START_S)))
            return
        self._said += said
        if said and b"\n" not in self._said:
            return
        error = _error_in(self._said)
        if error is not None:
            self._buried(error)
            return
        self.is_dark = self._starts = False
        self._since_s = self._clock_s()
        self._told(localized("gpio.lights.back"))
        self._sent()

    def _drop(self, process: subprocess.Popen[bytes]) -> None:
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()

    def close(self) -> None:
        """End it, with the lights out."""
        self._drop(self._process)
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _error_in(said: bytes) -> str | None:
    """What a process said hinders it from painting; None when it is ready."""
    try:
        told = json.loads(said)
    except ValueError:
        return localized("gpio.lights.silent")
    error: str | None = told.get("error")
    return error


def command(led: int, lights: int) -> list[str]:
    """The command line of a painter of so many lights at a pin."""
    module = "lumiban.boards.gpio.painter"
    return [sys.executable, "-m", module, "--led", str(led), "--lights", str(lights)]


def open_lamps(led: int, lights: int) -> ShownLamps:
    """The lights at a pin of this machine's header; LumibanError says what hinders them."""
    return Lamps(load(look()), replace(Pins(), led=led), lights)


def paint(lamps: ShownLamps, lights: int, fd: int) -> None:
    """Show pictures from a descriptor until its end, of those that wait the last."""
    size, held = 3 * lights, b""
    while data := os.read(fd, CHUNK):
        held += data
        whole = len(held) // size * size
        if whole:
            lamps.show(held[whole - size : whole])
            held = held[whole:]


def main(
    arguments: Sequence[str] | None = None,
    opened: Callable[[int, int], ShownLamps] = open_lamps,
) -> int:
    """Paint until the standard input ends; returns the exit code."""
    parser = argparse.ArgumentParser(prog="lumiban-painter", description="Lights on the header.")
    parser.add_argument("--led", type=int, required=True)
    parser.add_argument("--lights", type=int, required=True)
    options = parser.parse_args(arguments)
    try:
        lamps = opened(options.led, options.lights)
    except LumibanError as error:
        print(json.dumps({"error": str(error)}), flush=True)
        return error.exit_code
    for name in (signal.SIGINT, signal.SIGHUP):  # its driver's terminal is not its own
        signal.signal(name, signal.SIG_IGN)
    print("{}", flush=True)
    try:
        paint(lamps, options.lights, sys.stdin.fileno())
    finally:
        with contextlib.suppress(RuntimeError, OSError):
            lamps.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
