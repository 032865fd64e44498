"""A board without cells or magnets, for measuring: it sends exactly the events it is told to.

A process of its own behind a real pty, speaking the wire like a board: HELLO, STATE, BEAT, ACK,
numbered EVENTS that are resent until acknowledged. On stdin it reads `CELL KIND` a line and
sends that as one EVENTS frame a few milliseconds later. On stdout it says where its port is.

    python -m lumiban_lab.bench_board board MODEL CELLS LIGHTS REVISION

With `tab URL` it is an open page instead: it hears every view of the table and shows none.
"""

from __future__ import annotations

import contextlib
import os
import pty
import random
import select
import sys
import time
import tty

from lumiban_fw import wire

BEAT_S = wire.BEAT_US / 1e6
RESEND_S = 0.05
DELAY_S = (0.002, 0.008)
"""From the order to the frame: the host has gone back to sleep by then."""


class BenchBoard:
    """The board's end of the line at file descriptor `line`."""

    def __init__(self, line: int, model: bytes, cells: int, lights: int, revision: int) -> None:
        self._line = line
        self._about = (model.ljust(8, b"\0"), revision, cells, lights)
        self._kinds = bytearray(cells)
        self._decoder = wire.Decoder()
        self._boot = random.SystemRandom().getrandbits(32)
        self._start = time.monotonic_ns()
        self._next_event = 0
        self._unacknowledged: dict[int, tuple[int, int, int]] = {}
        self._resend_at = 0.0
        self._beat_at = 0.0
        self._expected = 0
        self._talking = False

    def now_us(self) -> int:
        """Board time."""
        return (time.monotonic_ns() - self._start) // 1000 + 1_000_000

    def heard(self, data: bytes) -> None:
        """Answer what the host sent."""
        acknowledge = False
        for kind, flags, seq, _, payload in self._decoder.feed(data):
            if flags & wire.RELIABLE:
                acknowledge = True
                if seq != self._expected:
                    continue
                self._expected = (self._expected + 1) & 0xFF
            self._answer(kind, payload)
        if acknowledge:
            self._send(wire.B_ACK)

    def _answer(self, kind: int, payload: bytes) -> None:
        if kind == wire.H_HELLO:
            _, _, session = wire.unpack_host_hello(payload)
            self._expected = 0
            self._talking = True
            self._send(
                wire.B_HELLO,
                wire.pack_board_hello(
                    *self._about, 1, b"benchbrd", self._boot, session, self.now_us(), 1000,
                    wire.CAN_ORDER, 0,
                ),
            )  # fmt: skip
            self._state()
        elif kind == wire.H_CLOCK:
            token = wire.unpack_u32(payload)
            self._send(wire.B_CLOCK, wire.pack_board_clock(token, self.now_us(), 0))
        elif kind == wire.H_GET_STATE:
            self._state()
        elif kind == wire.H_ACK:
            below = wire.unpack_u32(payload)
            for number in [n for n in self._unacknowledged if n < below]:
                del self._unacknowledged[number]

    def event(self, cell: int, kind: int) -> None:
        """One settled change, as one frame."""
        self._kinds[cell] = kind
        number = self._next_event
        self._next_event += 1
        self._unacknowledged[number] = (cell, kind, self.now_us())
        self._unacknowledged.pop(number - wire.RING_EVENTS, None)
        self._resend_at = time.monotonic() + RESEND_S
        self._events(number)

    def _events(self, number: int) -> None:
        cell, kind, t_us = self._unacknowledged[number]
        self._send(
            wire.B_EVENTS, wire.pack_events(number, self.now_us(), [(cell, kind, t_us, 500)])
        )

    def idle(self) -> float:
        """Do what is due; seconds until something is again."""
        now = time.monotonic()
        if self._talking and now >= self._beat_at:
            self._beat_at = now + BEAT_S
            self._send(wire.B_BEAT, wire.pack_board_beat(self.now_us(), self.now_us()))
            self._state()
        if self._unacknowledged and now >= self._resend_at:
            self._resend_at = now + RESEND_S
            for number in sorted(self._unacknowledged):
                self._events(number)
        due = min(self._beat_at, self._resend_at) if self._unacknowledged else self._beat_at
        return max(due - now, 0.0) if self._talking else BEAT_S

    def _state(self) -> None:
        cells = len(self._kinds)
        now = self.now_us()
        parts = -(-cells // wire.CELLS_A_STATE)
        for part in range(parts):
            kinds = self._kinds[part * wire.CELLS_A_STATE : (part + 1) * wire.CELLS_A_STATE]
            self._send(
                wire.B_STATE,
                wire.pack_state(now, self._next_event, now, 0, part, parts, bytes(kinds)),
            )

    def _send(self, kind: int, payload: bytes = b"") -> None:
        os.write(self._line, wire.frame(kind, payload, ack=self._expected))


def serve(model: bytes, cells: int, lights: int, revision: int) -> None:
    """Open a pty, name it on stdout, and be its board until stdin closes."""
    line, port = pty.openpty()
    tty.setraw(port)
    print(os.ttyname(port), flush=True)
    board = BenchBoard(line, model, cells, lights, revision)
    chance = random.Random(1)
    orders = bytearray()
    due: list[tuple[float, int, int]] = []
    while True:
        wait = board.idle()
        if due:
            wait = min(wait, max(due[0][0] - time.monotonic(), 0.0))
        ready, _, _ = select.select([line, sys.stdin.fileno()], [], [], wait)
        if line in ready:
            board.heard(os.read(line, 4096))
        if sys.stdin.fileno() in ready:
            received = os.read(sys.stdin.fileno(), 4096)
            if not received:
                return
            orders += received
            *whole, rest = bytes(orders).split(b"\n")
            orders = bytearray(rest)
            for order in whole:
                cell, kind = order.split()
                due.append((time.monotonic() + chance.uniform(*DELAY_S), int(cell), int(kind)))
        while due and due[0][0] <= time.monotonic():
            _, cell_number, kind_number = due.pop(0)
            board.event(cell_number, kind_number)


async def watch(url: str) -> None:
    """Hear all that a page at `url` hears, until the table closes."""
    import asyncio

    from websockets.asyncio.client import connect
    from websockets.exceptions import ConnectionClosed

    address = url.replace("http://", "ws://") + "ws"
    with contextlib.suppress(ConnectionClosed):
        async with connect(address, proxy=None) as line:
            async for _ in line:
                await asyncio.sleep(0)


if __name__ == "__main__":
    if sys.argv[1] == "tab":
        import asyncio

        asyncio.run(watch(sys.argv[2]))
    else:
        serve(sys.argv[2].encode(), *(int(word) for word in sys.argv[3:6]))
