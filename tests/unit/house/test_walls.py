"""Whoever builds through a wall between rooms turns lint red (import-linter in pyproject.toml)."""

from __future__ import annotations

import copy
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import grimp
import pytest
from importlinter.application import use_cases
from importlinter.configuration import configure
from importlinter.domain.contract import Contract, registry

ROOT = Path(__file__).resolve().parents[3]
PROJECT = ROOT / "pyproject.toml"

THROUGH_A_WALL = [
    ("lumiban.errors", "lumiban.grid"),
    ("lumiban.errors", "lumiban_fw.wire"),
    ("lumiban.grid", "lumiban.games.base"),
    ("lumiban.games.base", "lumiban.search.levels"),
    ("lumiban.games.base", "lumiban.boards.types"),
    ("lumiban.games.base", "lumiban_fw.wire"),
    ("lumiban.search.tree", "lumiban.scene.draw"),
    ("lumiban.search.tree", "lumiban.boards.link"),
    ("lumiban.search.tree", "lumiban.table.session"),
    ("lumiban.search.tree", "lumiban_fw.wire"),
    ("lumiban.scene.draw", "lumiban.search.levels"),
    ("lumiban.scene.draw", "lumiban.boards.link"),
    ("lumiban.boards.link", "lumiban.games.base"),
    ("lumiban.boards.link", "lumiban.scene.draw"),
    ("lumiban.boards.link", "lumiban.search.levels"),
    ("lumiban.boards.link", "lumiban.table.session"),
    ("lumiban.boards.link", "lumiban.maker.doctor"),
    ("lumiban.boards.link", "lumiban_fw.sense"),
    ("lumiban.boards.link", "lumiban_hw.magnetics"),
    ("lumiban.boards.link", "lumiban_sim.world"),
    ("lumiban.maker.doctor", "lumiban.games.base"),
    ("lumiban.maker.doctor", "lumiban_hw.wiring"),
    ("lumiban.table.session", "lumiban.search.worker"),
    ("lumiban.table.session", "lumiban.flight.file"),
    ("lumiban.table.session", "lumiban.web.app"),
    ("lumiban.table.session", "lumiban_fw.wire"),
    ("lumiban.table.session", "lumiban_sim.world"),
    ("lumiban.flight.replay", "lumiban.search.bot"),
    ("lumiban.flight.replay", "lumiban.study.match"),
    ("lumiban.web.app", "lumiban.runtime.open_table"),
    ("lumiban.study.match", "lumiban.runtime.open_table"),
    ("lumiban.study.match", "lumiban_hw.kit"),
    ("lumiban.runtime.open_table", "lumiban.cli.play"),
    ("lumiban.runtime.open_table", "lumiban_sim.world"),
    ("lumiban.cli.play", "lumiban_sim.world"),
    ("lumiban.cli.play", "lumiban_lab.soak"),
    ("lumiban_fw.sense", "lumiban.grid"),
    ("lumiban_fw.sense", "lumiban_hw.magnetics"),
    ("lumiban_hw.magnetics", "lumiban_hw.kit"),
    ("lumiban_hw.magnetics", "lumiban_fw.wire"),
    ("lumiban_hw.kit", "lumiban.games.base"),
    ("lumiban_hw.kit", "lumiban.table.session"),
    ("lumiban_hw.kit", "lumiban_sim.world"),
    ("lumiban_sim.world", "lumiban.games.base"),
    ("lumiban_sim.world", "lumiban.table.session"),
    ("lumiban_sim.world", "lumiban.runtime.open_table"),
    ("lumiban.boards.transport", "lumiban.boards.link"),
    ("lumiban_fw.requests", "lumiban_fw.board"),
    ("lumiban_hw.order_codes", "lumiban_hw.spice.models"),
    ("lumiban_sim.faults", "lumiban_sim.rig"),
    ("lumiban.search.tree", "numba"),
]
"""(who imports, what): none of these stands in the code, and each is against a wall or a layer."""


@cache
def _graph() -> grimp.ImportGraph:
    packages = tomllib.loads(PROJECT.read_text())["tool"]["importlinter"]["root_packages"]
    return grimp.build_graph(*packages, include_external_packages=True)


@cache
def _contracts() -> list[Contract]:
    configure()
    options = use_cases.read_user_options(config_filename=str(PROJECT))
    use_cases._register_contract_types(options)
    return [
        registry.get_contract_class(one["type"])(
            name=one["name"], session_options=options.session_options, contract_options=one
        )
        for one in options.contracts_options
    ]


def broken(graph: grimp.ImportGraph) -> list[str]:
    """The contracts that these imports break."""
    return [
        one.name
        for one in _contracts()
        if not one.check(graph=copy.deepcopy(graph), verbose=False).kept
    ]


def test_the_code_as_it_stands_breaks_no_contract() -> None:
    assert broken(_graph()) == []


@pytest.mark.slow
@pytest.mark.parametrize(("importer", "imported"), THROUGH_A_WALL)
def test_an_import_through_a_wall_is_red(importer: str, imported: str) -> None:
    graph = copy.deepcopy(_graph())
    if imported == "numba":
        graph.add_module("numba", is_squashed=True)
    assert {importer, imported} <= graph.modules
    assert not graph.direct_import_exists(importer=importer, imported=imported)
    graph.add_import(importer=importer, imported=imported)
    assert broken(graph)


@pytest.mark.slow
def test_each_wall_is_met_by_one_of_these_imports() -> None:
    """A contract that nothing above breaks alone or with others would be a sentence, no wall."""
    met: set[str] = set()
    for importer, imported in THROUGH_A_WALL:
        graph = copy.deepcopy(_graph())
        if imported == "numba":
            graph.add_module("numba", is_squashed=True)
        graph.add_import(importer=importer, imported=imported)
        met.update(broken(graph))
    assert met == {one.name for one in _contracts()}


def packages_in_a_circle(graph: grimp.ImportGraph) -> set[tuple[str, str]]:
    """Packages that reach a module of their own which imports them; siblings are lint's."""
    for name in graph.find_modules_directly_imported_by("lumiban"):
        graph.remove_import(importer="lumiban", imported=name)  # loaded when first asked for
    return {
        (package, module)
        for package in graph.modules
        for module in graph.find_modules_that_directly_import(package)
        if module.startswith(f"{package}.")
        and graph.find_shortest_chain(importer=package, imported=module)
    }


def test_no_package_is_in_a_circle_with_a_module_of_its_own() -> None:
    graph = copy.deepcopy(_graph())
    assert packages_in_a_circle(graph) == set()
    graph.add_import(importer="lumiban.cli.usage_errors", imported="lumiban.cli")
    graph.add_import(importer="lumiban.cli", imported="lumiban.cli.usage_errors")
    assert packages_in_a_circle(graph) == {("lumiban.cli", "lumiban.cli.usage_errors")}


def test_each_room_of_the_host_has_its_layer() -> None:
    config: dict[str, Any] = tomllib.loads(PROJECT.read_text())["tool"]["importlinter"]
    layers = next(one["layers"] for one in config["contracts"] if one["type"] == "layers")
    placed = {name.strip() for layer in layers for name in layer.split("|")}
    rooms = set(_graph().find_children("lumiban"))
    assert rooms - placed == {"lumiban.__main__", "lumiban.catalogue"} & rooms
    assert set(config["root_packages"]) - placed == {"lumiban"}
