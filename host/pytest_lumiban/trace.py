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
        body: Any = getattr(getattr(getattr(inner, "rig", None), "chip", None), "body", None)
        if hasattr(body, "note_pins"):
            body.note_pins(self._pin)

    def _pin(self, at_us: int, pin: int, level: int) -> None:
        self._changes.append((at_us, f"gpio_{pin}", level))

    def write(self, data: bytes) -> None:
        """Bytes for the board."""
        self._frames.to_board(self.now_us, data)
        self._inner.write(data)

    def read(self, until_us: int) -> bytes:
        """Let time go on; the bytes that the board has sent."""
        data: bytes = self._inner.read(until_us)
        self._frames.to_host(self.now_us, data)
        before, self._light = self._light, self._inner.light() if "light" in self.can else b""
        for cell in self.profile.grid.names if self._light != before else ():
            rgb = bytes(self._inner.look(cell))
            self._changes.append((self.now_us, f"light_{cell}", int.from_bytes(rgb, "big")))
            self._changes.append((self.now_us, f"lit_{cell}", int(any(rgb))))
        return data

    def save(self, path: Path, title: str) -> None:
        """Write what was noted."""
        signals, changes = [*self._frames.signals], [*self._changes]
        if "light" in self.can:
            names = self.profile.grid.names
            signals += [f"{sort}_{name}" for sort in ("light", "lit") for name in names]
        for at_us in getattr(self._inner, "looked", ()):
            changes += [(at_us, "scan", 1), (at_us + SCAN_US, "scan", 0)]
        since = [(at_us - self._begun_us, name, value) for at_us, name, value in changes]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(vcd(since, signals, comment=title)), "ascii", "replace")
