"""A host that does what docs/wire.md asks of it and no more: the contract's own, not lumiban's."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from lumiban.boards.messages import (
    events_base,
    framed,
    packed,
    unpack_events,
    unpack_state,
    unpacked,
)
from lumiban.i18n import terminal_language, text
from lumiban_fw import wire

from pytest_lumiban.bench import Bench, BenchLine
from pytest_lumiban.probe import Heard, Probe

SLICE_US = 50_000
AGAIN_US = 120_000
"""Reliable frames that are not acknowledged after so long are sent again."""


KINDS = {wire.EMPTY: "empty", wire.WHITE: "white", wire.BLACK: "black", wire.NEUTRAL: "neutral"}


def _say(id: str, **params: object) -> str:
    return text(f"hil.{id}", terminal_language(), **params)


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


class Hello(NamedTuple):
    """HELLO of a board, as docs/wire.md lays it out."""

    major: int
    minor: int
    model: bytes
    revision: int
    cells: int
    lights: int
    firmware: int
    uid: bytes
    boot_id: int
    session: int
    now_us: int
    scan_hz: int
    capabilities: int
    reset_cause: int


class Missed(AssertionError):
    """Failure of a test whose frame or event did not come; the text is for whoever stands at the
    board."""


class PlainHost:
    """A probe that also acknowledges, sends again, and puts together what it hears."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.probe = Probe(BenchLine(bench), self._hear)
        self.acknowledging = True
        self.hellos: list[Hello] = []
        self.events: list[Event] = []
        self.states: list[State] = []
        self.first = 0
        """Number of the first event that this host takes; those before were another's."""
        self.tellings: dict[int, set[Event]] = {}
        """Each event by its number, in all ways in which it was told."""
        self._zero_us = 0
        self._next = 0
        self._waiting: list[tuple[int, int, bytes]] = []
        self._under_way = 0
        self._sent_us = 0
        self._parts: dict[tuple[int, int], dict[int, bytes]] = {}

    @property
    def beating(self) -> bool:
        """True if it tells that it is there."""
        return self.probe.beats

    @beating.setter
    def beating(self, beats: bool) -> None:
        self.probe.beats = beats

    @property
    def heard(self) -> list[Heard]:
        """Every whole frame."""
        return self.probe.heard

    @property
    def errors(self) -> int:
        """Frames that came damaged."""
        return self.probe.broken

    # Saying.

    def greet(self, session: int = 4711, *, within_us: int = 2_000_000) -> Hello:
        """Open a session; AssertionError when the board does not answer in time."""
        self._next, self._waiting, self._under_way = 0, [], 0
        known = len(self.hellos)
        # So many tries, not so much time: a computer that stalls has not asked meanwhile.
        for _ in range(within_us // 100_000):
            self.bench.send(b"\0" + framed(wire.H_HELLO, wire.MAJOR, wire.MINOR, session))
            self._wait(self.bench.now_us + 100_000)
            for hello in self.hellos[known:]:
                if hello.session == session:
                    self._zero_us = self.bench.now_us - hello.now_us
                    return hello
        raise Missed(_say("silent", ms=within_us // 1000))

    def say(self, kind: int, payload: bytes = b"") -> None:
        """Send a frame that is not reliable."""
        self.bench.send(wire.frame(kind, payload))

    def order(self, kind: int, payload: bytes = b"") -> None:
        """Send a reliable frame, again and again until it is acknowledged."""
        self._waiting.append((self._next, kind, payload))
        self._next = (self._next + 1) & 0xFF
        self._push()

    def go(self, for_us: int) -> None:
        """Let time go on."""
        end = self.bench.now_us + for_us
        while self.bench.now_us < end:
            self._wait(min(end, self.bench.now_us + SLICE_US))

    def until(
        self, done: Callable[[], bool], within_us: int = 3_000_000, *, what: str = ""
    ) -> None:
        """Let time go on until something holds; Missed when it does not in time.

        The time is the board's own, as its beats tell it: a computer that stalls makes nothing
        late. `what` names what is waited for, by the end of a text's id hil.what.
        """
        known = len(self.heard)

        def is_done() -> bool:
            self._keep_sending()
            return done()

        if not self.probe.until(is_done, within_us):
            raise Missed(self._missing(what, within_us // 1000, known))

    def _missing(self, what: str, ms: int, known: int) -> str:
        """Return a sentence on what did not come, and what did since `known` frames had been
        heard."""
        if len(self.heard) == known:
            return _say("silent", ms=ms)
        if what == "acknowledge" and self._waiting:
            names = {value: name for name, value in vars(wire).items() if name.startswith("H_")}
            orders = (names.get(kind, "?").removeprefix("H_") for _, kind, _ in self._waiting)
            return _say("not-heard", what=", ".join(sorted(set(orders))), ms=ms)
        waited = _say(f"what{what and '.'}{what}", n=len(self.events) + 1)
        last_events = ", ".join(self._named(event) for event in self.events[-8:])
        return _say("did-not-come", what=waited, ms=ms, told=last_events or _say("told-nothing"))

    def _named(self, event: Event) -> str:
        grid = self.bench.profile.grid
        cells = len(self.bench.profile.cells)
        place = grid.name(event.cell) if event.cell < cells else f"button {event.cell}"
        return f"{place} {KINDS.get(event.kind, event.kind)}"

    @property
    def board_us(self) -> int:
        """About the board's present."""
        return self.bench.now_us - self._zero_us

    def now_on_board(self) -> int:
        """The board's time when it read the newest question; Missed when it answers none."""
        if not self.probe.fence():
            raise Missed(_say("silent", ms=self.probe.trip_us // 1000 + 1000))
        return unpacked(wire.B_CLOCK, self.of(wire.B_CLOCK)[-1]).number("rx_us")

    @property
    def done(self) -> bool:
        """True if the board has acknowledged all orders."""
        return not self._waiting

    def _push(self) -> None:
        while self._under_way < min(len(self._waiting), wire.WINDOW):
            seq, kind, payload = self._waiting[self._under_way]
            self.bench.send(wire.frame(kind, payload, wire.RELIABLE, seq))
            self._under_way += 1
            self._sent_us = self.bench.now_us

    def _wait(self, until_us: int) -> None:
        while True:
            now = self.bench.now_us
            self._keep_sending()
            self.probe.turn(max(until_us, now + 1))
            if self.bench.now_us >= until_us:
                return

    def _keep_sending(self) -> None:
        again_us = max(AGAIN_US, 2 * self.probe.trip_us)
        if self._under_way and self.bench.now_us - self._sent_us > again_us:
            self._under_way = 0
        self._push()

    # Hearing.

    def _hear(self, one: Heard) -> None:
        self._acknowledged(one.kind, one.ack)
        if one.kind == wire.B_HELLO:
            self.hellos.append(Hello(*unpacked(wire.B_HELLO, one.payload).fields))
        elif one.kind == wire.B_EVENTS:
            self._take_events(one.flags, one.payload)
        elif one.kind == wire.B_STATE:
            self._take_state(one.payload)

    def _acknowledged(self, kind: int, ack: int) -> None:
        if kind == wire.B_HELLO or not self._waiting:
            return
        done = (ack - self._waiting[0][0]) & 0xFF
        if 0 < done <= self._under_way:
            del self._waiting[:done]
            self._under_way -= done
            self._sent_us = self.bench.now_us
            self._push()

    def _take_events(self, flags: int, payload: bytes) -> None:
        first, low, _, events = unpack_events(payload)
        base = events_base(low, flags, self.board_us)
        aged = flags & wire.AGED
        for n, (cell, kind, dt, uncertainty) in enumerate(events, first):
            late = bool(kind & wire.LATE) and cell < wire.FIRST_BUTTON
            event = Event(base + dt, cell, kind & wire.KIND, uncertainty, late)
            if not aged:
                self.tellings.setdefault(n, set()).add(event)
            if n == self.first + len(self.events):
                self.events.append(event)
        if self.acknowledging:
            self.say(wire.H_ACK, packed(wire.H_ACK, self.first + len(self.events)))

    def _take_state(self, payload: bytes) -> None:
        t_us, event, _, flags, part, parts, kinds = unpack_state(payload)
        got = self._parts.setdefault((t_us, event), {})
        got[part] = kinds
        if len(got) == parts:
            whole = b"".join(got[n] for n in range(parts))
            cells = len(self.bench.profile.cells)
            self.states.append(State(wire.widen(t_us, self.board_us), event, flags, whole[:cells]))
            self._parts.clear()

    def of(self, kind: int) -> list[bytes]:
        """The payloads of all frames of a type."""
        return [one.payload for one in self.probe.of(kind)]

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
