"""No two controls of the page lie on each other: every pair of window, language, game and kind of
state, chosen pairwise (tests/support/page_pictures.py).

A plain run tries every tenth, --all tries them all.
"""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

import pytest
from browser import Visit, shown
from page_gallery import CLOCKS, GalleryTable
from page_pictures import SIZES, Row, pairwise, scene_of

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

OVERLAPS = """() => {
    const all = 'a[href], button, select, textarea, summary, input, #clocks li, .race, .timeout';
    const seen = [];
    for (const one of document.querySelectorAll(all)) {
        if (one.closest('#skip, .unseen, #board')) continue;
        if (!one.checkVisibility({ visibilityProperty: true })) continue;
        const shown = one.getBoundingClientRect();
        let [left, top, right, bottom] = [shown.left, shown.top, shown.right, shown.bottom];
        let layer = 'page';
        for (let up = one; up; up = up.parentElement) {
            const style = getComputedStyle(up);
            // What is fixed lies over what scrolls below it, on purpose.
            if (style.position === 'fixed') layer = up.id;
            if (style.position === 'sticky') layer = 'sticky';
            if (up === one || style.overflow === 'visible') continue;
            const room = up.getBoundingClientRect();
            left = Math.max(left, room.left);
            top = Math.max(top, room.top);
            right = Math.min(right, room.right);
            bottom = Math.min(bottom, room.bottom);
        }
        right = Math.min(right, innerWidth);
        bottom = Math.min(bottom, innerHeight);
        if (right - left < 2 || bottom - top < 2) continue;
        seen.push({ one, layer, left, top, right, bottom });
    }
    const name = ({ one }) =>
        `${one.localName}${one.id && '#'}${one.id} "${one.textContent.trim().slice(0, 30)}"`;
    const lying = [];
    seen.forEach((a, i) => {
        for (const b of seen.slice(i + 1)) {
            if (a.one.contains(b.one) || b.one.contains(a.one) || a.layer !== b.layer) continue;
            const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            if (wide > 1 && high > 1) lying.push(`${name(a)} and ${name(b)}`);
        }
    });
    return [seen.length, lying];
}"""
AT_REST = "() => document.querySelector('#drawer').getAnimations().length === 0"


async def set_up(visit: Visit, table: GalleryTable, row: Row) -> None:
    """Show what a row wants."""
    size, theme, language, _, game, state = row
    width, height = SIZES[size]
    await visit.page.set_viewport_size({"width": width, "height": height})
    await visit.page.evaluate("document.querySelector('#drawer').removeAttribute('data-open')")
    scene = scene_of(game, state)
    table.tell(scene, theme=theme, **({"clock": CLOCKS} if state == "clock" else {}))
    # A drawer that is closed has no choice of languages in sight.
    await visit.page.evaluate(
        """(language) => {
            const choice = document.querySelector('#language');
            choice.value = language;
            choice.dispatchEvent(new Event('change', { bubbles: true }));
        }""",
        language,
    )
    await visit.until("language => document.documentElement.lang === language", language)
    await visit.drawn(table.shown)


async def test_no_two_controls_lie_on_each_other(request: pytest.FixtureRequest) -> None:
    every = 1 if request.config.getoption("--all") else 10
    worst = ("laptop", "standard", "en", "dark", "evening", "clock")
    rows = [worst, *pairwise()[::every]]
    found: dict[str, Row] = {}
    async with AsyncExitStack() as stack:
        pages: dict[str, tuple[Visit, GalleryTable]] = {}
        for row in rows:
            board = scene_of(row[4], row[5]).board
            if board not in pages:
                table = GalleryTable(scene=scene_of(row[4], row[5]))
                pages[board] = await stack.enter_async_context(shown(table)), table
            visit, table = pages[board]
            await set_up(visit, table, row)
            openings: list[Any] = [None] if SIZES[row[0]][0] >= 1024 else [None, "#open-drawer"]
            for opening in openings:
                if opening:
                    await visit.page.click(opening)
                    await visit.until(AT_REST)
                count, lying = await visit.page.evaluate(OVERLAPS)
                assert count > 0, row
                for pair in lying:
                    found.setdefault(pair, row)
    assert not found, "\n".join(f"{pair}: {row}" for pair, row in found.items())


async def test_no_drawer_lies_on_what_drops_a_pair_beside_a_clock() -> None:
    row = ("lying", "standard", "en", "dark", "rengi", "clock")
    async with shown(table := GalleryTable(scene=scene_of("rengi", "clock"))) as visit:
        await set_up(visit, table, row)
        await visit.until(AT_REST)
        drop = await visit.page.locator("#rengi-pad [data-act=drop]").bounding_box()
        drawer = await visit.page.locator("#handle").bounding_box()
        assert drop["y"] + drop["height"] <= drawer["y"]
