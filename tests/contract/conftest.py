"""The boards of the contract: `--lumiban-board sim,vm,gpio,rp2040`, and for the suite of
`pytest_lumiban` (test_suite.py) real ones too.

The emulated chip is slow: unless it is asked for by name, its tests are of the slow suites; and
without an image one module of them says so.

What does not ask for a board of its own runs on boards of switches too, `--lumiban-board "vm with
switches"`; the emulated chip's only if they are asked for.

A test whose needs (`NEEDS` of its module, or its mark `needs`) a board cannot meet is not run on
that board.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from contract import benches
from contract.tables import Table
from lumiban.boards.profile import load
from pytest_lumiban.bench import Backend
from pytest_lumiban.short import board, faults, hands, light, power, probe  # noqa: F401

ALWAYS_IN_VM = ("test_buttons", "test_suite")
"""Modules whose tests with switches run in the VM every time; those of others are long."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "on" not in metafunc.fixturenames:
        return
    told = metafunc.config.getoption("--lumiban-board")
    asked = told.split(",") if told else list(benches.NAMES)
    names = [name for name in asked if benches.can(name) is not None]
    module = metafunc.module
    file = module.__name__.rpartition(".")[2]
    may_skip = bool(not told and benches.missing("rp2040"))
    if may_skip and file != "test_buttons":
        names.remove("rp2040")
    has_own = hasattr(module, "BOARDS")
    if not told and not has_own:
        names += [name + benches.WITH_SWITCHES for name in ("sim", "vm")]

    def marks(on: str) -> list[pytest.MarkDecorator]:
        if on.endswith(benches.WITH_SWITCHES):
            is_long = not told and benches.plain(on) == "vm" and file not in ALWAYS_IN_VM
            return [pytest.mark.long if is_long else pytest.mark.slow]
        return [pytest.mark.long] if on == "rp2040" and not told and not may_skip else []

    if "profile_name" in metafunc.fixturenames:
        pairs = [
            pytest.param(on, name, marks=marks(on) + module.marks(on, name))
            for on in names
            for name in module.BOARDS
        ]
        metafunc.parametrize(("on", "profile_name"), pairs, scope="module")
    else:
        boards = [pytest.param(on, marks=marks(on)) for on in names]
        metafunc.parametrize("on", boards, scope="module")


def pytest_lumiban_backend(name: str) -> Backend | None:
    return benches.backend(name)


def pytest_lumiban_boards(config: pytest.Config) -> list[str]:
    names = ["sim", "vm", "gpio", "sim with switches"]
    if config.getoption("--all"):
        names += ["vm with switches", *([] if benches.missing("rp2040") else ["rp2040"])]
    return names


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    unable = []
    for item in items:
        on, lacking = _lacking(item)
        reasons = benches.WHY_NOT.get(benches.plain(on), {})
        told = [why for need, why in reasons.items() if need in lacking]
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
    params = item.callspec.params if hasattr(item, "callspec") else {}
    if "lumiban_backend" in params:
        return "", set()
    if not isinstance(params.get("on"), str):
        # A test of no board.
        return "", {"board"} if config.getoption("--lumiban-board") else set()
    on: str = params["on"]
    needs = set(getattr(item.module, "NEEDS", ()))
    needs.update(*(mark.args for mark in item.iter_markers("lumiban_needs")))
    if item.get_closest_marker("lumiban_hands"):
        needs.add(benches.HANDS)
    if on.endswith(benches.WITH_SWITCHES) and hasattr(item.module, "BOARDS"):
        return on, {"other boards"}  # it has some of its own
    known = benches.can(on)
    can = frozenset(needs) if known is None else known
    return on, needs - can


@pytest.fixture
def table(on: str) -> Iterator[Table]:
    """Boards of the kind `on`; skipped, or failing in CI but for a chip's image, where there is
    none."""
    name = benches.plain(on)
    why = benches.missing(name)
    if why:
        if os.environ.get("LUMIBAN_CI") == "1" and name != "rp2040":
            pytest.fail(why)
        pytest.skip(why)
    with Table(name, load(benches.profile_of(on))) as made:
        yield made
