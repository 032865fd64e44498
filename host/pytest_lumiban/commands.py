"""`lumiban suite`: the suite by a command, for those who do not know pytest."""

from __future__ import annotations

from typing import Annotated

import pytest
from cyclopts import Parameter
from lumiban.invocation import Command

SUITE = Command(
    "pytest_lumiban.commands:suite_command",
    "Hold a board against the wire, claim by claim: --lumiban-board serial:auto.",
)


def suite_command(
    *words: Annotated[str, Parameter(allow_leading_hyphen=True)],
) -> int:
    """Hold a board and its firmware against the wire, claim by claim.

    For example: lumiban suite --lumiban-board serial:auto

    Words are pytest's, which runs the tests; `pytest --help` lists those that begin with --lumiban.
    """
    return int(pytest.main(["--pyargs", "pytest_lumiban.suite", *words]))
