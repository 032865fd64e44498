"""Newcomers who have read no rules: they do only what the page says may be done, until it is over.

    await play_on(visit, [Finger(visit)], 400, "over")

What is tried comes from words alone: the big button first, then the cell of which the page says
that the coach would play there, or that the piece in hand may go there, then any cell that is said
to be open. What did not help is not tried again until something has changed. A `Finger` and `Keys`
see the page; `Listener` knows nothing but Chromium's accessibility tree, and presses as a screen
reader does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from browser import Visit
from lumiban.i18n import text

MEND = text("page.mark.mend")
MINE = f" of {text('side.red')}"
"""How the name of a piece ends that is the newcomer's own: where pieces have names, one of them is
chosen before the cell it goes to."""
CELLS = [
    text("page.mark.advice"),
    text("page.mark.lift-target"),
    MINE,
    text("page.cell.may-place"),
    text("page.mark.may-place-neutral"),
    text("page.cell.open", side=text("side.white")),
    text("page.cell.open", side=text("side.black")),
    text("page.cell.may-lift"),
]
"""What the page says of a cell, the most promising first."""
MOMENT = text("lesson.setting-up")
ANSWER_MS = 700
"""An act that nothing on the page has answered within this time was no help."""
HAND_MS = 20_000
"""The same for who does not see the hand that is on its way, and waits to hear of it."""


@dataclass(frozen=True)
class Way:
    """Something that may be done: a cell or a button, `at` a place in px or a node of the tree."""

    name: str
    cell: str
    at: Any


@dataclass
class Sight:
    """What the page says now: `busy` while a hand is on its way, `state` differs once something has
    come of an act."""

    over: bool
    lesson: bool
    busy: bool
    state: str
    ways: list[Way] = field(default_factory=list)


class Newcomer(Protocol):
    """Somebody who knows a page by one sense, and acts in one way."""

    async def look(self) -> Sight:
        """What the page says and offers now."""

    async def act(self, way: Way) -> None:
        """Do it, and wait until the page answers, or long enough to see that it will not."""


async def play_on(visit: Visit, who: Sequence[Newcomer], most: int, until: str) -> Sight:
    """Do what is offered until the page is `over`, or no `lesson` any more; whoever is there acts
    in turns. AssertionError after so many acts, or when nothing that is offered helps."""
    turn, acts, idle = 0, 0, 0
    states = ["" for _ in who]
    tried: set[str] = set()
    while True:
        turn %= len(who)
        now = await who[turn].look()
        if now.over if until == "over" else not now.lesson:
            return now
        if now.state != states[turn]:
            states[turn], tried, idle = now.state, set(), 0
        left = [way for way in now.ways if way.name not in tried]
        if now.busy or not left:
            idle += 1
            assert idle < 1200, f"nothing to do: {now}"
            if idle % 300 == 0:
                tried = set()
            await visit.page.wait_for_timeout(100)
            continue
        tried.add(left[0].name)
        acts += 1
        assert acts < most, f"still not over: {now.state}"
        await who[turn].act(left[0])
        turn += 1


WAYS = """([said, mine, moment]) => {
    const middle = (one) => {
        const { x, y, width, height } = one.getBoundingClientRect();
        return [x + width / 2, y + height / 2];
    };
    const seen = (one) => one?.checkVisibility({ visibilityProperty: true }) && !one.disabled;
    const ways = [];
    const add = (name, one) => ways.push([name, one.dataset.name ?? '', middle(one)]);
    for (const one of document.querySelectorAll('#lesson-go .main, #answers button.main')) {
        if (seen(one)) add(`button ${one.textContent}`, one);
    }
    const over = document.querySelector('#turn').hasAttribute('data-over');
    const lesson = !document.querySelector('#lesson').hidden;
    const cells = [...document.querySelectorAll('#board [role=gridcell]')];
    const words = cells.map((cell) => cell.getAttribute('aria-label').split(', ').slice(1));
    for (const one of said) {
        cells.forEach((cell, i) => {
            const fits = (word) => word === one || (one === mine && word.endsWith(mine));
            if (words[i].some(fits)) add(`${one} ${cell.dataset.name}`, cell);
        });
    }
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
ANSWERS = """() => ['#turn', '#said', '#refused', '#counts'].map((one) =>
    document.querySelector(one).textContent).join('|')
    + [...document.querySelectorAll('#board [aria-label]')].map((one) => one.ariaLabel).join('|')"""
HANDS = ANSWERS + " + document.querySelectorAll('#board .hand, #board .ghost').length"
"""What the page says, and for who sees it the hands that are on their way too."""


async def _answered(visit: Visit, what: str, before: str, most_ms: float) -> None:
    """Wait until the page says or shows something else than before, but not for ever."""
    await visit.page.evaluate(
        f"""([before, most]) => new Promise((done) => {{
            const answers = {what};
            const end = performance.now() + most;
            // The same refusal again is said again.
            const again = new MutationObserver(() => {{ again.disconnect(); done(); }});
            again.observe(document.querySelector('#refused'), {{ childList: true }});
            const look = () => answers() !== before || performance.now() > end
                ? done() : setTimeout(look, 50);
            look();
        }})""",
        [before, most_ms],
    )


@dataclass
class _Seeing:
    """Somebody who sees the page."""

    visit: Visit

    async def look(self) -> Sight:
        found = await self.visit.page.evaluate(WAYS, [CELLS, MINE, MOMENT])
        return Sight(**{**found, "ways": [Way(*way) for way in found["ways"]]})

    async def act(self, way: Way) -> None:
        before = await self.visit.page.evaluate(HANDS)
        await self._press(way)
        await _answered(self.visit, HANDS, before, ANSWER_MS)

    async def _press(self, way: Way) -> None:
        raise NotImplementedError


class Finger(_Seeing):
    """Taps on a touch screen."""

    async def _press(self, way: Way) -> None:
        await self.visit.page.touchscreen.tap(*way.at)


FOCUSED = """() => {
    const one = document.activeElement;
    const { x, y, width, height } = one.getBoundingClientRect();
    const isCell = one.getAttribute('role') === 'gridcell';
    const name = isCell ? one.dataset.name : one.textContent;
    return [isCell, name, x + width / 2, y + height / 2];
}"""
STOPS = 80
"""More stops of Tab than a page has."""


class Keys(_Seeing):
    """Goes by Tab and arrows to what the focus ring shows, and presses Enter."""

    async def _press(self, way: Way) -> None:
        if way.cell:
            await self._go_to_cell(way)
        elif await self._tab_to(button=way.name.removeprefix("button ")) is None:
            # It was there for a moment only, or it cannot be reached.
            ways = [one.name for one in (await self.look()).ways]
            assert way.name not in ways, f"no Tab leads to {way.name}"
            return
        await self.visit.page.keyboard.press("Enter")

    async def _tab_to(self, button: str = "") -> list[Any] | None:
        """Press Tab until the focus is on this button, or on a cell; None if it never is."""
        for _ in range(STOPS):
            here: list[Any] = await self.visit.page.evaluate(FOCUSED)
            if here[0] if not button else not here[0] and here[1] == button:
                return here
            await self.visit.page.keyboard.press("Tab")
        return None

    async def _go_to_cell(self, way: Way) -> None:
        """Arrow by arrow, always nearer; sideways where the straight one leads no nearer."""
        here = await self._tab_to()
        assert here, "no Tab leads to the board"
        _, name, x, y = here
        for _ in range(STOPS):
            if name == way.cell:
                return
            dx, dy = way.at[0] - x, way.at[1] - y
            across = "ArrowRight" if dx > 0 else "ArrowLeft"
            along = "ArrowDown" if dy > 0 else "ArrowUp"
            for key in [across, along] if abs(dx) > abs(dy) else [along, across]:
                await self.visit.page.keyboard.press(key)
                _, now, to_x, to_y = await self.visit.page.evaluate(FOCUSED)
                is_nearer = abs(way.at[0] - to_x) + abs(way.at[1] - to_y) < abs(dx) + abs(dy)
                moved, name, x, y = now != name, now, to_x, to_y
                if moved and is_nearer:
                    break
        raise AssertionError(f"no arrow leads to {way.cell}")


def _fits(name: str, *ids: str) -> bool:
    """Whether this is a text of the catalogue, whoever it speaks of."""
    texts = (re.escape(text(id, side="@", n="@")).replace("@", ".+") for id in ids)
    return any(re.fullmatch(one, name) for one in texts)


OVER = ("page.turn.won", "page.turn.you-won", "page.turn.draw")
LATER = ("page.stand", "page.rengi.drop", "page.accept-board", "page.recentre.back")
"""Buttons that a newcomer presses when no cell is offered, as what takes back a step begun."""
BOARD = text("page.board.label")


class Listener:
    """Hears roles and names of the accessibility tree and nothing else; presses what has a name as
    a screen reader does: by a click without a pointer."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit
        self._session: Any = None
        self._seen = ("", Sight(over=False, lesson=False, busy=True, state=""))

    async def tree(self) -> list[dict[str, Any]]:
        """The nodes that are not ignored, in the order in which they are read."""
        if self._session is None:
            self._session = await self.visit.page.context.new_cdp_session(self.visit.page)
            await self._session.send("Accessibility.enable")
        told = await self._session.send("Accessibility.getFullAXTree")
        by_id = {node["nodeId"]: node for node in told["nodes"]}
        out: list[dict[str, Any]] = []

        def read(node: dict[str, Any]) -> None:
            if not node["ignored"]:
                out.append(node)
            for child in node.get("childIds", ()):
                if child in by_id:
                    read(by_id[child])

        read(told["nodes"][0])
        return out

    async def look(self) -> Sight:
        # The whole tree is dear: it is asked for only once something is said anew.
        answers = await self.visit.page.evaluate(ANSWERS)
        if answers == self._seen[0]:
            return self._seen[1]
        nodes = await self.tree()
        head = next((_name(node) for node in nodes if _is_headline(node)), "")
        told = [_name(node) for node in nodes if _role(node) == "StaticText"]
        busy = any(_fits(one, "page.turn.set-by-hands") for one in told)
        ways = self._ways(nodes)
        sight = Sight(_fits(head, *OVER), lesson=False, busy=busy, state="|".join(told), ways=ways)
        self._seen = (answers, sight)
        return sight

    @staticmethod
    def _ways(nodes: list[dict[str, Any]]) -> list[Way]:
        """Buttons between the headline and the board, then cells by what is said of them, then what
        ends or drops."""
        start = next((n for n, node in enumerate(nodes) if _is_headline(node)), 0)
        board = next((n for n, node in enumerate(nodes) if _name(node) == BOARD), 0)
        first, last = [], []
        for n, node in enumerate(nodes):
            name = _name(node)
            if _role(node) != "button" or _is(node, "disabled"):
                continue
            way = Way(f"button {name}", "", node["backendDOMNodeId"])
            if _fits(name, *LATER):
                last.append(way)
            elif start < n < board:
                first.append(way)
        cells = [
            (_name(node).split(", "), node["backendDOMNodeId"])
            for node in nodes
            if _role(node) == "gridcell"
        ]
        said = [
            Way(f"{one} {words[0]}", words[0], at)
            for one in [MEND, *CELLS]
            for words, at in cells
            if any(word == one or (one == MINE and word.endswith(MINE)) for word in words[1:])
        ]
        return [*first, *said, *last]

    async def act(self, way: Way) -> None:
        from playwright.async_api import Error

        before = await self.visit.page.evaluate(ANSWERS)
        try:
            found = await self._session.send("DOM.resolveNode", {"backendNodeId": way.at})
        except Error as error:
            if "No node" not in str(error):
                raise
            return  # It went while it was thought about.
        await self._session.send(
            "Runtime.callFunctionOn",
            {
                "objectId": found["object"]["objectId"],
                "functionDeclaration": """function () {
                    const what = { bubbles: true, cancelable: true, detail: 0 };
                    this.dispatchEvent(new PointerEvent('click', what));
                }""",
            },
        )
        await _answered(self.visit, ANSWERS, before, HAND_MS)


def _role(node: dict[str, Any]) -> str:
    return str(node.get("role", {}).get("value", ""))


def _name(node: dict[str, Any]) -> str:
    return str(node.get("name", {}).get("value", ""))


def _is(node: dict[str, Any], what: str) -> bool:
    return any(
        one["name"] == what and one["value"].get("value") for one in node.get("properties", ())
    )


def _is_headline(node: dict[str, Any]) -> bool:
    return _role(node) == "heading" and any(
        one["name"] == "level" and one["value"].get("value") == 1
        for one in node.get("properties", ())
    )
