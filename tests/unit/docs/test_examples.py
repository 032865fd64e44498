"""The guide's worked example of an interrupt is its author's, row by row, in both languages."""

from __future__ import annotations

import json

import pytest
from places import ROOT, TESTS

GOLDEN = json.loads((TESTS / "golden" / "rengi.json").read_text("utf-8"))["offset_interrupt"]


@pytest.mark.parametrize("chapter", ["guide", "ja"])
def test_the_printed_interrupt_is_its_authors_row_by_row(chapter: str) -> None:
    text = (ROOT / "docs" / chapter / "rengi.md").read_text("utf-8")
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
    begin = next(at for at, line in enumerate(lines) if line[-2:] == ["A", "B"])
    rows = lines[begin + 2 : begin + 21]
    assert [row[0] for row in rows] == [str(number) for number in range(1, 20)]
    for row, right in zip(rows, GOLDEN["rows"], strict=True):
        if right["row"] < 19:
            assert [int(one) for one in row[6:8]] == [right["A"] or 0, right["B"] or 0], right
            for score, ojama, player in ((2, 3, "p1"), (4, 5, "p2")):
                assert int(row[score]) == right[f"{player}_score"], right
                assert int(row[ojama]) == right[f"{player}_ojama"], right
    # All 110 are forecast, of which five rows fall at once and 80 wait.
    assert int(rows[18][6]) + 30 == GOLDEN["final"]["second_fall"] == 110
    assert "12" in rows[14][1]
