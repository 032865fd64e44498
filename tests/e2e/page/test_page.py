"""The page in a real browser, on a real table: host, firmware and simulator behind it."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest
from browser import Visit, hosted, visiting
from sentences import sentence

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

WHITE_BOWL = '.bowl[data-kind="1"] .edge'
BLACK_BOWL = '.bowl[data-kind="2"] .edge'
PLAY = ("play", "control", "--new", "--first", "human", "--second", "bot:easy")
DEMO = ("demo", "--new", "--second", "bot:strong")
"""Black thinks for seconds: time to take White's seat while no hand brings a white stone."""
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def cell(name: str) -> str:
    return f'.cell[data-name="{name}"]'


def legal(view: dict[str, Any]) -> list[str]:
    return [view["game"]["names"][i] for i in view["legal"]["place"]]


def taken_by_black(view: dict[str, Any]) -> str:
    """An empty cell on which White may not place."""
    names = view["game"]["names"]
    closed = [
        names[i]
        for i, kind in enumerate(view["pieces"])
        if kind == 0 and i not in view["legal"]["place"]
    ]
    return closed[0]


async def drag(visit: Visit, start: str, end: str) -> None:
    x, y = await visit.middle(start)
    to_x, to_y = await visit.middle(end)
    await visit.page.mouse.move(x, y)
    await visit.page.mouse.down()
    for k in range(1, 11):
        await visit.page.mouse.move(x + (to_x - x) * k / 10, y + (to_y - y) * k / 10)
    await visit.page.mouse.up()


async def test_a_dragged_stone_takes_the_seat_and_the_bot_answers(tmp_path: Path) -> None:
    async with hosted(tmp_path, *DEMO) as host, visiting([host.url]) as [visit]:
        x, y = await visit.middle(WHITE_BOWL)
        # A stone that a hand already brings down for the machine would land as the person's move.
        await visit.blacks_turn()
        await visit.page.mouse.click(x, y)
        before = await visit.my_turn()
        assert before["seats"][0]["who"] == "human"
        played = len(before["moves"])
        name = legal(before)[0]
        await drag(visit, WHITE_BOWL, cell(name))
        moves = await visit.moves(played + 2)
        assert moves[played] == name
        after = await visit.my_turn()
        assert [move["side"] for move in after["moves"][played:]] == [0, 1]
        label = await visit.page.get_attribute(cell(name), "aria-label")
        assert label.startswith(f"{name}, white stone")


async def test_a_game_is_played_by_keyboard_alone(tmp_path: Path) -> None:
    async with hosted(tmp_path, *DEMO) as host, visiting([host.url]) as [visit]:
        keyboard = visit.page.keyboard
        focus = "document.activeElement.dataset"
        for _ in range(40):
            await keyboard.press("Tab")
            if await visit.page.evaluate(f"{focus}.kind") == "1":
                break
        await visit.blacks_turn()
        await keyboard.press("Enter")
        before = await visit.my_turn()
        played = len(before["moves"])
        here = await visit.page.evaluate(f"{focus}.name")
        assert here, "Enter on a bowl leads to the board"
        # To the first cell, then along every row until a cell says that one may place.
        for _ in range(9):
            await keyboard.press("ArrowUp")
        label = ""
        for row in range(9):
            for _ in range(9):
                label = await visit.page.evaluate("document.activeElement.ariaLabel")
                if sentence("page.cell.may-place") in label:
                    break
                await keyboard.press("ArrowRight" if row % 2 == 0 else "ArrowLeft")
            if sentence("page.cell.may-place") in label:
                break
            await keyboard.press("ArrowDown")
        name = label.split(",")[0]
        assert name in legal(before)
        async with visit.tells("Black ", "#said"):
            await keyboard.press("Enter")
            moves = await visit.moves(played + 2)
        assert moves[played] == name
        await visit.my_turn()
        await keyboard.press("t")
        await visit.until("n => document.querySelectorAll('#moves button').length === n", played)


async def test_a_refused_stone_is_explained_and_lifting_it_makes_peace(tmp_path: Path) -> None:
    async with hosted(tmp_path, *PLAY) as host, visiting([host.url]) as [visit]:
        first = await visit.my_turn()
        await drag(visit, WHITE_BOWL, cell(legal(first)[0]))
        await visit.moves(2)
        before = await visit.my_turn()
        closed = taken_by_black(before)
        x, y = await visit.middle(cell(closed))
        await visit.page.mouse.click(x, y)
        await visit.until("() => document.querySelector('#turn').dataset.tone === 'error'")
        text = await visit.page.inner_text("#sentence")
        assert text.startswith("Your opponent controls this cell")
        assert f"Take the piece off {closed}." in text
        assert (await visit.page.inner_text("#refused")).startswith("Your opponent controls")
        assert await visit.page.locator(".mark-mend").count() == 1
        assert await visit.page.locator(".mark-proof").count() >= 1
        await visit.page.hover("#sentence .text")
        assert await visit.page.locator(".proofs path").count() >= 1
        assert len((await visit.view())["moves"]) == len(before["moves"])
        await visit.page.mouse.click(x, y)
        await visit.my_turn()
        assert await visit.page.inner_text("#refused") == ""


async def test_a_stone_in_the_air_is_felt_by_the_sensors(tmp_path: Path) -> None:
    async with hosted(tmp_path, *PLAY) as host, visiting([host.url]) as [visit]:
        view = await visit.my_turn()
        name = legal(view)[0]
        await visit.settings()
        await visit.page.check("#field")
        await visit.until("() => document.querySelector('.field text')?.textContent")
        number = view["game"]["cells"][view["game"]["names"].index(name)]
        figure = f".field g:nth-child({number + 1}) text"
        assert float((await visit.page.text_content(figure)).replace("−", "-")) < 1
        x, y = await visit.middle(WHITE_BOWL)
        to_x, to_y = await visit.middle(cell(name))
        await visit.page.mouse.move(x, y)
        await visit.page.mouse.down()
        await visit.page.mouse.move(to_x, to_y, steps=10)
        await visit.until(
            "at => Number(document.querySelector(at).textContent.replace('−', '-')) > 1.5", figure
        )
        assert len((await visit.view())["moves"]) == len(view["moves"])
        await visit.page.mouse.up()
        await visit.moves(1)


async def test_a_phone_shows_the_board_whole_and_the_rest_in_a_drawer(tmp_path: Path) -> None:
    async with hosted(tmp_path, *PLAY) as host, visiting([host.url], **PHONE) as [visit]:
        page = visit.page
        view = await visit.my_turn()
        assert await page.evaluate("document.documentElement.scrollWidth") <= 390
        board = await page.locator("#board").bounding_box()
        assert board["width"] == 390
        # The board is turned by a quarter: a hand goes where the pointer is all the same.
        await drag(visit, WHITE_BOWL, cell(legal(view)[0]))
        assert (await visit.moves(2))[0] == legal(view)[0]
        await page.set_viewport_size({"width": 360, "height": 640})
        hit = "document.querySelector('#board .cell .hit').getBoundingClientRect()"
        await visit.until(f"() => Math.min({hit}.width, {hit}.height) >= 44")
        await page.set_viewport_size({"width": 390, "height": 844})
        assert not await page.locator("#hint").is_visible()
        await visit.settings()
        await page.locator("#hint").wait_for(state="visible")
        small = await page.evaluate(
            """() => [...document.querySelectorAll('button, select, input, summary')]
                .filter(e => e.checkVisibility())
                .map(e => ({ name: e.id || e.textContent, at: e.closest('label') ?? e }))
                .map(({ name, at }) => [name, at.offsetWidth, at.offsetHeight])
                .filter(([, width, height]) => width < 44 || height < 44)
                .map(([name]) => name)"""
        )
        assert small == []


HEADLINE = "said => document.querySelector('#headline').innerText === said"


async def test_the_language_changes_without_a_reload_and_no_text_is_missing(tmp_path: Path) -> None:
    async with hosted(tmp_path, *PLAY) as host, visiting([host.url]) as [visit]:
        await visit.my_turn()
        await visit.settings()
        await visit.page.select_option("#language", "ja")
        await visit.until("() => document.documentElement.lang === 'ja'")
        # The headline is drawn with the next frame.
        await visit.until(HEADLINE, "あなたの番です")
        await visit.page.keyboard.press("?")
        for language in ("ja", "en"):
            said = await visit.page.evaluate(
                """() => document.body.innerText + [...document.querySelectorAll('[aria-label]')]
                    .map(e => e.ariaLabel).join()"""
            )
            assert "page." not in said, language
            assert "undefined" not in said, language
            await visit.page.evaluate("document.querySelector('#help').close()")
            await visit.settings()
            await visit.page.select_option("#language", "en")
        await visit.until(HEADLINE, sentence("page.turn.yours"))


async def test_a_second_tab_watches_until_it_claims_the_table(tmp_path: Path) -> None:
    async with hosted(tmp_path, *PLAY) as host:
        watch = host.url + "watch"
        async with visiting([host.url, host.url, watch]) as [first, second, third]:
            view = await first.my_turn()
            assert await second.page.inner_text("#headline") == "White to move"
            assert await third.page.locator(".bowl").count() == 0
            assert not await third.page.locator("#drawer").is_visible()
            await second.page.get_by_text(sentence("page.claim")).click()
            view = await second.my_turn()
            x, y = await second.middle(cell(legal(view)[0]))
            await second.page.mouse.click(x, y)
            for visit in (first, second):
                assert (await visit.moves(2))[0] == legal(view)[0]
            assert await first.page.locator("#banner").is_visible()


async def test_a_page_finds_its_table_again(tmp_path: Path) -> None:
    async with hosted(tmp_path, *PLAY) as host, visiting([host.url]) as [visit]:
        view = await visit.my_turn()
        await drag(visit, WHITE_BOWL, cell(legal(view)[0]))
        moves = await visit.moves(2)
        await host.end(signal.SIGKILL)
        await visit.until("() => document.documentElement.dataset.wire === 'lost'")
        assert sentence("page.lost") in await visit.page.inner_text("#banner")
        async with hosted(tmp_path, "play", "control", port=host.port):
            await visit.until("() => document.documentElement.dataset.wire === 'up'")
            again = await visit.my_turn()
            assert [move["text"] for move in again["moves"]][:1] == moves[:1]


async def test_who_wants_no_motion_gets_none(tmp_path: Path) -> None:
    async with (
        hosted(tmp_path, *PLAY) as host,
        visiting([host.url], reduced_motion="reduce") as [visit],
    ):
        view = await visit.my_turn()
        await drag(visit, WHITE_BOWL, cell(legal(view)[0]))
        await visit.moves(2)
        assert await visit.page.evaluate("document.getAnimations().length") == 0


async def test_the_pie_is_set_from_both_bowls_by_the_one_who_sets_it(tmp_path: Path) -> None:
    words = (*PLAY, "-o", "size=3", "-o", "opening=pie2")
    async with hosted(tmp_path, *words) as host, visiting([host.url]) as [visit]:
        view = await visit.my_turn()
        assert "both colours" in await visit.page.inner_text("#sentence")
        assert await visit.page.locator("#words button").count() == 1, "resign"
        await drag(visit, WHITE_BOWL, cell("c1"))
        await visit.moves(1)
        await visit.my_turn()
        await drag(visit, BLACK_BOWL, cell("c5"))
        assert await visit.moves(2) == ["put wc1", "put bc5"]
        view = await visit.my_turn()
        assert [seat["who"] for seat in view["seats"]] == ["human", "bot:easy"]
        # With the turn, so that a phone shows it without its drawer.
        await visit.page.click("#answers button:text('The two stones are set')")
        assert (await visit.moves(4))[2] == "done"
        await visit.my_turn()
