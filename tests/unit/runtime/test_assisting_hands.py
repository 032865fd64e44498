"""Hands that set the machine's pieces: each errand once, what is in the way, what is void."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lumiban.boards.profile import load
from lumiban.runtime.hands import (
    LAY,
    PATIENCE_S,
    AssistingHands,
    Errand,
)
from lumiban_sim.desk import Desk
from pty_board import EagerLoop, run
from sitting_bench import BLACK_STONE, WHITE_STONE, hands_of
from websockets.asyncio.client import ClientConnection


@dataclass
class Watched:
    """Assisting hands at work on a simulator, and a line that hears of what they do."""

    hands: AssistingHands
    line: ClientConnection

    async def until(self, true: Callable[[dict[str, Any]], bool]) -> None:
        """Listen until a message of which this is true."""
        async for message in self.line:
            if true(json.loads(message)):
                return

    async def lies(self, cell: int, kind: int) -> None:
        await self.until(lambda heard: heard["type"] == "world" and heard["kinds"][cell] == kind)

    async def lie(self, *cells: int) -> None:
        """Pieces lie on these cells and on no others."""
        await self.until(
            lambda heard: (
                heard["type"] == "world"
                and cells == tuple(cell for cell, kind in enumerate(heard["kinds"]) if kind)
            )
        )

    async def put(self, cell: int, kind: int) -> None:
        """A person puts a piece down."""
        await self.line.send(json.dumps({"do": "place", "cell": cell, "kind": kind}))


def at_work(does: Callable[[Watched], Coroutine[Any, Any, None]]) -> Callable[[Path], None]:
    """A test of hands at a simulator in this process, in its time."""

    async def main(state: Path) -> None:
        desk = Desk(load("hex3"), seed=1, state=state)
        serving = asyncio.create_task(desk.run())
        await desk.ready.wait()
        url = f"ws://127.0.0.1:{desk.door.port}/hands?token={desk.door.token}"
        hands = AssistingHands(url, eager=True)
        working = asyncio.create_task(hands.run())
        async with hands_of(url) as line:
            await does(Watched(hands, line))
        working.cancel()
        desk.stop()
        await asyncio.wait([working, serving])

    def test(tmp_path: Path) -> None:
        run(main(tmp_path))

    return test


@at_work
async def test_hands_do_each_errand_once_and_lift_what_is_in_the_way(seen: Watched) -> None:
    hands = seen.hands
    hands.ask(Errand("place", 3, WHITE_STONE, 0.0))
    await seen.lies(3, WHITE_STONE)
    hands.ask(Errand("place", 3, WHITE_STONE, 0.0))
    hands.ask(Errand("place", 4, BLACK_STONE, 0.0))
    await seen.lies(4, BLACK_STONE)
    assert hands.done == 2
    hands.ask(Errand("place", 4, WHITE_STONE, 0.0))
    await seen.lies(4, 0)
    await seen.lies(4, WHITE_STONE)
    assert hands.done >= 4, "the wrong stone was lifted first"
    hands.ask(Errand("lift", 4, 0, 0.0))
    await seen.lies(4, 0)
    hands.ask(None)
    done = hands.done
    await seen.put(5, BLACK_STONE)
    await seen.lies(5, BLACK_STONE)
    assert hands.done == done, "nothing was asked"


@at_work
async def test_what_is_to_be_set_up_is_laid_at_once(seen: Watched) -> None:
    seen.hands.ask(Errand(LAY, 3, 0, 0.0, ((3, WHITE_STONE), (7, BLACK_STONE))))
    await seen.lies(3, WHITE_STONE)
    assert seen.hands.done == 1
    seen.hands.ask(Errand(LAY, 3, 0, 0.0, ((3, 0), (5, BLACK_STONE))))
    await seen.lie(5, 7)
    assert seen.hands.done == 2


@at_work
async def test_hands_take_away_what_lies_where_the_game_has_no_cell(seen: Watched) -> None:
    for cell in (0, 9, 18):
        await seen.put(cell, BLACK_STONE)
    await seen.lie(0, 9, 18)
    seen.hands.tidy([0, 1, 18])
    await seen.lie(9)
    await seen.put(1, BLACK_STONE)
    await seen.lie(1, 9)
    await seen.lie(9)
    seen.hands.ask(Errand("lift", 9, 0, 0.0))
    await seen.lie()


@at_work
async def test_a_stone_on_its_way_is_carried_back_when_nobody_asks_for_it_any_more(
    seen: Watched,
) -> None:
    def shown(heard: dict[str, Any], held: bool) -> bool:
        assert heard["type"] != "world" or heard["kinds"][3] == 0, "it was set down"
        return heard["type"] == "hands" and bool(heard["hands"]) == held

    await seen.until(lambda heard: shown(heard, False))
    seen.hands.ask(Errand("place", 3, BLACK_STONE, 0.0))
    await seen.until(lambda heard: shown(heard, True))
    seen.hands.ask(None, void=True)
    await seen.until(lambda heard: shown(heard, False))


class _Line:
    """A line to hands that do nothing by themselves."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.messages: list[dict[str, Any]] = []
        self._heard: asyncio.Queue[str] = asyncio.Queue()

    async def hear(self, *kinds: int) -> None:
        """Tell what lies, and let that be followed."""
        self._heard.put_nowait(json.dumps({"type": "world", "kinds": kinds}))
        for _ in range(10):
            await asyncio.sleep(0)

    async def send(self, text: str) -> None:
        self.messages.append(json.loads(text))
        self.sent.append(self.messages[-1]["do"])

    async def __aiter__(self) -> AsyncIterator[str]:
        while True:
            yield await self._heard.get()


def test_a_host_that_was_late_does_not_have_the_stone_lifted_that_it_has_just_taken() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, EagerLoop)
        hands, line = AssistingHands("", eager=True), _Line()
        working = asyncio.create_task(hands._serve(line))  # type: ignore[arg-type]
        hands.ask(Errand("place", 1, WHITE_STONE, 0.0))
        await line.hear(0, 0, 0)
        await line.hear(0, WHITE_STONE, 0)
        # What came of it and the end of the hands' patience are found in one turn of the loop.
        loop.call_later(PATIENCE_S - 0.5, hands.ask, None)
        loop.call_later(PATIENCE_S - 1.0, loop.be_late, 2.0)
        await asyncio.sleep(2 * PATIENCE_S)
        working.cancel()
        await asyncio.wait([working])
        assert line.sent == ["place"]

    run(main())
