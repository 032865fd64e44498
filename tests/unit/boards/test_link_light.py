"""The link machine against a scripted board: light, clock and the reliable order."""

from __future__ import annotations

import random

import pytest
from each import each
from hypothesis import given
from hypothesis import strategies as st
from lumiban.boards import transport
from lumiban.boards.link import runs
from lumiban.boards.transport import BoardClock, ReliableSender
from lumiban.boards.types import (
    BoardTime,
)
from lumiban_fw import wire
from scripted_board import Desk, picture

# Light.


def test_only_what_changed_is_sent() -> None:
    desk = Desk().begin()
    desk.link.show(picture(1))
    desk.run(100_000)
    desk.link.show(picture(1))
    assert desk.link.take_output() == b""
    desk.link.show(picture(2))
    frames = wire.Decoder().feed(desk.link.take_output())
    assert [f[0] for f in frames] == [wire.H_LAYER, wire.H_COMMIT]
    assert wire.unpack_layer(frames[0][4]) == (0, 1, [(0, 0), (1, 2)])


def test_pictures_coalesce_while_the_window_is_full() -> None:
    desk = Desk().begin().run(50_000)
    for i in range(200):
        desk.link.show(picture(i % 19))
    frames = wire.Decoder().feed(desk.link.take_output())
    assert len(frames) <= wire.WINDOW + 1
    desk.run(100_000)  # those frames were lost: they are resent, then the latest follows
    desk.run(600_000)
    assert [i for i, light in desk.board.shown.items() if light == (1, 2)] == [199 % 19]
    assert desk.link.statistics.resent > 0
    assert desk.link.statistics.pictures < 10


def test_after_a_reconnect_the_whole_picture_is_painted_again() -> None:
    desk = Desk().begin()
    desk.link.show(picture(4))
    desk.run(100_000)
    desk.link.closed()
    desk.board.shown.clear()
    desk.board.staged.clear()
    desk.begin().run(300_000)
    assert desk.board.shown[4] == (1, 2)
    assert len(desk.board.shown) == 19


@given(
    st.lists(st.integers(0, 2), max_size=40),
    st.lists(st.integers(0, 2), max_size=40),
    st.integers(1, 9),
    st.integers(1, 6),
)
def test_runs_cover_all_that_differs_and_no_more_than_allowed(
    old: list[int], new: list[int], most: int, bridge: int
) -> None:
    covered: list[int] = []
    for first, end in runs(old, new, most, bridge):
        assert 0 < end - first <= most
        covered += range(first, end)
    assert covered == sorted(set(covered))
    differs = {i for i, v in enumerate(new) if i >= len(old) or old[i] != v}
    assert differs <= set(covered)


# Time.


def test_the_board_is_told_of_us_twice_a_second() -> None:
    desk = Desk().begin().run(5_000_000)
    assert 9 <= desk.board.got.count(wire.H_BEAT) <= 11
    assert 8 + 3 <= desk.board.got.count(wire.H_CLOCK) <= 8 + 5


def test_board_time_runs_on_and_never_back() -> None:
    desk = Desk().begin()
    for i in range(40):
        desk.run(desk.now + 70_000)
        desk.board.happen(i % 19, 1)
    times = [e.now_us for e in desk.told(BoardTime)]
    assert times == sorted(times)
    assert times[-1] == pytest.approx(desk.board.board_us, abs=200_000)
    assert abs(desk.link.board_now(desk.now) - desk.board.board_us) < 2_000


def test_the_clock_finds_rate_and_offset_through_jitter() -> None:
    dice = random.Random(7)
    clock = BoardClock()
    clock.start(123_456_500, 0)
    rate = 1 + 80e-6

    def board(host: float) -> float:
        return 123_456_789 + host * rate

    now = 0
    for _ in range(60):
        now = max(now, clock.due_us())
        token = clock.ask(now)
        there = 150 + int(dice.expovariate(1 / 400))
        back = 150 + int(dice.expovariate(1 / 400))
        now += there + back
        assert clock.answered(token, round(board(now - back)), 0, now)
    assert abs(clock.board_now(now) - board(now)) < 150
    assert abs(clock.board_now(now + 5_000_000) - board(now + 5_000_000)) < 250
    assert not clock.answered(token, 0, 0, now)


def asked(clock: BoardClock, now: int, off_us: int = 0, turnaround_us: int = 0) -> bool:
    """Whether an answer counts that comes 300 µs later from a board that is 5 s ahead, and off."""
    token = clock.ask(now)
    return clock.answered(token, now + 150 + 5_000_000 + off_us, turnaround_us, now + 300)


@each("off_us", [1 << 41, -4_000_000, 65_536, -700_000, 20_000])
@each("before", [0, 1, 20])
def test_one_answer_with_a_changed_time_moves_no_clock(before: int, off_us: int) -> None:
    clock, now = BoardClock(), 0
    clock.start(5_000_000, 0)
    for n in range(before + 4):
        now += 20_000
        asked(clock, now, off_us if n == before else 0)
    assert abs(clock.board_now(now) - now - 5_000_000) < 1_000


def test_answers_of_another_clock_are_believed_once_they_agree() -> None:
    clock = BoardClock()
    clock.start(77, 0)  # a HELLO whose time was changed
    assert [asked(clock, n * 20_000) for n in range(1, 6)] == [False, False, True, True, True]
    assert abs(clock.board_now(200_000) - 5_200_000) < 1_000
    off = [-(1 << 30), -(1 << 30), 0, -(1 << 30), -(1 << 30)]
    counts = [asked(clock, n * 20_000, off_us) for n, off_us in enumerate(off, 6)]
    assert counts == [False, False, True, False, False], "three in a row are another clock's"


def test_an_answer_that_took_longer_than_it_had_is_none() -> None:
    clock = BoardClock()
    clock.start(5_000_000, 0)
    assert not asked(clock, 1_000, turnaround_us=301)
    assert asked(clock, 2_000, turnaround_us=300)


def test_a_board_is_asked_often_at_first_then_seldom_and_what_it_never_answered_is_forgotten() -> (
    None
):
    clock, tokens = BoardClock(), []
    for now in (0, 10**9):  # it begins twice
        clock.start(5_000_000, now)
        waits = []
        for _ in range(200):
            due = clock.due_us()
            waits.append(due - now)
            now = due
            tokens.append(clock.ask(now))
        first = transport.FIRST_SAMPLES - 1
        assert waits[0] == 0
        assert set(waits[1 : first + 1]) == {transport.FIRST_PERIOD_US}
        assert set(waits[first + 1 :]) == set(transport.PERIODS_US)
    assert len(set(tokens)) == len(tokens)
    now += 300
    answers = [clock.answered(token, now + 4_000_000 - 10**9, 0, now) for token in tokens]
    assert sum(answers) <= transport.MAX_SAMPLES
    assert not any(answers[: -transport.MAX_SAMPLES])
    assert clock.answered(clock.ask(now), clock.board_now(now + 150), 0, now + 300)
    assert (clock.least_trip_us, clock.uncertainty_us) == (300, 150)


@given(st.integers(-3_000, 3_000), st.integers(0, 2**31))
def test_between_answers_the_clock_goes_on_at_the_board_s_rate_as_far_as_a_crystal_can(
    ppm: int, ahead_us: int
) -> None:
    clock, now = BoardClock(), 0
    clock.start(ahead_us, 0)
    for _ in range(64):
        now = max(now, clock.due_us())
        middle = now + 150
        clock.answered(clock.ask(now), ahead_us + round(middle * (1 + ppm / 1e6)), 0, now + 300)
    assert abs(clock.drift_ppm) <= transport.MAX_DRIFT * 1e6 + 1e-6
    if abs(ppm) <= transport.MAX_DRIFT * 1e6:
        assert clock.drift_ppm == pytest.approx(ppm, abs=2)
        later = now + 10_000_000
        assert clock.board_now(later) == pytest.approx(ahead_us + later * (1 + ppm / 1e6), abs=50)


# The reliable order.


def test_the_time_out_doubles_and_progress_resets_it() -> None:
    sender = ReliableSender()
    sender.send(wire.H_COMMIT, b"\0" * 4)
    assert sender.fill()
    assert sender.deadline_us() == 0
    sender.stamp(1_000)
    waits = []
    now = 1_000
    for _ in range(6):
        due = sender.deadline_us()
        assert due is not None
        waits.append(due - now)
        assert sender.resend(due - 1) == b""
        assert sender.resend(due)
        now = due
    assert waits == [100_000, 200_000, 400_000, 800_000, 1_000_000, 1_000_000]
    sender.acknowledged(1, now + 3_000)
    assert sender.is_idle
    sender.send(wire.H_COMMIT, b"\0" * 4)
    sender.fill()
    sender.stamp(now + 10_000)
    sender.acknowledged(2, now + 12_000)  # a trip of 2 ms
    sender.send(wire.H_COMMIT, b"\0" * 4)
    sender.fill()
    sender.stamp(now + 20_000)
    assert sender.deadline_us() == now + 20_000 + wire.RTO_MIN_US


def test_an_old_ack_opens_nothing() -> None:
    sender = ReliableSender()
    for _ in range(20):
        sender.send(wire.H_COMMIT, b"\0" * 4)
    assert len(wire.Decoder().feed(sender.fill())) == wire.WINDOW
    sender.stamp(0)
    sender.acknowledged(5, 10)
    assert [f[2] for f in wire.Decoder().feed(sender.fill())] == [8, 9, 10, 11, 12]
    sender.acknowledged(3, 20)
    sender.acknowledged(200, 20)
    assert sender.fill() == b""
    assert sender.astray == 2
    assert (sender.sent, sender.resent, sender.timeouts) == (13, 0, 0)
    sender.stamp(30)
    due = sender.deadline_us()
    assert due is not None
    again = wire.Decoder().feed(sender.resend(due))
    assert [frame[2] for frame in again] == list(range(5, 13))
    assert {frame[1] & 3 for frame in again} == {wire.RELIABLE | wire.RESENT}
    assert (sender.sent, sender.resent, sender.timeouts) == (21, 8, 1)
    sender.acknowledged(6, due + 1)
    assert (sender.astray, sender.timeouts, sender.is_busy, sender.is_idle) == (0, 0, True, False)
