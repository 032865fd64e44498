"""A host that does what docs/wire.md asks of it and no more: the contract's own, not lumiban's."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from lumiban.boards.client import Frame
from lumiban.boards.link import read_hello
from lumiban.boards.messages import events_base, message, unpack_events, unpack_state
from lumiban.boards.ports import localized
from lumiban.boards.types import Hello
from lumiban_fw import wire

from pytest_lumiban.bench import Bench
from pytest_lumiban.probe import Missed, Probe

AGAIN_US = 120_000
"""Reliable frames that are not acknowledged after so long are sent again."""


WORDS = {
    wire.EMPTY: "empty",
    wire.WHITE: "white",
    wire.BLACK: "black",
    wire.NEUTRAL: "neutral",
    wire.UNKNOWN: "unknown",
    wire.STACKED: "stacked",
    wire.FOREIGN: "foreign",
    wire.MASKED: "masked",
    wire.DOWN: "down",
    wire.UP: "up",
}


def word(kind: int) -> str:
    """What an event's kind says, in a word.

    >>> word(wire.BLACK), word(13)
    ('black', 'kind 13')
    """
    return WORDS.get(kind, f"kind {kind}")


class Event(NamedTuple):
    """An event as told; time in board µs."""

    t_us: int
    cell: int
    kind: int
    uncertainty_us: int = 0
    is_late: bool = False


class State(NamedTuple):
    """A whole STATE."""

    t_us: int
    event: int
    flags: int
    kinds: bytes


class PlainHost(Probe):
    """A probe that also acknowledges, sends again, and puts together what it hears."""

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self.acknowledging = True
        self.hellos: list[Hello] = []
        self.events: list[Event] = []
        self.states: list[State] = []
        self.first = 0
        """Number of the first event that this host takes; those before were another's."""
        self.tellings: dict[int, set[Event]] = {}
        """Each event by its number, in all ways in which it was told."""
        self._zero_us = 0
        self._waiting: list[tuple[int, int, bytes]] = []
        self._flying = 0
        self._sent_us = 0
        self._parts: dict[tuple[int, int], dict[int, bytes]] = {}

    # Saying.

    def greet(self, session: int = 0, patience_us: int = 3_000_000) -> Frame:
        """Begin a session; what was not acknowledged in the one before is dropped."""
        self._waiting, self._flying = [], 0
        return super().greet(session, patience_us)

    def put(self, kind: int, payload: bytes) -> int:
        """Send a reliable frame, again and again until it is acknowledged; its number."""
        seq = self.seq
        self.seq = (seq + 1) & 0xFF
        self._waiting.append((seq, kind, payload))
        self._push()
        return seq

    def wait(self, done: Callable[[], bool], within_us: int = 3_000_000, *, what: str = "") -> None:
        """Let time go on until something holds; Missed when it does not in time.

        The time is the board's own, as its beats tell it: a computer that stalls makes nothing
        late. `what` names what is waited for, by the end of a text's id hil.what.
        """
        known = len(self.frames)
        if not self.until(done, within_us):
            raise Missed(self._missing(what, within_us // 1000, known))

    def settle(self) -> None:
        """Wait until the board has acknowledged all orders; Missed."""
        self.wait(lambda: self.done, what="acknowledge")

    def _missing(self, what: str, ms: int, known: int) -> str:
        """Return a sentence on what did not come, and what did since `known` frames had been
        heard."""
        if len(self.frames) == known:
            return localized("hil.silent", ms=ms)
        if what == "acknowledge" and self._waiting:
            orders = {message(kind).name for _, kind, _ in self._waiting}
            return localized("hil.not-heard", what=", ".join(sorted(orders)), ms=ms)
        waited = localized(f"hil.what{what and '.'}{what}", n=len(self.events) + 1)
        last_events = ", ".join(f"{self.name(e.cell)} {word(e.kind)}" for e in self.events[-8:])
        return localized(
            "hil.did-not-come",
            what=waited,
            ms=ms,
            told=last_events or localized("hil.told-nothing"),
        )

    def name(self, number: int) -> str:
        """The name of a cell or button by its number on the wire."""
        names = self.bench.profile.grid.names
        if number >= wire.FIRST_BUTTON:
            return f"button {number - wire.FIRST_BUTTON + 1}"
        return names[number] if number < len(names) else f"cell number {number}"

    @property
    def about_us(self) -> int:
        """About the board's present, in full."""
        return self.line.now_us - self._zero_us

    @property
    def done(self) -> bool:
        """True if the board has acknowledged all orders."""
        return not self._waiting

    def turn(self, until_us: int) -> None:
        """Let time go by, and keep sending what is not acknowledged."""
        if self._flying and self.line.now_us - self._sent_us > max(AGAIN_US, 2 * self.trip_us):
            self._flying = 0
        self._push()
        super().turn(until_us)

    def _push(self) -> None:
        while self._flying < min(len(self._waiting), wire.WINDOW):
            seq, kind, payload = self._waiting[self._flying]
            self.line.write(wire.frame(kind, payload, wire.RELIABLE, seq))
            self._flying += 1
            self._sent_us = self.line.now_us

    # Hearing.

    def take(self, one: Frame) -> None:
        """Put a frame's content together with what came before it."""
        super().take(one)
        done = (one.ack - self._waiting[0][0]) & 0xFF if self._waiting else 0
        if one.kind != wire.B_HELLO and 0 < done <= self._flying:
            del self._waiting[:done]
            self._flying -= done
            self._sent_us = self.line.now_us
            self._push()
        if one.kind == wire.B_HELLO:
            self.hellos.append(read_hello(one.payload)[2])
            self._zero_us = one.at_us - one["now_us"]
        elif one.kind == wire.B_EVENTS:
            self._take_events(one.flags, one.payload)
        elif one.kind == wire.B_STATE:
            self._take_state(one.payload)

    def _take_events(self, flags: int, payload: bytes) -> None:
        first, low, _, events = unpack_events(payload)
        base = events_base(low, flags, self.about_us)
        aged = flags & wire.AGED
        for n, (cell, kind, dt, uncertainty) in enumerate(events, first):
            late = bool(kind & wire.LATE) and cell < wire.FIRST_BUTTON
            event = Event(base + dt, cell, kind & wire.KIND, uncertainty, late)
            if not aged:
                self.tellings.setdefault(n, set()).add(event)
            if n == self.first + len(self.events):
                self.events.append(event)
        if self.acknowledging:
            self.acknowledge()

    def _take_state(self, payload: bytes) -> None:
        t_us, event, _, flags, part, parts, kinds = unpack_state(payload)
        got = self._parts.setdefault((t_us, event), {})
        got[part] = kinds
        if len(got) == parts:
            whole = b"".join(got[n] for n in range(parts))
            cells = len(self.bench.profile.cells)
            self.states.append(State(wire.widen(t_us, self.about_us), event, flags, whole[:cells]))
            self._parts.clear()

    def acknowledge(self) -> None:
        """Tell the board which events this host has."""
        self.say(wire.H_ACK, (self.first + len(self.events),))

    def told(self, kind: int) -> int:
        """A piece of this kind as the board tells it: switches know only that it stands."""
        only_stands = self.hellos[-1].capabilities & wire.PRESENCE_ONLY
        return wire.NEUTRAL if kind and only_stands else kind

    def belief(self) -> bytes:
        """The newest STATE, with the events after it."""
        state = self.states[-1]
        kinds = bytearray(state.kinds)
        for event in self.events[max(state.event - self.first, 0) :]:
            if event.cell < wire.FIRST_BUTTON:
                kinds[event.cell] = event.kind
        return bytes(kinds)
