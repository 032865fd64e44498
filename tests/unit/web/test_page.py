"""The page's files, read as they stand: every word in every language, colours that can be read,
nothing from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from each import each
from lumiban import i18n
from lumiban.games.base import Kind
from lumiban.scene.grammar import GRAMMAR
from lumiban.scene.themes import THEMES

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


@pytest.mark.parametrize("theme", THEMES)
def test_every_theme_has_a_name_and_colours_on_the_page(theme: str) -> None:
    assert f"page.theme.{theme}" in i18n.texts("en")
    if theme != "standard":
        assert f':root[data-theme="{theme}"]' in (STATIC / "style.css").read_text("utf-8")
    assert f'"{theme}"' in (STATIC / "settings.js").read_text("utf-8")


ON_CELLS = sorted(
    meaning for meaning in GRAMMAR if meaning not in ("waiting", "thinking", "lost", "owned")
)


@each("meaning", ON_CELLS)
def test_every_meaning_on_a_cell_has_a_pattern_beside_its_colour(meaning: str) -> None:
    marks = "".join((STATIC / name).read_text("utf-8") for name in ("marks.js", "rengi_blocks.js"))
    assert re.search(rf'^  "?{meaning}"?: \[', marks, re.MULTILINE), meaning


def test_a_side_s_cells_differ_by_hatching() -> None:
    board = (STATIC / "board.js").read_text("utf-8")
    one, two = (re.search(rf'hatch\("hatch-{n}", (\[.*?\])\)', board) for n in ("one", "two"))
    assert one is not None
    assert two is not None
    assert one.group(1) != two.group(1)


def test_every_kind_that_a_board_can_sense_is_named() -> None:
    for kind in (Kind.WHITE, Kind.BLACK, Kind.NEUTRAL, Kind.UNKNOWN):
        assert f"page.stone.{int(kind)}" in i18n.texts("en")


@each("path", sorted(STATIC.iterdir()))
def test_nothing_comes_from_elsewhere(path: Path) -> None:
    for address in re.findall(r"(?:https?|wss?)://[^\s\"'`)]*", path.read_text("utf-8")):
        assert address.startswith(("http://www.w3.org/", "ws://{", "wss://{", "http://{")), address


def test_every_script_that_is_imported_is_there() -> None:
    there = {path.name for path in SCRIPTS}
    imported = {
        name
        for path in SCRIPTS
        for name in re.findall(
            r'^(?:import "|\s*import\("|.*from ")\./([\w.]+)"',
            path.read_text("utf-8"),
            re.MULTILINE,
        )
    }
    assert imported <= there
    assert there - imported == {
        "join.js",
        "main.js",
        "library.js",
        "rules.js",
        "worker.js",
        "service.js",
    }  # each page begins with one, and one runs beside them


# Contrast, as WCAG counts it.


def luminance(colour: str) -> float:
    def linear(v: float) -> float:
        return v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4

    r, g, b = (linear(int(colour[i : i + 2], 16) / 255) for i in (1, 3, 5))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def variables(scheme: str) -> dict[str, str]:
    css = (STATIC / "style.css").read_text("utf-8")
    dark = css.index(":root {")
    light = css.index("@media (prefers-color-scheme: light)")
    rule = re.compile(r"--([\w-]+): (#[0-9a-f]{6});")
    found = dict(rule.findall(css[dark : css.index("}", dark)]))
    if scheme == "light":
        found |= dict(rule.findall(css[light : css.index("}", light)]))
    return found


@each("scheme", ["dark", "light"])
@each("ground", ["table", "table-lit", "table-edge", "panel"])
@each("ink", ["text", "quiet", "error-text", "warn-text"])
def test_text_can_be_read(scheme: str, ground: str, ink: str) -> None:
    colours = variables(scheme)
    assert contrast(colours[ink], colours[ground]) >= 7


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_buttons_can_be_read(scheme: str) -> None:
    colours = variables(scheme)
    assert contrast(colours["on-accent"], colours["accent"]) >= 7


def test_contrast_is_counted_as_the_standard_says() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
