"""Frames taken in by several at once are what they are one by one."""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable
from typing import Any

import pytest
from board_bench import CELLS, ROWS, Bench
from fake_pico import DMA, Pico
from lumiban.boards.messages import packed
from lumiban.boards.profile import load
from lumiban_fw import layout_file, wire
from lumiban_fw.hal import Hal
from lumiban_fw.inject import Injected
from lumiban_fw.kernels_plain import burst
from lumiban_fw.sense import Sense
from lumiban_fw.wire import EMPTY, WHITE
from thorough import some

LAYOUT = layout_file.read(load("hex3").board_bin())
FRAMES = 700


class Capturing(Hal):
    """A capture on a fake chip, as the chip's own backend hands it out."""

    def __init__(self) -> None:
        self.pico = Pico()
        self.code: Any = self.pico.load("hal_pio")
        self.capture = self.code.Capture(LAYOUT)
        self.now_us = 0
        self.reach(0)
        self.capture.look(0)

    def reach(self, done: int) -> None:
        at = DMA + 0x40 * self.capture._next.channel
        self.pico.memory[at] = self.capture._table + 4 * (done % self.code.FRAMES)

    def keep(self, no: int, counts: array[int], references: array[int]) -> None:
        first = no % self.code.FRAMES * self.capture.slots
        for places, values in (
            (self.capture._cells, counts),
            (self.capture._references, references),
        ):
            for place, value in zip(places, values, strict=True):
                self.capture._raw[first + place] = value

    def burst(self, senses: tuple[object, ...], no: int, epoch_us: int, most: int) -> int:
        return int(self.capture.burst(self.now_us, senses, no, epoch_us, most))

    def next_us(self, epoch_us: int) -> int:
        return int(self.capture.next_us(self.now_us, epoch_us))

    def put(self, counts: array[int], references: array[int], for_us: int) -> int:
        return int(self.capture.put(counts, references, for_us))


def way(began: int, up: bool) -> Callable[[int], int]:
    """Counts of a piece that comes down within 30 frames, or is lifted."""

    def count(no: int) -> int:
        part = min(max(no - began, 0), 30)
        return 20 * (30 - part if up else part)

    return count


def frames_of(seed: int) -> list[tuple[array[int], array[int]]]:
    """Pieces that stand, that are lifted and that come, alone and many at once; a bad reference."""
    dice = random.Random(seed)
    began = [200, 260, 262, *[dice.randrange(300, 420) for _ in range(4)], *[560] * 6]
    ways = {cell: way(no, up=cell % 3 == 0) for cell, no in enumerate(began)}
    out = []
    for no in range(FRAMES):
        counts = array("H", [round(dice.gauss(2048, 5.6)) for _ in range(LAYOUT.cells)])
        references = array("H", [round(dice.gauss(2048, 5.6)) for _ in range(LAYOUT.rows)])
        for cell, count in ways.items():
            counts[cell] += count(no)
        if 500 <= no < 510:
            references[0] = 1500
        out.append((counts, references))
    return out


def one_by_one(frames: list[tuple[array[int], array[int]]]) -> Sense:
    sense = Sense(LAYOUT)
    for no, (counts, references) in enumerate(frames):
        sense.frame(1000 * no + 500, counts[:], references[:])
    return sense


@pytest.mark.parametrize("at_once", some([1, 3, 7, 20], 2))
def test_bursts_find_the_same_at_the_same_times(at_once: int) -> None:
    frames = frames_of(at_once)
    plain = one_by_one(frames)
    hal, sense = Capturing(), Sense(LAYOUT)
    counts, references = array("H", [0] * LAYOUT.cells), array("H", [0] * LAYOUT.rows)
    spare, others = counts[:], references[:]
    bursts = 0
    for done in range(0, FRAMES, at_once):
        last = min(done + at_once, FRAMES)
        for no in range(done, last):
            hal.keep(no, *frames[no])
        hal.reach(last)
        hal.now_us = 1000 * last + 300
        hal.capture.look(hal.now_us)
        while hal.capture.waiting:
            if sense.bursting() and sense.burst(hal, 0):
                bursts += 1
                continue
            t_us = hal.capture.scan(hal.now_us, counts, references)
            sense.frame(t_us, counts, references)
            counts, references, spare, others = spare, others, counts, references
    assert bursts > FRAMES // max(at_once, 8) - 20
    assert len(plain.found) == 13
    assert {kind for _, _, kind, _ in plain.found} >= {EMPTY, WHITE}
    assert sense.found == plain.found
    assert sense.faults == plain.faults
    assert sense.watermark_us == plain.watermark_us
    for name in ("kinds", "ready", "_settled", "_settled_us", "_bands", "_no", "_times"):
        assert getattr(sense, name) == getattr(plain, name), name
    for name in ("state", "early", "traces", "cells", "free", "tally"):
        assert getattr(sense._motions, name) == getattr(plain._motions, name), name
    assert sense.zeros.zero == plain.zeros.zero


def injected() -> Injected:
    """Readings of a piece that comes, one that rattles, and one that was there."""
    made = Injected(LAYOUT)
    made.switch(True)
    made.add(0, 0, 7, [2648])
    made.add(200_300, 2_000, 3, [2048 + 20 * k for k in range(31)])
    made.add(310_900, 5_000, 11, [(1448, 1864, 1864)[k % 3] for k in range(40)])
    return made


@pytest.mark.one_case
@pytest.mark.parametrize("at_once", [1, 5, 20])
def test_injected_readings_are_taken_in_by_bursts_at_the_times_that_they_are_for(
    at_once: int,
) -> None:
    counts, references = array("H", [0] * LAYOUT.cells), array("H", [0] * LAYOUT.rows)
    found = []
    for is_measured in (True, False):
        hal, sense, readings = Capturing(), Sense(LAYOUT), injected()
        by_bursts = 0
        for done in range(0, FRAMES, at_once):
            last = min(done + at_once, FRAMES)
            for no in range(done, last) if is_measured else ():
                readings.put(1000 * no + 500, counts, references)
                hal.keep(no, counts, references)
            hal.reach(last)
            hal.now_us = 1000 * last + 300
            hal.capture.look(hal.now_us)
            while hal.capture.waiting:
                if sense.bursting():
                    most = 8 if is_measured else readings.prepare(hal, 0)
                    by_bursts += sense.burst(hal, 0, most)
                    continue
                t_us = hal.capture.scan(hal.now_us, counts, references)
                if not is_measured:
                    readings.put(t_us, counts, references)
                sense.frame(t_us, counts[:], references[:])
        assert by_bursts >= FRAMES - 10
        found.append((sense.found, sense.kinds, sense.watermark_us))
    assert [cell for _, cell, _, _ in found[0][0]] == [3, 11]
    assert found[0] == found[1]


class Waiting(Bench):
    """A bench that takes in four frames at once, the oldest as old as `age_us`."""

    bursts = True

    def __init__(self, age_us: int) -> None:
        super().__init__()
        self._age_us = age_us
        places = bytearray(range(CELLS)), bytearray(range(CELLS, CELLS + ROWS))
        self._mine = array("H", [2048] * (CELLS + ROWS)), *places

    def burst(self, senses: tuple[Any, ...], no: int, epoch_us: int, most: int) -> int:
        n = min(most, 4)
        t_us = self.now_us - self._age_us
        return burst(self._mine, senses, 0, CELLS + ROWS, 1, n, no, t_us, 1000)

    def settled(self) -> list[int]:
        """How many cells come to rest in each turn until all have."""
        out = []
        before = CELLS
        while before:
            self.now_us += 8_000
            self.board.tick(self.now_us)
            out.append(before - self.board.sense.moving)
            before = self.board.sense.moving
        return [n for n in out if n]


@pytest.mark.parametrize(("age_us", "most"), [(5_000, 8), (30_000, 2)])
def test_fewer_cells_are_judged_at_once_while_frames_wait(age_us: int, most: int) -> None:
    bench = Waiting(age_us)
    turns = bench.settled()
    assert set(turns[:-1]) == {most}
    assert bench.board.sense.ready
    assert set(bench.board.sense.kinds) == {EMPTY}


class Injecting(Waiting):
    """A bench whose frames read what is injected."""

    scans = 0

    def next_us(self, epoch_us: int) -> int:
        return self.now_us - self._age_us

    def put(self, counts: array[int], references: array[int], for_us: int) -> int:
        self._mine[0][:] = counts + references
        return min(for_us // 1000, 4)

    def scan(self, counts: array[int], references: array[int]) -> int:
        self.scans += 1
        return super().scan(counts, references)


@pytest.mark.slow
def test_a_board_takes_in_what_is_injected_by_bursts() -> None:
    bench = Injecting(5_000)
    bench.settled()
    bench.greet()
    bench.say(wire.H_CFG, packed(wire.H_CFG, wire.CFG_INJECT, 1), wire.RELIABLE, 0)
    bench.say(wire.H_INJECT, packed(wire.H_INJECT, 0, 0, 7, tail=[2648]), wire.RELIABLE, 1)
    bench.run(20_000)
    scans = bench.scans
    bench.run(300_000)
    assert bench.board.sense.kinds[7] == WHITE
    assert bench.scans == scans


class Flooded(Waiting):
    """A bench on which `waiting` frames wait."""

    waiting = 4

    def __init__(self) -> None:
        super().__init__(5_000)

    def burst(self, senses: tuple[Any, ...], no: int, epoch_us: int, most: int) -> int:
        got = super().burst(senses, no, epoch_us, min(most, self.waiting)) if self.waiting else 0
        self.waiting -= got & 255
        return got

    def flooded(self) -> bool:
        return self.waiting >= 12

    def pass_on(self, waiting: int) -> tuple[int, int, bool]:
        """A turn before which so many wait: how many do after it, how many cells it may judge, and
        whether light is shown."""
        self.waiting = waiting
        self.now_us += 600_000
        shows = self.shows
        self.board.tick(self.now_us)
        return self.waiting, self.board.sense.settles, self.shows > shows


def test_a_flood_of_frames_comes_before_all_else_but_not_in_two_turns_running() -> None:
    bench = Flooded()
    bench.waiting = 1000
    bench.settled()
    assert bench.pass_on(15) == (7, 1, True)
    fed = bench.fed
    assert bench.pass_on(28) == (0, 0, False)
    assert bench.fed == fed + 1
    assert bench.pass_on(28) == (20, 1, True)
    assert bench.pass_on(28) == (0, 0, False)


def test_a_turn_that_takes_no_frames_follows_a_flood_as_any_other() -> None:
    bench = Flooded()
    bench.waiting = 1000
    bench.settled()
    bench.pass_on(8)
    assert not bench.pass_on(31)[2]
    assert bench.pass_on(0)[2]
    assert bench.pass_on(0)[2]
