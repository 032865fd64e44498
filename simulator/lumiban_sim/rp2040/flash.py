"""The files on the chip's flash: the firmware compiled by mpy-cross, in a littlefs image."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from lumiban.maker.program import names_of, one_module, program, sources

BLOCK, BLOCKS = 4096, 352
"""The flash that MicroPython gives to files on a Pico: 1408 KiB."""
DISK_VERSION = 0x00020000
"""Older images cannot read a newer one."""


def firmware(instead: Mapping[str, str] = MappingProxyType({})) -> dict[str, bytes]:
    """The program, compiled, by its paths on the chip, with main.py on top.

    `instead` are modules (name → source) in place of the firmware's own.
    """
    return {
        name if name == "main.py" else f"lumiban_fw/{name}": data
        for name, data in program(instead=instead).items()
    }


def in_names_of_the_sources(said: bytes | bytearray) -> str:
    """What the chip printed, a traceback of `firmware()` in the names of its sources."""
    read = sources()
    return names_of(one_module(read), read).readable(said.decode(errors="replace"))


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
