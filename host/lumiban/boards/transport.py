"""The line to a board, reliable frames on it, and the board's clock as the host knows it.

`ReliableSender` is go-back-N with a window of 8 and a measured time-out. The clock is asked for
with round trips, and a line is laid through the answers.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Protocol

from lumiban_fw import wire

from lumiban.boards.types import TRIPS

FIRST_RTO_US = 100_000


class ByteLine(Protocol):
    """A line to a board, and the time that goes by on it.

    A custom line that is told nothing of the board inherits what it does not need.
    """

    @property
    def now_us(self) -> int:
        """The line's own time, µs."""

    def write(self, data: bytes) -> None:
        """Send to the board."""

    def read(self, until_us: int) -> bytes:
        """Let time go on to `until_us`, or until bytes came; those."""

    def met(self, uid: str) -> None:
        """The board of this number answers here."""
        return

    def lost(self, reason: str) -> None:
        """The board does not answer here, or not any more; `reason` as `Lost` has it."""
        return

    def had_chance(self) -> bool:
        """True if a silent other end had every chance to speak."""
        return True


@dataclass(slots=True)
class _Flight:
    kind: int
    payload: bytes
    seq: int
    sent_us: int | None = None
    """None as long as it is not known when it was written."""
    resent: bool = False


class ReliableSender:
    """Frames in order, each until the board has acknowledged it.

    The header's ack is the next sequence number that the board expects, cumulative.
    """

    def __init__(self) -> None:
        self.sent = 0
        """Frames handed to the line, repeats among them."""
        self.resent = 0
        self.trips_us: deque[int] = deque(maxlen=TRIPS)
        self.timeouts: int
        """Time-outs in a row, without any progress."""
        self.astray: int
        """Acks in a row that fit no frame under way: the board is not in our session."""
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
        self.timeouts = 0
        self.astray = 0
        self.trip_us = 0

    @property
    def is_busy(self) -> bool:
        """True if the window is full or frames wait for it."""
        return bool(self._waiting) or len(self._flying) >= wire.WINDOW

    @property
    def is_idle(self) -> bool:
        """True if the board has acknowledged everything."""
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
            if flight.sent_us is not None:
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
        if not flight.resent and flight.sent_us is not None:
            self._measure(now_us - flight.sent_us)
        self.timeouts = 0
        # The rest of the window stood behind what is now confirmed: its time starts here.
        self._progress_us = now_us

    def deadline_us(self) -> int | None:
        """Time in µs at which the oldest frame must be resent; None when nothing is under way.

        A frame that was never stamped makes this 0: poll at once.
        """
        if not self._flying:
            return None
        sent = self._flying[0].sent_us
        return 0 if sent is None else max(sent, self._progress_us) + self._rto_us

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


FIRST_SAMPLES = 8
FIRST_PERIOD_US = 20_000
PERIODS_US = (983_900, 1_016_300, 968_100, 1_031_700)
"""Uneven, so that questions do not keep step with something periodic on the board."""
MAX_SAMPLES = 32
STEADY_US = 2_000_000
"""Samples must span this long before a difference in rate can be told from noise."""
MAX_DRIFT = 500e-6
STRANGE_US = 1_000_000
"""An answer that is further off what was known before is none …"""
STRANGE = 3
"""… unless this number in a row are: then what was known was wrong."""
APART_US = 1_000
"""Samples further apart than their trips and the drift explain, and this, do not count."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One answered question: host time in its middle, board minus host, length of the trip."""

    host_us: int
    offset_us: float
    trip_us: int


class BoardClock:
    """Turns host time into board time (µs, full width).

    >>> clock = BoardClock()
    >>> clock.start(board_us=5_000, now_us=100)
    >>> token = clock.ask(now_us=1_000)
    >>> clock.answered(token, rx_us=6_000, turnaround_us=50, now_us=1_250)
    True
    >>> clock.board_now(2_000), clock.uncertainty_us
    (6900, 100)
    """

    def __init__(self) -> None:
        self._samples: list[Sample] = []
        self._asked: dict[int, int] = {}
        self._token = 0
        self._count = 0
        self._strange = 0
        self._next_us = 0
        self._anchor_us = 0
        self._offset = 0.0
        self._rate = 0.0

    def start(self, board_us: int, now_us: int) -> None:
        """Start again from the time in the board's HELLO."""
        self._samples.clear()
        self._asked.clear()
        self._count = self._strange = 0
        self._next_us = now_us
        self._anchor_us = now_us
        self._offset = float(board_us - now_us)
        self._rate = 0.0

    def due_us(self) -> int:
        """Time in µs at which the next question should go out."""
        return self._next_us

    def ask(self, now_us: int) -> int:
        """Note a question that goes out now; returns its token."""
        self._token = (self._token + 1) & 0xFFFFFFFF
        self._asked[self._token] = now_us
        if len(self._asked) > MAX_SAMPLES:
            del self._asked[next(iter(self._asked))]
        self._count += 1
        if self._count < FIRST_SAMPLES:
            self._next_us = now_us + FIRST_PERIOD_US
        else:
            self._next_us = now_us + PERIODS_US[self._count % len(PERIODS_US)]
        return self._token

    def answered(self, token: int, rx_us: int, turnaround_us: int, now_us: int) -> bool:
        """Take the board's answer; False when it is none.

        Then nobody asked (a repeat, an older session), or it tells of a clock that is not this
        board's.
        """
        asked_us = self._asked.pop(token, None)
        trip = 0 if asked_us is None else now_us - asked_us - turnaround_us
        if asked_us is None or trip < 0:
            return False
        middle = asked_us + trip // 2
        if abs(rx_us - self.board_now(middle)) > trip + STRANGE_US:
            self._strange += 1
            if self._strange < STRANGE:
                return False
            self._samples.clear()
        self._strange = 0
        self._samples.append(Sample(middle, float(rx_us - middle), trip))
        del self._samples[:-MAX_SAMPLES]
        self._fit()
        return True

    def board_now(self, now_us: int) -> int:
        """Board time at this host time."""
        return round(now_us + self._offset + (now_us - self._anchor_us) * self._rate)

    @property
    def least_trip_us(self) -> int:
        """The shortest round trip of the samples that count; 0 before the first."""
        return min((s.trip_us for s in self._samples), default=0)

    @property
    def drift_ppm(self) -> float:
        """Gain of the board's clock over the host's, in millionths."""
        return self._rate * 1e6

    @property
    def uncertainty_us(self) -> int:
        """Half the least round trip: how far the offset may be off; 0 before the first sample."""
        return self.least_trip_us // 2

    def _fit(self) -> None:
        """Least squares through the half of the samples with the shortest trips."""
        best = sorted(self._agreeing(), key=lambda s: s.trip_us)
        best = best[: max(1, (len(best) + 1) // 2)]
        span = max(s.host_us for s in best) - min(s.host_us for s in best)
        if len(best) < 3 or span < STEADY_US:
            self._anchor_us, self._offset, self._rate = best[0].host_us, best[0].offset_us, 0.0
            return
        n = len(best)
        anchor = sum(s.host_us for s in best) // n
        mean = sum(s.offset_us for s in best) / n
        over = sum((s.host_us - anchor) * (s.offset_us - mean) for s in best)
        under = sum((s.host_us - anchor) ** 2 for s in best)
        rate = over / under if under else 0.0
        self._anchor_us, self._offset = anchor, mean
        self._rate = max(-MAX_DRIFT, min(MAX_DRIFT, rate))

    def _agreeing(self) -> list[Sample]:
        """The samples that agree with most of them: one may have been changed on its way."""
        samples = self._samples
        middle = sorted(s.offset_us for s in samples)[(len(samples) - 1) // 2]
        drift = MAX_DRIFT * (samples[-1].host_us - samples[0].host_us)
        return [
            s for s in samples if abs(s.offset_us - middle) <= s.trip_us / 2 + drift + APART_US
        ] or samples
