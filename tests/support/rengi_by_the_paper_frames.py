"""Rengi by the letter, by frames: the game whose players act when their clocks say so.

The costs are those of golden/rengi.json, `tsu_frames`. How they are put together the paper leaves
open; this is the product's reading (clock.py says it in words), worked out afresh: a pair moves
sideways, falls fast and comes to rest, a block without support falls on and comes to rest; each
step vanishes, is credited, and what it loosened falls and comes to rest; the next pair comes.
"""

from __future__ import annotations

import json
from typing import Any

from places import TESTS
from rengi_by_the_paper import COLUMNS, Field, Step, child_cell, copied, erase, height, let_fall
from rengi_by_the_paper_game import Game
from rengi_by_the_paper_sides import Rules, Times

COSTS: dict[str, Any] = json.loads((TESTS / "golden" / "rengi.json").read_text("utf-8"))[
    "tsu_frames"
]

LANDS = 2.5
"""Where landing comes among what is due at the same time: after falls, before acting."""


def pair_frames(of: Field, column: int, rotation: int) -> int:
    """From coming in at row 12 to rest."""
    child = child_cell((column, 1), rotation)[0]
    upper, lower = (
        max(height(of, column), height(of, child)),
        min(height(of, column), height(of, child)),
    )
    rows = 12 - upper - (1 if rotation == 2 else 0)
    frames: int = COSTS["horizontal"][abs(column - 3)] + COSTS["grounding"]
    frames += COSTS["drop_fast"][rows] if rows > 0 else COSTS["kabegoe_penalty"]
    if upper > lower:
        frames += COSTS["drop"][upper - lower] + COSTS["grounding"]
    return frames


def loosened(before: Field, after: Field) -> int:
    """The most rows that a block falls into the gaps: before gravity, and after it."""
    longest = 0
    for column in range(COLUMNS):
        was = [row for row in range(13) if before[row][column] != "."]
        now = [row for row in range(13) if after[row][column] != "."]
        longest = max([longest, *(a - b for a, b in zip(was, now, strict=True))])
    return longest


def chain_frames(placed: Field, ghost_ojama: str) -> list[tuple[int, int]]:
    """For each step: frames until it is credited, frames in which the rest falls."""
    of = copied(placed)
    listed: list[tuple[int, int]] = []
    let_fall(of)
    while erase(of, len(listed) + 1, ghost_ojama):
        gaps = copied(of)
        let_fall(of)
        rows = loosened(gaps, of)
        falls = COSTS["drop"][rows] + COSTS["grounding"] if rows else 0
        listed.append((COSTS["vanish"], falls))
    return listed


def ojama_frames(of: Field, amount: int) -> int:
    """So many fall from the ghost row to the lowest column, and come to rest."""
    deep = max(1, 13 - min(height(of, column) for column in range(1, 7)))
    rest = "1-3" if amount <= 3 else "4-18" if amount <= 18 else "19+"
    frames: int = COSTS["drop"][deep] + COSTS["ojama_ground"][rest]
    return frames


class FrameGame(Game):
    """A game by frames. Ojama that fall take their receiver's time."""

    def __init__(self, rules: Rules, begins: int = 0) -> None:
        self.in_the_air: dict[int, tuple[list[Step], Times]] = {}
        super().__init__(rules, begins)
        self.sides[1 - begins].clock = 0

    def times(
        self, who: int, before: Field, placed: Field, way: tuple[int, int], steps: int
    ) -> Times:
        time = lands = self.sides[who].clock + pair_frames(before, *way)
        credits_ = []
        for vanish, falls in chain_frames(placed, self.rules.ghost_ojama):
            credits_.append(time + vanish)
            time += vanish + falls
        return Times(credits_, time, time, time + COSTS["prepare_next"], lands)

    def begin(self, who: int, steps: list[Step], times: Times) -> None:
        """A chain is fired only as the pair lands: until then nobody knows of it."""
        super().begin(who, [], times)
        if steps:
            self.in_the_air[who] = steps, times

    def due(self) -> list[tuple[int, float, bool, int]]:
        """Just before somebody acts pairs land."""
        landing = [
            (times.lands, LANDS, who != self.begins, who)
            for who, (_, times) in self.in_the_air.items()
        ]
        return [*super().due(), *landing]

    def happens(self, order: float, who: int) -> bool:
        if order == LANDS:
            self.fire(who, *self.in_the_air.pop(who))
            return True
        return super().happens(order, who)

    def state(self) -> tuple[object, ...]:
        now = self.sides[self.mover].clock
        flying = [
            (who, times.lands - now, len(steps), times.settles - now, steps[0].points)
            for who, (steps, times) in sorted(self.in_the_air.items())
        ]
        return (*super().state(), *flying)

    def chain_hand(self, who: int) -> int:
        return self.sides[who].made - 1

    def clock_after_pass(self, who: int) -> int:
        """As long as a pair that rests at once; an ordinary one lets the opponent fire or act
        first."""
        rests: int = self.sides[who].clock + COSTS["prepare_next"] + COSTS["grounding"]
        if self.opponent_runs(who):
            return rests
        if 1 - who in self.in_the_air:
            return max(rests, self.in_the_air[1 - who][1].lands + 1)
        return max(rests, self.sides[1 - who].clock + 1)

    def end_chain(self, attacker: int) -> None:
        """By frames ojama fall only as the receiver's own hand comes to rest."""
        self.sides[attacker].chain = None
        receiver = self.sides[1 - attacker]
        receiver.a, receiver.b = receiver.waiting, 0
        receiver.passed = False

    def let_ojama_fall(self, who: int) -> None:
        side = self.sides[who]
        before, fallen = copied(side.field), side.ojama_fallen
        super().let_ojama_fall(who)
        if side.ojama_fallen > fallen:
            side.clock += ojama_frames(before, side.ojama_fallen - fallen)
