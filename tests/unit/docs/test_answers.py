"""The answers' table says what its studies can say, and its counts are counted."""

from __future__ import annotations

import re
from collections import Counter

from lumiban.study.report import ANSWERED, HOLLOW, LEANING, answers, read_study
from places import ROOT

ANSWERS = ROOT / "docs" / "answers"
TEXT = (ANSWERS / "README.md").read_text("utf-8")
ROWS = {
    int(number): (state.split()[0], by)
    for number, state, by in re.findall(
        r"^\| (\d+) \| [^|]* \| ([^|]*) \| [^|]* \| ([^|]*) \|$", TEXT, flags=re.M
    )
}


def test_states_are_counted_by_program() -> None:
    count = Counter(state for state, _ in ROWS.values())
    assert sorted(ROWS) == list(range(1, 41))
    assert (
        f"**Answered {count['answered']}, leaning {count['leaning']}, open {count['open']}.**"
        in TEXT
    )


def test_no_question_is_answered_by_a_hollow_study() -> None:
    studies = [read_study(path) for path in sorted((ANSWERS / "results").glob("*.xz"))]
    told = {one.question: one.verdict for one in answers(studies, "en")}
    for number, (state, by) in ROWS.items():
        if "proof" in by:
            continue
        verdict = told.get(number, HOLLOW)
        assert state == (verdict if verdict in (LEANING, ANSWERED) else "open"), number
    for number in (7, 22, 30, 32, 36, 37, 39, 40):
        assert (told[number], ROWS[number][0]) == (HOLLOW, "open")


def test_the_reports_say_what_the_results_say() -> None:
    for name, language in (("report.md", "en"), ("ja/report.md", "ja")):
        studies = [read_study(path) for path in sorted((ANSWERS / "results").glob("*.xz"))]
        written = (ANSWERS / name).read_text("utf-8")
        for one in answers(studies, language):
            assert " ".join(one.sentences) in written, (name, one.question)
