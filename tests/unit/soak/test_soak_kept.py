"""A board that is told to forget what is not on disk is a failure of the soak."""

from __future__ import annotations

import pytest
from lumiban.errors import CheckFailed
from lumiban.table.types import Acknowledge, Append
from lumiban_lab.soak_laws import AckInvariant

EVENTS = Append(1, {"t": "events", "next": 8, "events": []})


@pytest.mark.parametrize(
    ("on_disk", "boot", "next_event", "may"),
    [(1, 5, 8, True), (0, 5, 8, False), (1, 5, 9, False), (1, 6, 8, False)],
)
def test_only_what_is_on_disk_of_this_boot_may_be_forgotten(
    on_disk: int, boot: int, next_event: int, may: bool
) -> None:
    kept = AckInvariant()
    kept.follow(Append(0, {"t": "board", "uid": "uid", "boot": 5}), 5)
    kept.follow(EVENTS, 5)
    kept.on_disk = on_disk
    if may:
        kept.follow(Acknowledge(next_event), boot)
        return
    with pytest.raises(CheckFailed, match="before they are on disk"):
        kept.follow(Acknowledge(next_event), boot)


def test_a_journal_that_is_gone_on_with_holds_events_of_the_boot_that_it_ended_in() -> None:
    kept = AckInvariant(boot=5)
    kept.follow(EVENTS, 5)
    kept.on_disk = 1
    kept.follow(Acknowledge(8), 5)
