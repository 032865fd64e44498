"""A scripted board and a desk that joins it to a link machine; for test_link*.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from lumiban.boards.link import Link
from lumiban.boards.profile import load
from lumiban.boards.types import (
    BoardEvent,
    Changed,
    LightFrame,
    LinkEvent,
)
from lumiban_fw import wire

HEX3, HEX5 = load("hex3"), load("hex5")
BOOT = 77
T = TypeVar("T")


class ScriptedBoard:
    """Just enough of a board: it answers HELLO, keeps events, obeys reliable frames in order."""

    uid = b"\1" * 8

    def __init__(self, model: bytes = b"hex3", cells: int = 19, boot_id: int = BOOT) -> None:
        self.model, self.cells, self.boot_id = model, cells, boot_id
        self.capabilities = wire.CAN_ORDER
        self.ahead_us = 5_000_000_000  # beyond 32 bits
        self.now = 0
        self.kinds = bytearray(cells)
        self.events: list[tuple[int, int, int, int]] = []
        self.acked = 0
        self.sent = 0
        self.session = -1
        self.expected = 0
        self.staged: dict[int, tuple[int, int]] = {}
        self.shown: dict[int, tuple[int, int]] = {}
        self.colours: dict[int, tuple[int, int, int]] = {}
        self.got: list[int] = []
        self.out = bytearray()
        self.mute = False
        self.talks = True
        self.ring = 256
        self.overflowed = False
        self._decoder = wire.Decoder()
        self._beat = self._state = self._resend = 0

    @property
    def board_us(self) -> int:
        return self.now + self.ahead_us

    def happen(self, cell: int, kind: int, t_us: int | None = None) -> None:
        self.events.append((cell, kind, self.board_us if t_us is None else t_us, 100))
        if cell < self.cells:
            self.kinds[cell] = kind & wire.KIND
        if len(self.events) - self.acked > self.ring:
            self.acked = len(self.events) - self.ring
            self.sent = max(self.sent, self.acked)
            self.overflowed = True

    def send(self, kind: int, payload: bytes = b"", flags: int = 0) -> None:
        if not self.mute:
            self.out += wire.frame(kind, payload, flags, 0, self.expected)

    def state(self, kinds: bytes | None = None, event: int | None = None) -> list[bytes]:
        kinds = bytes(self.kinds) if kinds is None else kinds
        event = len(self.events) if event is None else event
        parts = -(-len(kinds) // wire.CELLS_A_STATE)
        flags = wire.OVERFLOWED if self.overflowed else 0
        size = wire.CELLS_A_STATE
        return [
            wire.pack_state(
                self.board_us, event, self.board_us, flags, p, parts, kinds[p * size :][:size]
            )
            for p in range(parts)
        ]

    def hello(self, session: int) -> bytes:
        return wire.pack_board_hello(
            self.model, 1, self.cells, self.cells, 1, self.uid, self.boot_id, session,
            self.board_us, 1000, self.capabilities, 1,
        )  # fmt: skip

    def hear(self, data: bytes) -> None:
        for kind, flags, seq, _, payload in self._decoder.feed(data):
            self.got.append(kind)
            if self.session < 0 and kind != wire.H_HELLO:
                continue
            if flags & wire.RELIABLE:
                if seq != self.expected:
                    self.send(wire.B_ACK)
                    continue
                self.expected = (seq + 1) & 0xFF
            self._obey(kind, payload)
            if flags & wire.RELIABLE:
                self.send(wire.B_ACK)

    def _obey(self, kind: int, payload: bytes) -> None:
        if kind == wire.H_HELLO:
            self.session = wire.unpack_host_hello(payload)[2]
            self.expected = 0
            self.sent = self.acked
            self.send(wire.B_HELLO, self.hello(self.session))
            self._state = self._beat = self._resend = self.now
        elif kind == wire.H_ACK:
            number = wire.unpack_u32(payload)
            if self.acked <= number <= len(self.events):
                self.acked, self.sent = number, max(self.sent, number)
                self.overflowed = False
        elif kind == wire.H_GET_STATE:
            self._state = self.now
        elif kind == wire.H_CLOCK:
            token = wire.unpack_u32(payload)
            self.send(wire.B_CLOCK, wire.pack_board_clock(token, self.board_us, 0))
        elif kind == wire.H_LAYER:
            _, first, lights = wire.unpack_layer(payload)
            self.staged.update(enumerate(lights, first))
        elif kind == wire.H_PALETTE:
            start, colours = wire.unpack_palette(payload)
            self.colours.update(enumerate(colours, start))
        elif kind == wire.H_COMMIT:
            self.shown = dict(self.staged)

    def tick(self, now: int) -> bytes:
        self.now = now
        if self.session >= 0 and self.talks:
            if now >= self._state:
                self._state = now + 500_000
                for part in self.state():
                    self.send(wire.B_STATE, part)
            if now >= self._beat:
                self._beat = now + 500_000
                self.send(wire.B_BEAT, wire.pack_board_beat(self.board_us, self.board_us))
            due = now >= self._resend
            start = self.acked if due else self.sent
            if due or self.acked == len(self.events):
                self._resend = now + 50_000
            while start < len(self.events):
                batch = self.events[start : start + wire.EVENTS_A_FRAME]
                batch = [e for e in batch if wire.fits_events(batch[0][2], e[2])]
                aged = self.board_us - batch[0][2] > wire.AGED_AFTER_US
                told = wire.pack_events(start, self.board_us, batch, aged)
                self.send(wire.B_EVENTS, told, wire.AGED if aged else 0)
                start += len(batch)
            self.sent = max(self.sent, start)
        data = bytes(self.out)
        self.out.clear()
        return data


class Desk:
    """A link and a board in virtual time, with a line that `spoil` may spoil in both directions."""

    def __init__(
        self,
        board: ScriptedBoard | None = None,
        *,
        resume: tuple[int, int] | None = None,
        spoil: Callable[[bytes], bytes] = bytes,
        session: int = 9,
    ) -> None:
        self.board = board or ScriptedBoard()
        profile = HEX3 if self.board.cells == 19 else HEX5
        self.link = Link(profile, session, resume=resume)
        self.spoil = spoil
        self.now = 0
        self.log: list[LinkEvent] = []
        self.durable = True

    def begin(self) -> Desk:
        self._take(self.link.opened(self.now))
        return self

    def _take(self, events: list[LinkEvent]) -> None:
        self.log += events
        for event in events:
            if isinstance(event, Changed) and self.durable:
                self.link.acknowledge(event.events[-1].number + 1)

    def run(self, until: int, step: int = 1_000) -> Desk:
        while self.now < until:
            out = self.link.take_output()
            if out:
                self.board.hear(self.spoil(out))
            data = self.board.tick(self.now)
            if data:
                self._take(self.link.receive(self.spoil(data), self.now))
            due = self.link.next_deadline()
            if due is not None and due <= self.now:
                self._take(self.link.poll(self.now))
                due = self.link.next_deadline()
                assert due is None or due > self.now  # else a shell would spin
            self.now += step
        return self

    def told(self, kind: type[T]) -> list[T]:
        return [event for event in self.log if isinstance(event, kind)]

    @property
    def events(self) -> list[BoardEvent]:
        return [event for change in self.told(Changed) for event in change.events]


def picture(*lit: int, lights: int = 19, colours: int = 3) -> LightFrame:
    return LightFrame(
        tuple((1, 2) if i in lit else (0, 0) for i in range(lights)),
        tuple((i, i, i) for i in range(colours)),
    )
