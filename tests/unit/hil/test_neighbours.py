"""The plugin takes no name that another project may have, and its version is lumiban's."""

from __future__ import annotations

import lumiban
import pytest
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager
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


def test_the_distributions_have_lumiban_s_version_and_the_players_has_no_plugin() -> None:
    player, ours, hardware = (
        ProjectMetadata(str(ROOT / folder), PluginManager())
        for folder in (".", "host/pytest_lumiban", "hardware")
    )
    wanted = f"lumiban=={lumiban.__version__}"
    for distribution, needs in (
        (ours, {"pytest>=8", wanted}),
        (hardware, {wanted}),
        (player, None),
    ):
        assert distribution.version == lumiban.__version__
        assert needs in (None, set(distribution.core.dependencies))
    assert "pytest11" not in player.core.entry_points
    assert not any("pytest" in one for one in player.core.dependencies)
