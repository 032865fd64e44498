"""What the page costs: a frame of light touches no element, and an hour of views leaves no heap."""

from __future__ import annotations

from typing import Any

import pytest
from browser import Visit, shown
from lumiban.boards import profile as profiles
from page_gallery import GalleryTable, Scene, scenes

PULSE = 4

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


def breathing() -> Scene:
    """A scene of Control on the board of 61 cells, every light breathing, three stones lit."""
    board = profiles.load("hex5")
    scene = next(one for one in scenes() if one.game == "control" and one.board == "hex3")
    view = {
        **scene.view,
        "lights": [[1 + i % 3, PULSE] for i in range(board.lights)],
        "palette": [[0, 0, 0], [255, 160, 60], [60, 120, 255], [90, 220, 110]],
    }
    # The game's own cells are the first of this board's.
    view["game"] = {**view["game"], "cells": list(range(len(view["game"]["names"])))}
    return Scene("control", "hex5", ("breathing",), view)


TOUCHED = """() => new Promise((done) => {
    let touched = 0;
    let frames = 0;
    const watcher = new MutationObserver((records) => { touched += records.length; });
    const what = { subtree: true, childList: true, attributes: true, characterData: true };
    watcher.observe(document.querySelector('#stage'), what);
    const sum = () => {
        const glow = document.querySelector('#glow');
        const { data } = glow.getContext('2d').getImageData(0, 0, glow.width, glow.height);
        return data.reduce((all, one) => all + one, 0);
    };
    const first = sum();
    const next = () => {
        frames++;
        if (frames < 60 && (frames < 10 || sum() === first)) requestAnimationFrame(next);
        else done([touched, sum() !== first]);
    };
    requestAnimationFrame(next);
})"""


async def profiled(visit: Visit) -> Any:
    """Chromium's word on a page's memory."""
    session = await visit.page.context.new_cdp_session(visit.page)
    await session.send("HeapProfiler.enable")
    return session


async def kept(session: Any) -> tuple[float, int]:
    """Bytes of the heap and nodes that are left once all garbage is collected."""
    await session.send("HeapProfiler.collectGarbage")
    heap = await session.send("Runtime.getHeapUsage")
    counters = await session.send("Memory.getDOMCounters")
    return heap["usedSize"], counters["nodes"]


async def test_a_frame_of_light_touches_no_element_and_an_hour_of_views_leaves_no_heap(
    request: pytest.FixtureRequest,
) -> None:
    table = GalleryTable(scene=breathing())
    async with shown(table) as visit:
        # The first frame of light gives its canvases their size.
        await visit.drawn(0)
        assert await visit.page.evaluate(TOUCHED) == [0, True]
        session = await profiled(visit)
        is_whole = request.config.getoption("--all")
        mine = [scene for scene in scenes() if scene.board == "hex3"][:: 1 if is_whole else 3]

        async def rounds(count: int) -> tuple[float, int]:
            """Heap and nodes after all scenes were shown so often."""
            for _ in range(count):
                for scene in mine:
                    table.tell(scene)
                    await visit.page.evaluate("1")
            # The last view is drawn once the page has told its turn.
            await visit.page.evaluate("() => new Promise(requestAnimationFrame)")
            return await kept(session)

        # What the browser compiles on its own account has mostly come by then.
        await rounds(8)
        heap, nodes = await rounds(1)
        # At four seconds a move, an hour has 900 views.
        later, more = await rounds(30 if is_whole else 3)
        assert later < 1.05 * heap
        assert more <= 1.05 * nodes
