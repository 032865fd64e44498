"""Whether there is a compiler; what asks has nothing heavy to import for it."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys

FAST = "LUMIBAN_FAST"
"""Environment variable: the folder into which `./run` installs numba in the background."""


def available() -> bool:
    """Whether the search may compile: numba is installed and not switched off.

    It is not imported for this, so that an installation which is broken passes; see `jit.fits`.
    """
    if os.environ.get("LUMIBAN_NO_NUMBA", "") not in ("", "0"):
        return False
    return importlib.util.find_spec("numba") is not None


def has_come() -> bool:
    """Whether numba can be used that was not there when this process began.

    `./run` installs it in the background, into the folder that `FAST` names. Processes that
    begin from now on find it by themselves.
    """
    folder = os.environ.get(FAST, "")
    if not folder or not os.path.isdir(folder):  # noqa: PTH112  # nothing heavy
        return False
    if folder not in sys.path:
        sys.path.append(folder)
        importlib.invalidate_caches()
    return available()
