"""The measurement behind `bench link`: what the line carries, and how long a stone's way takes.

Rates: a scripted board in a process of its own on a real pty. Ways in virtual time: simulated
hands on a simulated board, the line taking no time. Real ways: a `sim` process on its pty, hands
over its WebSocket; contact is what the board's event says, by the clock that the link keeps.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lumiban.boards import profile as profiles
from lumiban.boards.messages import framed
from lumiban.boards.profile import Profile
from lumiban.boards.reconnecting import SerialBoard
from lumiban.boards.types import Changed, LightFrame, LinkEvent, percentiles
from lumiban.errors import BoardError
from lumiban.runtime import simulator
from lumiban_fw import wire

from lumiban_lab.experiments import answers
from lumiban_lab.latency import end, start_board

FLOOD = 256
"""Events that are ordered at a time."""
PATIENCE_S = 5.0
COLOURS = ((0, 0, 0), (255, 255, 255), (9, 9, 9))
BITS_A_BYTE = 10
"""On a UART: a start and a stop bit."""

Report = Callable[[str], None]


async def measure(
    profile: str, seconds: float, stones: int, baud: int, progress: Report
) -> dict[str, Any]:
    """All figures by name; rates per second, times in µs. BoardError, ProfileError."""
    board = profiles.load(profile)
    progress("events …")
    rates = await _rates(board, seconds, progress)
    progress("stones in virtual time …")
    virtual = answers(board, 1, stones)
    progress("stones in real time …")
    real = await _real(profile, board, stones, progress)
    return {
        "profile": profile,
        "baud": baud,
        **rates,
        **limits(board.lights, baud),
        "virtual_heard_us": percentiles(one.heard_us for one in virtual),
        "virtual_lit_us": percentiles(one.lit_us for one in virtual),
        "real_heard_us": percentiles(heard for heard, _ in real),
        "real_lit_us": percentiles(lit for _, lit in real),
    }


def limits(lights: int, baud: int) -> dict[str, int]:
    """Limits of the wire itself: USB of full speed with one packet of 64 bytes in each millisecond,
    which one frame always fits, and a UART of this rate.

    >>> found = limits(61, 115_200)
    >>> found["usb_events_per_s"], found["usb_pictures_per_s"], found["uart_events_per_s"]
    (8000, 250, 1536)
    """
    events = [(n, 1, 1 << 20, 500) for n in range(wire.EVENTS_A_FRAME)]
    full = len(wire.frame(wire.B_EVENTS, wire.pack_events(1, 1 << 20, events)))
    single = len(wire.frame(wire.B_EVENTS, wire.pack_events(1, 1 << 20, events[:1])))
    counts = [
        min(wire.LIGHTS_A_FRAME, lights - first) for first in range(0, lights, wire.LIGHTS_A_FRAME)
    ]
    commit = len(framed(wire.H_COMMIT, 0))

    def picture_bytes(layers: list[int]) -> int:
        sizes = [len(framed(wire.H_LAYER, 0, 0, tail=[(1, 0)] * n)) for n in layers]
        return sum(sizes) + commit

    bytes_a_s = baud / BITS_A_BYTE
    return {
        "usb_events_per_s": 1000 * wire.EVENTS_A_FRAME,
        "usb_pictures_per_s": 1000 // (len(counts) + 1),
        "usb_one_light_per_s": 1000 // 2,
        "usb_event_us": 1000,
        "uart_events_per_s": int(bytes_a_s / full * wire.EVENTS_A_FRAME),
        "uart_pictures_per_s": int(bytes_a_s / picture_bytes(counts)),
        "uart_one_light_per_s": int(bytes_a_s / picture_bytes([1])),
        "uart_event_us": round(single / bytes_a_s * 1e6),
    }


async def _rates(profile: Profile, seconds: float, progress: Report) -> dict[str, Any]:
    process, port = start_board(profile)
    board: SerialBoard | None = None
    came = 0
    wake = asyncio.Event()

    def heard(events: list[LinkEvent]) -> None:
        nonlocal came
        for event in events:
            if isinstance(event, Changed) and board is not None:
                came += len(event.events)
                board.acknowledge(event.events[-1].number + 1)
                wake.set()

    try:
        board = SerialBoard(port, profile, heard)
        await board.open()
        await asyncio.sleep(0.3)  # what greeting brings is over: only the flood is counted
        events_per_s = await _flood(process, lambda: came, wake, seconds)
        progress("pictures …")
        whole = await _paint(board, profile.lights, profile.lights, seconds)
        single = await _paint(board, profile.lights, 1, seconds)
        trips = board.statistics.trips_us
    finally:
        if board is not None:
            await board.close()
        end(process)
    return {
        "events_per_s": round(events_per_s),
        "pictures_per_s": round(whole),
        "one_light_per_s": round(single),
        "trip_us": percentiles(trips),
    }


async def _flood(
    process: subprocess.Popen[bytes],
    came: Callable[[], int],
    wake: asyncio.Event,
    seconds: float,
) -> float:
    assert process.stdin is not None
    ordered, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds or came() < ordered:
        if time.perf_counter() - began < seconds and came() > ordered - FLOOD:
            os.write(process.stdin.fileno(), b"flood %d\n" % (4 * FLOOD))
            ordered += 4 * FLOOD
        wake.clear()
        try:
            async with asyncio.timeout(PATIENCE_S):
                await wake.wait()
        except TimeoutError:
            raise BoardError(f"only {came()} of {ordered} events came over the line") from None
    return came() / (time.perf_counter() - began)


async def _paint(board: SerialBoard, lights: int, changed: int, seconds: float) -> float:
    """Pictures that the board acknowledged in a second, with so many lights changed in each."""
    before, began, number = board.statistics.pictures, time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        number += 1
        colour = 1 + number % 2
        frame = tuple((colour if n < changed else 0, 0) for n in range(lights))
        board.show(LightFrame(frame, COLOURS))
        await asyncio.sleep(0)
    return (board.statistics.pictures - before) / (time.perf_counter() - began)


async def _real(
    name: str, profile: Profile, stones: int, progress: Report
) -> list[tuple[float, float]]:
    from websockets.asyncio.client import connect

    out: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory(prefix="lumiban-bench-") as folder:
        sim = await simulator.start(Path(folder), name, 1)
        watch = _Watch(profile)
        board = SerialBoard(sim.port, profile, watch.heard, tap=watch.tapped)
        watch.board = board
        try:
            await board.open()
            await asyncio.sleep(1.0)  # the clock has its first samples
            async with connect(sim.hands, compression=None, proxy=None) as hands:
                dice = random.Random(1)
                free: list[int] = []
                for number in range(stones):
                    free = free or dice.sample(range(len(profile.cells)), len(profile.cells) // 3)
                    cell = free.pop()
                    await hands.send(json.dumps({"do": "place", "cell": cell, "kind": 1}))
                    out.append(await watch.next())
                    progress(f"stone {number + 1} of {stones} in real time …")
                    await hands.send(json.dumps({"do": "lift", "cell": cell}))
                    await watch.next()
        finally:
            await board.close()
            sim.end()
    return out


class _Watch:
    """Answers each event in light, and takes the times."""

    def __init__(self, profile: Profile) -> None:
        self.board: SerialBoard | None = None
        self._profile = profile
        self._contact_us = self._heard_us = 0
        self._waits = False
        self._done: asyncio.Queue[tuple[float, float]] = asyncio.Queue()

    async def next(self) -> tuple[float, float]:
        """(heard, lit) of the next event, µs after its contact."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await self._done.get()
        except TimeoutError:
            raise BoardError("a stone of the measurement was not answered in time") from None

    def heard(self, events: list[LinkEvent]) -> None:
        """Takes the reports of the link."""
        board = self.board
        for event in events:
            if not isinstance(event, Changed) or board is None:
                continue
            one = event.events[-1]
            self._contact_us, self._heard_us = one.t_us, board.board_now_us
            lamp, colour = self._profile.cells[one.cell].light, 1 + one.number % 2
            lights = tuple((colour * (n == lamp), 0) for n in range(self._profile.lights))
            board.show(LightFrame(lights, COLOURS))
            board.acknowledge(one.number + 1)
            self._waits = True

    def tapped(self, outward: bool, data: bytes) -> None:
        """Bytes came: perhaps the acknowledgement of the picture."""
        if self._waits and not outward:
            asyncio.get_running_loop().call_soon(self._look)

    def _look(self) -> None:
        board = self.board
        if self._waits and board is not None and board.link.shown:
            self._waits = False
            lit = board.board_now_us - self._contact_us
            self._done.put_nowait((self._heard_us - self._contact_us, lit))


def table(figures: dict[str, Any]) -> list[str]:
    """The figures as lines for a terminal."""
    baud = figures["baud"]
    out = [f"{'':<26}{'pty':>10}{'USB':>10}{f'UART {baud}':>14}"]
    for what, name in (
        ("events a second", "events"),
        (f"pictures a second, {figures['profile']}", "pictures"),
        ("one light a second", "one_light"),
    ):
        row = [figures[f"{way}{name}_per_s"] for way in ("", "usb_", "uart_")]
        out.append(f"{what:<26}{row[0]:>10,}{row[1]:>10,}{row[2]:>14,}")
    out.append("")
    out.append(f"{'µs':<34}" + "".join(f"{part:>10}" for part in ("p50", "p90", "p99", "worst")))
    for what, name in (
        ("contact to host, virtual", "virtual_heard_us"),
        ("contact to light, virtual", "virtual_lit_us"),
        ("contact to host, real", "real_heard_us"),
        ("contact to light, real", "real_lit_us"),
        ("picture to acknowledgement, real", "trip_us"),
    ):
        out.append(f"{what:<34}" + "".join(f"{value:>10,}" for value in figures[name].values()))
    out.append(
        f"the wire alone, an event: {figures['usb_event_us']:,} on USB, "
        f"{figures['uart_event_us']:,} on the UART"
    )
    return out
