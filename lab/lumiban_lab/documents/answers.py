"""Writes what the answers' pages count: the reports of all results in both languages, and in the
README what games say of each question, its state, and how many there are of each.

A question is open where no study is about it, or none that is not hollow.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest.mock import patch

from lumiban.study.findings import ANSWERED, LEANING, OPEN
from lumiban.study.hollow import HOLLOW
from lumiban.study.plots import plot
from lumiban.study.report import (
    Answer,
    ReadStudy,
    answered_by,
    answers,
    judgements,
    markdown,
    read_study,
    report_of,
)

from lumiban_lab.documents import DOCS

ANSWERS = DOCS / "answers"
LANGUAGES = {"en": ANSWERS, "ja": ANSWERS / "ja"}
ROW = re.compile(
    r"^(\| (\d+) \| [^|]* \| )(\w+)([^|]* \| [^|]* \| )[^|]* \| [^|]* \| [^|]*( \| ([^|]*) \|)$",
    re.MULTILINE,
)
LISTED = 4
"""Sets of rules that are told one by one in a row of the table."""
COUNT = re.compile(r"^\*\*Answered \d+, .*$", re.MULTILINE)


def studies() -> list[ReadStudy]:
    """All studies whose results are kept."""
    return [read_study(path) for path in sorted((ANSWERS / "results").glob("*.xz"))]


def written(text: str, known: Sequence[ReadStudy]) -> str:
    r"""The README with what games say, with its states and their counts as they are now.

    >>> rows = ["**Answered 9, ", "| 6 | x | open | y | – | – | – | – |",
    ...         "| 11 | x | answered | y | – | – | – | proof |"]
    >>> [line[:18] for line in written("\n".join(rows), []).splitlines()]
    ['**Answered 1, lean', '| 6 | x | open | y', '| 11 | x | answere']
    """
    found = {one.question: one for one in answers(known, "en")}

    def row(was: re.Match[str]) -> str:
        answer = found.get(int(was[2]))
        verdict = answer.verdict if answer and answer.verdict in (LEANING, ANSWERED) else OPEN
        state = was[3] if "proof" in was[6] and was[3] == ANSWERED else verdict
        return f"{was[1]}{state}{was[4]}{' | '.join(_cells(answer))}{was[5]}"

    text = ROW.sub(row, text)
    count = Counter(one[3] for one in ROW.finditer(text))
    hollow = sum(one.verdict == HOLLOW for one in found.values())
    return COUNT.sub(
        f"**Answered {count[ANSWERED]}, leaning {count[LEANING]}, open {count[OPEN]}.** [Games]"
        f"(report.md) were played for {len(found)} of them; those for {hollow} are hollow.",
        text,
    )


def _cells(answer: Answer | None) -> tuple[str, str, str]:
    """What games say of a question, at which strengths, and their core hours."""
    if answer is None:
        return ("–", "–", "–")
    study = answer.studies[0]
    judged = judgements(study, answered_by(study, answer.question)[0])
    count = Counter(one.why for one in judged)
    said = ", ".join(f"{why} under {n} of {len(judged)}" for why, n in count.items())
    if len(judged) <= LISTED:
        said = answer.sentences[0].removesuffix(".")
    strengths = {str(one.plan.tables.first.playouts).strip("[]") for one in answer.studies}
    hours = sum(one.cpu_s for one in answer.studies) / 3600
    return (said, "; ".join(sorted(strengths)), f"{hours:.2f}")


def reports(known: Sequence[ReadStudy]) -> Iterator[tuple[Path, str]]:
    """(file, text) of the report in each language."""
    for language, folder in LANGUAGES.items():
        with patch.dict(os.environ, LUMIBAN_RUN="./run"):  # who reads this has a checkout
            blocks = report_of(known, lambda study: f"plots/{study.plan.name}.svg", language)
        yield folder / "report.md", markdown(blocks)


if __name__ == "__main__":
    kept = studies()
    readme = ANSWERS / "README.md"
    readme.write_text(written(readme.read_text("utf-8"), kept), "utf-8")
    for file, text in reports(kept):
        file.write_text(text, "utf-8")
    for language, folder in LANGUAGES.items():
        for study in kept:
            drawing = folder / "plots" / f"{study.plan.name}.svg"
            drawing.write_text(plot(study, language), "utf-8")
