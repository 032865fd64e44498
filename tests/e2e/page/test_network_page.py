"""Two phones, by touch, and a board in one game: three Chromium pages at one table."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from browser import CHROMIUM, ONE_CHROMIUM, Visit, shown, visiting
from lumiban.table.requests import HOST, seat
from lumiban.web.access import GUEST
from lumiban.web.admission import greeting
from lumiban.web.assets import ASSETS
from network_bench import networked
from page_gallery import GalleryTable, scene_of
from sentences import sentence
from sitting_bench import sitting_at

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}
MINE = "() => document.querySelector('#headline').textContent === 'Your turn'"
SAYS = "told => document.querySelector('#sentence').textContent.includes(told)"
TOO_SMALL = """() => [...document.querySelectorAll('button, input, select, a')].filter((one) => {
    const box = one.getBoundingClientRect();
    return box.width && (box.height < 44 || box.width < 44 || box.right > innerWidth);
}).map((one) => one.id || one.textContent)"""


async def tap(visit: Visit, name: str) -> None:
    await visit.page.touchscreen.tap(*await visit.middle(f'.cell[data-name="{name}"]'))


async def test_two_phones_by_touch_and_the_host_s_page_play_one_game(tmp_path: Path) -> None:
    async with (
        sitting_at(tmp_path, seats=("human", "human")) as sitting,
        networked(sitting.shell) as lan,
        visiting([lan.owner_url]) as [host],
        visiting([lan.there.url + "k/" + lan.access.link_secret(seat(0))], **PHONE) as [white],
        visiting([lan.there.url + "k/" + lan.access.link_secret(seat(1))], **PHONE) as [black],
    ):
        assert lan.access.link_secret(seat(0)) not in white.page.url
        played: list[str] = []
        for one, other in ((white, black), (black, white), (white, black)):
            await one.until(MINE)
            view = await host.view()
            name = view["game"]["names"][view["legal"]["place"][0]]
            # Out of turn a tap is told so and moves nothing. To a page that has not heard of the
            # last move it is a move.
            await other.drawn(view["v"])
            async with other.tells(re.escape(sentence("page.not-your-turn"))):
                await tap(other, name)
            await tap(one, name)
            played.append(name)
            # The hands at the board bring the stone.
            assert await host.moves(len(played)) == played
        # Hints and new games are the host's, whatever a phone's page sends.
        assert await white.page.locator("#hint").is_disabled()
        assert await white.page.locator("#new-game").is_disabled()
        # Only who moved last takes back.
        take = "() => !document.querySelector('#handle .takeback').hidden"
        await white.until(take)
        assert not await black.page.evaluate(take)

        # A phone that only confirms moves nothing by touch.
        await black.until(MINE)
        await black.page.evaluate("document.querySelector('#touch').click()")
        view = await host.view()
        async with black.tells(re.escape(sentence("network.confirms"))):
            await tap(black, view["game"]["names"][view["legal"]["place"][0]])
        assert await host.moves(len(played)) == played

        # The host sees them, and new links end them.
        await host.page.click("#open-network")
        await host.until("() => document.querySelectorAll('#network .phones li').length === 2")
        assert await host.page.locator("#network .pin strong").inner_text() == lan.access.pin
        for _ in range(2):
            await host.page.click("#network-renew")
        for phone in (white, black):
            await phone.until("() => location.pathname === '/join'")
            await phone.page.wait_for_selector("#enter:not([hidden])")


async def test_a_phone_that_gives_a_name_is_called_by_it_on_every_screen(tmp_path: Path) -> None:
    async with (
        sitting_at(tmp_path, seats=("human", "human")) as sitting,
        networked(sitting.shell) as lan,
        visiting([lan.owner_url, lan.here.url + "watch"]) as [host, wall],
    ):
        door = lan.there.url + "join"
        async with visiting([door], comes_in=(lan.access.pin, 0, "Aya"), **PHONE) as [white]:
            for one in (host, wall, white):
                await one.until("() => document.body.textContent.includes('Aya’s phone')")
            # What is White's to do is asked of that phone.
            await host.until(SAYS, sentence("page.turn.phone", sides="Aya"))
            async with visiting([door], comes_in=(lan.access.pin, 1), **PHONE):
                await host.until(SAYS, sentence("page.turn.phones", sides="Aya and Black"))
                view = await host.view()
                await tap(white, view["game"]["names"][view["legal"]["place"][0]])
                await host.moves(1)
                assert not await host.page.locator("#play .takeback").is_visible(), "it is Aya's"
        # A phone that has gone leaves its seat to whoever leads.
        await host.page.locator("#play .takeback").wait_for()


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_the_door_fits_a_phone_and_a_finger_and_leads_to_a_seat(
    tmp_path: Path, language: str
) -> None:
    if CHROMIUM is None:
        pytest.skip("no Chromium here: install chromium-headless-shell or chromium")
    async with (
        sitting_at(tmp_path, seats=("human", "human")) as sitting,
        networked(sitting.shell) as lan,
    ):
        room = await ONE_CHROMIUM.room(**{**PHONE, "locale": language})
        page = await room.new_page()
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        try:
            await page.goto(lan.there.url)
            await page.wait_for_selector("#enter:not([hidden])")
            assert await page.evaluate("document.documentElement.lang") == language
            assert await page.evaluate(TOO_SMALL) == []
            await page.fill("#pin", "000000")
            await page.tap("#enter button")
            await page.wait_for_selector("#notice:not([hidden])")
            await page.fill("#pin", lan.access.pin)
            await page.tap("#enter button")
            await page.wait_for_selector("#seats button")
            assert await page.evaluate(TOO_SMALL) == []
            # Whoever sits at the board plays this seat: it is not free.
            state = await page.inner_text("#seats li:nth-child(1) .state")
            assert state == sentence("join.here", language)
            await page.tap("#seats li:nth-child(2) button")
            await page.wait_for_selector("#board .cell[role=gridcell]")
            assert lan.access.holder(1) is not None
            # A second phone is told that the seat is taken.
            other = await room.new_page()
            await room.clear_cookies()
            await other.goto(lan.there.url + "k/" + lan.access.link_secret(GUEST))
            await other.wait_for_selector("#seats button")
            assert await other.locator("#seats li:nth-child(2) button").count() == 0
            assert await other.locator("#seats li:nth-child(1) button").count() == 1
            assert faults == []
        finally:
            await room.close()


ROLE = "role => document.documentElement.dataset.role === role"


async def test_the_leader_s_link_leads_and_the_page_that_led_plays_on(tmp_path: Path) -> None:
    async with (
        sitting_at(tmp_path, seats=("human", "bot:easy")) as sitting,
        networked(sitting.shell) as lan,
        visiting([lan.owner_url]) as [host],
        visiting([lan.there.url + "k/" + lan.access.link_secret(HOST)], **PHONE) as [leader],
    ):
        await leader.until(ROLE, "host")
        await host.until(ROLE, "seat")
        told = sentence("network.handed-over", side=sentence("side.white"))
        await host.until("t => document.querySelector('#banner').textContent.includes(t)", told)
        assert await host.page.locator("#new-game").is_disabled()
        assert await leader.page.locator("#new-game").is_enabled()
        # The person there moves with the hands of the simulated board, as before.
        view = await host.view()
        name = view["game"]["names"][view["legal"]["place"][0]]
        await host.page.click(f'.cell[data-name="{name}"]')
        assert (await host.moves(1))[0] == name
        await host.page.get_by_role("button", name=sentence("network.lead-again")).click()
        await host.until(ROLE, "host")
        await leader.until(ROLE, "viewer")


# What a page meets that stays open for long, and on a phone whose clock is wrong.


async def test_a_page_kept_open_across_an_update_loads_itself_anew_and_else_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        sitting_at(tmp_path, seats=("human", "human")) as sitting,
        networked(sitting.shell) as lan,
        visiting([lan.owner_url]) as [host],
    ):

        def update(version: str) -> None:
            monkeypatch.setitem(ASSETS.__dict__, "version", version)
            lan.door.tabs.greet_all(lambda tab: greeting(lan.door.feed, tab))

        ASSETS._pages.clear()
        update("a" * 16)
        src = "() => document.querySelector('script[type=module]').src.includes('aaaa')"
        await host.until(src)
        await host.page.wait_for_selector("#board .cell[role=gridcell]")
        assert await host.page.locator("#banner").is_hidden()
        # Whoever gets the old page again, from whatever keeps it, is told.
        update("b" * 16)
        await host.until(
            "told => document.querySelector('#banner').textContent === told", sentence("page.old")
        )
    ASSETS._pages.clear()


async def test_a_link_in_a_chat_opens_the_table_again_at_an_address_without_tls(
    tmp_path: Path,
) -> None:
    async with (
        sitting_at(tmp_path, seats=("human", "human")) as sitting,
        networked(sitting.shell) as lan,
        visiting([lan.owner_url]),
    ):
        there = f"http://lumiban.local:{lan.there.port}"
        link = f"{there}/k/{lan.access.link_secret(seat(1))}"
        async with visiting([link], **PHONE) as [phone]:
            await phone.until("() => document.querySelector('#headline').textContent !== ''")
            chat = await phone.page.context.new_page()
            chats = f"<a id=one href='{link}'>play</a><a id=two href='{there}/'>look</a>"
            await chat.route(
                "http://chat.example/", lambda it: it.fulfill(body=chats, content_type="text/html")
            )
            for one in ("#one", "#two"):
                await chat.goto("http://chat.example/")
                await chat.click(one)
                await chat.wait_for_selector("#headline:not(:empty)")
                assert "/join" not in chat.url, one
            assert len(lan.access.entries) == 1, "the same phone, in its own seat"


NO_STORAGE = """for (const name of ["localStorage", "sessionStorage"])
  Object.defineProperty(window, name, {
    get() { throw new DOMException("no", "SecurityError"); },
  });"""


async def test_with_storage_forbidden_both_players_names_arrive() -> None:
    scene = scene_of("control", "over")
    table = GalleryTable(scene=scene)
    people = [{**seat, "who": "human", "thinking": False} for seat in scene.view["seats"]]
    table.tell(scene, seats=people)
    async with shown(table, script=NO_STORAGE) as visit:
        named: list[Any] = []

        async def players(route: Any) -> None:
            named.append(route.request.post_data_json)
            await route.fulfill(json={"game": {"verdict": "practice", "gained": [0, 0]}})

        await visit.page.route("**/api/players", players)
        await visit.page.click(f"#answers button:text-is('{sentence('page.sign')}')")
        for side, name in enumerate(("Ada", "Bo")):
            await visit.page.fill(f"#sign-body input[data-side='{side}']", name)
        await visit.page.click("#sign-form .main")
        await visit.until("() => document.querySelector('#sign-told').textContent !== ''")
        while len(named) < 2:
            await visit.page.evaluate("1")
        assert [(one["side"], one["name"]) for one in named] == [(0, "Ada"), (1, "Bo")]
        assert visit.faults == []


async def test_taking_back_asks_the_other_person_who_says_no_and_then_yes(tmp_path: Path) -> None:
    async with (
        sitting_at(tmp_path, seats=("human", "human")) as sitting,
        networked(sitting.shell) as lan,
        visiting([lan.owner_url]) as [host],
        visiting([lan.there.url + "k/" + lan.access.link_secret(seat(1))], **PHONE) as [black],
    ):
        view = await host.my_turn()
        await host.page.click(f'.cell[data-name="{view["game"]["names"][0]}"]')
        assert len(await host.moves(1)) == 1
        for answer, moves in (("keep", 1), ("let", 0)):
            await host.page.click(".takeback:visible")
            await host.until(SAYS, sentence("page.back.asked"))
            asks = sentence("page.back.asks", side=sentence("side.white"))
            await black.until(SAYS, asks)
            await black.page.tap(f"#answers button:text-is('{sentence(f'page.back.{answer}')}')")
            await host.until(
                "n => document.querySelectorAll('#moves button[data-n]').length === n", moves
            )
            if answer == "keep":
                await host.until(SAYS, sentence("page.back.no"))
        # The setting lies with the phones, and the button takes back at once without it.
        await host.page.click("#open-network")
        await host.page.click("label:has(#ask-back)")
        assert lan.access.kept.asks_back is False


TIMES = """() => [...document.querySelectorAll('#clocks .digits')].map((one) => {
    const [minutes, seconds] = one.textContent.split(':').map(Number);
    return 60 * minutes + seconds;
})"""
A_DAY_AHEAD = "const right = Date.now; Date.now = () => right() + 86_400_000;"


async def test_a_phone_whose_clock_is_wrong_shows_the_time_of_the_table(tmp_path: Path) -> None:
    async with (
        sitting_at(tmp_path, seats=("human", "human"), clock="5+3") as sitting,
        networked(sitting.shell) as lan,
        visiting([lan.owner_url]) as [host],
    ):
        await host.until("() => window.haveHands")
        view = await host.view()
        await host.page.click(f'.cell[data-name="{view["game"]["names"][0]}"]')
        assert len(await host.moves(1)) == 1
        async with visiting(
            [lan.there.url + "k/" + lan.access.link_secret(seat(1))], script=A_DAY_AHEAD, **PHONE
        ) as [black]:
            await black.until("() => document.querySelectorAll('#clocks .digits').length === 2")
            shown = [await one.page.evaluate(TIMES) for one in (host, black)]
            assert all(abs(a - b) <= 2 for a, b in zip(*shown, strict=True)), shown
