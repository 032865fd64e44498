"""All games at the page, in a real browser on a real table: turns of three stones, no turns at
all, doves with names, past positions, the dialog for a new game."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest
from browser import Visit, hosted, visiting
from sentences import sentence

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PEOPLE = ("--new", "--first", "human", "--second", "human")
TRIVIA = ("play", "trivia", *PEOPLE, "--profile", "grid9x9", "-o", "size=3")
EVENING = ("play", "evening", *PEOPLE, "-o", "size=3")
DOVES = ("play", "doves", *PEOPLE, "--profile", "grid9x9")


def at(name: str) -> str:
    return f'.cell[data-name="{name}"]'


async def tap(visit: Visit, selector: str) -> None:
    await visit.page.mouse.click(*await visit.middle(selector))


async def says(visit: Visit, text: str) -> None:
    await visit.until("t => document.querySelector('#sentence').textContent.includes(t)", text)


async def stones(visit: Visit, count: int) -> None:
    await visit.until(
        "n => document.querySelectorAll('.stones .stone:not(.gone)').length === n", count
    )


async def count(visit: Visit, count: int) -> list[str]:
    """Exactly so many moves; as people read them."""
    await visit.until("n => document.querySelectorAll('#moves button').length === n", count)
    return [move["said"] for move in (await visit.view())["moves"]]


async def label(visit: Visit, name: str) -> str:
    text: str = await visit.page.get_attribute(at(name), "aria-label")
    return text


# Trivia.


async def test_a_turn_of_three_stones_is_placed_by_mouse_and_looked_back_on(tmp_path: Path) -> None:
    async with hosted(tmp_path, *TRIVIA) as host, visiting([host.url]) as [visit]:
        await says(visit, sentence("page.may.owed", pieces="1 white"))
        await tap(visit, at("b2"))
        await says(visit, "2 black, 1 red")
        assert await visit.page.locator(".mark-may-place-neutral").count() == 0
        await tap(visit, at("a1"))
        await says(visit, "1 black, 1 red")
        await tap(visit, at("b1"))
        await says(visit, sentence("page.may.owed", pieces="1 red"))
        assert await visit.page.locator(".mark-may-place-neutral").count() == 6
        await tap(visit, at("c1"))
        assert await count(visit, 4) == ["b2", "a1", "b1", "red c1"]
        heads = await visit.page.locator("#counts thead th").all_inner_texts()
        assert heads[1:] == ["Stones", sentence("game.trivia.count.territory")]
        await stones(visit, 4)
        await visit.page.click("[data-step=back]")
        await stones(visit, 3)
        await visit.page.click('#moves [data-n="1"]')
        await stones(visit, 1)
        assert await label(visit, "b2") == "b2, white stone"
        await visit.page.get_by_text(sentence("page.past.back")).click()
        await stones(visit, 4)
        assert (await label(visit, "c1")).startswith("c1, neutral stone")


async def test_where_a_board_cannot_tell_stones_apart_the_page_says_their_order(
    tmp_path: Path,
) -> None:
    of_switches = ("play", "trivia", *PEOPLE, "--profile", "breadboard8", "-o", "size=3")
    async with hosted(tmp_path, *of_switches) as host, visiting([host.url]) as [visit]:
        await says(visit, sentence("page.may.owed", pieces="1 white"))
        await tap(visit, at("b2"))
        await says(visit, sentence("page.may.in-order", first="2 black", then="1 red"))


# Evening.


async def test_two_people_play_evening_at_once_by_mouse_and_by_keys(tmp_path: Path) -> None:
    async with hosted(tmp_path, *EVENING) as host, visiting([host.url]) as [visit]:
        page = visit.page
        await visit.until(
            "() => document.querySelector('#headline').textContent === 'White to move'"
        )
        await tap(visit, at("c3"))
        await visit.until(
            "() => document.querySelector('#headline').textContent === 'Both may place'"
        )
        assert await page.locator('.open [data-open="1"]').count() == 6
        assert await page.locator('.open [data-open="0"]').count() == 0
        assert "open to Black" in await label(visit, "c4")
        assert "closed" in await label(visit, "e1")
        # The keyboard is Black's, the mouse White's: a white stone is dead here.
        await tap(visit, at("c4"))
        await visit.until("() => document.querySelectorAll('.dead > g').length === 1")
        assert "dead" in await label(visit, "c4")
        await tap(visit, at("c4"))
        await visit.until("() => document.querySelectorAll('.dead > g').length === 0")
        await page.focus(at("c4"))
        await page.keyboard.press("Enter")
        assert await count(visit, 2) == ["wc3", "bc4"]
        await visit.until("() => document.querySelectorAll('.open [data-open=\"0\"]').length > 0")
        await page.keyboard.press("s")
        await visit.until(
            "() => document.querySelector('#turnless [data-side=\"1\"]').ariaPressed === 'true'"
        )
        await page.click('#turnless [data-side="0"]')
        await visit.until("() => document.querySelector('#headline').textContent === 'Black wins'")


# Doves.


async def ready(visit: Visit) -> None:
    """All doves are at their places, and not before that it is said what may be done."""
    await says(visit, "Put a dove from your")
    view = await visit.view()
    assert view["sensed"] == view["pieces"]


async def where(visit: Visit, letter: str) -> str:
    view = await visit.view()
    name: str = view["game"]["names"][view["labels"].index(letter)]
    return name


async def test_doves_are_put_from_the_tray_and_moved(tmp_path: Path) -> None:
    async with hosted(tmp_path, *DOVES) as host, visiting([host.url]) as [visit]:
        await ready(visit)
        assert await visit.page.locator(".trays .tray").count() == 2
        boss = await where(visit, "B")
        assert (await label(visit, boss)).startswith(f"{boss}, boss B of Red")
        # Who does not see hears a refusal each time, also where it is the same one.
        await visit.page.evaluate(
            """() => {
                window.refusals = 0;
                const refused = document.querySelector('#refused');
                new MutationObserver(() => {
                    window.refusals += refused.textContent !== '';
                }).observe(refused, { childList: true });
            }"""
        )
        for times in (1, 2):
            await tap(visit, at("d5"))
            await visit.until("times => window.refusals === times", times)
        # A view that comes while the hand is on its way: the page still knows what it lifts.
        await visit.page.evaluate(
            """() => document.addEventListener("pointerup", () => {
                const hint = document.querySelector("#hint");
                hint.value = "control";
                hint.dispatchEvent(new Event("change"));
            }, { once: true })"""
        )
        await tap(visit, at(await where(visit, "T")))
        await visit.until("() => document.querySelectorAll('.mark-lift-target').length > 0")
        await tap(visit, at("d5"))
        assert await count(visit, 1) == ["+Td5"]
        await visit.until(
            "() => document.querySelector('#headline').textContent === 'Green to move'"
        )
        await tap(visit, at(await where(visit, "b")))
        await visit.until("() => document.querySelectorAll('.mark-lift-target').length > 0")
        await tap(visit, at("f6"))
        assert (await count(visit, 2))[1] == "be6-f6"
        await visit.page.click('#moves [data-n="1"]')
        await visit.until("() => document.querySelectorAll('.stones .dove').length === 12")
        shown = visit.page.locator('.stones .dove[data-name="b"]')
        x, y = await visit.middle('.stones .dove[data-name="b"]')
        assert await shown.count() == 1
        assert (await visit.middle(at("e6"))) == pytest.approx((x, y), abs=12)


async def test_without_a_tray_the_table_asks_which_dove_it_was(tmp_path: Path) -> None:
    words = (*DOVES, "-o", "tray=off")
    async with hosted(tmp_path, *words) as host, visiting([host.url]) as [visit]:
        await ready(visit)
        assert await visit.page.locator('.bowl[data-kind="1"] ~ .pile .dove').count() == 5
        await tap(visit, at("d5"))
        button = visit.page.get_by_role("button", name="Put the tower dove T of Red: +Td5")
        await button.click()
        assert await count(visit, 1) == ["+Td5"]
        # Taken by name from the bowl it is not asked for.
        await visit.until(
            "() => document.querySelector('#headline').textContent === 'Green to move'"
        )
        # A key takes one, and so does a screen reader, which clicks without a pointer.
        await visit.page.focus('.bowl[data-kind="2"]')
        await visit.page.keyboard.press("Enter")
        await visit.page.dispatch_event('.bowl[data-kind="2"]', "click")
        assert "yard dove y of Green" in await visit.page.get_attribute(
            '.bowl[data-kind="2"]', "aria-label"
        )
        await tap(visit, at("f7"))
        assert (await count(visit, 2))[1] == "+yf7"


# A new game.


async def test_the_dialog_offers_presets_and_tells_reasons(tmp_path: Path) -> None:
    async with hosted(tmp_path, *EVENING) as host, visiting([host.url]) as [visit]:
        page = visit.page
        await visit.until(
            "() => document.querySelector('#headline').textContent === 'White to move'"
        )
        await page.click("#new-game")
        assert not await page.is_disabled("#new-game-trivia"), "another board is simulated for it"
        sizes = await page.locator("#new-option-size option").all_inner_texts()
        assert sizes == [str(size) for size in range(2, 10)], "those of all simulated boards"
        await page.select_option("#new-preset", "interleave")
        assert await page.input_value("#new-option-sees") == "sight"
        assert await page.inner_text("#new-about") == sentence("game.evening.rule.sight")
        await page.select_option("#new-preset", "ludii")
        assert await page.inner_text("#new-about") == sentence("game.evening.rule.trailing")
        await page.select_option("#new-preset", "interleave")
        await page.select_option("#new-option-size", "3")
        assert await page.input_value("#new-preset") == "", "another size is one's own choice"
        await page.select_option("#new-option-cells", "…")
        await page.fill("#new-text-cells", "square")
        await page.click("#new-start")
        await visit.until(
            "() => document.querySelector('#new-fault').textContent.includes('hex cells')"
        )
        assert await page.is_visible("#new-dialog")
        await page.fill("#new-text-cells", "0,0 1,0 0,1 1,1 2,0")
        await page.select_option("#new-option-opening", "single")
        await page.click("#new-start")
        await page.wait_for_selector("#new-dialog", state="hidden")
        await visit.until("() => document.querySelectorAll('.cell[role=gridcell]').length === 5")
        game: dict[str, Any] = (await visit.view())["game"]
        assert game["options"]["sees"] == "sight"
        # A larger one is played on the simulated board that has room for it.
        await page.click("#new-game")
        await page.select_option("#new-option-cells", "hexagon")
        await page.select_option("#new-option-size", "6")
        await page.click("#new-start")
        await visit.until("() => document.querySelectorAll('.cell[role=gridcell]').length === 91")


# Ways of keys, and the end of the host.


async def test_when_lumiban_has_ended_the_page_says_how_to_go_on(tmp_path: Path) -> None:
    async with hosted(tmp_path, *TRIVIA) as host, visiting([host.url]) as [visit]:
        await says(visit, "1 white")
        await host.end(signal.SIGINT)
        await visit.until(
            "(said) => document.querySelector('#banner').textContent.includes(said)",
            sentence("page.ended"),
        )
