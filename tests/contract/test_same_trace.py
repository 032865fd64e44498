"""One file of readings, frame by frame: every board tells the host the same of it."""

from __future__ import annotations

import random
from array import array
from pathlib import Path

import pytest
from contract import benches
from contract.benches import FRAMES, KINDS, PACE, SimulatedBench
from contract.tables import Table
from lumiban.boards.profile import Profile, load
from lumiban_fw import wire
from lumiban_sim.built_board import built
from lumiban_sim.rig import Rig
from pytest_lumiban.plain_host import Event, PlainHost, State

HEX3 = load("hex3")
PERIOD_US = 1_000_000 // HEX3.scan_hz
LASTING_US = 6_000_000
WIDTH = len(HEX3.cells) + HEX3.rows
Told = tuple[list[Event], list[State], list[tuple[int, int]]]


def record(path: Path, profile: Profile, seed: int) -> None:
    """Write what the ADC reads in every frame while busy hands are at work: u16 a channel."""
    rig = Rig(profile, seed, skipping=False, board=built(profile, seed), cold=False)
    dice = random.Random(seed)
    for n in range(24):
        cell = dice.randrange(len(profile.cells))
        hand = ("left", "right", "third")[n % 3]
        if dice.random() < 0.7:
            rig.hands.place(cell, dice.choice((1, 2, 3)), hand=hand)
        else:
            rig.hands.lift(cell, hand=hand)
    counts, references = [0] * len(profile.cells), [0] * profile.rows
    frames = array("H")
    for frame in range(LASTING_US // PERIOD_US):
        t_us = frame * PERIOD_US
        rig.hands.advance(t_us)
        rig.world.sample(frame, t_us, counts, references)
        frames.extend(counts)
        frames.extend(references)
    path.write_bytes(frames.tobytes())


def replay(board: SimulatedBench, path: Path) -> Told:
    """Let the board read the file in place of its sensors; events, states and faults as told.

    Times of events count from the file's beginning.
    """
    frames = array("H")
    frames.frombytes(path.read_bytes())
    begin = board.now_us

    def sample(frame: int, t_us: int, counts: list[int], references: list[int]) -> None:
        at = min(max(t_us - begin, 0) // PERIOD_US, len(frames) // WIDTH - 1) * WIDTH
        counts[:] = frames[at : at + len(counts)]
        references[:] = frames[at + len(counts) : at + WIDTH]

    board.rig.world.sample = sample  # type: ignore[method-assign]
    host = PlainHost(board)
    host.greet()
    host.run(LASTING_US)
    faults = [one.unpacked.fields for one in host.of(wire.B_FAULT)]
    events = [event._replace(t_us=event.t_us - begin) for event in host.events]
    return events, host.states, faults


def _after(events: list[Event], number: int) -> bytes:
    """What lies on the board after so many events."""
    kinds = bytearray(len(HEX3.cells))
    for event in events[:number]:
        kinds[event.cell] = event.kind
    return bytes(kinds)


@pytest.fixture(scope="module")
def stimulus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stimulus") / "hands.u16"
    record(path, HEX3, 61)
    return path


@pytest.fixture(scope="module")
def reference(stimulus: Path) -> Told:
    with benches.bench("sim", HEX3, 1, skipping=False, cold=False) as board:
        return replay(board, stimulus)


@pytest.mark.slow
def test_the_reference_has_enough_to_compare(reference: Told) -> None:
    events, states, _ = reference
    assert len(events) >= 10
    assert len(states) >= 9
    assert {event.kind for event in events} >= {0, 1, 2, 3}


@pytest.mark.slow
@pytest.mark.lumiban_needs(FRAMES, KINDS)
def test_every_board_tells_the_same_of_the_same_readings(
    table: Table, stimulus: Path, reference: Told
) -> None:
    board = table.board(skipping=False, cold=False)
    events, states, faults = replay(board, stimulus)
    expected, beliefs, known = reference
    own_us = 1_000_000 // board.profile.scan_hz
    if board.profile.scan_hz != HEX3.scan_hz:
        own_us += 1_000_000 // HEX3.scan_hz  # they look at other moments: a frame of each
    assert [(e.cell, e.kind, e.is_late) for e in events] == [
        (e.cell, e.kind, e.is_late) for e in expected
    ]
    for event, other in zip(events, expected, strict=True):
        assert abs(event.t_us - other.t_us) <= own_us
        assert abs(event.uncertainty_us - other.uncertainty_us) <= own_us
    if PACE in board.can:
        assert [(s.event, s.kinds) for s in states] == [(s.event, s.kinds) for s in beliefs]
    else:
        # Its work takes time: a STATE may know fewer events by then, and tells of just these.
        assert [s.kinds for s in states] == [_after(expected, s.event) for s in states]
        assert states[-1].event == len(expected)
    assert faults == known
