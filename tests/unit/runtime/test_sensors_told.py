"""A table tells its page which sensors need a look, from what earlier examinations have kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from lumiban.boards.profile import load
from lumiban.boards.types import Connected
from lumiban.maker import health
from lumiban.runtime.open_table import open_table
from lumiban.system.paths import open_log
from lumiban.table.requests import HintRequest
from lumiban.table.setup import TableSetup
from shown import as_page_has_it

pytestmark = pytest.mark.process


async def test_the_view_of_a_table_names_the_weak_cells_of_its_board(tmp_path: Path) -> None:
    (tmp_path / "journals").mkdir()
    wish = TableSetup(profile="hex3", options={"size": 3}, eager=True, seed=3)
    sitting = await open_table(wish, tmp_path, open_log(tmp_path))
    try:
        assert as_page_has_it(sitting.shell.view()).get("sensors", []) == []
        known = health.Health(sitting.hello.uid)
        for cell in range(5):
            known.saw(cell, health.Look("2026-11-21", strong_ut=15_000 if cell == 2 else 30_000))
        health.keep(tmp_path, known)
        assert sitting.shell.noted is not None
        sitting.shell.noted(Connected(sitting.hello))  # as when its cable is put in again
        assert await sitting.shell.command(HintRequest("none"), "host") is None
        said = {"cell": load("hex3").grid.name(2), "percent": 50}
        assert as_page_has_it(sitting.shell.view())["sensors"] == [
            {"id": "health.weak", "params": said}
        ]
    finally:
        await sitting.close()
