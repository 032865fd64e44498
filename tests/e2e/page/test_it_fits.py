"""All of the page is seen at the sizes of windows that people have, in every phase and language:
nothing is cut off, lies outside or under something else, or scrolls without a sign, and no two
controls lie on each other.

A plain run looks at each size with some phases in one language, on a phone at each board in a
lesson that refuses or waits and at what is asked; --all tries them all in both.
"""

from __future__ import annotations

from typing import Any

import pytest
from browser import DRAWN, shown
from page_gallery import CLOCKS, GalleryTable, Scene, lessons, scene_of, scenes

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

BOARDS = ("hex3", "grid9x9", "grid13x14")
SIZES = ((1440, 900), (1366, 768), (1280, 720), (960, 600), (390, 844))
UNSEEN = """() => {
    const found = [];
    const [wide, high] = [innerWidth, innerHeight];
    const all = 'h1, h2, p, td, th, dd, dt, li, a, button, select, input, label, output, summary';
    const top = document.querySelector('dialog[open], :popover-open') ?? document.body;
    for (const one of top.querySelectorAll(`${all}, #board .bowl-place text`)) {
        if (one.closest('.unseen, #skip, [role=grid]')) continue;
        if (!one.checkVisibility({ visibilityProperty: true })) continue;
        const style = getComputedStyle(one);
        const box = one.getBoundingClientRect();
        if (style.clipPath !== 'none' || !box.width || !box.height) continue;
        const said = () => one.textContent.trim().replace(/\\s+/g, ' ').slice(0, 40);
        const tell = (what) => found.push([what, one.localName, one.id, said()].join(' '));
        let scrolled = false;
        for (let over = one; over && over !== document.documentElement; over = over.parentElement) {
            const { overflow, display } = getComputedStyle(over);
            if (overflow === 'visible' || display === 'contents') continue;
            const edge = over === one ? null : over.getBoundingClientRect();
            const cut = over === one
                ? one.scrollHeight > one.clientHeight + 2 && one.clientHeight > 0
                    && !one.children.length
                : box.top < edge.top - 2 || box.bottom > edge.bottom + 2;
            const wider = over === one
                ? one.scrollWidth > one.clientWidth + 1 && style.textOverflow !== 'ellipsis'
                    && !one.matches('select, input, button')
                : box.left < edge.left - 2 || box.right > edge.right + 2;
            const { textOverflow, webkitLineClamp } = getComputedStyle(over);
            const dotted = textOverflow === 'ellipsis' || webkitLineClamp !== 'none';
            const is_cut = (cut || wider) && !dotted && !one.matches('svg *');
            if (cut && over.dataset.more) scrolled = true;
            else if (is_cut && over !== document.body) tell(`cut by ${over.id || over.className}`);
            if (cut || wider) break;
        }
        const app = document.querySelector('#app');
        const goes_on = app.dataset.more === 'below' && app.contains(one);
        if (scrolled || (goes_on && box.bottom > high - 100)) continue;
        const is_aside = box.left < -1 || box.right > wide + 1;
        if (is_aside || box.top < -1 || box.bottom > high + 1) tell('outside');
        else if (style.pointerEvents !== 'none' || one.matches('svg *')) {
            const at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
            const is_seen = one.matches('svg *') ? at?.closest('#stage, #clocks')
                : !at || one.contains(at) || at.contains(one);
            if (!is_seen) {
                tell(`covered by ${at?.id || at?.localName}`);
            }
        }
    }
    return found;
}"""


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
    return lying;
}"""
BANNER = """(is_told) => {
    const banner = document.querySelector('#banner');
    banner.hidden = !is_told;
    banner.textContent = 'Another page plays here. This one watches until it takes over.';
}"""


LOOK = f"() => [...({UNSEEN})(), ...({OVERLAPS})()]"


def phases(board: str) -> list[tuple[Scene, dict[str, Any]]]:
    """Scenes of all phases on a board, with what a host adds: clocks, or a step of a lesson."""
    mine = [scene for scene in scenes() if scene.board == board]
    clocked = [(scene, {"clock": CLOCKS} if n % 3 == 2 else {}) for n, scene in enumerate(mine)]
    taught = {scene.game: scene for scene in mine if "over" not in scene.state}
    steps = [(one, {"lesson": step}) for one in taught.values() for step in lessons(one.game)[:3]]
    return [*clocked, *steps]


def is_crowded(scene: Scene, more: dict[str, Any]) -> bool:
    """True for what takes most of a phone: a lesson's widest row of buttons, or a question."""
    return bool(more.get("lesson", {}).get("words")) or scene.state[1] == "table.markers-lift"


@pytest.mark.timeout(600)  # with --all some 300 views at each size
@pytest.mark.parametrize("size", SIZES)
async def test_nothing_is_cut_covered_or_hidden_without_a_sign(
    size: tuple[int, int], request: pytest.FixtureRequest
) -> None:
    width, height = size
    n = SIZES.index(size)
    is_whole = request.config.getoption("--all")
    is_phone = width < 900
    touch = {"has_touch": True, "is_mobile": True} if is_phone else {}
    context = {"viewport": {"width": width, "height": height}, **touch}
    found: dict[str, str] = {}
    for language in ("en", "ja") if is_whole else (("ja", "en")[n % 2],):
        for board in BOARDS if is_whole or is_phone else (BOARDS[n % len(BOARDS)],):
            table = GalleryTable(scene=phases(board)[0][0])
            looked = phases(board)
            if not is_whole:
                crowded = [one for one in looked if is_crowded(*one)] if is_phone else []
                looked = looked[n::6] + crowded
            async with shown(table, f"?lang={language}", **context) as visit:
                for at, (scene, more) in enumerate(looked):
                    table.tell(scene, **more)
                    await visit.drawn(table.shown)
                    await visit.page.evaluate(BANNER, at % 2 == 1)
                    await visit.page.evaluate(DRAWN)
                    for one in await visit.page.evaluate(LOOK):
                        found.setdefault(one, f"{language} {scene.game} {scene.state} {list(more)}")
                table.tell(phases(board)[0][0])
                await visit.drawn(table.shown)
                await visit.page.click("#open-settings")
                await visit.page.evaluate(DRAWN)
                for one in await visit.page.evaluate(LOOK):
                    found.setdefault(one, f"{language} settings")
    assert not found, "\n".join(f"{one}: {where}" for one, where in found.items())


@pytest.mark.parametrize("game", ["rengi", "chain-power"])
async def test_nothing_lies_on_what_steers_a_pair_on_a_phone_that_lies_down(game: str) -> None:
    lying = {"viewport": {"width": 844, "height": 390}, "has_touch": True, "is_mobile": True}
    scene = scene_of(game, "calm")
    table = GalleryTable(scene=scene)
    table.tell(scene, clock=CLOCKS)
    async with shown(table, **lying) as visit:
        await visit.drawn(table.shown)
        found = await visit.page.evaluate(LOOK)
        assert not [one for one in found if "covered by" in one or " and " in one]
