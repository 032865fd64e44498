"""The boards that the contract is held against: `--board world,vm,gpio`, or `--board serial`.

A test whose needs (`NEEDS` of its module, or its mark `needs`) a board cannot meet is not run on
that board. On a port a person's help is only asked for with `--hands`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from contract import benches, hardware_run
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
    on_port = item.config.getoption("--board") == "serial"
    if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return on_port  # a test of no board
    needs = set(getattr(item.module, "NEEDS", ()))
    needs.update(*(mark.args for mark in item.iter_markers("needs")))
    if item.get_closest_marker("hands") and benches.ASK not in needs:
        needs.add(benches.HANDS)
    can = benches.CAN.get(item.callspec.params.get("on", ""), frozenset(needs))
    if not item.config.getoption("--hands") and item.callspec.params.get("on") == "serial":
        can = can - {benches.ASK}
    return not needs <= can


@pytest.fixture
def table(on: str, request: pytest.FixtureRequest) -> Iterator[Table]:
    """Boards of the kind `on`; skipped, or failing in CI, where it cannot be had."""
    if on == "serial":
        board = hardware_run.board_of(request.config)
        with Table(on, board.profile, board) as made:
            yield made
        return
    why = benches.missing(on)
    if why:
        if os.environ.get("LUMIBAN_CI") == "1":
            pytest.fail(why)
        pytest.skip(why)
    with Table(on, load("hex3")) as made:
        yield made
