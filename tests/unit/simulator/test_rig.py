"""The rig: from hands to bytes in virtual time, with skipping, seeds and a faulty line."""

from __future__ import annotations

import random

import pytest
from lumiban.boards.client import Frame
from lumiban.boards.messages import framed, unpack_events, unpack_state
from lumiban.boards.profile import load
from lumiban_fw import wire
from lumiban_sim.faults import LineFaults
from lumiban_sim.hands import BRISK, Errand
from lumiban_sim.rig import Rig
from pytest_lumiban.bench import Over
from pytest_lumiban.probe import Probe
from rig_line import RigLine

WHITE, BLACK, NEUTRAL = 1, 2, 3
PROFILE = load("hex3")

Event = tuple[int, int, int, int]
"""Cell, kind, time, uncertainty."""


class RecordedLine(RigLine):
    """A rig's line that writes down what the board sends."""

    def __init__(self, rig: Rig) -> None:
        super().__init__(rig)
        self.bytes = b""

    def read(self, until_us: int) -> bytes:
        data = super().read(until_us)
        self.bytes += data
        return data


class Listening(Probe):
    """A probe whose frames a host hears as they come."""

    def __init__(self, host: Host) -> None:
        super().__init__(Over(host.line, "rig", host.rig.profile, frozenset()))
        self._host = host

    def take(self, one: Frame) -> None:
        super().take(one)
        self._host.hear(one)


class Host:
    """A probe that greets, acknowledges, and writes down events and beliefs."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.line = RecordedLine(rig)
        self.probe = Listening(self)
        self.events: dict[int, Event] = {}
        self.kinds = b""
        self.greeted = False

    @property
    def bytes(self) -> bytes:
        """All that the board has sent."""
        return self.line.bytes

    def go(self, until_us: int) -> None:
        if not self.greeted:
            self.probe.greet(5)
            self.greeted = True
        self.probe.run(max(until_us - self.rig.now_us, 0))

    def hear(self, one: Frame) -> None:
        if one.kind == wire.B_STATE:
            self.kinds = unpack_state(one.payload)[6][: len(self.rig.profile.cells)]
        elif one.kind == wire.B_EVENTS:
            first, base, _, events = unpack_events(one.payload)
            for i, (cell, what, dt, uncertainty) in enumerate(events):
                self.events[first + i] = (cell, what, base + dt, uncertainty)
            known = 0
            while known in self.events:
                known += 1
            self.probe.say(wire.H_ACK, (known,))

    @property
    def log(self) -> list[Event]:
        return [self.events[n] for n in sorted(self.events)]


def scene(rig: Rig, stones: int, seed: int) -> list[Errand]:
    """Two hands at once: they place stones at random, and later lift some of them."""
    dice = random.Random(seed)
    cells = dice.sample(range(len(rig.profile.cells)), stones)
    errands = []
    for n, cell in enumerate(cells):
        hand = dice.choice(["left", "right"])
        at_us = 400_000 + n * 350_000
        errands.append(rig.hands.place(cell, dice.choice([1, 2, 3]), hand=hand, at_us=at_us))
    # Long after: a stone that touches the board for a moment only is nobody's move.
    for cell in cells[::3]:
        hand = dice.choice(["left", "right"])
        errands.append(rig.hands.lift(cell, hand=hand, at_us=1_000_000 + stones * 700_000))
    return errands


def played(rig: Rig, stones: int = 14, seed: int = 3) -> tuple[Host, list[Errand]]:
    host = Host(rig)
    errands = scene(rig, stones, seed)
    while not rig.hands.idle:
        host.go(rig.now_us + 100_000)
    host.go(rig.now_us + 1_000_000)
    return host, errands


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_skipping_quiet_time_changes_no_event(seed: int) -> None:
    skipped, _ = played(Rig(PROFILE, seed, noise_ut=0), 10, seed)
    watched, _ = played(Rig(PROFILE, seed, noise_ut=0, skipping=False), 10, seed)
    assert skipped.rig.chip.frames < watched.rig.chip.frames / 2
    # The noise is judged by the frames that were seen: an uncertainty may differ by its unit.
    assert [event[:3] for event in skipped.log] == [event[:3] for event in watched.log]
    for one, other in zip(skipped.log, watched.log, strict=True):
        assert abs(one[3] - other[3]) <= 50
    assert len(skipped.log) >= 10


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_what_hands_do_is_what_the_host_hears(seed: int) -> None:
    rig = Rig(PROFILE, seed)
    host, errands = played(rig, seed=seed)
    done = sorted((e for e in errands if e.state == "done"), key=lambda e: e.touch_us)
    assert len(done) == len(errands)
    told = [(cell, kind & wire.KIND) for cell, kind, _, _ in host.log]
    assert sorted(told) == sorted((e.cell, e.kind if e.what == "place" else 0) for e in done)
    assert tuple(host.kinds) == rig.kinds
    for errand in done:
        kind = errand.kind if errand.what == "place" else 0
        times = [
            t for cell, told_kind, t, _ in host.log if (cell, told_kind) == (errand.cell, kind)
        ]
        assert min(abs(t - errand.touch_us) for t in times) < 12_000


def test_run_stops_when_the_board_has_spoken() -> None:
    rig = Rig(PROFILE)
    rig.from_host(b"\0" + framed(wire.H_HELLO, wire.MAJOR, wire.MINOR, 1))
    at = rig.run(5_000_000)
    assert at < 5_000_000
    assert rig.to_host()
    rig.advance(5_000_000)
    assert rig.now_us == 5_000_000


def test_a_stone_costs_few_frames() -> None:
    # At 25 µs a frame this keeps a hundred games in CI's minute; 8 ms a stone is the budget.
    rig = Rig(PROFILE, 3, tempo=BRISK)
    host = Host(rig)
    host.go(1_000_000)
    before = rig.chip.frames
    for cell in range(10):
        rig.hands.place(cell, 1 + cell % 2)
    while not rig.hands.idle:
        host.go(rig.now_us + 100_000)
    host.go(rig.now_us + 500_000)
    assert len(host.events) == 10
    assert (rig.chip.frames - before) / 10 < 220


def test_faults_of_a_line_are_those_of_their_seed_and_rate() -> None:
    data = bytes(range(256)) * 400
    cut = LineFaults(4, drop=1e-3, corrupt=1e-3)
    pieces = b"".join(cut.spoil(data[i : i + 77]) for i in range(0, len(data), 77))
    whole = LineFaults(4, drop=1e-3, corrupt=1e-3)
    assert whole.spoil(data) == pieces
    assert 150 < whole.spoilt < 260
    assert LineFaults(4).spoil(data) == data
    assert LineFaults(4, duplicate=1.0).spoil(b"ab") == b"aabb"
    with pytest.raises(ValueError, match="odds"):
        LineFaults(4, drop=0.9, corrupt=0.2)
