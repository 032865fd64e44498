"""Lay MicroPython's stubs, as the development lock has them, into a folder for mypy.

Where they are installed they would stand beside CPython's own modules, so mypy does not look there.
"""

from __future__ import annotations

import shutil
import sys
from importlib.metadata import files
from pathlib import Path


def lay(out: Path) -> None:
    """Copy the stubs to `out`, which is made anew."""
    shutil.rmtree(out, ignore_errors=True)
    for package in ("micropython-rp2-stubs", "micropython-stdlib-stubs"):
        for file in files(package) or ():
            if file.suffix == ".pyi" or file.name == "VERSIONS":
                to = out / str(file)
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(str(file.locate()), to)


if __name__ == "__main__":
    lay(Path(sys.argv[1]))
