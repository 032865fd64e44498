"""OpenSCAD as a process of its own: a .scad file in, a mesh out."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

PACKAGE = "openscad"
"""Package to install where there is no OpenSCAD."""
PATIENCE_S = 600


class OpenscadFailed(Exception):
    """OpenSCAD gave up; the text is its own."""


def program() -> str:
    """The path of OpenSCAD, or "" where there is none; LUMIBAN_OPENSCAD names another."""
    return shutil.which(os.environ.get("LUMIBAN_OPENSCAD") or "openscad") or ""


def render(source: Path, out: Path, variables: Mapping[str, str | int]) -> None:
    """Write the STL of `source` with these variables set; OpenscadFailed."""
    words = [program(), "-o", str(out), "--export-format", "binstl"]
    for name, value in variables.items():
        words += ["-D", f'{name}="{value}"' if isinstance(value, str) else f"{name}={value}"]
    out.unlink(missing_ok=True)
    try:
        done = subprocess.run(
            [*words, str(source)], capture_output=True, text=True, timeout=PATIENCE_S
        )
    except subprocess.TimeoutExpired:
        raise OpenscadFailed(f"it took more than {PATIENCE_S} s") from None
    lines = done.stderr.strip().splitlines()
    trouble = [line for line in lines if line.startswith(("ERROR", "WARNING"))]
    if done.returncode or trouble or not out.exists():
        raise OpenscadFailed((trouble or lines or [f"exit code {done.returncode}"])[0])
