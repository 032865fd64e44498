"""The boards of the contract: `--board world,vm,gpio,rp2040`, or `--board serial`.

The emulated chip is slow: unless it is asked for by name, its tests are of the slow suites; and
without an image one module of them says so.

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
    told = metafunc.config.getoption("--board", default="")
    slow = not told
    names = told.split(",") if told else list(benches.NAMES)
    if slow and benches.missing("rp2040"):
        slow = False
        if metafunc.module.__name__.rpartition(".")[2] != "test_greeting":
            names.remove("rp2040")
    boards = [
        pytest.param(name, marks=pytest.mark.long if slow and name == "rp2040" else ())
        for name in names
    ]
    metafunc.parametrize("on", boards, scope="module")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    unable = []
    for item in items:
        on, lacking = _lacking(item)
        told = [why for need, why in benches.WHY_NOT.get(on, {}).items() if need in lacking]
        if told:
            item.add_marker(pytest.mark.skip(reason=f"not with a UF2 either: {told[0]}"))
        elif lacking:
            unable.append(item)
    if unable:
        config.hook.pytest_deselected(items=unable)
        items[:] = [item for item in items if item not in unable]


def _lacking(item: pytest.Item) -> tuple[str, set[str]]:
    """The board of this test, and what its module needs of it that it cannot do."""
    config = item.config
    if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        # A test of no board.
        return "", {"board"} if config.getoption("--board") == "serial" else set()
    on: str = item.callspec.params.get("on", "")
    needs = set(getattr(item.module, "NEEDS", ()))
    needs.update(*(mark.args for mark in item.iter_markers("needs")))
    if item.get_closest_marker("hands") and benches.ASK not in needs:
        needs.add(benches.HANDS)
    can = benches.CAN.get(on, frozenset(needs))
    if on == "serial":
        if not config.getoption("--hands"):
            can = can - {benches.ASK}
        if config.getoption("--jig"):
            can = can | {benches.JIG, benches.POWER}
    return on, needs - can


@pytest.fixture
def table(on: str, request: pytest.FixtureRequest) -> Iterator[Table]:
    """Boards of the kind `on`; skipped, or failing in CI but for a chip's image, where there is
    none."""
    if on == "serial":
        board = hardware_run.board_of(request.config)
        with Table(on, board.profile, board) as made:
            yield made
        return
    why = benches.missing(on)
    if why:
        if os.environ.get("LUMIBAN_CI") == "1" and on != "rp2040":
            pytest.fail(why)
        pytest.skip(why)
    with Table(on, load("hex3")) as made:
        yield made
