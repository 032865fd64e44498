"""The driver of a board on the Pi's header: a process of its own, begun and ended with a table."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from lumiban.boards.ports import localized
from lumiban.errors import BoardError
from lumiban.system.child import ProcessPatience, first_line

HEADER = "gpio"
"""The board's name that means: the one on this Pi's header."""
LOG = "header.log"
"""In the state folder: what broke."""
START_S = 30.0
"""A driver that has slept for so long and said nothing will not start any more …"""
START_WORK_S = 300.0
"""… nor one that has worked for so long."""
END_S = 3.0
"""To put the lights out."""


@dataclass(frozen=True, slots=True)
class Driver:
    """A running driver: the port of its board, the board's number, frames a second."""

    port: str
    uid: str
    scan_hz: int
    process: subprocess.Popen[bytes]

    async def end_of(self) -> None:
        """Wait until it has ended."""
        await asyncio.to_thread(self.process.wait)

    def end(self) -> None:
        """End it: the lights go out, the pins are given back."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        try:
            self.process.wait(END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


async def start(state: Path, profile: str, pins: str) -> Driver:
    """Start the driver for a board of this profile; `pins` as in `gpio_pins.parse`.

    UsageError for pins that are not understood, BoardError for what hinders it.
    """
    from lumiban.boards.gpio.pins import look, must_be_pi, parse  # of no other table's concern

    parse(pins)
    must_be_pi(look())
    words = [sys.executable, "-m", "lumiban.boards.gpio.process", "--profile", profile]
    words += ["--pins", pins, "--state", str(state), "--while-stdin"]
    return await started(words, state / LOG)


async def started(words: list[str], log: Path) -> Driver:
    """Start a driver by its command line, with its standard input held open; BoardError."""
    with log.open("ab") as errors:
        process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,  # Ctrl-C in our terminal is not for it
        )
    assert process.stdout is not None
    try:
        line = await first_line(process, ProcessPatience(process.pid, START_S, START_WORK_S))
        told = json.loads(line)
    except (TimeoutError, ValueError):
        told = {"error": localized("gpio.silent", log=log)}
    if "error" in told:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        raise BoardError(told["error"])
    return Driver(told["port"], told["uid"], told["scan_hz"], process)
