"""The boards that the contract is held against: `--board world,vm`."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from contract import benches
from contract.tables import Table
from lumiban.boards.profile import load


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "on" not in metafunc.fixturenames:
        return
    told = metafunc.config.getoption("--board", default="") or ",".join(benches.NAMES)
    metafunc.parametrize("on", told.split(","), scope="module")


@pytest.fixture
def table(on: str) -> Iterator[Table]:
    """Boards of the kind `on`; skipped, or failing in CI, where it cannot be had."""
    why = benches.missing(on)
    if why:
        if os.environ.get("LUMIBAN_CI") == "1":
            pytest.fail(why)
        pytest.skip(why)
    with Table(on, load("hex3")) as made:
        yield made
