"""A Raspberry Pi below the system's calls (`fake_pi.c`), and a driver's process on it.

Its folder stands for the machine's device tree, settings and devices, and says which switches are
closed. Nothing here or there knows lumiban's driver: numbers are the kernel's headers', parts are
as their data sheets have them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

HAS_COMPILER = bool(shutil.which("cc"))
GROUND = -1
INPUT_0 = 1000
"""Input A0 of the first expander, in place of a pin; each further expander 16 later."""
WITH_DIODE, REVERSED, BARE = 1, -1, 0

Switch = tuple[int, int, int]
"""(from, to, diode): numbers of GPIO, an expander's input or GROUND."""


@cache
def library() -> Path:
    """The C library, compiled once in a run."""
    built = Path(mkdtemp()) / "fake_pi.so"
    source = Path(__file__).with_suffix(".c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", built, source, "-ldl"], check=True)
    return built


class FakePi:
    """A Pi in a folder."""

    def __init__(
        self,
        folder: Path,
        *,
        model: str = "Raspberry Pi 4 Model B Rev 1.1",
        revision: int = 0xC03111,
        config: str = "core_freq=500\ncore_freq_min=500\n",
    ) -> None:
        self.folder = folder
        tree = folder / "proc/device-tree"
        for path in (tree / "system", folder / "boot/firmware", folder / "dev"):
            path.mkdir(parents=True)
        (tree / "model").write_bytes(model.encode() + b"\0")
        (tree / "serial-number").write_bytes(b"10000000abcdef01\0")
        (tree / "system/linux,revision").write_bytes(revision.to_bytes(4, "big"))
        (folder / "proc/cpuinfo").write_text(
            f"Hardware\t: BCM2835\nRevision\t: {revision:x}\nModel\t\t: {model}\n"
        )
        (folder / "boot/firmware/config.txt").write_text(config)
        for name in ("gpiochip0", "spidev0.0", "i2c-1"):
            (folder / "dev" / name).touch()

    def put(self, name: str, lines: Iterable[object]) -> None:
        """Say what holds from now on, by the name of a file that `fake_pi.c` lists."""
        new = self.folder / f"{name}.new"
        new.write_text("".join(f"{line}\n" for line in lines))
        new.replace(self.folder / name)

    def close(self, switches: Iterable[Switch]) -> None:
        """Let these switches alone be closed."""
        self.put("switches", (" ".join(map(str, switch)) for switch in switches))

    def lights(self) -> list[tuple[int, ...]]:
        """(r, g, b) that each light of the chain has taken; [] before the first picture."""
        try:
            lines = (self.folder / "lights").read_text().splitlines()
        except FileNotFoundError:
            return []
        return [tuple(map(int, line.split())) for line in lines]

    def odd(self) -> list[str]:
        """Events that no data sheet allows, such as two outputs that fight."""
        path = self.folder / "odd"
        return path.read_text().splitlines() if path.exists() else []

    def environment(self, **more: str) -> dict[str, str]:
        """Variables of a process that is to run on this Pi."""
        return {
            **os.environ,
            "LD_PRELOAD": str(library()),
            "FAKE_PI": str(self.folder),
            "LUMIBAN_LANG": "en",
            **more,
        }

    def run(self, code: str, **more: str) -> str:
        """What a script prints on this Pi; CalledProcessError when it fails."""
        words = [sys.executable, "-c", code]
        done = subprocess.run(
            words, env=self.environment(**more), capture_output=True, text=True, check=True
        )
        return done.stdout

    @contextmanager
    def driver(self, profile: str, pins: str = "", **more: str) -> Iterator[dict[str, Any]]:
        """The header's driver on this Pi, and what it says of itself: its port, or an error."""
        words = [sys.executable, "-m", "lumiban.boards.gpio.process", "--profile", profile]
        words += ["--pins", pins, "--state", str(self.folder / "state"), "--while-stdin"]
        child = subprocess.Popen(
            words, env=self.environment(**more), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        try:
            assert child.stdout is not None
            yield json.loads(child.stdout.readline() or '{"error": "nothing was said"}')
        finally:
            assert child.stdin is not None
            child.stdin.close()
            child.wait()
            child.stdout.close()
