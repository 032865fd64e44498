"""Whatever a page is told, and in whichever order, it is drawn on the board of the game that it
has: no listener finds the cells of the game before."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from browser import CHROMIUM, DRAWN, ONE_CHROMIUM
from local_page import create_app
from lumiban.web.serve import serve
from page_gallery import GalleryTable, Scene
from page_pictures import scene_of

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

LINES = """
    window.lines = [];
    window.WebSocket = class {
        constructor(address) {
            this.path = new URL(address).pathname;
            window.lines.push(this);
        }
        send() {
            setTimeout(() => this.onmessage?.({ data: '{"type": "heard"}' }));
        }
        close() {}
    };
    window.hear = (path, message) => {
        for (const line of window.lines.filter((one) => one.path === path && one.onmessage)) {
            if (!line.isOpen) line.onopen();
            line.isOpen = true;
            line.onmessage({ data: JSON.stringify(message) });
        }
    };
"""
"""Lines on which a test says what comes, and when: nothing comes in between."""

GAMES = ("control", "evening", "trivia", "doves", "rengi")
WAY = (GAMES[0], *(GAMES[n * far % 5] for far in range(1, 5) for n in range(1, 6)))
"""Each game changed into each other one once."""


def hello(scene: Scene) -> dict[str, Any]:
    told = GalleryTable(scene=scene).hello()
    return {**told, "type": "hello", "role": "host", "simulated": True, "side": None}


def view(scene: Scene) -> dict[str, Any]:
    return {**scene.view, "type": "view", "v": 1}


def world(scene: Scene) -> dict[str, Any]:
    cells = len(hello(scene)["profile"]["cells"])
    return {"type": "world", "profile": hello(scene)["profile"]["name"], "kinds": [0] * cells}


TELLS = """(told) => {
    const language = document.querySelector('#language');
    const key = () => new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true });
    for (const [path, message] of told) {
        window.hear(path, message);
        for (const id of ['labels', 'field']) document.querySelector(`#${id}`).click();
        if (language.value) {
            language.value = language.value === 'ja' ? 'en' : 'ja';
            language.dispatchEvent(new Event('change'));
        }
        document.querySelector('#moves button')?.click();
        document.dispatchEvent(key());
    }
}"""
"""What comes, and what somebody does meanwhile: each tells topics of its own to the listeners."""


ROUND = WAY[:6]
"""Each game changed into another one once."""


@pytest.mark.parametrize(
    ("places", "hidden", "way"),
    [
        pytest.param((0, 1), False, ROUND, id="seen"),
        pytest.param((0,), True, ROUND, id="no-room"),
        pytest.param((0, 1), False, WAY, id="seen-all", marks=pytest.mark.long),
        pytest.param((0,), True, WAY, id="no-room-all", marks=pytest.mark.long),
    ],
)
async def test_no_listener_is_called_before_the_board_of_the_game_is_drawn(
    places: tuple[int, ...], hidden: bool, way: tuple[str, ...]
) -> None:
    if CHROMIUM is None:
        pytest.skip("no Chromium here: install chromium-headless-shell or chromium")
    served = await serve(create_app(GalleryTable(scene=scene_of("control", "calm"))), port=0)
    room = await ONE_CHROMIUM.room(viewport={"width": 1440, "height": 900})
    await room.add_init_script(LINES)
    page = await room.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda told: faults.append(told.text) if "Error" in told.text else None)
    try:
        await page.goto(served.url)
        await page.wait_for_function("() => window.lines.length > 0")
        first = scene_of(GAMES[0], "calm")
        await page.evaluate(TELLS, [("/ws", hello(first)), ("/ws", view(first))])
        if hidden:  # a window may be made so small that nothing is left for the board
            await page.evaluate("document.querySelector('#stage').style.display = 'none'")
            await page.evaluate(DRAWN)
        for place in places:
            for before, after in pairwise(way):
                scene = scene_of(after, "calm")
                # The simulator tells of its new board before the table does, or in between.
                told = [("/ws", hello(scene)), ("/ws", view(scene))]
                told.insert(place, ("/hands", world(scene)))
                await page.evaluate(TELLS, told)
                assert faults == [], (before, after, place)
    finally:
        await room.close()
        await served.close()
