"""A Pico with switches on its pins: the firmware's own scan on registers of plain Python.

`Pins` are the chip's, set and read by SIO's registers, with `lumiban_sim.switches.PicoSwitches`
around them; `SwitchedBoard` is the firmware on them, as a body for `lumiban_sim.chip.Chip`.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any
from unittest.mock import patch

import fake_pico
from lumiban.boards.profile import Profile
from lumiban_fw import layout_file
from lumiban_fw.board import Board
from lumiban_fw.hal import Hal
from lumiban_fw.wire import HALF_SCALE, IS_SIMULATED, PRESENCE_ONLY
from lumiban_sim.chip import Chip
from lumiban_sim.switches import PicoSwitches

SIO = 0xD0000000
IN, OUT_SET, OUT_CLEAR, OE_SET, OE_CLEAR = 0x04, 0x14, 0x18, 0x24, 0x28
WRAP = (1 << 30) - 1


class Sio(fake_pico.Registers):
    """The registers of the pins; others are plain memory."""

    def __init__(self, around: PicoSwitches) -> None:
        super().__init__()
        self.out = self.driven = 0
        self.pulled: set[int] = set()
        """Pins with a pull-up."""
        self._around = around

    def __getitem__(self, at: int) -> int:
        if at & 0xFFFFFFFF != SIO + IN:
            return super().__getitem__(at)
        word = self.out & self.driven
        for pin in self.pulled:
            if not self.driven >> pin & 1:
                word |= self._around.read(pin) << pin
        return word

    def __setitem__(self, at: int, value: int) -> None:
        register = (at & 0xFFFFFFFF) - SIO
        if register == OUT_SET:
            self.set(self.out | value, self.driven)
        elif register == OUT_CLEAR:
            self.set(self.out & ~value, self.driven)
        elif register == OE_SET:
            self.set(self.out, self.driven | value)
        elif register == OE_CLEAR:
            self.set(self.out, self.driven & ~value)
        else:
            super().__setitem__(at, value)

    def make(self, pin: int, *, drives: bool, pulls_up: bool, level: int) -> None:
        """Make a pin an output at this level, or an input."""
        self.pulled -= {pin}
        if pulls_up and not drives:
            self.pulled.add(pin)
        self.set(self.out & ~(1 << pin) | level << pin, self.driven & ~(1 << pin) | drives << pin)

    def set(self, out: int, driven: int) -> None:
        """Drive these pins to these levels."""
        changed = (out & driven ^ self.out & self.driven) | (driven ^ self.driven)
        self.out, self.driven = out, driven
        for pin in range(changed.bit_length()):
            if changed >> pin & 1:
                self._around.turn(pin, out >> pin & 1 if driven >> pin & 1 else None)


class Pico(fake_pico.Pico):
    """The chip with switches around it; `contacts` is the firmware's scan of them."""

    def __init__(self, profile: Profile, look: Callable[[], Sequence[int]]) -> None:
        super().__init__()
        self.switches = PicoSwitches(profile, look, lambda: self.ticks)
        self.memory = sio = Sio(self.switches)

        class Pin:
            IN, OUT, PULL_UP = 0, 1, 1

            def __init__(self, pin: int, mode: int = -1, pull: int = 0, *, value: int = 0) -> None:
                if mode != -1:  # or it stays as it is: a bus takes it
                    sio.make(pin, drives=mode == Pin.OUT, pulls_up=bool(pull), level=int(value))

        wiring = self.switches.wiring

        class I2C:
            """A bus whose chips are those of the profile."""

            def __init__(self, bus: int, *, sda: Pin, scl: Pin, freq: int, timeout: int) -> None:
                assert (bus, freq, timeout) == (1, 400_000, 2_000)

            def writeto_mem(self, address: int, register: int, data: bytes) -> None:
                wiring.write(address, register, data)

            def readfrom_mem_into(self, address: int, register: int, into: bytearray) -> None:
                into[:] = bytes(wiring.ask(address, register, len(into)))

        self.i2c = I2C
        self.pin = Pin
        self.code: Any = self.load("hal_switches")
        self.layout = layout_file.read(profile.board_bin())
        self.contacts: Any = self.scan_of(self.layout)
        self.held: set[int] = set()

    def scan_of(self, layout: Any) -> Any:
        """The firmware's scan of these switches; it loads what it needs for them alone."""
        expanders = ModuleType("lumiban_fw.hal_expanders")
        expanders.__dict__.update(vars(self.load("hal_expanders")))
        with patch.dict(sys.modules, {expanders.__name__: expanders}):
            return self.code.Contacts(layout)

    def frame(self) -> set[int]:
        """The cells that the next frame, which is due, tells as closed; those whose row could not
        be read are `held` instead."""
        counts = array("H", bytes(2 * self.layout.cells))
        references = array("H", bytes(2 * self.layout.rows))
        self.ticks += self.contacts.period_us
        assert self.contacts.scan(self.ticks & WRAP, counts, references) >= 0
        assert set(references) <= {HALF_SCALE, 0}
        self.held = {cell for cell, row in enumerate(self.layout.row) if not references[row]}
        return {cell for cell, count in enumerate(counts) if count != HALF_SCALE} - self.held


class _Port(Hal):
    """The world's line, files, lights and supply; the pins' switches."""

    def __init__(self, hal: Hal, pico: Pico) -> None:
        self._hal = hal
        self._pico = pico
        self.capabilities = IS_SIMULATED | PRESENCE_ONLY
        self.wraps = True
        for name in ("uid", "boot_id", "reset_cause", "scan_hz", "stores", "chip"):
            setattr(self, name, getattr(hal, name))
        for name in (
            *("board_bin", "read", "room", "write", "power", "show", "buttons", "feed", "load"),
            *("blocks", "store", "append", "discard", "reset", "bootloader"),
        ):
            setattr(self, name, getattr(hal, name))

    @property
    def missed(self) -> int:  # type: ignore[override]  # counted by the scan
        return int(self._pico.contacts.missed)

    def scan(self, counts: array[int], references: array[int]) -> int:
        return int(self._pico.contacts.scan(self._pico.ticks, counts, references))

    def worst_gap_us(self) -> int:
        return int(self._pico.contacts.worst_gap_us)


class Glance:
    """The switches of a board as its world has them at this moment: 1 for a closed one, by cell."""

    def __init__(self, hal: Hal) -> None:
        self.chip: Chip = hal._chip  # type: ignore[attr-defined]
        profile = self.chip.world.profile
        self._counts = [0] * len(profile.cells)
        self._references = [0] * profile.rows
        self._looked_us = -1
        self._closed = [0] * len(self._counts)

    def __call__(self) -> list[int]:
        chip = self.chip
        if chip.now_us != self._looked_us:
            self._looked_us = chip.now_us
            chip.world.sample(0, chip.now_us, self._counts, self._references)
            self._closed = [int(count != HALF_SCALE) for count in self._counts]
        return self._closed


class SwitchedBoard:
    """The firmware on a Pico's pins, in the world of `hal`; for a world that skips nothing."""

    def __init__(self, hal: Hal) -> None:
        glance = Glance(hal)
        self.pico = Pico(glance.chip.world.profile, glance)
        self.board = Board(_Port(hal, self.pico))

    def tick(self, now_us: int) -> int:
        """Run the firmware once."""
        self.pico.ticks = now_us & WRAP
        return self.board.tick(now_us)
