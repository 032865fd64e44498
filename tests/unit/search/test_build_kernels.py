"""The build of libraries: it says what it lacks, and makes them for other machines too."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import patience
import pytest
from lumiban.games.kernel import State
from lumiban.search import build_kernels, jit, libraries, numba_available, processor
from lumiban.search.tree import Tables

needs_numba = pytest.mark.skipif(not numba_available.has_numba(), reason="numba is not installed")


def test_without_a_linker_the_build_names_the_package_that_has_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not build_kernels.can_build()
    with pytest.raises(build_kernels.CannotBuild, match="binutils-aarch64-linux-gnu"):
        build_kernels.build(processor.ARM, tmp_path / "kernels", ["control"])


def test_a_build_that_fails_is_noted_and_plain_python_or_numba_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Control:
        __module__ = "lumiban.games.control.kernel"

    def fail(*_: Any) -> None:
        raise build_kernels.CannotBuild("ld failed")

    monkeypatch.setattr(jit, "unkept", [])
    monkeypatch.setattr(jit, "has_numba", lambda: True)
    monkeypatch.setattr(jit, "cache_folder", lambda _: tmp_path)
    monkeypatch.setattr(build_kernels, "can_build", lambda: True)
    monkeypatch.setattr(build_kernels, "built_apart", fail)
    assert not jit.may_make_library(Control, make=True) or not processor.family()
    assert jit.unkept == (["ld failed"] if processor.family() else [])


def test_sources_that_change_while_a_library_is_made_are_not_what_it_was_made_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the old rules would serve those who have written new ones."""
    shutil.copytree(libraries._OWN / "search", tmp_path / "search")
    rules = tmp_path / "search" / "rules.py"
    rules.write_text("@kernel", "utf-8")
    monkeypatch.setattr(libraries, "_OWN", tmp_path)
    libraries.forget()

    class Codegen:
        def emitted(self, *_: object) -> bytes:
            return b""

    def edited(**_: bool) -> None:
        rules.write_text("@kernel  # new", "utf-8")

    def linked(_words: object, _content: bytes, target: Path, _shown: object) -> None:
        target.with_suffix(".so").write_bytes(b"")

    monkeypatch.setattr(build_kernels, "linker", lambda _: ["ld"])
    monkeypatch.setattr(build_kernels, "numba_with_kernels", edited)
    monkeypatch.setattr(build_kernels, "_aimed", lambda _: Codegen())
    monkeypatch.setattr(build_kernels, "_link", linked)
    monkeypatch.setenv(processor.NAMED, processor.ARM)
    try:
        build_kernels.build(processor.ARM, tmp_path / "kernels", [])
        libraries.forget()
        now = libraries.digest_of_sources()
        rules.write_text("@kernel", "utf-8")
        libraries.forget()
        before = libraries.digest_of_sources()
    finally:
        libraries.forget()
    made_of = json.loads((tmp_path / "kernels.json").read_text("utf-8"))["made_of"]
    assert made_of == before != now


@pytest.mark.slow
@needs_numba
def test_the_kinds_of_arguments_come_from_annotations_tuples_field_by_field() -> None:
    from lumiban.games.control.kernel import ControlState

    def one(table: Tables, state: State, row: Any, number: int) -> None: ...

    types = build_kernels._argument_types(one, ControlState)
    assert build_kernels._flat(types) == [
        "float64:1", "float64:1", *["int64:1"] * len(ControlState._fields), "int64:1", "int64",
    ]  # fmt: skip


@pytest.mark.process
@pytest.mark.long
@needs_numba
def test_a_library_for_a_pi_is_made_on_any_machine(tmp_path: Path) -> None:
    if build_kernels.linker(processor.ARM) is None:
        pytest.skip("no linker for aarch64 here")
    command = [sys.executable, "-m", "lumiban.search.build_kernels", processor.ARM]
    done = patience.run([*command, str(tmp_path / "kernels"), "control"], stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    content = (tmp_path / "kernels.so").read_bytes()
    assert content[:5] == b"\x7fELF\x02"
    assert content[18] == 183, "for aarch64"
    told = json.loads((tmp_path / "kernels.json").read_text("utf-8"))
    assert told["family"] == processor.ARM
