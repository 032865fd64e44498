"""Frames that are left out change nothing: the same hands, seen in every frame or only where a
field changes, make the same events, moves and pictures."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from lumiban.boards import profile as profiles
from lumiban_fw.board import Board
from lumiban_fw.buffers import BAND, BEYOND, LAST, RUN
from lumiban_lab.soak_table import SoakTable
from lumiban_sim.built_board import built
from lumiban_sim.chip import CalmBoard
from lumiban_sim.faults import parse
from lumiban_sim.hands import BRISK
from lumiban_sim.rig import Rig

STEP_US = 1_700_000
"""From one hand's deed to the next: each has settled by then."""
TABLES: tuple[tuple[str, str, dict[str, int | str]], ...] = (
    ("control", "hex3", {"size": 3}),
    ("trivia", "grid9x9", {"size": 5}),
    ("evening", "hex8", {"size": 8}),  # so many cells that noise is beyond some band in any frame
    ("doves", "grid9x9", {"tray": "off", "initial": "allowed"}),
    ("control", "hex5", {"size": 4}),
    ("rengi", "grid13x14", {}),
)
PLANS = (
    "",
    "at 3s for 2s noisy line 0.3%\nat 9s for 1s unplug",
    "at 4s for 3s select line S1 of row 0\nat 14s for 400ms brown-out to 3400mV",
    "at 5s for 4s warm by 10K\nat 12s for 2s spikes of 20mT at 5/s",
    "at 6s reset\nat 15s for 2s kill host",
)


@dataclass
class Seen:
    """What came of one scene."""

    frames: int
    events: list[list[int]]
    """[number, cell, kind, µs, uncertainty] of each."""
    records: list[Any]
    """The journal without times."""
    light: list[bytes]
    """What shone once each deed had settled."""
    kinds: list[int]


def scene(folder: Path, seed: int, deeds: int, *, skipping: bool) -> Seen:
    """Hands that go by the clock alone, at a table of some game, under some plan."""
    dice = random.Random(f"scene {seed}")
    slug, name, options = TABLES[seed % len(TABLES)]
    profile = profiles.load(name)
    plan = parse(PLANS[seed % len(PLANS)], profile)
    board = built(profile, seed) if seed % 2 else None
    rig = Rig(profile, seed, tempo=BRISK, board=board, plan=plan, skipping=skipping)
    table = SoakTable(rig, slug, options, ("human", "human"), seed=seed, folder=folder)
    cells = dice.sample(range(len(profile.cells)), deeds)
    light = []
    for number in range(deeds):
        at_us = 1_500_000 + number * STEP_US
        if number and dice.random() < 0.35:
            rig.hands.lift(cells[dice.randrange(number)], hand="one", at_us=at_us)
        else:
            rig.hands.place(cells[number], dice.choice((1, 2, 3)), hand="one", at_us=at_us)
        table.rest(max(at_us + STEP_US - 250_000 - table.now_us, 0))
        light.append(bytes(rig.light))
    table.rest(2_000_000)
    records = [
        json.loads(line[line.index(b"{") :])
        for journal in table.journals
        for line in bytes(journal).splitlines()
    ]
    events = [one for record in records if record["t"] == "events" for one in record["events"]]
    kept = [timeless(record) for record in records if record["t"] != "events"]
    return Seen(rig.chip.frames, events, kept, light, list(table.session.board.kinds or ()))


def timeless(record: Any) -> Any:
    """A record of a journal without what it says of time."""
    return {key: value for key, value in record.items() if key not in ("at", "at_us", "us")}


@pytest.mark.parametrize(
    ("seed", "deeds"),
    [(seed, 6) for seed in range(4)]
    + [pytest.param(seed, 16, marks=pytest.mark.long) for seed in range(4, 66)],
)
def test_frames_left_out_change_no_event_no_move_and_no_light(
    seed: int, deeds: int, tmp_path: Path
) -> None:
    some, all_ = (scene(tmp_path, seed, deeds, skipping=skipping) for skipping in (True, False))
    assert some.frames < all_.frames / 3
    assert [one[:3] for one in some.events] == [one[:3] for one in all_.events]
    assert len(some.events) >= deeds // 2
    for one, other in zip(some.events, all_.events, strict=True):
        assert abs(one[3] - other[3]) <= one[4] + other[4]
    assert some.records == all_.records
    assert some.kinds == all_.kinds
    assert some.light == all_.light


def test_a_run_beyond_the_band_ends_where_frames_were_left_out() -> None:
    """Else noise in frames far from each other would look like a piece that began to move."""
    rig = Rig(profiles.load("hex3"), 1, noise_ut=0)
    rig.advance(1_000_000)
    board = rig.chip.board
    assert isinstance(board, CalmBoard)
    bands = board.sense._bands
    bands[5 * BAND + BEYOND] = RUN - 1
    bands[5 * BAND + LAST] = board.sense._no
    rig.advance(rig.now_us + 590_000)
    assert board.sense._bands[5 * BAND + LAST] == -1


def test_a_board_whose_every_frame_is_run_is_the_firmware_itself() -> None:
    assert type(Rig(profiles.load("hex3"), 1, skipping=False).chip.board) is Board
