"""Boards that are wrong in one thing, by a relay between any board and its host.

`--lumiban-wrong NAME` puts one of them in between: a suite that passes then has missed it. The
relay opens frames, changes what its one line says, and closes them again under a valid crc. `SOUND`
changes nothing that a host may rely on: no test may fail there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from lumiban.boards.messages import message
from lumiban.errors import UsageError
from lumiban_fw import wire

from pytest_lumiban.bench import Bench, Over

Payload = bytes
Change = Callable[[Payload], Payload | None]
"""A payload as it goes on; None: the frame is lost."""
NOTHING = message(wire.H_CFG).pack((0xEE, 0))
"""A CFG that no board knows, in place of a reliable frame that is lost: the numbers go on."""


class Wrong:
    """Changes on the way between board and host: payloads by type, in either direction."""

    def __init__(self, words: str, *changes: tuple[int, Change], delay_us: int = 0) -> None:
        self.words = words
        self.changes = dict(changes)
        self.delay_us = delay_us


def _told(
    kind: int, change: Callable[[dict[str, Any], list[list[int]]], None]
) -> tuple[int, Change]:
    """A message of which fields or what is repeated are others."""
    one = message(kind)

    def changed(payload: Payload) -> Payload:
        told = one.unpack(payload)
        values, tail = dict(told.values), [list(parts) for parts in told.tail]
        change(values, tail)  # type: ignore[arg-type]  # what is repeated is numbers, but for names
        return one.pack(values.values(), tail)

    return kind, changed


def _field(kind: int, name: str, change: Callable[[int], int]) -> tuple[int, Change]:
    return _told(kind, lambda values, _: values.update({name: change(values[name])}))


def _tail(kind: int, change: Callable[[list[int]], list[int]]) -> tuple[int, Change]:
    def changed(_: dict[str, Any], tail: list[list[int]]) -> None:
        tail[:] = map(change, tail)

    return _told(kind, changed)


def _event(change: Callable[[int, int, int, int], tuple[int, int, int, int]]) -> tuple[int, Change]:
    """EVENTS whose (cell, kind, dt, uncertainty) are others."""
    return _tail(wire.B_EVENTS, lambda parts: list(change(*parts)))


def _state(change: Callable[[list[int]], None]) -> tuple[int, Change]:
    """STATE whose kinds are others, from cell 0 on; only the first part of large boards."""

    def changed(values: dict[str, Any], tail: list[list[int]]) -> None:
        halves = [half for (byte,) in tail for half in (byte & 15, byte >> 4)]
        if not values["part"]:
            change(halves)
        tail[:] = [[low | high << 4] for low, high in zip(halves[::2], halves[1::2], strict=True)]

    return _told(wire.B_STATE, changed)


def _flip(kind: int, bit: int) -> tuple[int, Change]:
    """The last byte of a tenth of these frames, under a valid crc."""
    dice = Random("flip")

    def changed(payload: Payload) -> Payload:
        return payload[:-1] + bytes((payload[-1] ^ bit,)) if dice.random() < 0.1 else payload

    return kind, changed


def _lost(kind: int) -> tuple[int, Change]:
    return kind, lambda payload: None


def _swap(a: int, b: int) -> Callable[[int], int]:
    return lambda cell: {a: b, b: a}.get(cell, cell)


def _swapped(kinds: list[int]) -> None:
    kinds[3], kinds[4] = kinds[4], kinds[3]


def _made(cell: int, kind: int) -> Callable[[list[int]], None]:
    def change(kinds: list[int]) -> None:
        kinds[cell] = kind

    return change


def _black(payload: Payload) -> Payload:
    return payload[:1] + bytes(len(payload) - 1)


def _doubled(payload: Payload) -> Payload:
    if payload[0] != wire.CFG_BRIGHTNESS:
        return payload
    return payload[:1] + min(2 * int.from_bytes(payload[1:], "little"), 255).to_bytes(4, "little")


def _exchanged(column: int) -> tuple[int, Change]:
    """CELLS in which cells 4 and 5 have one number of the other."""

    def changed(values: dict[str, Any], tail: list[list[int]]) -> None:
        if values["first"] == 4 and len(tail) > 1:
            tail[0][column], tail[1][column] = tail[1][column], tail[0][column]

    return _told(wire.B_CELLS, changed)


def _references(values: dict[str, Any], tail: list[list[int]]) -> None:
    if values["first"] >= wire.FIRST_BUTTON:
        tail[:] = [[reading + 100] for (reading,) in tail]


def _field_swapped(values: dict[str, Any], tail: list[list[int]]) -> None:
    if values["first"] == 0 and len(tail) > 4:
        tail[3], tail[4] = tail[4], tail[3]


def _steady(pair: list[int]) -> list[int]:
    return [pair[0], wire.STEADY]


def _seldom(kind: int) -> tuple[int, Change]:
    turn = iter(range(1 << 30))
    return kind, lambda payload: payload if next(turn) % 3 == 0 else None


def _brightness(payload: Payload) -> Payload:
    return NOTHING if payload[0] == wire.CFG_BRIGHTNESS else payload


def _masks(payload: Payload) -> Payload:
    return NOTHING if payload[0] in (wire.CFG_MASK, wire.CFG_UNMASK) else payload


_jitter = Random("clock")
_WHITE, _BLACK, _NEUTRAL, _EMPTY = wire.WHITE, wire.BLACK, wire.NEUTRAL, wire.EMPTY
_other = {_WHITE: _BLACK, _BLACK: _WHITE}

ZOO: dict[str, Wrong] = {
    "dark": Wrong("its lights stay black", (wire.H_PALETTE, _black)),
    "no-commit": Wrong("COMMIT does nothing", _lost(wire.H_COMMIT)),
    "no-effects": Wrong("every effect is steady", _tail(wire.H_LAYER, _steady)),
    "no-brightness": Wrong("BRIGHTNESS does nothing", (wire.H_CFG, _brightness)),
    "doubled": Wrong("BRIGHTNESS counts twice", (wire.H_CFG, _doubled)),
    "exchanged-colours": Wrong(
        "red and green are exchanged", _tail(wire.H_PALETTE, lambda rgb: [rgb[1], rgb[0], rgb[2]])
    ),
    "palette": Wrong(
        "a light has the colour of the entry after its own",
        _tail(wire.H_LAYER, lambda glow: [glow[0] + 1 if glow[0] else 0, glow[1]]),
    ),
    "exchanged-effects": Wrong(
        "BLINK and FAST_BLINK are exchanged",
        _tail(wire.H_LAYER, lambda glow: [glow[0], _swap(wire.BLINK, wire.FAST_BLINK)(glow[1])]),
    ),
    "exchanged-lights": Wrong("CELLS exchanges the lights of cells 4 and 5", _exchanged(2)),
    "exchanged-names": Wrong("CELLS exchanges the names of cells 4 and 5", _exchanged(5)),
    "stats-rate": Wrong(
        "STATS tells a scan_hz of 50", _field(wire.B_STATS, "scan_hz", lambda _: 50)
    ),
    "references": Wrong("FIELD's references are 100 counts off", _told(wire.B_FIELD, _references)),
    "clock": Wrong(
        "its clock is off by 0 to 80 ms",
        _field(wire.B_CLOCK, "rx_us", lambda us: us + _jitter.randrange(80_000)),
    ),
    "flipped-events": Wrong("a tenth of EVENTS end in a wrong byte", _flip(wire.B_EVENTS, 0x04)),
    "flipped-state": Wrong("a tenth of STATEs end in a wrong byte", _flip(wire.B_STATE, 0x01)),
    "swapped-cells": Wrong(
        "cells 3 and 4 are swapped",
        _event(lambda c, *rest: (_swap(3, 4)(c), *rest)),
        _state(_swapped),
    ),
    "swapped-field": Wrong("FIELD has cells 3 and 4 swapped", _told(wire.B_FIELD, _field_swapped)),
    "certain": Wrong("every uncertainty is 0", _event(lambda c, k, dt, _: (c, k, dt, 0))),
    "colours": Wrong(
        "white is told as black", _event(lambda c, k, dt, u: (c, _other.get(k, k), dt, u))
    ),
    "neutral": Wrong(
        "a neutral piece is told as white",
        _event(lambda c, k, dt, u: (c, _WHITE if k == _NEUTRAL else k, dt, u)),
    ),
    "dead-cell": Wrong(
        "cell 7 is always empty",
        _event(lambda c, k, dt, u: (c, _EMPTY if c == 7 else k, dt, u)),
        _state(_made(7, _EMPTY)),
    ),
    "stuck-state": Wrong("STATE always has a white piece on cell 5", _state(_made(5, _WHITE))),
    "late": Wrong(
        "events have the time 150 ms after contact",
        _field(wire.B_EVENTS, "base_us", lambda us: us + 150_000),
    ),
    "always-late": Wrong(
        "every event carries LATE",
        _event(lambda c, k, dt, u: (c, k | wire.LATE * (c < 240), dt, u)),
    ),
    "deaf": Wrong("it never hears an ACK", _lost(wire.H_ACK)),
    "state-behind": Wrong(
        "STATE is an event behind", _field(wire.B_STATE, "event", lambda n: max(n - 1, 0))
    ),
    "few-beats": Wrong("two of three BEATs are missing", _seldom(wire.B_BEAT)),
    "watermark": Wrong(
        "its watermark is 2 s behind",
        _field(wire.B_BEAT, "watermark_us", lambda us: max(us - 2_000_000, 0)),
    ),
    "same-boot": Wrong("boot_id never changes", _field(wire.B_HELLO, "boot_id", lambda _: 7)),
    "no-mask": Wrong("MASK does nothing", (wire.H_CFG, _masks)),
    "no-nak": Wrong("nothing is ever refused", _lost(wire.B_NAK)),
    "no-stats": Wrong("it sends no STATS", _lost(wire.B_STATS)),
}
SOUND: dict[str, Wrong] = {
    "plain": Wrong("nothing is changed"),
    "slow": Wrong("every answer comes 200 ms late", delay_us=200_000),
}


def chosen(name: str) -> Wrong:
    """The wrong board of this name; UsageError names all."""
    known = {**ZOO, **SOUND}
    if name not in known:
        raise UsageError(f"no wrong board {name!r}: choose one of {', '.join(known)}")
    return known[name]


class WrongBoard(Over):
    """A bench whose board is wrong in one thing; all else is the bench's own."""

    def __init__(self, inner: Bench, wrong: Wrong) -> None:
        super().__init__(inner, inner.name, inner.profile, inner.can)
        self._wrong = wrong
        self._down, self._up = wire.Decoder(), wire.Decoder()
        self._under_way: deque[tuple[int, bytes]] = deque()

    def write(self, data: bytes) -> None:
        """Bytes for the board: frames go on changed, all else as it is."""
        if not any(not kind & wire.FROM_BOARD for kind in self._wrong.changes):
            self._line.write(data)
            return
        for part in data.split(b"\0"):
            frame = self._down.feed(part + b"\0") if part else []
            if not frame:
                self._line.write(part + b"\0")
            for out in self._changed(frame):
                self._line.write(out)

    def read(self, until_us: int) -> bytes:
        """Let time go on, and return the bytes that have come through."""
        due = self._under_way[0][0] if self._under_way else until_us
        data = self._line.read(min(until_us, max(due, self.now_us)))
        if any(kind & wire.FROM_BOARD for kind in self._wrong.changes):
            data = b"".join(self._changed(self._up.feed(data)))
        if data:
            self._under_way.append((self.now_us + self._wrong.delay_us, data))
        out = b""
        while self._under_way and self._under_way[0][0] <= self.now_us:
            out += self._under_way.popleft()[1]
        return out

    def _changed(self, frames: list[tuple[int, int, int, int, bytes]]) -> Iterator[bytes]:
        for kind, flags, seq, ack, payload in frames:
            change = self._wrong.changes.get(kind)
            other = payload if change is None or _is_short(kind, payload) else change(payload)
            if other is None and flags & wire.RELIABLE:
                kind, other = wire.H_CFG, NOTHING
            if other is not None:
                body = bytes((kind, flags, seq, ack)) + other
                yield wire.cobs(body + wire.crc16(body).to_bytes(2, "little")) + b"\0"


def _is_short(kind: int, payload: bytes) -> bool:
    """True if a payload is none of its type, and goes on as it is."""
    try:
        message(kind).unpack(payload)
    except (ValueError, KeyError):
        return True
    return False
