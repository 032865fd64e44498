"""Pictures of the page, some forty of them: every pair of size, theme, language, brightness, game
and kind of state is in one at least.

    .venv/bin/python tests/support/page_pictures.py FOLDER [NUMBER ...]
    .venv/bin/python tests/support/page_pictures.py docs/pictures best

They are for eyes: contact sheets (`sheet-N.png`) show them together. The twelve best stand in
docs/page-pictures.md.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
from pathlib import Path
from typing import Any

from browser import ONE_CHROMIUM
from local_page import create_app
from lumiban.web.serve import serve
from page_gallery import CLOCKS, THEMES, GalleryTable, Scene, scenes

SIZES = {
    "desktop": (1440, 900),
    "laptop": (1024, 768),
    "phone": (390, 844),
    "small": (360, 640),
    "lying": (844, 390),
}
GAMES = ("control", "evening", "trivia", "doves", "rengi", "chain-power")
STATES = ("calm", "clock", "names", "refused", "waiting", "mend", "over")
FACTORS: tuple[tuple[str, ...], ...] = (
    tuple(SIZES),
    THEMES,
    ("en", "ja"),
    ("dark", "light"),
    GAMES,
    STATES,
)
Row = tuple[str, ...]
SHEET = 10
BEST = (2, 4, 6, 7, 10, 13, 15, 19, 21, 25, 30, 37)


def pairwise() -> list[Row]:
    """Rows of one value a factor, few of them, that hold every pair of values of two factors."""
    places = list(itertools.combinations(range(len(FACTORS)), 2))
    left = {(a, b, x, y) for a, b in places for x in FACTORS[a] for y in FACTORS[b]}
    rows: list[Row] = []
    everything = sorted(itertools.product(*FACTORS))
    while left:
        best = max(
            everything, key=lambda row: sum((a, b, row[a], row[b]) in left for a, b in places)
        )
        rows.append(best)
        left -= {(a, b, best[a], best[b]) for a, b in places}
    return rows


def scene_of(game: str, state: str) -> Scene:
    """The scene of a game that has most moves in this kind of state; where it has none, any."""

    def fits(scene: Scene) -> bool:
        kind, over = scene.state[0], "over" in scene.state
        return {
            "refused": kind == "refuse",
            "waiting": kind in ("wait", "choose"),
            "mend": kind == "repair",
            "over": over,
        }.get(state, kind == "agree" and not over)

    mine = [scene for scene in scenes() if scene.game == game]
    return max(filter(fits, mine), key=lambda scene: len(scene.view["moves"]), default=mine[-1])


async def picture(row: Row, path: Path) -> None:
    """The page as this row wants it, once it stands still."""
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
    small: dict[str, Any] = {"quality": 60} if path.suffix == ".jpg" else {}
    await tab.screenshot(path=path, **small)
    await room.close()
    await page.close()


async def sheet(paths: list[Path], path: Path) -> None:
    """All these on one picture, their names below them."""
    room = await ONE_CHROMIUM.room(viewport={"width": 1600, "height": 1000})
    tab = await room.new_page()
    cells = "".join(
        f'<figure><img src="{one.as_uri()}"><figcaption>{one.stem}</figcaption></figure>'
        for one in paths
    )
    html = path.with_suffix(".html")
    html.write_text(
        "<style>body{display:flex;flex-wrap:wrap;gap:6px;margin:6px;font:12px sans-serif}"
        "figure{margin:0}img{height:460px;max-width:420px;object-fit:contain}</style>" + cells
    )
    await tab.goto(html.as_uri())
    await tab.screenshot(path=path, full_page=True)
    html.unlink()
    await room.close()


async def main(folder: Path, wanted: set[int]) -> None:
    """Take the pictures, all or those of some numbers, and the sheets."""
    folder.mkdir(parents=True, exist_ok=True)
    taken = []
    for number, row in enumerate(pairwise(), 1):
        if wanted and number not in wanted:
            continue
        path = folder / f"{number:02}-{'-'.join(row)}.png"
        await picture(row, path)
        taken.append(path)
    for first in range(0, len(taken), SHEET):
        await sheet(taken[first : first + SHEET], folder / f"sheet-{first // SHEET + 1}.png")
    await ONE_CHROMIUM.close()


async def keep_best(folder: Path) -> None:
    """Take the best anew, as small files."""
    rows = pairwise()
    for number in BEST:
        row = rows[number - 1]
        await picture(row, folder / f"page-{row[4]}-{row[5]}-{row[0]}.jpg")
    await ONE_CHROMIUM.close()


if __name__ == "__main__":
    where, *words = sys.argv[1:]
    best = words == ["best"]
    asyncio.run(keep_best(Path(where)) if best else main(Path(where), {*map(int, words)}))
