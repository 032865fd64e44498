"""The host's page and two phones, three browsers, at one table: all five games one after the other,
on the board that each needs, with one PIN typed once on each phone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from browser import Visit, hosted, visiting
from lumiban import games
from lumiban.boards.profile import load

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}
START = ("play", "control", "--new", "--first", "human", "--second", "human", "--lan", "127.0.0.1")
GAMES = ("control", "evening", "trivia", "doves", "rengi")


async def calm(host: Visit, slug: str, played: int) -> dict[str, Any]:
    """The first view of this game, with so many moves, at which nothing is under way."""
    while True:
        view = await host.view()
        is_here = view["game"]["slug"] == slug and len(view["moves"]) >= played
        is_calm = view["verdict"]["kind"] == "agree" and not view["prompt"]["steps"]
        if is_here and is_calm and not view["pending"] and view["link"] == "up":
            return view
        await host.until("v => window.shownView !== v", view["v"])


def cells_of_move(view: dict[str, Any], side: int, profile: str) -> list[str]:
    """The cells to tap for a legal move of this side, () for a game that is steered."""
    game, names = view["game"], view["game"]["names"]
    if view["lit"]:
        return []
    if view["labels"]:
        rules = games.load(game["slug"], **game["options"]).laid_on(load(profile).grid)
        position = rules.start()
        for move in view["moves"]:
            position = rules.play(position, rules.parse(position, move["text"], move["side"]))
        found = sorted(rules.moves(position, side), key=lambda one: one.text)[0]
        changes = sorted(rules.effects(position, found), key=lambda one: one[2] != 0)
        return [names[cell] for cell, _, _ in changes]
    cells = view["open"][side] if view["open"] else view["legal"]["place"]
    return [names[cells[0]]]


async def play_a_move(host: Visit, phones: Sequence[Visit], slug: str, played: int) -> None:
    """Whoever is to move plays by touch; where both are, they take turns."""
    view = await calm(host, slug, played)
    sides = view["to_move"]
    side = sides[played % len(sides)]
    phone = phones[side]
    await phone.drawn(view["v"])
    profile = await host.page.evaluate("window.shownProfile")
    for name in cells_of_move(view, side, profile):
        await phone.page.touchscreen.tap(*await phone.middle(f'.cell[data-name="{name}"]'))
    if view["lit"]:
        await phone.page.tap('#rengi-pad [data-act="drop"]')
    await host.moves(played + 1)
    moved = (await host.view())["moves"][played]
    assert moved["side"] == side


PROFILES = """
    window.WebSocket = class extends WebSocket {
        constructor(...address) {
            super(...address);
            this.addEventListener('message', ({ data }) => {
                const { type, profile } = JSON.parse(data);
                if (type === 'hello') window.shownProfile = profile.name;
            });
        }
    };
"""


async def played_by_three(tmp_path: Path, way: Sequence[str], moves: int) -> None:
    async with (
        hosted(tmp_path, *START) as running,
        visiting([running.owner_url], script=PROFILES) as [host],
    ):
        await host.page.click("#open-network")
        told = await host.page.inner_text("#network .pin")
        pin = await host.page.inner_text("#network .pin strong")
        await host.page.keyboard.press("Escape")
        found = re.search(r"http://\S+/join", told)
        assert found is not None, told
        async with (
            visiting([found[0]], comes_in=(pin, 0), **PHONE) as [white],
            visiting([found[0]], comes_in=(pin, 1), **PHONE) as [black],
        ):
            for slug in way:
                if slug != "control":
                    await host.new_game(slug)
                for played in range(moves):
                    await play_a_move(host, (white, black), slug, played)
                for side, phone in enumerate((white, black)):
                    # No phone was sent to the door, and each has its seat.
                    assert await phone.page.evaluate("location.pathname") == "/"
                    assert await phone.page.evaluate(f"window.shownSide === {side}")


async def test_two_phones_and_the_host_go_from_game_to_game(tmp_path: Path) -> None:
    await played_by_three(tmp_path, ("control", "doves"), 2)


@pytest.mark.long
async def test_two_phones_and_the_host_play_all_five_games_with_one_pin(tmp_path: Path) -> None:
    await played_by_three(tmp_path, GAMES, 6)
