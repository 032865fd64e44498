"""What a frame of the page costs, in CPU ms of all of Chromium's processes, without a GPU.

    .venv/bin/python tests/support/frame_cost.py [seconds]

A board of 61 cells with lights that breathe, at 1440 × 900. Wall clock says nothing on a busy
machine: frames are counted, and the processes' own CPU time is divided by them.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from browser import ONE_CHROMIUM
from lumiban.boards import profile as profiles
from lumiban.web.app import create_app
from lumiban.web.serve import serve
from page_gallery import GalleryTable, Scene, scenes

PULSE = 4
COUNT = """() => {
    window.frames_seen = 0;
    const next = () => { window.frames_seen++; requestAnimationFrame(next); };
    requestAnimationFrame(next);
    window.long_tasks = 0;
    new PerformanceObserver((list) => { window.long_tasks += list.getEntries().length; })
        .observe({ type: "longtask" });
}"""


def breathing() -> Scene:
    """The last scene of Control on the board of 61 cells, every light breathing."""
    board = profiles.load("hex5")
    scene = next(one for one in reversed(scenes()) if one.game == "control")
    view = {
        **scene.view,
        "lights": [[1 + i % 3, PULSE] for i in range(board.lights)],
        "palette": [[0, 0, 0], [255, 160, 60], [60, 120, 255], [90, 220, 110]],
    }
    # The game's own cells are the first of this board's.
    view["game"] = {**view["game"], "cells": list(range(len(view["game"]["names"])))}
    return Scene("control", "hex5", ("breathing",), view)


async def cpu_s(session: Any) -> float:
    """CPU time of all processes of the browser so far."""
    told = await session.send("SystemInfo.getProcessInfo")
    return float(sum(process["cpuTime"] for process in told["processInfo"]))


async def measure(seconds: float) -> dict[str, float]:
    """CPU ms a frame, frames, and how many tasks took more than 50 ms by the clock."""
    page = await serve(create_app(GalleryTable(scene=breathing())), port=0)
    room = await ONE_CHROMIUM.room(viewport={"width": 1440, "height": 900})
    tab = await room.new_page()
    await tab.goto(page.url)
    await tab.wait_for_selector("#board .cell[aria-label]")
    session = await tab.context.browser.new_browser_cdp_session()
    await tab.wait_for_timeout(2000)
    await tab.evaluate(COUNT)
    before, seen = await cpu_s(session), await tab.evaluate("window.frames_seen")
    await tab.wait_for_timeout(1000 * seconds)
    after, last = await cpu_s(session), await tab.evaluate("window.frames_seen")
    long = await tab.evaluate("window.long_tasks")
    await room.close()
    await page.close()
    await ONE_CHROMIUM.close()
    return {
        "cpu_ms": round(1000 * (after - before) / (last - seen), 1),
        "frames": last - seen,
        "long_tasks": long,
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure(float(sys.argv[1]) if sys.argv[1:] else 10.0))))
