"""Traces of a board under test as VCD files, for GTKWave, PulseView and sigrok.

    pytest test_mine.py --lumiban-trace traces

Beside the line's signals (`lumiban.flight.trace`) there are `light_…`, the colour of a simulated
board's light, and `lit_…`, whether it shines; `scan`, a pulse for each time that a simulated board
looked at its sensors; and `gpio_…`, the pins that a simulated header drives, its select lines among
them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lumiban.flight.trace import LineTrace, vcd

from pytest_lumiban.bench import Bench, Over

SCAN_US = 10
"""A scan's pulse is so long."""


class Traced(Over):
    """A bench whose line, light and scans are noted; all else is the bench's own."""

    def __init__(self, inner: Bench) -> None:
        super().__init__(inner, inner.name, inner.profile, inner.can)
        self._inner: Any = inner
        self._frames = LineTrace(inner.profile)
        self._begun_us = inner.now_us
        self._changes = self._frames.changes
        self._light = b""
        self._pins: set[int] = set()
        body: Any = getattr(getattr(getattr(inner, "rig", None), "chip", None), "body", None)
        if hasattr(body, "note_pins"):
            body.note_pins(self._pin)

    def _pin(self, at_us: int, pin: int, level: int) -> None:
        self._pins.add(pin)
        self._changes.append((at_us, f"gpio_{pin}", level))

    def write(self, data: bytes) -> None:
        """Bytes for the board."""
        self._frames.to_board(self.now_us, data)
        self._inner.write(data)

    def read(self, until_us: int) -> bytes:
        """Let time go on; the bytes that the board has sent."""
        data: bytes = self._inner.read(until_us)
        self._frames.to_host(self.now_us, data)
        self._look()
        return data

    def _look(self) -> None:
        if "light" not in self.can:
            return
        light: bytes = self._inner.light()
        if light == self._light:
            return
        self._light = light
        for cell, place in enumerate(self.profile.cells):
            rgb = light[3 * place.light : 3 * place.light + 3]
            name = self.profile.grid.names[cell]
            self._changes.append((self.now_us, f"light_{name}", int.from_bytes(rgb, "big")))
            self._changes.append((self.now_us, f"lit_{name}", int(any(rgb))))

    def save(self, path: Path, title: str) -> None:
        """Write what was noted."""
        names = self.profile.grid.names
        signals = self._frames.signals()
        changes = [*self._changes]
        if "light" in self.can:
            signals |= {f"light_{name}": 24 for name in names}
            signals |= {f"lit_{name}": 1 for name in names}
        signals |= {f"gpio_{pin}": 1 for pin in sorted(self._pins)}
        looked: list[int] = getattr(self._inner, "looked", [])
        if looked:
            signals["scan"] = 1
            for at_us in looked:
                changes += [(at_us, "scan", 1), (at_us + SCAN_US, "scan", 0)]
        zero_us = self._begun_us
        ordered = sorted((at_us - zero_us, name, value) for at_us, name, value in changes)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(vcd(signals, ordered, comment=title)), "ascii", "replace")
