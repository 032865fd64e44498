"""What comes rarely at a table, shown from a scripted view: a photo finish, a time out, stones of
light, an audit, a table that is too slow for play without turns, a sensor that is silent."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from browser import Visit, shown
from scripted_evening import EveningTable
from sentences import sentence, waits

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


class AssistedTable(EveningTable):
    """The same where simulated hands set the machine's pieces."""

    def hello(self) -> dict[str, Any]:
        return {**super().hello(), "assisted": True, "simulated": True}


@pytest_asyncio.fixture(loop_scope="session")
async def table() -> EveningTable:
    return EveningTable()


@pytest_asyncio.fixture(loop_scope="session")
async def visit(table: EveningTable) -> AsyncIterator[Visit]:
    async with shown(table) as visit:
        yield visit


def race(winner: int, **more: Any) -> dict[str, Any]:
    figures = {"cell": 0, "by_us": 3200, "uncertainty_us": 1100, "tie": False, "text": None}
    return {**figures, "winner": winner, **more}


async def panel(visit: Visit, text: str) -> None:
    await visit.until("t => document.querySelector('#turnless').textContent.includes(t)", text)


HEADLINE = "said => document.querySelector('#headline').textContent === said"


async def heard(visit: Visit, table: EveningTable, message: dict[str, Any]) -> None:
    while message not in [said for said, _ in table.heard]:
        await visit.page.evaluate("1")


async def test_a_photo_finish_is_told_with_its_figures(visit: Visit, table: EveningTable) -> None:
    table.tell(race=race(0))
    await panel(visit, "White, by 3.2 ms ± 1.1")
    size = await visit.page.evaluate(
        "parseFloat(getComputedStyle(document.querySelector('.race strong')).fontSize)"
    )
    assert size >= 22
    assert "3.2 ms" in await visit.page.inner_text("#said")
    table.tell(race=race(1, tie=True, by_us=400))
    await panel(visit, sentence("page.race.tie", side="Black", ms="0.4", spread="1.1"))


async def test_a_stone_of_light_is_drawn_as_light_and_not_as_missing(visit: Visit) -> None:
    await visit.until("() => document.querySelectorAll('.stones .of-light').length === 1")
    assert await visit.page.locator(".ghost").count() == 0
    label = await visit.page.get_attribute('.cell[data-name="c3"]', "aria-label")
    assert sentence("page.cell.light") in label


async def test_after_a_time_out_both_are_asked_and_three_beats_are_shown(
    visit: Visit, table: EveningTable
) -> None:
    why = {"id": "table.time-out-swept", "params": {}}
    paused = waits("paused", title="page.turn.timeout")
    table.tell(
        timeout={"text": why, "confirmed": [False, False], "beats_at_ms": None}, phase=paused
    )
    await visit.until(HEADLINE, "Time out")
    await visit.page.click('#turnless [data-side="1"]')
    await heard(visit, table, {"do": "confirm", "side": 1})
    table.tell(timeout={"text": why, "confirmed": [False, True], "beats_at_ms": None})
    await panel(visit, sentence("page.ready.done", side="Black"))
    table.tell(timeout={"text": why, "confirmed": [True, True], "beats_at_ms": [0, 150, 300]})
    await visit.until("() => document.querySelectorAll('.beat.on').length === 3")
    # Dots without a word: only a picture may have a name of its own.
    await visit.page.get_by_role("img", name=sentence("page.timeout.beats")).wait_for()
    table.tell()
    await visit.until("() => document.querySelectorAll('.beat, .timeout').length === 0")


async def test_choices_are_large_buttons_with_words(visit: Visit, table: EveningTable) -> None:
    text = {"id": "table.too-slow", "params": {}}
    table.tell(
        verdict={"kind": "choose", "text": text, "cells": [], "choices": ["turns"], "said": []}
    )
    button = visit.page.locator("#answers .choice")
    await button.wait_for()
    assert (await button.inner_text()) not in ("turns", "undefined", "")
    assert (await button.bounding_box())["height"] >= 44
    await button.click()
    await heard(visit, table, {"do": "choose", "text": "turns"})


async def test_names_in_doubt_are_asked_for_one_by_one(visit: Visit, table: EveningTable) -> None:
    table.tell(audit={"advised": True, "asks": None, "left": 0}, drift="advised")
    await visit.page.get_by_role("button", name=sentence("page.recentre")).click()
    await heard(visit, table, {"do": "recentre"})
    await visit.page.get_by_role("button", name=sentence("page.audit")).click()
    await heard(visit, table, {"do": "audit"})
    table.tell(audit={"advised": False, "asks": "T", "left": 3}, drift="sliding")
    await visit.page.get_by_role("button", name=sentence("page.audit.skip")).click()
    await heard(visit, table, {"do": "audit", "skip": True})
    await visit.page.get_by_role("button", name="put them back").click()
    await heard(visit, table, {"do": "recentre", "back": True})


async def test_pieces_that_were_in_the_air_together_are_confirmed_by_a_button_or_a_key(
    visit: Visit, table: EveningTable
) -> None:
    text = {"id": "table.names-check", "params": {"pieces": "t c3"}}
    waits = {"kind": "wait", "text": text, "cells": [], "choices": [], "said": []}
    table.tell(turnless=False, open=None, to_move=[1], verdict=waits)
    await visit.page.get_by_role("button", name="Confirm", exact=True).click()
    await heard(visit, table, {"do": "confirm"})
    table.heard.clear()
    await visit.page.keyboard.press("c")
    await heard(visit, table, {"do": "confirm"})


async def below_the_board(visit: Visit, text: str) -> None:
    await visit.until("t => document.querySelector('#sentence').textContent === t", text)


async def test_a_named_piece_that_is_to_be_put_back_is_called_by_its_name(
    visit: Visit, table: EveningTable
) -> None:
    cell = table.game.grid.cell("c3")
    labels = ["B"] * len(table.game.grid)
    text = {"id": "table.mend-place-black", "params": {"cell": "c3"}}
    table.tell(
        labels=labels,
        turnless=False,
        open=None,
        verdict={"kind": "repair", "text": text, "cells": [], "choices": [], "said": []},
        prompt={
            "wait": "mend",
            "steps": [{"do": "place", "cell": cell, "kind": 2, "name": "t"}],
        },
    )
    await below_the_board(
        visit, sentence("table.mend-place-named", name="tower dove t of Black", cell="c3")
    )
    text = {"id": "table.audit-lift", "params": {"name": "T"}}
    asks = {"kind": "wait", "text": text, "cells": [], "choices": [], "said": []}
    table.tell(labels=labels, turnless=False, open=None, verdict=asks)
    await below_the_board(visit, sentence("table.audit-lift", name="tower dove T of White"))


async def test_on_a_simulated_board_nobody_is_asked_to_lift_or_to_look_for_a_cable() -> None:
    table = AssistedTable()
    async with shown(table) as visit:
        text = {"id": "table.machine-lift-named", "params": {"cell": "c3", "name": "a"}}
        table.tell(
            labels=["B"] * len(table.game.grid),
            turnless=False,
            open=None,
            verdict={"kind": "wait", "text": text, "cells": [], "choices": [], "said": []},
        )
        await below_the_board(
            visit, sentence("page.machine.lifts-named", piece="all-way dove a of Black", cell="c3")
        )
        table.tell(link="lost")
        await visit.until(
            "() => document.querySelector('#sentence').textContent.includes('Ctrl-C')"
        )


async def test_the_sentence_asks_for_nothing_that_the_board_does_not_show(
    visit: Visit, table: EveningTable
) -> None:
    place = {"place": [table.game.grid.cell("c4")], "lift": [], "kinds": [1]}
    await below_the_board(
        visit,
        sentence("page.may.both-sides"),
    )
    assert await visit.page.locator(".takeback:visible").count() == 0
    table.tell(moves=[], to_move=[0], open=[[0], []], light=[])
    await below_the_board(visit, sentence("page.may.first"))
    table.tell(
        timeout={"text": None, "confirmed": [False, False], "beats_at_ms": None},
        phase=waits("paused"),
    )
    await below_the_board(visit, "")
    turns: dict[str, Any] = {"turnless": False, "open": None, "to_move": [0], "legal": place}
    table.tell(**turns)
    await below_the_board(visit, sentence("page.may.place"))
    table.tell(**turns, hint="none")
    await below_the_board(visit, sentence("page.plain.place"))


async def test_no_key_is_lost_to_a_dialog_that_was_just_closed_nor_to_a_switch(
    visit: Visit,
) -> None:
    # What is in a closed dialog keeps the focus until the next frame, a switch keeps it for good.
    for focus in (
        "const its = (id) => document.querySelector(id); its('#new-game').click();"
        "its('#new-dialog').close()",
        "document.querySelector('#settings').showPopover();"
        "document.querySelector('#labels').focus()",
    ):
        opened = await visit.page.evaluate(
            f"""() => {{
                {focus};
                const at = document.activeElement;
                at.dispatchEvent(new KeyboardEvent('keydown', {{key: '?', bubbles: true}}));
                const opened = document.querySelector('#help').open;
                document.querySelector('#help').close();
                return [at.tagName, opened];
            }}"""
        )
        assert opened == ["INPUT", True]


async def test_a_board_taken_as_it_is_asks_for_the_names_of_strange_pieces(
    visit: Visit, table: EveningTable
) -> None:
    cells = len(table.game.grid)
    labels, pieces, sensed = [""] * cells, [0] * cells, [0] * cells
    for cell, letter in enumerate("BTb"):
        labels[cell], pieces[cell] = letter, 1 if letter.isupper() else 2
        sensed[cell] = pieces[cell]
    sensed[1], sensed[5] = 0, 1  # the tower dove stands elsewhere, or it is one of the hand
    table.tell(
        labels=labels, pieces=pieces, sensed=sensed, hands=[["A"], []], light=[], open=None,
        turnless=False, verdict={"kind": "repair", "text": {"id": "table.mend-lift",
        "params": {"cell": "x"}}, "cells": [], "choices": [], "said": []},
    )  # fmt: skip
    await visit.page.get_by_role("button", name=sentence("page.accept-board")).first.click()
    options = await visit.page.locator("#names-body option").all_inner_texts()
    assert options == ["tower dove T of White", "all-way dove A of White"]
    await visit.page.select_option("#names-body select", "A")
    await visit.page.locator("#names-form .main").click()
    name = table.game.grid.names[5]
    await heard(visit, table, {"do": "accept-board", "names": {name: "A"}})


async def test_sensors_that_need_a_look_are_named_calmly_with_the_reasons(
    visit: Visit, table: EveningTable
) -> None:
    is_calm = (
        "() => document.querySelector('#sensors').hidden && getComputedStyle("
        "document.querySelector('#open-settings'), '::after').content === 'none'"
    )
    assert await visit.page.evaluate(is_calm)
    cells = ["c4", "c4", "a1", "b2", "d3", "e1"]
    table.tell(
        sensors=[{"id": "health.weak", "params": {"cell": cell, "percent": 61}} for cell in cells]
    )
    # What opens the panel bears a dot, and says why.
    told = sentence("page.sensors", cells="c4, a1, b2, d3, …")
    await visit.page.get_by_title(told).wait_for()
    await visit.settings()
    line = visit.page.locator("#sensors summary")
    await line.filter(has_text=told).wait_for()
    assert await visit.page.locator("#sensors li").first.is_hidden()
    await line.click()
    reasons = await visit.page.locator("#sensors li").all_inner_texts()
    assert len(reasons) == 6
    assert reasons[0].startswith("Cell c4 is weak: a stone reads only 61 % as strong there")
    await visit.page.select_option("#language", "ja")
    await line.filter(has_text="点検するセンサー").wait_for()
    table.tell(sensors=[])
    await visit.until(is_calm)
    await visit.page.select_option("#language", "en")
    await visit.page.get_by_title(sentence("page.settings.label")).first.wait_for()
    assert await visit.page.evaluate(is_calm), "a name is no notice"


LIT = """() => {
    const glow = document.querySelector('#glow');
    const { data } = glow.getContext('2d').getImageData(0, 0, glow.width, glow.height);
    return data.filter((_, i) => i % 4 === 3).reduce((sum, one) => sum + one, 0);
}"""
"""How much light the canvas below the stones shows."""
BREATHE = 3


async def test_a_real_board_s_light_is_played_and_a_cell_that_does_not_answer_given_up(
    visit: Visit, table: EveningTable
) -> None:
    await visit.page.clock.install()
    lights = [[1, BREATHE], *[[0, 0]] * (table.profile.lights - 1)]
    step = {"do": "place", "cell": table.game.grid.cell("c3"), "kind": 1}
    table.tell(
        turnless=False, open=None, light=[], lights=lights, palette=[[0, 0, 0], [80, 216, 110]],
        prompt={"wait": "mend", "steps": [step]},
    )  # fmt: skip
    await visit.until("() => document.querySelectorAll('.ghost').length === 1")
    assert await visit.page.locator("#field-switch").is_hidden()
    await visit.until(f"() => ({LIT})() > 0")
    first = await visit.page.evaluate(LIT)
    silent = visit.page.get_by_role("button", name="c3 does not answer")
    assert await silent.count() == 0
    await visit.page.clock.fast_forward(21_000)
    await visit.until(f"before => Math.abs(({LIT})() / before - 1) > 0.1", first)
    await silent.click()
    await heard(visit, table, {"do": "dead-cell", "cell": "c3"})
