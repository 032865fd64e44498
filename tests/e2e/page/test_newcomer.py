"""A scripted newcomer plays lessons and games to their end with only what the page says: with a
finger, by keys alone, and by the accessibility tree alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browser import Visit, hosted, visiting
from newcomer import Finger, Keys, Listener, Newcomer, play_on

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
TAUGHT = {"control": ["-o", "size=2"], "evening": ["-o", "size=2"], "trivia": ["-o", "size=2"]}
GAMES = {**TAUGHT, "doves": [], "rengi": []}
AGAINST = ("--first", "human", "--second", "bot:gentle")
WAYS: dict[str, Callable[[Visit], Newcomer]] = {
    "finger": Finger,
    "keys": Keys,
    "tree": Listener,
}


def room(way: str) -> dict[str, Any]:
    """A phone for a finger, a desktop for who has keys."""
    return PHONE if way == "finger" else {}


@pytest.mark.long
@pytest.mark.parametrize("way", ["finger", "keys"])
@pytest.mark.parametrize("slug", list(TAUGHT))
async def test_a_newcomer_goes_through_a_lesson_and_into_a_first_game(
    tmp_path: Path, slug: str, way: str
) -> None:
    async with (
        hosted(tmp_path, "play", slug, *TAUGHT[slug]) as host,
        visiting([host.url + "?lang=en"], **room(way)) as [visit],
    ):
        if way == "finger":
            await visit.page.tap("#open-drawer")
        # A key goes to whatever has the focus where the button is not shown yet.
        await visit.page.wait_for_selector("#begin-lesson")
        await visit.page.press("#begin-lesson", "Enter")
        await visit.until("() => !document.querySelector('#lesson').hidden")
        await play_on(visit, [WAYS[way](visit)], 150, "out of the lesson")
        view = await visit.view()
        assert [seat["who"] for seat in view["seats"]] == ["human", "bot:gentle"]
        assert "lesson" not in view


@pytest.mark.long
@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize("slug", list(GAMES))
async def test_a_newcomer_plays_a_game_to_its_end(tmp_path: Path, slug: str, way: str) -> None:
    async with (
        hosted(tmp_path, "play", slug, *GAMES[slug], *AGAINST) as host,
        visiting([host.url + "?lang=en"], **room(way)) as [visit],
    ):
        await play_on(visit, [WAYS[way](visit)], 400, "over")
        assert (await visit.view())["outcome"] is not None


async def test_finger_keys_and_tree_in_turns_play_a_game_to_its_end(tmp_path: Path) -> None:
    async with (
        hosted(tmp_path, "play", "control", *GAMES["control"], *AGAINST) as host,
        visiting([host.url + "?lang=en"], **PHONE) as [visit],
    ):
        await visit.my_turn()
        async with visit.tells("place on .*a1", "#said"):
            await visit.page.keyboard.press("l")
        await play_on(visit, [WAYS[way](visit) for way in WAYS], 400, "over")
        assert (await visit.view())["outcome"] is not None
        async with visit.tells("White: .*Black: ", "#said"):
            await visit.page.keyboard.press("b")
