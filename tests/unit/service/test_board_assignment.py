"""Which table has which board: plugged in and out, moved, crashed, for a virtual day."""

from __future__ import annotations

import random
import sys

import pytest
from lumiban.service.board_assignment import GONE_S, MOST_TABLES, PAUSE_S, Roster, Start, Stop

A, B = "/dev/serial/by-id/usb-lumiban_a", "/dev/serial/by-id/usb-lumiban_b"


def test_without_a_board_one_table_runs_and_a_board_takes_it() -> None:
    roster = Roster()
    assert roster.step(0.0, []) == [Start(1, "")]
    assert roster.step(1.0, [A]) == [Stop(1)]
    assert roster.step(1.5, [A], [1]) == [Start(1, A)]
    assert roster.step(2.0, [A]) == []


def test_a_second_board_gets_a_table_of_its_own() -> None:
    roster = Roster()
    assert roster.step(0.0, [A, B]) == [Start(1, A), Start(2, B)]


def test_a_board_that_is_unplugged_and_comes_back_finds_its_table_running() -> None:
    roster = Roster()
    roster.step(0.0, [A])
    assert roster.step(5.0, []) == []
    assert roster.step(500.0, []) == []
    assert roster.step(501.0, [A]) == []


def test_another_board_takes_the_first_table_once_its_own_has_been_away_for_a_while() -> None:
    roster = Roster()
    roster.step(0.0, [A])
    assert roster.step(1.0, [B]) == [], "it may be the same board under another name"
    assert roster.step(GONE_S + 1, [B]) == [Stop(1)]
    assert roster.step(GONE_S + 2, [B], [1]) == [Start(1, B)]


def test_a_board_that_its_table_found_under_another_name_is_no_new_one() -> None:
    roster = Roster()
    roster.step(0.0, [A])
    roster.step(1.0, [B])
    roster.moved(1, B)
    assert roster.step(GONE_S + 2, [B]) == []


def test_what_is_no_board_keeps_no_table_from_one_that_is() -> None:
    roster = Roster()
    roster.step(0.0, [A])
    roster.is_strange(1)
    assert roster.step(1.0, [A]) == [], "it is not tried again while it is plugged in"
    assert roster.step(2.0, [A, B]) == [Stop(1)]
    assert roster.step(3.0, [A, B], [1]) == [Start(1, B)]
    roster.step(4.0, [B])
    assert roster.step(5.0, [A, B]) == [Start(2, A)], "plugged in anew it may be one"


def test_boards_keep_their_tables_in_another_service_in_whatever_order_they_come() -> None:
    before = Roster()
    before.step(0.0, [B])
    before.step(GONE_S, [A, B])
    after = Roster("", before.ports, now_s=20.0)
    assert after.step(20.0, [A]) == [Start(1, B), Start(2, A)]
    assert after.step(21.0, [A, B]) == []
    alone = Roster("", before.ports, now_s=20.0)
    assert alone.step(20.0, []) == [Start(1, B)], "a table whose board is away takes no memory"
    other = "/dev/serial/by-id/usb-lumiban_other"
    assert alone.step(21.0, [other]) == [], "its board may come yet"
    assert alone.step(20.0 + GONE_S, [other]) == [Stop(1)]
    assert alone.next_due_s() is None


def test_a_table_that_ends_is_started_again_after_pauses_that_grow_to_a_bound() -> None:
    roster = Roster("gpio")
    assert roster.step(0.0, []) == [Start(1, "gpio")]
    now, pauses = 0.0, []
    for _ in range(9):
        now += 1.0
        assert roster.step(now, [], [1]) == []
        due = roster.next_due_s()
        assert due is not None
        pauses.append(due - now)
        now = due
        assert roster.step(now, []) == [Start(1, "gpio")]
    assert pauses[:4] == [0.5, 1.0, 2.0, 4.0]
    assert max(pauses) == PAUSE_S[1]
    roster.step(now + 3600, [], [1])
    assert roster.next_due_s() == now + 3600 + PAUSE_S[0], "it ran soundly for an hour"


@pytest.mark.slow
def test_a_day_of_boards_plugged_in_and_out_leaves_each_board_one_table_and_memory_flat() -> None:
    rng = random.Random(23)
    boards = [f"/dev/serial/by-id/usb-lumiban_{n}" for n in range(12)]
    roster, there, ended = Roster(), set[str](), list[int]()
    runs: set[int] = set()
    sizes = []
    for second in range(24 * 3600):
        if rng.random() < 0.01:
            there ^= {rng.choice(boards)}
        if runs and rng.random() < 0.001:
            ended.append(rng.choice(sorted(runs)))
            runs.discard(ended[-1])
        for what in roster.step(float(second), sorted(there), ended):
            if isinstance(what, Start):
                assert what.number not in runs
                runs.add(what.number)
            else:
                runs.discard(what.number)
        ended = [seat.number for seat in roster.seats if seat.stops]
        ports = [seat.port for seat in roster.seats if seat.port]
        assert len(ports) == len(set(ports)), "two tables at one board"
        assert len(roster.seats) <= MOST_TABLES
        if second % 3600 == 3599:
            sizes.append(sum(sys.getsizeof(value) for value in vars(roster).values()))
    assert max(sizes) == max(sizes[:4]), sizes
    served = {seat.port for seat in roster.seats}
    assert there <= served or len(there) > MOST_TABLES - 1
