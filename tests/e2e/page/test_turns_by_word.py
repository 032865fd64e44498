"""What the page asks of who makes a turn by a word, or sets up for a pie: on a phone too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from browser import Visit, shown
from page_gallery import GalleryTable, Scene
from sentences import sentence
from virtual_table import VirtualTable

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "is_mobile": True}
IN_SIGHT = """selector => [...document.querySelectorAll(selector)].every((one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return right > left && left >= 0 && right <= innerWidth && one.contains(over);
})"""


@dataclass
class Told(GalleryTable):
    """A table that shows what a game told, and keeps what it is asked."""

    async def command(self, request: Any, role: str) -> None:
        self.heard.append(({"do": type(request).__name__, "word": request.word}, role))


def table_of(slug: str, options: Mapping[str, int | str], words: Sequence[str] = ()) -> Told:
    table = VirtualTable(profile="hex5", game=slug, options=options, assists=("mend",))
    table.run(lambda table: table.view["verdict"]["kind"] == "agree" and table.view["v"] > 1)
    for side, word in enumerate(words):
        assert table.command("word", side=side, word=word) is None
    table.rest()
    return Told(scene=Scene(slug, "hex5", (), dict(table.view)))


async def asked(visit: Visit) -> str:
    return str(await visit.page.inner_text("#sentence"))


async def test_a_phone_names_a_komi_from_one_list_and_says_it_to_who_chooses() -> None:
    table = table_of("stigmergy", {"opening": "komi"})
    async with shown(table, **PHONE) as visit:
        assert await asked(visit) == sentence("page.may.say.komi")
        assert await visit.page.evaluate(IN_SIGHT, "#answers :is(select, button)")
        assert await visit.page.locator("#answers :is(select, button)").count() == 2
        offers = await visit.page.locator("#answers option").all_inner_texts()
        # As many as the 61 cells and one more, from White's most to Black's.
        assert offers == [
            *(sentence("word.komi.below", n=points) for points in range(62, 0, -1)),
            *(sentence("word.komi", n=points) for points in range(63)),
        ]
        await visit.page.select_option("#answers select", "komi 7")
        await visit.page.click("#answers button")
        while not table.heard:
            await visit.page.evaluate("1")
        assert table.heard[0][0]["word"] == "komi 7"
        named = table_of("stigmergy", {"opening": "komi"}, ["komi 7"])
        assert named.scene is not None
        table.tell(named.scene)
        await visit.until("() => document.querySelectorAll('#answers button').length === 2")
        assert (await asked(visit)).startswith(sentence("word.komi", n=7))
        assert await visit.page.locator("#counts tbody tr:last-child td").all_text_contents() == [
            "0",
            "7",
        ]


async def test_who_begins_a_pie_is_told_what_to_set_and_what_follows() -> None:
    table = table_of("tumbleweed", {})
    async with shown(table, **PHONE) as visit:
        stone = sentence("page.may.place.one", stone=sentence("page.stone.1"))
        assert await asked(visit) == f"{stone} {sentence('page.may.pie')}"
