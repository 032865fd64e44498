"""The suite names every wrong board, in words, and accuses no sound one, whatever its line is."""

from __future__ import annotations

import re

import pytest
from pytest_lumiban import simulated  # noqa: F401  # not anew in each run inside
from pytest_lumiban.zoo import ZOO

pytest_plugins = ["pytester"]

BLIND = """
import random
from contextlib import contextmanager
from dataclasses import replace
from pytest_lumiban import simulated
from pytest_lumiban.bench import Backend

class Stalling:
    '''A computer that now and then looks again only after up to half a second.'''
    def __init__(self, inner):
        self._inner, self._dice = inner, random.Random(7)
    def __getattr__(self, name):
        return getattr(self._inner, name)
    def read(self, until_us):
        came = self._inner.read(until_us)
        if self._dice.random() < 0.02:
            self._inner.rig.advance(self.now_us + self._dice.randrange(500_000))
        return came

def pytest_lumiban_backend(config, name):
    if name not in ("blind", "stalling"):
        return None
    sim = simulated.backend("hex3")
    can = frozenset(("inject", "kinds"))
    @contextmanager
    def begin(profile, seed):
        with sim.begin(profile, seed) as bench:
            bench.can = can
            yield Stalling(bench) if name == "stalling" else bench
    return Backend(name, can, begin)
"""
PLUGIN = ("-p", "pytest_lumiban.plugin")
"""By name: a checkout has no distribution of it."""
SUITE = ("--pyargs", "pytest_lumiban.suite", "--lumiban-board")
NEEDS_EYES = {
    "dark", "no-commit", "no-effects", "no-brightness", "doubled", "exchanged-colours", "palette",
    "exchanged-effects",
}  # fmt: skip


def named(
    pytester: pytest.Pytester, board: str, wrong: str, *more: str, apart: bool = True
) -> list[str]:
    """The sentences of the tests that fail on this board; [] when the suite passes.

    Not `apart`, it runs in this process: a second less for each.
    """
    pytester.makeconftest(BLIND)
    words = [
        "--pyargs",
        "pytest_lumiban.suite",
        "--lumiban-board",
        board,
        "--lumiban-wrong",
        wrong,
        *more,
    ]
    run = pytester.runpytest_subprocess if apart else pytester.runpytest_inprocess
    ran = run(*PLUGIN, *words, "-p", "no:randomly", "-p", "no:asyncio", "-q", "--tb=short")
    told = [
        found[1]
        for line in ran.outlines
        if (found := re.match(r"E +(?:\S+\.)?(?:Broken|Missed|LinkLost)\S*: (.*)", line))
    ]
    assert bool(told) == bool(ran.ret), ran.stdout.str()
    return told


CELLS = "what_happens_on_a_cell_is_told"
NAMED_BY = {
    "dark": "what_is_committed_shines", "no-commit": "what_is_committed_shines",
    "no-effects": "a_blinking_light", "no-brightness": "brightness_dims",
    "doubled": "brightness_dims", "exchanged-colours": "colour_of_its_palette",
    "palette": "colour_of_its_palette", "exchanged-effects": "at_its_own_period",
    "exchanged-lights": "by_name_and_light", "exchanged-names": "by_name_and_light",
    "stats-rate": "stats_come", "references": "in_its_own_place_of_field",
    "clock": "clock_agrees", "flipped-events": CELLS, "flipped-state": CELLS,
    "swapped-cells": CELLS, "swapped-field": "in_its_own_place_of_field", "certain": CELLS,
    "colours": CELLS, "neutral": "comes_and_goes", "dead-cell": CELLS, "stuck-state": CELLS,
    "late": "comes_and_goes", "always-late": CELLS, "deaf": "until_they_are_acknowledged",
    "state-behind": CELLS, "few-beats": "beats_come", "watermark": "watermark_lags",
    "same-boot": "boot_restarts_the_board", "no-mask": "masked_cell_is_told",
    "no-nak": "refused", "no-stats": "stats_come",
}  # fmt: skip
"""Words of the test that names each of them; the whole suite is held against them with --all."""


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("wrong", ZOO)
def test_each_wrong_board_is_named_by_its_test(pytester: pytest.Pytester, wrong: str) -> None:
    board = "sim" if wrong in NEEDS_EYES else "blind"
    assert named(pytester, board, wrong, "-x", "-k", NAMED_BY[wrong], apart=False)


@pytest.mark.long
@pytest.mark.process
@pytest.mark.parametrize("wrong", ZOO)
def test_each_wrong_board_is_named_over_its_line_alone(
    pytester: pytest.Pytester, wrong: str
) -> None:
    assert bool(named(pytester, "blind", wrong, "-x")) == (wrong not in NEEDS_EYES)


@pytest.mark.process
@pytest.mark.parametrize(
    ("board", "sound"),
    [
        pytest.param(board, sound, marks=marked)
        for board, sound, marked in (
            # The plain one on `sim` is the contract's own run (test_suite.py).
            ("sim", "slow", pytest.mark.slow),
            ("stalling", "plain", pytest.mark.slow),
            ("blind", "plain", pytest.mark.long),
            ("blind", "slow", pytest.mark.long),
            ("stalling", "slow", pytest.mark.long),
        )
    ],
)
def test_a_sound_board_is_never_accused(pytester: pytest.Pytester, board: str, sound: str) -> None:
    assert named(pytester, board, sound) == []


@pytest.mark.process
@pytest.mark.parametrize(
    ("profile", "only"),
    [
        # What differs with the number of cells, of which two parts of STATE tell.
        pytest.param("grid9x9", ("-k", "cell or cells or state"), marks=pytest.mark.slow),
        pytest.param("grid13x14", (), marks=pytest.mark.long),
        pytest.param("hex5", (), marks=pytest.mark.long),
    ],
)
def test_larger_boards_keep_every_claim(
    pytester: pytest.Pytester, profile: str, only: tuple[str, ...]
) -> None:
    assert named(pytester, "sim", "plain", "--lumiban-profile", profile, *only) == []


@pytest.mark.slow
def test_a_wrong_board_that_is_none_is_refused_with_the_names(pytester: pytest.Pytester) -> None:
    ran = pytester.runpytest_subprocess(*PLUGIN, "--lumiban-wrong", "purple")
    assert ran.ret == 2
    ran.stderr.fnmatch_lines(["*no wrong board 'purple'*dark*"])


@pytest.mark.slow
def test_what_nobody_sees_of_a_board_is_said_to_be_unseen(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(BLIND)
    words = [*SUITE, "blind", "-k", "lights"]
    ran = pytester.runpytest_subprocess(*PLUGIN, *words, "-q", "-rs")
    ran.stdout.fnmatch_lines(["*SKIPPED*unseen: nobody sees this board's lights*"])


@pytest.mark.process
def test_whoever_moves_the_pieces_is_asked_past_pytest_s_capture(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(BLIND)
    pytester.makepyfile(
        "def test_it(lumiban_board, lumiban_hands):\n"
        "    lumiban_board.wait_for_events = lambda count, seconds: [None] * count\n"
        "    lumiban_hands.place('c3', 'white')\n"
    )
    asked = (*PLUGIN, "--lumiban-board", "blind", "--lumiban-hands", "-p", "no:asyncio")
    ran = pytester.runpytest_subprocess(*asked)
    ran.assert_outcomes(passed=1)
    ran.stderr.fnmatch_lines([">>> set a white stone on c3, the cell that glows"])
