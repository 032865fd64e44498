"""What the chip packs is read back by the host; the layouts stand in tests/unit/boards."""

from __future__ import annotations

import pytest
from each import each
from hypothesis import given
from hypothesis import strategies as st
from lumiban.boards.messages import unpacked
from lumiban_fw import wire

u8 = st.integers(0, 255)


def test_an_event_long_after_or_before_the_first_needs_its_own_frame() -> None:
    assert not wire.fits_events(100, 99)
    assert not wire.fits_events(0, 650_001)
    assert wire.fits_events(0, 650_000)


def test_what_is_too_large_for_its_field_is_told_as_the_most_or_as_a_low_half() -> None:
    clock = unpacked(wire.B_CLOCK, wire.pack_board_clock(3, 2**40, 70_000))
    assert clock.fields == (3, 2**40, 0xFFFF)
    assert unpacked(wire.B_BEAT, wire.pack_board_beat(2**32 + 1, 2**32)).fields == (1, 0)
    stats = unpacked(wire.B_STATS, wire.pack_stats(0, 70_000, 70_000, 0, 0, 0))
    assert stats.fields[1:3] == (0xFFFF, 0xFFFF)


def test_boot_needs_its_magic_number() -> None:
    with pytest.raises(ValueError, match="magic"):
        wire.unpack_boot(bytes(5))


@each(
    "unpack",
    [
        wire.unpack_boot,
        wire.unpack_file_begin,
        wire.unpack_file_data,
        wire.unpack_file_read,
        wire.unpack_get_field,
        wire.unpack_inject,
        wire.unpack_u8,
        wire.unpack_host_hello,
        wire.unpack_u32,
        wire.unpack_layer,
        wire.unpack_palette,
        wire.unpack_cfg,
    ],
)
def test_a_payload_that_is_too_short_is_a_value_error(unpack: object) -> None:
    assert callable(unpack)
    with pytest.raises(ValueError, match=r"short"):
        unpack(b"")


@given(st.integers(0, 2**50), st.integers(-(2**31) + 1, 2**31 - 1))
def test_a_low_half_widens_to_the_nearest_time(near: int, off: int) -> None:
    assert wire.widen((near + off) & 0xFFFFFFFF, near) == near + off
