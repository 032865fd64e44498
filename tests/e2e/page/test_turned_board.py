"""The board turned for whoever sits at a device: what is pressed where a cell is seen is that cell,
on every shape and however it is turned."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from browser import Visit, hosted, shown, visiting
from page_gallery import GalleryTable, scene_of
from sentences import sentence

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
Place = tuple[float, float]


@dataclass
class OpenTable(GalleryTable):
    """A position of a game in which people may play anywhere, told by a finger; `told` keeps it."""

    told: list[str] = field(default_factory=list)

    def view(self) -> dict[str, Any]:
        view = super().view()
        seats = [{**seat, "who": "human", "thinking": False} for seat in view["seats"]]
        trays = {cell for tray in view["game"]["trays"] for cell in tray}
        pieces = enumerate(view["pieces"])
        anywhere = [cell for cell, kind in pieces if not kind and cell not in trays]
        calm: dict[str, Any] = {"kind": "agree", "text": None, "cells": [], "choices": []}
        mine = {"place": anywhere, "lift": [], "kinds": [view["to_move"][0] + 1]}
        return {**view, "seats": seats, "legal": mine, "verdict": calm, "open": None, "owing": []}

    async def command(self, request: Any, role: str) -> None:
        if (text := getattr(request, "text", None)) is not None:
            self.told.append(text)


def table_of(game: str) -> OpenTable:
    scene = scene_of(game, "calm")
    table = OpenTable(scene=scene)
    table.tell(scene, theme="standard")
    return table


async def places(visit: Visit) -> dict[str, Place]:
    """The middle of each cell on the screen, by name, in the order of a screen reader."""
    found: Mapping[str, list[float]] = await visit.page.evaluate(
        """() => {
            const cells = [...document.querySelectorAll('.cell[data-name]')].map((one) => {
                const box = one.querySelector('.hit').getBoundingClientRect();
                return [one.dataset.name, [box.x + box.width / 2, box.y + box.height / 2]];
            });
            return Object.fromEntries(cells);
        }"""
    )
    return {name: (x, y) for name, (x, y) in found.items()}


def turned(lain: Mapping[str, Place], now: Mapping[str, Place], degrees: int) -> dict[str, Place]:
    """Where cells must be seen that lay so before the board was turned; it may be drawn larger."""
    angle = math.radians(degrees)
    middles = [
        [sum(axis) / len(all_of) for axis in zip(*all_of.values(), strict=True)]
        for all_of in (lain, now)
    ]
    (from_x, from_y), (to_x, to_y) = middles
    reach = [
        max(math.hypot(x - mid[0], y - mid[1]) for x, y in all_of.values())
        for all_of, mid in zip((lain, now), middles, strict=True)
    ]
    scale = reach[1] / reach[0]
    return {
        name: (
            to_x + scale * ((x - from_x) * math.cos(angle) - (y - from_y) * math.sin(angle)),
            to_y + scale * ((x - from_x) * math.sin(angle) + (y - from_y) * math.cos(angle)),
        )
        for name, (x, y) in lain.items()
    }


async def turn(visit: Visit, degrees: int) -> None:
    """Press the key until the board is turned so far."""
    said = sentence("page.turned", degrees=str(degrees)) if degrees else ""
    for _ in range(6):
        if await visit.page.text_content("#turned") == said:
            return
        await visit.page.keyboard.press("r")
    assert await visit.page.text_content("#turned") == said


@pytest.mark.parametrize("context", [{}, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize(
    ("game", "turns"),
    [
        ("control", (60, 120, 180, 240, 300)),
        ("trivia", (90, 180, 270)),
        ("doves", (180,)),
        ("rengi", (180,)),
    ],
)
async def test_what_is_pressed_where_a_cell_is_seen_is_that_cell(
    game: str, turns: tuple[int, ...], context: dict[str, Any]
) -> None:
    table = table_of(game)
    async with shown(table, **context) as visit:
        lain = await places(visit)
        view = table.view()
        empty = [view["game"]["names"][cell] for cell in view["legal"]["place"]]
        for degrees in turns:
            await turn(visit, degrees)
            now = await places(visit)
            for name, (x, y) in turned(lain, now, degrees).items():
                assert math.hypot(now[name][0] - x, now[name][1] - y) < 1, (degrees, name)
            for name in (empty[0], empty[len(empty) // 3], empty[-1]):
                table.told.clear()
                text = await tell(visit, table, turned(lain, now, degrees), name)
                if game == "rengi":
                    column = ord(name[0]) - ord("a")
                    own = column - 7 * view["to_move"][0]
                    if not 0 <= own < 6:
                        continue
                    assert int(text[2:].partition(".")[0]) == own + 1, (degrees, name)
                else:
                    assert text.endswith(name), (degrees, name)


async def tell(visit: Visit, table: OpenTable, at: Mapping[str, Place], name: str) -> str:
    """Press where a cell must be, after a dove where doves are played; what the table is told."""
    view = table.view()
    game = view["game"]["slug"]
    if game == "doves":
        side = view["to_move"][0]
        trays = {cell for tray in view["game"]["trays"] for cell in tray}
        own = next(
            cell
            for cell, kind in enumerate(view["pieces"])
            if kind == side + 1 and cell not in trays
        )
        await visit.page.mouse.click(*at[view["game"]["names"][own]])
    await visit.page.mouse.click(*at[name])
    if game == "rengi":
        if not 0 <= ord(name[0]) - ord("a") - 7 * view["to_move"][0] < 6:
            return ""
        await visit.page.click("[data-act=drop]")
    while not table.told:
        await visit.page.evaluate("1")
    return table.told[-1]


async def test_a_pair_is_steered_as_it_is_seen_and_what_is_to_fall_points_the_way() -> None:
    table = table_of("rengi")
    scene = scene_of("rengi", "calm")
    view = table.view()
    marks = [*view["marks"], {"cell": 0, "meaning": "coming", "side": None}]
    table.tell(scene, marks=marks)
    async with shown(table) as visit:
        way = "document.querySelector('.mark-coming').getBoundingClientRect()"
        assert await visit.page.evaluate(f"{way}.height") > 0
        await visit.view()
        for degrees, column in ((0, 4), (180, 2)):
            await turn(visit, degrees)
            table.told.clear()
            await visit.page.keyboard.press("ArrowRight")
            await visit.page.keyboard.press("Space")
            while not table.told:
                await visit.page.evaluate("1")
            assert table.told[-1][2:] == f"{column}.0", degrees
            # The next turn, drawn before anything is pressed in it.
            moves = [*view["moves"], *view["moves"][: 1 + degrees]]
            table.tell(scene, marks=marks, moves=moves)
            await visit.view()
            turn_of = "document.querySelector('.mark-coming').parentNode.getAttribute('transform')"
            rotated = await visit.page.evaluate(turn_of)
            assert ("rotate(180)" in rotated) == (degrees == 180)
            first, _ = await visit.page.locator("#rengi-sides li strong").all_inner_texts()
            fields = await places(visit)
            # Each field's plate stands on its own side.
            assert (first == "1P") == (fields["a1"][0] < fields["m1"][0])


async def test_it_is_kept_on_the_device_and_others_see_the_board_as_before(tmp_path: Path) -> None:
    words = ("play", "control", "--new", "--first", "human", "--second", "human")
    async with hosted(tmp_path, *words) as host, visiting([host.url], **PHONE) as [visit]:
        view = await visit.view()
        lain = await places(visit)
        await turn(visit, 120)
        assert await visit.page.evaluate("localStorage.getItem('lumiban.turn')") == "120"
        await visit.page.reload()
        await visit.page.wait_for_selector("#board .cell[role=gridcell]")
        now = await places(visit)
        for name, (x, y) in turned(lain, now, 120).items():
            assert math.hypot(now[name][0] - x, now[name][1] - y) < 1, name
        names = view["game"]["names"]
        # A stone is dragged by a simulated hand to where the cell is seen.
        await visit.until("() => window.haveHands")
        name = names[3]
        x, y = await visit.middle('.bowl[data-kind="1"] .edge')
        await visit.page.mouse.move(x, y)
        await visit.page.mouse.down()
        await visit.page.mouse.move(*now[name], steps=10)
        # A finger's stone floats above the finger; a mouse's lies under it.
        await visit.page.mouse.up()
        assert await visit.moves(1) == [name]
        async with visiting([host.url + "watch"]) as [other]:
            there = await places(other)
            assert there[names[0]][1] < there[names[-1]][1]
            assert (
                json.loads(await other.page.evaluate("localStorage.getItem('lumiban.turn') ?? '0'"))
                == 0
            )
