"""A Pico with switches on its pins in the MicroPython VM: the firmware's own scan, run by it.

The compiler of the VM knows no viper: the scan is the firmware's source without that decorator.
"""

from __future__ import annotations

import struct
import tempfile
from pathlib import Path

import lumiban_fw
from lumiban_fw.hal import Hal
from lumiban_sim.switches import PicoSwitches
from micropython_vm import machine
from micropython_vm.machine import Vm, VmBoard
from places import ROOT
from switched_pico import Glance, Sio

PUT, MAKE, GET, TELL, ASK = range(5)
_ITEM = struct.Struct("<BII")
VIPER = "@micropython.viper\n"


class Around:
    """What is wired to the VM's pins; see `micropython/pins.py`."""

    def __init__(self, glance: Glance) -> None:
        switches = PicoSwitches(glance.chip.world.profile, glance)
        self._sio = Sio(switches)
        self._wiring = switches.wiring

    def __call__(self, items: bytes) -> bytes:
        """Do what is asked, one after the other; the answer to the last."""
        said = b""
        for op, one, other in _ITEM.iter_unpack(items):
            if op == PUT:
                self._sio[one] = other
            elif op == MAKE:
                drives, pulls_up, level = (other >> bit & 1 for bit in range(3))
                self._sio.make(one, drives=bool(drives), pulls_up=bool(pulls_up), level=level)
            elif op == GET:
                said = struct.pack("<I", self._sio[one])
            else:
                said = self._on_bus(op, one & 0xFF, one >> 8, other)
        return said

    def _on_bus(self, op: int, address: int, register: int, other: int) -> bytes:
        try:
            if op == ASK:
                return bytes(self._wiring.ask(address, register, other))
            self._wiring.write(address, register, (other & 0xFF, other >> 8))
        except OSError:
            return b""
        return b"\1"


class SwitchedVmBoard(VmBoard):
    """The firmware and its scan in a VM, in the world of `hal`; for one that skips nothing."""

    def __init__(self, vm: Vm, hal: Hal) -> None:
        glance = Glance(hal)
        vm.pins = Around(glance)
        profile = glance.chip.world.profile
        super().__init__(vm, hal, cells=len(profile.cells), rows=profile.rows)

    def _frames(self) -> bytes:
        return b""


def vm_with_pins() -> Vm:
    """A VM whose firmware reads switches by its own pins."""
    package = Path(lumiban_fw.__file__).parent
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in package.glob("*.py"):
            text = file.read_text("utf-8")
            (folder / file.name).write_text(text.replace(VIPER, ""), "utf-8")
        port = folder / "port.txt"
        ours = (ROOT / "tests" / "support" / "micropython" / "pins.py").read_text("utf-8")
        port.write_text((machine.HERE / "port.py").read_text("utf-8") + ours, "utf-8")
        return Vm(ROOT, firmware=folder, port=port)
