"""The coach's panel, shown from a scripted view: ranks, bars with numbers, words, wishes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from browser import Visit, shown
from e2e.page.test_scripted_views import EveningTable
from sentences import sentence

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

SILENT: dict[str, Any] = {
    "for_two": False, "agreed": False, "may_ask": True, "side": None, "done": False,
    "looked": 0, "unit": "", "reason": "", "moves": [],
}  # fmt: skip


def move(table: EveningTable, cell: str, value: float, **more: Any) -> dict[str, Any]:
    at = table.game.grid.cell(cell)
    told = {"id": "said.opens-own", "cells": [at, at + 1], "params": {"n": 2}}
    figures = {"value": value, "percent": round(100 * value), "visits": 90, "proof": None}
    named = {"move": "b" + cell, "said": "b" + cell, "cells": [at], "line": ["b" + cell, "wa1"]}
    return {**named, **figures, "wins_in": None, "does": [told], **more}


@pytest_asyncio.fixture(loop_scope="session")
async def table() -> EveningTable:
    return EveningTable()


@pytest_asyncio.fixture(loop_scope="session")
async def visit(table: EveningTable) -> AsyncIterator[Visit]:
    async with shown(table, "?lang=en") as visit:
        yield visit


async def test_moves_stand_with_rank_number_and_words_and_are_numbered_on_the_board(
    visit: Visit, table: EveningTable
) -> None:
    moves = [move(table, "c4", 0.62), move(table, "b2", 1.0, proof="win")]
    marks = [
        {"cell": one["cells"][0], "meaning": meaning, "side": 1}
        for one, meaning in zip(moves, ("advice", "advice-also"), strict=True)
    ]
    coach = {**SILENT, "side": 1, "looked": 1200, "moves": moves}
    table.tell(coach=coach, marks=marks, hint="coach")
    await visit.until("() => document.querySelectorAll('#coach-moves > li').length === 2")
    shown = await visit.page.inner_text("#coach")
    for words in (
        "Still looking: 1,200",
        "62 %",
        "100 %",
        sentence("page.coach.win"),
        "opens c4, c5 to",
    ):
        assert words in shown
    ranks = await visit.page.eval_on_selector_all(
        ".ranks text", "all => all.map(t => t.textContent)"
    )
    assert ranks == ["1", "2"]
    # While a board is mended there are no marks, and no numbers without them.
    table.tell(coach=coach, marks=[], hint="coach")
    await visit.until("() => document.querySelectorAll('.ranks text').length === 0")
    few = [move(table, "b2", 0.99, visits=3)]
    widths = await visit.page.eval_on_selector_all(
        "#coach-moves .fill", "all => all.map(f => Math.round(f.getBoundingClientRect().width))"
    )
    assert widths[0] < widths[1]
    table.tell(coach={**SILENT, "side": 1, "moves": few}, hint="coach")
    await visit.until(
        "() => document.querySelector('#coach-moves').textContent.includes('a guess so far')"
    )
    assert "99 %" not in await visit.page.inner_text("#coach")


async def test_the_coach_is_asked_by_a_button_and_two_people_agree_by_a_switch(
    visit: Visit, table: EveningTable
) -> None:
    table.tell(coach=SILENT)
    await visit.page.click("#coach-ask")
    table.tell(coach={**SILENT, "for_two": True, "may_ask": False})
    await visit.until("() => document.querySelector('#coach').textContent.includes('silent')")
    assert await visit.page.is_disabled("#coach-ask")
    await visit.page.click("#coach-agree")
    wanted = [{"do": "coach"}, {"do": "coach", "agree": True}]
    while [said for said, _ in table.heard] != wanted:
        await visit.page.evaluate("1")
