"""A scripted newcomer with a finger plays lessons and games to their end, with only what the page
says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser import hosted, visiting
from newcomer import Newcomer

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
GAMES = {"control": ["-o", "size=2"], "evening": ["-o", "size=2"], "trivia": ["-o", "size=2"]}


@pytest.mark.long
@pytest.mark.parametrize("slug", list(GAMES))
async def test_a_newcomer_taps_through_a_lesson_and_into_a_first_game(
    tmp_path: Path, slug: str
) -> None:
    async with (
        hosted(tmp_path, "play", slug, *GAMES[slug]) as host,
        visiting([host.url + "?lang=en"], **PHONE) as [visit],
    ):
        await visit.page.tap("#open-drawer")
        await visit.page.tap("#begin-lesson")
        await visit.until("() => !document.querySelector('#lesson').hidden")
        newcomer = Newcomer(visit)
        await newcomer.tap_on(150, "out of the lesson")
        view = await visit.view()
        assert [seat["who"] for seat in view["seats"]] == ["human", "bot:gentle"]
        assert "lesson" not in view


WHOLE = {**GAMES, "doves": [], "rengi": []}


@pytest.mark.parametrize(
    "slug",
    [slug if slug == "control" else pytest.param(slug, marks=pytest.mark.long) for slug in WHOLE],
)
async def test_a_newcomer_taps_a_game_to_its_end(tmp_path: Path, slug: str) -> None:
    seats = ["--first", "human", "--second", "bot:gentle"]
    async with (
        hosted(tmp_path, "play", slug, *WHOLE[slug], *seats) as host,
        visiting([host.url + "?lang=en"], **PHONE) as [visit],
    ):
        newcomer = Newcomer(visit)
        await newcomer.tap_on(400, "over")
        view = await visit.view()
        assert view["outcome"] is not None
