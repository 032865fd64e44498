"""The package that brings compiled kernels to machines that would take minutes to compile them.

A folder `lumiban_kernels` with a folder a family of processors, and the same as a wheel: zip files
hold nothing that depends on when or where they were made. It serves lumiban of the same sources
with the same versions of Python and numba; elsewhere it is passed over (`jit.unfit_package`).
"""

from __future__ import annotations

import base64
import hashlib
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

from lumiban.search import processor
from lumiban.search.jit import BROUGHT, MADE_FOR, made_of
from lumiban.search.warm_process import warm_for

_TAGS = {
    processor.ARM: "manylinux_2_17_aarch64",
    processor.V3: "manylinux_2_17_x86_64",
    processor.V2: "manylinux_2_17_x86_64",
}
_HEAD = '"""Compiled kernels of lumiban; see lumiban.search.jit."""\n'
_EPOCH = (2020, 1, 1, 0, 0, 0)


def make(
    families: Sequence[str], names: Sequence[str], out: Path, progress: Callable[[str], None]
) -> Iterator[Path]:
    """Compile these games for these families into a package in `out`; yields its folder, then its
    wheel. What lies there for another set of sources goes. LumibanError as `warm_for`."""
    package = out / BROUGHT
    package.mkdir(parents=True, exist_ok=True)
    (package / "__init__.py").write_text(_HEAD, "utf-8")
    for family in families:
        made = [warm_for(family, name, package, progress) for name in names]
        for other in (package / family).iterdir():
            if other not in made and other.is_dir():
                shutil.rmtree(other)
        (package / family / MADE_FOR).write_text(made_of(family), "utf-8")
    yield package
    yield _wheel(package, families)


def _wheel(package: Path, families: Sequence[str]) -> Path:
    """The package as a wheel beside it."""
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    tag = ".".join(sorted({_TAGS[family] for family in families}))
    stem = f"{BROUGHT}-{version('lumiban')}"
    info = f"{stem}.dist-info"
    files = {
        str(path.relative_to(package.parent)): path.read_bytes()
        for path in sorted(package.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: {BROUGHT.replace('_', '-')}\n"
        f"Version: {version('lumiban')}\nSummary: Compiled kernels of lumiban\n"
        f"License: Apache-2.0\nRequires-Dist: numba=={version('numba')}\n"
    ).encode()
    lines = "".join(f"Tag: {python}-none-{one}\n" for one in tag.split("."))
    files[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: lumiban\nRoot-Is-Purelib: false\n{lines}".encode()
    )
    record = "".join(f"{name},sha256={_sum(data)},{len(data)}\n" for name, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = package.parent / f"{stem}-{python}-none-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), data, zipfile.ZIP_DEFLATED)
    return wheel


def _sum(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
