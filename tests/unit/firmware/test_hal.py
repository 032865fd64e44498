"""The wall around the chip: who may touch its hardware."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from each import each
from lumiban.maker import flash
from lumiban_fw import hal_rp2040
from places import ROOT

FIRMWARE = ROOT / "firmware"
CHIP = {"machine", "rp2", "uctypes"}
FILES = sorted(FIRMWARE.rglob("*.py"))


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
    return names


@each("path", FILES)
def test_only_the_hal_touches_the_chip(path: Path) -> None:
    allowed = path.name.startswith("hal_") or path.name in ("pio_programs.py", "boot.py", "main.py")
    assert allowed or not imported(path) & CHIP


def test_the_wall_is_seen() -> None:
    assert imported(FIRMWARE / "lumiban_fw" / "hal_pio.py") >= CHIP


def test_one_table_has_the_chips_addresses() -> None:
    """Those that stand elsewhere are boot.py's own, and of what is sent to a prompt."""
    own = {"hal_rp2040.py", "hal_scope.py"}
    for path in (FIRMWARE / "lumiban_fw").glob("hal_*.py"):
        text = path.read_text("utf-8")
        if path.name not in own:
            assert not re.findall(r"0x[45D]0[0-9A-F]{6}\b", text), path.name
    boot = (FIRMWARE / "boot.py").read_text("utf-8")
    scratch = (hal_rp2040.WATCHDOG_PAGE << 12) + hal_rp2040.SCRATCH0
    assert f"SCRATCH, SOFT = 0x{scratch:08X}, " in boot
    assert f'"{hal_rp2040.CHIP}" not in sys.implementation' in (FIRMWARE / "main.py").read_text()
    assert flash.CHIP == hal_rp2040.CHIP
