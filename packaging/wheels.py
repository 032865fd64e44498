"""Locked packages that a Raspberry Pi would have to compile: `python packaging/wheels.py`.

Each lock is resolved for the Pythons of Raspberry Pi OS 12 and 13 and for the next one, on aarch64,
with wheels alone. A line for each that has them all; else the packages without a wheel. The exit
code is 1 where the base's are not whole: what only makes bots faster or flashes a Pico may lack.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from build import for_python, wheel_words

MINORS = (11, 13, 14)
NEEDED = "base.lock"
LOCKS = (NEEDED, "fast.lock", "flash.lock")


def resolves(requirements: Path, minor: int, into: Path) -> bool:
    """True if pip finds a wheel for each; nothing is installed."""
    words = [*wheel_words("arm64", minor), "--dry-run", "--target", str(into)]
    return not subprocess.run([*words, "-r", requirements], capture_output=True).returncode


def without_wheel(requirements: Path, minor: int, folder: Path) -> list[str]:
    """The packages that have none."""
    if resolves(requirements, minor, folder):
        return []
    found, entry = [], folder / "one.txt"
    # An entry is its package's line and the indented ones after it.
    for part in re.split(r"\n(?=\S)", requirements.read_text("utf-8")):
        if part[:1].isalnum():
            entry.write_text(part + "\n", "utf-8")
            if not resolves(entry, minor, folder):
                found.append(part.split("==")[0])
    return found


def main() -> int:
    """Print what would be compiled; the exit code."""
    worst = 0
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for lock in LOCKS:
            for minor in MINORS:
                missing = without_wheel(for_python(lock, minor, folder), minor, folder)
                told = f"would be compiled: {', '.join(missing)}" if missing else "wheels for all"
                print(f"{lock} on aarch64, Python 3.{minor}: {told}", flush=True)
                if missing and lock == NEEDED:
                    worst = 1
    return worst


if __name__ == "__main__":
    sys.exit(main())
