"""Waiting for what another thread or program brings about, with no limit that load reaches.

A test that waits in vain ends after two minutes, with the stacks of all threads (pytest-timeout).
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any


def until(true: Callable[[], object], *, every_s: float = 0.02, within_s: float = 600.0) -> None:
    """Wait until this is true, asked again and again; TimeoutError where it never comes.

    Seldom is enough where each question is work for those who are to bring it about.
    """
    begun = time.monotonic()
    while not true():
        if time.monotonic() - begun > within_s:
            raise TimeoutError(f"not there after {within_s:.0f} s")
        time.sleep(every_s)


def run(
    words: Sequence[str | Path], *, text: bool = True, **more: Any
) -> subprocess.CompletedProcess[Any]:
    """Run a program; output captured, code unchecked, unless something else is said."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.run(words, text=text, check=False, **{**pipes, **more})
