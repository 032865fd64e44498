"""A Pico of plain Python for the firmware's hal: registers as a dictionary, channels as notes.

Nothing here runs by itself: a test moves the frame counter and sets what the chip would note.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from types import ModuleType, SimpleNamespace
from typing import Any

import viper_shim
from viper_shim import PACKAGE, Ptr8, Ptr16, Ptr32

WRAP = 1 << 30
READY = 1 << 8
CONVERTER, LOST, STALLED, PINS, PACKET = 0x4004C000, 0x4004C008, 0x50200008, 0xD0000004, 0x50100090
DMA = 0x50000000
ABORT = DMA + 0x444


class Registers(defaultdict[int, int]):
    """The chip's memory by address; a bit that was set by the hardware is cleared by writing it."""

    def __init__(self) -> None:
        super().__init__(int)

    def __setitem__(self, at: int, value: int) -> None:
        if at == CONVERTER:
            value |= READY
        if at == ABORT:
            value = 0  # it reads 0 once the channels have stopped
        if at in (LOST, STALLED):
            value = self.get(at, 0) & ~value
        super().__setitem__(at, value)


class Channel:
    """A DMA channel: how it was set up."""

    made = 0

    def __init__(self) -> None:
        self.channel = Channel.made % 12
        Channel.made += 1
        self.setup: dict[str, Any] = {}

    def pack_ctrl(self, **fields: Any) -> dict[str, Any]:
        return fields

    def config(self, **setup: Any) -> None:
        self.setup = setup

    def active(self) -> bool:
        return False


class Machine:
    """A PIO machine, or a pin: what is done to it does nothing."""

    def __init__(self, *_given: Any, **_named: Any) -> None:
        pass

    def active(self, _on: int) -> None: ...

    def restart(self) -> None: ...

    def exec(self, _word: int) -> None: ...

    def value(self, *_level: int) -> int:
        return 1


class Pico:
    """The chip; `load` runs a file of the firmware on it."""

    def __init__(self) -> None:
        self.memory = Registers()
        self.ticks = 0
        self.written = b""
        self._buffers: list[Any] = []

    pin: Any = Machine
    i2c: Any = Machine

    def sleep_us(self, us: int) -> None:
        """Time goes by."""
        self.ticks += us

    def addressof(self, buffer: Any) -> int:
        self._buffers.append(buffer)
        return 0x20000004 + 0x10000 * len(self._buffers)

    def _pointer(self, kind: type) -> Any:
        return lambda of: self.memory_at(of) if type(of) in (int, viper_shim.Int32) else kind(of)

    def memory_at(self, address: int) -> Any:
        chip = self

        class At:
            def __getitem__(self, k: int) -> viper_shim.Int32:
                return viper_shim.Int32(chip.memory[int(address) + 4 * k])

            def __setitem__(self, k: int, value: int) -> None:
                chip.memory[int(address) + 4 * k] = int(value)

        return At()

    def load(self, name: str) -> SimpleNamespace:
        """A file's names; modules of the chip are this one while it is loaded."""
        pio = SimpleNamespace(OUT_LOW=0, SHIFT_LEFT=0, SHIFT_RIGHT=1)
        pin = type("Pin", (Machine,), {"IN": 0, "OUT": 1, "PULL_UP": 1})
        modules: dict[str, dict[str, Any]] = {
            "machine": {
                "mem32": self.memory,
                "ADC": Machine,
                "Pin": pin,
                "disable_irq": lambda: 0,
                "enable_irq": lambda _state: None,
            },
            "rp2": {"DMA": Channel, "StateMachine": Machine, "PIO": pio},
            "uctypes": {"addressof": self.addressof},
            "time": {"ticks_us": lambda: self.ticks},
            "micropython": {"viper": viper_shim.viper, "kbd_intr": lambda _byte: None},
            "lumiban_fw.pio_programs": {
                **{"SLOT_HZ": 5_000_000, "LIGHT_HZ": 8_000_000},
                **{"addresses": None, "ws2812": None},
            },
        }
        if name in ("hal_switches", "hal_expanders"):
            modules["lumiban_fw.hal_pico"] = {"Pico": object}
            modules["time"]["sleep_us"] = self.sleep_us
            modules["machine"] |= {"Pin": self.pin, "I2C": self.i2c}
        if name != "hal_pio":
            of_pio = {"WRAP": WRAP - 1, "Capture": None, "Lamps": None, "FULL_RAIL_MV": 6_600}
            modules["lumiban_fw.hal_pio"] = of_pio
        made = {n: ModuleType(n) for n in modules}
        before = {n: sys.modules.get(n) for n in modules}
        space: dict[str, Any] = {
            "int": viper_shim.Int32,
            "ptr8": self._pointer(Ptr8),
            "ptr16": self._pointer(Ptr16),
            "ptr32": self._pointer(Ptr32),
        }
        for module, names in modules.items():
            made[module].__dict__.update(names)
        sys.modules.update(made)
        try:
            source = (PACKAGE / f"{name}.py").read_text()
            exec(compile(source, f"{name}.py", "exec", dont_inherit=True), space)
        finally:
            for module, old in before.items():
                if old is None:
                    del sys.modules[module]
                else:
                    sys.modules[module] = old
        return SimpleNamespace(**space)
