"""Processes of a pool that are killed at any moment: every answer comes, and the pool ends."""

from __future__ import annotations

import random
import threading
import time
from multiprocessing import active_children

import pytest
from lumiban.system.worker_pool import mapping

NUMBERS = [400_000 + 17 * number for number in range(6)]
"""Each is some milliseconds of work."""
ANSWERS = [sum(range(number)) for number in NUMBERS]


def answered() -> None:
    with mapping(2) as run:
        assert list(run(sum, map(range, NUMBERS))) == ANSWERS


def killed_at(moment_s: float, chosen: random.Random) -> None:
    """Play one pool through, of which a process is killed so long after the begin."""
    over = threading.Event()

    def kill() -> None:
        begun = time.monotonic()
        while time.monotonic() - begun < moment_s and not over.is_set():
            time.sleep(0.001)  # a real moment of real processes is what is tried
        while not over.is_set():
            if begun_ones := active_children():
                chosen.choice(begun_ones).kill()
                return
            time.sleep(0.001)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        answered()
    finally:
        over.set()
        killer.join()
    assert not active_children()


@pytest.mark.parametrize(
    "moments", [12, pytest.param(200, marks=pytest.mark.long)], ids=["slice", "whole"]
)
def test_a_process_that_is_killed_at_any_moment_costs_no_answer_and_hangs_no_pool(
    moments: int,
) -> None:
    begun = time.monotonic()
    answered()
    whole_s = time.monotonic() - begun
    chosen = random.Random(39)
    for _ in range(moments):
        killed_at(chosen.uniform(0, whole_s), chosen)


@pytest.mark.parametrize(
    "pools", [6, pytest.param(60, marks=pytest.mark.long)], ids=["slice", "whole"]
)
def test_a_process_that_is_killed_after_the_last_answer_hangs_no_pool(pools: int) -> None:
    for number in range(pools):
        with mapping(2) as run:
            assert list(run(sum, map(range, NUMBERS))) == ANSWERS
            active_children()[number % 2].kill()
        assert not active_children()
