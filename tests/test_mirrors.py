"""A broken select line is found by what the board tells; people at play never look like one."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from lumiban.boards.fields import Reading
from lumiban.boards.mirrors import Mirrors, lines_alike, where
from lumiban.boards.profile import load
from lumiban.boards.types import BoardEvent, Snapshot
from lumiban.table.sight import Sight
from lumiban_fw import wire
from lumiban_sim.faults_plan import parse
from lumiban_sim.rig import Rig
from rig_line import driven

GRID = load("grid13x14")
SCAN_US = 1_000_000 // GRID.scan_hz
ROW = {cell.channel: n for n, cell in enumerate(GRID.cells) if cell.row == 3}


class Table:
    """Events of a board, told to Mirrors."""

    def __init__(self) -> None:
        self.kinds = [0] * len(GRID.cells)
        self.mirrors = Mirrors(GRID)
        self.told: list[tuple[int, int]] = []
        self.t_us = 0

    def set(self, cell: int, kind: int, after_us: int = 2_000_000, unsure_us: int = 500) -> None:
        self.t_us += after_us
        self.kinds[cell] = kind
        event = BoardEvent(0, cell, kind, self.t_us, unsure_us)
        self.told += self.mirrors.hear(event, self.kinds)


def test_pieces_that_come_with_their_images_tell_the_line() -> None:
    table = Table()
    for channel in (0, 2, 8):  # line S2 reads low: channel c + 4 shows what c does
        table.set(ROW[channel], 1)
        if channel + 4 in ROW:
            table.set(ROW[channel + 4], 1, 900)
    assert table.told == [(wire.FAULT_MIRROR, where(3, 2))]


def test_images_of_what_stood_and_one_piece_more_tell_the_line() -> None:
    table = Table()
    table.set(ROW[1], 2)
    table.set(ROW[9], 2, unsure_us=SCAN_US)  # the line breaks: an image of what stands
    table.set(ROW[4], 1)
    table.set(ROW[12], 1, 1_500)
    assert table.told == [(wire.FAULT_MIRROR, where(3, 3))]


def test_what_comes_or_goes_in_one_scan_on_two_pairs_tells_the_line_once_the_scan_is_over() -> None:
    for images in ((9, 12), (9, 10)):  # two images of what stood; an image, and a piece cut off
        table = Table()
        for channel, kind in ((1, 2), (4, 1), (10, 1)):
            table.set(ROW[channel], kind)
        table.set(ROW[10], 0)
        if 10 in images:
            table.set(ROW[10], 1)
        for place, channel in enumerate(images):
            kind = 0 if channel == 10 else table.kinds[ROW[channel & 7]]
            table.set(ROW[channel], kind, 0 if place else 2_000_000, SCAN_US)
        if 12 not in images:
            table.set(ROW[12], 1, 0, SCAN_US)
        assert not table.told
        assert table.mirrors.passed(table.t_us) == []
        found = [(wire.FAULT_MIRROR, where(3, 3))]
        assert table.mirrors.passed(table.t_us + SCAN_US + 1) == found
        # Once mended the images go: that is told before the next piece comes.
        for place, channel in enumerate((9, 12)):
            table.set(ROW[channel], 0, 0 if place else 2_000_000, SCAN_US)
        gone = wire.FAULT_MIRROR | wire.FAULT_GONE
        assert table.mirrors.passed(table.t_us + SCAN_US + 10_000) == [(gone, where(3, 3))]


def test_pieces_that_only_go_tell_no_line_however_often() -> None:
    table = Table()
    for _ in range(5):
        for channel in (1, 4):
            table.set(ROW[channel], 1)
        for place, channel in enumerate((1, 4)):
            table.set(ROW[channel], 0, 0 if place else 2_000_000, SCAN_US)
    assert not table.told
    assert not table.mirrors.passed(table.t_us + 1_000_000)


def test_a_cell_that_differs_from_its_partner_ends_the_fault() -> None:
    table = Table()
    for channel in (0, 1):
        table.set(ROW[channel], 1)
        table.set(ROW[channel + 4], 1, 900)
    table.set(ROW[2], 1)
    table.set(ROW[3], 1)
    gone = wire.FAULT_MIRROR | wire.FAULT_GONE
    assert table.told == [(wire.FAULT_MIRROR, where(3, 2)), (gone, where(3, 2))]


def test_two_stones_beside_their_likes_and_one_pair_at_once_do_not_tell_a_line() -> None:
    table = Table()
    table.set(ROW[1], 1)
    table.set(ROW[9], 1)  # set by a hand, beside its like
    table.set(ROW[4], 2)
    table.set(ROW[12], 2, 900)  # one side sets two at once
    assert not table.told


def test_pieces_that_come_further_apart_than_a_scan_and_what_is_unsure_are_no_images() -> None:
    table = Table()
    for channel in (0, 1, 2):
        table.set(ROW[channel], 1)
        table.set(ROW[channel + 8], 1, 2 * 500 + SCAN_US + 10)
    assert not table.told


moves = st.lists(st.tuples(st.sampled_from(sorted(ROW)), st.integers(0, 3)), max_size=60)


@given(moves, st.integers(20_000, 5_000_000))
def test_pieces_set_one_after_the_other_are_never_images(
    moves: list[tuple[int, int]], apart_us: int
) -> None:
    table = Table()
    for channel, kind in moves:
        if table.kinds[ROW[channel]] != kind:
            table.set(ROW[channel], kind, apart_us)
    assert not table.told


def test_random_bursts_of_stones_are_no_images() -> None:
    """Where each event counted that came within 10 ms, two of these bursts told a broken line."""
    small = load("hex3")
    for seed in range(1500):
        chance = random.Random(seed)
        mirrors, kinds = Mirrors(small), [0] * len(small.cells)
        burst = sorted((chance.randrange(2_000_000), chance.randrange(19)) for _ in range(30))
        for number, (t_us, cell) in enumerate(burst):
            kind, unsure_us = chance.choice((1, 2)), 50 * chance.randint(6, 26)
            if not kinds[cell]:
                kinds[cell] = kind
                assert not mirrors.hear(BoardEvent(number, cell, kind, t_us, unsure_us), kinds)


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


def test_the_broken_line_of_a_strip_in_the_world_is_found() -> None:
    rig = Rig(GRID, 5, plan=parse("at 1s select line S3 of row 3", GRID))
    driver = driven(GRID, rig)
    driver.run(1_200_000)
    for channel in (1, 2):
        rig.hands.place(ROW[channel], 1)
        driver.run(900_000)
    kinds, told, mirrors = [0] * len(GRID.cells), [], Mirrors(GRID)
    for event in driver.events:
        kinds[event.cell] = event.kind
        told += mirrors.hear(event, kinds)
    assert told == [(wire.FAULT_MIRROR, where(3, 3))]
    assert not driver.faults


def test_a_broken_line_is_still_known_after_the_cable_was_out_and_not_after_a_new_boot() -> None:
    table = Table()
    sight = Sight().on(GRID)
    hello = driven(GRID, Rig(GRID, 1)).hello
    sight.connected(hello, 0)
    sight.take_snapshot(Snapshot(tuple(table.kinds), 0, 0, moving=False, healed=False), 0)
    for number, channel in enumerate((0, 4, 1, 5)):
        sight.take(BoardEvent(number, ROW[channel], 1, number // 2 * 2_000_000 + number, 500))
    row = set(ROW.values())
    assert sight.blind == row
    sight.connected(hello, 1_000)
    assert (sight.blind, list(sight.complaints.held)) == (row, [(wire.FAULT_MIRROR, where(3, 2))])
    sight.connected(replace(hello, boot_id=hello.boot_id + 1), 2_000)
    assert (sight.blind, list(sight.complaints.held)) == (frozenset(), [])
