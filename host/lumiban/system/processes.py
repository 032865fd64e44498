"""Other processes of this machine by their number."""

from __future__ import annotations

import os


def runs(pid: int) -> bool:
    """True if a process of this number runs, of any user."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
