"""The driver of a board on the Pi's header: a process of its own, begun and ended with a table."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lumiban.boards.ports import localized
from lumiban.errors import BoardError
from lumiban.system.child import Child, python

HEADER = "gpio"
"""The board's name that means: the one on this Pi's header."""
LOG = "header.log"
"""In the state folder: what broke."""
START_S = 120.0
"""Time after which a driver that has said nothing will not start any more."""
END_S = 10.0
"""To put the lights out."""


@dataclass(frozen=True, slots=True)
class Driver:
    """A running driver: the port of its board, the board's number, frames a second."""

    port: str
    uid: str
    scan_hz: int
    child: Child[Any]

    async def end_of(self) -> None:
        """Wait until it has ended."""
        await asyncio.to_thread(self.child.wait)

    def end(self) -> None:
        """End it: the lights go out, the pins are given back."""
        self.child.end(END_S)


async def start(state: Path, profile: str, pins: str) -> Driver:
    """Start the driver for a board of this profile; `pins` as in `gpio.pins.parse`.

    UsageError for pins that are not understood, BoardError for what hinders it.
    """
    from lumiban.boards.gpio.pins import look, must_be_pi, parse  # of no other table's concern

    parse(pins)
    must_be_pi(look())
    words = python("lumiban.boards.gpio.process", "--profile", profile)
    words += ["--pins", pins, "--state", str(state), "--while-stdin"]
    return await started(words, state / LOG)


async def started(words: list[str], log: Path) -> Driver:
    """Start a driver by its command line, with its standard input held open; BoardError."""
    child: Child[dict[str, Any]] = Child(words, on_message=lambda _: None, errors=log, apart=True)
    try:
        report = await asyncio.to_thread(child.first, START_S)
    except BaseException:  # whatever it was: nobody else will end it
        child.terminate()
        raise
    if report is None or "error" in report:
        child.end()
        raise BoardError((report or {}).get("error") or localized("gpio.silent", log=log))
    return Driver(report["port"], report["uid"], report["scan_hz"], child)
