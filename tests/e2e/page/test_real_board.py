"""The page beside a real board: it moves no stones, plays the light's effects itself, and can
tell a move. The table is a scripted one, since no board is here."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
import pytest_asyncio
from browser import Visit, shown
from lumiban import games
from lumiban.boards import profile as profiles
from lumiban.boards.mapping import place_grid
from lumiban.runtime.page_hello import page_hello
from web_client import ScriptedTable

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
BREATHE = 3


@dataclass
class BoardTable(ScriptedTable):
    """Control of size 3 on the board `hex3`, with one white stone that the board senses on b1 and
    one, on c5, that it does not."""

    moves: list[Any] = field(default_factory=list)
    steps: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.game = games.load("control", size=3)
        self.profile = profiles.load("hex3")
        self.cells = list(place_grid(self.game.grid, self.profile).board)

    def hello(self) -> dict[str, Any]:
        return page_hello(self.profile, simulated=False)

    def view(self) -> dict[str, Any]:
        at = self.game.grid.cell
        pieces, sensed = ([0] * len(self.game.grid) for _ in range(2))
        pieces[at("b1")] = pieces[at("c5")] = sensed[at("b1")] = 1
        lights = [[0, 0] for _ in range(self.profile.lights)]
        lights[self.profile.cells[self.cells[at("a1")]].light] = [1, BREATHE]
        return {
            "v": self.shown,
            "game": {
                "slug": "control",
                "options": dict(self.game.options),
                "sides": list(self.game.sides),
                "names": list(self.game.grid.names),
                "cells": self.cells,
            },
            "to_move": [1],
            "seats": [{"side": side, "who": "human", "thinking": False} for side in (0, 1)],
            "moves": self.moves,
            "pieces": pieces,
            "sensed": sensed,
            "marks": [{"cell": at("a1"), "meaning": "may-place", "side": None}],
            "lights": lights,
            "palette": [[0, 0, 0], [80, 216, 110]],
            "legal": {"place": [at("a1")], "lift": [at("b1")]},
            "verdict": {"kind": "agree", "text": None, "cells": [], "choices": []},
            "prompt": {"wait": "mend", "steps": self.steps},
            "pending": None,
            "outcome": None,
            "words": [[], []],
            "counts": [{"stones": 2, "territory": 0}, {"stones": 0, "territory": 0}],
            "link": "up",
            "hint": self.hint,
            "theme": "standard",
            "stop_offers": [],
            "can_takeback": False,
        }


@pytest_asyncio.fixture(loop_scope="session")
async def table() -> BoardTable:
    return BoardTable()


@pytest_asyncio.fixture(loop_scope="session")
async def visit(table: BoardTable) -> AsyncIterator[Visit]:
    async with shown(table) as visit:
        yield visit


async def tap(visit: Visit, name: str) -> None:
    await visit.page.mouse.click(*await visit.middle(f'.cell[data-name="{name}"]'))


async def test_a_tap_tells_a_legal_move_and_refuses_another(
    visit: Visit, table: BoardTable
) -> None:
    await tap(visit, "a2")
    await visit.until("() => document.querySelector('#sentence').innerText.includes('a2')")
    await tap(visit, "a1")
    await tap(visit, "b1")
    while len(table.heard) < 2:  # both are on their way over the socket
        await visit.page.evaluate("1")
    assert [message for message, _ in table.heard] == [
        {"do": "move", "side": 1, "text": "a1"},
        {"do": "move", "side": 1, "text": "xb1"},
    ]


async def test_a_cell_that_was_asked_for_in_vain_may_be_given_up(
    visit: Visit, table: BoardTable
) -> None:
    await visit.page.clock.install()
    table.steps = [{"do": "place", "cell": table.game.grid.cell("c5"), "kind": 1}]
    table.shown += 1
    table.watchers[0](table.view())
    silent = visit.page.get_by_role("button", name="c5 does not answer")
    assert await silent.count() == 0
    await visit.page.clock.fast_forward(21_000)
    await silent.click()
    while not table.heard:
        await visit.page.evaluate("1")
    assert table.heard[0][0] == {"do": "dead-cell", "cell": "c5"}


async def test_what_the_board_does_not_sense_is_an_outline(visit: Visit) -> None:
    await visit.until("() => document.querySelectorAll('.stones .stone').length === 1")
    assert await visit.page.locator(".ghost").count() == 1
    assert await visit.page.locator("#field-switch").is_hidden()


async def test_the_page_plays_the_light_of_a_real_board(visit: Visit) -> None:
    # Of the canvas below the stones: how much light there is, and on how many of its pixels.
    lit = """() => {
        const glow = document.querySelector('#glow');
        const { data } = glow.getContext('2d').getImageData(0, 0, glow.width, glow.height);
        const alphas = data.filter((_, i) => i % 4 === 3);
        const bright = alphas.filter((one) => one > 100);
        return [alphas.reduce((sum, one) => sum + one, 0), bright.length / alphas.length];
    }"""
    await visit.until(f"() => ({lit})()[0] > 0")
    first, share = await visit.page.evaluate(lit)
    assert share < 1 / 19, "more than one cell of nineteen is lit"
    await visit.until(f"before => Math.abs(({lit})()[0] / before - 1) > 0.1", first)
