"""Room on the page: what is said and asked stays in sight and legible in every window."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from browser import Visit, visiting
from e2e.page.test_scripted_views import EveningTable
from local_page import create_app
from lumiban.i18n import text
from lumiban.web.serve import serve

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

DESKTOP, PHONE, LYING, SMALL = (
    {"width": 1280, "height": 800},
    {"width": 390, "height": 844},
    {"width": 844, "height": 390},
    {"width": 360, "height": 640},
)


class GamesTable(EveningTable):
    """A table that other games fit or do not, so that its dialog is long."""

    def __init__(self) -> None:
        super().__init__()
        self.more: dict[str, Any] = {}

    def hello(self) -> dict[str, Any]:
        return {**super().hello(), "simulated": True, **self.more}


@pytest_asyncio.fixture(loop_scope="session")
async def table() -> EveningTable:
    return GamesTable()


@pytest_asyncio.fixture(loop_scope="session")
async def visit(table: EveningTable) -> AsyncIterator[Visit]:
    page = await serve(create_app(table), port=0)
    try:
        async with visiting([page.url], viewport=DESKTOP) as [visit]:
            yield visit
    finally:
        await page.close()


async def in_sight(visit: Visit, selector: str) -> None:
    """Wait until the whole of an element is in the window: a dialog is filled before it opens."""
    await visit.until(
        """(selector) => {
            const box = document.querySelector(selector).getBoundingClientRect();
            return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight;
        }""",
        selector,
    )


async def test_a_long_dialog_begins_at_its_title_and_its_buttons_stay_in_sight(
    visit: Visit,
) -> None:
    for room in (DESKTOP, PHONE):
        await visit.page.set_viewport_size(room)
        for opening, title, button in (
            ("#open-help", "#help-title", "#help form button"),
            ("#new-game", "#new-title", "#new-start"),
        ):
            await visit.page.evaluate("(id) => document.querySelector(id).click()", opening)
            await in_sight(visit, title)
            await in_sight(visit, button)
            await visit.page.evaluate("document.querySelector('dialog[open]').close()")


async def test_where_too_many_pages_are_open_the_next_says_so_until_one_is_closed(
    table: EveningTable,
) -> None:
    page = await serve(create_app(table, most_sockets=2), port=0)
    said = (
        "() => { const b = document.querySelector('#banner'); return !b.hidden && b.textContent; }"
    )
    try:
        async with visiting([page.url]) as [first]:
            room = first.page.context
            await first.until("() => document.documentElement.dataset.wire === 'up'")
            other = await room.new_page()
            await other.goto(page.url)
            await other.wait_for_function(f"() => ({said})().startsWith?.('Too many pages')")
            await first.page.goto("about:blank")
            await other.wait_for_selector("#board .cell[role=gridcell]")
            await other.wait_for_function(
                "() => !document.querySelector('#banner').textContent.startsWith('Too many')"
                " || document.querySelector('#banner').hidden"
            )
    finally:
        await page.close()


LOSE = """
    const Real = WebSocket, open = [];
    let gone = false;
    window.WebSocket = function (...address) {
        const socket = gone ? {} : new Real(...address);
        if (gone) setTimeout(() => socket.onclose({ code: 1006 }));
        else open.push(socket);
        return socket;
    };
    window.lose = () => { gone = true; open.forEach((one) => one.onclose({ code: 1006 })); };
"""
"""`lose()` cuts the lines of a page, and no later one opens: as where a host was killed."""


async def test_a_host_that_stays_away_without_a_word_is_told_as_ended(visit: Visit) -> None:
    page = visit.page
    await page.add_init_script(LOSE)
    await page.clock.install()
    await page.reload()
    await visit.until("() => document.documentElement.dataset.wire === 'up'")
    await page.evaluate("lose()")
    said = "document.querySelector('#banner').textContent"
    await page.clock.run_for(1_000)
    assert await page.evaluate(said) == text("page.lost")
    for _ in range(12):  # with a pause for what the tries ask of the host
        await page.clock.run_for(1_000)
    assert await page.evaluate(said) == text("page.ended")
