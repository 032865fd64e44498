"""The board's description: what the host packs the board reads, and damage is refused."""

from __future__ import annotations

import pytest
from each import each
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban_fw import layout_file
from lumiban_fw.wire import crc16
from thorough import examples

u8 = st.integers(0, 255)
u16 = st.integers(0, 0xFFFF)
cells = st.lists(
    st.tuples(st.integers(0, 15), st.integers(0, 14), u8, st.integers(-2048, 2047)), max_size=239
)


def packed(
    wired: list[tuple[int, int, int, int]] | None = None, strips: list[int] | None = None
) -> bytes:
    return layout_file.pack_board(
        b"hex2", 3, 2, 1000, 1500, 600, 4500, 6000, 19_000, 55_000, 1000, 30_000, 2180, 1930,
        3_520_000, wired if wired is not None else [(0, 0, 1, -5), (1, 14, 0, 7)],
        strips if strips is not None else [0, 1],
    )  # fmt: skip


@settings(max_examples=examples(30))
@given(cells, st.lists(st.integers(0, 15), min_size=1, max_size=255))
def test_any_wiring_reads_back(wired: list[tuple[int, int, int, int]], strips: list[int]) -> None:
    wired = [(row % 2, channel, light % len(strips), zero) for row, channel, light, zero in wired]
    board = layout_file.read(packed(wired, strips))
    read = list(zip(board.row, board.channel, board.light, board.baseline, strict=True))
    assert read == wired
    assert list(board.strip) == strips
    assert len(packed(wired, strips)) == 45 + 6 * len(wired) + len(strips) + 1 + 2


@given(st.data())
def test_a_changed_byte_is_refused(data: st.DataObject) -> None:
    damaged = bytearray(packed())
    damaged[data.draw(st.integers(0, len(damaged) - 1))] ^= data.draw(st.integers(1, 255))
    with pytest.raises(ValueError, match=r"board\.bin: "):
        layout_file.read(bytes(damaged))


def sealed(body: bytes) -> bytes:
    return body + crc16(body).to_bytes(2, "little")


@each(
    ("body", "word"),
    [
        (b"LMBM" + packed()[4:-2], "not a board description"),
        (packed()[:4] + b"\4" + packed()[5:-2], "version 4"),
        (packed()[:4] + b"\3" + packed()[5:-2], "wrong length"),
        (packed()[:-2] + b"\0", "wrong length"),
        (packed()[:-3], "wrong length"),
    ],
)
def test_what_is_wrong_is_said(body: bytes, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        layout_file.read(sealed(body))


def test_neighbours_and_their_shares_read_back() -> None:
    near = [[(1, 0)], [(0, 0), (0, 1)]]
    wired = [(0, 0, 1, -5), (1, 14, 0, 7)]
    told = layout_file.pack_board(
        b"hex2", 3, 2, 1000, 1500, 600, 4500, 6000, 19_000, 55_000, 1000, 30_000, 2180, 1930,
        3_520_000, wired, [0, 1], [-700, -180], near,
    )  # fmt: skip
    board = layout_file.read(told)
    assert board.neighbours(0) == [(1, -700)]
    assert board.neighbours(1) == [(0, -700), (0, -180)]
    for damaged in (told[:-4] + b"\2\0", told[:-4] + b"\0\2", told[:-3], told[:-2] + b"\1"):
        with pytest.raises(ValueError, match="wrong"):
            layout_file.read(sealed(damaged))


def test_a_description_of_version_1_has_no_neighbours() -> None:
    body = packed()[:4] + b"\1" + packed()[5:-5]
    board = layout_file.read(sealed(body))
    assert [board.neighbours(cell) for cell in range(2)] == [[], []]
