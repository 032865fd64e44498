"""Worked examples of the guide are what the program plays, in both languages."""

from __future__ import annotations

import json
import re

from lumiban_lab.documents import examples
from places import TESTS

RENGI = json.loads((TESTS / "golden" / "rengi.json").read_text("utf-8"))
GOLDEN = RENGI["offset_interrupt"]


def test_every_chapter_holds_its_examples_as_they_are_played_now() -> None:
    found: dict[str, set[str]] = {"en": set(), "ja": set()}
    for language, chapter in examples.chapters():
        text = chapter.read_text("utf-8")
        assert examples.written(text, language) == text, f"{chapter}: ./run docs"
        found[language] |= set(re.findall(r"<!-- example (\S+),", text))
    assert found["en"] == found["ja"] == set(examples.MADE)


def test_the_printed_interrupt_is_its_authors_row_by_row() -> None:
    for language in ("en", "ja"):
        lines = examples.interrupt(language).splitlines()[2:]
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        assert len(rows) == len(GOLDEN["rows"]) == 19
        for row, right in zip(rows, GOLDEN["rows"], strict=True):
            a, b = int(row[6]), int(row[7])
            if right["row"] < 19:
                assert (a, b) == (right["A"] or 0, right["B"] or 0), right
            for score, ojama, player in ((2, 3, "p1"), (4, 5, "p2")):
                if right["row"] < 19:
                    assert int(row[score]) == right[f"{player}_score"], right
                    assert int(row[ojama]) == right[f"{player}_ojama"], right
        # All 110 are forecast, of which five rows fall at once and 80 wait.
        assert int(rows[18][6]) + 30 == GOLDEN["final"]["second_fall"] == 110
        assert "12" in rows[14][1]
