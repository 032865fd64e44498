"""A scripted newcomer plays lessons and games to their end with only what the page says: with a
finger, by keys alone, and by the accessibility tree alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browser import Visit, hosted, visiting
from lumiban.i18n import text
from newcomer import Finger, Keys, Listener, Newcomer, Way, play_on

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
LIFT_TARGET = text("page.mark.lift-target")
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
        await visit.settings()
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


async def right(visit: Visit) -> None:
    """Wait until the lesson says that this was meant; confirm what waits for a word."""
    await visit.until(
        """() => document.querySelector('#lesson-said').dataset.tone === 'right'
            || document.querySelector('#answers button.main')"""
    )
    await visit.page.keyboard.press("c")
    await visit.until("() => document.querySelector('#lesson-said').dataset.tone === 'right'")


async def to_button(visit: Visit, selector: str) -> None:
    """Tab to this button, and press it."""
    for _ in range(80):
        if await visit.page.evaluate("at => document.activeElement.matches(at)", selector):
            await visit.page.keyboard.press("Enter")
            return
        await visit.page.keyboard.press("Tab")
    raise AssertionError(f"no Tab leads to {selector}")


def beside(name: str, east: int, north: int) -> str:
    return f"{chr(ord(name[0]) + east)}{int(name[1:]) + north}"


DOVES = (("A", None), ("T", None), ("A", None), ("M", (0, -2)), ("T", (-2, 0)), ("B", (-1, 1)))
"""The dove of each step, and where it goes from the own boss: (east, north), None: where it may."""
RENGI = (0, 0, 2, 0, 2)
"""How many columns to the right a pair is steered in each step."""
STEP = """n => document.querySelectorAll('#lesson-dots .done').length === n
    && document.querySelectorAll('#lesson-dots .now').length === 1
    && !document.querySelector('#lesson').hidden && !document.querySelector('#board .ghost')"""


async def test_the_doves_lesson_ends_by_keys_alone(tmp_path: Path) -> None:
    async with (
        hosted(tmp_path, "play", "doves") as host,
        visiting([host.url + "?lang=en"]) as [visit],
    ):
        keys = Keys(visit)
        await to_button(visit, "#open-settings")
        await to_button(visit, "#begin-lesson")

        async def press(name: str) -> None:
            at = await visit.middle(f'.cell[data-name="{name}"]')
            await keys.act(Way(f"cell {name}", name, at))

        for step, (letter, way) in enumerate(DOVES):
            await visit.until(STEP, step)
            view = await visit.view()
            names, labels = view["game"]["names"], view["labels"]
            boss = names[labels.index("B")]
            await press(names[labels.index(letter)])
            if way is None:
                target = await visit.page.wait_for_function(
                    """said => [...document.querySelectorAll('.cell[aria-label]')]
                        .find((one) => one.ariaLabel.includes(said))?.dataset.name""",
                    arg=LIFT_TARGET,
                )
                await press(await target.json_value())
            else:
                await press(beside(boss, *way))
            await right(visit)
            await to_button(visit, "#lesson-go .main")
        await visit.until("() => document.querySelector('#lesson').hidden")
        assert [seat["who"] for seat in (await visit.view())["seats"]] == ["human", "bot:gentle"]


async def test_rengis_lesson_ends_by_keys_alone(tmp_path: Path) -> None:
    async with (
        hosted(tmp_path, "play", "rengi") as host,
        visiting([host.url + "?lang=en"]) as [visit],
    ):
        await to_button(visit, "#open-settings")
        await to_button(visit, "#begin-lesson")
        for step, columns in enumerate(RENGI):
            await visit.until(STEP, step)
            await visit.until("() => !document.querySelector('#rengi-pad').hidden")
            for key in (*["ArrowRight"] * columns, "ArrowDown"):
                await visit.page.keyboard.press(key)
            await right(visit)
            await to_button(visit, "#lesson-go .main")
        await visit.until("() => document.querySelector('#lesson').hidden")
        assert [seat["who"] for seat in (await visit.view())["seats"]] == ["human", "bot:gentle"]
