"""The boards that the contract is held against: `--board world,vm,gpio`.

A test module whose `NEEDS` a board cannot meet has no tests for that board.
"""

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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    unable = [item for item in items if _lacks(item)]
    if unable:
        config.hook.pytest_deselected(items=unable)
        items[:] = [item for item in items if item not in unable]


def _lacks(item: pytest.Item) -> bool:
    """Whether the board of this test cannot do what its module needs."""
    if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return False
    needs = getattr(item.module, "NEEDS", frozenset())
    return not needs <= benches.CAN.get(item.callspec.params.get("on", ""), needs)


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
