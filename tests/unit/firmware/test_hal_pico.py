"""What the chip's backend puts off while frames wait to be taken in."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from fake_pico import Pico


class Rig:
    """A backend with a line, a capture and a collector that only note what is asked of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.chip = Pico()
        self.code: Any = self.chip.load("hal_pico")
        self.hal = object.__new__(self.code.Pico)
        self.hal._capture = self.capture = SimpleNamespace(waiting=0, period_us=1_000)
        self.hal._usb = SimpleNamespace(read=lambda: b"\0")
        self.hal._heard_us = 0
        self.hal._idle = self.code.IdleMoments()
        self.hal._holes = 0
        self.collected = self.counted = 0
        monkeypatch.setattr(self.code.gc, "collect", self._collect)
        monkeypatch.setattr(self.code.gc, "mem_free", self._count, raising=False)

    def _collect(self) -> None:
        self.collected += 1

    def _count(self) -> int:
        self.counted += 1
        return 1_000 * self.counted

    def turn(self, at_us: int, took_us: int = 1_000) -> bytes:
        """Listen, and tidy at the end of a turn that took so long."""
        self.chip.ticks = at_us
        self.hal.now_us()
        heard: bytes = self.hal.read()
        self.chip.ticks = at_us + took_us
        self.hal.tidy(False)
        return heard


def test_a_host_waits_while_frames_do_but_not_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Rig(monkeypatch)
    assert rig.turn(2_000) == b"\0"
    rig.capture.waiting = 7
    assert rig.turn(4_000) == b"\0"
    rig.capture.waiting = 8
    assert [rig.turn(t) for t in (6_000, 12_000, 23_000)] == [b"", b"", b""]
    assert rig.turn(24_000) == b"\0"
    assert rig.turn(30_000) == b""
    rig.capture.waiting = 0
    assert rig.turn(31_000) == b"\0"


def test_garbage_is_collected_after_a_short_turn_without_frames_that_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rig = Rig(monkeypatch)
    rig.turn(0)
    rig.capture.waiting = 8
    rig.turn(400_000)
    rig.capture.waiting = 0
    rig.turn(410_000, took_us=4_000)
    assert (rig.counted, rig.collected) == (0, 0)
    rig.turn(420_000)
    assert (rig.counted, rig.collected) == (1, 0), "each in a turn of its own"
    rig.turn(430_000)
    assert (rig.counted, rig.collected) == (1, 1)
    rig.turn(500_000)
    assert rig.collected == 1
    rig.turn(10_430_000)
    rig.turn(10_440_000)
    assert rig.collected == 2


@pytest.mark.one_case
@pytest.mark.parametrize(
    ("chip", "driven"),
    [("Raspberry Pi Pico with RP2040", 1), ("Raspberry Pi Pico W with RP2040", None)],
)
def test_a_plain_picos_regulator_is_kept_from_saving_power(
    chip: str, driven: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Its ripple would be in every reading; a Pico W has its radio on that pin.
    code: Any = Pico().load("hal_pico")
    space = code.Pico.__init__.__globals__
    pins: dict[int, int | None] = {}

    class Pin:
        IN, OUT, PULL_UP = 0, 1, 2

        def __init__(self, number: int, *_mode: int, value: int | None = None) -> None:
            pins[number] = value

    parts = {
        "machine": SimpleNamespace(
            unique_id=lambda: b"uid", reset_cause=lambda: 1, WDT_RESET=3, mem32={},
            ADC=lambda _pin: None, WDT=lambda **_timeout: None,
        ),
        "sys": SimpleNamespace(implementation=("micropython", (1, 27, 0), chip)),
        "Pin": Pin, "Usb": SimpleNamespace, "Lamps": SimpleNamespace,
    }  # fmt: skip
    for name, part in parts.items():
        monkeypatch.setitem(space, name, part)
    monkeypatch.setattr(
        code.Pico, "sensors", lambda _hal, _layout: SimpleNamespace(period_us=1_000)
    )
    code.Pico(None)
    assert pins.get(23) == driven
