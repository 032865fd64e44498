"""The answers' table says what its studies can say, and its counts are counted."""

from __future__ import annotations

import re

from lumiban.study.findings import ANSWERED, LEANING
from lumiban.study.report import HOLLOW, answers, read_study
from lumiban_lab.documents import answers as written
from places import ROOT

ANSWERS = ROOT / "docs" / "answers"
TEXT = (ANSWERS / "README.md").read_text("utf-8")
ROWS = {
    int(number): (state.split()[0], by)
    for number, state, by in re.findall(
        r"^\| (\d+) \| [^|]* \| ([^|]*) \| [^|]* \| ([^|]*) \|$", TEXT, flags=re.M
    )
}


def test_states_are_counted_by_the_program_that_writes_the_reports() -> None:
    assert sorted(ROWS) == list(range(1, 41))
    assert written.written(TEXT) == TEXT, "./run docs"
    states = [state for state, _ in ROWS.values()]
    count = ", ".join(f"{name} {states.count(name)}" for name in ("answered", "leaning", "open"))
    assert f"**{count.capitalize()}.**" in TEXT


def test_no_question_is_answered_by_a_hollow_study() -> None:
    studies = [read_study(path) for path in sorted((ANSWERS / "results").glob("*.xz"))]
    told = {one.question: one.verdict for one in answers(studies, "en")}
    for number, (state, by) in ROWS.items():
        if "proof" in by:
            continue
        verdict = told.get(number, HOLLOW)
        assert state == (verdict if verdict in (LEANING, ANSWERED) else "open"), number


def test_the_reports_say_what_the_results_say() -> None:
    for file, text in written.reports():
        assert file.read_text("utf-8") == text, f"{file}: ./run docs"
