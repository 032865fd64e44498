"""What tests of games in files share: a folder to write them in, and a clean catalogue."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
from lumiban import i18n
from lumiban.games import gate, registry
from places import ROOT

EXAMPLES = ROOT / "examples"
SNORT = str(EXAMPLES / "snort.py")
CUSTODIANS = str(EXAMPLES / "custodians.py")

RULE = """
class Mine(SimpleGame):
    sizes = (2,)
    def may_place(self, board, side, cell):
        if board.played:
            {does}
        return True
"""
"""Of a rule that does something at the second stone."""
HEAD = """
from lumiban.games import *
from lumiban.games.simple import EMPTY, Act, GridView, SimpleGame
"""

Written = Callable[..., str]


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    """No game of one test is known to the next; of these examples each test says that it runs
    them."""
    monkeypatch.setattr(i18n, "_added", {})
    monkeypatch.setattr(registry, "_loaded", {})
    monkeypatch.setenv(gate.NAMED, "")
    for example in (SNORT, CUSTODIANS):
        gate.name(example)


def own(path: str | Path) -> str:
    """The path of a game's file, which may be run from now on."""
    gate.name(str(path))
    return str(path)


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """A function that writes a game's file, says that it is to be run, and gives its path."""

    def write(body: str, name: str = "mine.py", head: str = HEAD) -> str:
        path = tmp_path / name
        path.write_text(head + dedent(body), "utf-8")
        return own(path)

    return write
