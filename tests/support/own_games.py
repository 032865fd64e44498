"""What tests of games in files share: a folder to write them in, and a clean catalogue."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
from lumiban import i18n
from lumiban.games import registry
from places import ROOT

EXAMPLES = ROOT / "examples"
SNORT = str(EXAMPLES / "snort.py")
CUSTODIANS = str(EXAMPLES / "custodians.py")

HEAD = """
from lumiban.games import *
from lumiban.games.simple import EMPTY, Act, GridView, SimpleGame
"""

Written = Callable[..., str]


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    """No game of one test is known to the next."""
    monkeypatch.setattr(i18n, "_added", {})
    monkeypatch.setattr(registry, "_loaded", {})


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """A function that writes a game's file and gives its path."""

    def write(body: str, name: str = "mine.py", head: str = HEAD) -> str:
        path = tmp_path / name
        path.write_text(head + dedent(body), "utf-8")
        return str(path)

    return write
