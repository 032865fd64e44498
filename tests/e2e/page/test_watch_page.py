"""The screen for a room at `/watch`: who plays, whose turn it is, what happened last, and how
somebody who stands there takes a seat; whole on a projector of 4:3 and a phone, dark by itself."""

from __future__ import annotations

from typing import Any

import pytest
from browser import Visit, visiting
from e2e.page.test_everybody import AXE, CUT, DESKTOP, PHONE, RUN
from network_bench import networked
from page_gallery import CLOCKS, GalleryTable, Scene, scenes
from sentences import sentence, waits

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

ROOM = {"width": 1920, "height": 1080}
PROJECTOR = {"width": 1024, "height": 768}
LYING = {"width": 844, "height": 390}
MACHINES = [{"side": side, "who": "bot:easy", "thinking": False} for side in (0, 1)]
LEFT_OUT = """() => '#headline #room-name #room-last #room-players #room-invite #board'
    .split(' ').filter((one) => {
        const { top, bottom, height } = document.querySelector(one).getBoundingClientRect();
        return !height || top < 0 || bottom > innerHeight + 1;
    })"""
"""Parts of the screen that are not whole in the window."""


def demo() -> Scene:
    """Two machines in the midst of Control."""
    return max(
        (one for one in scenes() if one.game == "control" and one.state[0] == "agree"
         and not one.view["outcome"]),
        key=lambda one: len(one.view["moves"]),
    )  # fmt: skip


async def text_of(visit: Visit, selector: str) -> str:
    told: str = await visit.page.inner_text(selector)
    return told


async def test_a_room_reads_game_turn_last_move_score_clocks_and_how_to_take_a_seat() -> None:
    scene = demo()
    table = GalleryTable(scene=scene)
    more: dict[str, Any] = {"seats": MACHINES, "clock": {**CLOCKS, "running": None}}
    table.tell(scene, **more)
    async with (
        networked(table) as lan,
        visiting([f"{lan.here.url}watch"], viewport=ROOM, color_scheme="light") as [visit],
    ):
        await visit.page.wait_for_selector("#room-invite .code")
        mover = sentence("side." + scene.view["game"]["sides"][scene.view["to_move"][0]])
        assert await text_of(visit, "#headline") == sentence("page.turn.side", side=mover)
        assert await text_of(visit, "#room-name") == sentence("game.control.name")
        assert "Takuro Kawasaki" in await text_of(visit, "#room-credit")
        last = scene.view["moves"][-1]["text"].removeprefix("x")
        assert last in await text_of(visit, "#room-last")
        players = await text_of(visit, "#room-players")
        for count, clock in zip(scene.view["counts"], ("0:10", "4:05"), strict=True):
            assert str(count["stones"]) in players
            assert clock in players
        invitation = await text_of(visit, "#room-invite")
        assert sentence("page.room.sit", side=sentence("side.white")) in invitation
        assert lan.access.pin in invitation
        # A room's screen is dark, whatever its machine wants.
        background = await visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert background == "rgb(20, 17, 15)"
        if AXE.exists():
            await visit.page.evaluate(AXE.read_text("utf-8"))
        for size in (ROOM, PROJECTOR, DESKTOP, PHONE, LYING):
            await visit.page.set_viewport_size(size)
            await visit.page.evaluate("() => new Promise(requestAnimationFrame)")
            assert await visit.page.evaluate(CUT) == [], size
            if size is not LYING:
                assert await visit.page.evaluate(LEFT_OUT) == [], size
            if AXE.exists():
                assert await visit.page.evaluate(RUN, size in (ROOM, PHONE)) == [], size
        # By day too, for a bright room.
        await visit.page.goto(f"{lan.here.url}watch?day")
        await visit.page.wait_for_selector("#room-invite .code")
        if AXE.exists():
            await visit.page.evaluate(AXE.read_text("utf-8"))
            assert await visit.page.evaluate(RUN, True) == []
        # Where somebody plays a machine, a phone takes the machine's seat; where two play, none.
        person = {**MACHINES[0], "who": "human"}
        table.tell(scene, seats=[person, MACHINES[1]])
        await visit.drawn(table.shown)
        assert sentence("side.black") in await text_of(visit, "#room-invite")
        table.tell(scene, seats=[person, {**person, "side": 1}])
        await visit.drawn(table.shown)
        assert await visit.page.is_hidden("#room-invite")


async def test_a_stranger_on_the_network_is_told_no_pin() -> None:
    table = GalleryTable(scene=demo())
    table.tell(demo(), seats=MACHINES)
    async with networked(table) as lan:
        phone = lan.phone()
        await phone.open_link("watch")
        name, _, value = phone.cookie.partition("=")
        cookie = {"name": name, "value": value, "url": lan.there.url}
        async with visiting([f"{lan.here.url}watch"]) as [visit]:
            await visit.page.context.add_cookies([cookie])
            page = await visit.page.context.new_page()
            await page.goto(f"{lan.there.url}watch")
            await page.wait_for_selector("#room-invite:not([hidden])")
            await page.wait_for_selector("#room-players li")
            assert await page.locator("#room-invite .code").count() == 0
            assert await page.get_attribute("#room-invite", "href") == "/join"


async def test_a_room_reads_what_a_resting_board_shows_and_how_to_begin() -> None:
    scene = demo()
    table = GalleryTable(scene=scene)
    rule = "lobby.rule.evening.open"
    title = {"id": "lesson.evening.open.title", "params": {}}
    film = {
        "game": "evening",
        "title": title,
        "text": {"id": rule, "params": {}},
        "lights": scene.view["lights"],
    }
    table.tell(scene, lobby={"is_lit": False, "screen": "home", "title": title, "says": None,
                             "choices": [], "take_off": [], "film": film},
               phase=waits("attract", title=title["id"], says=rule))  # fmt: skip
    async with (
        networked(table) as lan,
        visiting([f"{lan.here.url}watch"], viewport=ROOM) as [visit],
    ):
        await visit.page.wait_for_selector("#room-invite .code")
        assert await text_of(visit, "#room-name") == sentence("game.evening.name")
        assert await text_of(visit, "#headline") == sentence(title["id"])
        assert await text_of(visit, "#sentence") == sentence(rule)
        assert await text_of(visit, "#room-last") == ""
        assert sentence("page.room.begin") in await text_of(visit, "#room-invite")
        for size in (ROOM, PROJECTOR, PHONE):
            await visit.page.set_viewport_size(size)
            assert await visit.page.evaluate(CUT) == [], size


async def test_a_lobby_asks_and_its_code_is_read_from_three_metres_away() -> None:
    scene = demo()
    table = GalleryTable(scene=scene)
    title = {"id": "lobby.screen.home", "params": {}}
    table.tell(scene, lobby={"is_lit": True, "screen": "home", "title": title, "says": None,
                             "choices": [], "take_off": [], "film": None},
               phase=waits("lobby", title=title["id"]))  # fmt: skip
    async with (
        networked(table) as lan,
        visiting([f"{lan.here.url}watch"], viewport={"width": 1920, "height": 1080}) as [visit],
    ):
        code = visit.page.locator("#room-invite .code")
        await code.wait_for()
        assert await text_of(visit, "#room-name") == sentence(title["id"])
        assert await text_of(visit, "#room-last") == ""
        # A camera of twelve megapixels sees a millimetre at three metres, and needs three for a
        # module: eleven pixels of a 24-inch screen.
        size = (await code.get_attribute("viewBox")).split()[-1]
        assert (await code.bounding_box())["width"] >= 11 * int(size)
        assert await visit.page.evaluate(CUT) == []
