"""A line that accepts and forwards nothing, as a Wi-Fi that dies behind the router does: the page
knows within 25 s, acts are told as not arrived within 2 s, and the page dims. And a link that was
clicked on another site, with the cookie that a browser keeps from such a request."""

from __future__ import annotations

from pathlib import Path

import pytest
from black_hole import black_hole_to
from browser import Visit, visiting
from lumiban.table.requests import HintRequest
from network_bench import networked
from sentences import sentence
from sitting_bench import sitting_at

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

AHEAD = """
    const right = Date.now;
    window.ahead = 0;
    Date.now = () => right() + window.ahead;
"""
"""The line of the page counts by this clock: no test waits for 25 s."""
IS_UP = "() => document.documentElement.dataset.wire === 'up'"
IS_DIM = "() => getComputedStyle(document.querySelector('#stage')).opacity < 1"


async def pass_by(visit: Visit, ms: int) -> None:
    await visit.page.evaluate("ms => { window.ahead += ms; }", ms)


async def test_a_page_whose_lines_lead_nowhere_knows_and_comes_back(tmp_path: Path) -> None:
    async with (
        sitting_at(tmp_path, seats=("human", "human")) as sitting,
        networked(sitting.shell) as lan,
        black_hole_to(lan.here.port) as proxy,
        visiting([proxy.url], script=AHEAD) as [visit],
    ):
        await visit.until("() => window.haveHands")
        # Both lines are silent: open as they seem, they are opened anew after 25 s, not before.
        proxy.is_dark = True
        before = proxy.accepted
        await pass_by(visit, 20_000)
        await sitting.shell.command(HintRequest("none"), "host")
        assert (proxy.accepted, await visit.page.evaluate(IS_UP)) == (before, True)
        await pass_by(visit, 5_000)
        await visit.until("() => document.documentElement.dataset.wire === 'lost'")
        await visit.until(IS_DIM)
        while proxy.accepted < before + 2:
            await visit.page.evaluate("new Promise(requestAnimationFrame)")
        # The new ones lead nowhere either, until the network is back; then within 25 s.
        proxy.is_dark = False
        await pass_by(visit, 25_000)
        await visit.until(IS_UP)
        now = sitting.shell.view().v
        await visit.drawn(now)
        assert await visit.page.input_value("#hint") == "none"


@pytest.mark.parametrize("way", ["hands", "table"])
async def test_an_act_that_does_not_arrive_is_told_within_two_seconds(
    tmp_path: Path, way: str
) -> None:
    async with (
        sitting_at(tmp_path, seats=("human", "human")) as sitting,
        networked(sitting.shell) as lan,
        black_hole_to(lan.here.port) as proxy,
        visiting([proxy.url], script=AHEAD) as [visit],
    ):
        await visit.until("() => window.haveHands")
        proxy.is_dark = True
        if way == "hands":
            await visit.page.click('.cell[data-name="a1"]')
        else:
            await visit.settings()
            await visit.page.select_option("#hint", "none")
        await pass_by(visit, 800)
        await visit.until(IS_DIM)
        async with visit.tells(sentence("page.not-arrived")):
            await pass_by(visit, 1_200)
        proxy.is_dark = False
        await pass_by(visit, 25_000)
        await visit.until(IS_UP)
        # What was told as not arrived was not done.
        view = sitting.shell.view()
        assert (view.moves, view.hint) == ([], "legal")
