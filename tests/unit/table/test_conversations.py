"""Every conversation beside this holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from conversations import play

FILES = sorted(Path(__file__).with_name("conversations").glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_the_conversation_holds(path: Path) -> None:
    assert play(path) >= 3
