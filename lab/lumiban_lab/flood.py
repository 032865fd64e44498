"""The measurement behind `bench flood`: what hostile visitors of the page cost a stone on its way.

The same table is measured in turns, many times over: nobody comes; the visitors come to another
table's page on this computer; they come to this one. What the first two differ by is this
computer's doing, since the visitors run on it too.
"""

from __future__ import annotations

import asyncio
import json
import math
import resource
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lumiban.boards.messages import unpack_events
from lumiban.system.child import python
from lumiban_fw import wire

from lumiban_lab.latency import Bench, Tap, Waits, end, part_of, played

MODULE = "lumiban_lab.visitors"
WARM_S = 0.5
"""From the visitors' coming to the first event."""
QUIET, ELSEWHERE, FLOOD = "quiet", "elsewhere", "flood"
SPARE_DESCRIPTORS = 200


class WayTap(Tap):
    """Notes with each piece of the line how long the thread has waited for a core so far."""

    def __init__(self, waits: Waits) -> None:
        super().__init__(waits)
        self._offset_us = math.inf
        """The host's clock less the board's, as the quickest frame so far showed it."""

    def ways_us(self) -> tuple[list[float], list[float], int]:
        """(times from the board's sending of an event to the host's writing of the COMMIT that
        answers it, the same without waiting for a core, events that had none)."""
        decoders = wire.Decoder(), wire.Decoder()
        ways, own = [], []
        sent: tuple[float, float, float] | None = None
        newest, unanswered, waited_before = -1, 0, 0.0
        for (at_ns, is_out, data), waited_ns in zip(self.noted, self.waited, strict=True):
            at_us, waited_us = at_ns / 1000, waited_ns / 1000
            for kind, _, _, _, payload in decoders[is_out].feed(data):
                if not is_out and kind == wire.B_EVENTS:
                    first, base_us, _, events = unpack_events(payload)
                    if first + len(events) - 1 > newest:
                        newest = first + len(events) - 1
                        unanswered += sent is not None
                        t_us = base_us + events[-1][2]
                        self._offset_us = min(self._offset_us, at_us - t_us)
                        to_host_us = at_us - t_us - self._offset_us
                        own_us = max(0.0, to_host_us - (waited_us - waited_before))
                        sent = at_us - to_host_us, at_us - own_us, waited_us
                elif is_out and kind == wire.H_COMMIT and sent is not None:
                    ways.append(at_us - sent[0])
                    own.append(at_us - sent[1] - (waited_us - sent[2]))
                    sent = None
            waited_before = waited_us
        return ways, own, unanswered + (sent is not None)


@dataclass
class Turns:
    """Measurements under one condition; times in µs."""

    times: list[list[float]] = field(default_factory=list)
    """Of each round, by the clock."""
    own: list[list[float]] = field(default_factory=list)
    """Without the time for which other processes had the cores."""
    unanswered: int = 0
    cpu_s: float = 0.0
    """Of the table's own process."""

    def as_json(self) -> dict[str, int]:
        """The figures of all rounds, and p99s of odd and even ones: these differ by chance."""
        every = [time for of in self.times for time in of]
        own = [time for of in self.own for time in of]
        odd = [time for of in self.times[::2] for time in of]
        even = [time for of in self.times[1::2] for time in of] or odd
        return {
            "events": len(every),
            "unanswered": self.unanswered,
            "median_us": part_of(every, 0.5),
            "p99_us": part_of(every, 0.99),
            "p99_odd_rounds_us": part_of(odd, 0.99),
            "p99_even_rounds_us": part_of(even, 0.99),
            "own_median_us": part_of(own, 0.5),
            "own_p99_us": part_of(own, 0.99),
            "cpu_us_an_event": round(self.cpu_s * 1e6 / len(every)),
        }


class Crowd:
    """The process of the visitors of one page."""

    def __init__(self, url: str, count: int) -> None:
        self.done: Counter[str] = Counter()
        self._process = subprocess.Popen(
            python(MODULE, url, str(count)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )

    def come(self) -> None:
        """Let them in."""
        self._tell(b"on\n")

    async def go(self) -> None:
        """Send them away, and count what they did."""
        self._tell(b"off\n")
        assert self._process.stdout is not None
        line = await asyncio.to_thread(self._process.stdout.readline)
        self.done.update(json.loads(line))

    def close(self) -> None:
        """End the process."""
        end(self._process)

    def _tell(self, order: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(order)
        self._process.stdin.flush()


async def measure(
    visitors: int,
    most_sockets: int,
    *,
    rounds: int,
    events: int,
    progress: Callable[[str], None],
) -> dict[str, Any]:
    """Figures of `rounds` turns of `events` events under each condition.

    `rise_us` is what the flood adds to the p99 of a quiet table, `own_rise_us` the same without
    waiting for a core, `rise_elsewhere_us` what the visitors add from beside the table.
    """
    _allow_descriptors(visitors)
    async with AsyncExitStack() as ending:
        waits = Waits()
        ending.callback(waits.close)
        tap = WayTap(waits)
        bench = await ending.enter_async_context(played([], most_sockets=most_sockets, tap=tap))
        other = await ending.enter_async_context(played([], most_sockets=most_sockets))
        crowds = {
            FLOOD: Crowd(bench.page.url, visitors),
            ELSEWHERE: Crowd(other.page.url, visitors),
        }
        for crowd in crowds.values():
            ending.callback(crowd.close)
        turns = {name: Turns() for name in (QUIET, ELSEWHERE, FLOOD)}
        before_kb = _memory_kb(bench.page.pid)
        losses = bench.board.statistics.losses
        for number in range(rounds):
            for name, turn in turns.items():
                progress(f"round {number + 1} of {rounds}: {name} …")
                await _turn(bench, tap, crowds.get(name), turn, events)
        figures: dict[str, Any] = {name: turn.as_json() for name, turn in turns.items()}
        quiet_us = figures[QUIET]["p99_us"]
        return {
            "visitors": visitors,
            "most_sockets": most_sockets,
            "rise_us": figures[FLOOD]["p99_us"] - quiet_us,
            "own_rise_us": figures[FLOOD]["own_p99_us"] - figures[QUIET]["own_p99_us"],
            "rise_elsewhere_us": figures[ELSEWHERE]["p99_us"] - quiet_us,
            "board_lost": bench.board.statistics.losses - losses,
            "page_died": bench.page.starts - 1,
            "page_grew_kb": _memory_kb(bench.page.pid) - before_kb,
            "messages_written": crowds[FLOOD].done["messages"],
            "connections": crowds[FLOOD].done["connections"],
            "sockets": crowds[FLOOD].done["sockets"],
            "refused": crowds[FLOOD].done["refused"],
            **figures,
        }


async def _turn(bench: Bench, tap: WayTap, crowd: Crowd | None, turn: Turns, events: int) -> None:
    if crowd is not None:
        crowd.come()
    await asyncio.sleep(WARM_S)
    tap.clear()
    cpu_s = time.process_time()
    await bench.player.play(events, lambda _: None)
    turn.cpu_s += time.process_time() - cpu_s
    times, own, unanswered = tap.ways_us()
    turn.times.append(times)
    turn.own.append(own)
    turn.unanswered += unanswered
    if crowd is not None:
        await crowd.go()


def _allow_descriptors(visitors: int) -> None:
    """The visitors' process inherits how many files may be open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = visitors + SPARE_DESCRIPTORS
    if soft < wanted:
        limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))


def _memory_kb(pid: int | None) -> int:
    """Memory of a process, 0 where the system does not tell."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmRSS:")), 0)
