"""The guide's chapter on Rengi says what the rules' own data say."""

from __future__ import annotations

from lumiban.games.rengi import Rengi
from places import ROOT

CHAPTER = (ROOT / "docs" / "guide" / "rengi.md").read_text("utf-8")


def test_every_option_stands_in_the_chapter_with_its_defaults_and_how_firm_they_are() -> None:
    listed = CHAPTER.partition("```text\n")[2].partition("\n```")[0]
    assert listed.splitlines() == list(Rengi.remarks("en")[1:])


def test_the_chapter_names_the_board_and_is_nobodys_partner() -> None:
    for words in ("not affiliated", "182", "grid13x14", "simulator"):
        assert words in CHAPTER
