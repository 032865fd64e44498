"""Lay MicroPython's stubs, as the development lock has them, into a folder for mypy.

Where they are installed they would stand beside CPython's own modules, so mypy does not look there.
Where they say otherwise than the chip does, they are mended here, once for all files.
"""

from __future__ import annotations

import shutil
import sys
from importlib.metadata import files
from pathlib import Path

MENDS = {
    "time.pyi": [
        # Ticks are small integers; the stubs have types of their own to keep them apart.
        ("def ticks_ms() -> _TicksMs:", "def ticks_ms() -> int:"),
        ("def ticks_us() -> _TicksUs:", "def ticks_us() -> int:"),
    ],
    # A tuple with names: the chip's name is its third.
    "stdlib/sys/__init__.pyi": [
        (
            "class _implementation:\n",
            "class _implementation:\n    def __getitem__(self, index: int) -> str: ...\n",
        )
    ],
    # rp2_dma.c: the attributes of a channel.
    "rp2/__init__.pyi": [("class DMA:\n", "class DMA:\n    channel: int\n")],
}
"""By file: the stubs' text, and what the chip does."""


def lay(out: Path) -> None:
    """Copy the stubs to `out`, which is emptied first, and mend them.

    Raises:
        SystemExit: A text that is to be mended does not stand there once: the stubs have changed.
    """
    shutil.rmtree(out, ignore_errors=True)
    for package in ("micropython-rp2-stubs", "micropython-stdlib-stubs"):
        for file in files(package) or ():
            if file.suffix == ".pyi" or file.name == "VERSIONS":
                to = out / str(file)
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(str(file.locate()), to)
    for name, mends in MENDS.items():
        text = (out / name).read_text()
        for was, is_now in mends:
            if text.count(was) != 1:
                sys.exit(
                    f"{out / name}: {was!r} does not stand there once: see MENDS in {__file__}"
                )
            text = text.replace(was, is_now)
        (out / name).write_text(text)


if __name__ == "__main__":
    lay(Path(sys.argv[1]))
