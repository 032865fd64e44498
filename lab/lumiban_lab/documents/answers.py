"""Writes what the answers' pages count: the reports of all results in both languages, and in the
README the state of each question that no proof answers, with how many there are of each.

A question is open where no study is about it, or none that is not hollow.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

from lumiban.study.findings import ANSWERED, LEANING, OPEN
from lumiban.study.hollow import HOLLOW
from lumiban.study.plots import plot
from lumiban.study.report import answers, markdown, read_study, report_of

from lumiban_lab.documents import DOCS

ANSWERS = DOCS / "answers"
LANGUAGES = {"en": ANSWERS, "ja": ANSWERS / "ja"}
ROW = re.compile(r"^(\| (\d+) \| [^|]* \| )(\w+)([^|]* \| [^|]* \| ([^|]*) \|)$", re.MULTILINE)
COUNT = re.compile(r"^\*\*Answered \d+, .*$", re.MULTILINE)
STUDIES = [read_study(path) for path in sorted((ANSWERS / "results").glob("*.xz"))]


def written(text: str) -> str:
    r"""The README with its states and their counts anew.

    >>> rows = ["**Answered 9, ", "| 6 | x | open | y | – |", "| 11 | x | answered | y | proof |"]
    >>> [line[:18] for line in written("\n".join(rows)).splitlines()]
    ['**Answered 1, lean', '| 6 | x | open | y', '| 11 | x | answere']
    """
    verdicts = {one.question: one.verdict for one in answers(STUDIES, "en")}

    def state(row: re.Match[str]) -> str:
        verdict = verdicts.get(int(row[2]), OPEN)
        known = verdict if verdict in (LEANING, ANSWERED) else OPEN
        return f"{row[1]}{row[3] if 'proof' in row[5] else known}{row[4]}"

    text = ROW.sub(state, text)
    count = Counter(row[3] for row in ROW.finditer(text))
    hollow = sum(verdict == HOLLOW for verdict in verdicts.values())
    return COUNT.sub(
        f"**Answered {count[ANSWERED]}, leaning {count[LEANING]}, open {count[OPEN]}.** [Games]"
        f"(report.md) were played for {len(verdicts)} of them; those for {hollow} are hollow.",
        text,
    )


def reports() -> Iterator[tuple[Path, str]]:
    """(file, text) of the report in each language."""
    for language, folder in LANGUAGES.items():
        with patch.dict(os.environ, LUMIBAN_RUN="./run"):  # who reads this has a checkout
            blocks = report_of(STUDIES, lambda study: f"plots/{study.plan.name}.svg", language)
        yield folder / "report.md", markdown(blocks)


if __name__ == "__main__":
    readme = ANSWERS / "README.md"
    readme.write_text(written(readme.read_text("utf-8")), "utf-8")
    for file, text in reports():
        file.write_text(text, "utf-8")
    for language, folder in LANGUAGES.items():
        for study in STUDIES:
            drawing = folder / "plots" / f"{study.plan.name}.svg"
            drawing.write_text(plot(study, language), "utf-8")
