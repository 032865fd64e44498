"""What a page shows or asks at moments that come rarely: each was once wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import pytest
from browser import shown
from lumiban.table.requests import ErrorText
from page_gallery import GalleryTable, scene_of
from sentences import sentence

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
PEOPLE = ("human", "human")


@dataclass
class HeardTable(GalleryTable):
    """Keeps what it is asked to do, in `did`."""

    did: list[str] = field(default_factory=list)
    refuses: ErrorText | None = None

    async def command(self, request: Any, role: str) -> ErrorText | None:
        self.did.append(type(request).__name__)
        return self.refuses


class AssistedTable(GalleryTable):
    """The same where simulated hands set and lift the pieces."""

    def hello(self) -> dict[str, Any]:
        return {**super().hello(), "assisted": True, "simulated": True}


def seats(view: dict[str, Any], *who: str) -> list[dict[str, Any]]:
    pairs = zip(view["seats"], who, strict=True)
    return [{**seat, "who": one, "thinking": False} for seat, one in pairs]


@pytest.mark.parametrize(("way", "asked"), [("play", "NewGameRequest"), ("learn", "LessonRequest")])
async def test_from_the_mark_a_game_or_its_lesson_is_two_taps_away(way: str, asked: str) -> None:
    scene = scene_of("control", "calm")
    table = HeardTable(scene=scene)
    table.tell(scene, seats=seats(scene.view, *PEOPLE))
    async with shown(table, **PHONE) as visit:
        page = visit.page
        await page.tap("#open-drawer")
        await page.tap("#open-home")
        shown_games = await page.locator("#home-games .game").all_inner_texts()
        assert shown_games[:3] == ["Control", "Evening", "Trivia"]
        await page.tap("#home-network")
        assert await page.inner_text("#home-fault") == sentence("page.home.phones")
        await page.tap(f"#home-{way}")
        await page.tap("[data-game=control]")
        while asked not in table.did:
            await page.evaluate("1")
        await visit.until("() => !document.querySelector('#home').open")
        assert await page.get_attribute("#drawer", "data-open") is None


async def test_the_page_asks_what_to_play_only_where_nobody_has_said_it() -> None:
    class Cold(GalleryTable):
        def hello(self) -> dict[str, Any]:
            return {**super().hello(), "home": True}

    scene = scene_of("control", "calm")
    for table, moves, asks in (
        (Cold(scene=scene), [], True),
        (Cold(scene=scene), scene.view["moves"], False),
        (GalleryTable(scene=scene), [], False),
    ):
        table.tell(scene, moves=moves)
        async with shown(table) as visit:
            assert await visit.page.evaluate("document.querySelector('#home').open") is asks


async def test_a_dialog_hears_the_answer_to_its_own_form_and_gives_the_board_the_focus() -> None:
    scene = scene_of("control", "calm")
    table = HeardTable(scene=scene)
    table.tell(scene, seats=seats(scene.view, *PEOPLE))
    refusal: ErrorText = {"id": "table.no-such-game", "params": {"reason": "too large"}}
    async with shown(table) as visit:
        page = visit.page
        is_open = "document.querySelector('#new-dialog').open"
        await page.click("#new-game")
        table.refuses = refusal
        await page.click("#new-start")
        await visit.until("() => document.querySelector('#new-fault').textContent !== ''")
        assert await page.evaluate(is_open)
        table.refuses = None
        await page.click("#new-start")
        await visit.until(f"() => !{is_open}")
        await visit.until("() => document.activeElement.matches('.cell')")
        await page.keyboard.press("Space")
        assert not await page.evaluate(is_open), "the key is the board's"


async def test_hands_that_are_there_again_are_no_longer_told_to_be_away() -> None:
    """A change of boards may take longer than the page waits for it."""
    scene = scene_of("control", "calm")
    table, are_there = AssistedTable(scene=scene), False
    table.tell(scene)

    async def hands(socket: Any) -> None:
        if not are_there:
            socket.send('{"type": "error", "text": {"id": "page.error.simulator", "params": {}}}')
            await socket.close()

    async with shown(table) as visit:
        tone = "tone => document.querySelector('#turn').dataset.tone === tone"
        await visit.page.route_web_socket(re.compile("/hands"), hands)
        await visit.page.clock.install()
        await visit.page.reload()
        await visit.page.wait_for_selector("#board .cell[role=gridcell]")
        await visit.page.clock.run_for(5_000)
        await visit.until(tone, "error")
        are_there = True
        await visit.page.clock.run_for(10_000)
        await visit.until(tone, "calm")
