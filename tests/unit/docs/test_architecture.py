"""docs/architecture.md: its picture is a trace and its table the sources, as they are now."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.process
def test_the_way_of_a_stone_and_the_rooms_are_as_the_page_says() -> None:
    words = [sys.executable, "-m", "lumiban_lab.documents.architecture", "--check"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
