"""Where lumiban keeps its state on this machine."""

from __future__ import annotations

import os
from pathlib import Path


def state_folder() -> Path:
    """The folder for journals and records (not made here); LUMIBAN_HOME overrides.

    Else the platform's: on Linux what XDG_STATE_HOME names by an absolute path, or
    ~/.local/state; RuntimeError where nobody has a home.
    """
    override = os.environ.get("LUMIBAN_HOME")
    if override:
        return Path(override).expanduser()
    import platformdirs

    return platformdirs.user_state_path("lumiban", appauthor=False)
