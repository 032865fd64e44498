"""A bench over a real port, in real time: `./run test --board serial --port PORT`."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from contract import benches
from lumiban.boards.client import BoardClient
from lumiban.boards.port_line import PortLine
from lumiban.boards.ports import choose
from lumiban.boards.profile import Profile
from lumiban.boards.types import Hello
from lumiban.maker.health import Figures
from lumiban.maker.selftest import SelfTest
from lumiban_fw import wire

RESTART_US = 20_000_000
CAPABILITIES = (
    (wire.CAN_ORDER, "order"),
    (wire.CAN_INJECT, "inject"),
    (wire.CAN_UPDATE, "update"),
    (wire.CALIBRATED, "calibrated"),
    (wire.CAN_FIELD, "field"),
)


@dataclass
class OnPort:
    """The board that a run is about; made once."""

    line: PortLine
    profile: Profile
    hello: Hello
    figures: Figures = field(default_factory=lambda: Figures(""))
    standing: list[str] = field(default_factory=list)
    """Cells on which something stood before the first test."""

    @classmethod
    def opened(cls, port: str, profile: str = "") -> OnPort:
        """Meet the board at a port; BoardError says why there is none."""
        line = PortLine(choose(port))
        client = BoardClient(None, line, port=port)
        hello = client.greet()
        return cls(line, client.fit(profile), hello)

    def measure(self) -> None:
        """Its rate, answers and supply, before the first test."""
        driver = BoardClient(self.profile, self.line)
        driver.open()
        test = SelfTest(driver)
        test.measure()
        self.figures = test.figures
        name = self.profile.grid.name
        seen = enumerate(driver.kinds)
        self.standing = [name(cell) for cell, kind in seen if kind not in (0, wire.MASKED)]

    def about(self) -> dict[str, object]:
        """What the report says of it."""
        hello = self.hello
        return {
            "model": hello.model,
            "profile": self.profile.name,
            "uid": hello.uid,
            "port": self.line.port,
            "simulated": "✓" if hello.is_simulated else "–",
            "firmware": hello.firmware,
            "sources": sources(),
            "revision": hello.revision,
            "cells": hello.cells,
            "lights": hello.lights,
            "can": ", ".join(word for bit, word in CAPABILITIES if hello.capabilities & bit),
        }


def sources() -> str:
    """The beginning of the sum of the firmware that stands here, all files of its program."""
    from lumiban.maker.program import program

    total = hashlib.sha256()
    for name, data in sorted(program(is_source=True).items()):
        total.update(name.encode() + b"\0" + hashlib.sha256(data).digest())
    return total.hexdigest()[:16]


class SerialBench:
    """The board on its port, as a test sees it. Its light is seen by eyes only."""

    def __init__(self, on: OnPort) -> None:
        self.name = "serial"
        self.can = benches.CAN["serial"]
        self.profile = on.profile
        self._line = on.line
        self._heard = bytearray()

    @property
    def now_us(self) -> int:
        """Real time."""
        return self._line.now_us

    def run(self, until_us: int) -> None:
        """Let real time go on, at most until the board has sent something."""
        if not self._heard:
            self._heard += self._line.read(until_us)

    def send(self, data: bytes) -> None:
        """Bytes for the board."""
        self._line.write(data)

    def take(self) -> bytes:
        """What the board has sent since the last call."""
        data = bytes(self._heard) + self._line.read(self._line.now_us)
        self._heard.clear()
        return data

    def cut(self) -> None:
        """Start the board anew by BOOT, and wait until it is up; nobody has greeted it then."""
        line = self._line
        before = BoardClient(None, line).greet().boot_id
        boot = wire.frame(wire.H_BOOT, wire.pack_boot(wire.BOOT_AGAIN), wire.RELIABLE, 0)
        line.write(boot)
        decoder = wire.Decoder()
        end, again = line.now_us + RESTART_US, line.now_us
        while line.now_us < end:
            if line.now_us >= again:
                # Whoever is not greeted yet answers any frame by who it is.
                line.write(b"\0" + wire.frame(wire.H_BEAT, wire.pack_u32(500_000)))
                again = line.now_us + 300_000
            for kind, _, _, _, payload in decoder.feed(line.read(again)):
                if kind == wire.B_HELLO and wire.unpack_board_hello(payload)[8] != before:
                    time.sleep(0.6)  # it introduces itself twice a second: let the next be ours
                    line.read(line.now_us)
                    self._heard.clear()
                    return
        raise AssertionError("the board does not come back after BOOT")


@contextmanager
def bench(on: OnPort) -> Iterator[SerialBench]:
    """The board, just started anew."""
    made = SerialBench(on)
    made.cut()
    yield made
