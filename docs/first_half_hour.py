"""Writes the table of docs/first-half-hour.md from what .ci/first_picture.py measured.

`./run docs` writes it; a test makes it anew and compares.
"""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median
from typing import Any

PAGE = Path(__file__).resolve().parent / "first-half-hour.md"
MEASURED = PAGE.parents[1] / ".ci" / "first_picture.jsonl"
BEGIN, END = "<!-- made by docs/first_half_hour.py -->\n", "<!-- end -->\n"
STARTS = {
    "cold": "fresh clone, pip's cache empty",
    "cached": "fresh clone, pip's cache filled",
    "again": "second start",
}


def table(starts: list[dict[str, Any]]) -> str:
    """A row a kind of start: medians of the first commit named and of the last."""
    before, after = starts[0]["commit"], starts[-1]["commit"]
    rows = [f"| | CPU s, {before} | CPU s, {after} | wall s, {before} | wall s, {after} | starts |"]
    rows.append("|---|---|---|---|---|---|")
    for kind, words in STARTS.items():
        cells, counts = [], []
        for figure in ("cpu_s", "wall_s"):
            for commit in (before, after):
                found = [
                    one[figure]
                    for one in starts
                    if one["commit"] == commit and one["start"] == kind
                ]
                cells.append(f"{median(found):.1f}")
                counts.append(len(found))
        rows.append(f"| {words} | {' | '.join(cells)} | {counts[0]} + {counts[1]} |")
    return "\n".join(rows) + "\n"


def written(text: str) -> str:
    """The page with its table made anew."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    starts = [json.loads(line) for line in MEASURED.read_text("utf-8").splitlines()]
    return f"{before}{BEGIN}\n{table(starts)}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text("utf-8")), "utf-8")
