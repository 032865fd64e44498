"""The package `lumiban_kernels`: libraries of compiled kernels, so that a bot needs no compiler.

In it lies a library for each family of processors; it serves lumiban of the same sources, in any
Python 3, and is passed over elsewhere. numba is needed, and a linker for each family (binutils, and
for another machine than this one binutils-aarch64-linux-gnu or binutils-x86-64-linux-gnu).
"""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

from lumiban import __version__

NAME = "lumiban_kernels"
FAMILIES = {"x86_64": ("x86-64-v2", "x86-64-v3"), "aarch64": ("aarch64",)}
"""The families of processors that each kind of machine may be of."""
_HEAD = '"""Compiled kernels of lumiban; see lumiban.search.libraries."""\n'
_EPOCH = (2020, 1, 1, 0, 0, 0)


def make(machine: str, into: Path, sources: Path, games: Sequence[str]) -> Path:
    """The package for a kind of machine as a folder in `into`, from the lumiban in `sources`. What
    fails ends the build with what it said."""
    package = into / NAME
    for family in FAMILIES[machine]:
        (package / family).mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [sys.executable, "-m", "lumiban.search.build_kernels", family,
             package / family / "kernels", *games],
            env=os.environ | {"PYTHONPATH": str(sources), "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            said = (done.stderr.strip().splitlines() or ["no word"])[-1]
            sys.exit(f"kernels for {family} could not be made: {said}")
    (package / "__init__.py").write_text(_HEAD, "utf-8")
    return package


def wheel(machine: str, package: Path, out: Path) -> Path:
    """The package as a wheel, whose bytes do not depend on when or where it was made."""
    stem, tag = f"{NAME}-{__version__}", f"py3-none-manylinux_2_17_{machine}"
    info = f"{stem}.dist-info"
    files = {
        str(path.relative_to(package.parent)): path.read_bytes()
        for path in sorted(package.rglob("*"))
        if path.is_file()
    }
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: {NAME.replace('_', '-')}\nVersion: {__version__}\n"
        f"Summary: Compiled kernels of lumiban\nLicense: Apache-2.0\n"
        f"Requires-Dist: lumiban=={__version__}\n"
    ).encode()
    files[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: lumiban\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    )
    record = "".join(f"{name},sha256={_sum(data)},{len(data)}\n" for name, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{stem}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), data, zipfile.ZIP_DEFLATED)
    return path


def _sum(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
