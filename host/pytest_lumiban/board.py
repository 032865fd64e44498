"""The board under test, in plain calls: what it tells, what it shows, and the host that asks it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import NamedTuple

from lumiban.boards.types import Hello
from lumiban_fw import wire

from pytest_lumiban.bench import Bench
from pytest_lumiban.plain_host import PlainHost, word
from pytest_lumiban.probe import Missed

Colour = tuple[int, int, int]
PIECES = {"white": wire.WHITE, "black": wire.BLACK, "neutral": wire.NEUTRAL}
EFFECTS = {
    "steady": wire.STEADY,
    "blink": wire.BLINK,
    "fast-blink": wire.FAST_BLINK,
    "breathe": wire.BREATHE,
    "pulse": wire.PULSE,
}


OTHERS_FROM = 1 << 24
"""Numbers of firmware that is not lumiban's begin here (docs/wire.md)."""


def is_ours(firmware: int) -> bool:
    """True for the number of a firmware of lumiban's own.

    >>> is_ours(3), is_ours(0x43000001)
    (True, False)
    """
    return firmware < OTHERS_FROM


@cache
def sources() -> str:
    """The beginning of the sum of the firmware that lumiban brings, all files of its program."""
    from lumiban.maker.program import program

    total = hashlib.sha256()
    for name, data in sorted(program(is_source=True).items()):
        total.update(name.encode() + b"\0" + hashlib.sha256(data).digest())
    return total.hexdigest()[:16]


class Told(NamedTuple):
    """An event in words: a cell's name (or "button 1"), what lies there now, seconds."""

    cell: str
    piece: str
    time: float
    uncertainty: float
    late: bool = False

    def __str__(self) -> str:
        return f"{self.cell} {self.piece}"


class BoardUnderTest:
    """The board of a test, greeted, dark and at rest.

    `host` speaks single frames to it, `bench` is its line; `dice` are seeded by `--lumiban-seed`
    and the test's name.
    """

    def __init__(self, bench: Bench, dice: Random) -> None:
        self.bench = bench
        self.dice = dice
        self.profile = bench.profile
        self.host = host = PlainHost(bench)
        host.greet()
        host.wait(lambda: bool(host.states), what="state")
        # What somebody else left unacknowledged is not this test's.
        host.first = host.states[-1].event + len(host.events)
        host.events.clear()
        host.tellings.clear()
        host.say(wire.H_ACK, (host.first,))

    @property
    def hello(self) -> Hello:
        """Its newest HELLO."""
        return self.host.hellos[-1]

    @property
    def cells(self) -> tuple[str, ...]:
        """Names of all cells, in the order of their numbers."""
        return self.profile.grid.names

    def number(self, cell: str) -> int:
        """The number of a cell; GameError when the board has none of this name."""
        return self.profile.grid.cell(cell)

    def name(self, number: int) -> str:
        """The name of a cell or button by its number on the wire."""
        return self.host.name(number)

    def piece(self, piece: str) -> str:
        """The word by which this board tells a piece: of switches each one is neutral."""
        return "neutral" if self.hello.capabilities & wire.PRESENCE_ONLY else piece

    def about(self) -> dict[str, object]:
        """Return what a report says of it; the sum of sources only where the firmware is ours."""
        hello = self.hello
        told: dict[str, object] = {
            "model": hello.model,
            "profile": self.profile.name,
            "uid": hello.uid,
            "firmware": hello.firmware,
        }
        return told | ({"sources": sources()} if is_ours(hello.firmware) else {})

    # What it tells.

    @property
    def events(self) -> list[Told]:
        """All events since the test began."""
        return [
            Told(
                self.name(one.cell),
                word(one.kind),
                one.t_us / 1e6,
                one.uncertainty_us / 1e6,
                one.is_late,
            )
            for one in self.host.events
        ]

    @property
    def pieces(self) -> dict[str, str]:
        """Pieces that the board believes to lie on it: the newest STATE, and the events after
        it."""
        return self._words(self.host.belief())

    @property
    def state(self) -> dict[str, str]:
        """Pieces that the board's newest STATE has."""
        return self._words(self.host.states[-1].kinds)

    def _words(self, kinds: Sequence[int]) -> dict[str, str]:
        named = zip(self.cells, kinds, strict=False)
        return {cell: word(kind) for cell, kind in named if kind}

    def wait(self, seconds: float) -> None:
        """Let time go by."""
        self.host.run(round(seconds * 1e6))

    def wait_for_events(self, count: int, timeout: float = 6.0) -> list[Told]:
        """Events of the test, once there are `count` of them, within `timeout` seconds.

        Raises Missed, which names what came instead.
        """
        enough = self.host.events
        self.host.wait(lambda: len(enough) >= count, round(timeout * 1e6), what="event")
        return self.events

    def ask_state(self) -> dict[str, str]:
        """Return the pieces of a fresh STATE."""
        known = len(self.host.states)
        self.host.say(wire.H_GET_STATE)
        self.host.wait(lambda: len(self.host.states) > known, what="state")
        return self.state

    # What it is told.

    def show(
        self,
        colours: dict[str, tuple[int, int, int]],
        effect: str = "steady",
        *,
        commit: bool = True,
    ) -> None:
        """Light cells in colours (0 to 255 each), all others dark; `effect` is of `EFFECTS`."""
        under = {self.profile.cells[self.number(cell)].light: rgb for cell, rgb in colours.items()}
        self.show_lights(under, effect, commit=commit)

    def show_lights(
        self, colours: dict[int, Colour], effect: str = "steady", *, commit: bool = True
    ) -> None:
        """Give lights colours by their numbers, and make all others dark."""
        lights = [(0, wire.STEADY)] * self.profile.lights
        palette: dict[Colour, int] = {}
        for light, colour in colours.items():
            entry = palette.setdefault(colour, len(palette) + 1)
            lights[light] = (entry, EFFECTS[effect])
        for first in range(0, len(palette), wire.COLOURS_A_FRAME):
            some = list(palette)[first : first + wire.COLOURS_A_FRAME]
            self.host.order(wire.H_PALETTE, (first + 1,), some)
        for first in range(0, len(lights), wire.LIGHTS_A_FRAME):
            part = lights[first : first + wire.LIGHTS_A_FRAME]
            self.host.order(wire.H_LAYER, (0, first), part)
        if commit:
            self.host.order(wire.H_COMMIT, (0,))
        self.settle()

    def commit(self) -> None:
        """Let what was staged appear."""
        self.host.order(wire.H_COMMIT, (0,))
        self.settle()

    def configure(self, key: int, value: int) -> None:
        """Set a CFG key of `wire`."""
        self.host.order(wire.H_CFG, (key, value))
        self.settle()

    def settle(self) -> None:
        """Wait until it has acknowledged all orders."""
        self.host.settle()

    def leave(self) -> None:
        """Put out its lights, and let it read its own sensors again."""
        try:
            if self.hello.capabilities & wire.CAN_INJECT:
                self.configure(wire.CFG_INJECT, 0)
            self.configure(wire.CFG_BRIGHTNESS, wire.BRIGHTNESS)
            self.show({})
        except Missed:
            pass  # the test that made it so has told
