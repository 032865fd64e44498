"""docs/faults.md: what play did under each failure is what it does now."""

from __future__ import annotations

import pytest
from lumiban.flight.replay import Rerun
from lumiban_lab.documents import faults

CASES = (*faults.CASES, *faults.SWITCH_CASES)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["strip cable, mux or ADC", "host killed in mid-move"])
def test_what_it_is_read_from_runs_again_bit_for_bit(name: str) -> None:
    (case,) = [case for case in faults.CASES if case.name == name]
    story = faults.tell(case)
    assert len(story.recordings) == (2 if "killed" in name else 1)
    head, lines = story.recordings[0]
    again = Rerun(head)
    for one in lines:
        again.follow(one)
    assert again.tally.steps > 100
