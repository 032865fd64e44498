"""The link machine against a scripted board: losing it, finding it, resuming."""

from __future__ import annotations

from lumiban.boards.types import (
    BoardTime,
    Connected,
    Lost,
    Snapshot,
)
from scripted_board import BOOT, Desk, ScriptedBoard, picture

# Losing and finding.


def test_reconnecting_loses_and_doubles_nothing() -> None:
    desk = Desk().begin().run(50_000)
    desk.board.happen(1, 1)
    desk.run(70_000)
    desk.log += desk.link.closed("unplugged")
    assert desk.log[-1] == Lost("closed", "unplugged")
    assert desk.link.closed("again") == []
    desk.board.happen(2, 2)
    desk.board.happen(3, 1)
    desk.begin().run(200_000)
    assert [e.cell for e in desk.events] == [1, 2, 3]
    last = desk.told(Snapshot)[-1]
    assert (last.next_event, last.was_healed) == (3, False)
    assert [type(e).__name__ for e in desk.log if not isinstance(e, BoardTime)] == [
        "Connected", "Snapshot", "Changed", "Lost", "Connected", "Changed", "Snapshot",
    ]  # fmt: skip


def test_a_rebooted_board_is_a_new_one() -> None:
    desk = Desk().begin().run(50_000)
    for cell in range(5):
        desk.board.happen(cell, 1)
    desk.run(100_000)
    again = ScriptedBoard(boot_id=BOOT + 1)
    again.kinds[:] = desk.board.kinds
    desk.board = again
    desk.run(4_000_000)
    assert desk.told(Lost) == [Lost("silent")]
    desk.begin().run(4_100_000)
    assert desk.told(Connected)[-1].hello.boot_id == BOOT + 1
    assert desk.told(Snapshot)[-1].next_event == 0
    desk.link.acknowledge(5)  # of the old boot: not to be taken for new events
    again.happen(9, 2)
    desk.run(4_200_000)
    assert [(e.number, e.cell) for e in desk.events[5:]] == [(0, 9)]


def test_a_board_that_reset_behind_our_back_is_greeted_anew() -> None:
    desk = Desk().begin().run(600_000)
    desk.board.ahead_us = -600_000
    desk.board.boot_id += 1
    desk.run(1_500_000)
    assert desk.told(Lost) == []
    assert [c.hello.boot_id for c in desk.told(Connected)] == [BOOT, BOOT + 1]


def test_a_board_that_forgot_the_session_is_greeted_anew() -> None:
    desk = Desk().begin()
    desk.link.show(picture(1))
    desk.run(100_000)
    desk.board.expected = 200
    desk.run(2_000_000)
    assert len(desk.told(Connected)) == 2
    assert desk.board.shown[1] == (1, 2)


def test_a_new_host_process_resumes_where_the_journal_ends() -> None:
    board = ScriptedBoard()
    first = Desk(board)
    first.durable = False
    first.begin().run(50_000)
    for cell in range(6):
        board.happen(cell, 1)
    first.run(100_000)
    first.link.acknowledge(3)  # four to six were not yet durable when the host died
    first.run(110_000)
    second = Desk(board, resume=(BOOT, 4), session=1234)
    second.now = 110_000
    second.begin().run(300_000)
    assert [e.number for e in second.events] == [4, 5]
    assert board.acked == 6
    assert [s.next_event for s in second.told(Snapshot)] == [6]
    assert not second.told(Snapshot)[0].was_healed


def test_resuming_another_boot_begins_with_its_picture() -> None:
    board = ScriptedBoard(boot_id=5)
    for cell in range(3):
        board.happen(cell, 1)
    desk = Desk(board, resume=(BOOT, 100)).begin().run(200_000)
    assert desk.events == []
    assert desk.told(Snapshot)[0].next_event == 3
    assert not desk.told(Snapshot)[0].was_healed


def test_a_number_that_the_board_never_reached_is_set_right() -> None:
    desk = Desk(resume=(BOOT, 50))
    desk.begin().run(200_000)
    assert desk.told(Snapshot)[0].next_event == 0
    desk.board.happen(2, 1)
    desk.run(300_000)
    assert [e.number for e in desk.events] == [0]


def test_a_number_that_the_board_never_reached_acknowledges_nothing_once_it_does() -> None:
    desk = Desk(resume=(BOOT, 3))
    desk.begin().run(200_000)
    desk.durable = False
    for cell in range(5):
        desk.board.happen(cell, 1)
    desk.run(500_000)  # the board sends them again and again, and repeats are acknowledged
    assert [e.number for e in desk.events] == [0, 1, 2, 3, 4]
    assert desk.board.acked == 0
