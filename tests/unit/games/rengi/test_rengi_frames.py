"""Time in Rengi's modes by frames: what each action costs, and whose clock is earlier."""

from __future__ import annotations

import json

from lumiban.games.rengi import clock
from places import TESTS

GOLDEN = json.loads((TESTS / "golden" / "rengi.json").read_text("utf-8"))
COSTS = GOLDEN["tsu_frames"]
FIRST, SECOND = 0, 1


def test_the_costs_are_those_of_the_golden_file() -> None:
    assert list(clock.DROP) == COSTS["drop"]
    assert list(clock.DROP_FAST) == COSTS["drop_fast"]
    assert list(clock.SIDEWAYS) == COSTS["horizontal"]
    assert (COSTS["prepare_next"], COSTS["grounding"]) == (clock.PREPARE_NEXT, clock.GROUNDING)
    assert (COSTS["vanish"], COSTS["kabegoe_penalty"]) == (clock.VANISH, clock.LIFTED)
    assert (COSTS["fps"], COSTS["next2_delay"]) == (clock.SECOND, clock.NEXT2_DELAY)
    few = clock.OJAMA_FEW, clock.OJAMA_SOME, clock.OJAMA_MANY
    assert few == tuple(COSTS["ojama_ground"][rest] for rest in ("1-3", "4-18", "19+"))
