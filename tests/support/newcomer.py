"""A newcomer who has read no rules: taps only what the page says may be tapped, until it is over.

What is tried comes from words alone: the big button first, then the cell of which the page says
that the coach would play there, or that the piece in hand may go there, then any cell that is said
to be open. What did not help is not tried again until something has changed.
"""

from __future__ import annotations

from typing import Any

from browser import Visit
from lumiban.i18n import text

CELLS = [
    text("page.mark.advice"),
    text("page.mark.lift-target"),
    text("page.cell.may-place"),
    text("page.mark.may-place-neutral"),
    text("page.cell.open", side=text("side.white")),
    text("page.cell.open", side=text("side.black")),
    text("page.cell.may-lift"),
]
"""What the page says of a cell, the most promising first."""
MINE = text("side.red")
MOMENT = text("lesson.setting-up")
WAYS = """([said, mine, moment]) => {
    const middle = (one) => {
        const { x, y, width, height } = one.getBoundingClientRect();
        return [x + width / 2, y + height / 2];
    };
    const seen = (one) => one?.checkVisibility({ visibilityProperty: true }) && !one.disabled;
    const ways = [];
    const add = (name, one) => ways.push([name, ...middle(one)]);
    for (const one of document.querySelectorAll('#lesson-go .main, #answers button.main')) {
        if (seen(one)) add(`button ${one.textContent}`, one);
    }
    const over = document.querySelector('#turn').hasAttribute('data-over');
    const lesson = !document.querySelector('#lesson').hidden;
    const cells = [...document.querySelectorAll('#board [role=gridcell]')];
    const words = cells.map((cell) => cell.getAttribute('aria-label').split(', ').slice(1));
    for (const one of said) {
        cells.forEach((cell, i) => {
            if (words[i].includes(one)) add(`${one} ${cell.dataset.name}`, cell);
        });
    }
    cells.forEach((cell, i) => {
        if (words[i].some((word) => word.endsWith(mine))) add(`mine ${cell.dataset.name}`, cell);
    });
    for (const one of document.querySelectorAll('#turnless .side, #rengi-pad [data-act=drop]')) {
        if (seen(one)) add(`button ${one.textContent}`, one);
    }
    const tone = document.querySelector('#turn').dataset.tone;
    const sentence = document.querySelector('#sentence').innerText;
    const busy = document.querySelector('#board .ghost, #board .hand') !== null
        || tone === 'mend' || sentence === moment;
    const told = ['#lesson-where', '#mover', '#headline', '#counts'];
    const right = document.querySelector('#lesson-said').dataset.tone === 'right';
    const state = told.map((one) => document.querySelector(one).textContent).join('|') + right;
    return { over: over && !lesson, lesson, busy, ways, state };
}"""


class Newcomer:
    """Taps through a page of a touch screen; `taps` counts them."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit
        self.taps = 0
        self._tried: set[str] = set()
        self._state = ""

    async def look(self) -> dict[str, Any]:
        """What the page says and offers now."""
        found: dict[str, Any] = await self.visit.page.evaluate(WAYS, [CELLS, f" of {MINE}", MOMENT])
        return found

    async def tap_on(self, most: int, until: str) -> dict[str, Any]:
        """Tap what is offered until the page is `over`, or no `lesson` any more; AssertionError
        after so many taps, or when nothing that is offered helps."""
        idle = 0
        while True:
            now = await self.look()
            if now["over"] if until == "over" else not now["lesson"]:
                return now
            if now["state"] != self._state:
                self._state, self._tried, idle = now["state"], set(), 0
            left = [way for way in now["ways"] if way[0] not in self._tried]
            if now["busy"] or not left:
                idle += 1
                assert idle < 1200, f"nothing to tap: {now}"
                if idle > 300:
                    self._tried = set()
                await self.visit.page.wait_for_timeout(100)
                continue
            name, x, y = left[0]
            self._tried.add(name)
            await self.visit.page.touchscreen.tap(x, y)
            self.taps += 1
            assert self.taps < most, f"still not over: {now['state']}"
            await self.visit.page.wait_for_timeout(700)  # for the hand to come
