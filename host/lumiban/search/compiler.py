"""Whether there is a compiler; what asks has nothing heavy to import for it."""

from __future__ import annotations

import importlib.util
import os


def available() -> bool:
    """Whether the search may compile: numba is installed and not switched off.

    It is not imported for this, so that an installation which is broken passes; see `jit.fits`.
    """
    if os.environ.get("LUMIBAN_NO_NUMBA", "") not in ("", "0"):
        return False
    return importlib.util.find_spec("numba") is not None
