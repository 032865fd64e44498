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


async def test_a_clock_that_stands_stays_and_says_why(visit: Visit, table: EveningTable) -> None:
    table.tell(clock=clocks(one("main", 60_000), one("main", 60_000)), moves=[])
    await visit.until("() => document.querySelectorAll('#clocks li').length === 2")
    assert sentence("page.clock.starts") in (await read(visit, "#clocks .how"))[0]
    table.tell(clock=clocks(one("main", 60_000), one("main", 50_000)))
    await visit.until(
        "() => document.querySelectorAll('#clocks .digits')[1].textContent === '0:50'"
    )
    assert sentence("page.clock.stands") in (await read(visit, "#clocks .how"))[0]


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


async def test_a_new_game_takes_a_clock_or_one_that_is_typed(
    visit: Visit, table: EveningTable
) -> None:
    await visit.page.click("#new-game")
    options = await read(visit, "#new-clock option")
    assert options[0] == sentence("clock.none")
    assert sentence("clock.game", main="10:00") in options, "one clock for a game without turns"
    assert not any("0:03" in text for text in options)
    await visit.page.select_option("#new-clock", "…")
    await visit.page.fill("#new-clock-text", "sudden:7m")
    await visit.page.click("#new-start")
    while not any(said["do"] == "new" for said, _ in table.heard):
        await visit.page.evaluate("1")
    (wish,) = (said for said, _ in table.heard if said["do"] == "new")
    assert wish["clock"] == "sudden:7m"


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


async def test_two_machines_have_a_pace_and_nothing_to_confirm(
    visit: Visit, table: EveningTable
) -> None:
    assert await visit.page.locator("#bot-pace").count() == 0
    seats = [{"side": side, "who": "bot:easy", "thinking": False} for side in (0, 1)]
    pending = {"move": "xc3", "said": "xc3", "due_ms": None}
    table.tell(seats=seats, turnless=False, open=None, pending=pending)
    await visit.settings()
    await visit.page.select_option("#bot-pace", "2000")
    await heard(visit, table, {"do": "reaction", "ms": 2000})
    confirm = visit.page.get_by_role("button", name=sentence("page.confirm"))
    assert await confirm.count() == 1, "where no hands serve, a person says that it was done"
    await visit.settings()
    await visit.page.select_option("#bot-pace", "")
    await heard(visit, table, {"do": "reaction", "ms": None})


async def test_arrow_keys_look_back_with_shift_and_alone_once_the_game_is_over(
    visit: Visit, table: EveningTable
) -> None:
    keys = visit.page.keyboard
    table.tell(moves=TWO_MOVES)
    await visit.until("() => document.querySelectorAll('#moves button').length === 2")
    await visit.page.evaluate("document.activeElement.blur()")
    await keys.press("Shift+ArrowLeft")
    await visit.until("() => document.querySelector('[aria-current=step]')?.dataset.n === '1'")
    await keys.press("ArrowRight")  # the past is shown: alone
    await visit.until("() => document.querySelector('[aria-current=step]')?.dataset.n === '2'")
    won = {"winner": 0, "text": {"id": "outcome.resigned", "params": {}}}
    table.tell(moves=TWO_MOVES, outcome=won, to_move=[])
    await visit.until("() => document.querySelector('#turn').hasAttribute('data-over')")
    await keys.press("ArrowLeft")
    await visit.until("() => document.querySelector('[aria-current=step]')?.dataset.n === '1'")


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
