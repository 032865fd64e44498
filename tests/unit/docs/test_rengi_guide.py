"""The guide's chapter on Rengi says what the rules' own data say."""

from __future__ import annotations

import pytest
from lumiban.cli import run
from lumiban.games.rengi import Rengi
from places import ROOT

CHAPTER = (ROOT / "docs" / "guide" / "rengi.md").read_text("utf-8")


def test_the_chapter_names_the_command_that_prints_every_option_and_how_firm_it_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "`./run games rules rengi` lists them all" in CHAPTER
    assert run(["games", "rules", "rengi", "--lang", "en"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    remarks = Rengi.remarks("en")[1:]
    assert [line for line in remarks if " ".join(line.split()) not in printed] == []
    assert {line.split()[0] for line in remarks} == {option.name for option in Rengi.accepts} - {
        "mode"
    }


def test_the_chapter_names_the_board_and_is_nobodys_partner() -> None:
    for words in ("not affiliated", "182", "grid13x14", "simulator"):
        assert words in CHAPTER
