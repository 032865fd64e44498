"""The garbage collector of a test run: seldom, and without what the run itself keeps.

Ten thousand collected tests are some million objects that live as long as the run. Python's usual
thresholds walk them again and again: 30 % of the collecting of tests and 6 to 9 % of what unit
tests then take went there.
"""

from __future__ import annotations

import gc

YOUNG_OBJECTS = 20_000
"""New objects between two collections of the youngest; Python's usual 700 are meant for programs
with few objects."""
YOUNGER_COLLECTIONS = (20, 100)
"""Collections of a younger generation before one of the middle, and of the oldest."""


def begin() -> None:
    """Collect seldom from now on."""
    gc.set_threshold(YOUNG_OBJECTS, *YOUNGER_COLLECTIONS)


def keep() -> None:
    """Never walk what lives now: all tests are known, and stay."""
    gc.collect()
    gc.freeze()
