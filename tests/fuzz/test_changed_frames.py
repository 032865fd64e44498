"""Frames changed on the way whose checksums are right: neither side breaks, nothing wrong lasts.

fuzz/changed_frames.py makes them, out of conversations of the firmware's board and the product's
link in a simulated world; `./run test --all` runs a million each way.
"""

from __future__ import annotations

import pytest
from fuzz import changed_frames
from fuzz.changed_frames import WAYS, Episode, Tally, run
from lumiban.boards.link import RESEND_LIMIT_US, BoardState
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


def test_the_laws_notice_a_link_that_believes_events_of_no_board(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(BoardState, "_is_gainsaid", lambda self, now_us: False)
    with pytest.raises(AssertionError, match=r"the table (waits|sees)"):
        Episode(1101, "host", Tally()).run(2_000)


def test_the_laws_notice_a_board_that_forgets_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changed_frames.wire, "FULL_MA", 4_000)
    with pytest.raises(AssertionError, match="the lights draw"):
        Episode(1, "board", Tally()).run(1)


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


def test_an_old_state_that_comes_again_and_again_sets_no_count_back() -> None:
    desk = Desk().begin().run(1_000_000)
    old = [wire.frame(wire.B_STATE, part) for part in desk.board.state()]
    desk.board.happen(9, 2)
    desk.run(desk.now + 600_000)
    for _ in range(40):
        desk.log += desk.link.receive(b"".join(old), desk.now)
        desk.run(desk.now + 100_000)
    assert not [one for one in desk.told(Snapshot) if one.was_healed]
    assert [event.cell for event in desk.events] == [9]
