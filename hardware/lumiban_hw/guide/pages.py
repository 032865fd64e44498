"""Fills the pages of the maker's guide: numbers by facts, tables, and the pictures beside them.

A page holds numbers as `**3.25 to 3.35 V**<!-- rail33 -->` and tables between `<!-- made: NAME -->`
and `<!-- end -->`. `filled` writes both anew; pages whose name ends in `ja` speak Japanese.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from lumiban.boards.profile import load

from lumiban_hw import electronics, plans
from lumiban_hw.guide import tables
from lumiban_hw.guide.bench import bench_picture
from lumiban_hw.guide.boards import base_picture, cell_picture, strip_picture
from lumiban_hw.guide.buying import boards
from lumiban_hw.guide.facts import facts
from lumiban_hw.guide.layout import layout_picture, magnet_picture, table_picture
from lumiban_hw.pcb import sketch

NUMBER = re.compile(r"\*\*([^*\n]*)\*\*<!-- ([\w.]+) -->")
TABLE = re.compile(r"<!-- made: ([\w -]+) -->\n.*?<!-- end -->", re.DOTALL)


def filled(text: str, japanese: bool) -> str:
    """A page with its numbers and tables made anew; KeyError for a name that nothing makes."""

    def number(found: re.Match[str]) -> str:
        words = facts()[found[2]].words
        return f"**{spoken(words) if japanese else words}**<!-- {found[2]} -->"

    def table(found: re.Match[str]) -> str:
        name, *about = found[1].split()
        made = tables.TABLES[name](*about, japanese=japanese)
        return f"<!-- made: {found[1]} -->\n\n{made}\n<!-- end -->"

    return NUMBER.sub(number, TABLE.sub(table, text))


def spoken(words: str) -> str:
    """A fact's words in Japanese.

    >>> spoken("3.25 to 3.35 V"), spoken("1000 times a second")
    ('3.25〜3.35 V', '毎秒 1000 回')
    """
    words = re.sub(r"(\d+) times a second", r"毎秒 \1 回", words)
    return words.replace(" to ", "〜")


def pictures() -> dict[str, Callable[[], str]]:
    """What draws each picture, by the name of its file."""
    strips, _ = boards("strip5")
    others, bases = boards("hex3")
    return {
        "maker-bench.svg": lambda: bench_picture(load("strip5")),
        "maker-strip.svg": lambda: strip_picture(strips[0]),
        "maker-cell.svg": lambda: cell_picture(strips[0], others[1]),
        "maker-base.svg": lambda: base_picture(bases[0]),
        "maker-hex3.svg": lambda: layout_picture(load("hex3")),
        "maker-hex5.svg": lambda: layout_picture(load("hex5")),
        "maker-table.svg": lambda: table_picture(load("hex3"), bases[0]),
        "maker-magnets.svg": lambda: magnet_picture(load("hex5")),
    }


def sketches() -> dict[str, Callable[[], str]]:
    """What draws each circuit board with its copper, by the name of its file."""
    return {
        "hardware-strip5.svg": lambda: sketch.svg(
            electronics.strip_board(plans.strips(load("strip5"))[0])
        ),
        "hardware-base.svg": lambda: sketch.svg(electronics.base_board(load("hex5").pins)),
    }


def pages(docs: Path) -> list[Path]:
    """The guide's pages in the folder of all documents."""
    return [docs / "maker.md", *sorted((docs / "maker").glob("*.md"))]


def write(docs: Path) -> None:
    """Write pages and pictures anew."""
    for page in pages(docs):
        now = page.read_text("utf-8")
        new = filled(now, page.stem == "ja")
        if new != now:
            page.write_text(new, "utf-8")
    for name, draw in {**pictures(), **sketches()}.items():
        (docs / "pictures" / name).write_text(draw(), "utf-8")
