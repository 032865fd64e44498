"""Ten seconds of the page as an animated WebP: two bots at Control on a simulated board, whose
simulated hands set their stones.

    .venv/bin/python tests/support/film.py docs/pictures/table.webp

README shows it. Pillow writes it, which comes with matplotlib.
"""

from __future__ import annotations

import asyncio
import base64
import io
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

from browser import ONE_CHROMIUM, hosted, visiting
from PIL import Image

LASTS_S, FRAMES_A_S = 10.0, 8
SIZE = {"width": 960, "height": 600}
FIRST_MOVES = 5
"""So many moves are played before the film begins: there is something to see."""


async def filmed(state: Path) -> list[tuple[float, bytes]]:
    """Pictures, JPEG, each with its time in s: the browser tells one whenever another is seen."""
    taken: list[tuple[float, bytes]] = []
    more: dict[str, Any] = {"viewport": SIZE, "color_scheme": "dark"}
    async with (
        hosted(state, "demo", "--new") as host,
        visiting([host.owner_url], **more) as [visit],
    ):
        await visit.page.select_option("#hint", "control", force=True)
        await visit.moves(FIRST_MOVES)
        browser = await visit.page.context.new_cdp_session(visit.page)
        begun = time.monotonic()

        def take(told: dict[str, Any]) -> None:
            now = time.monotonic() - begun
            if not taken or now >= taken[-1][0] + 1 / FRAMES_A_S:
                taken.append((now, base64.b64decode(told["data"])))
            got = browser.send("Page.screencastFrameAck", {"sessionId": told["sessionId"]})
            acknowledged.append(asyncio.ensure_future(got))

        acknowledged: list[Any] = []
        browser.on("Page.screencastFrame", take)
        await browser.send("Page.startScreencast", {"format": "jpeg", "quality": 95})
        await asyncio.sleep(LASTS_S)
        await browser.send("Page.stopScreencast")
        await asyncio.gather(*acknowledged)
    return [(at - taken[0][0], picture) for at, picture in taken if at < LASTS_S]


def written(taken: list[tuple[float, bytes]], path: Path) -> None:
    """One file of these pictures, each shown until the next one."""
    first, *others = (Image.open(io.BytesIO(picture)) for _, picture in taken)
    times = [*(at for at, _ in taken), LASTS_S]
    lasts = [round(1000 * (after - at)) for at, after in pairwise(times)]
    first.save(
        path, save_all=True, append_images=others, duration=lasts, loop=0, quality=60, method=4
    )


async def main(path: Path) -> None:
    """Film, and write."""
    with tempfile.TemporaryDirectory() as state:
        written(await filmed(Path(state)), path)
    await ONE_CHROMIUM.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
