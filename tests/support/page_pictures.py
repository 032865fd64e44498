"""Pictures of the page for docs/page-pictures.md:

.venv/bin/python tests/support/page_pictures.py docs/pictures
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from browser import ONE_CHROMIUM
from local_page import create_app
from lumiban.web.serve import serve
from page_gallery import CLOCKS, GalleryTable, scene_of

SIZES = {
    "desktop": (1440, 900),
    "laptop": (1024, 768),
    "phone": (390, 844),
    "small": (360, 640),
    "lying": (844, 390),
}
ROWS = (
    ("desktop", "monochrome", "ja", "light", "control", "clock"),
    ("lying", "standard", "ja", "dark", "evening", "names"),
    ("phone", "monochrome", "en", "dark", "trivia", "refused"),
    ("small", "blue-orange", "en", "dark", "control", "waiting"),
    ("laptop", "blue-orange", "en", "dark", "evening", "clock"),
    ("small", "monochrome", "ja", "light", "evening", "calm"),
    ("desktop", "blue-orange", "ja", "light", "doves", "names"),
    ("desktop", "blue-orange", "en", "dark", "evening", "refused"),
    ("laptop", "standard", "en", "dark", "control", "over"),
    ("phone", "blue-orange", "en", "dark", "doves", "calm"),
    ("laptop", "blue-orange", "en", "dark", "control", "refused"),
    ("small", "blue-orange", "en", "dark", "rengi", "calm"),
)
"""Size, theme, language, brightness, game and kind of state of each picture."""


async def picture(folder: Path, row: tuple[str, ...]) -> None:
    """Save the page as this row wants it, once it stands still."""
    size, theme, language, scheme, game, state = row
    width, height = SIZES[size]
    scene = scene_of(game, state)
    table = GalleryTable(scene=scene)
    table.tell(scene, theme=theme, **({"clock": CLOCKS} if state == "clock" else {}))
    page = await serve(create_app(table), port=0)
    touch: dict[str, Any] = {"has_touch": True, "is_mobile": True} if width < 1024 else {}
    room = await ONE_CHROMIUM.room(
        viewport={"width": width, "height": height},
        color_scheme=scheme,
        reduced_motion="reduce",
        **touch,
    )
    tab = await room.new_page()
    if state == "names":
        await tab.add_init_script("localStorage.setItem('lumiban.labels', 'on')")
    await tab.goto(f"{page.url}?lang={language}")
    await tab.wait_for_selector("#board .cell[aria-label]")
    await tab.wait_for_timeout(400)
    await tab.screenshot(path=folder / f"page-{game}-{state}-{size}.jpg", quality=60)
    await room.close()
    await page.close()


async def main(folder: Path) -> None:
    for row in ROWS:
        await picture(folder, row)
    await ONE_CHROMIUM.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
