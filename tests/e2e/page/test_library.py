"""The page of finished games in a real browser: found, replayed, exported, names as text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from browser import Visit, hosted, visiting
from library_games import fill, game_document
from lumiban.library.library import opened
from lumiban.library.link import link_of
from lumiban.table import record
from sentences import sentence

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

TABLE = ("play", "control", "--new", "-o", "size=3")
MARKUP = "<img src=x onerror=alert(1)>"


def filled(state: Path) -> list[str]:
    """Three games of Control, of which Aya and somebody with markup in the name played two, and
    one of Rengi."""
    names = fill(state, 3)
    names.append("20261124-120000-rengi")
    record.keep(state / "records", names[-1], game_document(3, "rengi", mode="open"))
    with opened(state) as library:
        library.declare("Aya", "control", 120)
        for name in names[:2]:
            library.seat(name, ("Aya", MARKUP))
    return names


async def count(visit: Visit, games: int) -> None:
    await visit.until("n => document.querySelectorAll('#games button').length === n", games)


async def test_games_are_found_replayed_and_exported(tmp_path: Path) -> None:
    names = filled(tmp_path)
    async with hosted(tmp_path, *TABLE) as host, visiting([host.url]) as [visit]:
        page = visit.page
        await page.goto(f"{host.url.rstrip('/')}/library")
        await count(visit, 4)
        unnamed = await page.inner_text(f'[data-name="{names[2]}"]')
        assert re.search("(White|Black) won", unnamed)
        await visit.until("() => document.querySelectorAll('#players tbody tr').length === 2")
        assert MARKUP in await page.inner_text("#players")
        assert await page.locator("#players img, #games img[src=x]").count() == 0
        # Each game's end is drawn beside it.
        await visit.until("() => document.querySelector('#games img').naturalWidth > 0")
        await page.fill("#find", "aya")
        await page.press("#find", "Enter")
        await count(visit, 2)
        await page.click(f'[data-name="{names[1]}"]')
        await visit.until("() => document.querySelector('#replay-board').naturalWidth > 0")
        moves = await page.locator("#replay-moves button").count()
        assert await page.inner_text("#replay-at") == f"{moves} / {moves}"
        await page.keyboard.press("ArrowLeft")
        assert await page.inner_text("#replay-at") == f"{moves - 1} / {moves}"
        await page.click('[data-step="first"]')
        assert await page.inner_text("#replay-at") == f"0 / {moves}"
        assert "before the first move" in await page.get_attribute("#replay-board", "alt")
        for form, begins in (("json", "{"), ("txt", "Game: control"), ("svg", "<svg ")):
            path = f"/api/library/file/{names[1]}.{form}"
            told = await page.evaluate("path => fetch(path).then(r => r.text())", path)
            assert told.startswith(begins)
        assert await page.is_visible("#review-ask")
        # A game has an address of its own, in the other language too; while one is on at the
        # table, its coach goes through no other.
        await page.route(
            "**/api/view", lambda on: on.fulfill(json={"moves": [{}], "outcome": None})
        )
        await page.goto(f"{host.url.rstrip('/')}/library?lang=ja#{names[3]}")
        await page.reload()
        await visit.until("() => document.querySelector('#replay-title').textContent.length > 2")
        assert "連棋" in await page.inner_text("#replay-title")
        await visit.until("() => document.querySelector('#review-status').textContent.length > 2")
        assert await page.is_hidden("#review-ask")
        for width in (1280, 390, 320):
            await page.set_viewport_size({"width": width, "height": 800})
            await visit.until("w => document.documentElement.scrollWidth <= w", width)
        # The table's game may have ended a moment ago, and not be on disk yet.
        await page.route("**/api/library/last", Late(tmp_path, names[1]).answer)
        await page.goto(f"{host.url.rstrip('/')}/library?lang=en&later#last")
        await count(visit, 5)
        await visit.until("name => location.hash === '#' + name", names[1])
        visit.faults[:] = [fault for fault in visit.faults if "409" not in fault]
        assert visit.faults == []


@dataclass
class Late:
    """A record that comes only after somebody has asked for it, and another table's with it."""

    state: Path
    name: str
    asked: int = 0

    async def answer(self, route: Any) -> None:
        self.asked += 1
        if self.asked == 1:
            error = {"id": "page.sign.not-kept", "params": {}}
            await route.fulfill(status=409, json={"error": error})
        else:
            record.keep(self.state / "records", "20261124-130000-control", game_document(7))
            await route.fulfill(json={"game": self.name})


FOLLOWS_MEANWHILE = """link => {
    const ask = window.fetch;
    window.fetch = async (...asked) => {
        const told = await (await ask(...asked)).json();
        window.fetch = ask;
        location.hash = link;
        return { ok: true, json: async () => told };
    };
    document.querySelector('#games [data-name]').click();
}"""


async def test_a_game_is_shared_opened_and_kept_by_its_link(tmp_path: Path) -> None:
    [name, *_] = fill(tmp_path, 2)
    theirs = link_of("20261120-120000-rengi", game_document(3, "rengi", mode="open"))
    async with hosted(tmp_path, *TABLE) as host, visiting([host.url]) as [visit]:
        page, library = visit.page, f"{host.url.rstrip('/')}/library"
        await page.goto(f"{library}#{name}")
        await visit.until("() => document.querySelector('#replay-board').naturalWidth > 0")
        await page.evaluate(
            "navigator.clipboard.writeText = async text => { window.copied = text }"
        )
        await page.click("#share")
        await visit.until("() => window.copied")
        assert await page.inner_text("#share-told") == sentence("page.library.share.copied")
        address = await page.evaluate("window.copied")
        assert address.startswith(f"{library}#game={name}.")
        await page.evaluate(
            "() => { navigator.clipboard.writeText = async () => { throw Error() } }"
        )
        await page.click("#share")
        await visit.until("() => document.querySelector('#share-link').value")
        assert await page.input_value("#share-link") == address
        # At home the link leads to the game itself.
        await page.fill("#open-link-text", address)
        await page.press("#open-link-text", "Enter")
        await visit.until("name => location.hash === '#' + name", name)
        # A link of somebody else's game, in a tab that was open, as another game's answer comes.
        await page.evaluate(FOLLOWS_MEANWHILE, theirs)
        await visit.until("() => !document.querySelector('#share-from').hidden")
        await visit.until("() => document.querySelector('#replay-board').src.startsWith('data:')")
        end = await page.get_attribute("#replay-board", "src")
        moves = await page.locator("#replay-moves button").count()
        await page.click("#replay-title")
        await page.keyboard.press("ArrowLeft")
        assert await page.inner_text("#replay-at") == f"{moves - 1} / {moves}"
        await page.click('[data-step="first"]')
        await visit.until("src => document.querySelector('#replay-board').src !== src", end)
        await visit.until("() => document.querySelector('#replay-board').naturalWidth > 0")
        await count(visit, 2)
        for width in (1280, 320):
            await page.set_viewport_size({"width": width, "height": 800})
            await visit.until("w => document.documentElement.scrollWidth <= w", width)
        await page.click("#share-keep")
        await count(visit, 3)
        await visit.until("() => location.hash === '#20261120-120000-rengi-shared'")
        # What is no link says so, and what was there stays.
        await page.goto(f"{library}?lang=ja#{theirs[:-40]}")
        told = sentence("link.cut", "ja")
        await visit.until("t => document.querySelector('#library-note').textContent === t", told)
        await count(visit, 3)
        visit.faults[:] = [fault for fault in visit.faults if "400" not in fault]
        assert visit.faults == []


async def test_a_chain_power_test_is_played_to_its_result_and_history(tmp_path: Path) -> None:
    words = ("play", "chain-power", "--new", "-o", "day=20261123")
    async with hosted(tmp_path, *words) as host, visiting([host.url]) as [visit]:
        page = visit.page
        await visit.until("() => !document.querySelector('#rengi-pad').hidden")
        for made in (1, 2):
            await page.keyboard.press("Space")
            await visit.moves(made)
        assert "hand 3 of 45" in await page.inner_text("#rengi-sides")
        # One person plays: nobody else is named, asked or offered pieces.
        await visit.until("() => document.querySelector('#headline').textContent === 'Your turn'")
        assert await page.is_hidden("#coach")
        assert await page.locator("#rengi-sides li").count() == 1
        assert await page.inner_text("#words button:last-child") == "Next list"
        for number in range(5):
            # Asked for each time: one click too many skips no list.
            await page.click("#words button:last-child")
            await page.click("#words button.sure")
            await visit.moves(3 + number)
        await visit.until(
            "() => document.querySelector('#turn').textContent.includes('test is over')"
        )
        # Nobody was beaten, and the seat that stays empty gets no name and no rematch.
        assert await page.inner_text("#headline") == "Finished"
        answers = "() => [...document.querySelectorAll('#answers button')].map(b => b.textContent)"
        assert await page.evaluate(answers) == ["Once more", "Add names", "The result"]
        assert await page.is_visible("#bar #new-game")
        await page.click("#answers button:nth-child(2)")
        assert await page.locator("#sign-body input").count() == 1
        await page.fill("#sign-body input", MARKUP)
        await page.click("#sign-form [type=submit]")
        await visit.until("() => document.querySelector('#sign-told').textContent.length > 2")
        assert "no rating changes" in await page.inner_text("#sign-told")
        await page.click("#sign-close")
        await page.click("#answers button:nth-child(3)")
        await visit.until("() => document.querySelectorAll('#replay-power li').length === 1")
        assert "2 hands" in await page.inner_text("#replay-power")
        assert MARKUP in await page.inner_text("#replay-title")
        await page.fill("#replay-seats input", "Aya")
        await page.click("#replay-names [type=submit]")
        await visit.until(
            "() => document.querySelector('#replay-title').textContent.includes('Aya')"
        )


async def test_a_first_rating_is_declared_below_the_results(tmp_path: Path) -> None:
    filled(tmp_path)
    async with hosted(tmp_path, *TABLE) as host, visiting([host.url]) as [visit]:
        page = visit.page
        await page.goto(f"{host.url.rstrip('/')}/library?lang=ja")
        await count(visit, 4)
        await page.click("#first-rating summary")
        for player, game, told in (
            ("Chie", "rengi", "Chie は 850"),
            ("Aya", "control", "すでに 2 局"),
        ):
            await page.fill("#first-rating-player", player)
            await page.select_option("#first-rating-game", game)
            await page.fill("#first-rating-number", "850")
            await page.press("#first-rating-number", "Enter")
            said = "told => document.querySelector('#first-rating-told').textContent.includes(told)"
            await visit.until(said, told)
        await visit.until("() => document.querySelectorAll('#players tbody tr').length === 3")
        assert "850" in await page.inner_text("#players")
        # On a phone no column is cut off, and no name stands letter by letter.
        for width in (390, 320):
            await page.set_viewport_size({"width": width, "height": 800})
            await visit.until("w => document.documentElement.scrollWidth <= w", width)
            name = page.locator("#players td:first-child", has_text="Chie")
            box = await name.bounding_box()
            assert box["height"] < 60
        visit.faults.clear()  # Chromium writes the refusal, that Aya has played, to its console
