"""Which table has which board: plugged in and out, moved, for a virtual day."""

from __future__ import annotations

from lumiban.service.board_assignment import GONE_S, Roster

A, B = "/dev/serial/by-id/usb-lumiban_a", "/dev/serial/by-id/usb-lumiban_b"


def test_a_second_board_gets_a_table_of_its_own() -> None:
    roster = Roster()
    assert roster.look(0.0, [A, B]) == [1, 2]
    assert roster.ports == [A, B]


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
