"""Where tests keep their files: in memory, where there is room for it and programs may run there.

They write and sync small files without end; what a disk may make of that they try on simulated
ones.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
ROOM_BYTES = 1 << 30
PLACE = "PYTEST_DEBUG_TEMPROOT"
"""Where pytest makes its folders."""


def use(memory: Path = MEMORY) -> None:
    """Have pytest make its folders in memory, unless somebody has chosen a place."""
    if PLACE not in os.environ and "TMPDIR" not in os.environ and _is_fit(memory):
        os.environ[PLACE] = str(memory)


def _is_fit(memory: Path) -> bool:
    """Whether there is room, and a program in it may run."""
    try:
        if shutil.disk_usage(memory).free < ROOM_BYTES:
            return False
        with tempfile.TemporaryDirectory(dir=memory) as folder:
            program = Path(folder) / "runs"
            program.write_text("#!/bin/sh\n")
            program.chmod(0o700)
            return subprocess.run([program], check=False).returncode == 0
    except OSError:
        return False
