"""State of compiled code on this machine: whether numba is there, and whether it is wanted."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys

FAST = "LUMIBAN_FAST"
"""Environment variable: the folder into which `./run` installs numba in the background."""
PLAIN = "LUMIBAN_PLAIN"
"""Environment variable: with 1 nothing is compiled, and nothing compiled is run."""


def is_plain() -> bool:
    """True if compiled code is switched off."""
    return os.environ.get(PLAIN, "") not in ("", "0")


def has_numba() -> bool:
    """True if numba is installed.

    It is not imported for this, so that an installation which is broken passes; see `jit.fits`.
    """
    return importlib.util.find_spec("numba") is not None


def has_come() -> bool:
    """True if numba can be used now and was not there when this process began.

    `./run` installs it in the background, into the folder that `FAST` names. Processes that
    begin from now on find it by themselves.
    """
    folder = os.environ.get(FAST, "")
    if not folder or not os.path.isdir(folder):  # noqa: PTH112  # nothing heavy
        return False
    if folder not in sys.path:
        sys.path.append(folder)
        importlib.invalidate_caches()
    return has_numba()
