"""Room on the page: what is said and asked stays in sight and legible in every window."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from browser import Visit, visiting
from e2e.page.test_coach_page import SILENT, move
from e2e.page.test_scripted_views import AssistedTable, EveningTable
from local_page import create_app
from lumiban.i18n import text
from lumiban.web.serve import serve
from sentences import waits

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


NAMES = """() => [...document.querySelectorAll('.bowl-place')].map((bowl) => {
    const texts = [...bowl.querySelectorAll('text')];
    const px = (text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().d;
    const boxes = texts.filter((t) => t.textContent).map((t) => t.getBoundingClientRect());
    return [texts.map(px), boxes.map((box) => [box.left, box.right, box.bottom])];
})"""


async def test_names_below_the_bowls_keep_their_size_and_their_place(visit: Visit) -> None:
    for room in (DESKTOP, PHONE, LYING):
        await visit.page.set_viewport_size(room)
        await visit.until(
            f"""() => {{
                const told = ({NAMES})();
                const room = document.querySelector('#stage').getBoundingClientRect();
                return told.length === 2 && told.every(([sizes, boxes]) =>
                    Math.abs(sizes[0] - 16) < 0.7 && Math.abs(sizes[1] - 14) < 0.7
                    && boxes.every(([left, right]) => left >= room.left && right <= room.right));
            }}"""
        )


async def test_names_below_three_bowls_do_not_run_into_each_other(
    visit: Visit, table: EveningTable
) -> None:
    await visit.page.set_viewport_size(SMALL)
    game = {**table.view()["game"], "kinds": [1, 2, 3]}
    seats = [{"side": side, "who": "bot:medium", "thinking": False} for side in (0, 1)]
    table.tell(game=game, owing=[[3, 1]], seats=seats)
    await visit.until(
        f"""() => {{
            const [white, black, red] = ({NAMES})().map(([, boxes]) => boxes.at(-1));
            return red && white[1] + 8 < red[0] && red[1] + 8 < black[0];
        }}"""
    )


async def test_a_board_of_few_cells_is_large_and_what_must_be_pressed_is_in_sight_beside_it(
    visit: Visit, table: EveningTable
) -> None:
    high = "document.querySelector('#ground g').getBoundingClientRect().height"
    await visit.until(f"() => {high} >= 0.77 * innerHeight")
    coach = {**SILENT, "side": 1, "looked": 9, "moves": [move(table, "c4", 0.6)] * 3}
    now = {"turnless": False, "can_takeback": True, "coach": coach, "open": None, "light": []}
    table.tell(**now)
    await visit.until("() => document.querySelectorAll('#coach-moves > li').length === 3")
    await in_sight(visit, "#play .takeback")
    await in_sight(visit, "#coach-moves > li")
    await in_sight(visit, "#moves li")
    verdict: dict[str, Any] = {
        "kind": "repair",
        "text": None,
        "cells": [],
        "choices": [],
        "said": [],
    }
    table.tell(**now, verdict=verdict)
    for room in (SMALL, PHONE):
        await visit.page.set_viewport_size(room)
        await visit.until(
            """() => {
                const place = (id) => document.querySelector(id)?.getBoundingClientRect();
                return place('#answers button')?.bottom <= place('#drawer').top;
            }"""
        )
    # On a short phone all that is said of a game that is over stays in its place.
    await visit.page.set_viewport_size(SMALL)
    over = {"winner": 1, "text": {"id": "outcome.no-move", "params": {}}}
    table.tell(**now, outcome=over, moves=table.view()["moves"] * 30)
    await visit.until("() => document.querySelector('#turn').hasAttribute('data-over')")
    assert not await visit.page.locator("#mover").is_visible()


async def test_words_and_red_stones_are_listed_in_the_language_of_the_page(
    visit: Visit, table: EveningTable
) -> None:
    moves = [("b", "stand b"), ("w", "resign"), ("w", "red c3"), ("b", "bc4")]
    table.tell(
        moves=[
            {"n": n, "side": side == "b", "text": text, "said": text}
            for n, (side, text) in enumerate(moves, 1)
        ]
    )
    listed = "() => [...document.querySelectorAll('#moves .text')].map((e) => e.textContent)"
    await visit.until("() => document.querySelectorAll('#moves .text').length === 4")
    assert await visit.page.evaluate(listed) == ["stands", "resigns", "red c3", "bc4"]
    await visit.settings()
    await visit.page.select_option("#language", "ja")
    await visit.until("() => document.querySelector('#moves .text').textContent !== 'stands'")
    assert await visit.page.evaluate(listed) == ["スタンド", "投了", "赤 c3", "bc4"]


async def test_the_page_leads_to_the_service_where_one_keeps_the_table(
    visit: Visit, table: GamesTable
) -> None:
    link = visit.page.get_by_role("link", name=text("page.service"))
    assert await link.count() == 0
    for more, leads in (
        ({"service": True}, True),
        ({"service": True, "network": True}, False),
        ({"service": True, "network": True, "may_lead": True}, True),
    ):
        table.more = more
        await visit.page.reload()
        await visit.page.wait_for_selector("#board .cell[role=gridcell]")
        await visit.settings()
        assert await link.count() == leads, more
    assert await link.get_attribute("href") == "/service"


BROKEN = """() => {
    const broken = [];
    for (const { firstChild: node } of document.querySelectorAll('#moves .text')) {
        for (const { 0: word, index } of node.data.matchAll(/\\S+/g)) {
            const range = new Range();
            range.setStart(node, index);
            range.setEnd(node, index + word.length);
            if (range.getClientRects().length !== 1) broken.push(word);
        }
    }
    return broken;
}"""


async def test_no_word_in_the_list_of_moves_is_broken_on_a_laptop(
    visit: Visit, table: EveningTable
) -> None:
    await visit.page.set_viewport_size({"width": 1024, "height": 768})
    words = [(1, "stop w"), (2, "stop b"), (3, "resign w"), (4, "stand b")]
    moves = [{"n": n, "side": 1 - n % 2, "text": said, "said": said} for n, said in words]
    table.tell(moves=moves)
    await visit.until("() => document.querySelectorAll('#moves .text').length === 4")
    assert "offers to stop" in await visit.page.inner_text("#moves")
    assert await visit.page.evaluate(BROKEN) == []


async def test_a_game_that_counts_nothing_shows_no_empty_table(
    visit: Visit, table: EveningTable
) -> None:
    assert await visit.page.locator("#counts").is_visible()
    table.tell(counts=[])
    await visit.until("() => document.querySelector('#counts').hidden")


async def test_while_simulated_hands_set_the_pieces_nobody_is_asked_to() -> None:
    table = AssistedTable()
    page = await serve(create_app(table), port=0)
    try:
        async with visiting([page.url]) as [visit]:
            text = {"id": "table.mend-place-white", "params": {"cell": "c3"}}
            verdict = {"kind": "repair", "text": text, "cells": [], "choices": [], "said": []}
            steps = [{"do": "place", "cell": 0, "kind": 1}]
            prompt = {"wait": "mend", "steps": steps, "by": "hands"}
            on = {"verdict": verdict, "prompt": prompt, "light": []}
            pieces = [1, 1] + [0] * (len(table.game.grid) - 2)
            set_by = {"id": "page.turn.set-by-hands", "params": {"n": 2}}
            phase = {**waits("setting-up"), "says": set_by}
            table.tell(moves=[], pieces=pieces, turnless=False, open=None, phase=phase, **on)
            await visit.until(
                "() => document.querySelector('#sentence').textContent.includes('to place: 2')"
            )
            assert await visit.page.locator("#answers button").count() == 0
            # Later on whoever moved a piece is asked to mend it: hands may, or the board is right.
            on["prompt"] = prompt | {"by": "person"}
            table.tell(pieces=pieces, turnless=False, open=None, **on)
            await visit.until("() => document.querySelectorAll('#answers button').length === 2")
    finally:
        await page.close()


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


async def test_an_arrow_key_leads_to_the_board_when_nothing_else_has_the_keys(
    visit: Visit,
) -> None:
    name = "document.activeElement.dataset.name"
    await visit.until("() => document.querySelector('[data-name]')")
    for key in ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"):
        await visit.page.evaluate("document.activeElement.blur()")
        assert await visit.page.evaluate(name) is None
        await visit.page.keyboard.press(key)
        assert await visit.page.evaluate(name), key
    here = await visit.page.evaluate(name)
    await visit.page.keyboard.press("ArrowLeft")
    there = await visit.page.evaluate(name)
    assert there not in (None, here)
    # The last cell is the one to come back to; an open dialog keeps its keys.
    await visit.page.evaluate("document.activeElement.blur()")
    await visit.page.keyboard.press("ArrowLeft")
    assert await visit.page.evaluate(name) == there
    await visit.page.evaluate("document.querySelector('#open-help').click()")
    await visit.page.keyboard.press("ArrowLeft")
    assert await visit.page.evaluate(name) is None


async def test_a_low_window_scrolls_by_the_arrow_keys(visit: Visit) -> None:
    await visit.page.set_viewport_size({"width": 1100, "height": 400})
    await visit.until("() => document.documentElement.scrollHeight > innerHeight")
    await visit.page.keyboard.press("ArrowDown")
    assert await visit.page.evaluate("document.activeElement === document.body")


async def test_the_steps_through_the_moves_are_whole_in_every_width(visit: Visit) -> None:
    for language in ("en", "ja"):
        await visit.settings()
        await visit.page.select_option("#language", language)
        for width in (1024, 1100, 1180, 1279, 1280, 1440, 600, 390, 320):
            await visit.page.set_viewport_size({"width": width, "height": 800})
            await visit.page.evaluate(
                "document.querySelector('#drawer').toggleAttribute('data-open', innerWidth < 1024)"
            )
            cut = await visit.page.evaluate(
                """() => {
                    const room = document.querySelector('#moves').parentElement;
                    const { left, right } = room.getBoundingClientRect();
                    return [...document.querySelectorAll('#steps button')].filter((button) => {
                        const box = button.getBoundingClientRect();
                        return !box.width || box.left < left || box.right > right
                            || box.right > innerWidth;
                    }).length;
                }"""
            )
            assert cut == 0, (language, width)
