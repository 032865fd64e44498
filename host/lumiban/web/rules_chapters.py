"""Chapters of the guide, as the page at `/rules` reads them: the same files that docs/ holds.

A chapter is Markdown of the few kinds of block that the guide uses; here it becomes JSON-ready
blocks, so that a page writes no HTML that it did not make itself. Sentences about commands of a
terminal are for readers of docs/ and are left out. A game from a file has no chapter: its
rules and refusals, as the catalogue has them, make one.

Nothing here imports a game, since the page's process starts without them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import lumiban
from lumiban import i18n
from lumiban.web.assets import Asset

OURS = ("control", "evening", "trivia", "doves", "rengi")
"""The games that have a chapter, in the guide's order."""
RELATIVES = ("stigmergy", "tumpletore", "tumbleweed", "strands")
ALSO = {"chain-power": "rengi"}
"""Games whose rules stand in another one's chapter."""
RULES_ELSEWHERE = ("rengi", "chain-power")
"""Games whose chapter speaks of their paper: the rules themselves are those that `games rules`
prints."""
SVG = "image/svg+xml"
FOLDERS = {"en": "guide", "ja": "ja"}

Span = str | list[Any]
"""Plain text, or [`b` strong | `i` emphasised | `k` key or code, spans]."""
Block = dict[str, Any]
"""`do` says which: `h` with `level`, `p`, `li` (a list's item), `row` and `head` of a table with
`cells`, `img` with `name` and `alt`; texts are `spans`."""

_PACKAGE = Path(lumiban.__file__).parent


def _docs() -> Path:
    """docs/ beside the sources; inside the package when installed."""
    beside = _PACKAGE.parents[1] / "docs"
    return beside if (beside / "guide").is_dir() else _PACKAGE / "docs"


@cache
def chapter(slug: str, language: str) -> tuple[Block, ...]:
    """Chapter of a built-in game; KeyError for another game or a language without texts."""
    folder = FOLDERS[language]
    name = ALSO.get(slug, slug)
    if name not in OURS:
        raise KeyError(slug)
    text = (_docs() / folder / f"{name}.md").read_text("utf-8")
    blocks = list(_without_empty(_blocks(text)))
    if slug in RULES_ELSEWHERE:
        head = next(i for i, one in enumerate(blocks) if one["do"] == "h" and one["level"] > 1)
        blocks[head:head] = [
            _heading(2, i18n.text("lesson.rules", language)),
            *_rules(slug, language),
        ]
    return tuple(blocks)


def _rules(slug: str, language: str) -> list[Block]:
    """Paragraphs that `games rules` prints of a game."""
    rules = i18n.texts(language)[f"rules.{slug}"]
    return [{"do": "p", "spans": [part]} for part in rules.split("\n\n") if part.strip()]


def own_chapter(slug: str, language: str) -> tuple[Block, ...]:
    """Chapter for a relative, with its picture, or for a game from a file, made of its rules and
    refusals in the catalogue; KeyError where it has none."""
    texts = i18n.texts(language)
    name = texts.get(f"game.{slug}.name", slug)
    blocks: list[Block] = [_heading(1, name), *_rules(slug, language)]
    if slug in RELATIVES:
        blocks.insert(1, {"do": "img", "name": f"game-{slug}.svg", "alt": name})
    refusals = [text for id, text in texts.items() if id.startswith(f"refusal.{slug}.")]
    if refusals:
        blocks.append(_heading(2, texts["lesson.refusals"]))
        blocks += [{"do": "li", "spans": [_unfilled(text)]} for text in refusals]
    return tuple(blocks)


@cache
def picture_of(name: str) -> Asset | None:
    """Picture of this name that a chapter shows, or `games.svg` for the choice of games; None for
    any other name."""
    if name == "games.svg":
        return Asset(_pictures_of_games().encode(), SVG)
    if name not in _pictures():
        return None
    return Asset((_docs() / "pictures" / name).read_bytes(), SVG)


def _pictures_of_games() -> str:
    """Pictures of all games below each other, each an SVG view by the game's slug; above them an
    empty area, which any other name shows."""
    drawn = styles = ""
    for n, slug in enumerate((*OURS, *RELATIVES), 1):
        text = (_docs() / "pictures" / f"game-{slug}.svg").read_text("utf-8")
        head = re.match(
            r"<svg [^>]*(viewBox=\S+ \S+ \S+ \S+)[^>]*>.*?</title>(.*?</defs>)", text, re.DOTALL
        )
        assert head is not None
        styles = head[2]
        names = (slug, *(other for other, one in ALSO.items() if one == slug))
        drawn += "".join(f'<view id="{one}" viewBox="0 {108 * n} 120 108"/>' for one in names)
        drawn += f'<svg y="{108 * n}" width="120" height="108" {head[1]}>{text[head.end() :]}'
    # They all have the same styles and gradients.
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 108">{styles}{drawn}</svg>'


@cache
def _pictures() -> frozenset[str]:
    return frozenset(
        block["name"]
        for language in FOLDERS
        for slug in OURS
        for block in chapter(slug, language)
        if block["do"] == "img"
    ) | {f"game-{slug}.svg" for slug in RELATIVES}


def _heading(level: int, text: str) -> Block:
    return {"do": "h", "level": level, "spans": [text]}


def _unfilled(text: str) -> str:
    """Sentence with parameters, as it reads before the rule was broken."""
    return re.sub(r"\{\w+[^}]*\}", "…", text)


_NOT_HERE = re.compile(r"<!-- not on the page -->.*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
"""A section that is for readers of docs/ only; the comment stands below its heading."""
_COMMENT = re.compile(r"<!--.*?-->\n?|<a id=.*?</a>\n?", re.DOTALL)
_IMAGE = re.compile(r"!\[(.*?)\]\(\.\./pictures/([a-z0-9-]+\.svg)\)", re.DOTALL)
_RULE = re.compile(r"\|[-| :]+\|")


def _blocks(text: str) -> Iterator[Block]:
    text = _COMMENT.sub("", _NOT_HERE.sub("", text))
    for part in re.split(r"\n\s*\n", text):
        lines = part.strip("\n").splitlines()
        if not lines:
            continue
        image = _IMAGE.fullmatch(part.strip())
        if image:
            yield {"do": "img", "alt": image[1], "name": image[2]}
        elif lines[0].startswith("#"):
            level = len(lines[0]) - len(lines[0].lstrip("#"))
            yield {"do": "h", "level": level, "spans": _spans(lines[0].lstrip("# "))}
        elif lines[0].startswith("|"):
            yield from _table(lines)
        elif lines[0].startswith("- "):
            yield from ({"do": "li", "spans": _spoken_spans(item)} for item in _items(lines))
        else:
            yield {"do": "p", "spans": _spoken_spans(" ".join(lines))}


def _items(lines: Iterable[str]) -> list[str]:
    items: list[str] = []
    for line in lines:
        if line.startswith("- "):
            items.append(line[2:])
        else:
            items[-1] += " " + line.strip()
    return items


def _table(lines: list[str]) -> Iterator[Block]:
    rows = [line for line in lines if not _RULE.fullmatch(line)]
    for number, line in enumerate(rows):
        # A | inside code does not end a cell.
        cells = re.split(r"(?<!\\)\|", re.sub(r"`[^`]*`", _kept_bar, line))[1:-1]
        spans = [_spans(cell.strip().replace("\x00", "|")) for cell in cells]
        yield {"do": "row" if number else "head", "cells": spans}


def _kept_bar(code: re.Match[str]) -> str:
    return code[0].replace("|", "\x00")


_OF_TERMINALS = re.compile(r"`(\./run|-o |--|LUMIBAN)[^`]*`")
_SENTENCES = re.compile(r"(?<=[.!?。])(?<!\be\.g\.)(?=\s+\S)|(?<=。)(?=\S)|(?<=[.:]\*\*)(?=\s)")


def _spoken_spans(text: str) -> list[Span]:
    """Spans of a paragraph without its sentences about a terminal."""
    kept = [one for one in _SENTENCES.split(text) if not _OF_TERMINALS.search(one)]
    return _spans("".join(kept).strip())


_SPAN = re.compile(
    r"\*\*(?P<b>.+?)\*\*|\*(?P<i>.+?)\*|`(?P<k>[^`]+)`|\[(?P<text>[^\]]*)\]\((?P<to>[^)]*)\)"
)


def _spans(text: str) -> list[Span]:
    """Plain text as spans; a link becomes its words, one to the other language nothing."""
    spans: list[Span] = []
    at = 0
    for match in _SPAN.finditer(text):
        spans.append(text[at : match.start()])
        at = match.end()
        if match["to"] is not None:
            if match["text"] in ("English", "日本語"):
                rest = text[at:]
                at += len(rest) - len(rest.removeprefix(" · "))
            else:
                spans += _spans(match["text"])
        elif match["k"] is not None:
            spans.append(["k", [match["k"]]])
        else:
            how = "b" if match["b"] is not None else "i"
            spans.append([how, _spans(match[how])])
    spans.append(text[at:])
    return [span for span in spans if span]


def _without_empty(blocks: Iterable[Block]) -> Iterator[Block]:
    """Paragraphs that still have words, without headings that have nothing below them."""
    full = [block for block in blocks if block["do"] not in ("p", "li", "h") or block["spans"]]
    for here, after in zip(full, [*full[1:], None], strict=True):
        if here["do"] == "h" and (after is None or _is_above(here, after)):
            continue
        yield here


def _is_above(here: Block, after: Block) -> bool:
    return bool(after["do"] == "h" and here["level"] > 1 and after["level"] <= here["level"])


def chapter_page(slug: str, language: str) -> Mapping[str, Any] | None:
    """Answer of `/api/rules`: the chapter of any game that has words; None where none has."""
    try:
        blocks = chapter(slug, language)
    except KeyError:
        try:
            blocks = own_chapter(slug, language)
        except KeyError:
            return None
    return {"game": slug, "language": language, "blocks": blocks, "games": list(OURS)}
