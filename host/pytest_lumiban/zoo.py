"""Boards that are wrong in one thing, by a relay between any board and its host.

`--lumiban-wrong NAME` puts one of them in between: a suite that passes then has missed it. The
relay opens frames, changes what their row says, and closes them again under a valid crc. `SOUND`
changes nothing that a host may rely on: no test may fail there.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

from lumiban.boards.messages import message
from lumiban.errors import UsageError
from lumiban_fw import wire

from pytest_lumiban.bench import Bench, Over

Values = dict[str, Any]
"""Fields of a message, by name."""
Rows = list[list[Any]]
"""What a message repeats."""
LOST = object()
Change = Callable[[Values, Rows], object]
"""Changes a message; with `LOST` it goes no further."""
NOTHING = message(wire.H_CFG).pack((0xEE, 0))
"""A CFG that no board knows, in place of a reliable frame that is lost: the numbers go on."""


class Wrong(NamedTuple):
    """Changes on the way between board and host: by type of frame, in either direction."""

    words: str
    changes: dict[int, Change]
    delay_us: int = 0


def _lost(values: Values, rows: Rows) -> object:
    return LOST


def _two_of_three(values: Values, rows: Rows) -> object:
    return LOST if next(_turn) % 3 else None


def _field(name: str, change: Callable[[int], int]) -> Change:
    return lambda values, _: values.update({name: change(values[name])})


def _each(change: Callable[..., list[Any]]) -> Change:
    """Each row is another: `change` gets its columns."""

    def changed(_: Values, rows: Rows) -> None:
        rows[:] = [change(*row) for row in rows]

    return changed


def _events(change: Callable[[int, int], tuple[int, int]]) -> Change:
    """EVENTS whose cells and kinds are others."""
    return _each(lambda cell, kind, *rest: [*change(cell, kind), *rest])


def _kinds(change: Callable[[int, list[int]], int]) -> Change:
    """STATE whose kinds are others, by cell and all kinds; only the first part of large boards."""

    def changed(values: Values, rows: Rows) -> None:
        if values["part"]:
            return
        told = [half for (byte,) in rows for half in (byte & 15, byte >> 4)]
        kinds = [change(cell, told) for cell in range(len(told))]
        rows[:] = [[low | high << 4] for low, high in zip(kinds[::2], kinds[1::2], strict=True)]

    return changed


def _flipped(bit: int) -> Change:
    """The last byte of a tenth of these frames, under a valid crc."""
    dice = Random("flip")

    def changed(_: Values, rows: Rows) -> None:
        if dice.random() < 0.1:
            rows[-1][-1] ^= bit

    return changed


def _exchanged(column: int) -> Change:
    """CELLS in which cells 4 and 5 have one column of the other."""

    def changed(values: Values, rows: Rows) -> None:
        if values["first"] == 4 and len(rows) > 1:
            rows[0][column], rows[1][column] = rows[1][column], rows[0][column]

    return changed


def _swapped(values: Values, rows: Rows) -> None:
    if values["first"] == 0:
        rows[3:5] = rows[4:2:-1]


def _doubled(values: Values, _: Rows) -> None:
    if values["key"] == wire.CFG_BRIGHTNESS:
        values["value"] = min(2 * values["value"], 255)


def _ignored(*keys: int) -> Change:
    """CFG of which these keys do nothing."""
    return lambda values, _: LOST if values["key"] in keys else None


def _references(values: Values, rows: Rows) -> None:
    if values["first"] >= wire.FIRST_BUTTON:
        rows[:] = [[reading + 100] for (reading,) in rows]


def _swap(a: int, b: int) -> Callable[[int], int]:
    return lambda one: {a: b, b: a}.get(one, one)


_turn, _jitter = itertools.count(), Random("clock")
_3_4, _colours = _swap(3, 4), _swap(wire.WHITE, wire.BLACK)
_blinks = _swap(wire.BLINK, wire.FAST_BLINK)

ZOO: dict[str, Wrong] = {
    # Lights.
    "dark": Wrong("its lights stay black", {wire.H_PALETTE: _each(lambda r, g, b: [0, 0, 0])}),
    "no-commit": Wrong("COMMIT does nothing", {wire.H_COMMIT: _lost}),
    "no-effects": Wrong(
        "every effect is steady", {wire.H_LAYER: _each(lambda entry, _: [entry, wire.STEADY])}
    ),
    "no-brightness": Wrong("BRIGHTNESS does nothing", {wire.H_CFG: _ignored(wire.CFG_BRIGHTNESS)}),
    "doubled": Wrong("BRIGHTNESS counts twice", {wire.H_CFG: _doubled}),
    "exchanged-colours": Wrong(
        "red and green are exchanged", {wire.H_PALETTE: _each(lambda r, g, b: [g, r, b])}
    ),
    "palette": Wrong(
        "a light has the colour of the entry after its own",
        {wire.H_LAYER: _each(lambda entry, effect: [entry + (entry > 0), effect])},
    ),
    "exchanged-effects": Wrong(
        "BLINK and FAST_BLINK are exchanged",
        {wire.H_LAYER: _each(lambda entry, effect: [entry, _blinks(effect)])},
    ),
    # What the board is.
    "exchanged-lights": Wrong(
        "CELLS exchanges the lights of cells 4 and 5", {wire.B_CELLS: _exchanged(2)}
    ),
    "exchanged-names": Wrong(
        "CELLS exchanges the names of cells 4 and 5", {wire.B_CELLS: _exchanged(5)}
    ),
    "stats-rate": Wrong(
        "STATS tells a scan_hz of 50", {wire.B_STATS: _field("scan_hz", lambda _: 50)}
    ),
    "references": Wrong("FIELD's references are 100 counts off", {wire.B_FIELD: _references}),
    "swapped-field": Wrong("FIELD has cells 3 and 4 swapped", {wire.B_FIELD: _swapped}),
    "same-boot": Wrong("boot_id never changes", {wire.B_HELLO: _field("boot_id", lambda _: 7)}),
    # Pieces.
    "flipped-events": Wrong(
        "a tenth of EVENTS end in a wrong byte", {wire.B_EVENTS: _flipped(0x04)}
    ),
    "flipped-state": Wrong("a tenth of STATEs end in a wrong byte", {wire.B_STATE: _flipped(0x01)}),
    "swapped-cells": Wrong(
        "cells 3 and 4 are swapped",
        {
            wire.B_EVENTS: _events(lambda cell, kind: (_3_4(cell), kind)),
            wire.B_STATE: _kinds(lambda cell, told: told[_3_4(cell)]),
        },
    ),
    "certain": Wrong(
        "every uncertainty is 0", {wire.B_EVENTS: _each(lambda *parts: [*parts[:-1], 0])}
    ),
    "colours": Wrong(
        "white is told as black, and black as white",
        {wire.B_EVENTS: _events(lambda cell, kind: (cell, _colours(kind)))},
    ),
    "neutral": Wrong(
        "a neutral piece is told as white",
        {
            wire.B_EVENTS: _events(
                lambda cell, kind: (cell, wire.WHITE if kind == wire.NEUTRAL else kind)
            )
        },
    ),
    "dead-cell": Wrong(
        "cell 7 is always empty",
        {
            wire.B_EVENTS: _events(lambda cell, kind: (cell, kind * (cell != 7))),
            wire.B_STATE: _kinds(lambda cell, told: told[cell] * (cell != 7)),
        },
    ),
    "stuck-state": Wrong(
        "STATE always has a white piece on cell 5",
        {wire.B_STATE: _kinds(lambda cell, told: wire.WHITE if cell == 5 else told[cell])},
    ),
    "always-late": Wrong(
        "every event carries LATE",
        {
            wire.B_EVENTS: _events(
                lambda cell, kind: (cell, kind | wire.LATE * (cell < wire.FIRST_BUTTON))
            )
        },
    ),
    # Time and order.
    "clock": Wrong(
        "its clock is off by 0 to 80 ms",
        {wire.B_CLOCK: _field("rx_us", lambda us: us + _jitter.randrange(80_000))},
    ),
    "late": Wrong(
        "events have the time 150 ms after contact",
        {wire.B_EVENTS: _field("base_us", lambda us: us + 150_000)},
    ),
    "watermark": Wrong(
        "its watermark is 2 s behind",
        {wire.B_BEAT: _field("watermark_us", lambda us: max(us - 2_000_000, 0))},
    ),
    "state-behind": Wrong(
        "STATE is an event behind", {wire.B_STATE: _field("event", lambda n: max(n - 1, 0))}
    ),
    "few-beats": Wrong("two of three BEATs are missing", {wire.B_BEAT: _two_of_three}),
    # What it is told.
    "deaf": Wrong("it never hears an ACK", {wire.H_ACK: _lost}),
    "no-mask": Wrong("MASK does nothing", {wire.H_CFG: _ignored(wire.CFG_MASK, wire.CFG_UNMASK)}),
    "no-nak": Wrong("nothing is ever refused", {wire.B_NAK: _lost}),
    "no-stats": Wrong("it sends no STATS", {wire.B_STATS: _lost}),
}
SOUND: dict[str, Wrong] = {
    "plain": Wrong("nothing is changed", {}),
    "slow": Wrong("every answer comes 200 ms late", {}, 200_000),
}


def chosen(name: str) -> Wrong:
    """The wrong board of this name; UsageError names all."""
    known = ZOO | SOUND
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
        if not self._wrong.changes:
            self._line.write(data)
            return
        for part in data.removesuffix(b"\0").split(b"\0"):
            frames = self._down.feed(part + b"\0")
            self._line.write(b"".join(self._changed(frames)) if frames else part + b"\0")

    def read(self, until_us: int) -> bytes:
        """Let time go on, and return the bytes that have come through."""
        due = self._under_way[0][0] if self._under_way else until_us
        data = self._line.read(min(until_us, max(due, self.now_us)))
        if self._wrong.changes:
            data = b"".join(self._changed(self._up.feed(data)))
        if data:
            self._under_way.append((self.now_us + self._wrong.delay_us, data))
        out = b""
        while self._under_way and self._under_way[0][0] <= self.now_us:
            out += self._under_way.popleft()[1]
        return out

    def _changed(self, frames: list[tuple[int, int, int, int, bytes]]) -> Iterator[bytes]:
        for kind, flags, seq, ack, payload in frames:
            other = self._other(kind, payload)
            if other is None and flags & wire.RELIABLE:
                kind, other = wire.H_CFG, NOTHING
            if other is not None:
                body = bytes((kind, flags, seq, ack)) + other
                yield wire.cobs(body + wire.crc16(body).to_bytes(2, "little")) + b"\0"

    def _other(self, kind: int, payload: bytes) -> bytes | None:
        """This payload as it goes on; one that is none of its type goes on as it is."""
        change = self._wrong.changes.get(kind)
        if change is None:
            return payload
        one = message(kind)
        try:
            told = one.unpack(payload)
        except ValueError:
            return payload
        values, rows = dict(told.values), [list(row) for row in told.tail]
        return None if change(values, rows) is LOST else one.pack(values.values(), rows)
