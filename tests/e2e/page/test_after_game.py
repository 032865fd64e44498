"""After a game, on its page and among the finished games: other moves, continued, shared, and gone
through by the coach."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import Visit, hosted, visiting
from e2e.page.test_everybody import AXE, CUT, DESKTOP, PHONE, RUN, TARGETS
from library_games import fill
from sentences import sentence

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PEOPLE = ("--first", "human", "--second", "human")
TABLE = ("play", "control", "--new", "-o", "size=2", *PEOPLE)
PUZZLES = """() => {
    document.querySelector('#open-home').click();
    document.querySelector('#home-puzzle').click();
    document.querySelector('[data-game=control]').click();
}"""
COPIES = "navigator.clipboard.writeText = async text => { window.copied = text }"


async def tried(visit: Visit, place: str, moves: int, n: int) -> str:
    """Wait until the page tells so many moves tried after `n` of the game; what it tells."""
    start = sentence("page.try.after", n=n) if n else sentence("page.try.first")
    begin = sentence("page.try.begin", start=start)
    shown = sentence("page.try.shown", start=start, line="…")
    shown = shown.partition("…")[0]
    await visit.until(
        """([place, moves, begin, shown]) => {
            const text = document.querySelector(place).textContent;
            const line = text.slice(shown.length).split(', ');
            return moves ? text.startsWith(shown) && line.length === moves : text === begin;
        }""",
        [place, moves, begin, shown],
    )
    await visit.until("() => document.querySelector('#trial select')")  # what may follow is known
    text: str = await visit.page.inner_text(place)
    return text


async def for_everybody(visit: Visit) -> None:
    """Nothing that axe finds, a finger misses, or a window cuts off, on a desktop and a phone."""
    for size in (DESKTOP, PHONE):
        await visit.page.set_viewport_size(size)
        assert await visit.page.evaluate(TARGETS) == [], size
        assert await visit.page.evaluate(CUT) == [], size
        if AXE.exists():
            await visit.page.evaluate(AXE.read_text("utf-8"))
            assert await visit.page.evaluate(RUN, size is DESKTOP) == [], size
    await visit.page.set_viewport_size(DESKTOP)


async def tap_picture(visit: Visit, x: float, y: float) -> None:
    """Tap the picture of the board, at these shares of its width and height."""
    box = await visit.page.locator("#replay-board").bounding_box()
    side = min(box["width"], box["height"])
    left, top = box["x"] + (box["width"] - side) / 2, box["y"] + (box["height"] - side) / 2
    await visit.page.mouse.click(left + x * side, top + y * side)


async def test_a_finished_game_is_tried_continued_shared_and_gone_through(tmp_path: Path) -> None:
    name = fill(tmp_path, 1)[0]
    async with hosted(tmp_path, *TABLE) as host, visiting([host.url]) as [visit]:
        page, library = visit.page, f"{host.url.rstrip('/')}/library"
        await page.goto(f"{library}#{name}")
        await visit.until("() => document.querySelector('#replay-board').naturalWidth > 0")
        await page.click('[data-step="first"]')
        # Among the finished games: a tap on the picture, then the list, back again, and enough.
        await page.click("#try")
        await tried(visit, "#trial-told", 0, 0)
        assert await page.is_hidden("#replay-acts")
        await tap_picture(visit, 0.36, 0.27)
        first = await tried(visit, "#trial-told", 1, 0)
        assert first in await page.get_attribute("#replay-board", "alt")
        await for_everybody(visit)
        await page.click("#trial button:last-child")
        await tried(visit, "#trial-told", 2, 0)
        await page.keyboard.press("ArrowLeft")
        assert await tried(visit, "#trial-told", 1, 0) == first
        await page.click("#try-end")
        assert await page.is_hidden("#trying")
        assert await page.inner_text("#replay-at") == f"0 / {await moves_of(visit)}"
        # Continued at the table, and given up there.
        await page.click('[data-step="on"]')
        await page.click("#continue")
        await visit.until("() => location.pathname === '/'")
        assert len(await visit.moves(1)) == 1
        await page.click(f"#words button:has-text('{sentence('word.resign')}')")
        await page.click("#words button.sure")
        await visit.until("() => !document.querySelector('#after').hidden")
        # At the table: a tap on its board, and back.
        await page.keyboard.press("ArrowLeft")
        await page.click(f"#answers button:text-is('{sentence('page.try')}')")
        await tried(visit, "#sentence", 0, 1)
        await page.click("#board .cell[role=gridcell] >> nth=0")
        await tried(visit, "#sentence", 1, 1)
        await page.click(f"#answers button:text-is('{sentence('page.try.end')}')")
        assert await page.is_hidden("#trial")
        # Shared from there; whoever opens the link sees the game that was continued.
        await page.evaluate(COPIES)
        await page.click("#share")
        await visit.until("() => window.copied")
        assert await page.inner_text("#share-told") == sentence("page.library.share.copied")
        # The coach: a graph of all positions, and the same as a table.
        await page.click("#review-ask")
        done = sentence("page.review.done")
        await visit.until("t => document.querySelector('#review-status').textContent === t", done)
        count = len((await visit.view())["moves"])
        assert await page.get_attribute("#review .graph", "aria-valuemax") == str(count)
        assert await page.locator("#review tbody tr").count() == count + 1
        await for_everybody(visit)
        await page.focus("#review .graph")
        await page.keyboard.press("Home")
        assert await page.get_attribute("#review .graph", "aria-valuenow") == "0"
        link = await page.evaluate("window.copied")
        # A puzzle, chosen by its game's picture.
        await page.evaluate(PUZZLES)
        puzzle = sentence("lesson.puzzle.title", n=1)
        await visit.until("t => document.querySelector('#lesson-title').textContent === t", puzzle)
        await for_everybody(visit)
        await page.goto(link)
        await visit.until("() => document.querySelector('#replay-board').naturalWidth > 0")
        assert await moves_of(visit) == count


async def moves_of(visit: Visit) -> int:
    count: int = await visit.page.locator("#replay-moves button").count()
    return count
