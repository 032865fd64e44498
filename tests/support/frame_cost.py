"""What a frame of the page costs without a GPU, and what an hour of play leaves in its memory.

    .venv/bin/python tests/support/frame_cost.py [seconds]

A board of 61 cells with lights that breathe, at 1440 × 900, traced by Chromium: CPU ms of all its
threads a frame, by thread, and how many tasks of the page took more than 50 ms of CPU. Wall clock
says nothing on a busy machine. To compare two versions, give them in turns a `PYTHONPATH` with the
`host` of each.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter, defaultdict
from typing import Any

from browser import ONE_CHROMIUM
from local_page import create_app
from lumiban.boards import profile as profiles
from lumiban.web.serve import serve
from page_gallery import GalleryTable, Scene, scenes

PULSE = 4
LONG_US = 50_000
CATEGORIES = ["toplevel", "cc", "viz", "blink", "gpu", "devtools.timeline"]
COUNT = """() => {
    window.frames_seen = 0;
    const next = () => { window.frames_seen++; requestAnimationFrame(next); };
    requestAnimationFrame(next);
}"""


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


def top_tasks(events: list[dict[str, Any]]) -> dict[str, list[int]]:
    """CPU µs of each task that runs within no other, by the name of its thread."""
    names = {
        (event["pid"], event["tid"]): event["args"]["name"]
        for event in events
        if event.get("name") == "thread_name"
    }
    threads = defaultdict(list)
    for event in events:
        if event.get("ph") == "X" and "tdur" in event and "tts" in event:
            threads[event["pid"], event["tid"]].append((event["tts"], -event["tdur"]))
    out: dict[str, list[int]] = defaultdict(list)
    for thread, spans in threads.items():
        end = 0
        for start, length in sorted(spans):
            if start >= end:
                out[names.get(thread, "unnamed")].append(-length)
                end = start - length
    return out


async def measure(seconds: float) -> dict[str, Any]:
    """CPU ms a frame, by thread too, the frames, and the tasks above 50 ms of CPU."""
    page = await serve(create_app(GalleryTable(scene=breathing())), port=0)
    room = await ONE_CHROMIUM.room(viewport={"width": 1440, "height": 900})
    tab = await room.new_page()
    await tab.goto(page.url)
    await tab.wait_for_selector("#board .cell[aria-label]")
    await tab.wait_for_timeout(1500)
    await tab.evaluate(COUNT)
    browser = tab.context.browser
    await browser.start_tracing(page=tab, categories=CATEGORIES)
    await tab.wait_for_timeout(1000 * seconds)
    trace = json.loads(await browser.stop_tracing())["traceEvents"]
    frames = await tab.evaluate("window.frames_seen")
    await room.close()
    await page.close()
    await ONE_CHROMIUM.close()
    tasks = top_tasks(trace)
    threads = Counter({name: sum(spans) / 1000 / frames for name, spans in tasks.items()})
    return {
        "cpu_ms": round(sum(threads.values()), 1),
        "frames": frames,
        "threads": {name: round(ms, 2) for name, ms in threads.most_common(4)},
        "long_tasks": sum(span > LONG_US for span in tasks.get("CrRendererMain", [])),
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure(float(sys.argv[1]) if sys.argv[1:] else 10.0))))
