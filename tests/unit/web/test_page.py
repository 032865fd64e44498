"""The page's files, read as they stand: every word in every language, colours that can be read,
nothing from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from each import each
from lumiban import i18n
from lumiban.scene.grammar import GRAMMAR

WEB = Path(i18n.__file__).parent / "web"
STATIC = WEB / "static"
SCRIPTS = sorted(STATIC.glob("*.js"))
SOURCES = [
    *SCRIPTS,
    *STATIC.glob("*.html"),
    *WEB.glob("*.py"),
    WEB.parent / "games" / "lessons.py",
]

ID = re.compile(
    r"""["'`]((?:page|join|lesson|network|table|game|side|word|level|outcome)\.[\w.${}-]*)"""
)


def named() -> set[str]:
    """Ids in the page's sources; a family that is put together ends in a dot or a hyphen."""
    found: set[str] = set()
    for path in SOURCES:
        for id in ID.findall(path.read_text("utf-8")):
            found.add(re.split(r"\$?\{", id)[0])
    # The prefix alone names nothing, and a page no text.
    return {id for id in found if id != "table." and not id.endswith(".html")}


def whole(id: str) -> bool:
    return not id.endswith((".", "-"))


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_every_text_that_the_page_names_exists_in_every_language(language: str) -> None:
    there = i18n.texts(language)
    missing = {id for id in named() if whole(id) and id not in there}
    missing |= {id for id in named() if not whole(id) and not any(t.startswith(id) for t in there)}
    assert len(named()) > 80
    assert missing == set()


def test_no_text_of_the_page_is_left_over() -> None:
    table = WEB.parent / "table"
    said = "".join((table / name).read_text("utf-8") for name in ("phase.py", "view.py"))
    exact = {id for id in named() if whole(id)} | {*re.findall(r'"([a-z]+\.[a-z.-]+)"', said)}
    families = tuple(id for id in named() if not whole(id))
    own = {
        id
        for area in ("page", "network", "lesson")
        for id in i18n.areas("en")[area]
        if not id.startswith(("cli.", "table."))  # said elsewhere
    }
    assert {id for id in own if id not in exact and not id.startswith(families)} == set()


ON_CELLS = sorted(
    meaning for meaning in GRAMMAR if meaning not in ("waiting", "thinking", "lost", "owned")
)


@each("meaning", ON_CELLS)
def test_every_meaning_on_a_cell_has_a_pattern_beside_its_colour(meaning: str) -> None:
    marks = "".join((STATIC / name).read_text("utf-8") for name in ("marks.js", "rengi_blocks.js"))
    assert re.search(rf'^  "?{meaning}"?: \[', marks, re.MULTILINE), meaning


@each("path", sorted(STATIC.iterdir()))
def test_nothing_comes_from_elsewhere(path: Path) -> None:
    for address in re.findall(r"(?:https?|wss?)://[^\s\"'`)]*", path.read_text("utf-8")):
        assert address.startswith(("http://www.w3.org/", "ws://{", "wss://{", "http://{")), address
