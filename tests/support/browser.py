"""What browser tests share: a table of its own for each, and one Chromium to look at them all."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from local_page import create_app
from lumiban.web.serve import free_socket, serve

CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first that is there. The shell has no windows to draw and none to look after: it takes a
third of the main process of a whole Chromium, a fifth of what all page tests take."""
CHROMIUM = next(filter(None, map(shutil.which, CHROMIUMS)), None)
SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # A name that is no localhost: browsers treat it as any address of a network without TLS.
    "--host-resolver-rules=MAP *.local 127.0.0.1",
]


@dataclass
class Host:
    """A running `lumiban` command that serves a page."""

    url: str
    port: int
    process: asyncio.subprocess.Process
    token: str = ""
    """What the link said behind its `#`: it shows who owns the page."""

    @property
    def owner_url(self) -> str:
        return f"{self.url}#{self.token}"

    async def end(self, how: signal.Signals = signal.SIGINT) -> None:
        """Send it this signal and wait until it is gone."""
        if self.process.returncode is None:
            self.process.send_signal(how)
        await self.process.wait()


def a_free_port() -> int:
    sock = free_socket("127.0.0.1", 0)
    port: int = sock.getsockname()[1]
    sock.close()
    return port


@asynccontextmanager
async def hosted(
    state: Path, *words: str, port: int | None = None, ends: bool = True
) -> AsyncIterator[Host]:
    """`lumiban WORDS`, with its state in a folder of its own, until the block ends."""
    port = port or a_free_port()
    program = ("-m", "lumiban", *words, "--no-browser", "--port", str(port))
    async with running(state, *program, ends=ends) as host:
        yield host


@asynccontextmanager
async def running(state: Path, *program: str, ends: bool = True) -> AsyncIterator[Host]:
    """A Python program that serves a page and tells its link, until the block ends."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *program),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        # A page shows no difference, and a bot that loads numba costs as much as the browser.
        env={
            **os.environ,
            "LUMIBAN_HOME": str(state),
            "LUMIBAN_LANG": "en",
            "LUMIBAN_PLAIN": "1",
        },
    )
    url = await _told_url(process)
    plain, _, token = url.partition("#")
    host = Host(plain, int(plain.rstrip("/").rpartition(":")[2]), process, token)
    try:
        yield host
    finally:
        if ends or process.returncode is None:
            await host.end()


async def _told_url(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    said: list[str] = []
    async for raw in process.stdout:
        line = raw.decode().strip()
        said.append(line)
        if "http://" in line:
            return "http://" + line.split("http://", 1)[1]
    process.kill()
    await process.wait()
    raise AssertionError("lumiban told no link: " + "\n".join(said))


LISTENS = """
    window.WebSocket = class extends WebSocket {
        constructor(...address) {
            super(...address);
            if (String(address[0]).includes('/hands')) {
                this.addEventListener('open', () => { window.haveHands = true; });
                this.addEventListener('close', () => { window.haveHands = false; });
            }
            this.addEventListener('message', ({ data }) => {
                const { type, v, simulated, role, side } = JSON.parse(data);
                if (type === 'hello') {
                    window.needsHands = simulated && role === 'host';
                    window.shownSide = role === 'seat' ? side : null;
                }
                if (type === 'view') window.shownView = v;
            });
        }
    };
"""
"""A page's scripts are one file, so no test finds their state: this tells which view came last
and whether the line to the simulator's hands is up, which is another one."""
LOGS = """
    window.toldLog = [];
    addEventListener('DOMContentLoaded', () => {
        for (const place of ['#sentence', '#said', '#refused']) {
            const one = document.querySelector(place);
            const log = () => window.toldLog.push([place, one.textContent]);
            if (one) new MutationObserver(log).observe(one, { childList: true, subtree: true });
        }
    });
"""
"""What a page said, in order: a sentence may be gone again before a test looks for it."""
WAIT_MS = 100_000
"""Shorter than a test may take: what never came is then named."""
CHOOSES = """slug => {
    document.querySelector('#new-game').click();
    const radio = document.querySelector(`#new-game-${slug}`);
    radio.click();
    for (const side of [0, 1]) {
        const seat = document.querySelector(`#new-seat-${side}`);
        seat.value = 'human';
        seat.dispatchEvent(new Event('change'));
    }
    document.querySelector('#new-start').click();
}"""
"""Another game of two people by the page's dialog."""
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


@dataclass
class Visit:
    """A page in Chromium, with the questions that these tests ask of it."""

    page: Any
    faults: list[str]

    async def until(self, condition: str, argument: Any = None) -> None:
        """Wait for a JavaScript condition; not an async one, whose promise is true at once."""
        await self.page.wait_for_function(condition, arg=argument)

    async def view(self) -> dict[str, Any]:
        """The view as the host tells it, once the page has drawn it: what is done next is done at
        a page that knows as much."""
        view: dict[str, Any] = await self.page.evaluate("fetch('/api/view').then(r => r.json())")
        await self.drawn(view["v"])
        return view

    @asynccontextmanager
    async def tells(self, said: str, place: str = "#sentence") -> AsyncIterator[None]:
        """Wait, once the block is done, until the page has told something like this (a regular
        expression) since it began, even if it says something else by now."""
        before = await self.page.evaluate("window.toldLog.length")
        yield
        await self.until(
            """([before, place, said]) => window.toldLog.slice(before).some(
                ([where, text]) => where === place && new RegExp(said).test(text))""",
            [before, place, said],
        )

    async def drawn(self, v: int) -> None:
        """Wait until the page has drawn this view, or a later one."""
        await self.until("v => window.shownView >= v", v)
        await self.page.evaluate(DRAWN)

    async def my_turn(self) -> dict[str, Any]:
        """Wait until a person is to move, can, and nothing else is asked for; the view then."""
        await self.until(
            """() => (window.haveHands || !window.needsHands)
                && document.querySelector('#headline').textContent === 'Your turn'
                && document.querySelector('#turn').dataset.tone === 'calm'
                && document.querySelectorAll('.ghost').length === 0"""
        )
        return await self.view()

    async def settings(self) -> None:
        """Open the panel of what is set, unless it is open."""
        await self.page.wait_for_selector("#open-settings")
        if not await self.page.is_visible("#settings"):
            await self.page.click("#open-settings")

    async def blacks_turn(self) -> None:
        """Wait until Black is to move: no hand is on its way with a white stone then."""
        await self.until(
            "() => document.querySelector('#headline').textContent.startsWith('Black')"
        )

    async def middle(self, selector: str) -> tuple[float, float]:
        """The middle of an element on the screen, in px, as soon as it has one: a cell has none for
        a moment while a page that watched becomes one that plays."""
        place = await self.page.wait_for_function(
            """selector => {
                const box = document.querySelector(selector)?.getBoundingClientRect();
                return box && box.width ? [box.x + box.width / 2, box.y + box.height / 2] : null;
            }""",
            arg=selector,
        )
        x, y = await place.json_value()
        return x, y

    async def new_game(self, slug: str) -> None:
        """Choose another game of two people; the page is not waited for."""
        await self.page.evaluate(CHOOSES, slug)

    async def moves(self, count: int) -> list[str]:
        """Wait for so many moves in the list; their names."""
        await self.until("n => document.querySelectorAll('#moves button').length >= n", count)
        return [move["text"] for move in (await self.view())["moves"]]


class OneChromium:
    """The Chromium of this process: the first page that is visited starts it, all others use it.

    It lives in one event loop, so all tests that visit pages run in the session's
    (`pytest.mark.asyncio(loop_scope="session")`); conftest.py closes it.
    """

    def __init__(self) -> None:
        self._playwright: Any = None
        self._browser: Any = None

    async def room(self, **settings: Any) -> Any:
        """A new context: nothing in it is known from another test."""
        from playwright.async_api import async_playwright

        if self._playwright is None:
            self._playwright = await async_playwright().start()
        if self._browser is None or not self._browser.is_connected():
            self._browser = await self._playwright.chromium.launch(
                executable_path=CHROMIUM, args=SWITCHES
            )
        # A worker beside the page would answer what a test wants to answer itself.
        return await self._browser.new_context(**{"service_workers": "block", **settings})

    async def close(self) -> None:
        if self._browser is not None:
            await self._browser.close()
        if self._playwright is not None:
            await self._playwright.stop()
        self._browser = self._playwright = None


ONE_CHROMIUM = OneChromium()


def _failed(visit: Visit, told: Any) -> None:
    """An error in one of the page's listeners stops no other, and is told in the console."""
    if told.type == "error" and re.match(r"\w*Error\b", told.text):
        visit.faults.append(told.text)


@asynccontextmanager
async def visiting(
    urls: Sequence[str],
    *,
    script: str = "",
    comes_in: tuple[Any, ...] | None = None,
    **context: Any,
) -> AsyncIterator[list[Visit]]:
    """A page for each address, in a context of their own, where `script` runs before their own;
    with `comes_in` by this PIN, onto this side's seat, by a name if there is one; what they
    complain of fails the test."""
    if CHROMIUM is None:
        pytest.skip("no Chromium here: install chromium-headless-shell or chromium")
    settings: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}, **context}
    room = await ONE_CHROMIUM.room(**settings)
    await room.add_init_script(LISTENS + LOGS + script)
    room.set_default_timeout(WAIT_MS)
    visits = []
    try:
        for url in urls:
            page = await room.new_page()
            visit = Visit(page, [])
            page.on("pageerror", lambda error, visit=visit: visit.faults.append(str(error)))
            page.on("console", lambda told, visit=visit: _failed(visit, told))
            await page.goto(url)
            if comes_in is not None:
                pin, side, *name = comes_in
                await page.fill("#pin", pin)
                await page.tap("#enter button")
                await page.fill("#name", "".join(name))
                await page.tap(f"#seats li:nth-child({side + 1}) button")
            await page.wait_for_selector("#board .cell[role=gridcell]")
            await page.evaluate(DRAWN)  # its board fits the room that its panels leave
            visits.append(visit)
        yield visits
    finally:
        await room.close()
    assert [fault for visit in visits for fault in visit.faults] == []


@asynccontextmanager
async def shown(table: Any, query: str = "", **context: Any) -> AsyncIterator[Visit]:
    """A page that shows a table of this process."""
    page = await serve(create_app(table), port=0)
    try:
        async with visiting([page.url + query], **context) as [visit]:
            yield visit
    finally:
        await page.close()
