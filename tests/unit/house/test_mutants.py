"""The list of mutants fits the code, and each is caught by the tests that it names."""

from __future__ import annotations

import mutants
import pytest
from mutants import CAUGHT, find


@pytest.mark.slow
def test_every_entry_of_the_list_fits_the_code() -> None:
    found = mutants.read_list()
    for one in found:
        find(one)
        mutants.check_tests(one)
    assert len(found) >= 40


@pytest.mark.long
def test_every_mutant_is_caught() -> None:
    known = mutants.learned(mutants.ROOT / mutants.LEARNED)
    results = mutants.run(mutants.read_list(), jobs=2, learned=known)
    assert [mutants.told(one) for one in results if one.outcome != CAUGHT] == []
