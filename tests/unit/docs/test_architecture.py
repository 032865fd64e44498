"""docs/architecture.md: its picture is a trace and its table the sources, as they are now."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT

pytestmark = pytest.mark.process


SCRIPT = ROOT / "docs" / "architecture.py"


def test_the_way_of_a_stone_and_the_rooms_are_as_the_page_says() -> None:
    done = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_page_of_yesterday_is_found(tmp_path: Path) -> None:
    for part in ("host", "firmware", "hardware", "simulator"):
        (tmp_path / part).symlink_to(ROOT / part)
    shutil.copytree(ROOT / "docs", tmp_path / "docs", ignore=shutil.ignore_patterns("*.png"))
    page = tmp_path / "docs" / "architecture.md"
    page.write_text(page.read_text("utf-8").replace("| `games` |", "| `game` |"), "utf-8")
    words = [sys.executable, tmp_path / "docs" / "architecture.py", "--check"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 1
    assert "./run docs" in done.stderr
