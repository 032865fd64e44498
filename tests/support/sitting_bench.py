"""A table as `lumiban play` has it, on a small simulated board: what is seen and moved there."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lumiban.runtime.open_table import RunningTable, open_table
from lumiban.system.paths import open_log
from lumiban.table.journal import JournalFile
from lumiban.table.setup import TableSetup
from lumiban.table.view_fields import TableView
from shown import as_page_has_it
from websockets.asyncio.client import connect

WHITE_STONE, BLACK_STONE = 1, 2


@asynccontextmanager
async def sitting_at(state: Path, **wish: Any) -> AsyncIterator[RunningTable]:
    """A table with a small simulated board, its state in `state`."""
    (state / "journals").mkdir(exist_ok=True)
    opener, settings = wish.pop("opener", JournalFile), wish.pop("settings", None)
    wished = {"profile": "hex3", "options": {"size": 3}, "eager": True, "seed": 3, **wish}
    setup, log = TableSetup(**wished), open_log(state)
    sitting = await open_table(setup, state, log, settings=settings, opener=opener)
    try:
        yield sitting
    finally:
        await sitting.close()


async def until(
    sitting: RunningTable, true: Callable[[Mapping[str, Any]], bool]
) -> Mapping[str, Any]:
    """The first view of which this is true."""
    now = as_page_has_it(sitting.shell.view())
    if true(now):
        return now
    found: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()

    def look(view: TableView) -> None:
        told = as_page_has_it(view)
        if not found.done() and true(told):
            found.set_result(told)

    leave = sitting.shell.watch(look)
    try:
        return await found
    finally:
        leave()


def cell_of(sitting: RunningTable, name: str) -> int:
    """The board cell of a game's cell."""
    match = sitting.shell.session.match
    return match.placing.board[match.history.game.grid.cell(name)]


def hands_of(url: str) -> connect:
    """A line to a simulator's hands, for use as a context.

    All that comes is taken in: a line that stands still while nobody reads closes only after 10 s.
    """
    return connect(url, proxy=None, max_queue=None)


async def by_hand(sitting: RunningTable, *steps: dict[str, Any]) -> None:
    """A person's hand on the simulator does these things, each when the last is done."""
    assert sitting.simulator is not None
    async with hands_of(sitting.simulator.hands) as line:
        for step in steps:
            await line.send(json.dumps(step))
            wanted = step.get("kind", 0)
            async for message in line:
                heard = json.loads(message)
                if heard["type"] == "world" and heard["kinds"][step["cell"]] == wanted:
                    break


async def lying(sitting: RunningTable) -> list[int]:
    """What truly lies on the simulated board's cells."""
    assert sitting.simulator is not None
    async with hands_of(sitting.simulator.hands) as line:
        async for message in line:
            heard = json.loads(message)
            if heard["type"] == "world":
                kinds: list[int] = heard["kinds"]
                return kinds
    raise AssertionError("the simulator told no world")


BOTS = ("bot:easy", "bot:easy")
