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
AGAIN_S = 1.0
"""A painter that has died is followed by another no sooner than this."""
MOST_DEATHS = 3
"""So many that die one after the other, none of them having lived for `LIVES_S`, are given up."""
LIVES_S = 10.0
END_S = 2.0


class ShownLamps(Protocol):
    """What shows pictures, and puts all out."""

    def show(self, rgb: bytes) -> None:
        """Light all lights: r, g, b of each."""

    def close(self) -> None:
        """Put them out."""


class Painter:
    """The driver's end: `show` hands a picture to the process and never waits for it.

    A process that has died is replaced by another, which shows the last picture; `told` hears of it
    in words. LibraryError when it cannot be started, or dies again and again.
    """

    def __init__(
        self,
        words: Sequence[str],
        *,
        clock_s: Callable[[], float] = time.monotonic,
        told: Callable[[str], None] = lambda words: print(words, file=sys.stderr, flush=True),
    ) -> None:
        self._words = list(words)
        self._clock_s = clock_s
        self._told = told
        self._last = b""
        self._deaths = 0
        self._process = self._started()

    @property
    def pid(self) -> int:
        """The process that paints now."""
        return self._process.pid

    def _started(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(self._words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            said = json.loads(process.stdout.readline())
        except ValueError:
            said = {"error": f"{process.wait()}"}
        if "error" in said:
            self._drop(process)
            raise LibraryError("broken", name="neopixel", detail=said["error"])
        os.set_blocking(process.stdin.fileno(), False)
        self._since_s = self._clock_s()
        return process

    def show(self, rgb: bytes) -> None:
        """Let this picture be shown, without waiting."""
        self._last = bytes(rgb)
        stdin = self._process.stdin
        assert stdin is not None
        try:
            if self._process.poll() is None:
                os.write(stdin.fileno(), self._last)  # whole or not at all: it is short
                return
        except BlockingIOError:
            return  # it is behind by a hundred pictures: one of the next will come through
        except BrokenPipeError:
            pass
        self._replace()

    def _replace(self) -> None:
        """Put another process in the place of one that has died, when it is time."""
        now_s = self._clock_s()
        if now_s - self._since_s < AGAIN_S:
            return
        self._deaths = self._deaths + 1 if now_s - self._since_s < LIVES_S else 1
        code = self._process.wait()
        self._drop(self._process)
        if self._deaths >= MOST_DEATHS:
            raise LibraryError("broken", name="neopixel", detail=str(code))
        self._told(localized("gpio.lights.again", code=code))
        self._process = self._started()
        self.show(self._last)

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
