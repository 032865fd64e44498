"""How long a stone's way to the host takes in virtual time, and that of the light back."""

from __future__ import annotations

import random
from dataclasses import dataclass

from lumiban.boards.link import Link
from lumiban.boards.profile import Profile
from lumiban.boards.types import Changed, LightFrame

from lumiban_sim.rig import Rig

REST_US = 400_000
ANSWER_TIMEOUT_US = 2_000_000
SPEED_US = 600_000
"""From the order to the contact: a hand has that long to come."""
COLOURS = ((0, 0, 0), (255, 255, 255))


@dataclass(frozen=True, slots=True)
class Answer:
    """One placement, µs after its contact: when the host heard of it, and when light answered."""

    heard_us: int
    lit_us: int


def answers(profile: Profile, seed: int, count: int) -> list[Answer]:
    """Let a hand set stones, each answered by the light of its cell; the line takes no time.

    AssertionError when a stone is not answered within two seconds. The same arguments give the
    same answers.
    """
    dice = random.Random(f"answers {seed}")
    rig = Rig(profile, seed)
    link = Link(profile, seed + 1)
    link.opened(rig.now_us)
    heard: dict[int, int] = {}

    def go(until_us: int) -> None:
        while rig.now_us < until_us:
            rig.from_host(link.take_output())
            rig.run(max(rig.now_us, min(until_us, link.next_deadline() or until_us)))
            now = rig.now_us
            for event in link.receive(rig.to_host(), now) + link.poll(now):
                if isinstance(event, Changed):
                    for one in event.events:
                        heard.setdefault(one.cell, now)
                        link.show(_one_light(profile, one.cell))
                        link.acknowledge(one.number + 1)

    go(REST_US)
    out: list[Answer] = []
    while len(out) < count:
        free = [cell for cell, kind in enumerate(rig.kinds) if not kind]
        if len(free) < len(profile.cells) // 2:
            for piece in list(rig.world.pieces.values()):
                rig.world.vanish(piece, rig.now_us)
            go(rig.now_us + REST_US)
            continue
        cell = dice.choice(free)
        heard.clear()
        touch_us = rig.now_us + SPEED_US + dice.randrange(1000)
        errand = rig.hands.place(cell, dice.choice((1, 2, 3)), touch_us=touch_us)
        lamp = 3 * profile.cells[cell].light
        while not (cell in heard and rig.light[lamp]):
            assert rig.now_us < touch_us + ANSWER_TIMEOUT_US, f"cell {cell} was not answered"
            go(rig.now_us + 1_000)
        out.append(Answer(heard[cell] - errand.touch_us, rig.now_us - errand.touch_us))
        go(rig.now_us + REST_US)
    return out


def _one_light(profile: Profile, cell: int) -> LightFrame:
    lamp = profile.cells[cell].light
    return LightFrame(tuple((int(n == lamp), 0) for n in range(profile.lights)), COLOURS)
