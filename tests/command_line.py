"""Command lines for tests: what `run` gives, the one line of a refusal, a user's environment."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

Run = Callable[..., tuple[int, str, str]]
"""Runs a command line in this process; gives its exit code, stdout and stderr (conftest.py)."""


def refused(run: Run, *words: str, code: int = 2) -> str:
    """The one line that a command line is refused with."""
    got, out, err = run(*words)
    assert got == code, err
    assert out == ""
    assert err.startswith("lumiban: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err


def environment(home: Path) -> dict[str, str]:
    """What a user has, and who leaves a file open is heard."""
    ours = {"LUMIBAN_HOME": str(home), "LUMIBAN_LANG": "en", "PYTHONUNBUFFERED": "1"}
    return {**os.environ, **ours, "PYTHONWARNINGS": "error::ResourceWarning"}
