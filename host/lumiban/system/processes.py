"""Other processes of this machine by their number: whether one runs, and which one it is."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")
BOOT = "sys/kernel/random/boot_id"


def runs(pid: int) -> bool:
    """True if a process of this number runs, of any user."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def birth(pid: int, proc: Path = PROC) -> str:
    """Mark that tells this process from others that had its number or will have it: the machine's
    start and the moment in it; "" where the system tells neither, or does not show this process.

    Either alone is not enough: containers that start again have the same boot, and machines that
    start again come to the same number at the same moment.
    """
    with suppress(OSError, IndexError):
        # A process's name may hold anything; what follows it is numbers, the 22nd of all the start.
        numbers = (proc / str(pid) / "stat").read_text("utf-8", "replace").rpartition(")")[2]
        return f"{(proc / BOOT).read_text('ascii').strip()} {numbers.split()[19]}"
    return ""


def still_runs(pid: int, born: str, proc: Path = PROC) -> bool:
    """True if the process of this number runs that was `born` so. Without a birth, and where even
    our own is not told, the number alone counts."""
    if born and birth(os.getpid(), proc):
        return birth(pid, proc) == born
    return runs(pid)
