"""The page on the table's own machine starts while no lumiban runs and says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import a_free_port, hosted, visiting
from lumiban.i18n import text

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

TABLE = ("play", "control", "-o", "size=3", "--first", "human", "--second", "human")
IS_KEPT = """async () => {
    await navigator.serviceWorker.ready;
    const script = document.querySelector('script[src]').src;
    return Boolean(await caches.match(script) && await caches.match('/'));
}"""


async def test_the_page_opens_without_a_host_and_goes_on_when_one_comes(tmp_path: Path) -> None:
    port = a_free_port()
    async with (
        hosted(tmp_path, *TABLE, port=port) as first,
        visiting([first.url], service_workers="allow") as [visit],
    ):
        page = visit.page
        assert await page.evaluate(IS_KEPT)
        await first.end()
        await page.goto(first.url)
        said = "document.querySelector('#banner').textContent"
        await visit.until(f"said => {said} === said", text("page.lost"))
        assert await page.inner_text("#new-game") == text("page.new")
        async with hosted(tmp_path, *TABLE, port=port):
            await page.wait_for_selector("#board .cell[role=gridcell]")
            await visit.until("() => document.querySelector('#banner').hidden")


async def test_nothing_but_the_page_is_kept(tmp_path: Path) -> None:
    async with (
        hosted(tmp_path, *TABLE) as host,
        visiting([host.url], service_workers="allow") as [visit],
    ):
        await visit.page.evaluate(IS_KEPT)
        await visit.page.reload()
        await visit.view()
        kept = await visit.page.evaluate(
            """async () => (await (await caches.open('lumiban-page')).keys())
                .map((one) => new URL(one.url).pathname)"""
        )
        assert "/" in kept
        assert {path for path in kept if not path.startswith("/static/")} == {"/", "/api/texts"}
        versions = {path.split("/")[2] for path in kept if path.startswith("/static/")}
        assert len(versions) == 1
