"""A game of one's own says on which cells it is played, or is told what may be said."""

from __future__ import annotations

import pytest
from lumiban.errors import GameError
from lumiban.games.simple import SimpleGame


def test_cells_that_there_are_not_are_refused_by_name() -> None:
    with pytest.raises(GameError, match=r"Triangles\.geometry is 'tri': it is 'hex' or 'square'"):
        type("Triangles", (SimpleGame,), {"geometry": "tri"})
