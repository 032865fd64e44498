"""Senses: rows whose reference is off are held, and tell what changed when they are back."""

from __future__ import annotations

import random

from lumiban_fw.contact import UNSURE_US
from lumiban_fw.wire import EMPTY, FAULT_GONE, FAULT_REFERENCE, UNKNOWN, WHITE
from sense_bench import ROWS, STRONG, Bench, falls, steady


def test_a_row_that_was_told_to_be_off_is_told_to_be_back_though_the_power_went_meanwhile() -> None:
    # Found by the soak (seed 21000): a select line broke as the supply sagged, and the table
    # believed for ever that no cell could be read.
    bench = Bench({2: steady(32_000), 10: steady(32_000)}).run(200_000)
    bench.references[0] = 60
    bench.run(600_000)
    assert bench.sense.faults == [(FAULT_REFERENCE, 0)]
    bench.sense.hold_all()
    bench.references[0] = 2048
    bench.run(800_000)
    assert not bench.sense.frozen(0)
    assert bench.sense.faults == [(FAULT_REFERENCE, 0), (FAULT_REFERENCE | FAULT_GONE, 0)]


def test_a_loose_cable_makes_no_events_and_other_rows_go_on() -> None:
    bench = Bench({2: steady(32_000), 10: falls(STRONG, 500_000, 200)}).run(200_000)
    dice = random.Random(2)
    while bench.t_us < 700_000:
        bench.references[0] = dice.choice([2048, 4095, 7, 2048])
        bench.run(bench.t_us + 1000)
    bench.references[0] = 2048
    bench.run(900_000)
    assert [(c, k) for _, c, k, _ in bench.events] == [(10, WHITE)]
    assert bench.sense.kinds[2] == WHITE


def test_what_changed_while_a_row_was_held_is_told_when_it_is_back() -> None:
    bench = Bench({2: lambda t: 32_000 if t < 400_000 else 0}).run(200_000)
    bench.references[0] = 60
    bench.run(600_000)
    bench.references[0] = 2048
    bench.run(800_000)
    assert [(c, k) for _, c, k, _ in bench.events] == [(2, EMPTY)]
    assert bench.events[0][0] > 600_000
    assert bench.events[0][3] == UNSURE_US


def test_a_row_that_is_off_at_power_on_is_unknown_until_it_comes() -> None:
    bench = Bench({2: steady(32_000)})
    bench.references[0] = 0
    bench.run(500_000)
    assert bench.sense.ready
    assert list(bench.sense.kinds[:8]) == [UNKNOWN] * 8
    bench.references[0] = 2048
    bench.run(700_000)
    assert sorted((c, k) for _, c, k, _ in bench.events) == [
        (i, WHITE if i == 2 else EMPTY) for i in range(8)
    ]


def test_rows_that_are_back_together_are_freed_one_a_frame() -> None:
    bench = Bench({2: steady(32_000)}).run(200_000)
    bench.references = [60] * ROWS
    bench.run(600_000)
    bench.references = [2048] * ROWS
    held = []
    while bench.t_us < 700_000:
        bench.run(bench.t_us + 1000)
        held.append(sum(bench.sense.frozen(row) for row in range(ROWS)))
    assert [count for count in held if 0 < count < ROWS] == list(range(ROWS - 1, 0, -1))
    assert held[-1] == 0
    assert bench.events == []
