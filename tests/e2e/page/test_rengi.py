"""Rengi at the page in a real browser: markers by mouse, the pair by keys, pad, calculator."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from browser import DRAWN, Visit, hosted, shown, visiting
from page_gallery import CLOCKS, GalleryTable, scene_of
from places import TESTS

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

BEGINS = ("-o", "begins=first", "--clock", "none")
"""Without a clock, which would run on while a busy computer draws the page."""
LIST = ("-o", "list=RB,YG", "-o", "mode=free", "-o", "supply=loop", *BEGINS)
PEOPLE = ("play", "rengi", "--new", "--first", "human", "--second", "human", *LIST)
FREE = (
    "play",
    "rengi",
    "--new",
    "--first",
    "human",
    "--second",
    "human",
    "-o",
    "mode=free",
    *BEGINS,
)
AGAINST = ("play", "rengi", "--new", "--second", "bot:easy", *LIST)


def at(name: str) -> str:
    return f'.cell[data-name="{name}"]'


async def tap(visit: Visit, name: str) -> None:
    await visit.page.mouse.click(*await visit.middle(at(name)))


async def stones(visit: Visit, count: int) -> None:
    await visit.until(
        "n => document.querySelectorAll('.stones .stone:not(.gone)').length === n", count
    )


async def drawn(visit: Visit, meaning: str, count: int) -> None:
    await visit.until(
        "([m, n]) => document.querySelectorAll(`.mark-${m}`).length === n", [meaning, count]
    )


async def test_a_hand_is_made_with_two_markers_by_mouse(tmp_path: Path) -> None:
    async with hosted(tmp_path, *PEOPLE) as host, visiting([host.url]) as [visit]:
        await tap(visit, "c5")
        await drawn(visit, "landing-r", 1)
        await tap(visit, "d5")
        await drawn(visit, "landing-b", 1)
        await visit.until(
            "() => document.querySelector('#sentence').textContent.startsWith('RB3.1?')"
        )
        await tap(visit, "c5")
        await stones(visit, 1)
        await tap(visit, "d5")
        assert await visit.moves(1) == ["RB3.1"]
        # The second player's stone is black, in its own field; one too far away is refused.
        await tap(visit, "h5")
        await stones(visit, 1)
        await tap(visit, "l5")
        await visit.until("() => document.querySelector('#turn').dataset.tone === 'error'")
        await drawn(visit, "astray", 1)


async def test_a_hand_is_made_by_keys_and_the_bot_answers_in_light(tmp_path: Path) -> None:
    async with hosted(tmp_path, *AGAINST) as host, visiting([host.url]) as [visit]:
        await visit.until("() => !document.querySelector('#rengi-pad').hidden")
        for key in ("ArrowRight", "x", "x", "ArrowLeft", "z"):
            await visit.page.keyboard.press(key)
        await visit.until("() => document.querySelectorAll('.rengi-aim .block.aim').length === 2")
        await visit.page.keyboard.press("Space")
        moves = await visit.moves(2)
        assert moves[0] == "RB3.1"
        assert (await visit.view())["sensed"] == [0] * 182
        # Taken back by the button that every game has: there is no second one.
        await visit.my_turn()
        await visit.page.get_by_role("button", name="Take back").click()
        await visit.until("() => document.querySelectorAll('#moves button').length === 0")


async def test_colours_are_chosen_on_the_pad_and_columns_end_at_the_edge(tmp_path: Path) -> None:
    async with hosted(tmp_path, *FREE) as host, visiting([host.url]) as [visit]:
        await visit.page.click('[data-colour="Y"]')
        await visit.page.click('[data-colour="G"]')
        for _ in range(7):
            await visit.page.click('#rengi-pad [data-act="left"]')
        await visit.page.click('#rengi-pad [data-act="drop"]')
        assert await visit.moves(1) == ["YG1.0"]


OPEN = ("play", "rengi", "--new", "--first", "human", "--second", "human", *BEGINS)
BETWEEN = """() => {
    const fields = [...document.querySelectorAll('.field-frame rect')];
    const [left, right] = fields.map((one) => one.getBoundingClientRect());
    const blocks = [...document.querySelectorAll('#rengi-loop [data-role]')];
    const boxes = blocks.map((block) => block.getBoundingClientRect());
    const cells = [...document.querySelectorAll('#board .cell .hit')];
    const covered = boxes.filter((box) => cells.some((cell) => {
        const at = cell.getBoundingClientRect();
        return box.left < at.right - 1 && at.left < box.right - 1
            && box.top < at.bottom - 1 && at.top < box.bottom - 1;
    }));
    return [boxes.filter((box) => box.width > 4 && box.left > left.right - 1
        && box.right < right.left + 1 && box.top > left.top - 9 && box.bottom < left.bottom + 9
        && box.bottom < innerHeight).length, covered.length];
}"""
"""How many blocks of the loop stand whole between the fields, and how many on a cell."""
PAIRS = ["RB", "YG", "RR", "BY", "GR", "YB", "BB", "GY", "RG", "YY", "GB", "RY"]
WINDOWS = ((1920, 1080), (1440, 900), (1024, 768), (844, 390), (390, 844), (360, 740))
CLIPPED = """() => {
    const all = '#rengi-sides li, #rengi-sides .forecast dd, #rengi-sides .points dd, '
        + '#rengi-sides .digits, #calc-length, #calc-points, #calc-ojama, #rengi-pad button';
    const out = [...document.querySelectorAll(all)].filter((one) => {
        const { left, right, top, bottom, width } = one.getBoundingClientRect();
        const middle = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
        return !width || left < 0 || right > innerWidth || top < 0 || bottom > innerHeight
            || !(one.contains(middle) || middle?.contains(one));
    }).map((one) => one.id || one.className || one.textContent);
    const buttons = [...document.querySelectorAll('#rengi-pad button, #rengi-calc button')];
    out.push(...buttons.map((one) => one.getBoundingClientRect())
        .filter(({ width, height }) => width && Math.min(width, height) < 43.5).map(() => 'small'));
    const cells = document.querySelector('#board .cells').getBoundingClientRect();
    const isCut = cells.left < -1 || cells.right > innerWidth + 1 || cells.bottom > innerHeight;
    return [...out, ...(isCut ? ['board'] : []),
        ...(document.documentElement.scrollWidth > innerWidth ? ['page'] : [])];
}"""
"""What of Rengi's screen is cut off, or lies behind something else."""


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_fields_loop_forecast_and_calculator_are_whole_in_every_window(language: str) -> None:
    scene = scene_of("rengi", "calm")
    table = GalleryTable(scene=scene)
    lit = scene.view["lit"] | {
        "loop": {"pairs": PAIRS, "size": 12, "places": [1, 0]},
        "forecast": [[12, 110], [0, 88]],
        "points": [10_120, 88_120],
    }
    seats = [{"side": side, "who": "human", "thinking": False} for side in (0, 1)]
    table.tell(scene, lit=lit, seats=seats, clock=CLOCKS)
    async with shown(table, f"?lang={language}", reduced_motion="reduce") as visit:
        page = visit.page
        await visit.until("() => document.querySelectorAll('#rengi-loop .pair').length === 12")
        await page.click('#rengi-pad [data-act="left"]')
        for width, height in WINDOWS:
            await page.set_viewport_size({"width": width, "height": height})
            await page.evaluate(DRAWN)
            # The aim stays when the board is drawn anew.
            aimed = "document.querySelectorAll('.rengi-aim .block.aim').length"
            await visit.until(f"() => {aimed} === 2")
            assert await page.evaluate(CLIPPED) == [], (width, height)
            assert await page.evaluate(BETWEEN) == [24, 0], (width, height)
        loop = await page.evaluate(
            """() => [...document.querySelectorAll('#rengi-loop .pair')].map((pair) => [
                pair.querySelector('.place')?.textContent ?? '',
                [...pair.querySelectorAll('[data-role]')].map((block) =>
                    block.dataset.role[0]).join('').toUpperCase()])"""
        )
        assert loop == [
            [place, pair] for place, pair in zip(["2P", "1P"] + [""] * 10, PAIRS, strict=True)
        ]
        # On the smallest window no word runs into the mark that stands on its cell.
        touching = await page.evaluate(
            """() => {
                const boxes = (what) => [...document.querySelectorAll(what)]
                    .map((e) => e.getBoundingClientRect());
                const marks = boxes('.mark-touch');
                return [marks.length > 0, boxes('.centre-text').filter((word) => marks.some(
                    (mark) => word.top < mark.bottom && mark.top < word.bottom)).length];
            }"""
        )
        assert touching == [True, 0]
        # What is counted up group by group comes and goes by a button where room is short.
        await page.click("#calc-open")
        before = await sums(visit)
        await page.click('[data-calc="group-6"]')
        assert (await sums(visit))[0] > before[0]
        await page.click("#calc-open")
        assert not await page.locator("#calc-more").is_visible()


async def test_a_hidden_loop_shows_what_is_known_and_how_much_is_not(tmp_path: Path) -> None:
    words = (*OPEN, "-o", "mode=tsu")
    async with hosted(tmp_path, *words) as host, visiting([host.url]) as [visit]:
        await visit.until("() => document.querySelectorAll('#rengi-loop .pair').length === 3")
        hidden = visit.page.locator("#rengi-loop .hidden")
        assert await hidden.get_attribute("aria-label") == "125 more are hidden"
        assert await hidden.text_content() == "+125"


GOLDEN = json.loads((TESTS / "golden" / "rengi.json").read_text("utf-8"))


async def sums(visit: Visit) -> tuple[int, int]:
    """Points and ojama as the calculator shows them."""
    texts = [await visit.page.inner_text(f"#calc-{name}") for name in ("points", "ojama")]
    points, ojama = (int(re.sub(r"\D", "", text)) for text in texts)
    return points, ojama


async def test_the_calculator_counts_the_papers_table_up_and_its_worked_example(
    tmp_path: Path,
) -> None:
    async with hosted(tmp_path, *PEOPLE) as host, visiting([host.url]) as [visit]:
        await visit.until("() => document.querySelectorAll('#calc-steps button').length === 5")

        async def press(*names: str) -> None:
            for name in names:
                await visit.page.evaluate(
                    'name => document.querySelector(`[data-calc="${name}"]`).click()', name
                )

        await press(*["fewer"] * 4)
        for row in GOLDEN["chain_table"]:
            assert await sums(visit) == (row["total"], row["ojama70"])
            if row["double_at_last"] is not None:
                await press("group-4")
                assert await sums(visit) == (row["double_at_last"], row["double_ojama70"])
                await press("clear", "more")
        assert await visit.page.locator('[data-calc="more"]').is_disabled()
        await press(*["fewer"] * 16)
        await press("step-2", "group-6", "group-7", "step-3", "group-8")
        assert await sums(visit) == (4060, 58)
        await press("step-2", "colours-1")
        assert await sums(visit) == (4060 - 3 * 130, 52)
        await visit.page.fill("#calc-rate", "10")
        assert await sums(visit) == (3670, 367)
        # No button leads beyond what a field holds.
        await press(*["group-11"] * 9)
        assert await sums(visit) != (3670, 367)
        steps = await visit.page.locator("#calc-steps button").all_inner_texts()
        told = [text.split()[-1] for text in steps]
        assert sum(int(n) for step in told for n in step.split("+")) <= 78


async def test_a_screen_reader_hears_what_lies_on_a_cell(tmp_path: Path) -> None:
    async with hosted(tmp_path, *PEOPLE) as host, visiting([host.url]) as [visit]:
        await visit.page.click('#rengi-pad [data-act="drop"]')
        assert await visit.moves(1) == ["RB3.0"]
        label = await visit.page.get_attribute(at("c1"), "aria-label")
        assert label == "c1, empty, red block"
