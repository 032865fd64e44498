"""The link machine and the real firmware over a bad line, in virtual time."""

from __future__ import annotations

import random

import pytest
from lumiban.boards.link import Link
from lumiban.boards.profile import load
from lumiban.boards.types import (
    BoardEvent,
    Changed,
    LightFrame,
    LinkEvent,
    Lost,
    Snapshot,
)
from lumiban_sim.faults import LineFaults
from lumiban_sim.rig import Rig
from thorough import some

HEX3 = load("hex3")
FOREVER = 1 << 60


class Way:
    """A rig and a link in one virtual time; events count as durable once they are told."""

    def __init__(self, seed: int, resume: tuple[int, int] | None = None, session: int = 1) -> None:
        self.rig = Rig(HEX3, seed, noise_ut=0)
        self.attach(Link(HEX3, session, resume=resume))
        self.log: list[LinkEvent] = []
        self.durable = True

    def attach(self, link: Link) -> None:
        self.link = link
        link.opened(self.rig.now_us)

    def spoil(self, seed: int, **odds: float) -> None:
        self.rig.pipe.to_host_faults = LineFaults(2 * seed, **odds)
        self.rig.pipe.to_board_faults = LineFaults(2 * seed + 1, **odds)

    def mend(self) -> None:
        self.rig.pipe.to_host_faults = self.rig.pipe.to_board_faults = None

    def run(self, until_us: int) -> None:
        rig, link = self.rig, self.link
        while rig.now_us < until_us:
            out = link.take_output()
            if out:
                rig.from_host(out)
            rig.run(min(until_us, link.next_deadline() or FOREVER))
            now = rig.now_us
            events = link.receive(rig.to_host(), now) + link.poll(now)
            self.log += events
            for event in events:
                if isinstance(event, Changed) and self.durable:
                    link.acknowledge(event.events[-1].number + 1)
                if isinstance(event, Lost):
                    link.opened(now)

    @property
    def events(self) -> list[BoardEvent]:
        return [e for change in self.log if isinstance(change, Changed) for e in change.events]

    @property
    def snapshots(self) -> list[Snapshot]:
        return [e for e in self.log if isinstance(e, Snapshot)]


def frame(n: int) -> LightFrame:
    """A steady picture, its palette too, of its own for each number."""
    return LightFrame(
        tuple(((n + i) % 6, 0) for i in range(19)),
        ((0, 0, 0), *((80 + 30 * i, 120 + n % 100, 200 - 25 * i) for i in range(5))),
    )


def play(way: Way, seed: int, moves: int) -> None:
    """Hands place and lift at random while pictures change; then all comes to rest."""
    dice = random.Random(seed)
    kinds = [0] * 19
    for n in range(moves):
        cell = dice.randrange(19)
        if kinds[cell]:
            kinds[cell] = 0
            way.rig.hands.lift(cell)
        else:
            kinds[cell] = dice.choice((1, 2))
            way.rig.hands.place(cell, kinds[cell])
        way.link.show(frame(n))
        way.run(way.rig.now_us + dice.randrange(100_000, 500_000))
    while not way.rig.hands.idle:
        way.run(way.rig.now_us + 100_000)
    way.run(way.rig.now_us + 500_000)


def clean(seed: int, moves: int) -> Way:
    way = Way(seed)
    way.run(1_000_000)
    play(way, seed, moves)
    way.run(way.rig.now_us + 3_000_000)
    return way


MOVES = 40


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "odds"),
    [
        (1, {"drop": 1e-3}),
        (2, {"duplicate": 1e-3}),
        (3, {"corrupt": 1e-3}),
        (4, {"drop": 3e-3, "duplicate": 3e-3, "corrupt": 3e-3}),
        (5, {"drop": 5e-3, "duplicate": 5e-3, "corrupt": 5e-3}),
        (6, {"drop": 1e-2}),
        (7, {"duplicate": 1e-2}),
        (8, {"corrupt": 1e-2}),
    ],
)
def test_over_a_bad_line_events_come_once_in_order_and_the_light_converges(
    seed: int, odds: dict[str, float]
) -> None:
    reference = clean(seed, MOVES)
    assert len(reference.events) >= MOVES * 3 // 4
    assert reference.link.statistics.heals == 0

    way = Way(seed)
    way.run(1_000_000)  # the first picture is taken before the line goes bad
    way.spoil(seed, **odds)
    play(way, seed, MOVES)
    last = way.rig.now_us
    way.mend()
    way.run(last + 3_000_000)

    told = [(e.number, e.cell, e.kind) for e in way.events]
    assert told == [(e.number, e.cell, e.kind) for e in reference.events]
    # A frame counts in steps of 10 µs from its first event, and resending may divide them anew.
    assert all(
        abs(a.t_us - b.t_us) <= 10 for a, b in zip(way.events, reference.events, strict=True)
    )
    assert way.rig.light == reference.rig.light
    assert any(way.rig.light)
    assert way.link.statistics.broken + way.rig.chip.board.link.errors > 0
    assert [s for s in way.snapshots if s.was_healed] == []


@pytest.mark.parametrize("drop", [2e-3, 1e-2])
@pytest.mark.parametrize("every_us", some([7_000, 35_000], 2))
def test_a_stream_of_events_does_not_put_off_what_was_lost(drop: float, every_us: int) -> None:
    way = Way(21)
    way.run(1_000_000)
    way.spoil(21, drop=drop)
    for n in range(200):
        way.rig.world.buttons ^= 1 << n % 2
        way.run(way.rig.now_us + every_us)
    way.mend()
    way.run(way.rig.now_us + 1_000_000)
    assert [e.number for e in way.events] == list(range(way.rig.chip.board.ring.next))
    assert len(way.events) > 30
    assert way.link.statistics.gaps == 0
