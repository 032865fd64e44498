"""How many examples a law is tried with: all in `--ci` and `--all`, a fifth while one works.

conftest.py sets `is_whole` before any test is collected.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeVar

Case = TypeVar("Case")

WHOLE = "LUMIBAN_WHOLE_LAWS"
"""Environment variable: 1 for all examples in any run."""
is_whole = os.environ.get(WHOLE) == "1"


def examples(whole: int) -> int:
    """Of so many examples, those of this run."""
    return whole if is_whole else max(whole // 5, 4)


def some(cases: Iterable[Case], every: int) -> list[Case]:
    """Of these cases all, or while one works each `every`th, from the first on."""
    return list(cases) if is_whole else list(cases)[::every]
