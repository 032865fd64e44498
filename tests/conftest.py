"""What all tests share: the slow suites' switch, and no silent skips in the full run."""

from __future__ import annotations

import os

import pytest

IN_CI = os.environ.get("LUMIBAN_CI") == "1"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="the slow suites too, whole")
    parser.addoption(
        "--board", default="", help="for the contract: world, vm, gpio, rp2040, serial"
    )
    parser.addoption("--port", default="auto", help="of --board serial")
    parser.addoption("--profile", default="", help="of --board serial, where none is built in")
    parser.addoption("--hands", action="store_true", help="of --board serial: ask a person too")
    parser.addoption("--jig", default="", help="of --board serial: the port of a jig over it")
    parser.addoption("--against", default="", help="an earlier report.json: tell what changed")
    parser.addoption("--report", default="build/hil", help="folder of the report of --board serial")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--board") == "serial":
        from contract import hardware_run

        hardware_run.begin(config)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--all"):
        return
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(pytest.mark.skip(reason="slow: ./run test --all"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):  # type: ignore[no-untyped-def]  # pytest's own hook type is private
    """In the full run a skip for a missing tool is a failure; a slow suite's skip is not."""
    report = yield
    if IN_CI and report.skipped and not item.get_closest_marker("long"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if "real board" not in reason and "UF2" not in reason:
            report.outcome = "failed"
            report.longrepr = f"skipped in the full run: {reason}"
    return report
