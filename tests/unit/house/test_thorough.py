"""How thorough laws are (tests/support/thorough.py)."""

from __future__ import annotations

import pytest
import thorough


def test_a_run_while_one_works_tries_a_fifth_and_a_whole_one_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(thorough, "is_whole", False)
    assert [thorough.examples(whole) for whole in (100, 60, 12, 6)] == [20, 12, 4, 4]
    monkeypatch.setattr(thorough, "is_whole", True)
    assert [thorough.examples(whole) for whole in (100, 6)] == [100, 6]


def test_ci_and_the_full_run_are_whole(pytestconfig: pytest.Config) -> None:
    asked = pytestconfig.getoption("--ci") or pytestconfig.getoption("--all")
    assert thorough.is_whole or not asked
