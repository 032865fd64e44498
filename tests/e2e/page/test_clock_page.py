"""Clocks on the page, and playing on: rematch, pace of machines, links to a move, results."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from browser import Visit, shown
from scripted_evening import EveningTable
from sentences import sentence

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

TWO_MOVES = [
    {"n": n, "side": side, "text": text, "said": text}
    for n, side, text in ((1, 0, "wc3"), (2, 1, "bc4"))
]


class PlayedTable(EveningTable):
    """It tells each earlier position as an empty board."""

    def look(self, n: int, line: Any = None) -> dict[str, Any]:
        cells = len(self.game.grid)
        return {
            "n": n, "moves": 2, "pieces": [0] * cells, "labels": [], "hands": [], "marks": [],
            "counts": [{"stones": 0, "territory": 0}] * 2,
        }  # fmt: skip


@pytest_asyncio.fixture(loop_scope="session")
async def table() -> EveningTable:
    return PlayedTable()


@pytest_asyncio.fixture(loop_scope="session")
async def visit(table: EveningTable) -> AsyncIterator[Visit]:
    async with shown(table) as visit:
        yield visit


def one(stage: str, left_ms: int, **more: Any) -> dict[str, Any]:
    return {
        "stage": stage, "left_ms": left_ms, "later_ms": 0, "periods": None, "moves": None, **more,
    }  # fmt: skip


def clocks(*shown: dict[str, Any], running: int | None = None) -> dict[str, Any]:
    params = {"main": "1:00", "periods": 3, "period": "0:20"}
    text = {"id": "clock.byo", "params": params}
    return {
        "control": "byo:1m+3x20s", "text": text, "clocks": list(shown), "running": running,
    }  # fmt: skip


async def read(visit: Visit, selector: str) -> list[str]:
    found: list[str] = await visit.page.locator(selector).all_inner_texts()
    return found


async def heard(visit: Visit, table: EveningTable, message: dict[str, Any]) -> None:
    while message not in [said for said, _ in table.heard]:
        await visit.page.evaluate("1")


async def test_both_clocks_are_shown_and_which_one_runs_in_words(
    visit: Visit, table: EveningTable
) -> None:
    assert await visit.page.locator("#clocks").is_hidden()
    table.tell(
        clock=clocks(one("main", 299_001, periods=3), one("period", 12_000, periods=2), running=0)
    )
    await visit.until("() => document.querySelectorAll('#clocks li').length === 2")
    first, second = await read(visit, "#clocks .digits")
    assert "4:00" < first <= "5:00"
    assert second == "0:12"
    assert await read(visit, "#clocks .name") == ["White", "Black"]
    assert await read(visit, "#clocks small") == [
        sentence("page.clock.periods.left", n=n) for n in (3, 2)
    ]
    told = await visit.page.locator("#clocks li[data-runs]").all_text_contents()
    assert len(told) == 1
    assert "▶" in told[0]
    assert sentence("page.clock.runs") in told[0]
    # It goes on by itself, without a view; the other one stands.
    await visit.until("() => document.querySelector('#clocks .digits').textContent < '4:58'")
    assert (await read(visit, "#clocks .digits"))[1] == "0:12"


async def test_what_is_heard_of_a_clock_is_the_end_of_a_stage_and_the_last_seconds(
    visit: Visit, table: EveningTable
) -> None:
    table.tell(clock=clocks(one("main", 14_000, periods=3), one("main", 60_000), running=0))
    await visit.until("() => document.querySelector('#clock-said').textContent !== ''")
    said = await visit.page.inner_text("#clock-said")
    assert said == sentence("page.clock.said.left", side="White", seconds=10)
    table.tell(clock=clocks(one("period", 20_000, periods=3), one("main", 60_000), running=0))
    said = sentence("page.clock.said.stage", side="White")
    await visit.until("t => document.querySelector('#clock-said').textContent === t", said)
    table.tell(clock=clocks(one("period", 19_000, periods=2), one("main", 60_000), running=0))
    said = sentence("page.clock.said.periods", side="White", n=2)
    await visit.until("t => document.querySelector('#clock-said').textContent === t", said)


async def test_after_a_game_the_same_is_played_again_with_sides_changed(
    visit: Visit, table: EveningTable
) -> None:
    seats = [
        {"side": 0, "who": "human", "thinking": False},
        {"side": 1, "who": "bot:easy", "thinking": False},
    ]
    text = {"id": "outcome.evening.larger-groups", "params": {}}
    table.tell(seats=seats, outcome={"winner": 1, "text": text, "counts": [3, 6]}, to_move=[])
    await visit.page.get_by_role("button", name=sentence("page.rematch")).click()
    await heard(visit, table, {"do": "new", "seats": ("bot:easy", "human")})
    shown = await visit.page.inner_text("#sentence")
    assert sentence("page.result.numbers", own=6, other=3) in shown
    for rank, id in ((1, "page.result.groups"), (3, "page.result.groups.later")):
        ended = {"winner": 1, "text": text, "counts": [3, 6], "rank": rank}
        table.tell(seats=seats, outcome=ended, to_move=[])
        said = sentence(id, own=6, other=3, rank=rank, equal=rank - 1)
        await visit.until("t => document.querySelector('#sentence').textContent.includes(t)", said)


async def test_a_link_to_a_move_shows_it_and_one_to_none_says_so(table: EveningTable) -> None:
    table.more = {"moves": TWO_MOVES}
    async with shown(table, "#move=1") as visit:
        await visit.until(
            "() => document.querySelector('#moves [aria-current]')?.dataset.n === '1'"
        )
    async with shown(table, "#move=99") as visit:
        said = sentence("page.link.no-such-move", n=99, all=2)
        await visit.until("t => document.querySelector('#sentence').textContent.includes(t)", said)
        assert await visit.page.evaluate("location.hash") == ""
