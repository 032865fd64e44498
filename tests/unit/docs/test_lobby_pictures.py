"""The pictures of docs/lobby.md are what the lobby shows today, and the page names its places."""

from __future__ import annotations

from lumiban.lobby.choices import OF_HOME
from lumiban_lab.documents.lobby import drawn
from places import ROOT

PAGE = ROOT / "docs" / "lobby.md"


def test_the_pictures_are_those_that_the_lobby_shows() -> None:
    text = PAGE.read_text("utf-8")
    found = dict(drawn())
    for path, picture in found.items():
        assert path.read_text("utf-8") == picture, f"{path.name} has changed: ./run docs"
    assert [path.name for path in found if f"pictures/{path.name}" not in text] == []


def test_the_page_numbers_the_choices_as_they_lie() -> None:
    # RESUME and REMATCH share a place, so nine numbers stand for ten choices.
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if line[:3].strip("| ").isdigit()]
    numbers = [n for row in rows for n in row.split("|")[1].replace(",", "").split()]
    assert [int(n) for n in numbers] == list(range(1, len(OF_HOME)))
