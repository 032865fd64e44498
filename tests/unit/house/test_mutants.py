"""The list of mutants fits the code, and each is caught by the tests that it names."""

from __future__ import annotations

import mutants
import pytest
from mutants import CAUGHT, find

QUICK = ("wire-crc", "referee-legal", "journal-order")
"""Mutants that the normal run tries, a second or two each."""


@pytest.mark.slow
def test_every_entry_of_the_list_fits_the_code() -> None:
    found = mutants.read_list()
    for one in found:
        find(one)
        mutants.check_tests(one)
    assert len(found) >= 40


@pytest.mark.process
def test_a_few_quick_mutants_are_caught() -> None:
    found = mutants.chosen(mutants.read_list(), ",".join(QUICK))
    known = mutants.learned(mutants.ROOT / mutants.LEARNED)
    results = mutants.run(found, jobs=2, learned=known)
    assert [mutants.told(one) for one in results if one.outcome != CAUGHT] == []


@pytest.mark.long
def test_every_mutant_is_caught() -> None:
    known = mutants.learned(mutants.ROOT / mutants.LEARNED)
    results = mutants.run(mutants.read_list(), jobs=2, learned=known)
    assert [mutants.told(one) for one in results if one.outcome != CAUGHT] == []
