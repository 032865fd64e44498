"""Somebody new who hears the page and sees nothing of it plays its first turns: by roles and names
of the accessibility tree, by keys, and by what is read aloud."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from browser import Visit, hosted, visiting

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

AGAINST = ("--new", "--first", "human", "--second", "bot:gentle")
SMALL = ("-o", "size=2")
OVER = (" win", "Draw")
NAMES = re.compile(r"\b[a-z]\d+\b")


async def heading(visit: Visit) -> str:
    """What the page says in large."""
    text: str = await visit.page.get_by_role("heading", level=1).inner_text()
    return text


async def where_to_play(visit: Visit) -> list[str]:
    """The cells that the key L reads, without those that may be taken."""
    await visit.page.evaluate("document.querySelector('#said').textContent = ''")
    await visit.page.keyboard.press("l")
    await visit.until("() => document.querySelector('#said').textContent !== ''")
    told: str = await visit.page.inner_text("#said")
    placing = [one for one in told.split(". ") if "place on" in one]
    return NAMES.findall(placing[0]) if placing else []


async def take_a_turn(visit: Visit) -> None:
    """Play where the page says that one may, or press the button that it offers."""
    drop = visit.page.get_by_role("button", name="Drop", exact=True)
    if await drop.count() and await drop.first.is_visible():
        await visit.page.keyboard.press("ArrowLeft")
        await drop.first.press("Enter")
        return
    cells = await where_to_play(visit)
    assert cells, await heading(visit)
    name = cells[len(cells) // 2]
    cell = visit.page.get_by_role("gridcell", name=re.compile(rf"^{name}, "))
    await cell.focus()
    await cell.press("Enter")


async def play(visit: Visit, most: int) -> tuple[int, bool]:
    """Up to so many turns; how many there were, and whether the game is over."""
    for turns in range(most):
        await visit.until(
            """() => {
                const said = document.querySelector('h1').textContent;
                const waits = document.querySelector('#turn').dataset.tone !== 'calm'
                    || document.querySelectorAll('.ghost').length;
                return / win|Draw/.test(said) || (said === 'Your turn' && !waits);
            }"""
        )
        told = await heading(visit)
        if any(word in told for word in OVER):
            return turns, True
        before = len((await visit.view())["moves"])
        await take_a_turn(visit)
        await visit.until(
            """before => document.querySelectorAll('#moves button').length > before
                || / win|Draw/.test(document.querySelector('h1').textContent)""",
            before,
        )
    return most, False


async def test_a_newcomer_who_only_hears_plays_the_first_turns(tmp_path: Path) -> None:
    words = ("play", "control", *SMALL, *AGAINST)
    async with hosted(tmp_path, *words) as host, visiting([host.url]) as [visit]:
        assert await play(visit, 2) == (2, False)
        # The bot's answer was read too, and what stands where is read on a key.
        await visit.until("() => document.querySelector('#moves').children.length >= 4")
        await visit.page.keyboard.press("b")
        await visit.until(
            "() => /White: .*Black: /.test(document.querySelector('#said').textContent)"
        )
