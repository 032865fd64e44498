"""The screen for a room at `/watch`: who plays, whose turn it is, what happened last, and how
somebody who stands there takes a seat; whole on a projector of 4:3 and a phone, dark by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser import Visit, visiting
from e2e.page.test_everybody import AXE, CUT, DESKTOP, PHONE, RUN
from lumiban.i18n import texts
from lumiban_lab.demo_hours import GAMES as DEMOS
from lumiban_lab.demo_hours import DemoTable
from network_bench import networked
from page_gallery import CLOCKS, GalleryTable, Scene, scenes, state_of
from sentences import says, sentence, waits

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

ROOM = {"width": 1920, "height": 1080}
PROJECTOR = {"width": 1024, "height": 768}
LYING = {"width": 844, "height": 390}
MACHINES = [{"side": side, "who": "bot:easy", "thinking": False} for side in (0, 1)]
REPAIRS = [id for id in texts("en") if id.startswith(("table.mend", "page.turn.mended"))]
PREPARES = ("page.turn.clearing", "page.turn.set-by-hands")
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


async def test_a_stone_takes_a_seat_only_where_the_page_has_bowls_of_stones() -> None:
    by_stone = {"control", "trivia"}
    for game in ("control", "trivia", "doves", "rengi"):
        scene = next(one for one in scenes() if one.game == game and not one.view["outcome"])
        table = GalleryTable(scene=scene)
        table.tell(scene, seats=MACHINES)
        hello, asked = {**table.hello(), "simulated": True}, list[Any]()
        table.hello = lambda hello=hello: hello  # type: ignore[method-assign]

        async def noted(request: Any, role: str, asked: list[Any] = asked) -> None:
            asked.append(request)

        table.command = noted  # type: ignore[method-assign]
        async with (
            networked(table) as lan,
            visiting([lan.owner_url, f"{lan.here.url}watch"]) as (
                mine,
                room,
            ),
        ):
            white = sentence("side." + scene.view["game"]["sides"][0])
            take = "page.room.take" if game in by_stone else "page.room.sit"
            assert await text_of(room, "#room-invite strong") == sentence(take, side=white)
            if game not in by_stone:
                continue
            for kind in (1, 2):
                await mine.page.press(f"#board .bowl[data-kind='{kind}']", "Enter")
            while len(asked) < 2:
                await mine.page.evaluate("1")
            assert [(one.side, one.who) for one in asked] == [(0, "human"), (1, "human")]


@pytest.mark.parametrize(
    "like",
    [
        pytest.param(n, id=one[0] + str(n), marks=[] if one[0] == "doves" else pytest.mark.long)
        for n, one in enumerate(DEMOS)
    ],
)
async def test_a_room_reads_of_no_repair_from_one_game_of_a_demo_into_the_next(
    like: int, tmp_path: Path
) -> None:
    """Each kind of view that a demo publishes, shown to a page: its own rule says what is read."""
    made = DemoTable(like, tmp_path)
    kinds: dict[tuple[Any, ...], Scene] = {}
    while made.finished < 1 or len(made.session.match.history.played) < 2:
        made.rest(50_000)
        view = dict(made.view)
        prompt = view["prompt"]
        asked = prompt.get("by"), *(step["do"] for step in prompt["steps"][:1])
        kind = (*state_of(view), *asked, not view["moves"])
        kinds[kind] = Scene(view["game"]["slug"], made.rig.profile.name, kind, view)
    table = GalleryTable(scene=next(iter(kinds.values())))
    hello = {**table.hello(), "simulated": True, "assisted": True}
    table.hello = lambda: hello  # type: ignore[method-assign]
    async with networked(table) as lan, visiting([f"{lan.here.url}watch"]) as [visit]:
        for scene in kinds.values():
            table.tell(scene)
            await visit.drawn(table.shown)
            told = await text_of(visit, "#sentence")
            assert not any(says(told, id) for id in REPAIRS), (told, scene.state)
            if scene.view["verdict"]["kind"] == "repair" and not scene.view["moves"]:
                assert any(says(told, id) for id in PREPARES), (told, scene.state)
    assert made.hung == []
    assert made.longest_preparing_us < 8_000_000


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
