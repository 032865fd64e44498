"""Every game changed into every other at the page, with one tab and with two: all listeners run,
whoever acts goes on acting, and nobody is told that lumiban has stopped."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from browser import Visit, hosted, visiting
from sentences import sentence

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

GAMES = ("control", "evening", "trivia", "doves", "rengi")
SOME = ("control", "doves", "evening", "rengi", "control")


def tour(games: Sequence[str]) -> list[str]:
    """A way on which each game follows each other once.

    >>> way = tour("abcde")
    >>> len(way), len(set(pairwise(way)))
    (21, 20)
    """
    left = {one: [other for other in games if other != one] for one in games}
    way, circuit = [games[0]], []
    while way:  # Hierholzer's
        if left[way[-1]]:
            way.append(left[way[-1]].pop(0))
        else:
            circuit.append(way.pop())
    return circuit[::-1]


SEES = """() => {
    window.toldBanners = [];
    const banner = document.querySelector('#banner');
    new MutationObserver(() => banner.hidden || window.toldBanners.push(banner.textContent))
        .observe(banner, { childList: true, attributes: true });
}"""
IS_READY = """slug => {
    const board = document.querySelector('#board');
    const turn = document.querySelector('#turn').dataset.tone;
    return window.shownGame === slug && window.haveHands && turn === 'calm'
        && document.querySelectorAll('#board .ghost').length === 0
        && !document.querySelector('#new-dialog').open
        && !document.querySelector('#new-game').disabled
        && board.querySelectorAll('.cell[role=gridcell]').length > 0;
}"""
FOLLOWS_GAME = """
    window.WebSocket = class extends WebSocket {
        constructor(...address) {
            super(...address);
            this.addEventListener('message', ({ data }) => {
                const { type, game, role } = JSON.parse(data);
                if (game) window.shownGame = game.slug;
                if (type === 'hello') window.shownRole = role;
            });
        }
    };
"""


async def change(acting: Visit, slug: str) -> None:
    await acting.new_game(slug)
    await acting.until(IS_READY, slug)
    assert await acting.page.evaluate("window.shownRole") == "host"


async def toured(tmp_path: Path, way: Sequence[str], tabs: int) -> None:
    words = ("play", way[0], "--new", "--first", "human", "--second", "human")
    async with hosted(tmp_path, *words) as host, visiting([host.url] * tabs) as visits:
        for visit in visits:
            await visit.page.add_init_script(FOLLOWS_GAME)
            await visit.page.reload()
            await visit.page.wait_for_selector("#board .cell[role=gridcell]")
            await visit.page.evaluate(SEES)
        acting, *others = visits
        for _, slug in pairwise(way):
            await change(acting, slug)
            for other in others:
                await other.until("slug => window.shownGame === slug", slug)
                assert await other.page.evaluate("window.shownRole") == "viewer"
                head = await acting.page.inner_text("#headline")
                await other.until("t => document.querySelector('#headline').innerText === t", head)
        stopped = sentence("page.ended")
        for visit in visits:
            assert stopped not in await visit.page.evaluate("window.toldBanners")
            assert visit.faults == []


@pytest.mark.parametrize("tabs", [1, 2])
async def test_games_are_changed_for_others_on_other_boards(tmp_path: Path, tabs: int) -> None:
    await toured(tmp_path, SOME, tabs)


@pytest.mark.long
@pytest.mark.parametrize("tabs", [1, 2])
async def test_every_game_is_changed_for_every_other(tmp_path: Path, tabs: int) -> None:
    await toured(tmp_path, tour(GAMES), tabs)
