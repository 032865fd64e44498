"""The PIO programs: their words are frozen, and what they do to pins is run by an emulator."""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from typing import Any

import rp2_by_hand
from each import each
from hypothesis import given, settings
from hypothesis import strategies as st
from pioemu import State, emulate
from rp2_by_hand import Program
from thorough import examples

SYSTEM_HZ = 125_000_000
FIRST_ADDRESS, DATA = 2, 14
MADE = rp2_by_hand.load()

Edge = tuple[int, int]
"""(cycle, all pins)"""


def run(program: Program, data: bytes, until: int, **pins: int) -> list[Edge]:
    """What all pins show, from when; the words of a FIFO are the byte in each lane, as by DMA."""
    fifo = deque(byte * 0x01010101 for byte in data)
    steps: Any = emulate(
        program.words,
        stop_when=lambda _, state: state.clock >= until,
        initial_state=State(transmit_fifo=fifo, pin_directions=0xFFFFFFFF),
        shift_osr_right=program.setup["out_shiftdir"] == 1,
        auto_pull=program.setup["autopull"],
        pull_threshold=program.setup["pull_thresh"],
        wrap_target=program.wrap,
        wrap_top=program.wrap_top,
        **pins,
    )
    edges = [(0, 0)]
    for before, after in steps:
        if after.pin_values != edges[-1][1]:
            edges.append((before.clock, after.pin_values))
    return edges


def addressed(data: bytes, until: int) -> list[Edge]:
    return run(MADE.addresses, data, until, out_base=FIRST_ADDRESS, out_count=8)


def lit(data: bytes, until: int) -> list[Edge]:
    pins = {"side_set_base": DATA, "side_set_count": 1}
    return run(MADE.ws2812, data, until, **pins)


@each("slot_us", [4, 5, 8, 10, 20, 25, 40])
def test_an_address_stands_for_its_slot_exactly(slot_us: int) -> None:
    clock_hz = MADE.SLOT_HZ // slot_us
    divided = SYSTEM_HZ // clock_hz
    assert SYSTEM_HZ % clock_hz == 0
    addresses = bytes([0x00, 0x01, 0x0F, 0x10, 0x21, 0xEF, 0xFF, 0x00])
    edges = addressed(addresses, 60)[1:]
    assert [pins >> FIRST_ADDRESS for _, pins in edges] == list(addresses[1:])
    gaps = [b[0] - a[0] for a, b in pairwise(edges)]
    assert {gap * divided for gap in gaps} == {125 * slot_us}


@settings(max_examples=examples(40))
@given(st.binary(min_size=1, max_size=40))
def test_addresses_touch_their_eight_pins_only(data: bytes) -> None:
    edges = addressed(data, 5 * len(data) + 5)
    assert all(pins & ~(0xFF << FIRST_ADDRESS) == 0 for _, pins in edges)


def test_without_an_address_the_last_one_stays() -> None:
    edges = addressed(bytes([0x35]), 100)
    assert edges[-1][1] >> FIRST_ADDRESS == 0x35


def ns(cycles: int) -> float:
    return cycles * 1e9 / float(MADE.LIGHT_HZ)


def pulses(data: bytes) -> list[tuple[float, float]]:
    """(high, low) of each bit but the last in ns."""
    edges = lit(data, 10 * 8 * len(data) + 30)[1:]
    assert all(pins in (0, 1 << DATA) for _, pins in edges)
    at = [clock for clock, _ in edges]
    return [(ns(b - a), ns(c - b)) for a, b, c in zip(at[::2], at[1::2], at[2::2], strict=False)]


@settings(max_examples=examples(40))
@given(st.binary(min_size=1, max_size=9))
def test_bits_are_within_the_limits_of_all_ws2812b(data: bytes) -> None:
    # Old parts: 0 is 250 to 550 high, 1 is 650 to 950; new ones: 220 to 380 and 580 to 1000.
    bits = [byte >> k & 1 for byte in data for k in range(7, -1, -1)]
    found = pulses(data)
    assert len(found) == len(bits) - 1
    for bit, (high, low) in zip(bits, found, strict=False):
        assert (650 <= high <= 950) if bit else (250 <= high <= 380)
        assert (300 <= low <= 600) if bit else (700 <= low <= 1000)
        assert high + low == 1250


def test_the_line_rests_low_between_frames() -> None:
    edges = lit(b"\xff", 400)
    assert edges[-1][1] == 0
    assert edges[-1][0] <= 90
