"""A broken select line is found by many events and by nothing less; a sound board never has one."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lumiban.boards.client import Reading
from lumiban.boards.profile import Profile, load
from lumiban.boards.select_lines import (
    PLACED,
    AliasDetector,
    lines_alike,
    where,
)
from lumiban.boards.types import BoardEvent
from lumiban_fw import wire

GRID = load("grid13x14")
SCAN_US = 1_000_000 // GRID.scan_hz
ROW = {cell.channel: n for n, cell in enumerate(GRID.cells) if cell.row == 3}
FOUND = wire.FAULT_MIRROR
GONE = wire.FAULT_MIRROR | wire.FAULT_GONE
LOW = (0, 1, 2, 3, 8)
"""Channels of the strip whose line S2 reads low: c + 4 shows what c does."""

NINE = replace(GRID, cells=tuple(c for c in GRID.cells if c.row == 3 and c.channel < 9))
"""One strip whose line S3 makes 0 and 8 alike, and no other channels."""


class Table:
    """Events of a board, told to a detector."""

    def __init__(self, profile: Profile = GRID) -> None:
        self.kinds = [0] * len(profile.cells)
        self.detector = AliasDetector(profile)
        self.told: list[tuple[int, int]] = []
        self.t_us = 0

    def set(self, cell: int, kind: int, after_us: int = 2_000_000, unsure_us: int = 500) -> None:
        self.t_us += after_us
        before, self.kinds[cell] = self.kinds[cell], kind
        event = BoardEvent(0, cell, kind, self.t_us, unsure_us)
        self.told += self.detector.hear(event, self.kinds, before)

    def both(self, channel: int, kind: int = 1) -> None:
        """A piece comes or goes with its alias."""
        self.set(ROW[channel], kind)
        self.set(ROW[channel + 4], kind, 900)


def test_pieces_that_all_come_with_an_alias_tell_the_line_and_not_one_less() -> None:
    table = Table()
    assert len(LOW) == PLACED - 1
    for channel in LOW:
        table.both(channel)
    table.both(0, 0)
    assert not table.told
    table.both(0)
    assert table.told == [(FOUND, where(3, 2))]


def test_who_says_that_it_is_mended_ends_the_fault_until_it_is_seen_anew() -> None:
    table = Table()
    for _ in range(2):
        for channel in (*LOW, 0):
            table.both(channel)
            table.both(channel, 0)
        assert table.detector.stands() == [(FOUND, where(3, 2))]
        assert table.detector.cells() == frozenset(ROW.values())
        assert table.detector.forget() == [(GONE, where(3, 2))]
        assert (table.detector.stands(), table.detector.cells()) == ([], frozenset())
        assert table.detector.forget() == []
        table.both(0)
        assert table.detector.stands() == [], "it is seen anew as often as at first"
        table.both(0, 0)
        table.set(ROW[0], 1)
        table.set(ROW[0], 0)


def test_a_line_that_makes_but_one_pair_alike_is_told_by_that_pair() -> None:
    table = Table(NINE)
    for _ in range(PLACED):
        assert not table.told
        for kind in (1, 0):
            table.set(0, kind)
            table.set(8, kind, 900)
    assert table.detector.stands() == [(FOUND, where(3, 3))]


def test_one_piece_without_an_alias_begins_the_count_anew_and_ends_the_fault() -> None:
    table = Table()
    for channel in LOW:
        table.both(channel)
    table.both(0, 0)
    table.set(ROW[0], 1)
    table.set(ROW[4], 1)
    for channel in LOW:
        table.both(channel, 0)
        table.both(channel)
    assert not table.told
    table.both(8, 0)
    table.both(8)
    assert table.told == [(FOUND, where(3, 2))]
    table.set(ROW[12], 0)
    assert table.detector.passed(table.t_us + 9_000) == []
    assert table.detector.passed(table.t_us + 11_000) == [(GONE, where(3, 2))]
    assert not table.detector.found


def test_a_loose_plug_that_brings_a_strip_again_and_again_tells_no_line() -> None:
    table = Table()
    for channel in (0, 1):
        table.set(ROW[channel], 1)
        table.set(ROW[channel + 4], 1)
    for _ in range(5 * PLACED):
        for kind in (0, 1):
            table.t_us += 1_000_000
            for channel in (0, 4, 1, 5):
                table.set(ROW[channel], kind, 0, SCAN_US)
    assert not table.told


def test_pieces_that_come_further_apart_than_their_times_allow_tell_no_line() -> None:
    table = Table()
    for kind in (1, 0, 1):
        for channel in LOW:
            table.set(ROW[channel], kind)
            table.set(ROW[channel + 4], kind, 2 * 500 + SCAN_US + 10)
    assert not table.told
    for channel in LOW[1:]:
        table.both(channel, 0)
        table.both(channel)
    table.set(ROW[0], 0)
    table.set(ROW[4], 0, 5_000)  # they differ for longer than their times allow
    for channel in (0, *LOW[1:4], 8):
        table.both(channel, 1 - table.kinds[ROW[channel]])
    assert not table.told


moves = st.lists(st.tuples(st.sampled_from(sorted(ROW)), st.integers(0, 3)), max_size=60)


@given(moves, st.integers(20_000, 5_000_000))
def test_pieces_set_one_after_the_other_tell_no_line(
    moves: list[tuple[int, int]], apart_us: int
) -> None:
    table = Table()
    for channel, kind in moves:
        if table.kinds[ROW[channel]] != kind:
            table.set(ROW[channel], kind, apart_us)
    assert not table.told


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hex3", "hex8", "grid13x14"])
def test_random_bursts_of_stones_tell_no_line(name: str) -> None:
    """36 000 placements on each board, most of one kind. With one piece for proof some would."""
    profile = load(name)
    cells = len(profile.cells)
    for seed in range(1200):
        chance = random.Random(seed)
        table = Table(profile)
        burst = sorted((chance.randrange(2_000_000), chance.randrange(cells)) for _ in range(60))
        for t_us, cell in burst:
            kind, unsure_us = chance.choice((1, 1, 2)), 50 * chance.randint(6, 26)
            kind = 0 if table.kinds[cell] else kind
            table.set(cell, kind, t_us - table.t_us, unsure_us)
        assert not table.told


# At power-on.


def test_a_strip_that_shows_stones_on_their_aliases_only_tells_the_line_at_power_on() -> None:
    should, table = [0] * len(GRID.cells), Table()
    for channel, kind in zip(LOW, (1, 2, 1, 2, 2), strict=True):
        should[ROW[channel]] = kind
    seen = should[:]
    for channel in ROW:
        seen[ROW[channel]] = should[ROW[channel & ~4]]
    assert table.detector.powered_on(seen, should) == [(FOUND, where(3, 2))]
    assert table.detector.cells() == set(ROW.values())
    seen[ROW[12]] = 0  # one cell that the line would show otherwise
    assert not Table().detector.powered_on(seen, should)


@pytest.mark.slow
@given(st.randoms(use_true_random=False), st.sampled_from(["hex3", "hex8", "grid13x14"]))
def test_a_board_as_it_should_be_or_cleared_or_with_stones_gone_tells_no_line(
    chance: random.Random, name: str
) -> None:
    profile = load(name)
    should = [chance.choice((0, 0, 1, 2)) for _ in profile.cells]
    seen = [kind if chance.random() < 0.7 else 0 for kind in should]
    for lies in (should, seen, [0] * len(should)):
        assert not Table(profile).detector.powered_on(lies, should)


# Raw readings.


def _readings(line: int | None, spread: float) -> list[Reading]:
    dice = random.Random(4)
    own = [2048 + dice.gauss(0, spread) for _ in GRID.cells]
    out = []
    for number, cell in enumerate(GRID.cells):
        of = number
        if line is not None and cell.row == 3 and cell.channel & 1 << line:
            of = ROW.get(cell.channel & ~(1 << line), number)
        out.append(Reading(0.0, 5.0, own[of] + dice.gauss(0, 0.4), True))
    return out


def test_raw_readings_tell_a_broken_line_where_sensors_differ() -> None:
    for line in range(4):
        assert lines_alike(GRID, _readings(line, 8.0)) == [(line, [3])]
    assert lines_alike(GRID, _readings(None, 8.0)) == []
    assert lines_alike(GRID, _readings(2, 0.0)) == []
