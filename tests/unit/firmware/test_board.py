"""The board as a whole on a scripted hardware: what it says, when, and what it survives."""

from __future__ import annotations

import itertools
from array import array

import pytest
from board_bench import CELLS, Bench, belief, events, of
from lumiban.boards.messages import packed, unpack_state, unpacked
from lumiban_fw import wire


@pytest.fixture
def bench() -> Bench:
    made = Bench()
    made.run(200_000)
    return made


@pytest.fixture
def joined(bench: Bench) -> Bench:
    bench.greet()
    return bench


# Session.


def test_the_board_is_silent_until_it_is_greeted(bench: Bench) -> None:
    bench.run(3_000_000)
    assert bench.frames == []


def test_frames_of_no_session_change_nothing(bench: Bench) -> None:
    bench.say(wire.H_PALETTE, packed(wire.H_PALETTE, 1, tail=[(255, 255, 255)]))
    bench.say(wire.H_LAYER, packed(wire.H_LAYER, 0, 0, tail=[(1, 0)]))
    bench.say(wire.H_COMMIT, packed(wire.H_COMMIT, 0))
    before = bench.rgb
    bench.run(5_000)
    assert bench.rgb == before


# Reliable frames.


# Events.


def test_an_event_is_sent_until_it_is_acknowledged(joined: Bench) -> None:
    joined.put(30, wire.WHITE)
    frames = joined.keep(1_400_000)
    told = of(wire.B_EVENTS, frames)
    assert set(events(frames)) == {(0, 30, wire.WHITE)}
    gaps = [b.t_us - a.t_us for a, b in itertools.pairwise(told)]
    assert gaps[:5] == [50_000, 100_000, 200_000, 400_000, 500_000][: len(gaps)]
    assert len(gaps) >= 3
    joined.say(wire.H_ACK, packed(wire.H_ACK, 1))
    assert events(joined.keep(1_200_000)) == []


def test_the_state_holds_all_released_events_and_no_other(joined: Bench) -> None:
    joined.put(30, wire.WHITE)
    joined.say(wire.H_GET_STATE)
    early = joined.run(20_000)  # it lies there, but it has not settled
    assert belief(early)[30] == wire.EMPTY
    assert unpack_state(of(wire.B_STATE, early)[0].payload)[1] == 0
    joined.run(100_000)
    joined.say(wire.H_GET_STATE)
    late = joined.run(1_000)
    state = unpack_state(of(wire.B_STATE, late)[0].payload)
    assert belief(late)[30] == wire.WHITE
    assert state[1] == 1


def test_a_moving_cell_is_told_in_the_state(joined: Bench) -> None:
    joined.put(30, wire.WHITE)
    joined.run(15_000)
    joined.say(wire.H_GET_STATE)
    flags = unpack_state(of(wire.B_STATE, joined.run(1_000))[0].payload)[3]
    assert flags & wire.MOVING
    assert not joined.board.quiet()


def test_many_events_come_in_order_and_in_few_frames(joined: Bench) -> None:
    for cell in range(20):
        joined.put(cell, wire.BLACK)
    frames = joined.run(65_000)
    assert [number for number, _, _ in events(frames)] == list(range(20))
    assert len(of(wire.B_EVENTS, frames)) == 3


# Time.


class Tardy(Bench):
    """A chip whose frames end while it hears its host, after the time at which a turn began."""

    def scan(self, counts: array[int], references: array[int]) -> int:
        return super().scan(counts, references) + 2_000


def test_no_beat_and_no_state_tells_a_watermark_that_is_later_than_itself() -> None:
    tardy = Tardy()
    tardy.run(200_000)
    tardy.greet()
    frames = tardy.keep(3_000_000)
    beats = [unpacked(wire.B_BEAT, frame.payload).fields for frame in of(wire.B_BEAT, frames)]
    states = [unpack_state(frame.payload)[::2][:2] for frame in of(wire.B_STATE, frames)]
    assert len(beats) > 4
    assert len(states) > 8
    assert [pair for pair in beats + states if pair[1] > pair[0]] == []


def test_a_quiet_board_wants_to_be_called_seldom_and_feeds_its_watchdog(bench: Bench) -> None:
    bench.run(10_000_000)
    before = bench.fed
    bench.run(10_000_000)
    assert 20 <= bench.fed - before <= 25
    bench.put(3, wire.WHITE)
    bench.run(500_001)
    bench.run(1)
    assert bench.due_us - bench.now_us < 1_001 or bench.board.belief[3] == wire.WHITE


# Lights.


def test_before_any_host_the_cells_glow_by_what_they_sense(bench: Bench) -> None:
    dim = bench.rgb[:3]
    assert bench.rgb == dim * CELLS
    bench.put(12, wire.WHITE)
    bench.run(100_000)
    assert sum(bench.rgb[36:39]) > 10 * sum(dim)
    bench.greet()
    assert not any(bench.rgb)


def test_a_supply_that_sags_is_told_and_spared_until_it_is_well_back(joined: Bench) -> None:
    joined.say(wire.H_PALETTE, packed(wire.H_PALETTE, 1, tail=[(0, 0, 255)]), wire.RELIABLE, 0)
    joined.say(wire.H_LAYER, packed(wire.H_LAYER, 0, 0, tail=[(1, 0)]), wire.RELIABLE, 1)
    joined.say(wire.H_COMMIT, packed(wire.H_COMMIT, 0), wire.RELIABLE, 2)
    low, back = (wire.FAULT_RAIL, 44), (wire.FAULT_RAIL | wire.FAULT_GONE, 48)
    for rail_mv, blue, told in (
        (5000, 64, []),
        (4510, 64, []),  # as low as it may be
        (4400, 32, [low]),
        (4600, 32, []),  # without its load it rises a little
        (4700, 32, []),  # and with half of it a weak one rises further
        (4810, 64, [back]),
    ):
        frames = of(wire.B_FAULT, joined.supply(rail_mv))
        assert [unpacked(wire.B_FAULT, frame.payload).fields for frame in frames] == told
        assert joined.rgb[2] == blue


@pytest.mark.parametrize(("rail_mv", "good"), [(3_700, False), (5_600, True), (0, False)])
def test_strips_have_no_power_from_a_supply_that_would_harm_or_starve_them(
    joined: Bench, rail_mv: int, good: bool
) -> None:
    joined.keep(100_000)
    assert joined.power_on
    joined.put(4, wire.WHITE)
    joined.keep(200_000)
    joined.supply(rail_mv, good)
    assert not joined.power_on
    joined.put(4, wire.EMPTY)  # what is read of strips without power
    assert set(events(joined.keep(1_000_000))) <= {(0, 4, wire.WHITE)}
    joined.put(4, wire.WHITE)
    after = joined.supply(5_000) + joined.keep(600_000)
    assert set(events(after)) <= {(0, 4, wire.WHITE)}
    assert belief(after)[4] == wire.WHITE
    assert joined.power_on


def test_a_supply_of_five_volts_that_is_read_too_high_still_feeds_the_strips() -> None:
    bench = Bench()
    bench.rail = 5_400  # 5.21 V, read 3.6 % too high
    bench.run(200_000)
    assert bench.power_on


def test_a_supply_that_goes_on_falling_is_told_again(joined: Bench) -> None:
    joined.keep(100_000)
    told = []
    for rail_mv in (4_450, 4_200, 3_900, 3_500, 0):
        frames = of(wire.B_FAULT, joined.supply(rail_mv, good=False))
        told += [unpacked(wire.B_FAULT, frame.payload).fields for frame in frames]
    assert [tenths for what, tenths in told if what == wire.FAULT_RAIL] == [44, 39, 0]


def test_a_supply_that_was_too_high_stays_so_in_words_until_the_strips_have_power_again(
    joined: Bench,
) -> None:
    joined.keep(100_000)
    told = [
        unpacked(wire.B_FAULT, frame.payload).fields
        for frame in of(wire.B_FAULT, joined.supply(5_600))
    ]
    assert told == [(wire.FAULT_RAIL, 56)]
    joined.supply(5_450)
    assert not joined.power_on
    again = of(wire.B_FAULT, joined.keep(6_000_000))
    assert {unpacked(wire.B_FAULT, frame.payload).fields[0] for frame in again} == {wire.FAULT_RAIL}
    over = [
        unpacked(wire.B_FAULT, frame.payload).fields
        for frame in of(wire.B_FAULT, joined.supply(5_400))
    ]
    assert over == [(wire.FAULT_RAIL | wire.FAULT_GONE, 54)]
    assert joined.power_on


def test_a_picture_is_shown_again_every_half_second(joined: Bench) -> None:
    joined.keep(100_000)
    shows = joined.shows
    joined.keep(2_000_000)
    assert 4 <= joined.shows - shows <= 5


def test_frames_before_the_strips_are_up_count_for_nothing() -> None:
    bench = Bench()
    for row in range(len(bench.references_now)):
        bench.references_now[row] = 100
    bench.run(20_000)
    assert bench.board.sense.now_us == 0
    assert not bench.shows
    for row in range(len(bench.references_now)):
        bench.references_now[row] = wire.HALF_SCALE
    bench.run(2_000)
    assert bench.board.sense.now_us > 20_000
    assert bench.shows


def test_a_full_heap_refuses_a_frame_and_ends_nothing(
    joined: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_given: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(joined.board.lights, "palette", full)
        joined.say(wire.H_PALETTE, packed(wire.H_PALETTE, 1, tail=[(0, 0, 255)]), wire.RELIABLE, 0)
        frames = of(wire.B_NAK, joined.run(1_000))
    assert [frame.payload[2] for frame in frames] == [wire.NAK_FULL]
    joined.say(wire.H_PALETTE, packed(wire.H_PALETTE, 1, tail=[(0, 0, 255)]), wire.RELIABLE, 1)
    assert not of(wire.B_NAK, joined.run(1_000))


def test_the_backend_is_told_while_somebody_plays() -> None:
    bench = Bench()
    told: list[bool] = []
    bench.tidy = told.append  # type: ignore[method-assign]  # listened to
    bench.run(600_000)
    assert told[0]
    assert not told[-1]
    told.clear()
    bench.put(3, wire.WHITE)
    bench.run(20_000)
    assert told[-1]
