"""A position is set up on the page, by pointer and by keys, and played from."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import Visit, hosted, visiting
from lumiban.i18n import text

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

TWO = ("--new", "-o", "size=3", "--first", "human", "--second", "human")


async def kind(visit: Visit, name: str) -> str:
    label = await visit.page.get_attribute(f'.cell[data-name="{name}"]', "aria-label")
    assert label is not None
    return str(label.split(", ")[1])


async def choose(visit: Visit, piece: str) -> None:
    await visit.page.get_by_role("button", name=piece, exact=True).click()


async def tap(visit: Visit, name: str) -> None:
    await visit.page.mouse.click(*await visit.middle(f'.cell[data-name="{name}"]'))


async def sentence(visit: Visit) -> str:
    return str(await visit.page.inner_text("#sentence"))


async def test_a_position_is_set_up_and_played_from(tmp_path: Path) -> None:
    white, black = text("page.stone.1"), text("page.stone.2")
    words = ("play", "control", *TWO)
    async with hosted(tmp_path, *words) as host, visiting([host.url]) as [visit]:
        page = visit.page
        await visit.until("() => document.querySelector('h1').textContent.startsWith('White')")
        await visit.settings()
        await page.click("#open-setup")
        assert await page.inner_text("h1") == text("page.setup")
        await tap(visit, "a1")
        await tap(visit, "c3")
        assert await kind(visit, "a1") == white
        await tap(visit, "c3")  # again takes it away
        assert await kind(visit, "c3") == text("page.cell.empty")
        await choose(visit, black)
        # Keys do the same, and what they set is read.
        await page.focus('.cell[data-name="e3"]')
        await page.keyboard.press("Enter")
        assert black in await page.inner_text("#said")
        # What no game comes to is told, and stays to be mended.
        await tap(visit, "e2")
        await page.get_by_role("button", name=text("page.setup.start")).click()
        await visit.until("() => document.querySelector('#turn').dataset.tone === 'error'")
        assert "this cannot happen in a game" in await sentence(visit)
        await tap(visit, "e2")
        assert await sentence(visit) == text("page.setup.how")
        await page.get_by_role("button", name=text("page.setup.start")).click()
        await visit.until("() => document.querySelector('#setup').hidden")
        view = await visit.view()
        names = view["game"]["names"]
        told = {name: kind for name, kind in zip(names, view["pieces"], strict=True) if kind}
        assert told == {"a1": 1, "e3": 2}
        assert view["to_move"] == [0]
        # The hands at the board bring the pieces, one after the other, and play goes on.
        while (now := await visit.view())["sensed"] != now["pieces"]:
            pass
        await visit.until("() => document.querySelector('#turn').dataset.tone === 'calm'")


async def test_a_draft_is_left_without_a_trace(tmp_path: Path) -> None:
    async with hosted(tmp_path, "play", "control", *TWO) as host, visiting([host.url]) as [visit]:
        await visit.until("() => document.querySelector('h1').textContent.startsWith('White')")
        before = await visit.view()
        await visit.settings()
        await visit.page.click("#open-setup")
        await tap(visit, "c3")
        await visit.page.keyboard.press("t")
        assert await sentence(visit) == text("page.setup.first")
        await visit.page.get_by_role("button", name=text("page.new.cancel"), exact=True).click()
        assert await kind(visit, "c3") == text("page.cell.empty")
        after = await visit.view()
        assert (after["pieces"], after["moves"]) == (before["pieces"], before["moves"])
        assert await visit.page.locator("#setup").is_hidden()
