"""Reliable frames to the board: go-back-N with a window of 8 and a measured time-out."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from lumiban_fw import wire

from lumiban.boards.counts import recent

FIRST_RTO_US = 100_000
UNSENT = -1
"""Time of a frame that was written but whose time is not known yet."""


@dataclass(slots=True)
class _Flight:
    kind: int
    payload: bytes
    seq: int
    sent_us: int = UNSENT
    resent: bool = False


class Sender:
    """Frames in order, each until the board has acknowledged it.

    The header's ack is the next sequence number that the board expects, cumulative.
    """

    def __init__(self) -> None:
        self.sent = 0
        """Frames handed to the line, repeats among them."""
        self.resent = 0
        self.trips_us = recent()
        self.timeouts = 0
        """Time-outs in a row, without any progress."""
        self.astray = 0
        """Acks in a row that fit no frame under way: the board is not in our session."""
        self.trip_us = 0
        self._waiting: deque[tuple[int, bytes]] = deque()
        self._flying: deque[_Flight] = deque()
        self.reset()

    def reset(self) -> None:
        """Begin a session: nothing under way, sequence numbers from 0."""
        self._waiting.clear()
        self._flying.clear()
        self._seq = 0
        self._progress_us = 0
        self._rto_us = FIRST_RTO_US
        self._smooth = 0.0
        self._spread = 0.0
        self.timeouts = 0
        self.astray = 0
        self.trip_us = 0

    @property
    def busy(self) -> bool:
        """Whether the window is full or frames wait for it."""
        return bool(self._waiting) or len(self._flying) >= wire.WINDOW

    @property
    def idle(self) -> bool:
        """Whether the board has acknowledged everything."""
        return not self._waiting and not self._flying

    def send(self, kind: int, payload: bytes) -> None:
        """Queue one frame."""
        self._waiting.append((kind, payload))

    def fill(self) -> bytes:
        """Frames that now fit the window, ready for the line; `stamp` tells their time later."""
        out = b""
        while self._waiting and len(self._flying) < wire.WINDOW:
            kind, payload = self._waiting.popleft()
            self._flying.append(_Flight(kind, payload, self._seq))
            out += wire.frame(kind, payload, wire.RELIABLE, self._seq)
            self._seq = (self._seq + 1) & 0xFF
            self.sent += 1
        return out

    def stamp(self, now_us: int) -> None:
        """Frames written since the last call went out now."""
        for flight in reversed(self._flying):
            if flight.sent_us != UNSENT:
                break
            flight.sent_us = now_us

    def acknowledged(self, ack: int, now_us: int) -> None:
        """Take a cumulative ack; one outside the window is counted as astray."""
        oldest = self._flying[0].seq if self._flying else self._seq
        done = (ack - oldest) & 0xFF
        if done > len(self._flying):
            self.astray += 1
            return
        self.astray = 0
        if not done:
            return
        for _ in range(done):
            flight = self._flying.popleft()
        if not flight.resent and flight.sent_us != UNSENT:
            self._measure(now_us - flight.sent_us)
        self.timeouts = 0
        # The rest of the window stood behind what is now confirmed: its time starts here.
        self._progress_us = now_us

    def deadline_us(self) -> int | None:
        """When the oldest frame must be resent; None when nothing is under way.

        A frame that was never stamped makes this 0: poll at once.
        """
        if not self._flying:
            return None
        sent = self._flying[0].sent_us
        return 0 if sent == UNSENT else max(sent, self._progress_us) + self._rto_us

    def resend(self, now_us: int) -> bytes:
        """The whole window again when its time is up, else nothing; doubles the time-out."""
        due = self.deadline_us()
        if due is None or due == 0 or now_us < due:
            return b""
        out = b""
        for flight in self._flying:
            out += wire.frame(flight.kind, flight.payload, wire.RELIABLE | wire.RESENT, flight.seq)
            flight.sent_us = now_us
            flight.resent = True
            self.resent += 1
            self.sent += 1
        self.timeouts += 1
        self._rto_us = min(wire.RTO_MAX_US, self._rto_us * 2)
        return out

    def _measure(self, trip_us: int) -> None:
        """Smoothed trip and its spread, as RFC 6298 has them."""
        self.trip_us = trip_us
        self.trips_us.append(trip_us)
        if self._smooth == 0:
            self._smooth, self._spread = float(trip_us), trip_us / 2
        else:
            self._spread = 0.75 * self._spread + 0.25 * abs(self._smooth - trip_us)
            self._smooth = 0.875 * self._smooth + 0.125 * trip_us
        rto = self._smooth + 4 * self._spread
        self._rto_us = max(wire.RTO_MIN_US, min(wire.RTO_MAX_US, round(rto)))
