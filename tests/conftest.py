"""What all tests share: the slow suites, no silent skips in the full run, order, command lines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import in_memory
import mutants
import needs
import pytest
import run_order
import seldom_collected
import skips
import takes
import thorough
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from command_line import Run

IN_CI = os.environ.get("LUMIBAN_CI") == "1"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--ci", action="store_true", help="every test, slices of the slow suites")
    parser.addoption("--all", action="store_true", help="the slow suites too, whole")
    parser.addoption(
        "--mutants",
        nargs="?",
        const="",
        help="no tests, but the mutation run: all of tests/mutants.toml, or =ROOM,ID,...",
    )
    parser.addoption("--json", action="store_true", help="of --mutants: the results as JSON")
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
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    words = config.getoption("--mutants")
    if words is None:
        return None
    workers = config.getoption("numprocesses", None)
    return mutants.main(words, as_json=config.getoption("--json"), jobs=workers)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    in_memory.use()
    seldom_collected.begin()
    thorough.is_whole |= config.getoption("--ci") or config.getoption("--all")
    # No test asserts wall time: on a busy machine an example may take as long as it likes.
    settings.register_profile(
        "lumiban",
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        max_examples=thorough.examples(100),
    )
    settings.load_profile("lumiban")
    if config.getoption("--board") == "serial":
        from contract import hardware_run

        hardware_run.begin(config)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(takes.Takes(), "lumiban-takes")
    config.pluginmanager.register(needs.Watch(), "lumiban-needs")
    if hasattr(config.option, "loadscopereorder"):
        # Files in our order, not by how many tests are in them.
        config.option.loadscopereorder = False


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    run_order.import_share(session.config)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    seldom_collected.keep()


# Before pytest looks for what -m asks for.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        needs.mark(item)
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: run_order.rank(item.path))
    if config.getoption("--all"):
        return
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(pytest.mark.skip(reason="slow: ./run test --all"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):  # type: ignore[no-untyped-def]  # pytest's own hook type is private
    """In the full run a skip for a missing tool is a failure; a slow suite's skip is not."""
    report = yield
    if IN_CI and not item.get_closest_marker("long"):
        skips.fail(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():  # type: ignore[no-untyped-def]
    """So is that of a whole file."""
    report = yield
    if IN_CI:
        skips.fail(report)
    return report


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs a command line with a state of its own; gives its exit code, stdout and stderr."""
    from lumiban import cli

    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LUMIBAN_LANG", "en")

    def run_one(*words: str) -> tuple[int, str, str]:
        code = cli.run(words)
        out, err = capsys.readouterr()
        return code, out, err

    return run_one
