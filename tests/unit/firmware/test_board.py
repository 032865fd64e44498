"""The board as a whole on a scripted hardware: what it says, when, and what it survives."""

from __future__ import annotations

import itertools
from array import array

import pytest
from board_bench import CELLS, SESSION, Bench, belief, events, of
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.boards.messages import packed, unpack_events, unpack_state, unpacked
from lumiban_fw import wire
from lumiban_fw.events import BOUNCE_US
from thorough import examples


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


def test_hello_is_answered_with_the_session_and_a_state(bench: Bench) -> None:
    frames = bench.greet()
    assert [f.kind for f in frames[:2]] == [wire.B_HELLO, wire.B_STATE]
    assert len(of(wire.B_STATE, frames)) == 2
    got = unpacked(wire.B_HELLO, frames[0].payload).fields
    assert got[2:5] == (b"bench\0\0\0", 1, CELLS)
    assert got[7:10] == (b"bench...", 9, SESSION)
    can = wire.CAN_ORDER | wire.CAN_INJECT | wire.CAN_FIELD | wire.CAN_IDENTIFY
    assert got[12] == wire.IS_SIMULATED | can
    assert belief(frames) == [wire.EMPTY] * CELLS


def test_pieces_that_stood_at_power_on_are_in_the_first_state() -> None:
    bench = Bench()
    bench.put(7, wire.WHITE)
    bench.put(99, wire.NEUTRAL)
    first = bench.greet()
    assert of(wire.B_HELLO, first)
    assert of(wire.B_STATE, first) == []  # nothing is known yet
    frames = bench.run(200_000)
    assert belief(frames)[7] == wire.WHITE
    assert belief(frames)[99] == wire.NEUTRAL
    assert events(frames) == []


def test_a_hello_that_comes_twice_starts_nothing_anew(joined: Bench) -> None:
    joined.say(wire.H_LAYER, packed(wire.H_LAYER, 0, 0, tail=[(1, 0)]), wire.RELIABLE, 0)
    joined.run(2_000)
    again = joined.greet()
    assert of(wire.B_HELLO, again)
    assert again[-1].ack == 1
    other = joined.greet(SESSION + 1)
    assert other[-1].ack == 0


def test_another_major_is_refused_with_a_word(bench: Bench) -> None:
    bench.say(wire.H_HELLO, bytes((2, 0)) + (5).to_bytes(4, "little"))
    fault, hello = bench.run(1_000)
    assert fault.kind == wire.B_FAULT
    assert unpacked(wire.B_FAULT, fault.payload).fields == (wire.FAULT_VERSION, wire.MAJOR)
    assert unpacked(wire.B_HELLO, hello.payload).fields[9] == 5
    assert bench.run(2_000_000) == []


def test_a_board_that_was_reset_introduces_itself_to_a_host_that_goes_on(bench: Bench) -> None:
    for _ in range(20):
        bench.say(wire.H_BEAT, packed(wire.H_BEAT, 500_000))
        bench.run(100_000)
    hellos = of(wire.B_HELLO, bench.frames)
    assert 2 <= len(hellos) <= 4
    assert len(hellos) == len(bench.frames)
    assert unpacked(wire.B_HELLO, hellos[0].payload).fields[8:10] == (9, 0)


def test_frames_of_no_session_change_nothing(bench: Bench) -> None:
    bench.say(wire.H_PALETTE, packed(wire.H_PALETTE, 1, tail=[(255, 255, 255)]))
    bench.say(wire.H_LAYER, packed(wire.H_LAYER, 0, 0, tail=[(1, 0)]))
    bench.say(wire.H_COMMIT, packed(wire.H_COMMIT, 0))
    before = bench.rgb
    bench.run(5_000)
    assert bench.rgb == before


# Reliable frames.


def test_reliable_frames_count_in_order_and_once(joined: Bench) -> None:
    joined.say(wire.H_PALETTE, packed(wire.H_PALETTE, 1, tail=[(255, 255, 255)]), wire.RELIABLE, 0)
    joined.say(wire.H_LAYER, packed(wire.H_LAYER, 0, 3, tail=[(1, 0)]), wire.RELIABLE, 1)
    joined.say(wire.H_COMMIT, packed(wire.H_COMMIT, 0), wire.RELIABLE, 3)  # 2 was lost
    (ack,) = joined.run(2_000)
    assert (ack.kind, ack.ack) == (wire.B_ACK, 2)
    assert not any(joined.rgb)
    joined.say(
        wire.H_LAYER, packed(wire.H_LAYER, 0, 4, tail=[(1, 0)]), wire.RELIABLE | wire.RESENT, 2
    )
    joined.say(wire.H_COMMIT, packed(wire.H_COMMIT, 0), wire.RELIABLE | wire.RESENT, 3)
    (ack,) = joined.run(2_000)
    assert ack.ack == 4
    assert [i for i in range(CELLS) if joined.rgb[3 * i]] == [3, 4]
    joined.say(
        wire.H_LAYER, packed(wire.H_LAYER, 0, 9, tail=[(1, 0)]), wire.RELIABLE | wire.RESENT, 2
    )
    (ack,) = joined.run(2_000)
    assert ack.ack == 4  # an old one: told again, not followed


def test_the_numbers_of_reliable_frames_go_round(joined: Bench) -> None:
    for k in range(600):
        joined.say(
            wire.H_CFG, packed(wire.H_CFG, wire.CFG_BRIGHTNESS, k % 256), wire.RELIABLE, k % 256
        )
        if k % 8 == 7:
            frames = joined.run(1_000)
            assert frames[-1].ack == (k + 1) % 256


def test_unknown_types_and_short_payloads_are_ignored(joined: Bench) -> None:
    joined.say(0x7E, b"later")
    joined.say(wire.B_EVENTS, b"an echo")
    joined.say(wire.H_LAYER, b"", wire.RELIABLE, 0)
    joined.say(wire.H_CFG, packed(wire.H_CFG, 99, 1), wire.RELIABLE, 1)
    joined.say(0x7E, b"later", wire.RELIABLE, 2)
    naks = joined.run(2_000)
    assert [(f.kind, f.ack) for f in naks] == [(wire.B_NAK, 1), (wire.B_NAK, 3)]
    told = [unpacked(wire.B_NAK, f.payload).fields for f in naks]
    assert told == [(wire.H_LAYER, 0, wire.NAK_SHORT), (0x7E, 2, wire.NAK_UNKNOWN)]
    assert joined.board.link.drops == 1


@settings(max_examples=examples(40))
@given(st.binary(max_size=300), st.integers(0, 255), st.binary(max_size=55))
def test_any_bytes_do_no_harm(noise: bytes, kind: int, payload: bytes) -> None:
    bench = Bench()
    bench.run(200_000)
    bench.greet()
    bench.incoming += noise + b"\0"
    bench.say(kind, payload)
    bench.say(wire.H_HELLO, packed(wire.H_HELLO, wire.MAJOR, wire.MINOR, 77))
    frames = bench.run(5_000)
    assert 77 in [unpacked(wire.B_HELLO, f.payload).fields[9] for f in of(wire.B_HELLO, frames)]


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


def test_a_new_session_gets_what_was_not_acknowledged(joined: Bench) -> None:
    joined.put(1, wire.WHITE)
    joined.put(2, wire.WHITE)
    joined.run(60_000)
    joined.say(wire.H_ACK, packed(wire.H_ACK, 1))
    joined.run(1_000)
    frames = joined.greet(SESSION + 1)
    kinds = [f.kind for f in frames]
    assert kinds.index(wire.B_STATE) < kinds.index(wire.B_EVENTS)
    assert [number for number, _, _ in events(frames)] == [1]


def test_without_a_host_events_wait_and_nothing_is_said(joined: Bench) -> None:
    joined.run(1_600_000)
    assert joined.board.host_lost
    said = len(joined.frames)
    joined.put(5, wire.WHITE)
    joined.run(3_000_000)
    assert len(joined.frames) == said
    joined.say(wire.H_BEAT, packed(wire.H_BEAT, 500_000))
    frames = joined.run(2_000)
    assert not joined.board.host_lost
    assert events(frames) == [(0, 5, wire.WHITE)]
    assert of(wire.B_BEAT, frames)
    assert of(wire.B_STATE, frames)


def test_a_full_ring_overflows_and_the_next_state_heals(joined: Bench) -> None:
    for _ in range(15):  # 300 events that nobody acknowledges
        kind = wire.EMPTY if joined.counts[0] != 2048 else wire.WHITE
        for cell in range(20):
            joined.put(cell, kind)
        joined.keep(60_000)
    joined.say(wire.H_GET_STATE)
    frames = joined.run(1_000)
    *_, (_, event, _, flags, _, _, _) = [unpack_state(f.payload) for f in of(wire.B_STATE, frames)]
    assert event == 300
    assert flags & wire.OVERFLOWED
    assert belief(frames)[0] == wire.WHITE
    assert min(number for number, _, _ in events(joined.keep(600_000))) == 300 - wire.RING_EVENTS
    joined.say(wire.H_ACK, packed(wire.H_ACK, event))
    joined.say(wire.H_GET_STATE)
    frames = joined.run(1_000)
    assert unpack_state(of(wire.B_STATE, frames)[0].payload)[3] & wire.OVERFLOWED == 0
    joined.put(50, wire.NEUTRAL)
    assert (300, 50, wire.NEUTRAL) in events(joined.keep(300_000))


def test_a_line_that_is_stuck_loses_no_event(joined: Bench) -> None:
    joined.put(5, wire.WHITE)
    for _ in range(10):
        joined.say(wire.H_BEAT, packed(wire.H_BEAT, 500_000))
        assert joined.run(200_000, width=0) == []
    assert joined.board.link.backlog() <= 32
    assert (0, 5, wire.WHITE) in events(joined.keep(1_000_000))


def test_buttons_stand_among_the_stones(joined: Bench) -> None:
    joined.put(5, wire.WHITE)
    joined.run(3_000)
    joined.down = 0b10
    joined.run(1_000)
    joined.down = 0b00  # it bounces
    joined.run(1_000)
    joined.down = 0b10
    joined.run(2_000)
    joined.put(6, wire.WHITE)
    frames = joined.run(70_000)
    joined.down = 0
    frames += joined.run(BOUNCE_US + 2_000)
    seen = dict.fromkeys((cell, kind) for _, cell, kind in events(frames))
    assert list(seen) == [(5, wire.WHITE), (241, wire.DOWN), (6, wire.WHITE), (241, wire.UP)]


def test_a_row_that_cannot_be_read_is_a_fault(joined: Bench) -> None:
    joined.references_now[4] = 30
    frames = joined.keep(1_200_000)
    assert [unpacked(wire.B_FAULT, f.payload).fields for f in of(wire.B_FAULT, frames)] == [
        (wire.FAULT_REFERENCE, 4)
    ]
    assert events(frames) == []


# Time.


def test_beat_state_and_stats_come_at_their_times(joined: Bench) -> None:
    frames = joined.keep(10_000_000)
    assert 19 <= len(of(wire.B_BEAT, frames)) <= 21
    assert 38 <= len(of(wire.B_STATE, frames)) <= 42  # in two parts
    assert len(of(wire.B_STATS, frames)) == 2
    assert unpacked(wire.B_STATS, of(wire.B_STATS, frames)[0].payload).fields[5] == 100
    now_us, watermark_us = unpacked(wire.B_BEAT, of(wire.B_BEAT, frames)[-1].payload).fields
    assert now_us - 1_000 <= watermark_us <= now_us


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


def test_a_clock_question_is_answered_with_the_boards_time(joined: Bench) -> None:
    asked_us = joined.now_us
    joined.say(wire.H_CLOCK, packed(wire.H_CLOCK, 0xABCD))
    (answer,) = of(wire.B_CLOCK, joined.run(1_000))
    assert unpacked(wire.B_CLOCK, answer.payload).fields == (0xABCD, asked_us, 0)


def test_a_quiet_board_wants_to_be_called_seldom_and_feeds_its_watchdog(bench: Bench) -> None:
    bench.run(10_000_000)
    before = bench.fed
    bench.run(10_000_000)
    assert 20 <= bench.fed - before <= 25
    bench.put(3, wire.WHITE)
    bench.run(500_001)
    bench.run(1)
    assert bench.due_us - bench.now_us < 1_001 or bench.board.belief[3] == wire.WHITE


def test_times_beyond_32_bits_go_on() -> None:
    bench = Bench()
    bench.now_us = 2**32 - 300_000
    bench.run(200_000)
    bench.greet()
    bench.run(80_000)
    bench.put(3, wire.WHITE)
    frames = bench.run(100_000)
    (first, base, watermark, got) = unpack_events(of(wire.B_EVENTS, frames)[0].payload)
    near = bench.now_us
    t_us = wire.widen(base, near) + got[0][2]
    assert first == 0
    assert 2**32 - 25_000 < t_us < 2**32
    assert t_us < wire.widen(watermark, near) <= near


# Lights.


def test_before_any_host_the_cells_glow_by_what_they_sense(bench: Bench) -> None:
    dim = bench.rgb[:3]
    assert bench.rgb == dim * CELLS
    bench.put(12, wire.WHITE)
    bench.run(100_000)
    assert sum(bench.rgb[36:39]) > 10 * sum(dim)
    bench.greet()
    assert not any(bench.rgb)


def test_host_lost_is_shown_and_taken_back(joined: Bench) -> None:
    joined.say(wire.H_PALETTE, packed(wire.H_PALETTE, 1, tail=[(0, 0, 255)]), wire.RELIABLE, 0)
    joined.say(wire.H_LAYER, packed(wire.H_LAYER, 0, 0, tail=[(1, 0)]), wire.RELIABLE, 1)
    joined.say(wire.H_COMMIT, packed(wire.H_COMMIT, 0), wire.RELIABLE, 2)
    joined.run(1_400_000)
    assert joined.rgb[:4] == bytes((0, 0, 64, 0))
    joined.run(400_000)
    assert joined.rgb[0] > joined.rgb[2]
    assert joined.rgb == joined.rgb[:3] * CELLS
    joined.say(wire.H_BEAT, packed(wire.H_BEAT, 500_000))
    joined.run(1_000)
    assert joined.rgb[:4] == bytes((0, 0, 64, 0))


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


def test_a_supervisor_that_is_low_is_the_fault_whatever_the_voltage(joined: Bench) -> None:
    joined.say(wire.H_PALETTE, packed(wire.H_PALETTE, 1, tail=[(0, 0, 255)]), wire.RELIABLE, 0)
    joined.say(wire.H_LAYER, packed(wire.H_LAYER, 0, 0, tail=[(1, 0)]), wire.RELIABLE, 1)
    joined.say(wire.H_COMMIT, packed(wire.H_COMMIT, 0), wire.RELIABLE, 2)
    joined.keep(100_000)
    frames = of(wire.B_FAULT, joined.supply(5_000, good=False))
    assert [unpacked(wire.B_FAULT, frame.payload).fields for frame in frames] == [
        (wire.FAULT_RAIL, 50)
    ]
    assert joined.rgb[2] == 32
    joined.supply(5_000)
    assert joined.rgb[2] == 64


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
