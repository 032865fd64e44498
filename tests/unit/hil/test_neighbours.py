"""The plugin takes no name that another project may have, and its version is lumiban's."""

from __future__ import annotations

import tomllib

import pytest
from places import ROOT

pytest_plugins = ["pytester"]
PLUGIN = ("-p", "pytest_lumiban.plugin", "--strict-markers")
OPTIONS = "--board --against --wrong --board-profile --board-hands --board-seed --flaky-fails"
FIXTURES = "board probe hands light power faults"
MARKS = "hands needs claim"


@pytest.mark.process
def test_a_project_with_all_of_our_short_names_keeps_its_own(pytester: pytest.Pytester) -> None:
    marks = "\n".join(f"    {name}: mine" for name in MARKS.split())
    pytester.makeini(f"[pytest]\nmarkers =\n{marks}")
    fixtures = "".join(
        f"@pytest.fixture\ndef {name}(): return 'mine'\n" for name in FIXTURES.split()
    )
    pytester.makeconftest(
        "import pytest\ndef pytest_addoption(parser):\n"
        f"    for name in {OPTIONS.split()}: parser.addoption(name, default='mine')\n{fixtures}"
    )
    args = ", ".join(FIXTURES.split())
    pytester.makepyfile(
        f"import pytest\n@pytest.mark.hands\n@pytest.mark.needs\n@pytest.mark.claim\n"
        f"def test_mine(request, {args}):\n"
        f"    assert {{{args}}} == {{'mine'}} == {{request.config.getoption('--board')}}\n"
        "def test_ours(lumiban_board, lumiban_hands):\n"
        "    assert lumiban_hands.place('c3', 'white').piece == 'white'\n"
    )
    pytester.runpytest_subprocess(*PLUGIN, "-p", "no:asyncio").assert_outcomes(passed=2)


def test_both_distributions_have_one_version_and_the_players_has_no_plugin() -> None:
    player, ours = (
        tomllib.loads((ROOT / path).read_text("utf-8"))["project"]
        for path in ("pyproject.toml", "host/pytest_lumiban/pyproject.toml")
    )
    assert ours["version"] == player["version"]
    assert f"lumiban=={player['version']}" in ours["dependencies"]
    assert "pytest11" not in player["entry-points"]
    assert not any("pytest" in one for one in player["dependencies"])
