"""What READMEs tell people to type exists."""

from __future__ import annotations

import re

import pytest
from lumiban import games
from lumiban.arguments import options, seat
from places import ROOT

READMES = ("README.md", "README.ja.md")


@pytest.mark.parametrize("readme", READMES)
def test_the_games_and_seats_that_the_readme_tells_to_type_exist(readme: str) -> None:
    typed = re.findall(r"`\./run play (\w+) -o (\S+) --first (\S+) --second (\S+)`",
                       (ROOT / readme).read_text())  # fmt: skip
    assert typed
    for game, option, first, second in typed:
        assert games.load(game, **options([option]))
        assert seat(first)
        assert seat(second)
