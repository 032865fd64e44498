"""Hands that set the machine's pieces: each errand once, what is in the way, what is void."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from lumiban.cli import simulated
from lumiban.cli.assist import AssistHands, Errand
from sitting_bench import BLACK_STONE, LONGEST_S, WHITE_STONE
from websockets.asyncio.client import connect


async def test_hands_do_each_errand_once_and_lift_what_is_in_the_way(tmp_path: Path) -> None:
    simulator = await simulated.start(tmp_path, "hex3", seed=1)
    hands = AssistHands(simulator.hands, eager=True)
    working = asyncio.create_task(hands.run())
    try:
        async with connect(simulator.hands) as line, asyncio.timeout(LONGEST_S):

            async def lies(cell: int, kind: int) -> None:
                async for message in line:
                    heard = json.loads(message)
                    if heard["type"] == "world" and heard["kinds"][cell] == kind:
                        return

            hands.ask(Errand("place", 3, WHITE_STONE, 0.0))
            await lies(3, WHITE_STONE)
            hands.ask(Errand("place", 3, WHITE_STONE, 0.0))
            hands.ask(Errand("place", 4, BLACK_STONE, 0.0))
            await lies(4, BLACK_STONE)
            assert hands.done == 2
            hands.ask(Errand("place", 4, WHITE_STONE, 0.0))
            await lies(4, 0)
            await lies(4, WHITE_STONE)
            assert hands.done >= 4, "the wrong stone was lifted first"
            hands.ask(Errand("lift", 4, 0, 0.0))
            await lies(4, 0)
            hands.ask(None)
            done = hands.done
            async with connect(simulator.hands) as other:
                await other.send(json.dumps({"do": "place", "cell": 5, "kind": BLACK_STONE}))
            await lies(5, BLACK_STONE)
            assert hands.done == done, "nothing was asked"
    finally:
        working.cancel()
        await asyncio.wait([working])
        simulator.end()


async def test_hands_take_away_what_lies_where_the_game_has_no_cell(tmp_path: Path) -> None:
    simulator = await simulated.start(tmp_path, "hex3", seed=1)
    hands = AssistHands(simulator.hands, eager=True)
    working = asyncio.create_task(hands.run())
    try:
        async with connect(simulator.hands) as line, asyncio.timeout(LONGEST_S):

            async def lie(*cells: int) -> None:
                async for message in line:
                    heard = json.loads(message)
                    kinds = heard["kinds"] if heard["type"] == "world" else ()
                    if heard["type"] == "world" and cells == tuple(
                        c for c in range(19) if kinds[c]
                    ):
                        return

            for cell in (0, 9, 18):
                await line.send(json.dumps({"do": "place", "cell": cell, "kind": BLACK_STONE}))
            await lie(0, 9, 18)
            hands.tidy([0, 1, 18])
            await lie(9)
            await line.send(json.dumps({"do": "place", "cell": 1, "kind": BLACK_STONE}))
            await lie(1, 9)
            await lie(9)
            hands.ask(Errand("lift", 9, 0, 0.0))
            await lie()
    finally:
        working.cancel()
        await asyncio.wait([working])
        simulator.end()


async def test_a_stone_on_its_way_is_carried_back_when_nobody_asks_for_it_any_more(
    tmp_path: Path,
) -> None:
    simulator = await simulated.start(tmp_path, "hex3", seed=1)
    hands = AssistHands(simulator.hands, eager=True)
    working = asyncio.create_task(hands.run())
    try:
        async with connect(simulator.hands) as line, asyncio.timeout(LONGEST_S):

            async def shown(held: bool) -> None:
                async for message in line:
                    heard = json.loads(message)
                    assert heard["type"] != "world" or heard["kinds"][3] == 0, "it was set down"
                    if heard["type"] == "hands" and bool(heard["hands"]) == held:
                        return

            await shown(False)
            hands.ask(Errand("place", 3, BLACK_STONE, 0.0))
            await shown(True)
            hands.ask(None, void=True)
            await shown(False)
    finally:
        working.cancel()
        await asyncio.wait([working])
        simulator.end()
