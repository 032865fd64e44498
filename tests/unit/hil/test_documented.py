"""The examples of docs/testing.md run."""

from __future__ import annotations

import re

import pytest
from places import ROOT

pytest_plugins = ["pytester"]


@pytest.mark.process
def test_the_examples_of_the_document_run_on_a_simulated_board(pytester: pytest.Pytester) -> None:
    document = (ROOT / "docs" / "testing.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", document, re.S)
    tests = [code for code in blocks if "def test_" in code]
    assert len(tests) == 3
    pytester.makepyfile("\n\n".join(tests))
    short, eyes = (code for code in blocks if code not in tests)
    pytester.makeconftest(short)
    ran = pytester.runpytest_subprocess("-p", "pytest_lumiban.plugin", "-q")
    ran.assert_outcomes(passed=3)
    # With a sensor that sees no colours, on one cell.
    pytester.makeconftest(short + eyes.replace("read_my_sensor()", "200"))
    seen = pytester.runpytest_subprocess("-p", "pytest_lumiban.plugin", "-q")
    seen.assert_outcomes(passed=2, failed=1)
