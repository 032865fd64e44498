"""Frames changed on the way whose checksums are right: neither side breaks, nothing wrong lasts.

fuzz/changed_frames.py makes them, out of conversations of the firmware's board and the product's
link in a simulated world; `./run test --all` runs a million each way.
"""

from __future__ import annotations

import pytest
from fuzz.changed_frames import WAYS, run
from lumiban.boards.link import RESEND_LIMIT_US
from lumiban.boards.types import Snapshot
from lumiban_fw import wire
from scripted_board import Desk

BLOCK = 100_000


@pytest.mark.parametrize("towards", ["host", "board"])
def test_changed_frames_break_nothing_and_leave_nothing_wrong(towards: str) -> None:
    told = run(towards, 6_000)
    assert told.mutants == 6_000
    assert len(told.ways) == len(set(WAYS))
    assert told.events > 20
    assert told.greetings >= 2 * told.episodes


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 12))
@pytest.mark.parametrize("towards", ["host", "board"])
def test_a_million_changed_frames_each_way(towards: str, seed: int) -> None:
    assert run(towards, BLOCK, seed).mutants == BLOCK


# What they found.


def test_events_that_the_board_never_told_do_not_make_the_host_deaf() -> None:
    """An EVENTS frame was changed into one with more events: the host was ahead of the board, and
    took all that really happened for repeats."""
    desk = Desk().begin().run(1_000_000)
    three = [(cell, 1, desk.board.board_us, 100) for cell in (3, 4, 5)]
    forged = wire.pack_events(0, desk.board.board_us, three)
    desk.log += desk.link.receive(wire.frame(wire.B_EVENTS, forged), desk.now)
    desk.board.happen(9, 2)
    desk.run(desk.now + RESEND_LIMIT_US + 1_100_000)
    (*_, mended) = desk.told(Snapshot)
    assert mended.was_healed
    assert mended.next_event == 1
    assert [cell for cell, kind in enumerate(mended.kinds) if kind] == [9]
    desk.board.happen(10, 1)
    desk.run(desk.now + 300_000)
    assert (desk.events[-1].number, desk.events[-1].cell) == (1, 10)
