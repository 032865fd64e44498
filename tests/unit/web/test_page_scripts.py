"""The page's modules that touch no page, in Node: what `node --test` says of scripts/*.test.mjs."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import patience
import pytest

SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("*.test.mjs"))


@pytest.mark.process
def test_geometry_play_and_speech_do_what_their_tests_say() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed")
    done = patience.run([node, "--test", *map(str, SCRIPTS)])
    assert done.returncode == 0, done.stdout
    count = re.search(r"^. tests (\d+)$", done.stdout, re.MULTILINE)
    assert count is not None, done.stdout
    assert int(count[1]) >= 20
