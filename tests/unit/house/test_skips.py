"""What is skipped in the full run has failed, be it a test or a file; a missing board may be."""

from __future__ import annotations

import pytest
import skips


def of_test(outcome: str, reason: str) -> pytest.TestReport:
    told = ("test_a.py", 3, f"Skipped: {reason}") if outcome == "skipped" else None
    return pytest.TestReport(
        "test_a.py::test", ("test_a.py", 2, "test"), {}, outcome, told, "setup"
    )  # type: ignore[arg-type]  # any of the three outcomes


def test_a_test_without_its_tool_has_failed_and_says_which() -> None:
    report = of_test("skipped", "no Node here")
    skips.fail(report)
    assert report.failed
    assert report.longrepr == "skipped in the full run: Skipped: no Node here"


def test_a_file_that_is_skipped_whole_has_failed() -> None:
    told = ("test_a.py", 1, "Skipped: no stand-in for a Pi")
    report = pytest.CollectReport("test_a.py", "skipped", told, [])
    skips.fail(report)
    assert report.failed
    assert "no stand-in for a Pi" in str(report.longrepr)


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [("passed", ""), ("failed", ""), ("skipped", "this jig cannot cut the power of a real board")],
)
def test_what_was_run_or_needs_a_board_stays_as_it_is(outcome: str, reason: str) -> None:
    report = of_test(outcome, reason)
    skips.fail(report)
    assert report.outcome == outcome
