"""Relatives at the page: numbers on cells are drawn, and an own stack grows by its button."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import hosted, visiting

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

PEOPLE = ("--new", "--first", "human", "--second", "human")
TUMBLEWEED = ("play", "tumbleweed", *PEOPLE, "-o", "size=3", "-o", "opening=fixed")
"""Answers to a pie, which one press gives."""
NUMBERS = "() => [...document.querySelectorAll('.numbers text')].map((t) => t.textContent).sort()"


async def test_heights_are_drawn_and_two_passes_said_at_the_page_end_the_game(
    tmp_path: Path,
) -> None:
    async with hosted(tmp_path, *TUMBLEWEED) as host, visiting([host.owner_url]) as [visit]:
        await visit.until("() => document.querySelectorAll('.numbers text').length === 3")
        assert await visit.page.evaluate(NUMBERS) == ["1", "1", "2"]
        await visit.until("() => window.haveHands || !window.needsHands")
        for number, cell in enumerate(("d1", "b4"), 1):
            x, y = await visit.middle(f'.cell[data-name="{cell}"]')
            await visit.page.mouse.click(x, y)
            await visit.moves(number)
            if number == 1:
                await visit.blacks_turn()
        assert await visit.page.evaluate(NUMBERS) == ["1", "1", "1", "1", "2"]
        label = await visit.page.get_attribute('.cell[data-name="c3"]', "aria-label")
        assert ", 2" in (label or "")
        for number in (3, 4):
            button = visit.page.locator("#answers").get_by_role("button", name="Pass")
            await button.click()  # a word is final: the first press asks, the second one says it
            await button.click()
            assert (await visit.moves(number))[-1] == "pass"
        view = await visit.view()
        assert view["outcome"]["winner"] is None, "seven points each"
        assert [row["territory"] for row in view["counts"]] == [7, 7]
