"""Simulated hands that do what the table asks: one step at a time, at a person's pace.

They speak to the simulator's `/hands` as the page does, and see only what it tells: nothing here
knows a game.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lumiban.system import size_limits

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

PATIENCE_S = 3.0
"""After which a step that changed nothing is tried again."""
RECONNECT_S = 1.0
ONLY_PIECES = "&only=world"
"""Light changes forty times a second; these hands go by the pieces."""
LAY = "lay"
TIDY_LOOK_S = 0.3
"""Before a piece is taken away that lies where the game has no cell."""


@dataclass(frozen=True, slots=True)
class Errand:
    """A step on a board cell: `place` a kind there or `lift` what is there, after a look; or `lay`
    all these `pieces`, a kind by each cell, at once."""

    do: str
    cell: int
    kind: int
    look_s: float
    pieces: tuple[tuple[int, int], ...] = ()


class AssistingHands:
    """A client of the simulator's `/hands`; `ask` tells it the next errand, None for none.

    `eager` hands do not look first.
    """

    def __init__(
        self,
        url: str,
        *,
        seed: int = 0,
        eager: bool = False,
    ) -> None:
        self.url = url
        self.done = 0
        self._eager = eager
        self._chance = random.Random(seed)
        self._errand: Errand | None = None
        self._void: Errand | None = None
        self._changed = asyncio.Event()
        self._kinds: Sequence[int] = ()
        self._outside: Sequence[int] = ()

    def ask(self, errand: Errand | None, *, void: bool = False) -> None:
        """The errand from now on; an equal one leaves the hand to what it is doing.

        `void`: the stone of the one before is not wanted any more (somebody took the seat): a hand
        that is bringing it, or has just set it down, takes it away again.
        """
        if errand != self._errand:
            self._void = self._errand if void else None
            self._errand = errand
            self._changed.set()

    def tidy(self, outside: Sequence[int]) -> None:
        """Board cells on which nothing should lie from now on, as nobody asks for steps there."""
        if outside != self._outside:
            self._outside = outside
            self._changed.set()

    async def run(self) -> None:
        """Work until cancelled; a simulator that went away is tried again."""
        from websockets.asyncio.client import connect
        from websockets.exceptions import WebSocketException

        while True:
            try:
                # A simulator that has no core for half a minute is slow, not gone: no keepalive.
                async with connect(
                    self.url + ONLY_PIECES,
                    compression=None,
                    proxy=None,
                    open_timeout=None,
                    ping_interval=None,
                ) as line:
                    await self._serve(line)
            except (OSError, WebSocketException):
                pass
            await asyncio.sleep(RECONNECT_S)

    async def _serve(self, line: ClientConnection) -> None:
        """Look and work until the line closes."""
        looking = asyncio.create_task(self._look(line))
        looking.add_done_callback(lambda _: self._changed.set())
        try:
            await self._work(line, looking)
        finally:
            looking.cancel()
            await asyncio.wait([looking])
            if not looking.cancelled():
                looking.exception()  # it only says in which way the line closed

    async def _look(self, line: ClientConnection) -> None:
        async for message in line:
            heard: dict[str, Any] = size_limits.from_json(message)
            if heard.get("type") == "world":
                errand, lay = self._next(), self._kinds
                self._kinds = heard["kinds"]
                moved = errand is not None and lay and lay[errand.cell] != self._lies(errand)
                if moved or self._next() != errand:
                    self._changed.set()

    async def _work(self, line: ClientConnection, looking: asyncio.Task[None]) -> None:
        looked: Errand | None = None
        while not looking.done():
            self._changed.clear()
            errand = self._next()
            if errand is None:
                await self._changed.wait()
                continue
            if errand != looked:
                look_s = 0.0 if self._eager else errand.look_s * self._chance.uniform(0.8, 1.4)
                if await self._changes_within(look_s):
                    continue
                looked = errand
            await self._do(line, errand, again=False)
            if not await self._changes_within(PATIENCE_S):
                # Nothing came of it, or the board cannot read what lies there.
                await self._do(line, errand, again=True)
                await self._changes_within(PATIENCE_S)
            if self._void == errand:
                self._void = None
                await line.send(json.dumps({"do": "recall"}))

    def _next(self) -> Errand | None:
        """Errand that the table asks for, else the first stray piece."""
        if self._errand is not None or not self._kinds:
            return self._errand
        stray = next((cell for cell in self._outside if self._kinds[cell]), None)
        return None if stray is None else Errand("lift", stray, 0, TIDY_LOOK_S)

    async def _do(self, line: ClientConnection, errand: Errand, again: bool) -> None:
        lies = self._lies(errand)
        message: dict[str, Any]
        if errand.do == LAY:
            message = {"do": LAY, "pieces": {str(cell): kind for cell, kind in errand.pieces}}
        elif errand.do == "place" and lies == 0:
            message = {"do": "place", "cell": errand.cell, "kind": errand.kind}
        elif errand.do == "place" and lies == errand.kind and not again:
            return  # it lies there already: the board only has to notice
        elif lies:
            # The wrong piece, one to be lifted, or the right one set down so badly that the
            # board cannot read it: up with it.
            message = {"do": "lift", "cell": errand.cell}
        else:
            return
        await line.send(json.dumps(message))
        self.done += 1

    def _lies(self, errand: Errand) -> int:
        """True content of the errand's cell."""
        return self._kinds[errand.cell] if errand.cell < len(self._kinds) else 0

    async def _changes_within(self, seconds: float) -> bool:
        # Not wait_for: under Python 3.11 it swallows a cancellation that comes with the change.
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        except TimeoutError:
            # It may have come while this process was kept from running, together with the end.
            return self._changed.is_set()
        return True
