"""What machine this is, as far as a board on its header cares."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from lumiban.boards.ports import said
from lumiban.errors import BoardError

AUDIO = "snd_bcm2835"
"""The module of the analog audio, which uses the same PWM as lights would."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine; `model` is "" when it is no Raspberry Pi."""

    model: str = ""
    generation: int = 0
    """4 for a Pi 4, 400 or CM4; 1 for the first and the Zero; 0 unknown."""
    serial: str = ""
    """Its own number, 16 hexadecimal digits."""
    root: bool = False
    audio: bool = False
    """Analog audio is switched on."""

    @property
    def has_pio(self) -> bool:
        """Whether light signals come from the I/O chip of a Pi 5, not from SPI, PWM or PCM."""
        return self.generation >= 5

    @property
    def uid(self) -> bytes:
        """Its number as a board's, 8 bytes."""
        digits = self.serial.rjust(16, "0")[-16:]
        return bytes.fromhex(digits) if re.fullmatch("[0-9a-fA-F]{16}", digits) else bytes(8)


def look(root: Path = Path("/")) -> Machine:
    """This machine, by what its kernel tells in files below `root`."""
    tree = root / "proc/device-tree"
    model = _text(tree / "model")
    serial = _text(tree / "serial-number")
    if not serial:
        found = re.search(r"^Serial\s*:\s*([0-9a-f]+)$", _text(root / "proc/cpuinfo"), re.M)
        serial = found[1] if found else ""
    is_pi = "Raspberry Pi" in model
    return Machine(
        model=model if is_pi else "",
        generation=generation(model) if is_pi else 0,
        serial=serial,
        root=os.geteuid() == 0,
        audio=f"\n{AUDIO} " in "\n" + _text(root / "proc/modules"),
    )


def generation(model: str) -> int:
    """The family of a Pi by the name that its device tree has.

    >>> generation("Raspberry Pi 4 Model B Rev 1.1"), generation("Raspberry Pi Zero 2 W Rev 1.0")
    (4, 3)
    >>> generation("Raspberry Pi 400 Rev 1.0"), generation("Raspberry Pi Compute Module 5")
    (4, 5)
    """
    if "Zero 2" in model:
        return 3
    if "Zero" in model or "Model" in model.removeprefix("Raspberry Pi ")[:5]:
        return 1
    found = re.search(r"Raspberry Pi (?:Compute Module )?(\d)", model)
    return int(found[1]) if found else 0


def must_be_pi(on: Machine) -> None:
    """BoardError on any other machine."""
    if not on.model:
        raise BoardError(said("gpio.no-pi"))


def _text(path: Path) -> str:
    try:
        return path.read_bytes().rstrip(b"\0").decode("utf-8", "replace").strip()
    except OSError:
        return ""
