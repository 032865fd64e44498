"""Every page beside the board for everybody: axe finds nothing, in both brightnesses, on a desktop
and on a phone, fingers find all buttons, and nothing is cut off."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from browser import CHROMIUM, ONE_CHROMIUM
from e2e.page.test_everybody import AXE, CUT, DESKTOP, PHONE, RUN, TARGETS
from library_games import fill, game_document
from lumiban.i18n import LANGUAGES
from lumiban.library.link import link_of
from lumiban.system.owner_token import link
from network_bench import OWNER, Networked, SeatedTable, networked
from sentences import sentence
from unit.web.test_service_pages import FakeService

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PAGES = {
    "library": "#games button",
    "library a game": "#replay-moves button",
    "library a link": "#share-from:not([hidden]) button",
    "rules": "#chapter h1, #chapter h2",
    "service": "#settings :is(input, select)",
    "service lights": "#sensor-asks button",
    "service sensors": "#sensor-board polygon",
    "door": "#enter:not([hidden])",
    "door seats": "#seats button",
}
"""Pages, and what is there once a page is."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def lan(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Networked]:
    state = tmp_path_factory.mktemp("state")
    fill(state, 3)
    service = FakeService(state)
    try:
        async with networked(SeatedTable(), state=state) as lan:
            yield lan
    finally:
        service.close()


@pytest.mark.parametrize("name", list(PAGES))
async def test_axe_finds_nothing_and_every_button_is_a_finger_s(lan: Networked, name: str) -> None:
    if CHROMIUM is None or not AXE.exists():
        pytest.skip("no Chromium, or axe-core is not installed: npm ci --prefix host/lumiban/web")
    page_name, _, more = name.partition(" ")
    address = lan.there.url if page_name == "door" else f"{lan.here.url}{page_name}"
    room = await ONE_CHROMIUM.room(viewport=DESKTOP)
    try:
        page = await room.new_page()
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        await page.goto(link(address, OWNER) if page_name == "service" else address)
        if more == "seats":
            await page.fill("#pin", lan.access.pin)
            await page.click("#enter button")
        if more in ("lights", "sensors"):
            await page.click("#tables button")
        if more == "sensors":
            await page.click("#sensor-asks button")
        if more == "a game":
            await page.click("#games button")
        if more == "a link":
            await page.fill("#open-link-text", link_of("theirs", game_document(9)))
            await page.click("#open-link button")
        await page.wait_for_selector(PAGES[name])
        await page.evaluate(AXE.read_text("utf-8"))
        found: dict[str, list[object]] = {}
        for scheme in ("dark", "light"):
            await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            for size in (DESKTOP, PHONE):
                await page.set_viewport_size(size)
                found[f"{scheme} {size['width']} axe"] = await page.evaluate(RUN, True)
        found["targets"] = await page.evaluate(TARGETS)
        found["cut"] = await page.evaluate(CUT)
        assert {where: what for where, what in found.items() if what} == {}
        assert faults == []
    finally:
        await room.close()


async def test_where_no_script_runs_the_page_says_which_browsers_it_needs(lan: Networked) -> None:
    if CHROMIUM is None:
        pytest.skip("no Chromium here: install chromium-headless-shell or chromium")
    for runs in (True, False):
        room = await ONE_CHROMIUM.room(java_script_enabled=runs, reduced_motion="reduce")
        try:
            page = await room.new_page()
            await page.goto(f"{lan.here.url}rules")
            if runs:
                await page.wait_for_selector(PAGES["rules"])
                assert await page.locator("#too-old").count() == 0
                continue
            await page.wait_for_selector("#too-old", state="visible")
            told = await page.inner_text("#too-old")
            assert all(sentence("page.too-old", language) in told for language in LANGUAGES)
        finally:
            await room.close()
