"""What CI lets pass after a failure: a few tests of programs that pass alone, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from places import ROOT
from scripts import module_of

unsteady = module_of(ROOT / ".ci/unsteady.py")
are_unsteady: Callable[[list[str], Callable[[str], bool]], bool] = unsteady.are_unsteady
PAGE = "tests/e2e/page/test_page.py::"


def test_a_test_that_passes_twice_alone_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    ran: list[str] = []

    def passes(test: str) -> bool:
        ran.append(test)
        return True

    assert are_unsteady([PAGE + "a", PAGE + "b"], passes)
    assert ran == [PAGE + "a", PAGE + "a", PAGE + "b", PAGE + "b"]
    assert f"unsteady: {PAGE}a " in capsys.readouterr().out


@pytest.mark.parametrize("failed", [[], [PAGE + name for name in "abcde"]])
def test_many_failures_are_not_even_run_again(failed: list[str]) -> None:
    assert not are_unsteady(failed, pytest.fail)


def test_a_failure_that_comes_again_stays_one() -> None:
    answers = iter([True, False])
    assert not are_unsteady([PAGE + "a"], lambda _: next(answers))


@pytest.mark.process
def test_a_test_that_starts_no_program_has_no_second_chance(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    assert not unsteady.passes(
        "tests/unit/house/test_unsteady.py::test_a_failure_that_comes_again_stays_one"
    )
