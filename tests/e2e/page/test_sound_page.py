"""What a page sounds: each event its own sound once a gesture was made, nothing where the browser
forbids it, off by one key; a phone shakes unless motion is unwanted; sentences are spoken if asked.
"""

from __future__ import annotations

from typing import Any

import pytest
from browser import Visit, shown
from page_gallery import GalleryTable, Scene, scenes
from sentences import sentence

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

HEARS = """
    window.heard = [];
    // Playwright's own calls count as gestures.
    window.touched = false;
    addEventListener('keydown', () => { window.touched = true; }, true);
    Object.defineProperty(navigator, 'userActivation', {
        value: { get hasBeenActive() { return window.touched; } },
    });
    window.shaken = [];
    window.spoken = [];
    const param = () => ({ value: 0, setValueAtTime() {}, exponentialRampToValueAtTime() {} });
    const node = (more) => ({ connect: (to) => to, ...more });
    window.AudioContext = class {
        sampleRate = 8000; currentTime = 0; destination = node();
        resume() { return Promise.resolve(); }
        suspend() { return Promise.resolve(); }
        createGain() { return node({ gain: param() }); }
        createBiquadFilter() { return node({ frequency: param(), Q: param() }); }
        createBuffer(_, length) { return { getChannelData: () => new Float32Array(length) }; }
        createBufferSource() { return node({ start() { window.heard.push(0); }, stop() {} }); }
        createOscillator() {
            const frequency = param();
            return node({ frequency, start() { window.heard.push(frequency.value); }, stop() {} });
        }
    };
    navigator.vibrate = (pattern) => { window.shaken.push(pattern); return true; };
    window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
    Object.defineProperty(window, 'speechSynthesis', { value: {
        speak({ text, lang }) { window.spoken.push([lang, text]); }, cancel() {},
    } });
"""
WOOD, REFUSED, TURN, END = [0], [196, 156], [523, 659], [392, 494, 587]


def midgame() -> Scene:
    mine = (one for one in scenes() if one.game == "control" and one.state[0] == "agree")
    return max((one for one in mine if one.view["moves"]), key=lambda one: len(one.view["moves"]))


async def hears(visit: Visit, table: GalleryTable, **more: Any) -> Any:
    """The sounds of a view that is shown next."""
    table.tell(midgame(), **more)
    await visit.drawn(table.shown)
    return await visit.page.evaluate("window.heard.splice(0)")


async def test_each_event_has_its_sound_after_a_gesture_and_one_key_turns_them_off() -> None:
    scene = midgame()
    view = scene.view
    before: dict[str, Any] = {"moves": view["moves"][:-1], "to_move": [1], "outcome": None}
    now: dict[str, Any] = {"to_move": [1], "outcome": None}
    mine = {**now, "to_move": [0], "seats": [
        {"side": 0, "who": "human", "thinking": False},
        {"side": 1, "who": "bot:easy", "thinking": False},
    ]}  # fmt: skip
    refusal = {**view["verdict"], "kind": "refuse",
               "text": {"id": "refusal.control.opening-perimeter", "params": {}}}  # fmt: skip
    won = {"winner": 0, "text": {"id": "page.turn.draw", "params": {}}}
    table = GalleryTable(scene=scene)
    table.tell(scene, **before)
    async with shown(table, script=HEARS, has_touch=True) as visit:
        assert await hears(visit, table, **now) == [], "nobody has touched the page yet"
        await visit.page.keyboard.press("Escape")
        await hears(visit, table, **before)
        assert await hears(visit, table, **now) == WOOD
        assert await hears(visit, table, **mine) == TURN
        assert await hears(visit, table, **mine, verdict=refusal) == REFUSED
        assert await hears(visit, table, **mine, verdict=refusal) == [], "told once"
        assert await hears(visit, table, **{**mine, "outcome": won}) == END
        assert len(await visit.page.evaluate("window.shaken.splice(0)")) == 4
        # Sentences of the live region are spoken where somebody wants that, in the page's language.
        assert await visit.page.evaluate("window.spoken") == []
        await visit.page.evaluate("document.querySelector('#speech').click()")
        await hears(visit, table, **before)
        await hears(visit, table, **now)
        spoken = await visit.page.evaluate("window.spoken.splice(0)")
        assert spoken[0] == ["en", sentence("page.said.speech-on")]
        assert len(spoken) > 1
        # Less motion: a phone lies still. Off: nothing is heard.
        await visit.page.evaluate("window.shaken.splice(0)")
        await visit.page.emulate_media(reduced_motion="reduce")
        await hears(visit, table, **before)
        assert await hears(visit, table, **now) == WOOD
        assert await visit.page.evaluate("window.shaken") == []
        await visit.page.keyboard.press("m")
        assert await visit.page.inner_text("#said") == sentence("page.said.sound-off")
        await hears(visit, table, **before)
        assert await hears(visit, table, **now) == []
        assert not await visit.page.is_checked("#sound")
