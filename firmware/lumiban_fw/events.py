"""Events on their way out: put in order of time, numbered, kept until they are acknowledged.

`ReorderBuffer` holds settled events back until the watermark has passed them, so that they leave in
order of time. `EventRing` numbers what left and sends it again until the host acknowledges.
"""

import struct

from lumiban_fw import wire
from lumiban_fw.wire import DOWN, FIRST_BUTTON, UP

NEVER = 1 << 60
_EVENT_FORMAT = "<IHBBB"
"""An event in the ring: its time (48 bits), cell, kind, and the wire's word for its uncertainty."""
_SIZE = 9
FRAMES_AT_ONCE = 4
"""EVENTS frames that a resend puts on the line together."""


class ReorderBuffer:
    """Settled events that wait for the watermark.

    >>> release = ReorderBuffer()
    >>> release.add((50, 7, 1, 100))
    >>> release.add((40, 3, 2, 100))
    >>> release.leave(45), release.leave(60)
    ([(40, 3, 2, 100)], [(50, 7, 1, 100)])
    """

    def __init__(self) -> None:
        self._waiting: "list[tuple[int, int, int, int]]" = []
        self._left_us = -1

    def empty(self) -> bool:
        """True if nothing waits."""
        return not self._waiting

    def add(self, event: "tuple[int, int, int, int]") -> None:
        """Queue (time, cell, kind, uncertainty)."""
        at = len(self._waiting)
        while at > 0 and self._waiting[at - 1][0] > event[0]:
            at -= 1
        self._waiting.insert(at, event)

    def leave(self, watermark_us: int) -> "list[tuple[int, int, int, int]]":
        """The events before the watermark, in order of time; overtaken ones marked LATE."""
        out = []
        while self._waiting and self._waiting[0][0] < watermark_us:
            t_us, cell, kind, uncertainty = self._waiting.pop(0)
            if t_us < self._left_us:
                kind |= wire.LATE
            else:
                self._left_us = t_us
            out.append((t_us, cell, kind, uncertainty))
        return out


class EventRing:
    """The last 256 events, numbered without end, and which of them the host has."""

    def __init__(self) -> None:
        self.next = 0
        """Number of the next event."""
        self.first = 0
        """Number of the first event that is not acknowledged (or lost)."""
        # Made once: 256 tuples would take 12 KB.
        self._events = bytearray(_SIZE * wire.RING_EVENTS)
        self._unsent = 0
        self._resend_us = NEVER
        self._wait_us = wire.RESEND_MIN_US
        self._lost_below = 0
        self.resent = 0
        """Frames sent again since power-on."""

    def overflowed(self) -> bool:
        """True if events were lost that the host has not yet passed over."""
        return self._lost_below > 0

    def add(self, event: "tuple[int, int, int, int]") -> None:
        """Number an event (time, cell, kind, uncertainty) and keep it."""
        if self.next - self.first == wire.RING_EVENTS:
            self.first += 1
            self._lost_below = self.first
            if self._unsent < self.first:
                self._unsent = self.first
        t_us, cell, kind, uncertainty = event
        unsure = wire.unsure(uncertainty)
        at = self.next % wire.RING_EVENTS * _SIZE
        struct.pack_into(
            _EVENT_FORMAT, self._events, at, t_us & 0xFFFFFFFF, t_us >> 32, cell, kind, unsure
        )
        self.next += 1

    def _event(self, number: int) -> "tuple[int, int, int, int]":
        """(cell, kind, time, uncertainty) of an event that is kept."""
        at = number % wire.RING_EVENTS * _SIZE
        low, high, cell, kind, unsure = struct.unpack_from(_EVENT_FORMAT, self._events, at)
        return cell, kind, high << 32 | low, unsure * wire.UNSURE_STEP_US

    def acknowledge(self, number: int) -> None:
        """The host has all events below `number`."""
        if number > self.next or number < self.first:
            return
        if number >= self._lost_below:
            self._lost_below = 0
        if number == self.first:
            return
        self.first = number
        if self._unsent < number:
            self._unsent = number
        self._wait_us = wire.RESEND_MIN_US
        if number == self.next:
            self._resend_us = NEVER

    def restart(self) -> None:
        """A new session: send all that is not acknowledged, from the first."""
        self._unsent = self.first
        self._wait_us = wire.RESEND_MIN_US
        self._resend_us = NEVER

    def due_us(self) -> int:
        """Time in µs at which there is something to send; -1 for at once, NEVER when all is
        acknowledged."""
        if self._unsent < self.next:
            return -1
        return self._resend_us

    def shift(self, by_us: int) -> None:
        """Move the moment from which the times of sending count."""
        if self._resend_us != NEVER:
            self._resend_us -= by_us

    def payloads(self, now_us: int, full_us: int, watermark_us: int) -> "list[tuple[bytes, int]]":
        """EVENTS to send now, as (payload, flags): new ones, or old ones whose time is up.

        `full_us` is the present as events count it, `now_us` as `due_us` does.
        """
        again = now_us >= self._resend_us
        if again:
            start = self.first
            self._wait_us = min(2 * self._wait_us, wire.RESEND_MAX_US)
        elif self._unsent < self.next:
            start = self._unsent
        else:
            return []
        out: "list[tuple[bytes, int]]" = []
        while start < self.next and len(out) < FRAMES_AT_ONCE:
            events: "list[tuple[int, int, int, int]]" = []
            base = self._event(start)[2]
            number = start
            while number < self.next and len(events) < wire.EVENTS_A_FRAME:
                event = self._event(number)
                if not wire.fits_events(base, event[2]):
                    break
                events.append(event)
                number += 1
            aged = full_us - base > wire.AGED_AFTER_US
            flags = wire.AGED if aged else 0
            if start < self._unsent:
                self.resent += 1
            out.append((wire.pack_events(start, watermark_us, events, aged), flags))
            start = number
        if start > self._unsent:
            self._unsent = start
        # The time runs from the oldest that may be lost: new events must not put it off.
        if again or self._resend_us == NEVER:
            self._resend_us = now_us + self._wait_us
        return out


# Buttons as cells 240 and up: presses take their place among the stones' events.


BOUNCE_US = 5_000
"""A contact counts once it has been steady for so long; its time is that of the first touch."""
BUTTONS = 16
_NONE: "list[tuple[int, int, int, int]]" = []


class Buttons:
    """Debounces the board's buttons."""

    def __init__(self) -> None:
        self._steady = 0
        self._last = 0
        self._since = [0] * BUTTONS
        self.held_us = -1
        """Since when a contact has been unsteady, -1 when none is: holds the watermark."""

    def shift(self, by_us: int) -> None:
        """Move the moment from which times count."""
        for i in range(BUTTONS):
            self._since[i] -= by_us
        if self.held_us >= 0:
            self.held_us = max(self.held_us - by_us, 0)

    def look(self, down: int, now_us: int) -> "list[tuple[int, int, int, int]]":
        """Take in which buttons are down (one bit each); the events that are certain now."""
        if down == self._steady and self.held_us < 0:
            return _NONE
        out = []
        held = -1
        bounced = down ^ self._last
        self._last = down
        for i in range(BUTTONS):
            bit = 1 << i
            if not (down ^ self._steady) & bit:
                continue
            if bounced & bit:
                self._since[i] = now_us
            since = self._since[i]
            if now_us - since >= BOUNCE_US:
                self._steady ^= bit
                out.append((since, FIRST_BUTTON + i, DOWN if down & bit else UP, BOUNCE_US // 10))
            elif held < 0 or since < held:
                held = since
        self.held_us = held
        return out


# What is wrong with the board: told to the host there is, and again to one that comes later.


WAITING = 32
"""Faults that wait for a host; what holds is told again to each that comes."""


class Faults:
    """`waiting` are (code, where) that no host was told."""

    def __init__(self) -> None:
        self.waiting: "list[tuple[int, int]]" = []
        self._holds: "list[tuple[int, int]]" = []

    def note(self, what: int, where: int) -> None:
        """Something went wrong, or is right again (GONE)."""
        code = what & ~wire.FAULT_GONE
        if what == wire.FAULT_REFERENCE | wire.FAULT_GONE and (code, where) not in self._holds:
            return  # the supply failed, and with it the reference: that was told
        # A rail is at another voltage when it is back.
        self._holds = [
            held
            for held in self._holds
            if held[0] != code or (held[1] != where and code != wire.FAULT_RAIL)
        ]
        if not what & wire.FAULT_GONE and len(self._holds) < WAITING:
            self._holds.append((what, where))
        if len(self.waiting) < WAITING:
            self.waiting.append((what, where))

    def tell_again(self) -> None:
        """A new host: it has not heard what still holds."""
        for fault in self._holds:
            if fault not in self.waiting:
                self.waiting.append(fault)
