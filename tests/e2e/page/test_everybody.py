"""The page for everybody: axe finds nothing, cells have one name each, fingers find all buttons,
nothing is cut off by long words, and what stands on the board is seen in every theme.

Views of all kinds of states (tests/support/page_gallery.py) are shown to one page after the other.
A plain run tries every sixth, each in another theme; --all tries them all.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from browser import Visit, shown
from lumiban import i18n
from lumiban.scene.themes import THEMES
from page_gallery import CLOCKS, GalleryTable, Scene, lessons, scenes
from places import ROOT

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

AXE = ROOT / "host/lumiban/web/node_modules" / "axe-core" / "axe.min.js"
BOARDS = ("hex3", "grid9x9", "grid13x14")
DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
SMALL_PHONE = {"width": 360, "height": 640}
CLOCKED = {"clock": CLOCKS}
RUN = """async (colours) => {
    const rules = { "color-contrast": { enabled: colours } };
    const { violations } = await axe.run(document, { resultTypes: ["violations"], rules });
    return violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 3).map((node) =>
        node.html.slice(0, 160))]);
}"""
NAMES = """() => [...document.querySelectorAll('#board [role=gridcell]')].map((cell) =>
    [cell.dataset.name, cell.getAttribute('aria-label'), cell.closest('[role=row]') !== null])"""
TARGETS = """() => {
    const all = 'a[href], button, select, input, textarea, summary, [role=button], [role=gridcell]';
    const small = [];
    for (const one of document.querySelectorAll(all)) {
        if (one.id === 'skip' || !one.checkVisibility({ visibilityProperty: true })) continue;
        const label = one.matches('input') ? one.closest('label') : null;
        const at = one.querySelector('.edge') ?? label;
        const { width, height } = (at ?? one).getBoundingClientRect();
        // A board of many cells gives way to long words; test_page.py holds it to 44 px.
        const least = one.getAttribute('role') === 'gridcell' ? 35.5 : 43.5;
        if (width < least || height < least) {
            small.push([one.getAttribute('role') ?? one.localName, one.id, one.textContent.trim(),
                Math.round(width), Math.round(height)]);
        }
    }
    return small;
}"""
CUT = """() => {
    const cut = [];
    const wide = document.documentElement.clientWidth;
    for (const one of document.querySelectorAll('body *')) {
        if (one.closest('svg, .unseen, #skip, select')) continue;
        if (!one.checkVisibility({ visibilityProperty: true })) continue;
        const { left, right, width } = one.getBoundingClientRect();
        const style = getComputedStyle(one);
        if (style.clipPath !== 'none') continue;  // heard, not seen
        const scrolls = ['auto', 'scroll'];
        const mine = () => [one.localName, one.id, one.textContent.trim().slice(0, 40)];
        if (width && (right > wide + 1 || left < -1)) cut.push(['outside', ...mine()]);
        const dotted = style.textOverflow === 'ellipsis';
        const leaf = !one.children.length && style.display !== 'inline' && !dotted;
        const isWider = one.clientWidth && one.scrollWidth > one.clientWidth + 1;
        if (leaf && isWider && !scrolls.includes(style.overflowX)) {
            cut.push(['wider', ...mine()]);
        }
        const isTaller = one.id === 'sentence' && one.scrollHeight > one.clientHeight + 1;
        if (isTaller) cut.push(['taller', ...mine()]);
    }
    return cut;
}"""


@pytest.fixture
def every(request: pytest.FixtureRequest) -> int:
    """One scene of so many is tried: all of them in --all."""
    return 1 if request.config.getoption("--all") else 6


@asynccontextmanager
async def gallery(board: str) -> AsyncIterator[tuple[Visit, GalleryTable, list[Scene]]]:
    """A page that shows any scene of a board."""
    mine = [scene for scene in scenes() if scene.board == board]
    table = GalleryTable(scene=mine[0])
    async with shown(table) as visit:
        yield visit, table, mine


async def show(visit: Visit, table: GalleryTable, scene: Scene, **more: Any) -> None:
    """Show a scene and wait until it is drawn."""
    table.tell(scene, **more)
    await visit.drawn(table.shown)


@pytest.mark.parametrize("board", BOARDS)
async def test_axe_finds_nothing_and_every_cell_has_one_name(board: str, every: int) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm ci --prefix host/lumiban/web")
    async with gallery(board) as (visit, table, mine):
        await visit.page.evaluate(AXE.read_text("utf-8"))
        for n, scene in enumerate(mine[::every]):
            more = CLOCKED if n % 2 else {}
            await show(visit, table, scene, theme=[*THEMES][n % len(THEMES)], **more)
            # Colours once a board: they are the same in all states, and take most of the time.
            assert await visit.page.evaluate(RUN, n == 0) == [], scene.state
            told = await visit.page.evaluate(NAMES)
            assert [name for name, _, _ in told] == sorted(
                {name for name, _, _ in told}, key=[name for name, _, _ in told].index
            )
            assert len(told) == len(scene.view["game"]["cells"])
            for name, label, is_in_a_row in told:
                assert label.split(",")[0] == name, label
                assert is_in_a_row
        # By day too: a game that is over and one that goes on, with clocks.
        await visit.page.emulate_media(color_scheme="light")
        over = [scene for scene in mine if "over" in scene.state]
        for scene in (over or mine)[-1], mine[0]:
            await show(visit, table, scene, theme="standard", **CLOCKED)
            assert await visit.page.evaluate(RUN, True) == [], ("light", scene.state)
        for opener in ("#open-help", "#new-game"):
            await visit.page.click(opener)
            assert await visit.page.evaluate(RUN, True) == [], opener
            await visit.page.keyboard.press("Escape")
        if board == "grid13x14":
            assert await visit.page.is_visible("#calc-groups"), "the calculator was looked at too"
        # Within a lesson: one step of each game's, every step in --all.
        for n, game in enumerate(dict.fromkeys(scene.game for scene in mine)):
            calm = next(scene for scene in mine if scene.game == game)
            steps = lessons(game)
            for lesson in steps if every == 1 else steps[n : n + 1]:
                await show(visit, table, calm, lesson=lesson)
                assert await visit.page.is_visible("#lesson-title")
                assert await visit.page.evaluate(RUN, n == 0) == [], ("lesson", lesson)
        await show(visit, table, mine[0])
        if await visit.page.is_visible("#open-setup"):
            await visit.settings()
            await visit.page.click("#open-setup")
            assert await visit.page.evaluate(RUN, True) == [], "a position is set up"


async def test_a_finger_finds_every_button_and_nothing_is_cut_off_by_long_words(every: int) -> None:
    pseudo = {id: _lengthened(text) for id, text in i18n.texts("en").items()}
    async with gallery("hex3") as (visit, table, mine):
        await visit.page.route(
            "**/api/texts*",
            lambda route: route.fulfill(body=json.dumps(pseudo), content_type="application/json"),
        )
        found: dict[str, Any] = {}
        for room in (DESKTOP, PHONE, SMALL_PHONE):
            await visit.page.set_viewport_size(room)
            await visit.page.reload()
            await visit.page.wait_for_selector("#board .cell[role=gridcell]")
            for n, scene in enumerate(mine[::every]):
                await show(visit, table, scene, **(CLOCKED if n % 2 else {}))
                for one in await visit.page.evaluate(f"() => [...({TARGETS})(), ...({CUT})()]"):
                    found.setdefault(str(one), (room["width"], scene.state))
            for lesson in lessons(mine[0].game)[:: every // 2 or 1]:
                await show(visit, table, mine[0], lesson=lesson)
                for one in await visit.page.evaluate(f"() => [...({TARGETS})(), ...({CUT})()]"):
                    found.setdefault(str(one), (room["width"], "lesson", lesson["step"]))
            await show(visit, table, mine[-1])
            if room is not DESKTOP:
                await visit.page.click("#open-drawer")
                for one in await visit.page.evaluate(f"() => [...({TARGETS})(), ...({CUT})()]"):
                    found.setdefault(str(one), (room["width"], "drawer"))
        assert not found, "\n".join(f"{one}: {where}" for one, where in found.items())


def _lengthened(text: str) -> str:
    """A sentence half as long again, of one language with words as long as any."""
    words = []
    for word in text.split(" "):
        is_plain = not set(word) & set("{}")
        words.append(word + word[: (len(word) + 1) // 2] if is_plain else word)
    return " ".join(words)


HIDE = """(rules) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rules);
    document.adoptedStyleSheets = [sheet];
}"""
MEASURE = """async ([png, selector]) => {
    const bytes = Uint8Array.from(atob(png), (c) => c.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext('2d');
    context.drawImage(bitmap, 0, 0);
    const linear = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const light = (r, g, b) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const worst = {};
    for (const one of document.querySelectorAll(selector)) {
        const box = one.getBoundingClientRect();
        if (!box.width || !box.height) continue;
        const style = getComputedStyle(one);
        const paint = style.fill === 'none' ? style.stroke : style.fill;
        const rgb = paint.match(/[\\d.]+/g)?.map(Number);
        if (!rgb || rgb.length < 3) continue;
        const own = light(...rgb);
        // A mark lies on a dark case of its own, through which a fifth of the ground shines.
        const isCased = one.previousElementSibling?.matches('.mark-case') ?? false;
        const under = (v, dark) => isCased ? 0.8 * dark + 0.2 * v : v;
        const [x, y] = [Math.max(0, box.left), Math.max(0, box.top)];
        const [width, height] = [box.width, box.height].map((v) => Math.max(1, v));
        const { data } = context.getImageData(x, y, width, height);
        const found = [];
        for (let i = 0; i < data.length; i += 4) {
            const ground = [under(data[i], 15), under(data[i + 1], 12), under(data[i + 2], 10)];
            found.push(ratio(own, light(...ground)));
        }
        found.sort((a, b) => a - b);
        const name = one.getAttribute('class') || one.parentNode.getAttribute('class');
        const least = found[Math.floor(found.length / 10)];
        worst[name] = Math.min(worst[name] ?? 99, Math.round(least * 10) / 10);
    }
    return worst;
}"""


async def _contrasts(visit: Visit, selector: str) -> dict[str, float]:
    """The least contrast of what fits a selector, against the pixels that lie below it."""
    await visit.page.evaluate(HIDE, f"{selector} {{ visibility: hidden !important }}")
    below = await visit.page.screenshot()
    await visit.page.evaluate(HIDE, "")
    told: dict[str, float] = await visit.page.evaluate(
        MEASURE, [b64encode(below).decode(), selector]
    )
    return told


async def test_what_is_written_and_marked_on_the_board_is_seen() -> None:
    async with gallery("hex3") as (visit, table, mine):
        refused = next(scene for scene in mine if scene.state[0] == "refuse")
        await visit.settings()
        await visit.page.check("#labels")
        await visit.page.keyboard.press("Escape")
        assert await visit.page.is_hidden("#settings")
        for theme in THEMES:
            await show(visit, table, refused, theme=theme, hint="control")
            written = await _contrasts(visit, "#board .labels text, #board .bowl-place text")
            assert set(written) >= {"name", "who", "labels"}
            assert min(written.values()) >= 7, (theme, written)
            marks = await _contrasts(visit, "#board .marks :is(path, circle):not(.mark-case)")
            assert marks
            assert min(marks.values()) >= 3, (theme, marks)
