"""The rules on the page are the guide's own chapters, less what is about a terminal."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any
from xml.etree.ElementTree import Element, fromstring, tostring

import pytest
from each import each
from lumiban import i18n
from lumiban.games.registry import BUILT_IN
from lumiban.web import rules_chapters as chapters
from lumiban_lab.documents.game_pictures import drawn
from places import ROOT
from web_client import ScriptedTable, fetch, served

SVG = "{http://www.w3.org/2000/svg}"
FILES = {"en": ROOT / "docs" / "guide", "ja": ROOT / "docs" / "ja"}
BOTH = [(slug, language) for slug in chapters.OURS for language in FILES]


def flat(spans: list[Any]) -> str:
    """The words of spans."""
    return "".join(one if isinstance(one, str) else flat(one[1]) for one in spans)


def words(slug: str, language: str) -> str:
    told = chapters.chapter_page(slug, language)
    assert told is not None
    parts = []
    for block in told["blocks"]:
        parts += [flat(cell) for cell in block.get("cells", [])]
        parts += [flat(block.get("spans", [])), block.get("alt", "")]
    return "\n".join(parts)


@each(("slug", "language"), BOTH)
def test_every_line_of_a_chapter_that_names_no_command_is_on_the_page(
    slug: str, language: str
) -> None:
    def bare(text: str) -> str:
        return re.sub(r"[*`\s|\\]|\]\([^)]*\)|\[|!", "", text)

    text = (FILES[language] / f"{slug}.md").read_text("utf-8")
    text = re.sub(r"## [^\n]*\n\n<!-- not on the page -->.*?(?=\n## )", "", text, flags=re.S)
    shown, lines = bare(words(slug, language)), 0
    for line in re.sub(r"<!--.*?-->", "", text, flags=re.S).splitlines():
        line = re.sub(r"^(#+|-) |^\[English\]\([^)]*\) · ", "", line)
        if line.strip(" |-") and not re.search(r"`(\./run|--|-o )", line):
            assert bare(line) in shown, line
            lines += 1
    assert lines > 12
    kinds = Counter(block["do"] for block in chapters.chapter(slug, language))
    below_heads = re.findall(r"^\|[-| :]+\|$", text, re.MULTILINE)
    assert kinds["head"] == len(below_heads)
    assert kinds["row"] == len(re.findall(r"^\|", text, re.MULTILINE)) - 2 * len(below_heads)
    assert kinds["img"] == text.count("](../pictures/")


@each(("slug", "language"), BOTH)
def test_no_sentence_on_the_page_tells_of_a_terminal(slug: str, language: str) -> None:
    found = words(slug, language)
    assert not re.search(r"\./run|LUMIBAN|(?<![\w-])--\w|(?<!\w)-o \w", found)


@each(("slug", "language"), BOTH)
def test_a_chapter_shows_pictures_that_are_there(slug: str, language: str) -> None:
    told = chapters.chapter_page(slug, language)
    assert told is not None
    names = [block["name"] for block in told["blocks"] if block["do"] == "img"]
    assert names
    shown = [chapters.picture_of(name) for name in names]
    assert all(one and b"<svg" in one.body for one in shown)


def test_other_files_beside_the_pictures_are_nobodys_to_read() -> None:
    assert (ROOT / "docs" / "pictures" / "maker-cell.svg").is_file()
    for name in ("maker-cell.svg", "../guide/control.md", "nothing.svg", ""):
        assert chapters.picture_of(name) is None


@each("slug", BUILT_IN)
def test_each_game_has_its_part_of_the_pictures_as_the_program_draws_it(slug: str) -> None:
    def shown(picture: Element) -> list[bytes]:
        head = {f"{SVG}title", f"{SVG}style", f"{SVG}defs"}
        return [tostring(one) for one in picture if one.tag not in head]

    games_svg = chapters.picture_of("games.svg")
    assert games_svg is not None
    pictures = fromstring(games_svg.body)
    (view,) = pictures.findall(f"{SVG}view[@id='{slug}']")
    _, top, wide, high = view.attrib["viewBox"].split()
    (part,) = pictures.findall(f"{SVG}svg[@y='{top}']")
    assert (part.get("width"), part.get("height")) == (wide, high)
    own = fromstring(drawn(slug))
    assert part.get("viewBox") == own.get("viewBox")
    assert shown(part) == shown(own)
    styles = f"{SVG}style", f"{SVG}defs"
    assert [pictures.findtext(one) for one in styles] == [own.findtext(one) for one in styles]
    assert pictures.find(f"{SVG}view[@id='chess']") is None


def test_each_game_of_the_house_has_its_chapter_its_picture_and_the_rules_that_are_printed() -> (
    None
):
    first = chapters.chapter_page("control", "en")
    assert first is not None
    assert first["games"] == ["control", "evening", "trivia", "doves", "rengi"]
    for slug in ("rengi", "chain-power"):  # whose chapter speaks of the paper
        printed = i18n.text(f"rules.{slug}").split("\n\n")
        assert all(flat([part]) in words(slug, "en") for part in printed)
    for slug in ("stigmergy", "tumpletore", "tumbleweed", "strands"):
        told = chapters.chapter_page(slug, "en")
        assert told is not None
        name = f"game-{slug}.svg"
        assert told["blocks"][1] == {"do": "img", "name": name, "alt": words(slug, "en").split()[0]}
        assert chapters.picture_of(name) is not None


def test_a_strange_game_has_no_rules() -> None:
    assert chapters.chapter_page("chess", "en") is None
    assert chapters.chapter_page("../guide", "en") is None


@pytest.mark.asyncio
async def test_what_the_page_of_rules_asks_for_is_answered() -> None:
    async with served(ScriptedTable()) as page:
        status, _, body = await fetch(page, "/api/rules?game=doves&lang=ja")
        assert (status, json.loads(body)["blocks"][0]["spans"]) == (200, ["トウキョウのハト"])
        picture = await fetch(page, "/api/rules/doves-walls.svg")
        assert (picture[0], picture[1]["content-type"]) == (200, "image/svg+xml")
        packed = await fetch(page, "/api/rules/doves-walls.svg", accept_encoding="gzip")
        assert len(packed[2]) < len(picture[2]) / 4
        for path in ("/rules/maker-cell.svg", "/rules?game=chess", "/rules?game=doves&lang=tlh"):
            assert (await fetch(page, "/api" + path))[0] == 404
        assert b"rules.js" in (await fetch(page, "/rules"))[2]
