"""In the full run (CI) what is skipped for a missing tool has failed: nothing is left unsaid."""

from __future__ import annotations

import pytest

NOT_THERE = ("real board", "UF2")
"""Skips that the full run may have: it has no board, and no image of MicroPython."""


def fail(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn the skip of a test, or of a whole file, into a failure that gives its reason."""
    if not report.skipped:
        return
    told = report.longrepr
    reason = str(told[2] if isinstance(told, tuple) else told)
    if not any(missing in reason for missing in NOT_THERE):
        report.outcome = "failed"
        report.longrepr = f"skipped in the full run: {reason}"
