"""Which table has which board: plugged in and out, moved, for a virtual day."""

from __future__ import annotations

from lumiban.service.board_assignment import GONE_S, Roster

A, B = "/dev/serial/by-id/usb-lumiban_a", "/dev/serial/by-id/usb-lumiban_b"


def test_there_is_a_table_without_a_board_and_a_board_takes_it() -> None:
    roster = Roster()
    assert roster.look(0.0, []) == []
    assert roster.ports == [""]
    assert roster.look(1.0, [A]) == [1]
    assert roster.look(2.0, [A]) == []
    assert roster.ports == [A]


def test_a_second_board_gets_a_table_of_its_own() -> None:
    roster = Roster()
    assert roster.look(0.0, [A, B]) == [1, 2]
    assert roster.ports == [A, B]


def test_a_board_that_is_unplugged_and_comes_back_has_its_table() -> None:
    roster = Roster()
    roster.look(0.0, [A])
    for now_s, there in ((5.0, []), (500.0, []), (501.0, [A])):
        assert roster.look(now_s, there) == []
    assert roster.ports == [A]


def test_another_board_takes_the_first_table_once_its_own_has_been_away_for_a_while() -> None:
    roster = Roster()
    roster.look(0.0, [A])
    assert roster.look(1.0, [B]) == [], "it may be the same board under another name"
    assert roster.look(GONE_S + 1, [B]) == [1]
    assert roster.ports == [B]


def test_a_board_that_its_table_found_under_another_name_is_no_new_one() -> None:
    roster = Roster()
    roster.look(0.0, [A])
    roster.look(1.0, [B])
    roster.moved(1, B)
    assert roster.look(GONE_S + 2, [B]) == []


def test_what_is_no_board_keeps_no_table_from_one_that_is() -> None:
    roster = Roster()
    roster.look(0.0, [A])
    roster.is_strange(1)
    assert roster.look(1.0, [A]) == [], "it is not tried again while it is plugged in"
    assert roster.look(2.0, [A, B]) == [1]
    roster.look(4.0, [B])
    assert roster.look(5.0, [A, B]) == [2], "plugged in anew it may be one"


def test_boards_keep_their_tables_in_another_service_in_whatever_order_they_come() -> None:
    before = Roster()
    before.look(0.0, [B])
    before.look(GONE_S, [A, B])
    after = Roster("", before.ports, now_s=20.0)
    assert [seat.rests for seat in after.seats] == [False, True], "it takes no memory"
    assert after.look(20.0, [A]) == []
    assert after.ports == [B, A]
    assert not after.seats[1].rests
    alone = Roster("", before.ports, now_s=20.0)
    other = "/dev/serial/by-id/usb-lumiban_other"
    assert alone.look(21.0, [other]) == [], "its board may come yet"
    assert alone.look(20.0 + GONE_S, [other]) == [1]
    assert alone.seats[1].rests


def test_where_a_board_is_named_no_other_one_is_looked_for() -> None:
    roster = Roster("gpio")
    assert roster.look(0.0, [A]) == []
    roster.reset("")
    assert roster.look(1.0, [A]) == [1]
    roster.is_strange(1)
    roster.reset("sim")
    assert roster.ports == ["sim"]
    roster.reset("")
    assert roster.look(2.0, [A]) == [1], "what was no board may be one now"
