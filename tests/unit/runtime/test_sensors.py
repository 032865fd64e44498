"""Ailing sensors of the board at a table: told to the page, kept beside the board's name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from threading import Event
from typing import Any

import patience
import pytest
from lumiban.boards.profile import load
from lumiban.boards.types import Connected, Faulty
from lumiban.maker import health
from lumiban.maker.health import Health, Look
from lumiban.runtime.page_hello import Sensors
from lumiban_fw import wire
from lumiban_sim.rig import Rig
from rig_line import driven

HEX3 = load("hex3")
NAMES = HEX3.grid.names
DAY = date(2026, 1, 4)


def test_a_cell_that_a_player_gives_up_is_kept_unless_the_board_is_simulated(
    tmp_path: Path,
) -> None:
    simulated = driven(HEX3, Rig(HEX3, 14)).hello
    for hello in (replace(simulated, uid="50", capabilities=0), replace(simulated, uid="51")):
        sensors = Sensors(tmp_path, HEX3.grid.names, lambda: DAY)
        sensors.noted(Connected(hello))
        sensors.gave_up(frozenset({4}))
        sensors.close()
    assert health.read_health(tmp_path, "50").dead == {4}
    assert health.read_health(tmp_path, "51").dead == set()


def test_a_strip_s_faults_at_once_are_written_together_and_keep_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hello = replace(driven(HEX3, Rig(HEX3, 14)).hello, capabilities=0)
    disk = Event()
    written: list[dict[str, Any]] = []

    def slow(state: Path, document: Mapping[str, Any]) -> Path:
        patience.until(disk.is_set)
        written.append(dict(document["faults"]))
        return state

    monkeypatch.setattr(health, "write", slow)
    sensors = Sensors(tmp_path, HEX3.grid.names, lambda: DAY)
    sensors.noted(Connected(hello))
    for _ in range(2):
        for cell in range(15):
            sensors.noted(Faulty(wire.FAULT_STUCK, cell))
    assert len(sensors.ailing) == 15
    assert written == []
    disk.set()
    sensors.close()
    assert len(written) <= 2
    assert len(written[-1]) == 15


def test_faults_of_sensors_that_are_told_in_play_are_kept_for_the_doctor(tmp_path: Path) -> None:
    rig = Rig(HEX3, 14)
    hello = replace(driven(HEX3, rig).hello, capabilities=0)
    sensors = Sensors(tmp_path, today=lambda: DAY)
    sensors.noted(Faulty(wire.FAULT_STUCK, 3))  # of nobody yet
    sensors.noted(Connected(hello))
    for _ in range(3):
        sensors.noted(Faulty(wire.FAULT_DRIFT, 5))
        sensors.noted(Faulty(wire.FAULT_RAIL, 44))
    sensors.close()
    known = health.read_health(tmp_path, hello.uid)
    assert (known.model, known.faults) == ("hex3", {5: {"drift": (1, DAY.isoformat())}})
    assert [f.id for f in known.ailing(NAMES, DAY)] == ["health.told.drift"]
    sensors.noted(Connected(replace(hello, uid="51", capabilities=wire.IS_SIMULATED)))
    sensors.noted(Faulty(wire.FAULT_STUCK, 3))
    sensors.close()
    assert [known.uid for known in health.read_all_health(tmp_path)] == [hello.uid]


def test_a_page_is_told_of_ailing_sensors_when_a_board_comes_and_when_one_fails(
    tmp_path: Path,
) -> None:
    hello = replace(driven(HEX3, Rig(HEX3, 14)).hello, capabilities=0)
    known = Health(hello.uid, "hex3")
    for cell in range(6):
        known.saw(cell, Look("2026-11-21", strong_ut=16_000 if cell == 3 else 32_000))
    health.keep(tmp_path, known)
    sensors = Sensors(tmp_path, NAMES, lambda: DAY)
    assert sensors.ailing == ()
    sensors.noted(Connected(hello))
    weak = {"id": "health.weak", "params": {"cell": NAMES[3], "percent": 50}}
    assert sensors.ailing == (weak,)
    sensors.noted(Faulty(wire.FAULT_STUCK, 5))
    assert [text["id"] for text in sensors.ailing] == ["health.weak", "health.told.stuck"]
    sensors.noted(Connected(replace(hello, uid="51")))
    assert sensors.ailing == ()
