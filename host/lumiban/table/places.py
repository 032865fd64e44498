"""Where lumiban keeps its state on this machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path


def state_folder(
    environment: Mapping[str, str] = os.environ,
    platform: str = sys.platform,
    home: Path | None = None,
) -> Path:
    """The folder for journals and records (not made here); LUMIBAN_HOME overrides.

    >>> state_folder({"LUMIBAN_HOME": "games"}).name
    'games'
    >>> state_folder({}, "linux", Path("u")).as_posix()
    'u/.local/state/lumiban'
    """
    override = environment.get("LUMIBAN_HOME")
    if override:
        return Path(override).expanduser()
    home = Path.home() if home is None else home
    if platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local") / "lumiban"
    if platform == "darwin":
        return home / "Library" / "Application Support" / "lumiban"
    return Path(environment.get("XDG_STATE_HOME") or home / ".local" / "state") / "lumiban"
