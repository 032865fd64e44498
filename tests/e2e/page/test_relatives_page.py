"""Relatives at the page: numbers on cells are drawn, and an own stack grows by its button."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import hosted, visiting

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

PEOPLE = ("--new", "--first", "human", "--second", "human")
TUMBLEWEED = ("play", "tumbleweed", *PEOPLE, "-o", "size=3", "-o", "opening=fixed")
SAID = {"take white": "Take White", "take black": "Take Black"}
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


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(words, id=words[0], marks=() if words[0] == "strands" else pytest.mark.long)
        for words in (
            ("stigmergy", "-o", "size=3"),
            ("tumpletore", "-o", "size=3"),
            ("tumbleweed", "-o", "size=3"),
            ("strands", "-o", "size=3", "-o", "layout=rings"),
        )
    ],
)
async def test_a_relative_is_played_to_its_end_at_the_page(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    """Stones go on the first cell with a dot; where none may, the first word but giving up."""
    async with (
        hosted(tmp_path, "play", words[0], *PEOPLE, *words[1:]) as host,
        visiting([host.owner_url]) as [visit],
    ):
        await visit.until("() => window.haveHands || !window.needsHands")
        await visit.until(
            "() => document.querySelector('#turn').dataset.tone === 'calm'"
            " && document.querySelectorAll('.ghost').length === 0"
        )
        view = await visit.view()
        for number in range(1, 60):
            (side,) = view["to_move"]
            said = [word for word in view["words"][side] if word != "resign"]
            if view["legal"]["place"]:
                cell = view["game"]["names"][view["legal"]["place"][0]]
                x, y = await visit.middle(f'.cell[data-name="{cell}"]')
                await visit.page.mouse.click(x, y)
            else:
                name = SAID.get(said[0], "Pass")
                button = visit.page.locator("#answers").get_by_role("button", name=name)
                await button.click()
                if name not in SAID.values():
                    await button.click()
            await visit.moves(number)
            await visit.until(
                "n => window.shownView >= n && document.querySelectorAll('.ghost').length === 0",
                view["v"],
            )
            view = await visit.view()
            if view["outcome"] is not None:
                break
        assert view["outcome"] is not None
        assert number >= len(view["game"]["names"]) - 8
