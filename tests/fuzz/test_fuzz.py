"""Everything at once, seeded (see chaos.py): nothing is lost and nobody is stuck."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from chaos import ACTIONS, fuzz

SHORT = range(9)
BLOCKS = int(os.environ.get("LUMIBAN_FUZZ", "8"))
"""Blocks of twenty long sessions; a night takes more."""


@pytest.mark.parametrize("seed", SHORT)
def test_whatever_happens_nothing_is_lost_and_nobody_is_stuck(seed: int, tmp_path: Path) -> None:
    fuzz(seed, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("block", range(BLOCKS))
def test_whatever_happens_nothing_is_lost_and_nobody_is_stuck_at_length(
    block: int, tmp_path: Path
) -> None:
    for seed in range(1000 + 20 * block, 1020 + 20 * block):
        fuzz(seed, tmp_path, 3 * ACTIONS)
