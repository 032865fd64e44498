"""The lobby on the page: what the board asks in words, and the same choices by buttons."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from browser import Visit, shown
from e2e.page.test_everybody import AXE, DESKTOP, PHONE, RUN
from lumiban.boards.profile import load
from lumiban.lobby.choices import Situation, offers_of
from lumiban.lobby.lobby import Lobby
from lumiban.runtime.page_hello import page_hello
from lumiban.table.phase import PHASES
from lumiban.table.setup import TableSetup
from msgspec import to_builtins
from scripted_evening import EveningTable
from sentences import sentence, waits

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


class LobbyTable(EveningTable):
    """A table whose service has a lobby."""

    language = ""

    def hello(self) -> dict[str, Any]:
        more = {"language": self.language} if self.language else {}
        return {**super().hello(), "service": True, **more}


def lobby() -> Lobby:
    offers = offers_of(page_hello(load("hex3"), simulated=True), can_power_off=True)
    made = Lobby(load("hex3"), offers, TableSetup("control"))
    made.begin(0.0, (), Situation(), made.setup)
    return made


@pytest_asyncio.fixture(loop_scope="session")
async def table() -> LobbyTable:
    return LobbyTable()


@pytest_asyncio.fixture(loop_scope="session")
async def visit(table: LobbyTable) -> AsyncIterator[Visit]:
    async with shown(table) as visit:
        yield visit


async def test_the_page_says_what_the_board_asks_and_its_buttons_choose(
    visit: Visit, table: LobbyTable
) -> None:
    page = visit.page
    await visit.until("() => !document.querySelector('#open-lobby').hidden")
    made = lobby()
    table.tell(lobby=to_builtins(made.shown()))
    await visit.until("() => !document.querySelector('#lobby').hidden")
    assert await page.inner_text("#lobby-title") == sentence("lobby.screen.home")
    assert await page.inner_text("#lobby-says") == sentence("lobby.how")
    labels = await page.locator("#lobby-choices button").all_inner_texts()
    assert labels[0] == "Play Control"
    assert len(labels) == len(made.choices)
    for of_a_game in ("#headline", "#rule", "#told", "#play > .row >> nth=0"):
        assert not await page.locator(of_a_game).is_visible(), of_a_game
    await page.click('#lobby-choices [data-choice="game"]')
    while {"do": "lobby", "choose": "game"} not in [said for said, _ in table.heard]:
        await page.evaluate("1")
    made.choose("game", 1.0)
    table.tell(lobby=to_builtins(made.shown()))
    now = '#lobby-choices [aria-pressed="true"]'
    await visit.until(f"() => document.querySelector('{now}')")
    assert await page.locator(now).all_inner_texts() == ["Control"]
    # A board that rests leaves the page to whoever wants to play.
    table.tell(lobby={**to_builtins(made.shown()), "is_lit": False})
    await visit.until("() => document.querySelector('#lobby').hidden")
    assert await page.locator("#headline").is_visible()


@pytest.mark.parametrize("width", [DESKTOP, PHONE], ids=("desktop", "phone"))
async def test_axe_finds_nothing_in_any_phase(
    visit: Visit, table: LobbyTable, width: dict[str, Any]
) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm ci --prefix host/lumiban/web")
    await visit.page.set_viewport_size(width)
    await visit.page.evaluate(AXE.read_text("utf-8"))
    quiet = {"to_move": [], "legal": {"place": [], "lift": [], "kinds": []}, "open": [[], []]}
    title = {"id": "lesson.evening.open.title", "params": {}}
    film = {"game": "evening", "title": title, "text": None, "lights": []}
    home = to_builtins(lobby().shown())
    for name, row in PHASES.items():
        more: dict[str, Any] = {"phase": {**waits(name), "takes": row.takes}}
        if not row.takes:
            more |= quiet
        if name in ("resting", "attract", "lobby"):
            shows = film if name == "attract" else None
            more["lobby"] = {**home, "is_lit": name == "lobby", "film": shows}
        table.tell(**more)
        is_lobby = str(name == "lobby").lower()
        await visit.until(f"() => document.querySelector('#lobby').hidden !== {is_lobby}")
        assert await visit.page.evaluate(RUN, True) == [], name


async def test_a_language_that_was_chosen_at_the_board_is_spoken(table: LobbyTable) -> None:
    table.language = "ja"
    async with shown(table) as visit:
        await visit.until("() => document.documentElement.lang === 'ja'")
